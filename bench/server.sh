#!/bin/bash
# Sourced by the scripts of this folder: a server of their own on a free loopback port, ended by its pid whatever happens.
# Sets `dir` (scratch, removed at the end), and by start_server `server` (pid), `url` and `port`. Needs BUILD.
BUILD=${BUILD:-build}
dir=$(mktemp -d)
server=
privileges=
end_server() { [ -z "$server" ] || kill "$server" 2>/dev/null || true; }
trap 'end_server; wait 2>/dev/null || true; rm -rf "$dir"' EXIT

# Root becomes somebody without rights, as in operation.
[ "$(id -u)" != 0 ] || privileges="--user nobody"

# Starts "$@" followed by the daemon's options and waits for the last line of its banner: then it listens.
start_server() {
	: >"$dir/log"
	"$@" $privileges --host 127.0.0.1 --port 0 2>"$dir/log" &
	server=$!
	grep -q -m 1 '  limits ' <(tail -n +1 -f --pid="$server" "$dir/log") || { cat "$dir/log" >&2; return 1; }
	url=$(sed -n 's/.*  listening *//p' "$dir/log" | head -n 1)/
	port=${url##*:}
	port=${port%/}
}

# TERM, and waits for the end.
stop_server() {
	kill "$server"
	wait "$server" 2>/dev/null
	server=
}
