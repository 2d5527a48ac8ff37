/* SPDX-License-Identifier: MIT */
#include "shape.h"

#include <stdio.h>

#include "check.h"

#define FAR_AWAY (UINT64_C(1) << 33)

uint64_t shape_type_nbytes(uint32_t type)
{
	static const uint8_t nbytes[] = { 0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8 };

	return type < sizeof(nbytes) ? nbytes[type] : 0;
}

static uint32_t count_types(const struct shape *shape)
{
	return shape->version == 5 ? 11 : 6;
}

uint32_t shape_att_type(const struct shape *shape, uint32_t i)
{
	return 1 + i % count_types(shape);
}

uint64_t shape_att_nelems(uint32_t i)
{
	return i * 3 % 5;
}

/* A count or length. */
static void put_size(const struct shape *shape, struct blob *out, uint64_t v)
{
	blob_be(out, v, shape->version == 5 ? 8 : 4);
}

static void pad4(struct blob *out, uint64_t nbytes)
{
	blob_fill(out, 0, (size_t)((4 - nbytes % 4) % 4));
}

static void put_name(const struct shape *shape, struct blob *out,
		     const char *format, uint32_t i)
{
	char name[32];
	size_t n;

	snprintf(name, sizeof(name), "%s%u", format, i);
	n = strlen(name);
	put_size(shape, out, n);
	blob_put(out, name, n);
	pad4(out, n);
}

static void put_list(const struct shape *shape, struct blob *out, uint32_t tag,
		     uint32_t count)
{
	blob_be32(out, count ? tag : 0);
	put_size(shape, out, count);
}

static void put_atts(const struct shape *shape, struct blob *out,
		     uint32_t natts)
{
	put_list(shape, out, 12, natts);
	for (uint32_t i = 0; i < natts; i++) {
		uint32_t type = shape_att_type(shape, i);
		uint64_t nelems = shape_att_nelems(i);
		uint64_t nbytes = nelems * shape_type_nbytes(type);

		put_name(shape, out, "a", i);
		blob_be32(out, type);
		put_size(shape, out, nelems);
		for (uint64_t k = 0; k < nbytes; k++)
			blob_be(out, 16 * i + k, 1);
		pad4(out, nbytes);
	}
}

static void put_var(const struct shape *shape, struct blob *out, uint32_t v)
{
	const struct shape_var *var = &shape->vars[v];
	uint64_t nbytes = 0;

	put_name(shape, out, "var_", v);
	put_size(shape, out, var->rank);
	for (uint32_t i = 0; i < var->rank; i++)
		put_size(shape, out, var->dimids[i]);
	put_atts(shape, out, var->natts);
	blob_be32(out, var->type);
	shape_var_nbytes(shape, v, &nbytes);
	put_size(shape, out, (nbytes + 3) / 4 * 4);
	blob_be(out, var->begin, shape->version == 1 ? 4 : 8);
}

void shape_write(const struct shape *shape, struct blob *out)
{
	blob_put(out, "CDF", 3);
	blob_be(out, shape->version, 1);
	put_size(shape, out, shape->numrecs);
	put_list(shape, out, 10, shape->ndims);
	for (uint32_t i = 0; i < shape->ndims; i++) {
		put_name(shape, out, "d", i);
		put_size(shape, out, shape->dims[i]);
	}
	put_atts(shape, out, shape->natts);
	put_list(shape, out, 11, shape->nvars);
	for (uint32_t i = 0; i < shape->nvars; i++)
		put_var(shape, out, i);
}

uint64_t shape_header_nbytes(const struct shape *shape)
{
	struct blob b = { 0 };
	uint64_t nbytes;

	shape_write(shape, &b);
	nbytes = b.nbytes;
	blob_release(&b);
	return nbytes;
}

bool shape_is_record(const struct shape *shape, uint32_t v)
{
	const struct shape_var *var = &shape->vars[v];

	return var->rank > 0 && shape->dims[var->dimids[0]] == 0;
}

bool shape_var_nbytes(const struct shape *shape, uint32_t v,
		      uint64_t *nbytes_ret)
{
	const struct shape_var *var = &shape->vars[v];
	uint64_t nbytes = shape_type_nbytes(var->type);
	bool fits = true, is_empty = false;

	for (uint32_t i = shape_is_record(shape, v); i < var->rank; i++) {
		uint64_t length = shape->dims[var->dimids[i]];

		if (length == 0)
			is_empty = true;
		else if (nbytes > SHAPE_OFFSET_END / length)
			fits = false;
		else
			nbytes *= length;
	}
	*nbytes_ret = is_empty ? 0 : nbytes;
	return fits || is_empty;
}

uint64_t shape_record_nbytes(const struct shape *shape)
{
	uint64_t sum = 0, last = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < shape->nvars; i++)
		if (shape_is_record(shape, i)) {
			shape_var_nbytes(shape, i, &last);
			sum += (last + 3) / 4 * 4;
			count++;
		}
	return count == 1 ? last : sum;
}

