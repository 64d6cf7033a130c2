#!/bin/bash
# Loads an instrumented server with the work that profile-guided optimisation is to learn from, and ends it gracefully so
# that it writes its counters. Usage: BUILD=build/release bench/train.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/server.sh
certs/make-dev-cert.sh "$dir" 2>/dev/null
head -c 1048576 /dev/zero | tr '\0' z >"$dir/1m"
small=$(head -c 114 /dev/zero | tr '\0' x)
privileges="--allow-root --no-sandbox" # it writes its counters to files at the end
daemon="$BUILD/valkyrie --workers 1"
tls="--tls --cert $dir/dev.crt --key $dir/dev.key"

start_server $daemon $tls --content-type text/plain --body "$small"
h2load -n 300000 -c 10 -m 100 "$url" >/dev/null
h2load -n 40000 -c 100 -m 1 "$url" >/dev/null
"$BUILD/bench-client" handshakes "$port" 300 full >/dev/null
"$BUILD/bench-client" handshakes "$port" 150 resumed >/dev/null
curl -sSk --data-binary @"$dir/1m" "$url" -o /dev/null
stop_server
start_server $daemon $tls --body-file "$dir/1m"
h2load -n 500 -c 10 -m 4 "$url" >/dev/null
stop_server
start_server $daemon --content-type text/plain --body "$small"
h2load -n 200000 -c 10 -m 100 "$url" >/dev/null
stop_server
echo "bench: trained"
