/* SPDX-License-Identifier: MIT */
/*
 * Which variables have names of dimensions, by sorting all names once: headers
 * have up to hundreds of thousands of both.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hdf5/container.h"

struct named {
	const struct classic_name *name;
	size_t number;
	bool is_variable;
};

static int compare_names(const struct named *a, const struct named *b)
{
	if (a->name->nbytes != b->name->nbytes)
		return a->name->nbytes < b->name->nbytes ? -1 : 1;
	return memcmp(a->name->bytes, b->name->bytes, a->name->nbytes);
}

/* Of one name dimensions come first, and each kind in its order. */
static int compare(const void *one, const void *other)
{
	const struct named *a = one, *b = other;
	int order = compare_names(a, b);

	if (order == 0)
		order = (int)a->is_variable - (int)b->is_variable;
	return order ? order : a->number < b->number ? -1 : 1;
}

static bool begins_with(const struct classic_header *header, size_t variable,
			size_t dimid)
{
	const struct classic_var *var = &header->vars[variable];

	return var->ndims > 0 && var->dimids[0] == dimid;
}

/* Dimensions and variables of one name; the first variable is the one meant. */
static void note_roles(const struct classic_header *header,
		       const struct named *group, size_t count, struct roles *r)
{
	size_t ndims = 0;

	while (ndims < count && !group[ndims].is_variable)
		ndims++;
	for (size_t d = 0; d < ndims && ndims < count; d++) {
		size_t dimid = group[d].number;

		if (begins_with(header, group[ndims].number, dimid))
			r->coordinates[dimid] = group[ndims].number;
		for (size_t i = ndims; i < count; i++)
			if (!begins_with(header, group[i].number, dimid))
				r->is_other[group[i].number] = true;
	}
}

static void count_uses(const struct classic_header *header, struct roles *r)
{
	for (size_t d = 0; d < header->ndims; d++)
		r->coordinates[d] = SIZE_MAX;
	for (size_t i = 0; i < header->nvars; i++)
		for (size_t k = 0; k < header->vars[i].ndims; k++)
			r->nuses[header->vars[i].dimids[k]]++;
}

bool roles_init(struct roles *r, const struct classic_header *header)
{
	size_t count = header->ndims + header->nvars, end;
	struct named *all = memory_alloc(count, sizeof(*all));

	r->coordinates = memory_alloc(header->ndims, sizeof(*r->coordinates));
	r->nuses = memory_alloc(header->ndims, sizeof(*r->nuses));
	r->is_other = memory_alloc(header->nvars, sizeof(*r->is_other));
	if (!all || !r->coordinates || !r->nuses || !r->is_other) {
		free(all);
		return false;
	}
	count_uses(header, r);
	for (size_t i = 0; i < header->ndims; i++)
		all[i] = (struct named){ &header->dims[i].name, i, false };
	for (size_t i = 0; i < header->nvars; i++)
		all[header->ndims + i] =
			(struct named){ &header->vars[i].name, i, true };
	qsort(all, count, sizeof(*all), compare);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (compare_names(&all[i], &all[end]) != 0)
				break;
		note_roles(header, all + i, end - i, r);
	}
	free(all);
	return true;
}

void roles_release(struct roles *r)
{
	free(r->coordinates);
	free(r->nuses);
	free(r->is_other);
}
