#!/bin/sh
# No function over 80 lines, no file over 800, no public or internal header over 300.
set -eu
failed=0
for file in $(git ls-files 'src/*.c' 'tests/*.c' 'bench/*.c'); do
	long=$(ctags --fields=+ne --kinds-C=f -f - "$file" 2>/dev/null | awk -F'\t' '{
		for (i = 4; i <= NF; i++) { if ($i ~ /^line:/) l = substr($i, 6); if ($i ~ /^end:/) e = substr($i, 5) }
		if (e - l + 1 > 80) print $1 " is " e - l + 1 " lines long" }')
	[ -z "$long" ] || { echo "$file: $long"; failed=1; }
done
for file in $(git ls-files 'src/*' 'include/*' 'tests/*.c' 'bench/*'); do
	lines=$(wc -l <"$file")
	limit=800
	case $file in *.h) limit=300 ;; esac
	[ "$lines" -le $limit ] || { echo "$file: $lines lines, at most $limit"; failed=1; }
done
exit $failed
