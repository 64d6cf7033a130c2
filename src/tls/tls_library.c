/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tls/tls_library.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tls/wolfssl.h"

#include <wolfssl/wolfcrypt/random.h>

/* wolfSSL's allocator hooks carry no context, so the slab of the running worker is found through its thread. */
static __thread struct slab *thread_slab;

static void *allocate(size_t size)
{
	return slab_allocate(thread_slab, size);
}

static void release(void *block)
{
	slab_free(thread_slab, block);
}

static void *resize(void *block, size_t size)
{
	return slab_resize(thread_slab, block, size);
}

enum valk_error tls_library_init(void)
{
	if (wolfSSL_SetAllocators(allocate, release, resize) != 0)
		return VALK_ERROR_TLS;
	return wolfSSL_Init() == WOLFSSL_SUCCESS ? VALK_OK : VALK_ERROR_TLS;
}

void tls_library_dispose(void)
{
	wolfSSL_Cleanup();
}

void tls_library_use_slab(struct slab *slab)
{
	thread_slab = slab;
}

/* Can the library make random numbers when nothing can be opened? */
static bool makes_random_numbers_without_files(void)
{
	const struct rlimit none = {0, 0};
	WC_RNG generator;
	return setrlimit(RLIMIT_NOFILE, &none) == 0 && wc_InitRng(&generator) == 0;
}

bool tls_library_reads_random_device(void)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0)
		_exit(makes_random_numbers_without_files() ? 0 : 1);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return true; /* not known: keep the file */
	return status != 0;
}

const char *tls_library_version(void)
{
	return "wolfSSL " LIBWOLFSSL_VERSION_STRING;
}

#if defined(WOLFSSL_AESNI)
static void list_acceleration(char *text, size_t size)
{
	/* wolfSSL asks CPUID itself at run time; these are the features it looks for. */
	snprintf(text, size, "%s%s%s", __builtin_cpu_supports("aes") ? "AES-NI" : "no AES-NI",
		 __builtin_cpu_supports("avx") ? ", AVX" : "", __builtin_cpu_supports("avx2") ? ", AVX2" : "");
}
#elif defined(WOLFSSL_ARMASM)
static void list_acceleration(char *text, size_t size)
{
	snprintf(text, size, "ARMv8 assembly");
}
#else
static void list_acceleration(char *text, size_t size)
{
	snprintf(text, size, "none: this wolfSSL was built without assembly");
}
#endif

void tls_library_acceleration(char *text, size_t size)
{
	list_acceleration(text, size);
}
