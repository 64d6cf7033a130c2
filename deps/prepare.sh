#!/bin/sh
# Builds the pinned wolfSSL and the distribution's nghttp2 as static libraries into a cache outside the checkout and
# prints a make fragment that says where they are. A finished build is reused: its folder's name is a hash of version,
# flags and compiler.
#
# Environment: CC, DEPS_CFLAGS (optimisation, sanitizers), WOLFSSL_PREFIX and NGHTTP2_PREFIX (use these instead of
# building; `system` asks pkg-config), VALKYRIE_CACHE (default ${XDG_CACHE_HOME:-~/.cache}/valkyrie).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/pins.conf"

CC=${CC:-gcc}
DEPS_CFLAGS=${DEPS_CFLAGS:--O3}
cache=${VALKYRIE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/valkyrie}/deps
jobs=$(nproc 2>/dev/null || echo 2)

wolfssl_flags="--disable-shared --enable-static --with-pic --disable-dependency-tracking --disable-silent-rules
 --disable-examples --disable-crypttests --disable-benchmark
 --enable-tls13 --enable-alpn --enable-sni --enable-session-ticket --enable-secure-renegotiation-info
 --enable-curve25519 --enable-ed25519 --enable-mlkem
 --disable-oldtls --disable-dh --disable-des3 --disable-arc4 --disable-md5 --disable-psk --disable-aescbc
 --disable-pkcs12 --disable-oldnames --disable-ocsp --disable-crl --disable-sys-ca-certs --disable-errorqueue"
# SMALL_SESSION_CACHE: the cache is switched off at run time, but 5.9.2 does not link without it.
# NO_DEF_TICKET_ENC_CB: the built-in ticket keys race between threads.
wolfssl_defines="-DWOLFSSL_TLS13_MIDDLEBOX_COMPAT -DSMALL_SESSION_CACHE -DWOLFSSL_NO_DEF_TICKET_ENC_CB"
case $(uname -m) in
x86_64) wolfssl_flags="$wolfssl_flags --enable-sp=2048,3072,4096,256,384 --enable-sp-asm --enable-aesni --enable-intelasm" ;;
aarch64) wolfssl_flags="$wolfssl_flags --enable-sp=2048,3072,4096,256,384 --enable-sp-asm --enable-armasm" ;;
esac
nghttp2_flags="--enable-lib-only --disable-shared --enable-static --with-pic --disable-dependency-tracking"
# Every session's map of streams begins with 16 buckets and grows, as in later releases; 1.52 begins with 256: 4 KiB that an
# idle connection keeps. Where the line is not found, nothing is changed.
nghttp2_tuning='s/^#define NGHTTP2_INITIAL_TABLE_LENBITS 8$/#define NGHTTP2_INITIAL_TABLE_LENBITS 4/'

say() { echo "deps: $*" >&2; }

# Runs a command with its output in a log; shows the log's end when it fails.
quietly() {
	log=$1
	shift
	"$@" >"$log" 2>&1 || {
		tail -n 30 "$log" >&2
		say "failed: $* (whole output: $log)"
		return 1
	}
}

key_of() { printf '%s\n' "$@" "$($CC --version | head -n 1)" "$CC" "$DEPS_CFLAGS" "$(uname -m)" | sha256sum | cut -c 1-16; }

# Base addresses of the Debian archive this machine is configured for.
debian_mirrors() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null | sort -u; }

need_package_lists() {
	[ -n "$(debian_mirrors)" ] && return 0
	say "refreshing apt's package lists"
	apt-get -q update >&2 || true
	[ -n "$(debian_mirrors)" ] || { say "no Debian archive in apt's configuration; give WOLFSSL_PREFIX= and NGHTTP2_PREFIX="; return 1; }
}

# apt-get with source packages enabled, in lists of its own: the machine's configuration stays as it is.
apt_source() {
	apt-get -q -o Dir::Etc::sourcelist="$cache/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$cache/apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
		-o APT::Sandbox::User=root "$@"
}

prepare_source_lists() {
	[ -z "${source_lists_ready:-}" ] || return 0
	need_package_lists
	mkdir -p "$cache/apt/lists/partial"
	apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
		sort -u >"$cache/apt/sources.list"
	quietly "$cache/apt/update.log" apt_source update
	source_lists_ready=1
}

source_version() {
	apt-cache -o Dir::Etc::sourcelist="$cache/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$cache/apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
		showsrc --only-source "$1" 2>/dev/null | sed -n 's/^Version: //p' | sort -V | tail -n 1
}

unpack_distribution_source() { # package, folder
	mkdir -p "$2"
	(cd "$2" && quietly "$2/source.log" apt_source source "$1")
	find "$2" -mindepth 1 -maxdepth 1 -type d | head -n 1
}

# Configures, builds and installs the unpacked source in $1 into $2. Flags follow.
build_static() {
	source=$1 prefix=$2
	shift 2
	(
		cd "$source"
		# Fat objects: the daemon links with link-time optimisation, the many test programs without.
		quietly "$source/configure.log" ./configure --prefix="$prefix" CC="$CC" AR="${AR:-gcc-ar}" RANLIB="${RANLIB:-gcc-ranlib}" \
			NM="${NM:-gcc-nm}" CFLAGS="$DEPS_CFLAGS" CPPFLAGS="${DEPS_DEFINES:-}" "$@"
		quietly "$source/build.log" make -j"$jobs"
		quietly "$source/install.log" make install
	)
}

# An empty scratch folder for one build at a time. Its name is always the same, because the names of profiles for
# profile-guided optimisation are made of the objects' paths.
lock_folder() {
	mkdir -p "$cache"
	exec 9>"$1.lock"
	flock 9
	rm -rf "$1" && mkdir -p "$1/source"
}

