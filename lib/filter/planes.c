/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the layout that works on bits: bytes are split into planes of
 * bits.  The vector code needs SSE2, which every 64-bit x86 has; elsewhere and
 * for the last bytes there is plain C.
 */
#include <string.h>

#include "filter/kernels.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A matrix of 8 x 8 bits, row i in byte i of weight 256^i, is transposed. */
static uint64_t transpose_bits(uint64_t x)
{
	uint64_t t;

	t = (x ^ (x >> 7)) & UINT64_C(0x00aa00aa00aa00aa);
	x ^= t ^ (t << 7);
	t = (x ^ (x >> 14)) & UINT64_C(0x0000cccc0000cccc);
	x ^= t ^ (t << 14);
	t = (x ^ (x >> 28)) & UINT64_C(0x00000000f0f0f0f0);
	return x ^ t ^ (t << 28);
}

/* Bytes 'from' to n of one plane. */
static void split_plane(const uint8_t *in, size_t from, size_t n, uint8_t *out)
{
	for (size_t i = from; i < n; i += 8) {
		uint64_t x = 0;

		for (unsigned j = 0; j < 8; j++)
			x |= (uint64_t)in[i + j] << 8 * j;
		x = transpose_bits(x);
		for (unsigned b = 0; b < 8; b++)
			out[b * (n / 8) + i / 8] = (uint8_t)(x >> 8 * b);
	}
}

static void join_plane(const uint8_t *in, size_t from, size_t n, uint8_t *out)
{
	for (size_t i = from; i < n; i += 8) {
		uint64_t x = 0;

		for (unsigned b = 0; b < 8; b++)
			x |= (uint64_t)in[b * (n / 8) + i / 8] << 8 * b;
		x = transpose_bits(x);
		for (unsigned j = 0; j < 8; j++)
			out[i + j] = (uint8_t)(x >> 8 * j);
	}
}

void split_bits_plain(const uint8_t *in, size_t nplanes, size_t n, uint8_t *out)
{
	for (size_t p = 0; p < nplanes; p++)
		split_plane(in + p * n, 0, n, out + p * n);
}

void join_bits_plain(const uint8_t *in, size_t nplanes, size_t n, uint8_t *out)
{
	for (size_t p = 0; p < nplanes; p++)
		join_plane(in + p * n, 0, n, out + p * n);
}

#ifdef __SSE2__

/* 16 bytes give 2 bytes of each plane of bits, the highest first. */
static size_t split_plane_sse2(const uint8_t *in, size_t n, uint8_t *out)
{
	size_t i;

	for (i = 0; i + 16 <= n; i += 16) {
		__m128i x = _mm_loadu_si128(
			(const __m128i *)(const void *)(in + i));

		for (unsigned b = 8; b-- > 0; x = _mm_add_epi8(x, x)) {
			unsigned bits = (unsigned)_mm_movemask_epi8(x);
			uint8_t *to = out + b * (n / 8) + i / 8;

			to[0] = (uint8_t)bits;
			to[1] = (uint8_t)(bits >> 8);
		}
	}
	return i;
}

/* transpose_bits() on both halves. */
static __m128i transpose_bits_sse2(__m128i x)
{
	const __m128i m7 = _mm_set1_epi64x(0x00aa00aa00aa00aa);
	const __m128i m14 = _mm_set1_epi64x(0x0000cccc0000cccc);
	const __m128i m28 = _mm_set1_epi64x(0x00000000f0f0f0f0);
	__m128i t;

	t = _mm_and_si128(_mm_xor_si128(x, _mm_srli_epi64(x, 7)), m7);
	x = _mm_xor_si128(_mm_xor_si128(x, t), _mm_slli_epi64(t, 7));
	t = _mm_and_si128(_mm_xor_si128(x, _mm_srli_epi64(x, 14)), m14);
	x = _mm_xor_si128(_mm_xor_si128(x, t), _mm_slli_epi64(t, 14));
	t = _mm_and_si128(_mm_xor_si128(x, _mm_srli_epi64(x, 28)), m28);
	return _mm_xor_si128(_mm_xor_si128(x, t), _mm_slli_epi64(t, 28));
}

/* 16 bytes of each of 8 planes of bits -> 128 bytes. */
static void join_16(const uint8_t *in, size_t stride, uint8_t *out)
{
	__m128i p[8], q[8];

	for (unsigned b = 0; b < 8; b++)
		p[b] = _mm_loadu_si128(
			(const __m128i *)(const void *)(in + b * stride));
	/* Bytes of planes 0 and 4, 1 and 5, ... side by side, and so on. */
	for (unsigned b = 0; b < 4; b++) {
		q[2 * b] = _mm_unpacklo_epi8(p[b], p[b + 4]);
		q[2 * b + 1] = _mm_unpackhi_epi8(p[b], p[b + 4]);
	}
	for (unsigned b = 0; b < 4; b++) {
		p[2 * b] = _mm_unpacklo_epi8(q[b], q[b + 4]);
		p[2 * b + 1] = _mm_unpackhi_epi8(q[b], q[b + 4]);
	}
	for (unsigned b = 0; b < 4; b++) {
		q[2 * b] = _mm_unpacklo_epi8(p[b], p[b + 4]);
		q[2 * b + 1] = _mm_unpackhi_epi8(p[b], p[b + 4]);
	}
	for (unsigned b = 0; b < 8; b++)
		_mm_storeu_si128((__m128i *)(void *)(out + 16 * b),
				 transpose_bits_sse2(q[b]));
}

void split_bits(const uint8_t *in, size_t nplanes, size_t n, uint8_t *out)
{
	for (size_t p = 0; p < nplanes; p++, in += n, out += n)
		split_plane(in, split_plane_sse2(in, n, out), n, out);
}

void join_bits(const uint8_t *in, size_t nplanes, size_t n, uint8_t *out)
{
	for (size_t p = 0; p < nplanes; p++, in += n, out += n) {
		size_t i;

		for (i = 0; i + 128 <= n; i += 128)
			join_16(in + i / 8, n / 8, out + i);
		join_plane(in, i, n, out);
	}
}

#else

void split_bits(const uint8_t *in, size_t nplanes, size_t n, uint8_t *out)
{
	split_bits_plain(in, nplanes, n, out);
}

void join_bits(const uint8_t *in, size_t nplanes, size_t n, uint8_t *out)
{
	join_bits_plain(in, nplanes, n, out);
}

#endif
