/* SPDX-License-Identifier: MIT */
/*
 * The results of inquiries about a file, made once when it is opened.
 *
 * Names in a header have no NUL at their end.  They get one in their place, in
 * the file's own copy of the header: the byte after a name is padding or the
 * first of a number that has been parsed already.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "classic/layout.h"
#include "read/file.h"

static void end_name(struct nc3z_file *file, const struct classic_name *name)
{
	size_t offset =
		(size_t)((const uint8_t *)name->bytes - file->head.data);

	file->head.data[offset + name->nbytes] = '\0';
}

static void end_att_names(struct nc3z_file *file,
			  const struct classic_atts *atts)
{
	for (size_t i = 0; i < atts->count; i++)
		end_name(file, &atts->list[i].name);
}

static void end_names(struct nc3z_file *file)
{
	const struct classic_header *h = &file->header;

	for (size_t i = 0; i < h->ndims; i++)
		end_name(file, &h->dims[i].name);
	end_att_names(file, &h->atts);
	for (size_t i = 0; i < h->nvars; i++) {
		end_name(file, &h->vars[i].name);
		end_att_names(file, &h->vars[i].atts);
	}
}

static int by_name(const void *a, const void *b)
{
	const struct name_entry *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->number - y->number;
}

static int
index_names(struct name_index *index, size_t count,
	    const struct classic_name *(*name_of)(const struct classic_header *,
						  size_t),
	    const struct classic_header *header, struct nc3z_error *err)
{
	index->list = memory_alloc(count, sizeof(*index->list));
	if (!index->list)
		return error_set_memory(err);
	index->count = count;
	for (size_t i = 0; i < count; i++)
		index->list[i] = (struct name_entry){
			.name = name_of(header, i)->bytes,
			.number = (int)i,
		};
	qsort(index->list, count, sizeof(*index->list), by_name);
	return NC3Z_OK;
}

int name_index_find(const struct name_index *index, const char *name)
{
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(index->list[middle].name, name) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || strcmp(index->list[low - 1].name, name) != 0)
		return -1;
	return index->list[low - 1].number;
}

static const struct classic_name *dim_name(const struct classic_header *header,
					   size_t dim)
{
	return &header->dims[dim].name;
}

static const struct classic_name *var_name(const struct classic_header *header,
					   size_t var)
{
	return &header->vars[var].name;
}

/* As many records as the header says, or as there are whole ones. */
static void count_records(struct nc3z_file *file)
{
	const struct classic_header *h = &file->header;
	uint64_t begin = UINT64_MAX, record_nbytes = 0;

	file->numrecs = h->numrecs;
	if (!h->is_indeterminate)
		return;
	for (size_t i = 0; i < h->nvars; i++) {
		if (!classic_var_is_record(h, &h->vars[i]))
			continue;
		begin = size_min(begin, file->places[i].begin);
		record_nbytes = file->places[i].record_nbytes;
	}
	file->numrecs = 0;
	if (record_nbytes > 0 && begin < file->map.original_nbytes)
		file->numrecs =
			(file->map.original_nbytes - begin) / record_nbytes;
}

static void describe_variable(struct nc3z_file *file, size_t variable,
			      int *dimids, uint64_t *shape)
{
	const struct classic_header *h = &file->header;
	const struct classic_var *var = &h->vars[variable];
	struct nc3z_var *info = &file->vars[variable];

	*info = (struct nc3z_var){
		.name = var->name.bytes,
		.type = (int)var->type,
		.ndims = (int)var->ndims,
		.dimids = var->ndims > 0 ? dimids : NULL,
		.shape = var->ndims > 0 ? shape : NULL,
		.natts = (int)var->atts.count,
		.is_record = classic_var_is_record(h, var),
	};
	for (size_t i = 0; i < var->ndims; i++) {
		dimids[i] = (int)var->dimids[i];
		shape[i] = h->dims[dimids[i]].length;
		if (i == 0 && info->is_record)
			shape[i] = file->numrecs;
	}
	if (!classic_var_nelems(h, var, &info->nelems))
		info->nelems = UINT64_MAX;
	if (info->is_record)
		info->nelems =
			size_mul_max(info->nelems, file->numrecs, UINT64_MAX);
}

static int describe_variables(struct nc3z_file *file, struct nc3z_error *err)
{
	const struct classic_header *h = &file->header;
	uint64_t ndims = 0;

	for (size_t i = 0; i < h->nvars; i++)
		ndims += h->vars[i].ndims;
	file->vars = memory_alloc(h->nvars, sizeof(*file->vars));
	file->dimids = memory_alloc(ndims, sizeof(*file->dimids));
	file->shape = memory_alloc(ndims, sizeof(*file->shape));
	if (!file->vars || !file->dimids || !file->shape)
		return error_set_memory(err);
	ndims = 0;
	for (size_t i = 0; i < h->nvars; i++) {
		describe_variable(file, i, file->dimids + ndims,
				  file->shape + ndims);
		ndims += h->vars[i].ndims;
	}
	return NC3Z_OK;
}

int describe_file(struct nc3z_file *file, struct nc3z_error *err)
{
	const struct classic_header *h = &file->header;

	end_names(file);
	NC3Z_TRY(hyperslab_variables_make(&file->plan, h, &file->places, err));
	count_records(file);
	NC3Z_TRY(index_names(&file->dim_names, h->ndims, dim_name, h, err));
	NC3Z_TRY(index_names(&file->var_names, h->nvars, var_name, h, err));
	return describe_variables(file, err);
}

void describe_release(struct nc3z_file *file)
{
	free(file->dim_names.list);
	free(file->var_names.list);
	free(file->places);
	free(file->vars);
	free(file->dimids);
	free(file->shape);
}
