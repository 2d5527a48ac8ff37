#include "oracle.h"

#include "blob.h"
#include "check.h"

static void *grow(void *array, uint64_t count, size_t size)
{
	/* At every power of two. */
	if ((count & (count - 1)) == 0)
		array = realloc(array, (size_t)(count ? 2 * count : 1) * size);
	if (!array)
		abort();
	return array;
}

static void add_byte(struct oracle_stream *s, uint64_t offset)
{
	s->offsets = grow(s->offsets, s->nbytes, sizeof(*s->offsets));
	s->offsets[s->nbytes++] = offset;
}

/* Cuts the bytes from 'begin' on, which are a span. */
static void cut_span(struct oracle_stream *s, uint64_t begin,
		     uint32_t block_nbytes)
{
	while (begin < s->nbytes) {
		uint64_t left = s->nbytes - begin;

		s->blocks = grow(s->blocks, s->nblocks, sizeof(*s->blocks));
		s->blocks[s->nblocks++] = (struct oracle_block){
			.stream_offset = begin,
			.nbytes = left < block_nbytes ? left : block_nbytes,
		};
		begin += block_nbytes;
	}
}

static void walk_fixed(struct oracle_stream *out, const struct plan_stream *s,
		       uint64_t size)
{
	for (uint32_t i = 0; i < s->nmembers; i++)
		for (uint64_t k = 0; k < s->members[i].nbytes; k++) {
			if (s->members[i].begin + k >= size)
				break;
			add_byte(out, s->members[i].begin + k);
		}
	cut_span(out, 0, s->block_nbytes);
}

static void walk_panel(struct oracle_stream *out, const struct plan *plan,
		       const struct plan_stream *s, uint64_t first,
		       uint64_t size)
{
	for (uint32_t i = 0; i < s->nmembers; i++)
		for (uint64_t r = first; r < first + s->panel_nrecords; r++) {
			uint64_t at =
				s->members[i].begin + r * plan->record_nbytes;

			if (r >= plan->nrecords || at >= size)
				break;
			for (uint64_t k = 0; k < s->members[i].nbytes; k++)
				if (at + k < size)
					add_byte(out, at + k);
		}
}

static void walk_records(struct oracle_stream *out, const struct plan *plan,
			 const struct plan_stream *s, uint64_t size)
{
	for (uint64_t first = 0;
	     first < plan->nrecords &&
	     plan->record_begin + first * plan->record_nbytes < size;
	     first += s->panel_nrecords) {
		uint64_t begin = out->nbytes;

		walk_panel(out, plan, s, first, size);
		cut_span(out, begin, s->block_nbytes);
	}
}

void oracle_make(struct oracle *oracle, const struct plan *plan,
		 uint64_t original_nbytes)
{
	oracle->nstreams = plan->nstreams;
	oracle->streams = calloc(plan->nstreams, sizeof(*oracle->streams));
	if (!oracle->streams)
		abort();
	for (uint32_t i = 0; i < plan->nstreams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		if (s->is_record)
			walk_records(&oracle->streams[i], plan, s,
				     original_nbytes);
		else
			walk_fixed(&oracle->streams[i], s, original_nbytes);
	}
}

void oracle_release(struct oracle *oracle)
{
	for (uint32_t i = 0; i < oracle->nstreams; i++) {
		free(oracle->streams[i].offsets);
		free(oracle->streams[i].blocks);
	}
	free(oracle->streams);
	*oracle = (struct oracle){ 0 };
}

static uint32_t below(uint64_t *seed, uint32_t limit)
{
	return (uint32_t)check_random_below(seed, limit);
}

