/* SPDX-License-Identifier: MIT */
/*
 * The checks that libnetcdf makes when it opens a file, beyond what parsing
 * needs: types, shapes, sizes, order.  Facts measured with libnetcdf 4.9.0.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/sizes.h"
#include "classic/header.h"

/* Bytes of a variable (of one record), UINT64_MAX if they do not fit. */
static uint64_t var_nbytes(const struct classic_header *header,
			   const struct classic_var *var)
{
	uint64_t nelems;

	if (!classic_var_nelems(header, var, &nelems))
		return UINT64_MAX;
	return size_mul_max(nelems, classic_type_nbytes(var->type), UINT64_MAX);
}

/* Where a variable (of one record) ends, with its padding. */
static uint64_t padded_end(const struct classic_header *header,
			   const struct classic_var *var)
{
	uint64_t padded;

	if (!size_pad4(var_nbytes(header, var), &padded))
		return UINT64_MAX;
	return size_add_max(var->begin, padded, UINT64_MAX);
}

static bool has_foreign_att(const struct classic_header *header,
			    const struct classic_atts *atts)
{
	for (size_t i = 0; i < atts->count; i++)
		if (!classic_type_in_version(atts->list[i].type,
					     header->version))
			return true;
	return false;
}

static bool has_foreign_type(const struct classic_header *header)
{
	if (has_foreign_att(header, &header->atts))
		return true;
	for (size_t i = 0; i < header->nvars; i++) {
		const struct classic_var *var = &header->vars[i];

		if (!classic_type_in_version(var->type, header->version) ||
		    has_foreign_att(header, &var->atts))
			return true;
	}
	return false;
}

static const struct classic_var *
has_late_record_dim(const struct classic_header *header)
{
	for (size_t i = 0; i < header->nvars; i++) {
		const struct classic_var *var = &header->vars[i];

		for (size_t j = 1; j < var->ndims; j++)
			if (header->dims[var->dimids[j]].length == 0)
				return var;
	}
	return NULL;
}

/*
 * Only the last variable of its kind may be longer than a vsize can say, and a
 * fixed one only if there are no record variables.
 */
static const struct classic_var *
has_oversize(const struct classic_header *header, bool of_records)
{
	uint64_t max = header->version == 1 ? INT32_MAX - 3 :
		       header->version == 2 ? UINT32_MAX - 3 :
					      INT64_MAX - 3;
	const struct classic_var *large = NULL;
	bool others = false;

	for (size_t i = 0; i < header->nvars; i++) {
		const struct classic_var *var = &header->vars[i];

		if (classic_var_is_record(header, var) != of_records)
			others = true;
		else if (large)
			return large;
		else if (var_nbytes(header, var) > max)
			large = var;
	}
	return !of_records && others ? large : NULL;
}

static const struct classic_var *
violates_sizes(const struct classic_header *header)
{
	const struct classic_var *large;

	for (size_t i = 0; i < header->nvars; i++)
		if (var_nbytes(header, &header->vars[i]) > INT64_MAX - 3)
			return &header->vars[i];
	large = has_oversize(header, false);
	return large ? large : has_oversize(header, true);
}

/* For libnetcdf offsets from 2^63 on are negative. */
static bool begins_before(const struct classic_var *var, uint64_t end)
{
	return var->begin < end || var->begin > INT64_MAX;
}

/*
 * Fixed variables lie one after the other in the order of the header, then
 * the record variables in theirs.
 */
static const struct classic_var *
is_out_of_order(const struct classic_header *header)
{
	uint64_t end = header->nbytes;

	for (size_t i = 0; i < 2 * header->nvars; i++) {
		const struct classic_var *var =
			&header->vars[i % header->nvars];
		bool is_record = classic_var_is_record(header, var);

		if (is_record != (i >= header->nvars))
			continue;
		if (begins_before(var, end))
			return var;
		end = padded_end(header, var);
		if (!is_record && end > INT64_MAX)
			return var;
	}
	return NULL;
}

/* What reads such a file. */
#define PYTHON " (Python's nc3z.File() reads it)"
#define BOTH " (Python's nc3z.File() and nc3convert --to=netcdf4 read it)"

const char *classic_refusal(const struct classic_header *header,
			    const struct classic_var **var_ret)
{
	*var_ret = NULL;
	if (has_foreign_type(header))
		return "a variable or attribute has a type of another format "
		       "version" BOTH;
	*var_ret = has_late_record_dim(header);
	if (*var_ret)
		return "a dimension of length 0 is not the first of a "
		       "variable" PYTHON;
	*var_ret = violates_sizes(header);
	if (*var_ret)
		return "a variable is too large for the format version" BOTH;
	*var_ret = is_out_of_order(header);
	return *var_ret ? "variables are not in the order of the header" BOTH :
			  NULL;
}

bool classic_refusal_text(const struct classic_header *header, char *text,
			  size_t text_nbytes)
{
	const struct classic_var *var;
	const char *reason = classic_refusal(header, &var);

	if (reason && var)
		snprintf(text, text_nbytes,
			 "variable %.*s at offset %" PRIu64 ": %s",
			 (int)size_min(var->name.nbytes, 64), var->name.bytes,
			 var->begin, reason);
	else if (reason)
		snprintf(text, text_nbytes, "%s", reason);
	return reason;
}
