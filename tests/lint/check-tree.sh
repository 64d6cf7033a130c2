#!/bin/sh
# What must not be in the repository: keys, names of package mirrors, paths of somebody's machine, unfinished marks.
set -eu
failed=0
find_and_fail() { # what, pattern, files...
	what=$1 pattern=$2
	shift 2
	found=$(git grep -nIE "$pattern" -- "$@" ':!tests/lint/check-tree.sh' ':!LICENSE' || true)
	[ -z "$found" ] || { printf '%s:\n%s\n' "$what" "$found"; failed=1; }
}
find_and_fail "a private key" '^-----BEGIN .*PRIVATE KEY-----$' .
find_and_fail "an address of a package archive" 'https?://[^ /]*(debian\.org|mirror|pkgs|artifact)' .
find_and_fail "a path of one machine" '(^|[" =])/(work|home)/' .
find_and_fail "an unfinished mark" '(TODO|FIXME|XXX:)' src include tests bench
for hosts in $(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | sed 's,^[a-z]*://\([^/]*\)/.*,\1,' | sort -u); do
	find_and_fail "this machine's package mirror" "$hosts" .
done
exit $failed
