/* SPDX-License-Identifier: MIT */
#include "failing.h"

#include <malloc.h>
#include <stdatomic.h>

#include "read/decoder.h"

/* Allocations until one fails; negative: none does. */
static atomic_long countdown = -1;
static atomic_bool has_failed;
static atomic_long held;
static atomic_size_t held_nbytes, most_nbytes;

void *__real_malloc(size_t nbytes);
void *__real_calloc(size_t n, size_t nbytes);
void *__real_realloc(void *p, size_t nbytes);
void *__real_aligned_alloc(size_t alignment, size_t nbytes);
char *__real_strdup(const char *text);
void __real_free(void *p);
void *__wrap_malloc(size_t nbytes);
void *__wrap_calloc(size_t n, size_t nbytes);
void *__wrap_realloc(void *p, size_t nbytes);
void *__wrap_aligned_alloc(size_t alignment, size_t nbytes);
char *__wrap_strdup(const char *text);
void __wrap_free(void *p);

static bool fails(void)
{
	if (atomic_load(&countdown) < 0 || atomic_fetch_sub(&countdown, 1) != 0)
		return false;
	atomic_store(&has_failed, true);
	return true;
}

static void *hold(void *p)
{
	size_t all, most = atomic_load(&most_nbytes);

	if (!p)
		return NULL;
	atomic_fetch_add(&held, 1);
	all = atomic_fetch_add(&held_nbytes, malloc_usable_size(p)) +
	      malloc_usable_size(p);
	while (all > most &&
	       !atomic_compare_exchange_weak(&most_nbytes, &most, all))
		continue;
	return p;
}

static void let_go(void *p)
{
	if (!p)
		return;
	atomic_fetch_sub(&held, 1);
	atomic_fetch_sub(&held_nbytes, malloc_usable_size(p));
}

void *__wrap_malloc(size_t nbytes)
{
	return fails() ? NULL : hold(__real_malloc(nbytes));
}

void *__wrap_calloc(size_t n, size_t nbytes)
{
	return fails() ? NULL : hold(__real_calloc(n, nbytes));
}

void *__wrap_realloc(void *p, size_t nbytes)
{
	void *grown;

	if (fails())
		return NULL;
	let_go(p);
	grown = __real_realloc(p, nbytes);
	return grown ? hold(grown) : (hold(p), NULL);
}

void *__wrap_aligned_alloc(size_t alignment, size_t nbytes)
{
	return fails() ? NULL : hold(__real_aligned_alloc(alignment, nbytes));
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : hold(__real_strdup(text));
}

void __wrap_free(void *p)
{
	let_go(p);
	__real_free(p);
}

void failing_begin(long n)
{
	/* What was spared would not be allocated. */
	decoder_free_spared();
	atomic_store(&has_failed, false);
	atomic_store(&countdown, n);
}

bool failing_end(void)
{
	atomic_store(&countdown, -1);
	return atomic_load(&has_failed);
}

bool failing_has_failed(void)
{
	return atomic_load(&has_failed);
}

long failing_held(void)
{
	decoder_free_spared();
	return atomic_load(&held);
}

size_t failing_most_nbytes(void)
{
	return atomic_load(&most_nbytes);
}

void failing_reset_most(void)
{
	atomic_store(&most_nbytes, atomic_load(&held_nbytes));
}
