#!/bin/bash
# Starts a server of its own on a free loopback port, loads it with h2load, prints requests per second, latency
# percentiles and the count of 2xx, and stops it. Fails unless every request succeeded over HTTP/2.
# Environment: BUILD, WORKERS (auto), CLIENTS (100), REQUESTS (200000), STREAMS (10 at a time a client).
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/server.sh
WORKERS=${WORKERS:-auto} CLIENTS=${CLIENTS:-100} REQUESTS=${REQUESTS:-200000} STREAMS=${STREAMS:-10}
start_server "$BUILD/valkyrie" --tls --cert certs/dev.crt --key certs/dev.key --workers "$WORKERS"

protocol=$(curl -sSk -o /dev/null -w '%{http_version} %{http_code}' "$url")
[ "$protocol" = "2 200" ] || { echo "benchmark: expected HTTP/2 and 200, got: $protocol" >&2; exit 1; }

sed -n '1p;/workers\|libraries/p' "$dir/log"
echo "h2load: $REQUESTS requests, $CLIENTS clients, $STREAMS streams each, $url"
h2load -n "$REQUESTS" -c "$CLIENTS" -m "$STREAMS" --log-file="$dir/requests" "$url" >"$dir/h2load"
grep -E '^(finished|requests:|status codes:|Application protocol:|traffic:)' "$dir/h2load"

# Columns of h2load's log: start time (us), status, duration (us).
cut -f 3 "$dir/requests" | sort -n | awk '
	{ value[NR] = $1 }
	function at(p) { i = int(NR * p + 0.999999); return value[i < 1 ? 1 : i] }
	END { printf "latency: p50 %d us, p90 %d us, p99 %d us, p99.9 %d us, max %d us\n", at(.5), at(.9), at(.99), at(.999), value[NR] }'
awk '$2 >= 200 && $2 < 300 { good++ } END { printf "2xx: %d\n", good }' "$dir/requests"
grep -q "status codes: $REQUESTS 2xx" "$dir/h2load" && grep -q ' 0 failed, 0 errored, 0 timeout' "$dir/h2load" ||
	{ echo "benchmark: not every request succeeded" >&2; exit 1; }
