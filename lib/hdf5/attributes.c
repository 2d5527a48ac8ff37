/* SPDX-License-Identifier: MIT */
/*
 * Attributes of the file and its variables, and those by which netCDF-4 finds
 * dimensions: each dataset of a dimension is a scale with the dimension's
 * number, and each variable names its dimensions by references and by
 * numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/magic.h"
#include "base/memory.h"
#include "hdf5/container.h"

/* HDF5's own layout of what refers to a variable. */
struct back_reference {
	hobj_ref_t dataset;
	int dimension;
};

/* Values of an attribute, in memory and in the file. */
struct attribute {
	const char *name;
	hid_t in_file;
	hid_t in_memory;
	hid_t space; /* closed when it is written */
	const void *values;
};

static int write_attribute(hid_t object, const struct attribute *a,
			   struct nc3z_error *err)
{
	hid_t properties = H5Pcreate(H5P_ATTRIBUTE_CREATE);
	hid_t attribute = H5I_INVALID_HID;
	herr_t done = -1;

	if (H5Pset_char_encoding(properties, H5T_CSET_UTF8) >= 0)
		attribute = H5Acreate2(object, a->name, a->in_file, a->space,
				       properties, H5P_DEFAULT);
	if (attribute >= 0) {
		done = a->values ?
			       H5Awrite(attribute, a->in_memory, a->values) :
			       0;
		H5Aclose(attribute);
	}
	H5Pclose(properties);
	H5Sclose(a->space);
	return done < 0 ? hdf5_fail(err, "cannot write an attribute") : NC3Z_OK;
}

static int write_text(hid_t object, const char *name, const void *text,
		      size_t nbytes, struct nc3z_error *err)
{
	hid_t type = H5Tcopy(H5T_C_S1);
	const struct attribute a = {
		name, type, type, H5Screate(H5S_SCALAR), nbytes > 0 ? text : "",
	};
	int status;

	/* No string has no bytes: it is as netcdf-c makes it. */
	H5Tset_size(type, nbytes > 0 ? nbytes : 1);
	status = write_attribute(object, &a, err);
	H5Tclose(type);
	return status;
}

static int write_ints(hid_t object, const char *name, const int *values,
		      hid_t space, struct nc3z_error *err)
{
	const struct attribute a = { name, H5T_STD_I32LE, H5T_NATIVE_INT, space,
				     values };

	return write_attribute(object, &a, err);
}

static int write_numbers(hid_t object, const char *name,
			 const struct classic_att *att, struct nc3z_error *err)
{
	hsize_t length = att->nelems;
	const struct attribute a = {
		name,
		type_in_file(att->type),
		type_in_header(att->type),
		length > 0 ? H5Screate_simple(1, &length, NULL) :
			     H5Screate(H5S_NULL),
		length > 0 ? att->values : NULL,
	};

	return write_attribute(object, &a, err);
}

static int write_all(hid_t object, const struct classic_atts *atts,
		     struct nc3z_error *err)
{
	int status = NC3Z_OK;

	for (size_t i = 0; i < atts->count && status == NC3Z_OK; i++) {
		const struct classic_att *att = &atts->list[i];
		char *name = classic_name_copy(&att->name);

		if (!name)
			return error_set_memory(err);
		status = att->type == CLASSIC_CHAR ?
				 write_text(object, name, att->values,
					    (size_t)att->nelems, err) :
				 write_numbers(object, name, att, err);
		free(name);
	}
	return status;
}

static herr_t refer(hid_t object, hobj_ref_t *reference)
{
	return H5Rcreate(reference, object, ".", H5R_OBJECT, -1);
}

