/* SPDX-License-Identifier: MIT */
/*
 * Numbers of attributes are brought to the variable's type first, so that
 * values are compared as they are stored: a fill value of 64 bits is not
 * rounded to a double that its neighbours share.
 */
#include "classic/unpack.h"

#include <math.h>
#include <string.h>

#include "classic/values.h"

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

static void init_range(struct values_unpacking *u)
{
#define CASE_RANGE(name, ctype, least, greatest) \
	case CLASSIC_##name: \
		memcpy(u->min.bytes, &(ctype){ least }, sizeof(ctype)); \
		memcpy(u->max.bytes, &(ctype){ greatest }, sizeof(ctype)); \
		break;

	switch (u->type) {
		FOR_EACH_TYPE(CASE_RANGE)
	case CLASSIC_CHAR:
		break;
	}
}

static const struct classic_att *find(const struct classic_var *var,
				      const char *name)
{
	size_t nbytes = strlen(name);

	for (size_t i = 0; i < var->atts.count; i++) {
		const struct classic_att *att = &var->atts.list[i];

		if (att->name.nbytes == nbytes &&
		    memcmp(att->name.bytes, name, nbytes) == 0)
			return att;
	}
	return NULL;
}

/* One element as a C value; false if it does not fit. */
static bool convert(const struct classic_att *att, uint64_t i,
		    enum classic_type to, void *out)
{
	const struct values_conversion c = {
		.from = att->type,
		.to = to,
		.checks_ubyte = true,
	};
	const struct values_run run = {
		.in = att->values + i * classic_type_nbytes(att->type),
		.in_step = 1,
		.out = out,
		.out_step = 1,
		.n = 1,
	};

	return values_convert(&c, &run);
}

static bool is_number(const struct classic_att *att)
{
	return att && att->type != CLASSIC_CHAR;
}

static bool is_real(enum classic_type type)
{
	return type == CLASSIC_FLOAT || type == CLASSIC_DOUBLE;
}

/* One more than the greatest integer of a type. */
static double integer_end(enum classic_type type)
{
	bool has_sign = type < CLASSIC_UBYTE || type == CLASSIC_INT64;

	return ldexp(1, 8 * classic_type_nbytes(type) - has_sign);
}

/* Element 'i' in the variable's type; false if the type does not have it. */
static bool number(const struct classic_att *att, uint64_t i,
		   enum classic_type type, struct unpack_number *number_ret)
{
	double x = 0;

	if (!is_number(att) || i >= att->nelems)
		return false;
	*number_ret = (struct unpack_number){ { 0 } };
	if (is_real(att->type) && !is_real(type)) {
		convert(att, i, CLASSIC_DOUBLE, &x);
		/* NaN is not equal to itself; 2^63 and 2^64 would fit. */
		if (!(trunc(x) == x) || x >= integer_end(type))
			return false;
	}
	return convert(att, i, type, number_ret->bytes);
}

static double scalar(const struct classic_var *var, const char *name,
		     double otherwise)
{
	const struct classic_att *att = find(var, name);
	double x = otherwise;

	if (is_number(att) && att->nelems > 0)
		convert(att, 0, CLASSIC_DOUBLE, &x);
	return x;
}

static void set_range(struct values_unpacking *u, const struct classic_var *var)
{
	const struct classic_att *range = find(var, "valid_range");
	struct unpack_number min, max;

	if (range && range->nelems == 2 && number(range, 0, var->type, &min) &&
	    number(range, 1, var->type, &max)) {
		u->min = min;
		u->max = max;
		return;
	}
	if (number(find(var, "valid_min"), 0, var->type, &min))
		u->min = min;
	if (number(find(var, "valid_max"), 0, var->type, &max))
		u->max = max;
}

/* netCDF's fill value of a type; false for single bytes, which have none. */
static bool default_fill(enum classic_type type, struct unpack_number *fill_ret)
{
	size_t nbytes = classic_type_nbytes(type);

	if (nbytes < 2)
		return false;
	memcpy(fill_ret->bytes, classic_type_fill(type), nbytes);
	return true;
}

static int add_missing(struct values_unpacking *u,
		       const struct unpack_number *missing,
		       struct nc3z_error *err)
{
	if (u->nmissing == UNPACK_MISSING_MAX)
		return error_set(err, NC3Z_ELIMIT,
				 "more than %d missing values",
				 UNPACK_MISSING_MAX);
	u->missing[u->nmissing++] = *missing;
	return NC3Z_OK;
}

static int list_missing(struct values_unpacking *u,
			const struct classic_var *var, struct nc3z_error *err)
{
	const struct classic_att *att = find(var, "missing_value");
	struct unpack_number missing;

	if (number(find(var, "_FillValue"), 0, var->type, &missing) ||
	    default_fill(var->type, &missing))
		NC3Z_TRY(add_missing(u, &missing, err));
	for (uint64_t i = 0; att && i < att->nelems; i++)
		if (number(att, i, var->type, &missing))
			NC3Z_TRY(add_missing(u, &missing, err));
	return NC3Z_OK;
}

static enum classic_type packed_type(const struct classic_var *var)
{
	static const enum classic_type twins[] = {
		[CLASSIC_BYTE] = CLASSIC_UBYTE,
		[CLASSIC_SHORT] = CLASSIC_USHORT,
		[CLASSIC_INT] = CLASSIC_UINT,
		[CLASSIC_FLOAT] = CLASSIC_FLOAT,
		[CLASSIC_DOUBLE] = CLASSIC_DOUBLE,
		[CLASSIC_UBYTE] = CLASSIC_UBYTE,
		[CLASSIC_USHORT] = CLASSIC_USHORT,
		[CLASSIC_UINT] = CLASSIC_UINT,
		[CLASSIC_INT64] = CLASSIC_UINT64,
		[CLASSIC_UINT64] = CLASSIC_UINT64,
	};
	const struct classic_att *att = find(var, "_Unsigned");
	const uint8_t *text = att ? att->values : NULL;

	if (!att || att->type != CLASSIC_CHAR || att->nelems != 4 ||
	    (memcmp(text, "true", 4) != 0 && memcmp(text, "True", 4) != 0))
		return var->type;
	return twins[var->type];
}

int values_unpacking_init(struct values_unpacking *unpacking,
			  const struct classic_var *var, struct nc3z_error *err)
{
	struct values_unpacking *u = unpacking;

	u->type = packed_type(var);
	u->nmissing = 0;
	u->scale = scalar(var, "scale_factor", 1);
	/* The neutral offset is -0: adding 0 would turn -0 into 0. */
	u->offset = scalar(var, "add_offset", -0.0);
	init_range(u);
	set_range(u, var);
	return list_missing(u, var, err);
}
