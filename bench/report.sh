#!/bin/bash
# Turns results.csv of bench/compare.sh into a table on the terminal, report.md, and an SVG bar chart per work.
# Usage: bench/report.sh FOLDER "WORK..." "SERVERS..."
set -u
folder=$1 works=$2 servers=$3

table() {
	awk -F, -v works="$works" -v servers="$servers" '
	function median(key, n, i, j, t) {
		n = count[key]
		if (n == 0) return ""
		for (i = 2; i <= n; i++) for (j = i; j > 1 && v[key, j] < v[key, j - 1]; j--) { t = v[key, j]; v[key, j] = v[key, j - 1]; v[key, j - 1] = t }
		return n % 2 ? v[key, (n + 1) / 2] : (v[key, n / 2] + v[key, n / 2 + 1]) / 2
	}
	NR > 1 { key = $2 SUBSEP $3; v[key, ++count[key]] = $4 + 0 }
	END {
		unit["idle"] = "KiB"; unit["latency"] = "us p99"; unit["start"] = "ms"
		n = split(works, w, " "); m = split(servers, s, " ")
		printf "| work | unit |"
		for (j = 1; j <= m; j++) printf " %s |", s[j]
		printf " valkyrie / h2o |\n|---|---|"
		for (j = 1; j <= m + 1; j++) printf "---|"
		printf "\n"
		for (i = 1; i <= n; i++) {
			if (w[i] == "floor") continue
			printf "| %s | %s |", w[i], (w[i] in unit) ? unit[w[i]] : "us CPU"
			for (j = 1; j <= m; j++) { x[j] = median(w[i] SUBSEP s[j]); printf " %s |", x[j] == "" ? "-" : sprintf(x[j] < 100 ? "%.2f" : "%.0f", x[j]) }
			own = median(w[i] SUBSEP "valkyrie"); h2o = median(w[i] SUBSEP "h2o")
			printf " %s |\n", (own == "" || h2o == "" || h2o == 0) ? "-" : sprintf("%.2f", own / h2o)
		}
		floor = median("floor" SUBSEP "echo")
		if (floor != "") printf "\nBare epoll echo of the same sizes: %.2f us; valkyrie at tls-m1-c100 is %.2f times that.\n", floor, median("tls-m1-c100" SUBSEP "valkyrie") / floor
	}' "$folder/results.csv"
	awk -F, '$1 == "binary_bytes" { printf "Binary, stripped: %.2f MiB.", $2 / 1048576 } $1 == "rate" { printf " Latency at %d requests a second.\n", $2 }' "$folder/facts.csv"
}

table >"$folder/report.md"
sed -n -e '/^|---/d' -e '/^|/{s/^| *//;s/ *|$//;s/ *| */|/g;p}' "$folder/report.md" | column -t -s '|'
grep -v '^|' "$folder/report.md"
echo "Medians of $(awk -F, 'NR > 1 { r[$1] = 1 } END { n = 0; for (i in r) n++; print n }' "$folder/results.csv") rounds. Files: $folder/results.csv, report.md"

command -v gnuplot >/dev/null 2>&1 || { echo "no charts: gnuplot is not installed (make bench-deps)"; exit 0; }
for work in $works; do
	[ "$work" != floor ] || continue
	grep "^| $work |" "$folder/report.md" | awk -F' *[|] *' -v servers="$servers" '{
		m = split(servers, s, " "); for (j = 1; j <= m; j++) if ($(j + 3) != "-") print s[j], $(j + 3) }' >"$folder/$work.dat"
	[ -s "$folder/$work.dat" ] || continue
	gnuplot <<END
set terminal svg size 640,320 font "sans,12"
set output "$folder/$work.svg"
set title "$work (less is better)"
set style fill solid 0.7
set boxwidth 0.6
set yrange [0:*]
set grid ytics
unset key
plot "$folder/$work.dat" using 0:2:xtic(1) with boxes linecolor rgb "#4060a0", "" using 0:2:2 with labels offset 0,0.7
END
	rm -f "$folder/$work.dat"
done
echo "Charts: $folder/*.svg"
