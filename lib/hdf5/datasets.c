/* SPDX-License-Identifier: MIT */
/*
 * Datasets as netcdf-c makes them: one for each dimension that has no
 * coordinate variable, which holds no values, and one for each variable.  The
 * order in which they are made is the order of variables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hdf5/container.h"

/* Before the name of a variable that has a dimension's and is none of it. */
#define NON_COORDINATE "_nc4_non_coord_"

/* Of records, where nothing is written. */
#define EMPTY_CHUNK_LENGTH 1

static bool has_same_name(const struct classic_name *a,
			  const struct classic_name *b)
{
	return a->nbytes == b->nbytes &&
	       memcmp(a->bytes, b->bytes, a->nbytes) == 0;
}

size_t dim_coordinate(const struct classic_header *header, size_t dimid)
{
	for (size_t i = 0; i < header->nvars; i++) {
		const struct classic_var *var = &header->vars[i];

		if (has_same_name(&var->name, &header->dims[dimid].name))
			return var->ndims > 0 && var->dimids[0] == dimid ?
				       i :
				       SIZE_MAX;
	}
	return SIZE_MAX;
}

char *dataset_name(const struct classic_header *header, size_t variable)
{
	const struct classic_var *var = &header->vars[variable];
	const char *prefix = "";
	size_t size;
	char *name;

	for (size_t d = 0; d < header->ndims; d++)
		if (has_same_name(&var->name, &header->dims[d].name) &&
		    !(var->ndims > 0 && var->dimids[0] == d))
			prefix = NON_COORDINATE;
	size = strlen(prefix) + var->name.nbytes + 1;
	name = malloc(size);
	if (name)
		snprintf(name, size, "%s%.*s", prefix, (int)var->name.nbytes,
			 var->name.bytes);
	return name;
}

/* What all datasets have in common: no times, attributes in their order. */
static hid_t make_properties(void)
{
	hid_t p = H5Pcreate(H5P_DATASET_CREATE);

	if (H5Pset_obj_track_times(p, false) < 0 ||
	    H5Pset_attr_creation_order(p, H5P_CRT_ORDER_TRACKED |
						  H5P_CRT_ORDER_INDEXED) < 0 ||
	    H5Pset_attr_phase_change(p, UINT16_MAX, UINT16_MAX) < 0) {
		H5Pclose(p);
		return H5I_INVALID_HID;
	}
	return p;
}

/* A dataset; all that is given to it is closed. */
static hid_t create(hid_t file, const char *name, hid_t type, hid_t space,
		    hid_t properties)
{
	hid_t links = H5Pcreate(H5P_LINK_CREATE), dataset = H5I_INVALID_HID;

	if (properties >= 0 && space >= 0 &&
	    H5Pset_char_encoding(links, H5T_CSET_UTF8) >= 0)
		dataset = H5Dcreate2(file, name, type, space, links, properties,
				     H5P_DEFAULT);
	H5Pclose(links);
	if (properties >= 0)
		H5Pclose(properties);
	if (space >= 0)
		H5Sclose(space);
	return dataset;
}

/* A dimension of its own. */
static int create_dim(struct container *c, const struct container_plan *plan,
		      size_t dimid, struct nc3z_error *err)
{
	const struct classic_dim *dim = &plan->header->dims[dimid];
	hsize_t length = dim->length ? dim->length : plan->numrecs;
	hsize_t most = dim->length ? dim->length : H5S_UNLIMITED;
	hsize_t chunk = EMPTY_CHUNK_LENGTH;
	hid_t properties = make_properties();
	hid_t space = H5Screate_simple(1, &length, &most);
	char *name = classic_name_copy(&dim->name);

	if (!name)
		return error_set_memory(err);
	if (dim->length == 0 && H5Pset_chunk(properties, 1, &chunk) < 0)
		return hdf5_fail(err, "cannot make a dimension");
	c->dims[dimid] =
		create(c->file, name, H5T_IEEE_F32BE, space, properties);
	free(name);
	return c->dims[dimid] < 0 ? hdf5_fail(err, "cannot make a dimension") :
				    NC3Z_OK;
}

