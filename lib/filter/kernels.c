/*
 * One template per kernel, instantiated for elements of 1, 2, 4 and 8 bytes.
 * All arithmetic is unsigned and wraps, so every kernel has an exact inverse.
 * The loops are written so that compilers turn them into vector code: no
 * branch, no dependence between iterations but in undelta with a short stride.
 */
#include "filter/kernels.h"

#include <string.h>

#ifdef NC3Z_KERNELS_AVX2
#include "filter/kernels_avx2.h"
#define SUM_GROUPS(bits, x, n) sum_groups_##bits(x, n)
#else
#define SUM_GROUPS(bits, x, n) 0
#endif

#define BSWAP_8(x) (x)
#define BSWAP_16(x) __builtin_bswap16(x)
#define BSWAP_32(x) __builtin_bswap32(x)
#define BSWAP_64(x) __builtin_bswap64(x)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FROM_BE(bits, x) BSWAP_##bits(x)
#define FROM_LE(bits, x) (x)
#else
#define FROM_BE(bits, x) (x)
#define FROM_LE(bits, x) BSWAP_##bits(x)
#endif

#define DEFINE_LOAD_STORE(bits, name, CONVERT) \
	static void load_##name##_##bits(const uint8_t *bytes, size_t n, \
					 void *elems) \
	{ \
		uint##bits##_t *x = elems; \
\
		for (size_t i = 0; i < n; i++) { \
			uint##bits##_t v; \
\
			memcpy(&v, bytes + i * sizeof(v), sizeof(v)); \
			x[i] = (uint##bits##_t)CONVERT(bits, v); \
		} \
	} \
\
	static void store_##name##_##bits(const void *elems, size_t n, \
					  uint8_t *bytes) \
	{ \
		const uint##bits##_t *x = elems; \
\
		for (size_t i = 0; i < n; i++) { \
			uint##bits##_t v = \
				(uint##bits##_t)CONVERT(bits, x[i]); \
\
			memcpy(bytes + i * sizeof(v), &v, sizeof(v)); \
		} \
	}

#define DEFINE_SHUFFLE(bits) \
	static void shuffle_##bits(const void *elems, size_t n, \
				   uint8_t *bytes) \
	{ \
		const uint##bits##_t *x = elems; \
\
		for (unsigned k = 0; k < bits / 8; k++, bytes += n) \
			for (size_t i = 0; i < n; i++) \
				bytes[i] = (uint8_t)(x[i] >> (8 * k)); \
	} \
