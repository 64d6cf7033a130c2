#!/bin/bash
# Counts user instructions per request and per handshake with callgrind, which repeats to a fraction of a percent on any
# machine, and compares them with the committed budget. Fails above +3 %. `bench/instructions.sh update` writes the budget.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/server.sh
budget=bench/instructions.budget
privileges="--allow-root --no-sandbox" # valgrind needs more system calls than the server
certs/make-dev-cert.sh "$dir" 2>/dev/null

# Instructions of one server's life while it is loaded by "$@" with the port as @PORT@. Runs in a subshell of its own
# ($(...)), which ends the server whatever happens.
count() {
	trap end_server EXIT
	start_server valgrind --tool=callgrind --callgrind-out-file=/dev/null "$BUILD/valkyrie" --tls --workers 1 \
		--cert "$dir/dev.crt" --key "$dir/dev.key" --content-type text/plain \
		--body "$(head -c 114 /dev/zero | tr '\0' x)"
	timeout 120 "${@//@PORT@/$port}" >"$dir/out" 2>&1 || { cat "$dir/out" >&2; return 1; }
	stop_server
	sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$dir/log" | tail -n 1
}

# The difference between a long and a short run is the requests alone.
per_request() { # h2load arguments
	short=$(count h2load -n 2000 "$@" https://127.0.0.1:@PORT@/)
	long=$(count h2load -n 12000 "$@" https://127.0.0.1:@PORT@/)
	echo $(((long - short) / 10000))
}
per_handshake() { # full|resumed
	short=$(count "$BUILD/bench-client" handshakes @PORT@ 5 "$1")
	long=$(count "$BUILD/bench-client" handshakes @PORT@ 45 "$1")
	echo $(((long - short) / 40))
}

measured=$(
	echo "request-m1 $(per_request -c 1 -m 1)"
	echo "request-m100 $(per_request -c 1 -m 100)"
	echo "handshake-full $(per_handshake full)"
	echo "handshake-resumed $(per_handshake resumed)"
)
[ "$(grep -cE '^[a-z0-9-]+ [0-9]+$' <<<"$measured")" = 4 ] || { echo "bench: not everything could be counted: $measured" >&2; exit 1; }
if [ "${1:-}" = update ]; then
	printf '# User instructions by callgrind; see bench/instructions.sh. Lower it with every speed-up.\n%s\n' "$measured" >$budget
	cat $budget
	exit 0
fi
passed=0 failed=0
while read -r name value; do
	allowed=$(awk -v name="$name" '$1 == name { printf "%d", $2 * 1.03 }' $budget)
	committed=$(awk -v name="$name" '$1 == name { print $2 }' $budget)
	if [ "$value" -le "${allowed:-0}" ]; then
		passed=$((passed + 1)) word=ok
	else
		failed=$((failed + 1)) word=FAIL
	fi
	printf '  %-5s %-20s %9d instructions, budget %d\n' $word "$name" "$value" "${committed:-0}"
done <<<"$measured"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
