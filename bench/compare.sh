#!/bin/bash
# Compares Valkyrie with the servers that are installed, in interleaved rounds on this machine, and prints medians.
# The figure is CPU microseconds of the server per successful request: servers pinned to CPU 0, the client to CPU 1, so
# that neither the client nor a neighbour decides it. Everything runs on loopback and ends by itself.
# Environment: BUILD (build), ROUNDS (5), QUICK=1 (one short round), SERVERS, WORK (names to run, default all).
set -u
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
QUICK=${QUICK:-}
ROUNDS=${ROUNDS:-$([ -n "$QUICK" ] && echo 1 || echo 5)}
SERVERS=${SERVERS:-valkyrie h2o nginx nghttpd haproxy lighttpd}
WORK=${WORK:-tls-m100-c10 tls-m100-c256 tls-m32-c50 tls-m1-c100 clear-m100-c10 body-4k body-1m handshake-full handshake-resumed idle latency start floor}
out=$BUILD/bench
client=$BUILD/bench-client
dir=$(mktemp -d)
pids=()
declare -A server_pid tls_port clear_port
scale() { echo $(($1 / $([ -n "$QUICK" ] && echo 4 || echo 1))); }

cleanup() {
	for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null; done
	wait 2>/dev/null
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# --- files and certificate, the same for everybody -----------------------------------------------------------------
mkdir -p "$out" "$dir/files"
chmod 755 "$dir" "$dir/files"
small=$(head -c 114 /dev/zero | tr '\0' x)
printf %s "$small" >"$dir/files/small"
printf %s "$small" >"$dir/files/index.html"
head -c 4096 /dev/zero | tr '\0' y >"$dir/files/4k"
head -c 1048576 /dev/zero | tr '\0' z >"$dir/files/1m"
certs/make-dev-cert.sh "$dir" 2>/dev/null
cat "$dir/dev.crt" "$dir/dev.key" >"$dir/dev.pem"
chmod 644 "$dir"/dev.*

next_port=${BENCH_PORT:-18440}
fill() { # template, output, tls port, clear port
	sed -e "s,@TLS_PORT@,$3,g;s,@CLEAR_PORT@,$4,g;s,@CERT@,$dir/dev.crt,g;s,@KEY@,$dir/dev.key,g;s,@PEM@,$dir/dev.pem,g" \
		-e "s,@FILES@,$dir/files,g;s,@DIR@,$dir,g;s,@SMALL@,$small,g" "$1" >"$2"
}

# Starts one server pinned to CPU 0; sets server_pid, tls_port and clear_port of its name.
launch() { # name
	name=$1
	tls=$next_port clear=$((next_port + 1))
	next_port=$((next_port + 2))
	[ -f "bench/peers/$name.conf" ] && fill "bench/peers/$name.conf" "$dir/$name.conf" $tls $clear
	[ -f "bench/peers/$name.cfg" ] && fill "bench/peers/$name.cfg" "$dir/$name.cfg" $tls $clear
	valkyrie="$BUILD/valkyrie $([ "$(id -u)" != 0 ] || echo --user nobody) -q --host 127.0.0.1 -n 1 --idle-timeout 10m"
	case $name in
	valkyrie) set -- $valkyrie --tls --cert "$dir/dev.crt" --key "$dir/dev.key" --port $tls --content-type text/plain --body "$small" ;;
	valkyrie-4k) set -- $valkyrie --tls --cert "$dir/dev.crt" --key "$dir/dev.key" --port $tls --body-file "$dir/files/4k" ;;
	valkyrie-1m) set -- $valkyrie --tls --cert "$dir/dev.crt" --key "$dir/dev.key" --port $tls --body-file "$dir/files/1m" ;;
	valkyrie-clear) set -- $valkyrie --port $clear --content-type text/plain --body "$small" ;;
	h2o) set -- h2o -c "$dir/h2o.conf" ;;
	nginx) set -- nginx -e "$dir/nginx.log" -c "$dir/nginx.conf" ;;
	nghttpd) set -- nghttpd -a 127.0.0.1 -n 1 -m 256 -d "$dir/files" $tls "$dir/dev.key" "$dir/dev.crt" ;;
	nghttpd-clear) set -- nghttpd -a 127.0.0.1 --no-tls -n 1 -m 256 -d "$dir/files" $clear ;;
	haproxy) set -- haproxy -db -f "$dir/haproxy.cfg" ;;
	lighttpd) set -- lighttpd -D -f "$dir/lighttpd.conf" ;;
	floor) set -- "$client" echo $tls ;;
	esac
	taskset -c 0 "$@" >"$dir/$name.out" 2>&1 &
	pids+=($!)
	server_pid[$name]=$! tls_port[$name]=$tls clear_port[$name]=$clear
}

