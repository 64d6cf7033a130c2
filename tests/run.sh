#!/bin/sh
# Runs test programs one after the other, shows what fails, and ends with a count of all tests.
# Usage: BUILD=build tests/run.sh PROGRAM...
set -u
export BUILD="${BUILD:-build}"
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:detect_stack_use_after_return=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=0:exitcode=66}"
passed=0 failed=0
sh tests/support/make-certificates.sh build/test-certificates || { echo "cannot make test certificates"; exit 1; }

for program in "$@"; do
	log=$BUILD/$(echo "$program" | tr / _).log
	start=$(date +%s)
	timeout ${TEST_TIMEOUT:-120} "$program" >"$log" 2>&1
	code=$?
	# A program may hold several groups, each with its own count.
	good=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | awk '{ sum += $1 } END { print sum + 0 }')
	bad=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log" | awk '{ sum += $1 } END { print sum + 0 }')
	[ "$code" = 0 ] || [ "$bad" != 0 ] || bad=1 # a crash, a leak or a timeout
	passed=$((passed + good)) failed=$((failed + bad))
	name=${program#"$BUILD"/tests/}
	if [ "$bad" = 0 ]; then
		printf '  ok    %-28s %3d tests  %2d s\n' "$name" "$good" $(($(date +%s) - start))
	else
		printf '  FAIL  %-28s exit code %d\n' "$name" "$code"
		grep -vE '^\[ RUN|^\[       OK' "$log" | tail -n 60 | sed 's/^/        /'
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
