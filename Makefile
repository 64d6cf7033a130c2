# Valkyrie. `make help` lists the targets; switches are in its last lines.

CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
OPT ?= -O3
prefix ?= /usr/local
DESTDIR ?=
VERSION := $(shell sed -n 's/^\#define VALK_VERSION "\(.*\)"/\1/p' include/valkyrie/version.h)

# --- variants: every set of switches builds in a folder of its own -------------------------------------------------
comma := ,
VARIANT := $(if $(SANITIZE),-sanitize-$(subst $(comma),-,$(SANITIZE)))$(if $(NATIVE),-native)$(if $(filter-out gcc,$(CC)),-$(notdir $(CC)))
BUILD := build$(if $(VARIANT),/variant$(VARIANT))
WERROR ?=
Q := $(if $(V),,@)
ARCHIVE := $(shell command -v gcc-ar || echo ar)

# Set by `make release` only.
PROFILE_DATA := $(abspath $(BUILD))/profile
PROFILE_FLAGS := $(if $(filter generate,$(PROFILE)),-fprofile-generate=$(PROFILE_DATA) -fprofile-update=atomic) \
	$(if $(filter use,$(PROFILE)),-fprofile-use=$(PROFILE_DATA) -fprofile-partial-training -Wno-missing-profile -Wno-coverage-mismatch)

ifdef SANITIZE
OPTIMIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=$(SANITIZE)$(if $(findstring undefined,$(SANITIZE)), -fno-sanitize-recover=all)
LTO_COMPILE :=
LTO_LINK :=
SLAB := src/base/slab_system.c
else
OPTIMIZE := $(OPT) -g $(if $(NATIVE),-march=native) $(PROFILE_FLAGS)
# clang builds do without link-time optimisation: they exist for analysis and fuzzing.
ifeq ($(findstring clang,$(CC)),)
LTO_COMPILE := -flto=auto -ffat-lto-objects
LTO_LINK := -flto=auto $(OPT)
endif
SLAB := src/base/slab.c
HARDENING := -D_FORTIFY_SOURCE=2 -fstack-clash-protection -fcf-protection
endif
DEPS_CFLAGS := $(filter-out -g,$(OPTIMIZE)) $(LTO_COMPILE)

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual \
	-Wwrite-strings -Wformat=2 -Wundef -Wvla -Wnested-externs -Wold-style-definition $(if $(WERROR),-Werror)
CFLAGS_ALL = -std=gnu11 $(OPTIMIZE) -fPIE -fstack-protector-strong -fno-strict-aliasing $(HARDENING) $(WARNINGS) \
	-Iinclude -Isrc $(DEPS_INCLUDES) -MMD -MP $(CPPFLAGS) $(CFLAGS)
LDFLAGS_ALL = -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(LDFLAGS)
LIBRARIES = $(DEPS_LIBRARIES) -lev -lseccomp -lm -lpthread

