/* SPDX-License-Identifier: MIT */
/*
 * The factor is looked for among all elements, and given up at the first that
 * leaves 1: after a few in files that have none.
 */
#include "filter/multiple.h"

#include <string.h>

#include "base/byte_order.h"

/* Elements that say whether there is a factor at all. */
#define NSAMPLES 64

/* The range of the elements that are no holes. */
struct span {
	int64_t least, most;
};

#define DEFINE_RANGE(bits) \
	/* The first element that is no hole; false if there is none. */ \
	static bool first_##bits(const struct multiple_input *in, \
				 int64_t *any_ret) \
	{ \
		const int##bits##_t *x = in->elems; \
		size_t i = 0; \
\
		while (in->holes && i < in->n && in->holes[i]) \
			i++; \
		*any_ret = i < in->n ? x[i] : 0; \
		return i < in->n; \
	} \
\
	static struct span span_##bits(const struct multiple_input *in, \
				       int64_t any) \
	{ \
		const int##bits##_t *x = in->elems; \
		const int##bits##_t start = (int##bits##_t)any; \
		int##bits##_t least = start, most = start; \
\
		for (size_t i = 0; i < in->n; i++) { \
			int##bits##_t y = in->holes && in->holes[i] ? start : \
								      x[i]; \
\
			least = y < least ? y : least; \
			most = y > most ? y : most; \
		} \
		return (struct span){ least, most }; \
	}

/* Distances fit 'wide', numbers that are divided fast if they are short. */
#define DEFINE_SPLIT(bits, wide) \
	/* Of the distances to any of the elements, of each 'step'-th. */ \
	static uint64_t factor_##bits(const struct multiple_input *in, \
				      int64_t any, size_t step) \
	{ \
		const int##bits##_t *x = in->elems; \
		wide factor = 0; \
\
		for (size_t i = 0; i < in->n && factor != 1; i += step) { \
			wide far = x[i] < any ? (wide)any - (wide)x[i] : \
						(wide)x[i] - (wide)any; \
\
			if ((in->holes && in->holes[i]) || \
			    (factor > 0 && far % factor == 0)) \
				continue; \
			factor = (wide)multiple_factor(factor, far); \
		} \
		return factor; \
	} \
\
	static void divide_##bits(const struct multiple_input *in, \
				  const struct multiple *m, void *integers) \
	{ \
		const uint##bits##_t *x = in->elems; \
		const uint##bits##_t minimum = (uint##bits##_t)m->minimum; \
		const wide factor = (wide)m->factor; \
		wide q = 0; \
\
		for (size_t i = 0; i < in->n; i++) { \
			if (!(in->holes && in->holes[i])) \
				q = (uint##bits##_t)(x[i] - minimum) / factor; \
			put_integer(integers, m->width, i, q); \
		} \
	}

static void put_integer(void *integers, uint8_t width, size_t i, uint64_t q)
{
	if (width == 1)
		((uint8_t *)integers)[i] = (uint8_t)q;
	else if (width == 2)
		((uint16_t *)integers)[i] = (uint16_t)q;
	else if (width == 4)
		((uint32_t *)integers)[i] = (uint32_t)q;
	else
		((uint64_t *)integers)[i] = q;
}

DEFINE_RANGE(8)
DEFINE_RANGE(16)
DEFINE_RANGE(32)
DEFINE_RANGE(64)
DEFINE_SPLIT(8, uint32_t)
DEFINE_SPLIT(16, uint32_t)
DEFINE_SPLIT(32, uint32_t)
DEFINE_SPLIT(64, uint64_t)

struct splitter {
	bool (*first)(const struct multiple_input *in, int64_t *any_ret);
	struct span (*span)(const struct multiple_input *in, int64_t any);
	uint64_t (*factor)(const struct multiple_input *in, int64_t any,
			   size_t step);
	void (*divide)(const struct multiple_input *in,
		       const struct multiple *m, void *integers);
};

static const uint8_t log2_of[] = { 0, 0, 1, 0, 2, 0, 0, 0, 3 };

bool multiple_split(const struct multiple_input *in, struct multiple *m_ret,
		    void *integers)
{
	static const struct splitter splitters[] = {
		{ first_8, span_8, factor_8, divide_8 },
		{ first_16, span_16, factor_16, divide_16 },
		{ first_32, span_32, factor_32, divide_32 },
		{ first_64, span_64, factor_64, divide_64 },
	};
	const struct splitter *s = &splitters[log2_of[in->width]];
	struct span span;
	int64_t any;

	if (!s->first(in, &any) ||
	    s->factor(in, any, in->n / NSAMPLES + 1) == 1)
		return false;
	m_ret->factor = s->factor(in, any, 1);
	if (m_ret->factor < 2)
		return false;
	span = s->span(in, any);
	m_ret->minimum = (uint64_t)span.least;
	m_ret->width = multiple_width(
		((uint64_t)span.most - (uint64_t)span.least) / m_ret->factor);
	s->divide(in, m_ret, integers);
	return true;
}

#define DEFINE_JOIN(from, bits) \
	static void join_##from##_##bits(const struct multiple *m, \
					 const void *integers, size_t n, \
					 uint8_t *restrict raw) \
	{ \
		const uint##from##_t *q = integers; \
		const uint##bits##_t minimum = (uint##bits##_t)m->minimum; \
		const uint##bits##_t factor = (uint##bits##_t)m->factor; \
\
		for (size_t i = 0; i < n; i++) { \
			uint##bits##_t x = (uint##bits##_t)( \
				minimum + 1u * q[i] * factor); \
\
			x = BIG_ENDIAN_##bits(x); \
			memcpy(raw + i * sizeof(x), &x, sizeof(x)); \
		} \
	}

DEFINE_JOIN(8, 8)
DEFINE_JOIN(8, 16)
DEFINE_JOIN(8, 32)
DEFINE_JOIN(8, 64)
DEFINE_JOIN(16, 16)
DEFINE_JOIN(16, 32)
DEFINE_JOIN(16, 64)
DEFINE_JOIN(32, 32)
DEFINE_JOIN(32, 64)
DEFINE_JOIN(64, 64)

typedef void join_fn(const struct multiple *m, const void *integers, size_t n,
		     uint8_t *raw);

/* By log2 of the widths of integers and elements. */
static join_fn *const joins[4][4] = {
	{ join_8_8, join_8_16, join_8_32, join_8_64 },
	{ NULL, join_16_16, join_16_32, join_16_64 },
	{ NULL, NULL, join_32_32, join_32_64 },
	{ NULL, NULL, NULL, join_64_64 },
};

void multiple_join(const struct multiple *m, const void *integers, size_t n,
		   uint8_t width, uint8_t *raw)
{
	joins[log2_of[m->width]][log2_of[width]](m, integers, n, raw);
}
