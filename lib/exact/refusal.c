/* SPDX-License-Identifier: MIT */
/*
 * What the classic formats can say and netCDF-4 cannot, as netcdf-c and HDF5
 * have it.  The manual page of nc3convert has the table.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "exact/storage.h"

/*
 * Names of attributes that netCDF-4 has for itself, in any version of netcdf-c:
 * it does not show them, or not what they say.
 */
static const char *const reserved[] = {
	"CLASS",
	"DIMENSION_LIST",
	"NAME",
	"REFERENCE_LIST",
	"_ARRAY_DIMENSIONS",
	"_Codecs",
	"_Format",
	"_IsNetcdf4",
	"_NCProperties",
	"_NCZARR_ARRAY",
	"_NCZARR_ATTR",
	"_NCZARR_DEFAULT_MAXSTRLEN",
	"_NCZARR_GROUP",
	"_NCZARR_SUPERBLOCK",
	"_Netcdf4Coordinates",
	"_Netcdf4Dimid",
	"_SuperblockVersion",
	"_nc3_strict",
	"_nczarr_array",
	"_nczarr_attr",
	"_nczarr_attrs",
	"_nczarr_default_maxstrlen",
	"_nczarr_group",
	"_nczarr_maxstrlen",
	"_nczarr_superblock",
};

/* Those that netcdf-c takes for one integer, whatever they are. */
static const char *const quantize[] = {
	"_QuantizeBitGroomNumberOfSignificantDigits",
	"_QuantizeBitRoundNumberOfSignificantBits",
	"_QuantizeGranularBitRoundNumberOfSignificantDigits",
};

/* Of a name, in bytes: one less than where ncdump fails. */
#define NAME_NBYTES_MAX 255
/* Of one with a mark before it, which nobody shows. */
#define MARKED_NBYTES_MAX 256

/* How much of a name is shown. */
static int shown(const struct classic_name *name)
{
	return (int)size_min(name->nbytes, 64);
}

static int refuse_name(const char *what, const struct classic_name *name,
		       const char *why, struct nc3z_error *err)
{
	return error_set(err, NC3Z_EINVAL,
			 "not possible in netCDF-4: %s %.*s %s; an archive "
			 "keeps it",
			 what, shown(name), name->bytes, why);
}

static int check_name(const char *what, const struct classic_name *name,
		      struct nc3z_error *err)
{
	if (name->nbytes == 0)
		return refuse_name(what, name, "has an empty name", err);
	if (name->nbytes > NAME_NBYTES_MAX)
		return refuse_name(what, name, "has more than 255 bytes", err);
	if (memchr(name->bytes, '\0', name->nbytes))
		return refuse_name(what, name, "has a NUL in its name", err);
	if (memchr(name->bytes, '/', name->nbytes))
		return refuse_name(what, name, "has a slash in its name", err);
	if (name->nbytes == 1 && name->bytes[0] == '.')
		return refuse_name(what, name,
				   "has a name that HDF5 does not allow", err);
	return NC3Z_OK;
}

static int compare_names(const void *first, const void *second)
{
	const struct classic_name
		*a = *(const struct classic_name *const *)first,
		*b = *(const struct classic_name *const *)second;
	int order = memcmp(a->bytes, b->bytes,
			   a->nbytes < b->nbytes ? a->nbytes : b->nbytes);

	if (order != 0)
		return order;
	return a->nbytes < b->nbytes ? -1 : a->nbytes > b->nbytes;
}

/* All of them at a distance in memory: valid, and each there once. */
static int check_names(const char *what, const struct classic_name *first,
		       size_t count, size_t distance, struct nc3z_error *err)
{
	const struct classic_name **names = memory_alloc(count, sizeof(*names));
	int status = NC3Z_OK;

	if (!names)
		return error_set_memory(err);
	for (size_t i = 0; i < count && status == NC3Z_OK; i++) {
		names[i] = (const struct classic_name
				    *)(const void *)((const char *)first +
						     i * distance);
		status = check_name(what, names[i], err);
	}
	if (status == NC3Z_OK)
		qsort((void *)names, count, sizeof(*names), compare_names);
	for (size_t i = 1; i < count && status == NC3Z_OK; i++)
		if (compare_names(&names[i - 1], &names[i]) == 0)
			status = refuse_name(what, names[i], "occurs twice",
					     err);
	free((void *)names);
	return status;
}

