/* SPDX-License-Identifier: MIT */
/*
 * Contexts of the codecs' libraries, kept from one input to the next: to have
 * their megabytes anew for each of many small inputs takes half of the time
 * with sanitizers.  The linker puts these functions in the place of those of
 * the libraries (--wrap, see CMakeLists.txt).
 *
 * What is given back twice is a finding.  Addresses of what is in use are kept
 * inverted, so that the leak sanitizer still finds what nobody else knows.
 */
#include <bzlib.h>
#include <libdeflate.h>
#include <lzma.h>
#include <pthread.h>
#include <stdlib.h>
#include <zstd.h>

#include "fuzz.h"

#define CONTEXTS_MAX 512

/* Kinds: these, or how many bytes of memory for libbz2 or liblzma. */
#define ZSTD_ENCODER (-1L)
#define ZSTD_DECODER (-2L)
#define DEFLATE_ENCODER(level) (-3L - (level))

struct context {
	uintptr_t address; /* ~address while it is in use */
	long kind;
	bool is_taken;
};

static struct context contexts[CONTEXTS_MAX];
static size_t ncontexts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* NULL if all of that kind are in use. */
static void *take(long kind)
{
	void *data = NULL;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < ncontexts && !data; i++) {
		struct context *c = &contexts[i];

		if (c->kind == kind && !c->is_taken) {
			data = (void *)c->address;
			*c = (struct context){ ~c->address, kind, true };
		}
	}
	pthread_mutex_unlock(&lock);
	return data;
}

/* A new one, in use. */
static void *keep(long kind, void *data)
{
	if (!data)
		return NULL;
	pthread_mutex_lock(&lock);
	FUZZ_CHECK(ncontexts < CONTEXTS_MAX);
	contexts[ncontexts++] =
		(struct context){ ~(uintptr_t)data, kind, true };
	pthread_mutex_unlock(&lock);
	return data;
}

static void give_back(void *data)
{
	struct context *c = contexts;

	pthread_mutex_lock(&lock);
	while (c < contexts + ncontexts &&
	       !(c->is_taken && c->address == ~(uintptr_t)data))
		c++;
	FUZZ_CHECK(c < contexts + ncontexts);
	*c = (struct context){ (uintptr_t)data, c->kind, false };
	pthread_mutex_unlock(&lock);
}

struct libdeflate_compressor *__real_libdeflate_alloc_compressor(int level);
struct libdeflate_compressor *__wrap_libdeflate_alloc_compressor(int level);
void __wrap_libdeflate_free_compressor(struct libdeflate_compressor *c);
ZSTD_CCtx *__real_ZSTD_createCCtx(void);
ZSTD_CCtx *__wrap_ZSTD_createCCtx(void);
size_t __wrap_ZSTD_freeCCtx(ZSTD_CCtx *c);
ZSTD_DCtx *__real_ZSTD_createDCtx(void);
ZSTD_DCtx *__wrap_ZSTD_createDCtx(void);
size_t __wrap_ZSTD_freeDCtx(ZSTD_DCtx *c);
int __real_BZ2_bzDecompressInit(bz_stream *s, int verbosity, int is_small);
int __wrap_BZ2_bzDecompressInit(bz_stream *s, int verbosity, int is_small);
int __wrap_BZ2_bzBuffToBuffCompress(char *out, unsigned *out_nbytes, char *in,
				    unsigned in_nbytes, int level,
				    int verbosity, int work_factor);
lzma_ret __real_lzma_raw_buffer_encode(const lzma_filter *filters,
				       const lzma_allocator *allocator,
				       const uint8_t *in, size_t in_nbytes,
				       uint8_t *out, size_t *at, size_t nbytes);
lzma_ret __wrap_lzma_raw_buffer_encode(const lzma_filter *filters,
				       const lzma_allocator *allocator,
				       const uint8_t *in, size_t in_nbytes,
				       uint8_t *out, size_t *at, size_t nbytes);
lzma_ret __real_lzma_raw_buffer_decode(const lzma_filter *filters,
				       const lzma_allocator *allocator,
				       const uint8_t *in, size_t *in_at,
				       size_t in_nbytes, uint8_t *out,
				       size_t *at, size_t nbytes);
lzma_ret __wrap_lzma_raw_buffer_decode(const lzma_filter *filters,
				       const lzma_allocator *allocator,
				       const uint8_t *in, size_t *in_at,
				       size_t in_nbytes, uint8_t *out,
				       size_t *at, size_t nbytes);

