/* SPDX-License-Identifier: MIT */
/*
 * Code that compilers do not make of the templates: sums and moves of elements
 * by the instructions of AVX2.  Only for files compiled for it; little-endian.
 */
#ifndef NC3Z_FILTER_KERNELS_AVX2_H
#define NC3Z_FILTER_KERNELS_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline __m256i load_vector(const void *from)
{
	return _mm256_loadu_si256(from);
}

static inline void store_vector(void *to, __m256i x)
{
	_mm256_storeu_si256(to, x);
}

#define PREFIX_STEP(bits, x, nbytes) \
	_mm256_add_epi##bits(x, _mm256_slli_si256(x, nbytes))

/* Sums of elements within each half of a vector. */
static inline __m256i prefix_64(__m256i x)
{
	return PREFIX_STEP(64, x, 8);
}

static inline __m256i prefix_32(__m256i x)
{
	x = PREFIX_STEP(32, x, 4);
	return PREFIX_STEP(32, x, 8);
}

static inline __m256i prefix_16(__m256i x)
{
	x = PREFIX_STEP(16, x, 2);
	x = PREFIX_STEP(16, x, 4);
	return PREFIX_STEP(16, x, 8);
}

static inline __m256i prefix_8(__m256i x)
{
	x = PREFIX_STEP(8, x, 1);
	x = PREFIX_STEP(8, x, 2);
	x = PREFIX_STEP(8, x, 4);
	return PREFIX_STEP(8, x, 8);
}

/* The last element of each half, in all places of the half. */
static inline __m256i spread_last(unsigned width, __m256i x)
{
	const uint64_t last = width == 8 ? UINT64_C(0x0f0e0d0c0b0a0908) :
			      width == 4 ? UINT64_C(0x0f0e0d0c0f0e0d0c) :
			      width == 2 ? UINT64_C(0x0f0e0f0e0f0e0f0e) :
					   UINT64_C(0x0f0f0f0f0f0f0f0f);

	return _mm256_shuffle_epi8(x, _mm256_set1_epi64x((long long)last));
}

/*
 * Replaces elements by their sum with all before them, in whole vectors;
 * returns how many that were.  Only the addition of the sum so far waits for
 * the vector before.
 */
#define DEFINE_SUM_GROUPS(bits) \
	static inline size_t sum_groups_##bits(uint##bits##_t *x, size_t n) \
	{ \
		const size_t step = 32 / sizeof(*x); \
		__m256i sum = _mm256_setzero_si256(); \
		size_t i; \
\
		for (i = 0; i + step <= n; i += step) { \
			__m256i v = prefix_##bits(load_vector(x + i)); \
			__m256i low = _mm256_permute2x128_si256(v, v, 0x08); \
\
			v = _mm256_add_epi##bits(v, \
						 spread_last(bits / 8, low)); \
			store_vector(x + i, _mm256_add_epi##bits(v, sum)); \
			v = _mm256_permute2x128_si256(v, v, 0x11); \
			sum = _mm256_add_epi##bits(sum, \
						   spread_last(bits / 8, v)); \
		} \
		return i; \
	}

DEFINE_SUM_GROUPS(8)
DEFINE_SUM_GROUPS(16)
DEFINE_SUM_GROUPS(32)
DEFINE_SUM_GROUPS(64)

/*
 * 32 bytes of a plane, in units of 8, 4 or 2 bytes, the even ones in the low
 * half, as instructions that interleave work on each half alone.
 */
static inline __m256i load_plane_16(const uint8_t *plane)
{
	return _mm256_permute4x64_epi64(load_vector(plane), 0xd8);
}

static inline __m256i load_plane_32(const uint8_t *plane)
{
	const __m256i units = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);

	return _mm256_permutevar8x32_epi32(load_vector(plane), units);
}

static inline __m256i load_plane_64(const uint8_t *plane)
{
	const __m256i units = _mm256_broadcastsi128_si256(_mm_setr_epi8(
		0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));

	return _mm256_permute4x64_epi64(
		_mm256_shuffle_epi8(load_vector(plane), units), 0xd8);
}

static inline __m256i load_plane_8(const uint8_t *plane)
{
	return load_vector(plane);
}

/* In each half of n vectors: bytes of 0 and n / 2, ... side by side. */
static inline void interleave(const __m256i *from, unsigned n, __m256i *to)
{
	for (unsigned k = 0; k < n / 2; k++) {
		to[2 * k] = _mm256_unpacklo_epi8(from[k], from[k + n / 2]);
		to[2 * k + 1] = _mm256_unpackhi_epi8(from[k], from[k + n / 2]);
	}
}

/* Elements of planes of n bytes; returns how many that were. */
#define DEFINE_UNSHUFFLE_GROUPS(bits) \
	static inline size_t unshuffle_groups_##bits( \
		const uint8_t *bytes, size_t n, uint##bits##_t *x) \
	{ \
		__m256i p[bits / 8], q[bits / 8]; \
		size_t i; \
\
		for (i = 0; i + 32 <= n; i += 32) { \
			for (unsigned k = 0; k < bits / 8; k++) \
				p[k] = load_plane_##bits(bytes + k * n + i); \
			for (unsigned k = 1; k < bits / 8; k *= 2) { \
				interleave(p, bits / 8, q); \
				memcpy(p, q, sizeof(p)); \
			} \
			for (unsigned k = 0; k < bits / 8; k++) \
				store_vector(x + i + 256 / bits * k, p[k]); \
		} \
		return i; \
	}

