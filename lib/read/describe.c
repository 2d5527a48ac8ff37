/* SPDX-License-Identifier: MIT */
/*
 * The results of inquiries about a file, made once when it is opened.
 *
 * Names in a header have no NUL at their end.  They get one in their place, in
 * the file's own copy of the header: the byte after a name is padding or the
 * first of a number that has been parsed already.
 */
#include <limits.h>
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
	int order;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order ? order :
		       (x->number > y->number) - (x->number < y->number);
}

static void add_name(struct name_index *index, int owner,
		     const struct classic_name *name, size_t number)
{
	index->list[index->count++] = (struct name_entry){
		.owner = owner,
		.name = name->bytes,
		.number = (int)number,
	};
}

static void add_att_names(struct name_index *index, int varid,
			  const struct classic_atts *atts)
{
	for (size_t i = 0; i < atts->count && atts->count >= ATTS_INDEXED; i++)
		add_name(index, varid, &atts->list[i].name, i);
}

static size_t count_att_names(const struct classic_header *h)
{
	size_t count = h->atts.count;

	for (size_t i = 0; i < h->nvars; i++)
		count += h->vars[i].atts.count >= ATTS_INDEXED ?
				 h->vars[i].atts.count :
				 0;
	return count;
}

static int index_names(struct nc3z_file *file, struct nc3z_error *err)
{
	const struct classic_header *h = &file->header;
	struct name_index *dims = &file->dim_names, *vars = &file->var_names;
	struct name_index *atts = &file->att_names;

	dims->list = memory_alloc(h->ndims, sizeof(*dims->list));
	vars->list = memory_alloc(h->nvars, sizeof(*vars->list));
	atts->list = memory_alloc(count_att_names(h), sizeof(*atts->list));
	if (!dims->list || !vars->list || !atts->list)
		return error_set_memory(err);
	for (size_t i = 0; i < h->ndims; i++)
		add_name(dims, 0, &h->dims[i].name, i);
	add_att_names(atts, NC3Z_GLOBAL, &h->atts);
	for (size_t i = 0; i < h->nvars; i++) {
		add_name(vars, 0, &h->vars[i].name, i);
		add_att_names(atts, (int)i, &h->vars[i].atts);
	}
	qsort(dims->list, dims->count, sizeof(*dims->list), by_name);
	qsort(vars->list, vars->count, sizeof(*vars->list), by_name);
	qsort(atts->list, atts->count, sizeof(*atts->list), by_name);
	return NC3Z_OK;
}

/* How many names come before this one, which need not be there. */
static size_t rank_of(const struct name_index *index,
		      const struct name_entry *wanted)
{
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_name(&index->list[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_named(const struct name_entry *entry,
		     const struct name_entry *wanted)
{
	return entry->owner == wanted->owner &&
	       strcmp(entry->name, wanted->name) == 0;
}

int name_index_find(const struct name_index *index, const char *name)
{
	struct name_entry after = { .name = name, .number = INT_MAX };
	size_t rank = rank_of(index, &after);

	return rank > 0 && is_named(&index->list[rank - 1], &after) ?
		       index->list[rank - 1].number :
		       -1;
}

int name_index_find_att(const struct name_index *index, int varid,
			const char *name)
{
	struct name_entry first = { .owner = varid, .name = name };
	size_t rank = rank_of(index, &first);

	return rank < index->count && is_named(&index->list[rank], &first) ?
		       index->list[rank].number :
		       -1;
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
		.begin = var->begin,
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
	NC3Z_TRY(index_names(file, err));
	return describe_variables(file, err);
}

void describe_release(struct nc3z_file *file)
{
	free(file->dim_names.list);
	free(file->var_names.list);
	free(file->att_names.list);
	free(file->places);
	free(file->vars);
	free(file->dimids);
	free(file->shape);
}
