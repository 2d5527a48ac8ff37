/* SPDX-License-Identifier: MIT */
/*
 * Datasets as netcdf-c makes them: one for each dimension that has no
 * coordinate variable, which holds no values, and one for each variable.  The
 * order in which they get names is the order of variables.
 *
 * Attributes come first: while a dataset's header is the last thing in the file
 * it grows without a gap, and attributes stay in their order.  A name makes
 * that of the root grow.  Where there are many, names are not kept in that, and
 * come first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hdf5/container.h"

/* Of a classic header, whose contents HDF5 keeps until they have names. */
#define HEADERS_NBYTES_MAX (UINT32_C(4) << 20)

/* Of records, where nothing is written. */
#define EMPTY_CHUNK_LENGTH 1

bool datasets_are_many(const struct classic_header *header)
{
	return header->ndims + header->nvars > COMPACT_LINKS_MAX ||
	       header->nbytes > HEADERS_NBYTES_MAX;
}

static bool is_coordinate(const struct container *c,
			  const struct classic_var *var, size_t i)
{
	return var->ndims > 0 && c->roles.coordinates[var->dimids[0]] == i;
}

char *dataset_name(const struct container *c,
		   const struct classic_header *header, size_t variable)
{
	const struct classic_name *var = &header->vars[variable].name;
	const char *prefix =
		c->roles.is_other[variable] ? CONTAINER_NON_COORDINATE : "";
	size_t size = strlen(prefix) + var->nbytes + 1;
	char *name = malloc(size);

	if (name)
		snprintf(name, size, "%s%.*s", prefix, (int)var->nbytes,
			 var->bytes);
	return name;
}

/* What an attribute of a header of the first version may have, about. */
#define ATTRIBUTE_NBYTES_MAX 60000

/* Of one of the variables of a dimension, in an attribute of that. */
#define REFERENCE_NBYTES 16

static bool has_long_attribute(const struct classic_atts *atts)
{
	for (size_t i = 0; i < atts->count; i++)
		if (atts->list[i].nelems >
		    ATTRIBUTE_NBYTES_MAX /
			    classic_type_nbytes(atts->list[i].type))
			return true;
	return false;
}

static bool has_many_uses(const struct container *c, size_t dimid)
{
	return c->roles.nuses[dimid] > ATTRIBUTE_NBYTES_MAX / REFERENCE_NBYTES;
}

/*
 * What all datasets have in common: no times, no room in advance.  Their
 * headers are of the first version, in which attributes are in their order,
 * however many.  Those of the second one can have them so, too, but jsfive does
 * not read that.  It is taken for long attributes, which have a place of their
 * own there, and where there are many datasets.
 */
static hid_t make_properties(bool is_long)
{
	hid_t p = H5Pcreate(H5P_DATASET_CREATE);

	if (H5Pset_obj_track_times(p, false) < 0 ||
	    H5Pset_dset_no_attrs_hint(p, !is_long) < 0 ||
	    (is_long &&
	     H5Pset_attr_creation_order(
		     p, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) < 0)) {
		H5Pclose(p);
		return H5I_INVALID_HID;
	}
	return p;
}

/* A dataset without a name yet; all that is given to it is closed. */
static hid_t create(hid_t file, hid_t type, hid_t space, hid_t properties)
{
	hid_t dataset = H5I_INVALID_HID;

	if (properties >= 0 && space >= 0)
		dataset = H5Dcreate_anon(file, type, space, properties,
					 H5P_DEFAULT);
	if (properties >= 0)
		H5Pclose(properties);
	if (space >= 0)
		H5Sclose(space);
	return dataset;
}

/* Gives it a name, which is freed. */
static int give_name(const struct container *c, hid_t dataset, char *name,
		     struct nc3z_error *err)
{
	hid_t links = H5Pcreate(H5P_LINK_CREATE);
	herr_t done = -1;

	if (!name) {
		H5Pclose(links);
		return error_set_memory(err);
	}
	if (H5Pset_char_encoding(links, H5T_CSET_UTF8) >= 0)
		done = H5Olink(dataset, c->file, name, links, H5P_DEFAULT);
	H5Pclose(links);
	free(name);
	return done < 0 ? hdf5_fail(err, "cannot name a variable") : NC3Z_OK;
}