# All processes of a server: itself and its children.
family() { echo "$1"; pgrep -P "$1"; }
cpu_ns() { # pid
	for pid in $(family "$1"); do cat /proc/"$pid"/task/*/schedstat 2>/dev/null; done | awk '{ sum += $1 } END { printf "%.0f", sum }'
}
rss_kib() { for pid in $(family "$1"); do awk '/^VmRSS/ { print $2 }' /proc/"$pid"/status; done | awk '{ sum += $1 } END { print sum }'; }

# Checks status, protocol and length before anything is timed.
answers() { # url, length
	[ "$(curl -sSk --http2-prior-knowledge --max-time 5 --retry 50 --retry-delay 0 --retry-connrefused --retry-max-time 10 -o /dev/null \
		-w '%{http_code} %{http_version} %{size_download}' "$1" 2>/dev/null)" = "200 2 $2" ]
}

# Which instance, URL and expected length a server has for a body. Sets `instance` and `url`.
target() { # server, body, length
	instance=$1 url=https://127.0.0.1:${tls_port[$1]}/$2
	if [ "$1" = valkyrie ]; then
		[ "$2" = 4k ] || [ "$2" = 1m ] && instance=valkyrie-$2
		url=https://127.0.0.1:${tls_port[$instance]}/
	fi
	[ -n "${checked[$url]:-}" ] || { answers "$url" "$3" && checked[$url]=yes || checked[$url]=no; }
	[ "${checked[$url]}" = yes ]
}
clear_target() { # server
	instance=$1
	[ "$1" = valkyrie ] || [ "$1" = nghttpd ] && instance=$1-clear
	url=http://127.0.0.1:${clear_port[$instance]}/small
	[ -n "${checked[$url]:-}" ] || { answers "$url" 114 && checked[$url]=yes || checked[$url]=no; }
	[ "${checked[$url]}" = yes ]
}
declare -A checked

# One line that changes, on a terminal only.
progress() { [ ! -t 2 ] || printf '\r\033[K%s' "$1" >&2; }

record() { echo "$1,$2,$3,$4" >>"$out/results.csv"; } # round, work, server, value

# Loads with h2load and records CPU us per 2xx.
measure() { # round, work, server, h2load arguments...
	round=$1 work=$2 server=$3
	shift 3
	before=$(cpu_ns "${server_pid[$instance]}")
	good=$(taskset -c 1 timeout 120 h2load "$@" "$url" 2>/dev/null | sed -n 's/^status codes: \([0-9]*\) 2xx.*/\1/p')
	after=$(cpu_ns "${server_pid[$instance]}")
	[ "${good:-0}" -gt 0 ] && record "$round" "$work" "$server" "$(awk "BEGIN { printf \"%.4f\", ($after - $before) / 1000 / $good }")"
}

measure_client() { # round, work, server, client arguments...
	round=$1 work=$2 server=$3
	shift 3
	before=$(cpu_ns "${server_pid[$instance]}")
	good=$(taskset -c 1 timeout 120 "$client" "$@" 2>/dev/null)
	after=$(cpu_ns "${server_pid[$instance]}")
	[ "${good:-0}" -gt 0 ] && record "$round" "$work" "$server" "$(awk "BEGIN { printf \"%.4f\", ($after - $before) / 1000 / $good }")"
}

# Memory of a fresh process, without and with idle connections.
measure_idle() { # round, server
	count=$([ -n "$QUICK" ] && echo 1000 || { [ $(($1 % 2)) = 1 ] && echo 2000 || echo 8000; })
	keep=${server_pid[$2]} keep_tls=${tls_port[$2]} keep_clear=${clear_port[$2]}
	launch "$2"
	fresh=${server_pid[$2]} port=${tls_port[$2]}
	if answers "https://127.0.0.1:$port/$([ "$2" = valkyrie ] || echo small)" 114; then
		before=$(rss_kib "$fresh")
		coproc taskset -c 1 "$client" idle "$port" "$count" 2>/dev/null
		if read -rt 100 word <&"${COPROC[0]}" && [ "$word" = ready ]; then
			record "$1" "idle" "$2" "$(awk "BEGIN { printf \"%.2f\", ($(rss_kib "$fresh") - $before) / $count }")"
		fi
		kill "$COPROC_PID" 2>/dev/null
		wait "$COPROC_PID" 2>/dev/null
	fi
	kill "$fresh" 2>/dev/null
	wait "$fresh" 2>/dev/null
	server_pid[$2]=$keep tls_port[$2]=$keep_tls clear_port[$2]=$keep_clear
}