struct libdeflate_compressor *__wrap_libdeflate_alloc_compressor(int level)
{
	void *kept = take(DEFLATE_ENCODER(level));

	return kept ? kept :
		      keep(DEFLATE_ENCODER(level),
			   __real_libdeflate_alloc_compressor(level));
}

void __wrap_libdeflate_free_compressor(struct libdeflate_compressor *c)
{
	if (c)
		give_back(c);
}

ZSTD_CCtx *__wrap_ZSTD_createCCtx(void)
{
	void *kept = take(ZSTD_ENCODER);

	return kept ? kept : keep(ZSTD_ENCODER, __real_ZSTD_createCCtx());
}

size_t __wrap_ZSTD_freeCCtx(ZSTD_CCtx *c)
{
	if (c)
		give_back(c);
	return 0;
}

ZSTD_DCtx *__wrap_ZSTD_createDCtx(void)
{
	void *kept = take(ZSTD_DECODER);

	return kept ? kept : keep(ZSTD_DECODER, __real_ZSTD_createDCtx());
}

size_t __wrap_ZSTD_freeDCtx(ZSTD_DCtx *c)
{
	if (c)
		give_back(c);
	return 0;
}

static void *take_memory(void *opaque, int count, int nbytes)
{
	long kind = (long)count * nbytes;
	void *kept = take(kind);

	(void)opaque;
	return kept ? kept : keep(kind, malloc((size_t)kind));
}

static void give_memory_back(void *opaque, void *data)
{
	(void)opaque;
	if (data)
		give_back(data);
}

int __wrap_BZ2_bzDecompressInit(bz_stream *s, int verbosity, int is_small)
{
	s->bzalloc = take_memory;
	s->bzfree = give_memory_back;
	return __real_BZ2_bzDecompressInit(s, verbosity, is_small);
}

/* As libbz2 has it, but for the memory. */
int __wrap_BZ2_bzBuffToBuffCompress(char *out, unsigned *out_nbytes, char *in,
				    unsigned in_nbytes, int level,
				    int verbosity, int work_factor)
{
	bz_stream s = { .bzalloc = take_memory, .bzfree = give_memory_back };
	int result = BZ2_bzCompressInit(&s, level, verbosity, work_factor);

	if (result != BZ_OK)
		return result;
	s.next_in = in;
	s.avail_in = in_nbytes;
	s.next_out = out;
	s.avail_out = *out_nbytes;
	result = BZ2_bzCompress(&s, BZ_FINISH);
	if (result == BZ_STREAM_END)
		*out_nbytes -= s.avail_out;
	BZ2_bzCompressEnd(&s);
	return result == BZ_STREAM_END ? BZ_OK :
	       result == BZ_FINISH_OK  ? BZ_OUTBUFF_FULL :
					 result;
}

/* Lengths that depend on those of inputs are rounded up, to powers of two. */
static void *take_rounded(void *opaque, size_t count, size_t nbytes)
{
	size_t room = 4096;

	(void)opaque;
	if (nbytes > 0 && count > ((size_t)1 << 30) / nbytes)
		return NULL;
	while (room < count * nbytes)
		room *= 2;
	return take_memory(NULL, 1, (int)room);
}

static const lzma_allocator lzma_memory = { .alloc = take_rounded,
					    .free = give_memory_back };

lzma_ret __wrap_lzma_raw_buffer_encode(const lzma_filter *filters,
				       const lzma_allocator *allocator,
				       const uint8_t *in, size_t in_nbytes,
				       uint8_t *out, size_t *at, size_t nbytes)
{
	FUZZ_CHECK(!allocator);
	return __real_lzma_raw_buffer_encode(filters, &lzma_memory, in,
					     in_nbytes, out, at, nbytes);
}

lzma_ret __wrap_lzma_raw_buffer_decode(const lzma_filter *filters,
				       const lzma_allocator *allocator,
				       const uint8_t *in, size_t *in_at,
				       size_t in_nbytes, uint8_t *out,
				       size_t *at, size_t nbytes)
{
	FUZZ_CHECK(!allocator);
	return __real_lzma_raw_buffer_decode(filters, &lzma_memory, in, in_at,
					     in_nbytes, out, at, nbytes);
}
