/* SPDX-License-Identifier: MIT */
/*
 * The header of the original.  Without it nothing says which bytes are whose,
 * so that lost ones could not be filled nor named.
 */
#include <string.h>

#include "base/sizes.h"
#include "salvage/salvage.h"

/* Whether the bytes in 's->head' begin with a whole header; then takes it. */
static int parse(struct salvage *s, bool *found_ret)
{
	struct nc3z_error err = { 0 };
	bool more = false;
	int status = classic_header_parse(s->head.data, s->head.nbytes, false,
					  &s->header, &more, &err);

	*found_ret = status == NC3Z_OK && !more;
	if (status == NC3Z_OK || status == NC3Z_ENOTCLASSIC)
		return NC3Z_OK;
	if (s->err)
		*s->err = err;
	return status;
}

/* The header has the length that the plan says, if there is a plan. */
static bool fits_plan(const struct salvage *s)
{
	return s->plan.nstreams == 0 ||
	       s->header.nbytes == s->plan.header_nbytes;
}

static int parse_fitting(struct salvage *s, bool *found_ret)
{
	NC3Z_TRY(parse(s, found_ret));
	if (!*found_ret || fits_plan(s))
		return NC3Z_OK;
	classic_header_release(&s->header);
	s->header = (struct classic_header){ 0 };
	*found_ret = false;
	return NC3Z_OK;
}

int salvage_header_copy(struct salvage *s, bool *found_ret)
{
	*found_ret = false;
	for (size_t i = 0; i < s->finds.nfragments; i++) {
		const struct salvage_fragment *f = &s->finds.fragments[i];
		uint64_t offset = f->header_copy;
		int status;

		if (!s->joined[i] || offset == NOWHERE)
			continue;
		status = section_read(s->sources[f->source],
				      FORMAT_MARK_HEADER_COPY, &offset,
				      &s->head, NULL, s->err);
		if (status == NC3Z_ENOMEM || status == NC3Z_EIO)
			return status;
		if (status != NC3Z_OK || s->head.nbytes == 0)
			continue;
		NC3Z_TRY(parse_fitting(s, found_ret));
		if (*found_ret) {
			s->head_is_copy = true;
			return NC3Z_OK;
		}
	}
	return NC3Z_OK;
}

/*
 * Appends a block to the head; false in '*done_ret' if it is lost.  Nothing of
 * a header lies so far beyond it that the head grows beyond all bounds.
 */
static int append_block(struct salvage *s, uint32_t stream, uint64_t block,
			bool *done_ret)
{
	struct salvage_found_block *p = salvage_good(s, stream, block);
	size_t before = s->head.nbytes;
	int status;

	*done_ret = false;
	if (!p || before > PLAN_HEADER_NBYTES_MAX)
		return NC3Z_OK;
	if (!buffer_reserve(&s->head, before + p->raw_nbytes))
		return error_set_memory(s->err);
	status = salvage_decode(s, p, s->head.data + before);
	if (status == NC3Z_EDAMAGED || status == NC3Z_EUNSUPPORTED) {
		p->is_bad = true;
		return append_block(s, stream, block, done_ret);
	}
	s->head.nbytes = before + p->raw_nbytes;
	*done_ret = true;
	return status;
}

int salvage_header_first_blocks(struct salvage *s, bool *found_ret)
{
	bool done = true;
	size_t parsed = 0;

	*found_ret = false;
	s->head.nbytes = 0;
	for (uint64_t b = 0; !*found_ret && done; b++) {
		NC3Z_TRY(append_block(s, 0, b, &done));
		/* Not again for each small block of a long header. */
		if (!done || s->head.nbytes < 2 * parsed)
			continue;
		NC3Z_TRY(parse_fitting(s, found_ret));
		parsed = s->head.nbytes;
	}
	if (!*found_ret && s->head.nbytes > parsed)
		NC3Z_TRY(parse_fitting(s, found_ret));
	return NC3Z_OK;
}

/* As many bytes at the end of the head as one block has of them. */
static int append_run(struct salvage *s, struct buffer *raw, bool *done_ret)
{
	struct plan_run run = plan_run_at(&s->endless, s->head.nbytes);
	struct plan_block block =
		plan_block_at(&s->endless, run.stream, run.stream_offset);
	struct salvage_found_block *p =
		salvage_good(s, run.stream, block.block);
	uint64_t at = run.stream_offset - block.stream_offset, n;
	struct buffer head = s->head;
	int status;

	*done_ret = false;
	if (!p || p->raw_nbytes > block.nbytes || p->raw_nbytes <= at)
		return NC3Z_OK;
	s->head = (struct buffer){ 0 };
	status = append_block(s, run.stream, block.block, done_ret);
	raw->nbytes = 0;
	n = size_min(run.nbytes, s->head.nbytes - size_min(at, s->head.nbytes));
	n = size_min(n, s->plan.header_nbytes - head.nbytes);
	if (status == NC3Z_OK && *done_ret &&
	    !buffer_append(raw, s->head.data + at, (size_t)n))
		status = error_set_memory(s->err);
	buffer_release(&s->head);
	s->head = head;
	*done_ret = *done_ret && n > 0;
	if (status == NC3Z_OK && *done_ret &&
	    !buffer_append(&s->head, raw->data, raw->nbytes))
		status = error_set_memory(s->err);
	return status;
}

int salvage_header_blocks(struct salvage *s, bool *found_ret)
{
	struct buffer raw = { 0 };
	int status = NC3Z_OK;
	bool done = true;

	*found_ret = false;
	s->head.nbytes = 0;
	while (status == NC3Z_OK && done &&
	       s->head.nbytes < s->plan.header_nbytes)
		status = append_run(s, &raw, &done);
	buffer_release(&raw);
	NC3Z_TRY(status);
	return done ? parse_fitting(s, found_ret) : NC3Z_OK;
}
