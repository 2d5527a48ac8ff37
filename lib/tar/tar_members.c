/* SPDX-License-Identifier: MIT */
#include "tar/tar_members.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void member_release(struct tar_member *member)
{
	free(member->name);
	free(member->file_name);
}

int tar_members_add(struct tar_members *members,
		    const struct tar_member *member, struct nc3z_error *err)
{
	struct tar_member copy = *member;

	if (!member->name || members->count == UINT32_MAX ||
	    !memory_room(&members->list, members->count, &members->capacity,
			 sizeof(copy))) {
		member_release(&copy);
		return error_set_memory(err);
	}
	members->list[members->count] = copy;
	members->list[members->count].number = (uint32_t)members->count;
	members->count++;
	return NC3Z_OK;
}

void tar_members_release(struct tar_members *members)
{
	for (size_t i = 0; i < members->count + members->nhidden; i++)
		member_release(&members->list[i]);
	free(members->list);
	free(members->gaps);
	*members = (struct tar_members){ 0 };
}

static int compare_members(const struct tar_member *m, const char *name,
			   uint32_t number)
{
	int order = strcmp(m->name, name);

	return order != 0 ? order : (m->number > number) - (m->number < number);
}

static int by_name(const void *a, const void *b)
{
	const struct tar_member *n = *(struct tar_member *const *)b;

	return compare_members(*(struct tar_member *const *)a, n->name,
			       n->number);
}

/* The members by name; NULL if out of memory. */
static struct tar_member **sort_by_name(struct tar_members *members)
{
	struct tar_member **sorted =
		memory_alloc(members->count, sizeof(struct tar_member *));

	for (size_t i = 0; sorted && i < members->count; i++)
		sorted[i] = &members->list[i];
	if (sorted)
		qsort((void *)sorted, members->count, sizeof(*sorted), by_name);
	return sorted;
}

/* The last one of a name that lies before a number. */
static struct tar_member *find_before(struct tar_member **sorted, size_t n,
				      const char *name, uint32_t number)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_members(sorted[middle], name, number) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && strcmp(sorted[low - 1]->name, name) == 0 ?
		       sorted[low - 1] :
		       NULL;
}

struct tar_member *tar_members_find(struct tar_member **sorted, size_t n,
				    const char *name)
{
	return find_before(sorted, n, name, UINT32_MAX);
}

/* As tar(1) links it: to what had the name when the link was met. */
static int follow(struct tar_member *link, const struct tar_member *file,
		  struct nc3z_error *err)
{
	char *name;

	if (!file) {
		link->left_out = "is a hard link to a file that is not before "
				 "it in the tar";
		return NC3Z_OK;
	}
	name = strdup(file->file_name ? file->file_name : file->name);
	if (!name)
		return error_set_memory(err);
	free(link->file_name);
	link->file_name = name;
	link->left_out = file->left_out;
	link->header_offset = file->header_offset;
	link->nbytes = file->nbytes;
	link->region_nbytes = file->region_nbytes;
	return NC3Z_OK;
}

/* One link may lead to another, which lies before it and has been followed. */
static int follow_links(struct tar_members *members, struct tar_member **sorted,
			struct nc3z_error *err)
{
	for (size_t i = 0; i < members->count; i++) {
		struct tar_member *m = &members->list[i];

		if (m->file_name)
			NC3Z_TRY(follow(m,
					find_before(sorted, members->count,
						    m->file_name, m->number),
					err));
	}
	return NC3Z_OK;
}

/* Of several members with one name the last counts, as for tar(1). */
static size_t mark_replaced(struct tar_member **sorted, size_t n)
{
	size_t nreplaced = 0;

	for (size_t i = 1; i < n; i++)
		if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0) {
			sorted[i - 1]->is_gone = true;
			nreplaced++;
		}
	return nreplaced;
}

/* Puts those that are replaced after the others. */
static bool hide(struct tar_members *members, size_t nreplaced)
{
	size_t shown = 0, hidden = members->count - nreplaced;
	struct tar_member *list = memory_alloc(members->count, sizeof(*list));

	if (!list)
		return false;
	for (size_t i = 0; i < members->count; i++) {
		const struct tar_member *m = &members->list[i];
		size_t *to = m->is_gone ? &hidden : &shown;

		list[*to] = *m;
		list[*to].number = (uint32_t)*to;
		++*to;
	}
	free(members->list);
	members->list = list;
	members->capacity = members->count;
	members->count = shown;
	members->nhidden = nreplaced;
	return true;
}

int tar_members_sort(struct tar_members *members,
		     struct tar_member ***sorted_ret, struct nc3z_error *err)
{
	struct tar_member **sorted = sort_by_name(members);
	int status = sorted ? follow_links(members, sorted, err) :
			      error_set_memory(err);
	size_t nreplaced =
		status == NC3Z_OK ? mark_replaced(sorted, members->count) : 0;

	if (nreplaced > 0) {
		free((void *)sorted);
		sorted = hide(members, nreplaced) ? sort_by_name(members) :
						    NULL;
		if (!sorted)
			return error_set_memory(err);
	}
	if (status == NC3Z_OK)
		*sorted_ret = sorted;
	else
		free((void *)sorted);
	return status;
}
