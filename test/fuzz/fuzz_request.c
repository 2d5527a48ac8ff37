/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a small variable, its layout, and a request for a hyperslab of
 * it: every element that counting finds comes once, from the block and the
 * place where the map has its bytes, and ends where it belongs.
 *
 *	as in slab_input.h, then
 *	kind 1, width 1, begin 1, beside 1, block 2, panel 1, end 2,
 *	chunk 1 for each dimension
 */
#include <stdlib.h>
#include <string.h>

#include "promises/request_walk.h"
#include "slab_input.h"

enum {
	IS_LINEAR = 1,   /* no chunks */
	IS_JOINED = 2,   /* chunks of all dimensions joined */
	IS_CUT = 4,      /* the original ends anywhere */
	IS_OPEN = 8,     /* the number of records is not known */
	IS_STRANGER = 16 /* no stream is that of the variable */
};

/* A variable in an original. */
struct made {
	struct slab_input s;
	struct plan plan;
	struct hyperslab_variable place;
	uint32_t width;
	/* Of an original that has everything, and of one that may end early. */
	struct plan_map whole, map;
	struct hyperslab_visits request;
	struct from {
		uint64_t *offsets; /* of each place of a stream */
		uint64_t nbytes;
	} * from; /* for each stream of the whole one */
	uint8_t seen[SLAB_NELEMS_MAX];
};

static struct plan_stream *add_stream(struct plan *plan, bool is_record,
				      uint64_t begin, uint64_t nbytes)
{
	struct plan_stream *s = &plan->streams[plan->nstreams++];

	*s = (struct plan_stream){
		.is_record = is_record,
		.width = 1,
		.block_nbytes = 1000,
		.panel_nrecords = is_record,
		.members = calloc(1, sizeof(*s->members)),
		.nmembers = 1,
	};
	FUZZ_CHECK(s->members);
	s->members[0] = (struct plan_member){
		.variable = PLAN_NO_VARIABLE,
		.begin = begin,
		.nbytes = nbytes,
	};
	return s;
}

static void add_chunks(struct made *m, struct plan_stream *s, bool is_joined,
		       struct fuzz_bytes *in)
{
	size_t first = m->s.request.is_record, rank = m->s.request.rank;

	if (is_joined && rank > first)
		rank = first + 1;
	s->grid = plan_grid_new((uint32_t)rank);
	FUZZ_CHECK(s->grid);
	for (size_t k = 0; k < rank; k++) {
		struct plan_grid_dim *d = &s->grid->dims[k];
		uint64_t length = m->s.shape[k];

		if (is_joined && k >= first)
			length = m->place.nbytes / m->width;
		d->length = k < first ? 0 : length;
		/* There may be more records in a chunk than in all. */
		if (k < first)
			length += 3;
		d->chunk = (uint32_t)(1 + fuzz_take(in) % length);
	}
}

/* What is before, after and beside the variable. */
static void add_rest(struct plan *plan, const struct hyperslab_variable *v)
{
	uint64_t end = v->begin + v->nbytes;

	plan->record_begin = v->record_nbytes ? v->begin : 0;
	plan->record_nbytes = v->record_nbytes;
	plan->nrecords = v->record_nbytes ? v->nrecords : 0;
	if (v->record_nbytes > v->nbytes)
		add_stream(plan, true, end, v->record_nbytes - v->nbytes);
	if (v->record_nbytes)
		end = plan_record_end(plan);
	if (v->begin > 0)
		add_stream(plan, false, 0, v->begin);
	if (end < PLAN_OFFSET_END)
		add_stream(plan, false, end, PLAN_OFFSET_END - end);
}

static struct hyperslab_variable take_place(const struct slab_input *s,
					    uint32_t width, uint8_t kind,
					    struct fuzz_bytes *in)
{
	bool is_record = s->request.is_record;
	uint64_t beside;
	struct hyperslab_variable v = {
		.stream = kind & IS_STRANGER ? PLAN_NO_STREAM : 0,
		.begin = fuzz_take(in) % 20,
		.nbytes = width,
		.nrecords = 1,
	};

	beside = fuzz_take(in) % 24;
	for (size_t k = is_record; k < s->request.rank; k++)
		v.nbytes *= s->shape[k];
	if (is_record) {
		v.record_nbytes = v.nbytes + beside;
		v.nrecords = s->shape[0] && !(kind & IS_OPEN) ? s->shape[0] :
								UINT64_MAX;
	}
	return v;
}

static uint64_t offset_of(const struct made *m, uint64_t linear)
{
	const struct hyperslab_variable *v = &m->place;
	uint64_t at = linear * m->width;

	return v->begin + at / v->nbytes * v->record_nbytes + at % v->nbytes;
}

