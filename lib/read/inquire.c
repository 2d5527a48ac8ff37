/* SPDX-License-Identifier: MIT */
/* Questions about a file that need no block. */
#include <inttypes.h>
#include <string.h>

#include "classic/types.h"
#include "read/file.h"
#include "nc3z_tools.h"

int file_conversion(const struct nc3z_file *file, enum classic_type from,
		    int memtype, struct values_conversion *conversion_ret,
		    struct nc3z_error *err)
{
	if (memtype == NC3Z_NAT)
		memtype = (int)from;
	if (nc3z_type_nbytes(memtype) == 0)
		return error_set(err, NC3Z_EBADTYPE, "no type %d", memtype);
	*conversion_ret = (struct values_conversion){
		.from = from,
		.to = (enum classic_type)memtype,
		.checks_ubyte = file->header.version == 5,
	};
	if (!values_convertible(conversion_ret->from, conversion_ret->to))
		return error_set(err, NC3Z_ECHAR, "%s cannot be read as %s",
				 nc3z_type_name((int)from),
				 nc3z_type_name(memtype));
	return NC3Z_OK;
}

const char *nc3z_type_name(int type)
{
	return type > 0 ? classic_type_name((uint32_t)type) : "";
}

size_t nc3z_type_nbytes(int type)
{
	return type > 0 ? classic_type_nbytes((uint32_t)type) : 0;
}

const void *nc3z_type_fill(int type)
{
	return type > 0 ? classic_type_fill((uint32_t)type) : NULL;
}

static int record_dimid(const struct nc3z_file *file)
{
	for (size_t i = 0; i < file->header.ndims; i++)
		if (file->header.dims[i].length == 0)
			return (int)i;
	return -1;
}

void nc3z_inq(const struct nc3z_file *file, int *ndims_ret, int *nvars_ret,
	      int *natts_ret, int *unlimdimid_ret)
{
	if (!file)
		return;
	if (ndims_ret)
		*ndims_ret = (int)file->header.ndims;
	if (nvars_ret)
		*nvars_ret = (int)file->header.nvars;
	if (natts_ret)
		*natts_ret = (int)file->header.atts.count;
	if (unlimdimid_ret)
		*unlimdimid_ret = record_dimid(file);
}

int nc3z_inq_format(const struct nc3z_file *file)
{
	if (!file)
		return 0;
	return file->header.version;
}

const char *nc3z_inq_refusal(const struct nc3z_file *file)
{
	const struct classic_var *var;

	return file ? classic_refusal(&file->header, &var) : NULL;
}

int nc3z_inq_refusal_text(const struct nc3z_file *file, char *text,
			  size_t text_nbytes)
{
	return classic_refusal_text(&file->header, text, text_nbytes);
}

int nc3z_inq_dim(const struct nc3z_file *file, int dimid,
		 struct nc3z_dim *dim_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, file && dim_ret);

	const struct classic_dim *dim;

	if (dimid < 0 || (size_t)dimid >= file->header.ndims)
		return error_set(err, NC3Z_EBADDIM, "no dimension %d", dimid);
	dim = &file->header.dims[dimid];
	*dim_ret = (struct nc3z_dim){
		.name = dim->name.bytes,
		.length = dim->length ? dim->length : file->numrecs,
		.is_record = dim->length == 0,
	};
	return NC3Z_OK;
}

int nc3z_inq_dimid(const struct nc3z_file *file, const char *name,
		   int *dimid_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, file && name && dimid_ret);

	int dimid = name_index_find(&file->dim_names, name);

	if (dimid < 0)
		return error_set(err, NC3Z_EBADDIM, "no dimension %s", name);
	*dimid_ret = dimid;
	return NC3Z_OK;
}

int nc3z_inq_var(const struct nc3z_file *file, int varid,
		 struct nc3z_var *var_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, file && var_ret);
	if (varid < 0 || (size_t)varid >= file->header.nvars)
		return error_set(err, NC3Z_ENOTVAR, "no variable %d", varid);
	*var_ret = file->vars[varid];
	return NC3Z_OK;
}

int nc3z_inq_varid(const struct nc3z_file *file, const char *name,
		   int *varid_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, file && name && varid_ret);

	int varid = name_index_find(&file->var_names, name);

	if (varid < 0)
		return error_set(err, NC3Z_ENOTVAR, "no variable %s", name);
	*varid_ret = varid;
	return NC3Z_OK;
}

static int atts_of(const struct nc3z_file *file, int varid,
		   const struct classic_atts **atts_ret, struct nc3z_error *err)
{
	if (varid != NC3Z_GLOBAL &&
	    (varid < 0 || (size_t)varid >= file->header.nvars))
		return error_set(err, NC3Z_ENOTVAR, "no variable %d", varid);
	*atts_ret = varid == NC3Z_GLOBAL ? &file->header.atts :
					   &file->header.vars[varid].atts;
	return NC3Z_OK;
}