static bool is_one_of(const struct classic_name *name, const char *const *list,
		      size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (name->nbytes == strlen(list[i]) &&
		    memcmp(name->bytes, list[i], name->nbytes) == 0)
			return true;
	return false;
}

static int check_att(const struct classic_att *att, struct nc3z_error *err)
{
	if (is_one_of(&att->name, reserved,
		      sizeof(reserved) / sizeof(reserved[0])))
		return refuse_name(
			"attribute", &att->name,
			"has a name that netCDF-4 reserves: rename it", err);
	if ((att->type != CLASSIC_INT || att->nelems != 1) &&
	    is_one_of(&att->name, quantize,
		      sizeof(quantize) / sizeof(quantize[0])))
		return refuse_name("attribute", &att->name,
				   "is not the one int that netCDF-4 takes it "
				   "for",
				   err);
	return NC3Z_OK;
}

static int check_atts(const struct classic_atts *atts, struct nc3z_error *err)
{
	if (atts->count == 0)
		return NC3Z_OK;
	NC3Z_TRY(check_names("attribute", &atts->list[0].name, atts->count,
			     sizeof(atts->list[0]), err));
	for (size_t i = 0; i < atts->count; i++)
		NC3Z_TRY(check_att(&atts->list[i], err));
	return NC3Z_OK;
}

/* What netCDF-4 puts before the name of a variable, if it has a dimension's. */
static int check_mark(const struct classic_header *header,
		      const struct classic_var *var, struct nc3z_error *err)
{
	static const char mark[] = CONTAINER_NON_COORDINATE;
	const size_t mark_nbytes = sizeof(mark) - 1;
	const struct classic_name *name = &var->name;

	if (name->nbytes >= mark_nbytes &&
	    memcmp(name->bytes, mark, mark_nbytes) == 0)
		return refuse_name("variable", name,
				   "has a name that begins as netCDF-4 marks "
				   "others: rename it",
				   err);
	if (name->nbytes + mark_nbytes <= MARKED_NBYTES_MAX)
		return NC3Z_OK;
	for (size_t i = 0; i < header->ndims; i++) {
		const struct classic_name *dim = &header->dims[i].name;

		if (compare_names(&name, &dim) == 0 &&
		    (var->ndims == 0 || var->dimids[0] != i))
			return refuse_name("variable", name,
					   "has more than 241 bytes, and the "
					   "name of a dimension that is not "
					   "its first: rename it",
					   err);
	}
	return NC3Z_OK;
}

static int check_var(const struct classic_header *header,
		     const struct classic_var *var, struct nc3z_error *err)
{
	if (var->ndims > HDF5_RANK_MAX)
		return refuse_name("variable", &var->name,
				   "has more than 32 dimensions", err);
	for (size_t k = 1; k < var->ndims; k++)
		if (header->dims[var->dimids[k]].length == 0)
			return refuse_name("variable", &var->name,
					   "has the record dimension, but not "
					   "as its first",
					   err);
	NC3Z_TRY(check_mark(header, var, err));
	return check_atts(&var->atts, err);
}

static int check_dims(const struct classic_header *header,
		      struct nc3z_error *err)
{
	size_t nrecords = 0;

	for (size_t i = 0; i < header->ndims; i++)
		if (header->dims[i].length == 0 && ++nrecords > 1)
			return refuse_name(
				"dimension", &header->dims[i].name,
				"has length 0, and so has another one", err);
	return header->ndims == 0 ?
		       NC3Z_OK :
		       check_names("dimension", &header->dims[0].name,
				   header->ndims, sizeof(header->dims[0]), err);
}

int exact_refuse(const struct classic_header *header, struct nc3z_error *err)
{
	NC3Z_TRY(check_dims(header, err));
	NC3Z_TRY(check_atts(&header->atts, err));
	if (header->nvars > 0)
		NC3Z_TRY(check_names("variable", &header->vars[0].name,
				     header->nvars, sizeof(header->vars[0]),
				     err));
	for (size_t i = 0; i < header->nvars; i++)
		NC3Z_TRY(check_var(header, &header->vars[i], err));
	return NC3Z_OK;
}