/* By references: of a variable that is no scale itself. */
static int write_dimension_list(const struct container *c, size_t i,
				const struct classic_var *var,
				struct nc3z_error *err)
{
	hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ);
	hobj_ref_t references[HDF5_RANK_MAX];
	hvl_t lists[HDF5_RANK_MAX];
	hsize_t length = var->ndims;
	const struct attribute a = { "DIMENSION_LIST", type, type,
				     H5Screate_simple(1, &length, NULL),
				     lists };
	int status = NC3Z_OK;

	for (size_t k = 0; k < var->ndims; k++) {
		lists[k] = (hvl_t){ 1, &references[k] };
		if (refer(c->dims[var->dimids[k]], &references[k]) < 0)
			status = hdf5_fail(err, "cannot refer to a dimension");
	}
	if (status == NC3Z_OK)
		status = write_attribute(c->vars[i], &a, err);
	else
		H5Sclose(a.space);
	H5Tclose(type);
	return status;
}

static hid_t make_reference_type(void)
{
	hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct back_reference));

	H5Tinsert(type, "dataset", offsetof(struct back_reference, dataset),
		  H5T_STD_REF_OBJ);
	H5Tinsert(type, "dimension", offsetof(struct back_reference, dimension),
		  H5T_NATIVE_INT);
	return type;
}

/* The dimensions of all variables that are no scales. */
static int write_reference_list(const struct container *c, size_t dimid,
				const struct back_reference *list,
				hsize_t length, struct nc3z_error *err)
{
	hid_t type;
	int status;

	if (length == 0)
		return NC3Z_OK;
	type = make_reference_type();
	status = write_attribute(
		c->dims[dimid],
		&(struct attribute){ "REFERENCE_LIST", type, type,
				     H5Screate_simple(1, &length, NULL), list },
		err);
	H5Tclose(type);
	return status;
}

int attributes_of_scale(const struct container *c,
			const struct container_plan *plan, size_t dimid,
			struct nc3z_error *err)
{
	const struct classic_dim *dim = &plan->header->dims[dimid];
	int number = (int)dimid, status;
	size_t i = c->roles.coordinates[dimid];
	uint64_t length = dim->length ? dim->length : plan->numrecs;
	char *name = classic_name_copy(&dim->name), text[80];

	if (!name)
		return error_set_memory(err);
	snprintf(text, sizeof(text),
		 "This is a netCDF dimension but not a netCDF variable.%10d",
		 (int)length);
	status =
		write_text(c->dims[dimid], "CLASS", "DIMENSION_SCALE", 16, err);
	if (status == NC3Z_OK)
		status = i == SIZE_MAX ?
				 write_text(c->dims[dimid], "NAME", text,
					    strlen(text) + 1, err) :
				 write_text(c->dims[dimid], "NAME", name,
					    strlen(name) + 1, err);
	free(name);
	return status == NC3Z_OK ?
		       write_ints(c->dims[dimid], "_Netcdf4Dimid", &number,
				  H5Screate(H5S_SCALAR), err) :
		       status;
}

/* By numbers. */
static int write_coordinates(const struct container *c, size_t i,
			     const struct classic_var *var,
			     struct nc3z_error *err)
{
	int numbers[HDF5_RANK_MAX];
	hsize_t length = var->ndims;

	for (size_t k = 0; k < var->ndims; k++)
		numbers[k] = (int)var->dimids[k];
	return write_ints(c->vars[i], "_Netcdf4Coordinates", numbers,
			  H5Screate_simple(1, &length, NULL), err);
}

/* Of each dimension, the references end at 'ends'. */
static int note_uses(const struct container *c, size_t i,
		     const struct classic_var *var, struct back_reference *list,
		     size_t *ends, struct nc3z_error *err)
{
	struct back_reference reference = { 0 };

	if (refer(c->vars[i], &reference.dataset) < 0)
		return hdf5_fail(err, "cannot refer to a variable");
	for (size_t k = 0; k < var->ndims; k++) {
		reference.dimension = (int)k;
		list[ends[var->dimids[k]]++] = reference;
	}
	return NC3Z_OK;
}

