#!/bin/sh
# Every static gate. Ends with a count; see `make lint`.
set -u
passed=0 failed=0
gate() { # name, command...
	name=$1
	shift
	if output=$("$@" 2>&1); then
		passed=$((passed + 1))
		printf '  ok    %s\n' "$name"
	else
		failed=$((failed + 1))
		printf '  FAIL  %s\n' "$name"
		printf '%s\n' "$output" | tail -n 400 | sed 's/^/        /'
	fi
}

check_format() { clang-format --dry-run -Werror $(git ls-files '*.c' '*.h'); }
check_shell() {
	for script in $(git ls-files '*.sh' .ci/run); do
		"$(sed -n '1s/^#!//p' "$script")" -n "$script" || return 1
	done
}
check_cppcheck() {
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		--suppress=missingIncludeSystem -Iinclude -Isrc -D__GNUC__ -j2 src
}
check_tidy() {
	clang-tidy --quiet --warnings-as-errors='*' \
		--checks='-*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-assignment-in-if-condition,-bugprone-branch-clone,-bugprone-narrowing-conversions,-bugprone-implicit-widening-of-multiplication-result,-bugprone-macro-parentheses,clang-analyzer-*,-clang-analyzer-security.insecureAPI.*,-clang-analyzer-valist.Uninitialized' \
		$(git ls-files 'src/*.c') -- -std=gnu11 -Iinclude -Isrc $DEPS_INCLUDES
}
check_flake() {
	if command -v nix >/dev/null 2>&1 && nix flake --help >/dev/null 2>&1 && [ -n "${NIX_CHECK:-}" ]; then
		nix flake check
	else
		nix-instantiate --parse flake.nix >/dev/null
	fi
}

gate "format (clang-format)" check_format
gate "layers" tests/lint/check-layers.sh
gate "sizes of functions and files" tests/lint/check-sizes.sh
gate "nothing foreign in the tree" tests/lint/check-tree.sh
gate "shell syntax" check_shell
gate "cppcheck" check_cppcheck
gate "clang-tidy" check_tidy
if command -v nix-instantiate >/dev/null 2>&1; then
	gate "flake.nix" check_flake
else
	echo "  skip  flake.nix (nix is not installed)"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