/* Where the places of all streams come from, as packing finds them. */
static void follow_map(struct made *m)
{
	uint64_t size = m->whole.original_nbytes;

	m->from = calloc(m->plan.nstreams, sizeof(*m->from));
	FUZZ_CHECK(m->from);
	for (int fills = 0; fills < 2; fills++) {
		for (uint32_t i = 0; fills && i < m->plan.nstreams; i++) {
			m->from[i].offsets =
				calloc(m->from[i].nbytes + 1, sizeof(uint64_t));
			FUZZ_CHECK(m->from[i].offsets);
		}
		for (uint64_t at = 0; at < size;) {
			struct plan_run run = plan_run_at(&m->whole, at);
			struct from *f = &m->from[run.stream];
			uint64_t end = run.stream_offset + run.nbytes;

			if (end > f->nbytes)
				f->nbytes = end;
			for (uint64_t i = 0; fills && i < run.nbytes; i++)
				f->offsets[run.stream_offset + i] = at + i;
			at += run.nbytes;
		}
	}
}

static uint64_t offset_in(const void *context, uint32_t stream, uint64_t block,
			  uint64_t at)
{
	const struct made *m = context;
	const struct from *f = &m->from[stream];

	FUZZ_CHECK(block < m->whole.extents[stream].nblocks);
	at += plan_block_numbered(&m->whole, stream, block).stream_offset;
	return at < f->nbytes ? f->offsets[at] : UINT64_MAX;
}

/* False if the request or the variable is not one. */
static bool make(struct made *m, struct fuzz_bytes *in)
{
	const struct hyperslab_request *r = &m->s.request;
	uint64_t nelems = 1, end;
	struct plan_stream *s;
	uint8_t kind;

	slab_input_take(&m->s, in);
	for (size_t k = 0; k < r->rank; k++)
		nelems *= m->s.shape[k];
	if (!m->s.is_valid || nelems == 0)
		return false;
	kind = fuzz_take(in);
	m->width = 1u << fuzz_take(in) % 4;
	m->place = take_place(&m->s, m->width, kind, in);
	m->plan.streams = calloc(4, sizeof(*m->plan.streams));
	FUZZ_CHECK(m->plan.streams);
	s = add_stream(&m->plan, r->is_record, m->place.begin, m->place.nbytes);
	s->width = (uint8_t)m->width;
	s->block_nbytes = 1 + fuzz_take(in) + (fuzz_take(in) % 16) * 256u;
	s->panel_nrecords = fuzz_take(in) % 8 + 1;
	if (!r->is_record)
		s->panel_nrecords = 0;
	end = fuzz_take(in) * 256u;
	end += fuzz_take(in);
	if (r->rank > 0 && !(kind & IS_LINEAR))
		add_chunks(m, s, kind & IS_JOINED, in);
	add_rest(&m->plan, &m->place);
	FUZZ_CHECK(plan_finish(&m->plan, NULL) == NC3Z_OK);
	nelems = offset_of(m, nelems - 1) + m->width + 40;
	end = kind & IS_CUT ? end % nelems : nelems;
	FUZZ_CHECK(plan_map_init(&m->whole, &m->plan, nelems, NULL) == NC3Z_OK);
	FUZZ_CHECK(plan_map_init(&m->map, &m->plan, end, NULL) == NC3Z_OK);
	follow_map(m);
	return true;
}

static void release(struct made *m)
{
	for (uint32_t i = 0; m->from && i < m->plan.nstreams; i++)
		free(m->from[i].offsets);
	free(m->from);
	plan_map_release(&m->whole);
	plan_map_release(&m->map);
	plan_release(&m->plan);
	free(m);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct fuzz_bytes in = { data, nbytes };
	struct made *m = calloc(1, sizeof(*m));

	FUZZ_CHECK(m);
	if (make(m, &in)) {
		FUZZ_CHECK(hyperslab_visits_init(
				   &m->request, &m->map, &m->place, m->width,
				   &m->s.request, NULL) == NC3Z_OK);
		request_walk_check(&(struct request_walk){
			.request = &m->request,
			.slab = &m->s.request,
			.elements = m->s.elements,
			.offset = offset_in,
			.context = m,
			.seen = m->seen,
		});
	}
	release(m);
}

/* Nothing of the file but its length: other files, other requests. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 89 * file_nbytes;
	size_t nbytes = 3 + 5 * SLAB_RANK_MAX + 9 + SLAB_RANK_MAX;

	(void)file;
	if (nbytes > room.nbytes)
		return 0;
	for (size_t i = 0; i < nbytes; i++)
		room.data[i] = (uint8_t)fuzz_random(&state);
	/* Valid ones, of a variable that has elements. */
	room.data[1] |= 32;
	room.data[2] %= SLAB_RANK_MAX + 1;
	for (size_t k = 0; k < room.data[2]; k++)
		if (room.data[3 + 5 * k] % 9 == 0)
			room.data[3 + 5 * k]++;
	return nbytes;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
};
