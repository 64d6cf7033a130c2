#!/bin/bash
# Loads an instrumented server with the work that profile-guided optimisation is to learn from, and ends it gracefully so
# that it writes its counters. Usage: BUILD=build/release bench/train.sh
set -euo pipefail
dir=$(mktemp -d)
server=
cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	wait 2>/dev/null || true
	rm -rf "$dir"
}
trap cleanup EXIT
certs/make-dev-cert.sh "$dir" 2>/dev/null
head -c 1048576 /dev/zero | tr '\0' z >"$dir/1m"

# Starts a server with the given options; sets `url` and `port`.
start() {
	: >"$dir/log"
	"$BUILD/valkyrie" --host 127.0.0.1 --port 0 --workers 1 "$@" 2>"$dir/log" &
	server=$!
	grep -q -m 1 '  limits ' <(tail -n +1 -f --pid="$server" "$dir/log") || { cat "$dir/log" >&2; exit 1; }
	url=$(sed -n 's/^  listening *//p' "$dir/log")/
	port=${url##*:}
	port=${port%/}
}
stop() {
	kill "$server"
	wait "$server"
	server=
}
tls="--tls --cert $dir/dev.crt --key $dir/dev.key"
start $tls --content-type text/plain --body "$(head -c 114 /dev/zero | tr '\0' x)"
h2load -n 300000 -c 10 -m 100 "$url" >/dev/null
h2load -n 40000 -c 100 -m 1 "$url" >/dev/null
"$BUILD/bench-client" handshakes "$port" 300 full >/dev/null
"$BUILD/bench-client" handshakes "$port" 150 resumed >/dev/null
curl -sSk --data-binary @"$dir/1m" "$url" -o /dev/null
stop
start $tls --body-file "$dir/1m"
h2load -n 500 -c 10 -m 4 "$url" >/dev/null
stop
start --content-type text/plain --body "$(head -c 114 /dev/zero | tr '\0' x)"
h2load -n 200000 -c 10 -m 100 "$url" >/dev/null
stop
echo "bench: trained"
