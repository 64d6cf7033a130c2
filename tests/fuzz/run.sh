#!/bin/bash
# Runs every fuzz target side by side for FUZZ_SECONDS (600), each from its committed corpus; new inputs stay below build/fuzz.
# Usage: FUZZ_SECONDS=60 tests/fuzz/run.sh TARGET...
set -u
cd "$(dirname "$0")/../.."
seconds=${FUZZ_SECONDS:-600}
work=build/fuzz
passed=0 failed=0
declare -A pid
for target in "$@"; do
	name=${target##*/fuzz_}
	mkdir -p "$work/$name"
	echo "  fuzz  $name for $seconds s"
	"$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
		-artifact_prefix="$work/$name-" "$work/$name" "tests/fuzz/corpus/$name" >"$work/$name.log" 2>&1 &
	pid[$name]=$!
done
for name in "${!pid[@]}"; do
	if wait "${pid[$name]}"; then
		passed=$((passed + 1))
		echo "  ok    $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$name.log") runs"
	else
		failed=$((failed + 1))
		echo "  FAIL  $name; the input is beside $work/$name.log:"
		grep -v '^#' "$work/$name.log" | tail -n 60
	fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