/* The variable's own fill value, if it is one; otherwise netCDF's. */
static herr_t set_fill(hid_t properties, const struct classic_var *var,
		       hid_t type)
{
	const void *fill = classic_type_fill(var->type);

	for (size_t i = 0; i < var->atts.count; i++) {
		const struct classic_att *att = &var->atts.list[i];
		const struct classic_name name = { "_FillValue", 10 };

		if (has_same_name(&att->name, &name) &&
		    att->type == var->type && att->nelems == 1)
			return H5Pset_fill_value(properties,
						 type_in_header(att->type),
						 att->values);
	}
	return H5Pset_fill_value(
		properties, H5Tget_native_type(type, H5T_DIR_ASCEND), fill);
}

static herr_t set_storage(hid_t properties, const struct container_storage *s,
			  size_t rank)
{
	hsize_t chunks[HDF5_RANK_MAX];

	if (!s->is_chunked)
		return 0;
	for (size_t k = 0; k < rank; k++)
		chunks[k] = s->chunks[k];
	if (H5Pset_chunk(properties, (int)rank, chunks) < 0 ||
	    (s->is_shuffled && H5Pset_shuffle(properties) < 0))
		return -1;
	return s->deflate_level > 0 ?
		       H5Pset_deflate(properties, (unsigned)s->deflate_level) :
		       0;
}

static hid_t make_space(const struct container_plan *plan,
			const struct classic_var *var)
{
	hsize_t lengths[HDF5_RANK_MAX], most[HDF5_RANK_MAX];

	for (size_t k = 0; k < var->ndims; k++) {
		uint64_t length = plan->header->dims[var->dimids[k]].length;

		lengths[k] = length ? length : plan->numrecs;
		most[k] = length ? length : H5S_UNLIMITED;
	}
	return var->ndims == 0 ?
		       H5Screate(H5S_SCALAR) :
		       H5Screate_simple((int)var->ndims, lengths, most);
}

static int create_var(struct container *c, const struct container_plan *plan,
		      size_t i, struct nc3z_error *err)
{
	const struct classic_var *var = &plan->header->vars[i];
	hid_t type = type_in_file(var->type), properties = make_properties();
	char *name = dataset_name(plan->header, i);

	if (!name) {
		H5Pclose(properties);
		return error_set_memory(err);
	}
	if (set_fill(properties, var, type) < 0 ||
	    set_storage(properties, &plan->storage[i], var->ndims) < 0) {
		H5Pclose(properties);
		properties = H5I_INVALID_HID;
	}
	c->vars[i] =
		create(c->file, name, type, make_space(plan, var), properties);
	free(name);
	return c->vars[i] < 0 ? hdf5_fail(err, "cannot make a variable") :
				NC3Z_OK;
}

static int create_all(struct container *c, const struct container_plan *plan,
		      bool *are_complete, struct nc3z_error *err)
{
	const struct classic_header *header = plan->header;

	for (size_t d = 0; d < header->ndims; d++)
		if (dim_coordinate(header, d) == SIZE_MAX) {
			NC3Z_TRY(create_dim(c, plan, d, err));
			NC3Z_TRY(attributes_of_scale(c, plan, d, err));
		}
	for (size_t i = 0; i < header->nvars; i++) {
		const struct classic_var *var = &header->vars[i];

		NC3Z_TRY(create_var(c, plan, i, err));
		if (var->ndims > 0 &&
		    dim_coordinate(header, (size_t)var->dimids[0]) == i) {
			c->dims[var->dimids[0]] = c->vars[i];
			NC3Z_TRY(attributes_of_scale(
				c, plan, (size_t)var->dimids[0], err));
		}
		NC3Z_TRY(attributes_of_variable(c, header, i, &are_complete[i],
						err));
	}
	return attributes_of_uses(c, header, are_complete, err);
}

int datasets_create(struct container *c, const struct container_plan *plan,
		    struct nc3z_error *err)
{
	bool *are_complete =
		memory_alloc(plan->header->nvars, sizeof(*are_complete));
	int status = are_complete ? create_all(c, plan, are_complete, err) :
				    error_set_memory(err);

	free(are_complete);
	return status;
}
