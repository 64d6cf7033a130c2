#!/bin/sh
# A file of src/ may include its own layer and the ones below it, never above. Prints every include that points up.
set -eu
layers="base sandbox net tls http http2 http1 handler server cli"

rank() {
	position=0
	for layer in $layers; do
		position=$((position + 1))
		[ "$layer" = "$1" ] && { echo $position; return; }
	done
	echo 0
}

# Pairs that may not know each other although one is below: protocols know neither sockets nor TLS, TLS knows no
# socket, and the daemon stands on the public API.
forbidden="net:sandbox tls:sandbox http:sandbox http2:sandbox http1:sandbox handler:sandbox server:sandbox tls:net http:net http:tls http2:net http2:tls http1:net http1:tls http1:http2 handler:net handler:tls handler:http2 handler:http1 cli:net cli:tls cli:http cli:http2 cli:http1 cli:handler cli:server"

failed=0
for file in src/*/*.[ch]; do
	own=$(echo "$file" | cut -d/ -f2)
	for included in $(sed -n 's/^#include "\([a-z0-9]*\)\/.*"/\1/p' "$file" | sort -u); do
		[ "$included" = valkyrie ] && continue
		if [ "$(rank "$included")" -gt "$(rank "$own")" ] || [ "$(rank "$included")" = 0 ]; then
			echo "$file includes $included/, which is above $own/"
			failed=1
		fi
		case " $forbidden " in
		*" $own:$included "*)
			echo "$file includes $included/, which $own/ must not know"
			failed=1
			;;
		esac
	done
done

# The libraries each have one door.
for rule in "wolfssl/:src/tls" "nghttp2/:src/http2" "<ev.h>:src/server"; do
	header=${rule%%:*} folder=${rule#*:}
	for file in $(grep -l "^#include <*${header#<}" src/*/*.[ch] 2>/dev/null || true); do
		case $file in "$folder"/*) ;; *) echo "$file includes $header, which belongs to $folder only"; failed=1 ;; esac
	done
done
exit $failed
