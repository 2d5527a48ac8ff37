/* SPDX-License-Identifier: MIT */
#include "slab_input.h"

enum {
	IS_RECORD = 1,
	NO_START = 2,
	NO_COUNT = 4,
	NO_STRIDE = 8,
	NO_IMAP = 16,
	MOSTLY_VALID = 32,
};

/* Start, count and stride that most times fit. */
static void bend(struct slab_input *s, size_t k)
{
	uint64_t left;

	s->start[k] %= s->shape[k] > 0 ? s->shape[k] : 1;
	if (s->stride[k] < 1)
		s->stride[k] = 1;
	left = s->shape[k] - s->start[k];
	s->count[k] %= (left - (left > 0)) / (uint64_t)s->stride[k] + 2;
	if (s->count[k] > left)
		s->count[k] = left;
}

static void take_dims(struct slab_input *s, struct fuzz_bytes *in,
		      uint8_t flags)
{
	size_t rank = s->request.rank;
	uint64_t left = SLAB_NELEMS_MAX;

	for (size_t k = 0; k < rank; k++) {
		uint64_t limit = rank == 1 ? 256 : rank == 2 ? 40 : 9;

		s->shape[k] = fuzz_take(in) % limit;
		if (s->shape[k] > left)
			s->shape[k] = left;
		if (s->shape[k] > 0)
			left /= s->shape[k];
		s->start[k] = fuzz_take(in);
		s->count[k] = fuzz_take(in);
		s->stride[k] = (int8_t)fuzz_take(in);
		s->imap[k] = (int8_t)fuzz_take(in) % 20;
		if (flags & MOSTLY_VALID)
			bend(s, k);
	}
}

static bool has_stride(const struct hyperslab_request *r)
{
	return r->form >= HYPERSLAB_VARS && r->stride;
}

/* The rules of netCDF, whatever is said of several that are broken. */
static bool is_valid(const struct hyperslab_request *r)
{
	bool is_empty = false;

	if (r->rank == 0 || r->form == HYPERSLAB_VAR)
		return true;
	if (!r->start)
		return false;
	for (size_t k = 0; k < r->rank; k++) {
		uint64_t count = slab_count(r, k);

		if (has_stride(r) && r->stride[k] < 1)
			return false;
		if (r->start[k] > r->shape[k] ||
		    count > r->shape[k] - r->start[k])
			return false;
		is_empty = is_empty || count == 0;
	}
	for (size_t k = 0; k < r->rank && !is_empty; k++)
		if (slab_index(r, k, slab_count(r, k) - 1) >= r->shape[k])
			return false;
	return true;
}

void slab_input_take(struct slab_input *s, struct fuzz_bytes *in)
{
	uint8_t form = fuzz_take(in), flags = fuzz_take(in);
	size_t rank = fuzz_take(in) % (SLAB_RANK_MAX + 1);

	s->request = (struct hyperslab_request){
		.form = (enum hyperslab_form)(form % 5),
		.is_record = rank > 0 && flags & IS_RECORD,
		.rank = rank,
		.shape = s->shape,
		.start = flags & NO_START && form & 64 ? NULL : s->start,
		.count = flags & NO_COUNT ? NULL : s->count,
		.stride = flags & NO_STRIDE ? NULL : s->stride,
		.imap = flags & NO_IMAP ? NULL : s->imap,
	};
	take_dims(s, in, flags);
	s->is_valid = is_valid(&s->request);
	s->elements = (struct slab_elements){ .list = s->list };
	if (!s->is_valid)
		return;
	s->elements.count = slab_elements_count(&s->request);
	FUZZ_CHECK(s->elements.count <= SLAB_NELEMS_MAX);
	slab_elements_list(&s->request, s->list);
}
