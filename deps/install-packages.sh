#!/bin/sh
# Installs the Debian packages of the given groups (see packages.txt) that are missing.
# Without the right to install, or off Debian, it names the one command that does and fails.
# Usage: deps/install-packages.sh GROUP...
set -eu
here=$(dirname "$0")

wanted=""
for group in "$@"; do
	wanted="$wanted $(awk -v group="$group" '$1 == group { print $2 }' "$here/packages.txt")"
done

if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "deps: this is not a Debian system; provide these yourself:$(echo $wanted | tr '\n' ' ')" >&2
	exit 0
fi

missing=""
for package in $wanted; do
	state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
	[ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
	as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	as_root="sudo"
else
	echo "deps: missing packages; run: sudo apt-get install -y --no-install-recommends$missing" >&2
	exit 1
fi

echo "deps: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
{
	$as_root apt-get -q update || echo "deps: apt-get update failed; trying with the lists at hand" >&2
	$as_root apt-get -q install -y --no-install-recommends $missing
} >&2