\
	static void unshuffle_##bits(const uint8_t *bytes, size_t n, \
				     void *elems) \
	{ \
		uint##bits##_t *restrict x = elems; \
\
		for (size_t i = 0; i < n; i++) { \
			uint##bits##_t v = 0; \
\
			for (unsigned k = 0; k < bits / 8; k++) \
				v |= (uint##bits##_t)( \
					(uint##bits##_t)bytes[k * n + i] \
					<< (8 * k)); \
			x[i] = v; \
		} \
	}

/*
 * Positive numbers get the sign bit set, negative ones are complemented: the
 * mask is the sign bit, or all bits of a negative number.
 */
#define DEFINE_ORDER(bits) \
	static void order_##bits(void *elems, size_t n) \
	{ \
		uint##bits##_t *x = elems; \
		const uint##bits##_t sign = (uint##bits##_t)1 << (bits - 1); \
\
		for (size_t i = 0; i < n; i++) { \
			uint##bits##_t negative = \
				(uint##bits##_t)(0 - (x[i] >> (bits - 1))); \
\
			x[i] ^= (uint##bits##_t)(negative | sign); \
		} \
	} \
\
	static void unorder_##bits(void *elems, size_t n) \
	{ \
		uint##bits##_t *x = elems; \
		const uint##bits##_t sign = (uint##bits##_t)1 << (bits - 1); \
\
		for (size_t i = 0; i < n; i++) { \
			uint##bits##_t positive = \
				(uint##bits##_t)(0 - (x[i] >> (bits - 1))); \
\
			x[i] ^= (uint##bits##_t)(~positive | sign); \
		} \
	}

#define DEFINE_ZIGZAG(bits) \
	static void zigzag_##bits(void *elems, size_t n) \
	{ \
		uint##bits##_t *x = elems; \
\
		for (size_t i = 0; i < n; i++) { \
			uint##bits##_t negative = \
				(uint##bits##_t)(0 - (x[i] >> (bits - 1))); \
\
			x[i] = (uint##bits##_t)((x[i] << 1) ^ negative); \
		} \
	} \
\
	static void unzigzag_##bits(void *elems, size_t n) \
	{ \
		uint##bits##_t *x = elems; \
\
		for (size_t i = 0; i < n; i++) { \
			uint##bits##_t negative = \
				(uint##bits##_t)(0 - (x[i] & 1)); \
\
			x[i] = (uint##bits##_t)((x[i] >> 1) ^ negative); \
		} \
	}

#define DEFINE_DELTA(bits) \
	static void delta_##bits(const void *elems, size_t n, size_t stride, \
				 void *out) \
	{ \
		const uint##bits##_t *x = elems; \
		uint##bits##_t *restrict y = out; \
		size_t head = stride < n ? stride : n; \
\
		memcpy(y, x, head * sizeof(*y)); \
		for (size_t i = head; i < n; i++) \
			y[i] = (uint##bits##_t)(x[i] - x[i - stride]); \
	} \
\
	static void add_##bits(uint##bits##_t *restrict x, \
			       const uint##bits##_t *restrict before, \
			       size_t n) \
	{ \
		for (size_t i = 0; i < n; i++) \
			x[i] = (uint##bits##_t)(x[i] + before[i]); \
	} \
\
	static void sum_##bits(uint##bits##_t *x, size_t n) \
	{ \
		size_t i = SUM_GROUPS(bits, x, n); \
		uint##bits##_t sum = i > 0 ? x[i - 1] : 0; \
\
		for (; i < n; i++) { \
			sum = (uint##bits##_t)(sum + x[i]); \
			x[i] = sum; \
		} \
	} \
\
	/* In pieces of one stride, which do not depend on themselves. */ \
	static void undelta_##bits(void *elems, size_t n, size_t stride) \
	{ \
		uint##bits##_t *x = elems; \
\
		if (stride == 1) { \
			sum_##bits(x, n); \
			return; \
		} \
		for (size_t i = stride; i < n; i += stride) \
			add_##bits(x + i, x + i - stride, \
				   n - i < stride ? n - i : stride); \
	}

#define DEFINE_KERNELS(bits) \
	DEFINE_LOAD_STORE(bits, be, FROM_BE) \
	DEFINE_LOAD_STORE(bits, le, FROM_LE) \
	DEFINE_SHUFFLE(bits) \
	DEFINE_ORDER(bits) \
	DEFINE_ZIGZAG(bits) \
	DEFINE_DELTA(bits)

DEFINE_KERNELS(8)
DEFINE_KERNELS(16)
DEFINE_KERNELS(32)
DEFINE_KERNELS(64)

#define KERNELS(bits) \
	{ \
		.load_be = load_be_##bits, .store_be = store_be_##bits, \
		.load_le = load_le_##bits, .store_le = store_le_##bits, \
		.shuffle = shuffle_##bits, .unshuffle = unshuffle_##bits, \
		.order = order_##bits, .unorder = unorder_##bits, \
		.zigzag = zigzag_##bits, .unzigzag = unzigzag_##bits, \
		.delta = delta_##bits, .undelta = undelta_##bits, \
	}

const struct filter_kernels KERNEL_SET(filter_kernels)[4] = {
	KERNELS(8),
	KERNELS(16),
	KERNELS(32),
	KERNELS(64),
};
