/* SPDX-License-Identifier: MIT */
#include "slab_elements.h"

#include <stdlib.h>

#include "check.h"

static bool has_stride(const struct hyperslab_request *r)
{
	return r->form >= HYPERSLAB_VARS && r->stride;
}

uint64_t slab_count(const struct hyperslab_request *r, size_t dim)
{
	if (r->form == HYPERSLAB_VAR1)
		return 1;
	return r->form != HYPERSLAB_VAR && r->count ? r->count[dim] :
						      r->shape[dim];
}

uint64_t slab_index(const struct hyperslab_request *r, size_t dim, uint64_t i)
{
	uint64_t start = r->form == HYPERSLAB_VAR ? 0 : r->start[dim];

	return start + i * (has_stride(r) ? (uint64_t)r->stride[dim] : 1);
}

uint64_t slab_elements_count(const struct hyperslab_request *r)
{
	uint64_t total = 1;

	for (size_t k = 0; k < r->rank; k++)
		total *= slab_count(r, k);
	return total;
}

static struct slab_element element_at(const struct hyperslab_request *r,
				      const uint64_t *place)
{
	struct slab_element e = { 0 };
	bool has_imap = r->form == HYPERSLAB_VARM && r->imap;

	for (size_t k = 0; k < r->rank; k++) {
		e.in = e.in * r->shape[k] + slab_index(r, k, place[k]);
		if (has_imap)
			e.out += (ptrdiff_t)place[k] * r->imap[k];
		else
			e.out = e.out * (ptrdiff_t)slab_count(r, k) +
				(ptrdiff_t)place[k];
	}
	return e;
}

void slab_elements_list(const struct hyperslab_request *r,
			struct slab_element *list)
{
	uint64_t *place = calloc(r->rank + 1, sizeof(*place));
	uint64_t total = slab_elements_count(r);

	if (!place)
		abort();
	for (uint64_t i = 0; i < total; i++) {
		list[i] = element_at(r, place);
		for (size_t k = r->rank; k-- > 0;) {
			if (++place[k] < slab_count(r, k))
				break;
			place[k] = 0;
		}
	}
	free(place);
}

bool slab_is_run(const struct slab_elements *elements,
		 const struct hyperslab_run *run, uint64_t at)
{
	if (run->nelems == 0 || run->nelems > elements->count - at)
		return false;
	for (uint64_t i = 0; i < run->nelems; i++) {
		const struct slab_element *e = &elements->list[at + i];

		if (e->in != run->in_first + i * run->in_step ||
		    e->out != run->out_first + (ptrdiff_t)i * run->out_step)
			return false;
	}
	return true;
}

uint64_t slab_check_runs(const struct slab_elements *elements,
			 struct hyperslab_cursor *cursor, uint64_t at,
			 uint64_t in_end)
{
	const struct slab_element *list = elements->list;
	uint64_t first = at, count = elements->count;
	struct hyperslab_run run;

	while (hyperslab_next_run(cursor, in_end, &run)) {
		if (!CHECK(slab_is_run(elements, &run, at)))
			return count;
		at += run.nelems;
	}
	CHECK(at == count || list[at].in >= in_end);
	CHECK(at == first || list[at - 1].in < in_end);
	return at;
}