/* A dimension of its own. */
static int create_dim(struct container *c, const struct container_plan *plan,
		      size_t dimid, struct nc3z_error *err)
{
	const struct classic_dim *dim = &plan->header->dims[dimid];
	hsize_t length = dim->length ? dim->length : plan->numrecs;
	hsize_t most = dim->length ? dim->length : H5S_UNLIMITED;
	hsize_t chunk = EMPTY_CHUNK_LENGTH;
	hid_t properties = make_properties(datasets_are_many(plan->header) ||
					   has_many_uses(c, dimid));
	hid_t space = H5Screate_simple(1, &length, &most);

	if (dim->length == 0 && H5Pset_chunk(properties, 1, &chunk) < 0)
		return hdf5_fail(err, "cannot make a dimension");
	c->dims[dimid] = create(c->file, H5T_IEEE_F32BE, space, properties);
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

		if (att->name.nbytes == 10 &&
		    memcmp(att->name.bytes, "_FillValue", 10) == 0 &&
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
	bool is_long = datasets_are_many(plan->header) ||
		       has_long_attribute(&var->atts) ||
		       (is_coordinate(c, var, i) &&
			has_many_uses(c, (size_t)var->dimids[0]));
	hid_t type = type_in_file(var->type);
	hid_t properties = make_properties(is_long);

	if (set_fill(properties, var, type) < 0 ||
	    set_storage(properties, &plan->storage[i], var->ndims) < 0) {
		H5Pclose(properties);
		properties = H5I_INVALID_HID;
	}
	c->vars[i] = create(c->file, type, make_space(plan, var), properties);
	return c->vars[i] < 0 ? hdf5_fail(err, "cannot make a variable") :
				NC3Z_OK;
}

/* Of a dimension or a variable, unless it gets its name later. */
static int name_early(const struct container *c,
		      const struct classic_header *header, hid_t dataset,
		      char *name, struct nc3z_error *err)
{
	if (datasets_are_many(header))
		return give_name(c, dataset, name, err);
	free(name);
	return NC3Z_OK;
}

static int create_all(struct container *c, const struct container_plan *plan,
		      bool *are_complete, struct nc3z_error *err)
{
	const struct classic_header *header = plan->header;

	for (size_t d = 0; d < header->ndims; d++)
		if (c->roles.coordinates[d] == SIZE_MAX) {
			NC3Z_TRY(create_dim(c, plan, d, err));
			NC3Z_TRY(name_early(
				c, header, c->dims[d],
				classic_name_copy(&header->dims[d].name), err));
			NC3Z_TRY(attributes_of_scale(c, plan, d, err));
		}
	for (size_t i = 0; i < header->nvars; i++) {
		const struct classic_var *var = &header->vars[i];

		NC3Z_TRY(create_var(c, plan, i, err));
		NC3Z_TRY(name_early(c, header, c->vars[i],
				    dataset_name(c, header, i), err));
		if (is_coordinate(c, var, i)) {
			c->dims[var->dimids[0]] = c->vars[i];
			NC3Z_TRY(attributes_of_scale(
				c, plan, (size_t)var->dimids[0], err));
		}
		NC3Z_TRY(attributes_of_variable(c, header, i, &are_complete[i],
						err));
	}
	return attributes_of_uses(c, header, are_complete, err);
}

/* In the order of netCDF: dimensions, then variables. */
static int give_names(const struct container *c,
		      const struct classic_header *header,
		      struct nc3z_error *err)
{
	for (size_t d = 0; d < header->ndims; d++)
		if (c->roles.coordinates[d] == SIZE_MAX)
			NC3Z_TRY(give_name(
				c, c->dims[d],
				classic_name_copy(&header->dims[d].name), err));
	for (size_t i = 0; i < header->nvars; i++)
		NC3Z_TRY(give_name(c, c->vars[i], dataset_name(c, header, i),
				   err));
	return NC3Z_OK;
}

int datasets_create(struct container *c, const struct container_plan *plan,
		    struct nc3z_error *err)
{
	bool *are_complete =
		memory_alloc(plan->header->nvars, sizeof(*are_complete));
	int status = are_complete ? create_all(c, plan, are_complete, err) :
				    error_set_memory(err);

	free(are_complete);
	if (status == NC3Z_OK && !datasets_are_many(plan->header))
		status = give_names(c, plan->header, err);
	return status;
}
