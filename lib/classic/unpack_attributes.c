/* SPDX-License-Identifier: MIT */
/*
 * Numbers of attributes are brought to the variable's type first, so that
 * values are compared as they are stored: a fill value of 64 bits is not
 * rounded to a double that its neighbours share.
 */
#include "classic/unpack_attributes.h"

#include <math.h>
#include <string.h>

#include "classic/values.h"

static const struct classic_att *find_attribute(const struct classic_var *var,
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

/* Where one of the two is not a number, the other means nothing, either. */
static void set_scale(struct values_unpacking *u, const struct classic_var *var)
{
	const struct classic_att *scale = find_attribute(var, "scale_factor");
	const struct classic_att *offset = find_attribute(var, "add_offset");

	if ((scale && (!is_number(scale) || scale->nelems != 1)) ||
	    (offset && (!is_number(offset) || offset->nelems != 1)))
		return;
	if (scale)
		convert(scale, 0, CLASSIC_DOUBLE, &u->scale);
	if (offset)
		convert(offset, 0, CLASSIC_DOUBLE, &u->offset);
}

static void set_range(struct values_unpacking *u, const struct classic_var *var)
{
	const struct classic_att *range = find_attribute(var, "valid_range");
	struct unpack_number min, max;

	if (range && range->nelems == 2 && number(range, 0, var->type, &min) &&
	    number(range, 1, var->type, &max)) {
		u->min = min;
		u->max = max;
		return;
	}
	if (number(find_attribute(var, "valid_min"), 0, var->type, &min))
		u->min = min;
	if (number(find_attribute(var, "valid_max"), 0, var->type, &max))
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
	const struct classic_att *att = find_attribute(var, "missing_value");
	struct unpack_number missing;

	if (number(find_attribute(var, "_FillValue"), 0, var->type, &missing) ||
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
	const struct classic_att *att = find_attribute(var, "_Unsigned");
	const uint8_t *text = att ? att->values : NULL;

	if (!att || att->type != CLASSIC_CHAR || att->nelems != 4 ||
	    (memcmp(text, "true", 4) != 0 && memcmp(text, "True", 4) != 0))
		return var->type;
	return twins[var->type];
}

int values_unpacking_set(struct values_unpacking *unpacking,
			 const struct classic_var *var, struct nc3z_error *err)
{
	values_unpacking_init(unpacking, packed_type(var));
	set_scale(unpacking, var);
	set_range(unpacking, var);
	return list_missing(unpacking, var, err);
}