/* The number of an attribute with this name, -1 if there is none. */
static int attnum_of(const struct nc3z_file *file, int varid,
		     const struct classic_atts *atts, const char *name)
{
	if (atts->count >= ATTS_INDEXED)
		return name_index_find_att(&file->att_names, varid, name);
	for (size_t i = 0; i < atts->count; i++)
		if (strcmp(atts->list[i].name.bytes, name) == 0)
			return (int)i;
	return -1;
}

static int find_att(const struct nc3z_file *file, int varid, const char *name,
		    const struct classic_att **att_ret, int *attnum_ret,
		    struct nc3z_error *err)
{
	const struct classic_atts *atts = NULL;

	NC3Z_TRY(atts_of(file, varid, &atts, err));
	*attnum_ret = attnum_of(file, varid, atts, name);
	if (*attnum_ret >= 0) {
		*att_ret = &atts->list[*attnum_ret];
		return NC3Z_OK;
	}
	return varid == NC3Z_GLOBAL ?
		       error_set(err, NC3Z_ENOTATT, "no attribute %s", name) :
		       error_set(err, NC3Z_ENOTATT,
				 "variable %.64s: no attribute %s",
				 file->vars[varid].name, name);
}

static struct nc3z_att describe_att(const struct classic_att *att, int attnum)
{
	return (struct nc3z_att){
		.name = att->name.bytes,
		.type = (int)att->type,
		.nelems = att->nelems,
		.attnum = attnum,
	};
}

int nc3z_inq_att(const struct nc3z_file *file, int varid, const char *name,
		 struct nc3z_att *att_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, file && name && att_ret);

	const struct classic_att *att = NULL;
	int attnum = 0;

	NC3Z_TRY(find_att(file, varid, name, &att, &attnum, err));
	*att_ret = describe_att(att, attnum);
	return NC3Z_OK;
}

int nc3z_inq_attnum(const struct nc3z_file *file, int varid, int attnum,
		    struct nc3z_att *att_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, file && att_ret);

	const struct classic_atts *atts = NULL;

	NC3Z_TRY(atts_of(file, varid, &atts, err));
	if (attnum < 0 || (size_t)attnum >= atts->count)
		return error_set(err, NC3Z_ENOTATT, "no attribute %d", attnum);
	*att_ret = describe_att(&atts->list[attnum], attnum);
	return NC3Z_OK;
}

int nc3z_get_att(const struct nc3z_file *file, int varid, const char *name,
		 int memtype, void *values, struct nc3z_error *err)
{
	NC3Z_NEED(err, file && name);

	const struct classic_att *att = NULL;
	struct values_conversion conversion;
	struct values_run run = { .in_step = 1, .out_step = 1, .out = values };
	int attnum = 0;

	NC3Z_TRY(find_att(file, varid, name, &att, &attnum, err));
	NC3Z_TRY(file_conversion(file, att->type, memtype, &conversion, err));
	run.in = att->values;
	run.n = (size_t)att->nelems;
	if (!values_convert(&conversion, &run))
		return error_set(err, NC3Z_ERANGE,
				 "attribute %s has values out of the range of "
				 "the type",
				 name);
	return NC3Z_OK;
}

int nc3z_inq_summary(const struct nc3z_file *file,
		     struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, file && summary_ret);
	if (!file->is_archive)
		return error_set(err, NC3Z_ENOTARCHIVE,
				 "is a classic file, not an nc3z archive");
	*summary_ret = archive_summary(&file->archive.trailer,
				       &file->archive.catalogue);
	return NC3Z_OK;
}

int nc3z_inq_storage(const struct nc3z_file *file, int varid,
		     struct nc3z_storage *storage_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, file && storage_ret);

	const struct plan_stream *s;
	uint32_t stream;

	if (varid < 0 || (size_t)varid >= file->header.nvars)
		return error_set(err, NC3Z_ENOTVAR, "no variable %d", varid);
	if (!file->is_archive)
		return error_set(err, NC3Z_ENOTARCHIVE,
				 "is a classic file, not an nc3z archive");
	stream = file->places[varid].stream;
	*storage_ret = (struct nc3z_storage){ .stream = NC3Z_NO_NUMBER };
	if (stream == PLAN_NO_STREAM)
		return NC3Z_OK;
	s = &file->plan.streams[stream];
	*storage_ret = (struct nc3z_storage){
		.stream = stream,
		.is_shared = s->nmembers > 1,
		.block_nbytes = s->block_nbytes,
		.nblocks = file->map.extents[stream].nblocks,
		.nchunk_dims = s->grid ? s->grid->rank : 0,
	};
	for (uint32_t k = 0; k < storage_ret->nchunk_dims; k++)
		storage_ret->chunk_lengths[k] = s->grid->dims[k].chunk;
	return NC3Z_OK;
}

void nc3z_inq_cache(struct nc3z_file *file, struct nc3z_cache_stats *stats_ret)
{
	if (!file || !stats_ret)
		return;

	struct cache_stats stats = cache_stats_of(file->cache, file->owner);

	*stats_ret = (struct nc3z_cache_stats){
		.nblocks_decoded = atomic_load(&file->nblocks_decoded),
		.nblocks_found = atomic_load(&file->nblocks_found),
		.nblocks_held = stats.nheld,
		.nbytes_held = stats.nbytes_held,
	};
}