void shape_place(struct shape *shape, uint64_t gap)
{
	uint64_t at = (shape_header_nbytes(shape) + gap + 3) / 4 * 4;

	for (int of_records = 0; of_records < 2; of_records++)
		for (uint32_t i = 0; i < shape->nvars; i++) {
			uint64_t nbytes;

			if (shape_is_record(shape, i) != of_records)
				continue;
			shape_var_nbytes(shape, i, &nbytes);
			shape->vars[i].begin = at;
			at += (nbytes + 3) / 4 * 4;
		}
}

uint64_t shape_end(const struct shape *shape)
{
	uint64_t end = shape_header_nbytes(shape);

	for (uint32_t i = 0; i < shape->nvars; i++) {
		uint64_t last = shape->vars[i].begin, nbytes;

		shape_var_nbytes(shape, i, &nbytes);
		if (last > FAR_AWAY)
			continue;
		if (shape_is_record(shape, i)) {
			if (shape->numrecs == 0)
				continue;
			last += (shape->numrecs - 1) *
				shape_record_nbytes(shape);
		}
		if (nbytes > 0 && last + nbytes > end)
			end = last + nbytes;
	}
	return end;
}

static uint32_t below(uint64_t *seed, uint32_t limit)
{
	return (uint32_t)check_random_below(seed, limit);
}

/* Short lengths more often than long ones. */
static uint64_t random_length(uint64_t *seed, uint32_t max)
{
	uint32_t limit = 1 + below(seed, max);

	return 1 + below(seed, limit);
}

static void random_var(struct shape *shape, struct shape_var *var,
		       uint32_t max_rank, uint64_t *seed)
{
	var->type = 1 + below(seed, count_types(shape));
	var->natts = below(seed, 8) == 0 ? below(seed, 4) : 0;
	var->rank = shape->ndims ? below(seed, max_rank + 1) : 0;
	for (uint32_t i = 0; i < var->rank; i++) {
		var->dimids[i] = below(seed, shape->ndims);
		/* Dimension 0 may be the record dimension. */
		if (i > 0 && shape->ndims > 1 && var->dimids[i] == 0 &&
		    below(seed, 20) != 0)
			var->dimids[i] = 1;
	}
	if (var->rank > 0 && below(seed, 2) == 0)
		var->dimids[0] = 0;
}

void shape_random(struct shape *shape, const struct shape_limits *limits,
		  uint64_t *seed)
{
	static const uint8_t versions[] = { 1, 2, 5 };

	*shape = (struct shape){ .version = versions[below(seed, 3)] };
	shape->ndims = below(seed, SHAPE_DIMS_MAX + 1);
	for (uint32_t i = 0; i < shape->ndims; i++)
		shape->dims[i] = random_length(seed, limits->max_length);
	if (shape->ndims > 0 && below(seed, 4) != 0) {
		shape->dims[0] = 0;
		shape->numrecs = below(seed, limits->max_nrecords + 1);
	}
	shape->natts = below(seed, 5);
	shape->nvars = below(seed, 1 + below(seed, limits->max_nvars + 1));
	for (uint32_t i = 0; i < shape->nvars; i++)
		random_var(shape, &shape->vars[i],
			   limits->max_rank ? limits->max_rank : 3, seed);
	shape_place(shape, below(seed, 3) == 0 ? below(seed, 5000) : 0);
}

const char *shape_random_chunks(char text[80], uint64_t *seed)
{
	unsigned n[5];

	for (int i = 0; i < 5; i++)
		n[i] = 1 + (unsigned)check_random_below(seed, i ? 8 : 30);
	snprintf(text, 80, "d0/%u,d1/%u,d2/%u,d3/%u,d4/%u", n[0], n[1], n[2],
		 n[3], n[4]);
	return text;
}

void shape_disturb(struct shape *shape, uint64_t *seed)
{
	uint32_t count = shape->nvars ? 1 + below(seed, 3) : 0;

	for (uint32_t i = 0; i < count; i++) {
		struct shape_var *var = &shape->vars[below(seed, shape->nvars)];

		switch (below(seed, 6)) {
		case 0:
			var->begin += below(seed, 100);
			break;
		case 1:
			var->begin -= below(seed, 100);
			break;
		case 2:
			var->begin = below(seed, 3000);
			break;
		case 3:
			var->begin =
				shape->vars[below(seed, shape->nvars)].begin;
			break;
		case 4:
			var->begin = shape_end(shape) + below(seed, 3000);
			break;
		default:
			var->begin = check_random(seed);
		}
		if (shape->version == 1)
			var->begin &= UINT32_MAX;
	}
}

void shape_file(const struct shape *shape, uint64_t size, uint64_t *seed,
		struct blob *out)
{
	size_t begin = out->nbytes;
	bool is_smooth = below(seed, 2) == 0;

	shape_write(shape, out);
	while (out->nbytes - begin < size) {
		uint32_t at = (uint32_t)(out->nbytes - begin);

		if (is_smooth) /* slowly growing 32-bit numbers */
			blob_be32(out, at * 3 + at / 64 * 5 + below(seed, 4));
		else
			blob_be(out, check_random(seed), 8);
	}
	out->nbytes = begin + (size_t)size;
}