# --- what is built -------------------------------------------------------------------------------------------------
LIB_SOURCES := $(filter-out src/base/slab.c src/base/slab_system.c,$(wildcard $(addsuffix /*.c,$(addprefix src/,base sandbox net tls http http2 handler server)))) $(SLAB)
CLI_SOURCES := $(filter-out src/cli/main.c src/cli/generate.c,$(wildcard src/cli/*.c))
SUPPORT_SOURCES := $(wildcard tests/support/*.c)
UNIT_SOURCES := $(wildcard tests/unit/*/*.c)
E2E_SOURCES := $(wildcard tests/e2e/*.c)
ATTACK_SOURCES := $(wildcard tests/attacks/*.c)
FAULT_SOURCES := $(wildcard tests/faults/*.c)
object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
test_binary = $(patsubst tests/%.c,$(BUILD)/tests/%,$(1))
UNIT_TESTS := $(call test_binary,$(UNIT_SOURCES))
E2E_TESTS := $(call test_binary,$(E2E_SOURCES))
ATTACK_TESTS := $(call test_binary,$(ATTACK_SOURCES) $(filter %/test_faults.c,$(FAULT_SOURCES)))
SOAK_SOURCES := tests/soak/soak.c
FUZZ_SOURCES := $(wildcard tests/fuzz/*.c)
FUZZ_NAMES := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
REPLAYS := $(addprefix $(BUILD)/tests/fuzz/replay_,$(FUZZ_NAMES))
TEST_SOURCES := $(SUPPORT_SOURCES) $(UNIT_SOURCES) $(E2E_SOURCES) $(ATTACK_SOURCES) $(FAULT_SOURCES) $(FUZZ_SOURCES) $(SOAK_SOURCES)
OBJECTS := $(call object,$(LIB_SOURCES) $(CLI_SOURCES) src/cli/main.c src/cli/generate.c $(TEST_SOURCES))

.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.PHONY: FORCE all dev release test test-unit test-e2e test-attacks soak fuzz fuzz-targets benchmark-server bench-deps bench-compare bench-instructions lint certs deps install clean help

all: $(BUILD)/valkyrie $(BUILD)/libvalkyrie.a $(BUILD)/valkyrie.8 ## build the daemon, the library and the man page

# Where the libraries are; made by the script that builds them. Goals that compile nothing do without.
ifneq ($(filter-out help clean certs release fuzz,$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/deps.mk
endif
$(BUILD)/deps.mk: deps/prepare.sh deps/pins.conf $(BUILD)/deps.settings
	@deps/install-packages.sh build
	@$(DEPS_SETTINGS) deps/prepare.sh > $@.new
	@mv $@.new $@

# Changes when the compiler, the flags or a given prefix changes, so that the libraries are looked for again.
DEPS_SETTINGS := CC="$(CC)" DEPS_CFLAGS="$(DEPS_CFLAGS)" WOLFSSL_PREFIX="$(WOLFSSL_PREFIX)" NGHTTP2_PREFIX="$(NGHTTP2_PREFIX)"
$(BUILD)/deps.settings: FORCE
	@mkdir -p $(@D)
	@echo '$(DEPS_SETTINGS)' | cmp -s - $@ || echo '$(DEPS_SETTINGS)' > $@
FORCE:

deps: $(BUILD)/deps.mk ## install missing packages and build wolfSSL and nghttp2 into the cache
	@cat $(BUILD)/deps.mk

$(BUILD)/obj/%.o: %.c $(BUILD)/deps.mk
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(CFLAGS_ALL) $(LTO_COMPILE) -c $< -o $@

$(BUILD)/libvalkyrie.a: $(call object,$(LIB_SOURCES))
	@rm -f $@
	@echo "  AR    $@"
	$(Q)$(ARCHIVE) rcs $@ $^

$(BUILD)/valkyrie: $(call object,$(CLI_SOURCES) src/cli/main.c) $(BUILD)/libvalkyrie.a
	@echo "  LINK  $@"
	$(Q)$(CC) $(LTO_LINK) $(filter-out -flto%,$(OPTIMIZE)) $(LDFLAGS_ALL) $^ $(LIBRARIES) -o $@

$(BUILD)/valkyrie-generate: $(call object,$(CLI_SOURCES) src/cli/generate.c) $(BUILD)/libvalkyrie.a
	@echo "  LINK  $@"
	$(Q)$(CC) -fno-lto $(LDFLAGS_ALL) $^ $(LIBRARIES) -o $@

$(BUILD)/valkyrie.8: docs/valkyrie.8.scd $(BUILD)/valkyrie-generate
	@echo "  MAN   $@"
	$(Q)$(BUILD)/valkyrie-generate man < docs/valkyrie.8.scd > $@.scd
	$(Q)scdoc < $@.scd > $@

$(BUILD)/valkyrie.bash: $(BUILD)/valkyrie-generate
	$(Q)$(BUILD)/valkyrie-generate bash > $@

# --- tests ---------------------------------------------------------------------------------------------------------
TEST_LIBRARIES := -lcmocka -lssl -lcrypto

$(BUILD)/test-packages: deps/packages.txt
	@deps/install-packages.sh test
	@mkdir -p $(@D) && touch $@

$(call object,$(TEST_SOURCES)): CFLAGS_ALL += -Itests
$(call object,$(TEST_SOURCES)): | $(BUILD)/test-packages

$(BUILD)/libsupport.a: $(call object,$(SUPPORT_SOURCES))
	@rm -f $@
	@echo "  AR    $@"
	$(Q)$(ARCHIVE) rcs $@ $^

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/libsupport.a $(call object,$(CLI_SOURCES)) $(BUILD)/libvalkyrie.a
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) -fno-lto $(LDFLAGS_ALL) $^ $(LIBRARIES) $(TEST_LIBRARIES) -o $@

# Where every allocation can be made to fail: the slab is malloc, and malloc is the test's own. The fault test has system calls
# of its own, too.
FAILING_MALLOC := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
$(BUILD)/tests/faults/test_faults: $(call object,$(FAULT_SOURCES) src/base/slab_system.c) $(BUILD)/libsupport.a $(BUILD)/libvalkyrie.a
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) -fno-lto $(LDFLAGS_ALL) $(FAILING_MALLOC) $^ $(LIBRARIES) $(TEST_LIBRARIES) -o $@

# The fuzz targets, over their corpus (replay) or driven by libFuzzer (clang only).
FUZZ_OBJECTS := $(call object,tests/faults/inject_allocation.c src/base/slab_system.c $(filter-out src/cli/daemon.c,$(CLI_SOURCES)))
$(BUILD)/tests/fuzz/replay_%: $(BUILD)/obj/tests/fuzz/replay.o $(BUILD)/obj/tests/fuzz/fuzz_%.o $(FUZZ_OBJECTS) $(BUILD)/libvalkyrie.a
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) -fno-lto $(LDFLAGS_ALL) $(FAILING_MALLOC) $^ $(LIBRARIES) -o $@

$(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(FUZZ_OBJECTS) $(BUILD)/libvalkyrie.a
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) -fsanitize=fuzzer $(LDFLAGS_ALL) $(FAILING_MALLOC) $^ $(LIBRARIES) -o $@

fuzz-targets: $(addprefix $(BUILD)/tests/fuzz/fuzz_,$(FUZZ_NAMES))

fuzz: ## fuzz every target side by side under AddressSanitizer and UndefinedBehaviorSanitizer (FUZZ_SECONDS=600)
	@deps/install-packages.sh build test fuzz
	+@$(MAKE) CC=clang SANITIZE=address,undefined,fuzzer-no-link fuzz-targets
	@tests/fuzz/run.sh $(addprefix build/variant-sanitize-address-undefined-fuzzer-no-link-clang/tests/fuzz/fuzz_,$(FUZZ_NAMES))

test: $(UNIT_TESTS) $(E2E_TESTS) $(REPLAYS) $(BUILD)/valkyrie ## run every test (SANITIZE=address,undefined or thread for instrumented ones)
	@BUILD=$(BUILD) tests/run.sh $(UNIT_TESTS) $(E2E_TESTS) $(REPLAYS)

test-unit: $(UNIT_TESTS) ## run the unit tests
	@BUILD=$(BUILD) tests/run.sh $(UNIT_TESTS)

test-e2e: $(E2E_TESTS) $(BUILD)/valkyrie ## run the end-to-end tests against the built daemon
	@BUILD=$(BUILD) tests/run.sh $(E2E_TESTS)

test-attacks: $(ATTACK_TESTS) $(BUILD)/valkyrie ## run the public scorecard of attacks and failures (two minutes)
	@BUILD=$(BUILD) TEST_TIMEOUT=300 tests/run.sh $(ATTACK_TESTS)

soak: $(call test_binary,$(SOAK_SOURCES)) $(BUILD)/valkyrie ## load, attack and signal a server for SOAK_SECONDS (600), then check that it is as before
	@BUILD=$(BUILD) TEST_TIMEOUT=$$(($${SOAK_SECONDS:-600} + 120)) tests/run.sh $(call test_binary,$(SOAK_SOURCES))

# Profile-guided: builds with counters, trains with the benchmark's own loads, builds again with what was counted. The
# libraries take part, so they are built in a cache of this build's own.
RELEASE := VALKYRIE_CACHE=$(abspath build/release)/cache $(MAKE) BUILD=build/release
release: ## build build/release/valkyrie with profile-guided optimisation (three minutes; gcc only)
	@deps/install-packages.sh build bench
	rm -rf build/release
	+$(RELEASE) PROFILE=generate build/release/valkyrie build/release/bench-client
	BUILD=build/release bench/train.sh
	rm -rf build/release/obj build/release/libvalkyrie.a build/release/valkyrie
	+$(RELEASE) PROFILE=use all build/release/bench-client

# --- running -------------------------------------------------------------------------------------------------------
certs: ## make a certificate for local development in certs/
	@deps/install-packages.sh build
	@certs/make-dev-cert.sh

# Root may read the key and open the port, and then becomes somebody without rights.
AS_USER := $(if $(filter 0,$(shell id -u)),--user nobody)
dev: all certs ## build, make a certificate, and serve https://localhost:8443
	$(BUILD)/valkyrie $(AS_USER) --tls --port 8443 --cert certs/dev.crt --key certs/dev.key $(ARGS)

benchmark-server: $(BUILD)/valkyrie certs ## load a server of its own with h2load (WORKERS, CLIENTS, REQUESTS, STREAMS)
	@deps/install-packages.sh test bench
	@BUILD=$(BUILD) bench/benchmark-server.sh

$(BUILD)/bench-client: bench/client.c
	@deps/install-packages.sh bench
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) -std=gnu11 -O2 -g $(WARNINGS) $< -lssl -lcrypto -o $@

bench-deps: ## install the servers that bench-compare compares with
	@deps/install-packages.sh bench peers

bench-compare: $(BUILD)/valkyrie $(BUILD)/bench-client ## compare with h2o, nginx, nghttpd, haproxy, lighttpd (QUICK=1, ROUNDS, SERVERS, WORK)
	@deps/install-packages.sh build bench
	@BUILD=$(BUILD) bench/compare.sh

bench-instructions: $(BUILD)/valkyrie $(BUILD)/bench-client ## count instructions per request and handshake against the budget
	@deps/install-packages.sh build bench
	@BUILD=$(BUILD) bench/instructions.sh $(if $(UPDATE),update)

# --- gates ---------------------------------------------------------------------------------------------------------
lint: $(BUILD)/deps.mk ## check format, layers, function lengths, and run static analysis
	@deps/install-packages.sh lint test
	@DEPS_INCLUDES="$(DEPS_INCLUDES)" tests/lint/run.sh

# --- installation --------------------------------------------------------------------------------------------------
install: all $(BUILD)/valkyrie.bash ## install below DESTDIR and prefix (default /usr/local)
	install -D -m 755 $(BUILD)/valkyrie $(DESTDIR)$(prefix)/bin/valkyrie
	install -D -m 644 $(BUILD)/libvalkyrie.a $(DESTDIR)$(prefix)/lib/libvalkyrie.a
	install -d $(DESTDIR)$(prefix)/include/valkyrie
	install -m 644 include/valkyrie/*.h $(DESTDIR)$(prefix)/include/valkyrie
	install -D -m 644 $(BUILD)/valkyrie.8 $(DESTDIR)$(prefix)/share/man/man8/valkyrie.8
	install -D -m 644 $(BUILD)/valkyrie.bash $(DESTDIR)$(prefix)/share/bash-completion/completions/valkyrie

clean: ## remove everything that was built; the cache of libraries stays
	rm -rf build

help: ## show this list
	@sed -n 's/^\([a-z][a-z0-9-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 22
	@echo
	@echo "Switches: SANITIZE=address,undefined|thread  NATIVE=1 (for this CPU only)  WERROR=1  V=1  CC=...  OPT=-O3"
	@echo "          WOLFSSL_PREFIX=DIR|system  NGHTTP2_PREFIX=DIR|system  ARGS='...' for make dev"

-include $(OBJECTS:.o=.d)