DEFINE_UNSHUFFLE_GROUPS(8)
DEFINE_UNSHUFFLE_GROUPS(16)
DEFINE_UNSHUFFLE_GROUPS(32)
DEFINE_UNSHUFFLE_GROUPS(64)

/*
 * Eight elements out of those of 'from' that are kept; holes, of which 'group'
 * has a byte of 1 for each, become 0.  Byte i of 'sums' is how many of elements
 * 0 to i are kept, so byte i - 1 is the place of element i in 'from'.
 */
static inline uint64_t kept_places(uint64_t group)
{
	uint64_t sums = (group ^ UINT64_C(0x0101010101010101)) *
			UINT64_C(0x0101010101010101);

	return sums << 8;
}

/* Bytes of 128 for holes. */
static inline __m128i hole_signs(uint64_t group)
{
	return _mm_cvtsi64_si128((long long)(group << 7));
}

static inline __m128i to_vector(uint64_t bytes)
{
	return _mm_cvtsi64_si128((long long)bytes);
}

static inline void expand_group_8(uint8_t *x, const uint8_t *from,
				  uint64_t group)
{
	__m128i at =
		_mm_or_si128(to_vector(kept_places(group)), hole_signs(group));
	__m128i v = _mm_loadl_epi64((const void *)from);

	_mm_storel_epi64((void *)x, _mm_shuffle_epi8(v, at));
}

static inline void expand_group_16(uint16_t *x, const uint16_t *from,
				   uint64_t group)
{
	__m128i at = _mm_cvtepu8_epi16(to_vector(kept_places(group)));
	__m128i v = _mm_loadu_si128((const void *)from);

	/* Of bytes: twice the place, and the next one. */
	at = _mm_mullo_epi16(at, _mm_set1_epi16(0x0202));
	at = _mm_add_epi16(at, _mm_set1_epi16(0x0100));
	at = _mm_or_si128(at, _mm_cvtepi8_epi16(hole_signs(group)));
	_mm_storeu_si128((void *)x, _mm_shuffle_epi8(v, at));
}

static inline void expand_group_32(uint32_t *x, const uint32_t *from,
				   uint64_t group)
{
	__m256i at = _mm256_cvtepu8_epi32(to_vector(kept_places(group)));
	__m256i holes = _mm256_cvtepi8_epi32(hole_signs(group));
	__m256i v = _mm256_permutevar8x32_epi32(load_vector(from), at);

	holes = _mm256_srai_epi32(holes, 31);
	store_vector(x, _mm256_andnot_si256(holes, v));
}

/* Four elements of 'from', by the low four bytes of 'places'. */
static inline __m256i expand_half_64(const uint64_t *from, uint64_t places,
				     uint64_t group)
{
	__m256i at = _mm256_cvtepu8_epi64(to_vector(places));
	__m256i holes = _mm256_cvtepu8_epi64(to_vector(group));
	__m256i v = load_vector(from);

	/* Of 32 bits: twice the place, and the next one. */
	at = _mm256_add_epi64(at, at);
	at = _mm256_or_si256(at, _mm256_slli_epi64(at, 32));
	at = _mm256_add_epi64(at, _mm256_set1_epi64x(INT64_C(1) << 32));
	v = _mm256_permutevar8x32_epi32(v, at);
	return _mm256_and_si256(v,
				_mm256_sub_epi64(holes, _mm256_set1_epi64x(1)));
}

static inline void expand_group_64(uint64_t *x, const uint64_t *from,
				   uint64_t group)
{
	uint64_t places = kept_places(group), high = places >> 32;
	uint64_t nlow = high & 0xff;
	/* The high half begins with what the low half has left. */
	__m256i v1 = expand_half_64(
		from + nlow, high - nlow * UINT64_C(0x01010101), group >> 32);
	__m256i v0 = expand_half_64(from, places, group);

	store_vector(x + 4, v1);
	store_vector(x, v0);
}

/* 32 bits at once to bytes of 0 or 1; returns how many that were. */
static inline size_t unpack_groups(const uint8_t *mask, size_t n,
				   uint8_t *holes)
{
	const __m256i bits =
		_mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));
	const __m256i bytes = _mm256_setr_epi64x(0, INT64_C(0x0101010101010101),
						 INT64_C(0x0202020202020202),
						 INT64_C(0x0303030303030303));
	size_t i;

	for (i = 0; i + 32 <= n; i += 32) {
		int32_t word;
		__m256i v;

		memcpy(&word, mask + i / 8, sizeof(word));
		v = _mm256_shuffle_epi8(_mm256_set1_epi32(word), bytes);
		v = _mm256_and_si256(v, bits);
		store_vector(holes + i,
			     _mm256_min_epu8(v, _mm256_set1_epi8(1)));
	}
	return i;
}

/* Adds up bytes of 0 or 1; returns how many were looked at. */
static inline size_t count_groups(const uint8_t *bytes, size_t n,
				  size_t *ones_ret)
{
	const __m256i zero = _mm256_setzero_si256();
	__m256i sums = zero;
	uint64_t parts[4];
	size_t i;

	for (i = 0; i + 32 <= n; i += 32)
		sums = _mm256_add_epi64(
			sums, _mm256_sad_epu8(load_vector(bytes + i), zero));
	store_vector(parts, sums);
	*ones_ret = (size_t)(parts[0] + parts[1] + parts[2] + parts[3]);
	return i;
}

#endif
