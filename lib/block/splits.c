/* SPDX-License-Identifier: MIT */
#include "block/splits.h"

#include <string.h>

#include "filter/decimal.h"

static void read_bytes(struct cursor *c, uint8_t *out, size_t nbytes)
{
	const uint8_t *bytes = cursor_take(c, nbytes);

	if (bytes)
		memcpy(out, bytes, nbytes);
}

static bool write_value(const struct block_split *split, uint8_t width,
			struct buffer *out)
{
	return buffer_append(out, split->value, width);
}

static bool read_value(struct cursor *c, uint8_t width,
		       struct block_split *split)
{
	read_bytes(c, split->value, width);
	return true;
}

static bool write_drop(const struct block_split *split, uint8_t width,
		       struct buffer *out)
{
	return write_value(split, width, out) &&
	       buffer_le32(out, split->stride);
}

static bool read_drop(struct cursor *c, uint8_t width,
		      struct block_split *split)
{
	read_bytes(c, split->value, width);
	split->stride = cursor_le32(c);
	return true;
}

static bool write_repeat(const struct block_split *split, uint8_t width,
			 struct buffer *out)
{
	const struct repeat_distances *d = &split->distances;
	bool ok = buffer_u8(out, (uint8_t)d->n);

	(void)width;
	for (unsigned i = 0; i < d->n && ok; i++)
		ok = buffer_le32(out, d->list[i]);
	return ok;
}

static bool read_repeat(struct cursor *c, uint8_t width,
			struct block_split *split)
{
	struct repeat_distances *d = &split->distances;
	bool ok = true;

	(void)width;
	d->n = cursor_u8(c);
	if (d->n < 1 || d->n > REPEAT_DISTANCES_MAX)
		return false;
	for (unsigned i = 0; i < d->n; i++) {
		d->list[i] = cursor_le32(c);
		ok = ok && d->list[i] > 0;
	}
	return ok;
}

static uint64_t shown_repeat(const struct block_split *split)
{
	return split->distances.list[0];
}

static bool write_exceptions(const struct block_split *split,
			     struct buffer *out)
{
	return buffer_u8(out, split->has_exceptions) &&
	       buffer_le64(out, (uint64_t)split->minimum);
}

/* Bytes past the end are read as 0, which is checked later. */
static bool read_exceptions(struct cursor *c, struct block_split *split)
{
	uint8_t has_exceptions = cursor_u8(c);

	split->has_exceptions = has_exceptions != 0;
	split->minimum = (int64_t)cursor_le64(c);
	return has_exceptions <= 1;
}

static bool write_fraction(const struct block_split *split, uint8_t width,
			   struct buffer *out)
{
	(void)width;
	return buffer_le64(out, split->divisor) &&
	       buffer_le64(out, split->factor) && write_exceptions(split, out);
}

static bool read_fraction(struct cursor *c, uint8_t width,
			  struct block_split *split)
{
	(void)width;
	split->divisor = cursor_le64(c);
	split->factor = cursor_le64(c);
	return read_exceptions(c, split) && split->divisor > 0 &&
	       split->divisor <= DECIMAL_DIVISOR_MAX && split->factor > 0;
}

static uint64_t shown_fraction(const struct block_split *split)
{
	return split->divisor;
}

static bool write_multiple(const struct block_split *split, uint8_t width,
			   struct buffer *out)
{
	(void)width;
	return buffer_le64(out, split->factor) &&
	       buffer_le64(out, (uint64_t)split->minimum);
}

static bool read_multiple(struct cursor *c, uint8_t width,
			  struct block_split *split)
{
	(void)width;
	split->factor = cursor_le64(c);
	split->minimum = (int64_t)cursor_le64(c);
	return split->factor > 0;
}

static uint64_t shown_multiple(const struct block_split *split)
{
	return split->factor;
}

/* By enum block_split_id. */
static const struct split_ops splits[] = {
	[BLOCK_CONSTANT] = { .name = "constant",
			     .width_min = 1,
			     .stands_alone = true,
			     .write = write_value,
			     .read = read_value },
	[BLOCK_DROP] = { .name = "drop",
			 .transform = BLOCK_TRANSFORM_DROP,
			 .width_min = 1,
			 .goes_first = true,
			 .nparts = 1,
			 .write = write_drop,
			 .read = read_drop },
	[BLOCK_PALETTE] = { .name = "palette",
			    .transform = BLOCK_TRANSFORM_PALETTE,
			    .width_min = 1,
			    .makes_integers = true,
			    .nparts = 1 },
	[BLOCK_FRACTION] = { .name = "fraction",
			     .transform = BLOCK_TRANSFORM_DECIMAL,
			     .width_min = 4,
			     .makes_integers = true,
			     .write = write_fraction,
			     .read = read_fraction,
			     .shown = shown_fraction },
	[BLOCK_MULTIPLE] = { .name = "multiple",
			     .transform = BLOCK_TRANSFORM_DECIMAL,
			     .width_min = 1,
			     .makes_integers = true,
			     .write = write_multiple,
			     .read = read_multiple,
			     .shown = shown_multiple },
	[BLOCK_REPEAT] = { .name = "repeat",
			   .transform = BLOCK_TRANSFORM_REPEAT,
			   .width_min = 1,
			   .goes_first = true,
			   .nparts = 1,
			   .write = write_repeat,
			   .read = read_repeat,
			   .shown = shown_repeat },
};

const struct split_ops *split_ops_of(uint8_t id)
{
	return id > 0 && id < sizeof(splits) / sizeof(*splits) ? &splits[id] :
								 NULL;
}

const char *block_split_name(uint8_t id)
{
	return split_ops_of(id) ? split_ops_of(id)->name : NULL;
}

bool block_has_split(const struct block_prepared *prepared,
		     enum block_split_id id)
{
	const struct block_description *d = &prepared->description;

	for (unsigned i = 0; i < d->nsplits; i++)
		if (d->splits[i].id == id)
			return true;
	return false;
}

uint8_t block_transforms(const struct block_prepared *prepared)
{
	const struct block_description *d = &prepared->description;
	uint8_t transforms = 0;

	for (unsigned i = 0; i < d->nsplits; i++)
		transforms |= split_ops_of(d->splits[i].id)->transform;
	return transforms;
}

bool block_has_integers(const struct block_prepared *prepared)
{
	const struct block_description *d = &prepared->description;

	return d->nsplits > 0 &&
	       split_ops_of(d->splits[d->nsplits - 1].id)->makes_integers;
}
