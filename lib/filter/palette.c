/* SPDX-License-Identifier: MIT */
/*
 * Distinct values are found with an open hash table: slots hold the number of
 * a value in the order of appearance, plus 1.  When all are known they are
 * sorted, and numbers become ranks.
 *
 * Elements without a palette mostly have many more values than it may have.
 * Instead of finding them all, those with certain hashes are counted, once
 * there are a quarter of what it may have (P. B. Gibbons, Distinct sampling for
 * highly-accurate answers to distinct values queries, VLDB 2001).
 */
#include "filter/palette.h"

#include <string.h>

#include "base/sizes.h"
#include "filter/kernels.h"
#include "filter/key_sort.h"

#define LOG2_SLOTS_MAX 17
#define MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

/* A sample has at most so many values, and some more if there are too many. */
#define SAMPLE_NVALUES_MAX 4096
#define SAMPLE_LOG2_SLOTS 13

/* The hash table while it is filled. */
struct table {
	struct palette_memory *m;
	unsigned log2; /* of the number of slots */
	size_t nvalues;
	size_t limit;
	size_t most; /* the limit unless there seem to be more than that */
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

/* The number of a new value; the limit if there is no room. */
static size_t add_value(struct table *t, uint64_t value)
{
	if (t->nvalues == t->limit)
		return t->limit;
	t->m->values[t->nvalues] = value;
	return t->nvalues++;
}

static size_t hash_of(const struct table *t, uint64_t value)
{
	return (size_t)(value * MULTIPLIER >> (64 - t->log2));
}

/* The number of a value; the limit if it is new and there is no room. */
static size_t number_of(struct table *t, uint64_t value)
{
	const size_t mask = ((size_t)1 << t->log2) - 1;
	size_t at = hash_of(t, value), number;
	uint32_t *slots = t->m->slots;

	while (slots[at] != 0) {
		if (t->m->values[slots[at] - 1] == value)
			return slots[at] - 1;
		at = (at + 1) & mask;
	}
	number = add_value(t, value);
	if (number < t->limit)
		slots[at] = (uint32_t)number + 1;
	return number;
}

/* One in 2^log2 hashes, so that of 't->most' values not too many have them. */
static unsigned log2_of_sample(const struct table *t)
{
	unsigned log2 = 0;

	while (t->most >> log2 > SAMPLE_NVALUES_MAX)
		log2++;
	return log2;
}

/* A hash table at most half full, as small as that allows. */
static void begin_table(struct table *t, const struct palette_input *in,
			struct palette_memory *memory)
{
	unsigned log2 = 4;

	t->m = memory;
	t->nvalues = 0;
	t->most = in->nvalues_max;
	t->limit = log2_of_sample(t) > 0 ? t->most / 4 : t->most;
	while ((size_t)1 << log2 < 2 * t->most && log2 < LOG2_SLOTS_MAX)
		log2++;
	t->log2 = log2;
	memset(memory->slots, 0, sizeof(*memory->slots) << log2);
}

/* Hashes without the bits that all of a sample have, in an open table. */
struct sample {
	uint64_t *slots;
	size_t nvalues;
	size_t limit;
};

/* False if there are too many. */
static bool add_to_sample(struct sample *s, uint64_t hash)
{
	const size_t mask = ((size_t)1 << SAMPLE_LOG2_SLOTS) - 1;
	size_t at = (size_t)(hash >> (64 - SAMPLE_LOG2_SLOTS));

	while (s->slots[at] != 0 && s->slots[at] != hash)
		at = (at + 1) & mask;
	s->nvalues += s->slots[at] == 0;
	s->slots[at] = hash;
	return s->nvalues <= s->limit;
}

#define DEFINE_SAMPLE(bits) \
	static bool sample_##bits(struct sample *s, unsigned log2, \
				  const struct palette_input *in) \
	{ \
		const uint##bits##_t *x = in->elems; \
\
		for (size_t i = 0; i < in->n; i++) { \
			uint64_t hash = x[i] * MULTIPLIER; \
\
			/* The lowest bit tells it from an empty slot. */ \
			if (hash >> (64 - log2) == 0 && \
			    !(in->holes && in->holes[i]) && \
			    !add_to_sample(s, hash << log2 | 1)) \
				return false; \
		} \
		return true; \
	}

DEFINE_SAMPLE(16)
DEFINE_SAMPLE(32)
DEFINE_SAMPLE(64)

/* Bytes have too few values to come here. */
static bool seems_possible(struct table *t, const struct palette_input *in)
{
	const unsigned log2 = log2_of_sample(t);
	struct sample s = {
		.slots = t->m->sorted[0],
		.limit = (t->most >> log2) / 16 * 17,
	};

	memset(s.slots, 0, sizeof(*s.slots) << SAMPLE_LOG2_SLOTS);
	switch (in->width) {
	case 2:
		return sample_16(&s, log2, in);
	case 4:
		return sample_32(&s, log2, in);
	default:
		return sample_64(&s, log2, in);
	}
}

/* Where the limit is reached: whether it is raised. */
static bool raise_limit(struct table *t, const struct palette_input *in)
{
	if (t->limit == t->most)
		return false;
	t->limit = t->most;
	return seems_possible(t, in);
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
				if (number == t->limit) { \
					if (!raise_limit(t, in)) \
						return false; \
					number = number_of(t, last); \
				} \
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

/*
 * The values' keys in ascending order, in one of m->sorted; above keys of up to
 * 32 bits, the numbers of the values.
 */
static const uint64_t *sort_keys(struct table *t,
				 const struct palette_input *in)
{
	uint64_t *keys = t->m->sorted[0];

	for (size_t i = 0; i < t->nvalues; i++) {
		keys[i] = key_flip(in, t->m->values[i]);
		if (in->width <= 4)
			keys[i] |= (uint64_t)i << 32;
	}
	return key_sort(keys, t->m->sorted[1], t->nvalues, in->width);
}

static void store_be(uint64_t value, uint8_t width, uint8_t *out)
{
	for (unsigned k = width; k-- > 0; value >>= 8)
		out[k] = (uint8_t)value;
}

/* The table, and the rank of each number. */
static void rank_values(struct table *t, const struct palette_input *in,
			uint8_t *table)
{
	const uint64_t *keys = sort_keys(t, in);

	for (size_t i = 0; i < t->nvalues; i++) {
		bool has_number = in->width <= 4;
		uint64_t value = key_unflip(
			in, has_number ? keys[i] & UINT32_MAX : keys[i]);
		size_t number = has_number ? (size_t)(keys[i] >> 32) :
					     number_of(t, value);

		store_be(value, in->width, table + i * in->width);
		t->m->ranks[number] = (uint16_t)i;
	}
}

bool palette_split(const struct palette_input *in, struct palette *palette_ret,
		   uint8_t *table, void *ranks, struct palette_memory *memory)
{
	uint16_t *numbers = ranks;
	struct table t;

	begin_table(&t, in, memory);
	if (t.most == 0 || !number_all(&t, in, numbers))
		return false;
	rank_values(&t, in, table);
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