# p99 of the time for a request at a fixed rate, evenly spaced: half of what H2O reaches with one stream on 50 connections.
measure_latency() { # round, server
	target "$2" small 114 || return
	p99=$(taskset -c 1 timeout 60 "$client" latency "${tls_port[$instance]}" "$rate" "$([ -n "$QUICK" ] && echo 2 || echo 4)" 2>/dev/null | cut -d ' ' -f 2)
	[ -n "$p99" ] && record "$1" latency "$2" "$p99"
}

# Milliseconds from the start of the process to the first answer over TLS.
measure_start() { # round, server
	keep=${server_pid[$2]} keep_tls=${tls_port[$2]} keep_clear=${clear_port[$2]}
	started=$("$client" now 0)
	launch "$2"
	answered=$(taskset -c 1 timeout 20 "$client" first "${tls_port[$2]}" 2>/dev/null)
	[ -n "$answered" ] && record "$1" start "$2" "$(awk "BEGIN { printf \"%.1f\", ($answered - $started) / 1000 }")"
	kill "${server_pid[$2]}" 2>/dev/null
	wait "${server_pid[$2]}" 2>/dev/null
	server_pid[$2]=$keep tls_port[$2]=$keep_tls clear_port[$2]=$keep_clear
}

# --- which servers are there -----------------------------------------------------------------------------------------
present=()
for name in $SERVERS; do
	[ "$name" = valkyrie ] || command -v "$name" >/dev/null 2>&1 || [ -x "/usr/sbin/$name" ] || { echo "  $name is not installed; make bench-deps"; continue; }
	present+=("$name")
done
PATH=$PATH:/usr/sbin
for name in "${present[@]}"; do launch "$name"; done
launch valkyrie-4k; launch valkyrie-1m; launch valkyrie-clear; launch floor
[[ " ${present[*]} " != *" nghttpd "* ]] || launch nghttpd-clear
rm -f "$out/results.csv"
echo "round,work,server,value" >"$out/results.csv"
rate=5000

# --- rounds -----------------------------------------------------------------------------------------------------------
run_work() { # round, work, server
	case $2 in
	tls-m100-c10) target "$3" small 114 && measure "$1" "$2" "$3" -n "$(scale 400000)" -c 10 -m 100 ;;
	tls-m100-c256) target "$3" small 114 && measure "$1" "$2" "$3" -n "$(scale 400000)" -c 256 -m 100 ;;
	tls-m32-c50) target "$3" small 114 && measure "$1" "$2" "$3" -n "$(scale 200000)" -c 50 -m 32 ;;
	tls-m1-c100) target "$3" small 114 && measure "$1" "$2" "$3" -n "$(scale 60000)" -c 100 -m 1 ;;
	clear-m100-c10) clear_target "$3" && measure "$1" "$2" "$3" -n "$(scale 400000)" -c 10 -m 100 ;;
	body-4k) target "$3" 4k 4096 && measure "$1" "$2" "$3" -n "$(scale 100000)" -c 50 -m 32 ;;
	body-1m) target "$3" 1m 1048576 && measure "$1" "$2" "$3" -n "$(scale 2000)" -c 10 -m 4 ;;
	handshake-full) target "$3" small 114 && measure_client "$1" "$2" "$3" handshakes "${tls_port[$3]}" "$(scale 2000)" full ;;
	handshake-resumed) target "$3" small 114 && measure_client "$1" "$2" "$3" handshakes "${tls_port[$3]}" "$(scale 2000)" resumed ;;
	idle) measure_idle "$1" "$3" ;;
	latency) measure_latency "$1" "$3" ;;
	start) measure_start "$1" "$3" ;;
	floor) [ "$3" = valkyrie ] && instance=floor && measure_client "$1" floor echo ping "${tls_port[floor]}" "$(scale 200000)" 100 ;;
	esac
}
for ((round = 1; round <= ROUNDS; round++)); do
	for work in $WORK; do
		if [ "$work" = latency ] && [ "$round" = 1 ] && [[ " ${present[*]} " == *" h2o "* ]]; then
			target h2o small 114
			most=$(taskset -c 1 h2load -n "$(scale 60000)" -c 50 -m 1 "$url" 2>/dev/null | sed -n 's/^finished in .*, \([0-9]*\)\..* req.*/\1/p')
			rate=$((${most:-10000} / 2))
		fi
		for server in "${present[@]}"; do
			progress "round $round of $ROUNDS: $work, $server"
			run_work "$round" "$work" "$server"
		done
	done
done
progress ""

# --- results ----------------------------------------------------------------------------------------------------------
cp "$BUILD/valkyrie" "$dir/stripped" && strip "$dir/stripped"
{
	echo "binary_bytes,$(stat -c %s "$dir/stripped")"
	echo "rate,$rate"
} >"$out/facts.csv"
bench/report.sh "$out" "$WORK" "${present[*]}"