static struct plan_stream *add_stream(struct plan *plan, bool is_record,
				      uint64_t *seed)
{
	static const uint8_t widths[] = { 1, 2, 4, 8 };
	struct plan_stream *s;

	plan->streams =
		grow(plan->streams, plan->nstreams, sizeof(*plan->streams));
	s = &plan->streams[plan->nstreams++];
	*s = (struct plan_stream){
		.is_record = is_record,
		.width = widths[below(seed, 4)],
		.block_nbytes = 1 + below(seed, 1 + below(seed, 60)),
		.panel_nrecords = is_record ? 1 + below(seed, 6) : 0,
	};
	return s;
}

/* Members of a stream ascend. */
static void add_member(struct plan_stream *s, uint64_t begin, uint64_t nbytes,
		       uint64_t *seed)
{
	s->members = grow(s->members, s->nmembers, sizeof(*s->members));
	s->members[s->nmembers++] = (struct plan_member){
		.variable = below(seed, 2) ? below(seed, 9) : PLAN_NO_VARIABLE,
		.begin = begin,
		.nbytes = nbytes,
	};
}

/* A panel of several records of several members is one block. */
static void widen_blocks(struct plan_stream *s)
{
	uint64_t nbytes = 0;

	for (uint32_t i = 0; i < s->nmembers; i++)
		nbytes += s->members[i].nbytes;
	nbytes *= s->panel_nrecords;
	if (s->nmembers > 1 && s->panel_nrecords > 1 &&
	    nbytes > s->block_nbytes)
		s->block_nbytes = (uint32_t)nbytes;
}

/* Cuts a range into members, which go to new streams or to earlier ones. */
static void spread(struct plan *plan, uint64_t begin, uint64_t end,
		   bool is_record, uint64_t *seed)
{
	while (begin < end) {
		uint64_t nbytes = 1 + below(seed, 1 + below(seed, 40));
		struct plan_stream *s = NULL;

		if (nbytes > end - begin || below(seed, 12) == 0)
			nbytes = end - begin;
		if (plan->nstreams > 0 && below(seed, 3) != 0)
			s = &plan->streams[below(seed, plan->nstreams)];
		if (!s || s->is_record != is_record)
			s = add_stream(plan, is_record, seed);
		add_member(s, begin, nbytes, seed);
		begin += nbytes;
	}
}

void oracle_random_plan(struct plan *plan, uint64_t *seed)
{
	*plan = (struct plan){ .header_nbytes = below(seed, 30) };
	plan->record_begin = below(seed, 60);
	if (below(seed, 4) != 0) {
		plan->record_nbytes = 1 + below(seed, 50);
		plan->nrecords = below(seed, 4) ? 1 + below(seed, 14) :
						  UINT64_MAX;
	}
	spread(plan, 0, plan->record_begin, false, seed);
	spread(plan, plan->record_begin,
	       plan->record_begin + plan->record_nbytes, true, seed);
	spread(plan, plan_record_end(plan), PLAN_OFFSET_END, false, seed);
	for (uint32_t i = 0; i < plan->nstreams; i++)
		widen_blocks(&plan->streams[i]);
}

static bool same_stream(const struct plan_stream *a,
			const struct plan_stream *b)
{
	if (a->is_record != b->is_record || a->width != b->width ||
	    a->block_nbytes != b->block_nbytes ||
	    a->panel_nrecords != b->panel_nrecords ||
	    a->nmembers != b->nmembers)
		return false;
	for (uint32_t i = 0; i < a->nmembers; i++)
		if (a->members[i].variable != b->members[i].variable ||
		    a->members[i].begin != b->members[i].begin ||
		    a->members[i].nbytes != b->members[i].nbytes)
			return false;
	return true;
}

bool oracle_same_plan(const struct plan *a, const struct plan *b)
{
	bool same = a->header_nbytes == b->header_nbytes &&
		    a->record_begin == b->record_begin &&
		    a->record_nbytes == b->record_nbytes &&
		    a->nrecords == b->nrecords && a->nstreams == b->nstreams;

	for (uint32_t i = 0; same && i < a->nstreams; i++)
		same = same_stream(&a->streams[i], &b->streams[i]);
	return same;
}