# Builds in a scratch folder beside the target and renames at the end, so that a folder with its final name is complete.
build_wolfssl() { # final prefix
	work=$cache/building-wolfssl
	lock_folder "$work"
	need_package_lists
	fetched=""
	for mirror in $(debian_mirrors); do
		if /usr/lib/apt/apt-helper -o APT::Sandbox::User=root download-file "${mirror%/}/$WOLFSSL_POOL_PATH" \
			"$work/wolfssl.tar.gz" "SHA256:$WOLFSSL_SHA256" >"$work/download.log" 2>&1; then
			fetched=1
			break
		fi
	done
	if [ -n "$fetched" ]; then
		say "building wolfSSL $WOLFSSL_VERSION (about half a minute)"
		tar -xf "$work/wolfssl.tar.gz" -C "$work/source"
		source=$(find "$work/source" -mindepth 1 -maxdepth 1 -type d | head -n 1)
	else
		say "WARNING: the pinned wolfSSL $WOLFSSL_VERSION is not in the archive any more; building the distribution's older"
		say "WARNING: source package instead: no X25519MLKEM768, and known defects of old releases. Better: WOLFSSL_PREFIX=..."
		prepare_source_lists
		source=$(unpack_distribution_source wolfssl "$work/source")
	fi
	[ -x "$source/configure" ] || (cd "$source" && quietly "$work/autogen.log" ./autogen.sh)
	# wolfSSL records the defines it is given in wolfssl/options.h, which is how our own code sees them.
	DEPS_CFLAGS="$DEPS_CFLAGS $wolfssl_defines" build_static "$source" "$1.new.$$" $wolfssl_flags
	rm -rf "$1" && mv "$1.new.$$" "$1" && rm -rf "$work"
}

build_nghttp2() { # final prefix
	work=$cache/building-nghttp2
	lock_folder "$work"
	say "building the distribution's nghttp2 (about 15 seconds)"
	source=$(unpack_distribution_source nghttp2 "$work/source")
	sed -i "$nghttp2_tuning" "$source/lib/nghttp2_map.c"
	(cd "$source" && quietly "$work/autoreconf.log" autoreconf -i)
	build_static "$source" "$1.new.$$" $nghttp2_flags
	rm -rf "$1" && mv "$1.new.$$" "$1" && rm -rf "$work"
}

if [ -z "${WOLFSSL_PREFIX:-}" ]; then
	WOLFSSL_PREFIX=$cache/wolfssl-$WOLFSSL_VERSION-$(key_of "$WOLFSSL_SHA256" "$wolfssl_flags" "$wolfssl_defines")
	[ -f "$WOLFSSL_PREFIX/lib/libwolfssl.a" ] || build_wolfssl "$WOLFSSL_PREFIX"
fi
if [ -z "${NGHTTP2_PREFIX:-}" ]; then
	key=$(key_of "$nghttp2_flags" "$nghttp2_tuning")
	mkdir -p "$cache"
	if prepare_source_lists && version=$(source_version nghttp2) && [ -n "$version" ]; then
		NGHTTP2_PREFIX=$cache/nghttp2-$(echo "$version" | tr -c 'A-Za-z0-9.\n' '_')-$key
		[ -f "$NGHTTP2_PREFIX/lib/libnghttp2.a" ] || build_nghttp2 "$NGHTTP2_PREFIX"
	else
		# Without the archive an earlier build serves; which security patches it lacks cannot be known.
		NGHTTP2_PREFIX=$(ls -d "$cache"/nghttp2-*-"$key" 2>/dev/null | sort -V | tail -n 1)
		[ -n "$NGHTTP2_PREFIX" ] || { say "nghttp2's source cannot be fetched and no earlier build is in $cache"; exit 1; }
		say "WARNING: the archive cannot be reached; using the earlier build $NGHTTP2_PREFIX"
	fi
fi

# A static library of a prefix when there is one, so that link-time optimisation reaches into it; else the shared one.
library() { # prefix, name
	if [ "$1" = system ]; then
		pkg-config --libs "lib$2" 2>/dev/null || pkg-config --libs "$2"
	elif [ -f "$1/lib/lib$2.a" ]; then
		echo "$1/lib/lib$2.a"
	else
		echo "-L$1/lib -Wl,-rpath,$1/lib -l$2"
	fi
}
include() { if [ "$1" = system ]; then pkg-config --cflags "lib$2" 2>/dev/null || pkg-config --cflags "$2" || true; else echo "-isystem $1/include"; fi; }
defines() { # prefix: functions of nghttp2 that only some versions, or patched ones, have
	for name in stream_reset_rate_limit max_continuations glitch_rate_limit; do
		printf '#include <nghttp2/nghttp2.h>\nint main(void) { return nghttp2_option_set_%s == 0; }\n' "$name" |
			$CC $(include "$1" nghttp2) -Werror=implicit-function-declaration -x c -fsyntax-only - 2>/dev/null &&
			printf -- '-DHAVE_NGHTTP2_OPTION_%s ' "$(echo "$name" | tr a-z A-Z)"
	done
	true
}

cat <<END
DEPS_INCLUDES := $(include "$WOLFSSL_PREFIX" wolfssl) $(include "$NGHTTP2_PREFIX" nghttp2) $(defines "$NGHTTP2_PREFIX")
DEPS_LIBRARIES := $(library "$WOLFSSL_PREFIX" wolfssl) $(library "$NGHTTP2_PREFIX" nghttp2)
END