static bool has_late_types(const struct classic_header *header)
{
	for (size_t i = 0; i < header->atts.count; i++)
		if (header->atts.list[i].type > CLASSIC_DOUBLE)
			return true;
	for (size_t i = 0; i < header->nvars; i++) {
		const struct classic_var *var = &header->vars[i];

		if (var->type > CLASSIC_DOUBLE)
			return true;
		for (size_t k = 0; k < var->atts.count; k++)
			if (var->atts.list[k].type > CLASSIC_DOUBLE)
				return true;
	}
	return false;
}

/* Of the file: by whom it was made, and that it is of the classic model. */
static int write_marks(const struct classic_header *header, hid_t root,
		       struct nc3z_error *err)
{
	unsigned major = 0, minor = 0, release = 0;
	int strict = 1;
	char text[100];

	H5get_libversion(&major, &minor, &release);
	snprintf(text, sizeof(text), MAGIC_EXACT_MARK "%s,hdf5=%u.%u.%u",
		 NC3Z_VERSION, major, minor, release);
	NC3Z_TRY(write_text(root, "_NCProperties", text, strlen(text), err));
	/* That model has no types of CDF-5. */
	return has_late_types(header) ? NC3Z_OK :
					write_ints(root, "_nc3_strict", &strict,
						   H5Screate(H5S_SCALAR), err);
}

int attributes_of_file(const struct container *c,
		       const struct classic_header *header,
		       struct nc3z_error *err)
{
	hid_t root = H5Gopen2(c->file, "/", H5P_DEFAULT);
	int status = write_marks(header, root, err);

	if (status == NC3Z_OK)
		status = write_all(root, &header->atts, err);
	H5Gclose(root);
	return status;
}

/* A scale has no other scales. */
static bool has_list(const struct container *c, const struct classic_var *var,
		     size_t i)
{
	return var->ndims > 0 && c->roles.coordinates[var->dimids[0]] != i;
}

int attributes_of_variable(const struct container *c,
			   const struct classic_header *header, size_t i,
			   bool *is_complete_ret, struct nc3z_error *err)
{
	const struct classic_var *var = &header->vars[i];

	*is_complete_ret = true;
	NC3Z_TRY(write_all(c->vars[i], &var->atts, err));
	if (var->ndims == 0)
		return NC3Z_OK;
	NC3Z_TRY(write_coordinates(c, i, var, err));
	for (size_t k = 0; k < var->ndims; k++)
		if (c->dims[var->dimids[k]] == 0)
			*is_complete_ret = false;
	return has_list(c, var, i) && *is_complete_ret ?
		       write_dimension_list(c, i, var, err) :
		       NC3Z_OK;
}

/* With room for all references of each dimension, one after the other. */
static int write_uses(const struct container *c,
		      const struct classic_header *header,
		      const bool *are_complete, struct back_reference *list,
		      size_t *ends, struct nc3z_error *err)
{
	size_t begin = 0;

	for (size_t i = 0; i < header->nvars; i++) {
		const struct classic_var *var = &header->vars[i];

		if (!has_list(c, var, i))
			continue;
		if (!are_complete[i])
			NC3Z_TRY(write_dimension_list(c, i, var, err));
		NC3Z_TRY(note_uses(c, i, var, list, ends, err));
	}
	for (size_t d = 0; d < header->ndims; d++) {
		NC3Z_TRY(write_reference_list(c, d, list + begin,
					      ends[d] - begin, err));
		begin += c->roles.nuses[d];
	}
	return NC3Z_OK;
}

int attributes_of_uses(const struct container *c,
		       const struct classic_header *header,
		       const bool *are_complete, struct nc3z_error *err)
{
	size_t *ends = memory_alloc(header->ndims, sizeof(*ends));
	struct back_reference *list = NULL;
	size_t count = 0;
	int status;

	for (size_t d = 0; ends && d < header->ndims; d++) {
		ends[d] = count;
		count += c->roles.nuses[d];
	}
	list = memory_alloc(count, sizeof(*list));
	status = ends && list ?
			 write_uses(c, header, are_complete, list, ends, err) :
			 error_set_memory(err);
	free(list);
	free(ends);
	return status;
}
