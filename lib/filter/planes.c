/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the layout that works on bits: bytes are split into planes of
 * bits.  Vector code is for SSE2, which every 64-bit x86 has, or for AVX2;
 * elsewhere and for the last bytes there is plain C.
 */
#include <string.h>

#include "filter/kernels.h"

#ifdef NC3Z_KERNELS_AVX2
#include "filter/kernels_avx2.h"
#elif defined(__SSE2__)
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

#ifdef __SSE2__

#ifdef NC3Z_KERNELS_AVX2
typedef __m256i vector;
#define VECTOR(name) _mm256_##name
#define ALL_64(x) _mm256_set1_epi64x(x)
#define AND(x, y) _mm256_and_si256(x, y)
#define XOR(x, y) _mm256_xor_si256(x, y)
#else
typedef __m128i vector;
#define VECTOR(name) _mm_##name
#define ALL_64(x) _mm_set1_epi64x(x)
#define AND(x, y) _mm_and_si128(x, y)
#define XOR(x, y) _mm_xor_si128(x, y)

static vector load_vector(const void *from)
{
	return _mm_loadu_si128(from);
}

static inline void interleave(const vector *from, unsigned n, vector *to)
{
	for (unsigned k = 0; k < n / 2; k++) {
		to[2 * k] = _mm_unpacklo_epi8(from[k], from[k + n / 2]);
		to[2 * k + 1] = _mm_unpackhi_epi8(from[k], from[k + n / 2]);
	}
}
#endif

/* The highest bit of all bytes at once, then the next one. */
static size_t split_vectors(const uint8_t *in, size_t n, uint8_t *out)
{
	size_t i;

	for (i = 0; i + sizeof(vector) <= n; i += sizeof(vector)) {
		vector x = load_vector(in + i);

		for (unsigned b = 8; b-- > 0; x = VECTOR(add_epi8)(x, x)) {
			int bits = VECTOR(movemask_epi8)(x);

			memcpy(out + b * (n / 8) + i / 8, &bits,
			       sizeof(vector) / 8);
		}
	}
	return i;
}

/* Swaps the upper bits of one, by the mask, and the lower ones of the other. */
static inline void exchange(vector *upper, vector *lower, int shift,
			    vector mask)
{
	vector t = VECTOR(srli_epi64)(*upper, shift);

	t = AND(XOR(t, *lower), mask);
	*lower = XOR(*lower, t);
	*upper = XOR(*upper, VECTOR(slli_epi64)(t, shift));
}

static inline void store_halves(vector x, uint8_t *out)
{
#ifdef NC3Z_KERNELS_AVX2
	_mm_storeu_si128((void *)(out + 128), _mm256_extracti128_si256(x, 1));
	_mm_storeu_si128((void *)out, _mm256_castsi256_si128(x));
#else
	_mm_storeu_si128((void *)out, x);
#endif
}

/*
 * A vector of each of 8 planes of bits is transposed, bits of one against bits
 * of another, which is half the work of doing so within bytes; then each has
 * every eighth byte.
 */
static size_t join_vectors(const uint8_t *in, size_t n, uint8_t *out)
{
	const vector m4 = ALL_64(0x0f0f0f0f0f0f0f0f);
	const vector m2 = ALL_64(0x3333333333333333);
	const vector m1 = ALL_64(0x5555555555555555);
	vector p[8], q[8];
	size_t i;

	for (i = 0; i + 8 * sizeof(vector) <= n; i += 8 * sizeof(vector)) {
		for (unsigned b = 0; b < 8; b++)
			p[b] = load_vector(in + b * (n / 8) + i / 8);
		for (unsigned b = 0; b < 4; b++)
			exchange(&p[b], &p[b + 4], 4, m4);
		for (unsigned b = 0; b < 6; b += b == 1 ? 3 : 1)
			exchange(&p[b], &p[b + 2], 2, m2);
		for (unsigned b = 0; b < 8; b += 2)
			exchange(&p[b], &p[b + 1], 1, m1);
		interleave(p, 8, q);
		interleave(q, 8, p);
		interleave(p, 8, q);
		for (unsigned b = 0; b < 8; b++)
			store_halves(q[b], out + i + 16 * b);
	}
	return i;
}

#else

static size_t split_vectors(const uint8_t *in, size_t n, uint8_t *out)
{
	(void)in, (void)n, (void)out;
	return 0;
}

static size_t join_vectors(const uint8_t *in, size_t n, uint8_t *out)
{
	(void)in, (void)n, (void)out;
	return 0;
}

#endif

static void split_planes(const uint8_t *in, size_t nplanes, size_t n,
			 uint8_t *out)
{
	for (size_t p = 0; p < nplanes; p++, in += n, out += n)
		split_plane(in, split_vectors(in, n, out), n, out);
}

static void join_planes(const uint8_t *in, size_t nplanes, size_t n,
			uint8_t *out)
{
	for (size_t p = 0; p < nplanes; p++, in += n, out += n)
		join_plane(in, join_vectors(in, n, out), n, out);
}

const struct plane_kernels KERNEL_SET(plane_kernels) = {
	.split = split_planes,
	.join = join_planes,
};
