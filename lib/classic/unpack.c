/* SPDX-License-Identifier: MIT */
#include "classic/unpack.h"

#include <math.h>
#include <string.h>

/* Each type with its C type, its least and its greatest value. */
#define FOR_EACH_TYPE(DO) \
	DO(BYTE, signed char, INT8_MIN, INT8_MAX) \
	DO(SHORT, int16_t, INT16_MIN, INT16_MAX) \
	DO(INT, int32_t, INT32_MIN, INT32_MAX) \
	DO(FLOAT, float, -INFINITY, INFINITY) \
	DO(DOUBLE, double, -INFINITY, INFINITY) \
	DO(UBYTE, unsigned char, 0, UINT8_MAX) \
	DO(USHORT, uint16_t, 0, UINT16_MAX) \
	DO(UINT, uint32_t, 0, UINT32_MAX) \
	DO(INT64, int64_t, INT64_MIN, INT64_MAX) \
	DO(UINT64, uint64_t, 0, UINT64_MAX)

#define DEFINE_UNPACK(name, ctype, least, greatest) \
	static void unpack_##name(const struct values_unpacking *u, \
				  const uint8_t *in, double *out, size_t n) \
	{ \
		const double scale = u->scale, offset = u->offset; \
		ctype min, max, missing, x; \
\
		memcpy(&min, u->min.bytes, sizeof(min)); \
		memcpy(&max, u->max.bytes, sizeof(max)); \
		for (size_t i = 0; i < n; i++) { \
			memcpy(&x, in + i * sizeof(x), sizeof(x)); \
			out[i] = (double)x * scale; \
			out[i] += offset; \
			out[i] = x < min || x > max ? (double)NAN : out[i]; \
		} \
		for (size_t k = 0; k < u->nmissing; k++) { \
			memcpy(&missing, u->missing[k].bytes, sizeof(x)); \
			for (size_t i = 0; i < n; i++) { \
				memcpy(&x, in + i * sizeof(x), sizeof(x)); \
				out[i] = x == missing ? (double)NAN : out[i]; \
			} \
		} \
	}

FOR_EACH_TYPE(DEFINE_UNPACK)

void values_unpack(const struct values_unpacking *unpacking, const uint8_t *in,
		   double *out, size_t n)
{
#define CASE_UNPACK(name, ctype, least, greatest) \
	case CLASSIC_##name: \
		unpack_##name(unpacking, in, out, n); \
		break;

	switch (unpacking->type) {
		FOR_EACH_TYPE(CASE_UNPACK)
	case CLASSIC_CHAR:
		break;
	}
}

void values_unpacking_init(struct values_unpacking *u, enum classic_type type)
{
#define CASE_RANGE(name, ctype, least, greatest) \
	case CLASSIC_##name: \
		memcpy(u->min.bytes, &(ctype){ least }, sizeof(ctype)); \
		memcpy(u->max.bytes, &(ctype){ greatest }, sizeof(ctype)); \
		break;

	u->type = type;
	u->nmissing = 0;
	u->scale = 1;
	/* The neutral offset is -0: adding 0 would turn -0 into 0. */
	u->offset = -0.0;
	switch (type) {
		FOR_EACH_TYPE(CASE_RANGE)
	case CLASSIC_CHAR:
		break;
	}
}
