/* SPDX-License-Identifier: MIT */
/*
 * Distinct values are found with an open hash table: slots hold the number of
 * a value in the order of appearance, plus 1.  When all are known they are
 * sorted, and numbers become ranks.
 */
#include "filter/palette.h"

#include <string.h>

#include "filter/kernels.h"
#include "filter/key_sort.h"

#define LOG2_SLOTS_MAX 18 /* of slots[] */

/* The hash table while it is filled. */
struct table {
	struct palette_memory *m;
	unsigned shift; /* 64 - log2 of the number of slots */
	size_t nvalues;
	size_t limit;
};

/* A key sorts like the value as an unsigned integer. */
static uint64_t key_flip(const struct palette_input *in, uint64_t value)
{
	const uint64_t sign = UINT64_C(1) << (8 * in->width - 1);

	if (in->is_float && (value & sign))
		return value ^ (sign | (sign - 1));
	return value ^ sign;
}

static uint64_t key_unflip(const struct palette_input *in, uint64_t key)
{
	const uint64_t sign = UINT64_C(1) << (8 * in->width - 1);

	if (in->is_float && !(key & sign))
		return key ^ (sign | (sign - 1));
	return key ^ sign;
}

/* The number of a value; nvalues after the limit was reached. */
static size_t number_of(struct table *t, uint64_t value)
{
	uint64_t hash = value * UINT64_C(0x9e3779b97f4a7c15) >> t->shift;
	const size_t mask = ((size_t)1 << (64 - t->shift)) - 1;
	uint32_t *slot = &t->m->slots[hash];

	while (*slot != 0) {
		if (t->m->values[*slot - 1] == value)
			return *slot - 1;
		hash = (hash + 1) & mask;
		slot = &t->m->slots[hash];
	}
	if (t->nvalues == t->limit)
		return t->limit;
	t->m->values[t->nvalues] = value;
	*slot = (uint32_t)++t->nvalues;
	return t->nvalues - 1;
}

/* A hash table at most half full, as small as that allows. */
static void begin_table(struct table *t, const struct palette_input *in,
			struct palette_memory *memory)
{
	unsigned log2 = 4;

	t->m = memory;
	t->nvalues = 0;
	t->limit = in->nkept / 2;
	if (t->limit > PALETTE_VALUES_MAX)
		t->limit = PALETTE_VALUES_MAX;
	while ((size_t)1 << log2 < 2 * t->limit && log2 < LOG2_SLOTS_MAX)
		log2++;
	t->shift = 64 - log2;
	memset(memory->slots, 0, sizeof(*memory->slots) << log2);
}

#define DEFINE_NUMBER(bits) \
	static bool number_##bits(struct table *t, \
				  const struct palette_input *in, \
				  uint16_t *numbers) \
	{ \
		const uint##bits##_t *x = in->elems; \
		uint##bits##_t last = 0; \
		size_t number = 0, i = 0; \
\
		while (i < in->n && in->holes && in->holes[i]) \
			numbers[i++] = 0; \
		for (bool is_first = true; i < in->n; i++) { \
			if (!(in->holes && in->holes[i]) && \
			    (is_first || x[i] != last)) { \
				last = x[i]; \
				is_first = false; \
				number = number_of(t, last); \
				if (number == t->limit) \
					return false; \
			} \
			numbers[i] = (uint16_t)number; \
		} \
		return true; \
	}

DEFINE_NUMBER(8)
DEFINE_NUMBER(16)
DEFINE_NUMBER(32)
DEFINE_NUMBER(64)

static bool number_all(struct table *t, const struct palette_input *in,
		       uint16_t *numbers)
{
	switch (in->width) {
	case 1:
		return number_8(t, in, numbers);
	case 2:
		return number_16(t, in, numbers);
	case 4:
		return number_32(t, in, numbers);
	default:
		return number_64(t, in, numbers);
	}
}

