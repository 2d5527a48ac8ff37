/* SPDX-License-Identifier: MIT */
/*
 * A plan as bytes: the record section, then each stream with its members.
 * A member is written as what it differs from one that follows the member
 * before it, which leaves little to a codec: mostly zeros.  A count sizes an
 * array only after so many entries are known to be there.
 */
#include "base/cursor.h"
#include "plan/plan.h"

#define KIND_FIXED 0
#define KIND_RECORD 1

#define STREAM_NBYTES 16 /* without its members; a chunked one has more */
#define DIM_NBYTES 12
#define MEMBER_NBYTES 20

/* The member expected after the one before: the next variable. */
struct expected {
	uint32_t variable;
	uint64_t begin;
};

static struct expected expect_after(const struct plan_member *m)
{
	return (struct expected){
		.variable = m->variable + 1,
		.begin = m->begin + m->nbytes,
	};
}

static bool write_cut(const struct plan_stream *s, struct buffer *out)
{
	return buffer_le32(out, s->block_nbytes) &&
	       buffer_le32(out, s->panel_nrecords) &&
	       buffer_le32(out, s->nmembers);
}

static bool write_grid(const struct plan_grid *t, struct buffer *out)
{
	bool ok = true;

	for (uint32_t k = 0; ok && k < t->rank; k++)
		ok = buffer_le64(out, t->dims[k].length) &&
		     buffer_le32(out, t->dims[k].chunk);
	return ok;
}

static bool write_stream(const struct plan_stream *s, struct expected *e,
			 struct buffer *out)
{
	bool ok = buffer_u8(out, s->is_record ? KIND_RECORD : KIND_FIXED) &&
		  buffer_u8(out, s->grid ? PLAN_LAYOUT_CHUNKED :
					   PLAN_LAYOUT_LINEAR) &&
		  buffer_u8(out, s->width) &&
		  buffer_u8(out, s->grid ? (uint8_t)s->grid->rank : 0) &&
		  (s->grid ? write_grid(s->grid, out) : write_cut(s, out));

	for (uint32_t i = 0; ok && i < s->nmembers; i++) {
		const struct plan_member *m = &s->members[i];

		ok = buffer_le32(out, m->variable - e->variable) &&
		     buffer_le64(out, m->begin - e->begin) &&
		     buffer_le64(out, m->nbytes);
		*e = expect_after(m);
	}
	return ok;
}

bool plan_write(const struct plan *plan, struct buffer *out)
{
	struct expected e = { 0 };
	bool ok = buffer_le64(out, plan->header_nbytes) &&
		  buffer_le64(out, plan->record_begin) &&
		  buffer_le64(out, plan->record_nbytes) &&
		  buffer_le64(out, plan->nrecords) &&
		  buffer_le32(out, plan->nstreams);

	for (uint32_t i = 0; ok && i < plan->nstreams; i++)
		ok = write_stream(&plan->streams[i], &e, out);
	return ok;
}

static int cut_off(struct nc3z_error *err)
{
	return error_set(err, NC3Z_EDAMAGED, "plan is cut off");
}

static int read_members(struct cursor *c, uint32_t count, struct expected *e,
			struct plan_stream *s, struct nc3z_error *err)
{
	if (count > cursor_left(c) / MEMBER_NBYTES)
		return cut_off(err);
	s->members = memory_alloc(count, sizeof(*s->members));
	if (!s->members)
		return error_set_memory(err);
	while (s->nmembers < count) {
		struct plan_member *m = &s->members[s->nmembers++];

		m->variable = cursor_le32(c) + e->variable;
		m->begin = cursor_le64(c) + e->begin;
		m->nbytes = cursor_le64(c);
		*e = expect_after(m);
	}
	return NC3Z_OK;
}

/* How a linear stream is cut, and its number of members. */
static int read_cut(struct cursor *c, struct plan_stream *s,
		    uint32_t *nmembers_ret, struct nc3z_error *err)
{
	s->block_nbytes = cursor_le32(c);
	s->panel_nrecords = cursor_le32(c);
	*nmembers_ret = cursor_le32(c);
	return cursor_ok(c) ? NC3Z_OK : cut_off(err);
}

static int read_grid(struct cursor *c, uint8_t rank, struct plan_stream *s,
		     struct nc3z_error *err)
{
	if (rank > PLAN_RANK_MAX || rank > cursor_left(c) / DIM_NBYTES)
		return rank > PLAN_RANK_MAX ?
			       error_set(err, NC3Z_EDAMAGED,
					 "plan: chunks of %u dimensions",
					 rank) :
			       cut_off(err);
	s->grid = plan_grid_new(rank);
	if (!s->grid)
		return error_set_memory(err);
	for (uint32_t k = 0; k < rank; k++) {
		s->grid->dims[k].length = cursor_le64(c);
		s->grid->dims[k].chunk = cursor_le32(c);
	}
	return NC3Z_OK;
}

static int read_stream(struct cursor *c, struct expected *e,
		       struct plan_stream *s, struct nc3z_error *err)
{
	uint8_t kind = cursor_u8(c), layout = cursor_u8(c), rank;
	uint32_t nmembers = 1;

	s->width = cursor_u8(c);
	s->is_record = kind == KIND_RECORD;
	rank = cursor_u8(c);
	if (!cursor_ok(c))
		return cut_off(err);
	if (layout > PLAN_LAYOUT_CHUNKED)
		return error_set(err, NC3Z_EUNSUPPORTED, "unknown layout %u",
				 layout);
	if (kind > KIND_RECORD || (rank == 0) != (layout == PLAN_LAYOUT_LINEAR))
		return error_set(err, NC3Z_EDAMAGED,
				 "plan: invalid kind of stream");
	NC3Z_TRY(layout == PLAN_LAYOUT_CHUNKED ?
			 read_grid(c, rank, s, err) :
			 read_cut(c, s, &nmembers, err));
	return read_members(c, nmembers, e, s, err);
}

static int read_plan(struct cursor *c, struct plan *plan,
		     struct nc3z_error *err)
{
	struct expected e = { 0 };
	uint32_t count;

	plan->header_nbytes = cursor_le64(c);
	plan->record_begin = cursor_le64(c);
	plan->record_nbytes = cursor_le64(c);
	plan->nrecords = cursor_le64(c);
	count = cursor_le32(c);
	if (!cursor_ok(c))
		return cut_off(err);
	if (count > cursor_left(c) / STREAM_NBYTES)
		return cut_off(err);
	plan->streams = memory_alloc(count, sizeof(*plan->streams));
	if (!plan->streams)
		return error_set_memory(err);
	while (plan->nstreams < count)
		NC3Z_TRY(read_stream(c, &e, &plan->streams[plan->nstreams++],
				     err));
	if (cursor_left(c) != 0)
		return error_set(err, NC3Z_EDAMAGED,
				 "plan: bytes after the last stream");
	return plan_finish(plan, err);
}

int plan_read(const uint8_t *data, size_t data_nbytes, struct plan *plan_ret,
	      struct nc3z_error *err)
{
	struct cursor c;
	int status;

	*plan_ret = (struct plan){ 0 };
	if (data_nbytes > PLAN_NBYTES_MAX)
		return error_set(err, NC3Z_EDAMAGED, "plan is too long");
	cursor_init(&c, data, data_nbytes);
	status = read_plan(&c, plan_ret, err);
	if (status != NC3Z_OK)
		plan_release(plan_ret);
	return status;
}
