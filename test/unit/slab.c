/* SPDX-License-Identifier: MIT */
#include "slab.h"

#include "check.h"

static uint64_t below(uint64_t *seed, uint64_t limit)
{
	return check_random_below(seed, limit);
}

/* Some elements of dimension i; all, none and one more often than others. */
static void random_extent(struct slab_request *s, size_t i, uint64_t *seed)
{
	uint64_t length = s->shape[i], most;

	s->start[i] = below(seed, 3) ? 0 : (size_t)below(seed, length + 1);
	s->stride[i] = 1 + (ptrdiff_t)below(seed, 1 + below(seed, 4));
	most = (length - s->start[i] + (uint64_t)s->stride[i] - 1) /
	       (uint64_t)s->stride[i];
	s->count[i] = (size_t)(below(seed, 2) ? most : below(seed, most + 1));
	if (s->count[i] == 0 && s->start[i] < length && below(seed, 8) != 0)
		s->count[i] = 1;
	/* Whatever the stride of one element may be. */
	if (s->count[i] < 2 && below(seed, 2))
		s->stride[i] = 1 + (ptrdiff_t)below(seed, 1000);
	s->imap[i] = (ptrdiff_t)below(seed, 40) - 12;
}

/* Packed, but with gaps or backwards: neighbours may still melt. */
static void regular_imap(struct slab_request *s, size_t rank, uint64_t *seed)
{
	ptrdiff_t step = (ptrdiff_t)below(seed, 5) - 2;

	for (size_t i = rank; i-- > 0;) {
		s->imap[i] = step;
		/* Of long dimensions it means nothing. */
		step = (ptrdiff_t)((size_t)step *
				   (s->count[i] + !below(seed, 4)));
	}
}

/* Leaves out what a form does not have, and some of what it may have. */
static void drop_arrays(struct slab_request *s, uint64_t *seed)
{
	struct hyperslab_request *r = &s->request;

	if (r->form == HYPERSLAB_VAR || r->form == HYPERSLAB_VAR1)
		r->count = NULL;
	if (r->form == HYPERSLAB_VAR)
		r->start = NULL;
	if (r->form < HYPERSLAB_VARS || below(seed, 5) == 0)
		r->stride = NULL;
	if (r->form < HYPERSLAB_VARM || below(seed, 3) == 0)
		r->imap = NULL;
	if (r->form < HYPERSLAB_VARA || below(seed, 10) != 0)
		return;
	/* All, which must then begin at the beginning. */
	r->count = NULL;
	r->stride = NULL;
	memset(s->start, 0, r->rank * sizeof(*s->start));
}

void slab_random(struct slab_request *s, size_t rank, uint64_t *seed)
{
	bool is_empty = false;

	s->request = (struct hyperslab_request){
		.form = (enum hyperslab_form)below(seed, 5),
		.is_record = rank > 0 && below(seed, 2),
		.rank = rank,
		.shape = s->shape,
		.start = s->start,
		.count = s->count,
		.stride = s->stride,
		.imap = s->imap,
	};
	for (size_t i = 0; i < rank; i++)
		is_empty = is_empty || s->shape[i] == 0;
	/* There is no element. */
	if (is_empty && s->request.form == HYPERSLAB_VAR1)
		s->request.form = HYPERSLAB_VARA;
	for (size_t i = 0; i < rank; i++) {
		random_extent(s, i, seed);
		if (s->request.form == HYPERSLAB_VAR1)
			s->start[i] = (size_t)below(seed, s->shape[i]);
	}
	if (below(seed, 2))
		regular_imap(s, rank, seed);
	drop_arrays(s, seed);
}

static bool has_stride(const struct hyperslab_request *r)
{
	return r->form >= HYPERSLAB_VARS && r->stride;
}

static uint64_t count_of(const struct hyperslab_request *r, size_t dim)
{
	if (r->form == HYPERSLAB_VAR1)
		return 1;
	return r->form != HYPERSLAB_VAR && r->count ? r->count[dim] :
						      r->shape[dim];
}

static uint64_t index_of(const struct hyperslab_request *r, size_t dim,
			 uint64_t i)
{
	uint64_t start = r->form == HYPERSLAB_VAR ? 0 : r->start[dim];

	return start + i * (has_stride(r) ? (uint64_t)r->stride[dim] : 1);
}

static uint64_t count_all(const struct hyperslab_request *r)
{
	uint64_t total = 1;

	for (size_t k = 0; k < r->rank; k++)
		total *= count_of(r, k);
	return total;
}

static struct slab_element element_at(const struct hyperslab_request *r,
				      const uint64_t *place)
{
	struct slab_element e = { 0 };
	bool has_imap = r->form == HYPERSLAB_VARM && r->imap;

	for (size_t k = 0; k < r->rank; k++) {
		e.in = e.in * r->shape[k] + index_of(r, k, place[k]);
		if (has_imap)
			e.out += (ptrdiff_t)place[k] * r->imap[k];
		else
			e.out = e.out * (ptrdiff_t)count_of(r, k) +
				(ptrdiff_t)place[k];
	}
	return e;
}

static void list_all(const struct hyperslab_request *r,
		     struct slab_element *list)
{
	uint64_t *place = calloc(r->rank + 1, sizeof(*place));
	uint64_t total = count_all(r);

	if (!place)
		abort();
	for (uint64_t i = 0; i < total; i++) {
		list[i] = element_at(r, place);
		for (size_t k = r->rank; k-- > 0;) {
			if (++place[k] < count_of(r, k))
				break;
			place[k] = 0;
		}
	}
	free(place);
}

void slab_list_make(struct slab_elements *elements,
		    const struct slab_request *s)
{
	elements->count = count_all(&s->request);
	elements->list =
		malloc((elements->count + 1) * sizeof(*elements->list));
	if (!elements->list)
		abort();
	list_all(&s->request, elements->list);
}

void slab_list_release(struct slab_elements *elements)
{
	free(elements->list);
	*elements = (struct slab_elements){ 0 };
}