/* The values' keys in ascending order, in one of m->sorted. */
static const uint64_t *sort_keys(struct table *t,
				 const struct palette_input *in)
{
	uint64_t *keys = t->m->sorted[0];

	for (size_t i = 0; i < t->nvalues; i++)
		keys[i] = key_flip(in, t->m->values[i]);
	return key_sort(keys, t->m->sorted[1], t->nvalues, in->width);
}

static void store_be(uint64_t value, uint8_t width, uint8_t *out)
{
	for (unsigned k = width; k-- > 0; value >>= 8)
		out[k] = (uint8_t)value;
}

bool palette_split(const struct palette_input *in, struct palette *palette_ret,
		   uint8_t *table, void *ranks, struct palette_memory *memory)
{
	uint16_t *numbers = ranks;
	const uint64_t *keys;
	struct table t;

	begin_table(&t, in, memory);
	if (t.limit == 0 || !number_all(&t, in, numbers))
		return false;
	keys = sort_keys(&t, in);
	for (size_t i = 0; i < t.nvalues; i++) {
		uint64_t value = key_unflip(in, keys[i]);

		store_be(value, in->width, table + i * in->width);
		memory->ranks[number_of(&t, value)] = (uint16_t)i;
	}
	palette_ret->nvalues = t.nvalues;
	palette_ret->width = t.nvalues <= 256 ? 1 : 2;
	for (size_t i = 0; i < in->n; i++)
		if (palette_ret->width == 1)
			((uint8_t *)ranks)[i] =
				(uint8_t)memory->ranks[numbers[i]];
		else
			numbers[i] = memory->ranks[numbers[i]];
	return true;
}

#define DEFINE_LARGEST(bits) \
	static size_t largest_##bits(const void *ranks, size_t n) \
	{ \
		const uint##bits##_t *r = ranks; \
		uint##bits##_t most = 0; \
\
		for (size_t i = 0; i < n; i++) \
			most = r[i] > most ? r[i] : most; \
		return most; \
	}

/* Values are copied as they are, whatever their byte order. */
#define DEFINE_JOIN(rank, bits) \
	static void join_##rank##_##bits(const uint8_t *table, \
					 const void *ranks, size_t n, \
					 uint8_t *restrict raw) \
	{ \
		const uint##rank##_t *r = ranks; \
		uint##bits##_t x; \
\
		for (size_t i = 0; i < n; i++) { \
			memcpy(&x, table + r[i] * sizeof(x), sizeof(x)); \
			memcpy(raw + i * sizeof(x), &x, sizeof(x)); \
		} \
	}

DEFINE_LARGEST(8)
DEFINE_LARGEST(16)
DEFINE_JOIN(8, 8)
DEFINE_JOIN(8, 16)
DEFINE_JOIN(8, 32)
DEFINE_JOIN(8, 64)
DEFINE_JOIN(16, 8)
DEFINE_JOIN(16, 16)
DEFINE_JOIN(16, 32)
DEFINE_JOIN(16, 64)

typedef void join_fn(const uint8_t *table, const void *ranks, size_t n,
		     uint8_t *raw);

/* By the widths of rank and element, halved until they are small numbers. */
static join_fn *const joins[2][4] = {
	{ join_8_8, join_8_16, join_8_32, join_8_64 },
	{ join_16_8, join_16_16, join_16_32, join_16_64 },
};

bool palette_join(const struct palette *palette, const uint8_t *table,
		  const void *ranks, size_t n, uint8_t width, uint8_t *raw)
{
	static const uint8_t log2_of[] = { 0, 0, 1, 0, 2, 0, 0, 0, 3 };
	bool wide = palette->width == 2;
	size_t most = wide ? largest_16(ranks, n) : largest_8(ranks, n);

	if (most >= palette->nvalues)
		return false;
	joins[wide][log2_of[width]](table, ranks, n, raw);
	return true;
}
