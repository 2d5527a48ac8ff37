/* SPDX-License-Identifier: MIT */
/*
 * The plan says which bytes of the original a block has: with a wrong one, all
 * values would be wrong.  In this order it is taken
 *
 * - from its section, if the first record header goes on from it;
 * - from the catalogue, which has the identity of the blocks;
 * - from its section before the blocks, whose first one is lost; it has to fit
 *   the catalogue, if that is there, and all blocks;
 * - made once more from the header, as nc3z_pack() makes it without chunks, if
 *   plan and first block then have the identity of the archive.
 */
#include <stdlib.h>
#include <string.h>

#include "salvage/salvage.h"
#include "plan/shape.h"

/* Whether a failure is due to the input, not to the system. */
static bool is_harmless(int status)
{
	return status == NC3Z_OK || status == NC3Z_EDAMAGED ||
	       status == NC3Z_EUNSUPPORTED || status == NC3Z_ELIMIT;
}

/* Reads a catalogue and takes it if it is of this archive. */
static int read_catalogue(struct salvage *s, const struct salvage_fragment *f)
{
	struct archive_catalogue found = { 0 };
	struct buffer contents = { 0 };
	uint64_t offset = f->catalogue;
	struct nc3z_error err = { 0 };
	int status = section_read(s->sources[f->source], FORMAT_MARK_CATALOGUE,
				  &offset, &contents, NULL, &err);
	bool is_ours;

	if (status == NC3Z_OK)
		status = catalogue_read(contents.data, contents.nbytes, &found,
					&err);
	is_ours = status == NC3Z_OK && memcmp(found.identity, s->identity,
					      FORMAT_IDENTITY_NBYTES) == 0;
	if (is_ours && s->has_catalogue &&
	    (found.original_nbytes != s->catalogue.original_nbytes ||
	     memcmp(found.sha256, s->catalogue.sha256, SHA256_NBYTES) != 0))
		status = error_set(s->err, NC3Z_EINVAL,
				   "inputs are not copies of one archive: "
				   "the SHA-256 of their originals differ");
	else if (is_harmless(status))
		status = NC3Z_OK;
	else if (s->err)
		*s->err = err;
	if (status == NC3Z_OK && is_ours && !s->has_catalogue) {
		s->has_catalogue = true;
		s->catalogue = found;
		s->catalogue_contents = contents;
		return NC3Z_OK;
	}
	catalogue_release(&found);
	buffer_release(&contents);
	return status;
}

static int read_catalogues(struct salvage *s)
{
	for (size_t i = 0; i < s->finds.nfragments; i++)
		if (s->joined[i] && s->finds.fragments[i].catalogue != NOWHERE)
			NC3Z_TRY(read_catalogue(s, &s->finds.fragments[i]));
	return NC3Z_OK;
}

/* Whether the catalogue has the streams that a plan gives. */
static int check_catalogue(const struct salvage *s, const struct plan *plan,
			   bool *fits_ret)
{
	const struct archive_catalogue *c = &s->catalogue;
	struct plan_map map;
	int status;

	*fits_ret = c->nstreams == plan->nstreams &&
		    c->original_nbytes < PLAN_OFFSET_END &&
		    c->original_nbytes >= plan->header_nbytes;
	if (!*fits_ret)
		return NC3Z_OK;
	status = plan_map_init(&map, plan, c->original_nbytes, s->err);
	for (uint32_t i = 0; status == NC3Z_OK && i < plan->nstreams; i++)
		if (map.extents[i].nbytes != c->stream_nbytes[i] ||
		    map.extents[i].nblocks != c->stream_nblocks[i])
			*fits_ret = false;
	plan_map_release(&map);
	return status;
}

/* Whether all blocks exist in a plan and are not longer than there. */
static int check_found(const struct salvage *s, const struct plan *plan,
		       bool *fits_ret)
{
	struct plan_map map;
	int status = plan_map_init(&map, plan, PLAN_OFFSET_END, s->err);

	*fits_ret = true;
	for (size_t i = 0;
	     status == NC3Z_OK && *fits_ret && i < s->finds.nfound; i++) {
		const struct salvage_found_block *p = &s->finds.found[i];

		*fits_ret = p->is_unproven ||
			    (p->stream < plan->nstreams &&
			     p->block < map.extents[p->stream].nblocks &&
			     p->raw_nbytes <= plan_block_numbered(
						      &map, p->stream, p->block)
						      .nbytes);
	}
	plan_map_release(&map);
	return status;
}

/* Takes the plan in 's->plan_bytes', if it is one that fits. */
static int take_plan(struct salvage *s, int from, bool *taken_ret)
{
	struct nc3z_error err = { 0 };
	bool fits = true;
	int status = plan_read(s->plan_bytes.data, s->plan_bytes.nbytes,
			       &s->plan, &err);

	*taken_ret = false;
	if (status == NC3Z_ENOMEM && s->err)
		*s->err = err;
	if (status != NC3Z_OK)
		return status == NC3Z_ENOMEM ? status : NC3Z_OK;
	if (from == NC3Z_SALVAGE_PLAN_BY_PLACE) {
		status = check_found(s, &s->plan, &fits);
		if (status == NC3Z_OK && fits && s->has_catalogue)
			status = check_catalogue(s, &s->plan, &fits);
	}
	*taken_ret = status == NC3Z_OK && fits;
	s->plan_from = from;
	if (!*taken_ret) {
		plan_release(&s->plan);
		s->plan = (struct plan){ 0 };
	}
	return status;
}

static int from_sections(struct salvage *s, int from, bool *taken_ret)
{
	*taken_ret = false;
	for (size_t i = 0; !*taken_ret && i < s->finds.nfragments; i++) {
		const struct salvage_fragment *f = &s->finds.fragments[i];
		uint64_t offset = f->plan;
		bool is_ours = f->plan_is_proven ? salvage_has_identity(s, f) :
						   s->joined[i];
		int status;

		if (!is_ours || offset == NOWHERE ||
		    f->plan_is_proven != (from == NC3Z_SALVAGE_PLAN_SECTION))
			continue;
		status = section_read(s->sources[f->source], FORMAT_MARK_PLAN,
				      &offset, &s->plan_bytes, NULL, s->err);
		if (status == NC3Z_OK)
			status = take_plan(s, from, taken_ret);
		if (!is_harmless(status))
			return status;
	}
	return NC3Z_OK;
}

static int from_catalogue(struct salvage *s, bool *taken_ret)
{
	*taken_ret = false;
	if (!s->has_catalogue || s->catalogue.plan_nbytes == 0)
		return NC3Z_OK;
	s->plan_bytes.nbytes = 0;
	if (!buffer_append(&s->plan_bytes, s->catalogue.plan,
			   s->catalogue.plan_nbytes))
		return error_set_memory(s->err);
	return take_plan(s, NC3Z_SALVAGE_PLAN_CATALOGUE, taken_ret);
}

/* The block found of an input that lies first, NULL if there is none. */
static const struct salvage_found_block *first_of(const struct salvage *s,
						  uint32_t source)
{
	const struct salvage_found_block *first = NULL;

	for (size_t i = 0; i < s->finds.nfound; i++) {
		const struct salvage_found_block *p = &s->finds.found[i];

		if (s->finds.fragments[p->fragment].source == source &&
		    (!first || p->offset < first->offset))
			first = p;
	}
	return first;
}

/* Whether plan and first block of an input give the identity. */
static int check_identity(struct salvage *s, const uint8_t *raw,
			  size_t raw_nbytes, bool *is_right_ret)
{
	uint8_t identity[FORMAT_IDENTITY_NBYTES];

	NC3Z_TRY(archive_identity(s->plan_bytes.data, s->plan_bytes.nbytes, raw,
				  raw_nbytes, identity, s->err));
	*is_right_ret = memcmp(identity, s->identity, sizeof(identity)) == 0;
	return NC3Z_OK;
}

/* Makes a plan; the header is there. */
static int shape_plan(struct salvage *s, const struct plan_shaping *shaping)
{
	struct plan_hint *hints = NULL;
	struct plan plan = { 0 };
	int status = plan_shape(&s->header, &s->layout, shaping, &plan, &hints,
				s->err);

	s->plan_bytes.nbytes = 0;
	if (status == NC3Z_OK && !plan_write(&plan, &s->plan_bytes))
		status = error_set_memory(s->err);
	free(hints);
	plan_release(&plan);
	return status;
}

/* Takes the plan of a shape if it gives the identity. */
static int try_shape(struct salvage *s, const struct plan_shaping *shaping,
		     const uint8_t *raw, size_t raw_nbytes, bool *taken_ret)
{
	bool is_right = false;
	int status = shape_plan(s, shaping);

	if (status == NC3Z_OK)
		status = check_identity(s, raw, raw_nbytes, &is_right);
	if (status == NC3Z_OK && is_right)
		return take_plan(s, NC3Z_SALVAGE_PLAN_COMPUTED, taken_ret);
	return is_harmless(status) ? NC3Z_OK : status;
}

/*
 * Tries block sizes: the default, then all powers of two; then variables that
 * share streams.
 */
static int try_shapes(struct salvage *s, struct plan_shaping shaping,
		      const uint8_t *raw, size_t raw_nbytes, bool *taken_ret)
{
	uint32_t next = NC3Z_BLOCK_NBYTES_MIN;

	*taken_ret = false;
	while (!*taken_ret && shaping.block_nbytes <= NC3Z_BLOCK_NBYTES_MAX) {
		NC3Z_TRY(try_shape(s, &shaping, raw, raw_nbytes, taken_ret));
		shaping.block_nbytes = next;
		next *= 2;
	}
	shaping.block_nbytes = PLAN_JOINED_NBYTES;
	for (unsigned i = PLAN_JOIN_SMALL + 1; i < PLAN_NJOININGS; i++) {
		if (*taken_ret)
			break;
		shaping.joining = i;
		NC3Z_TRY(try_shape(s, &shaping, raw, raw_nbytes, taken_ret));
	}
	return NC3Z_OK;
}

static int compute_for(struct salvage *s,
		       const struct salvage_found_block *first, bool *taken_ret)
{
	const struct plan_shaping now = { 0 }, as_1_0_0 = { .header_waits = 1 };
	uint8_t *raw = malloc(first->raw_nbytes);
	int status;

	if (!raw)
		return error_set_memory(s->err);
	status = salvage_decode(s, first, raw);
	if (status == NC3Z_OK)
		status = try_shapes(s, now, raw, first->raw_nbytes, taken_ret);
	if (status == NC3Z_OK && !*taken_ret)
		status = try_shapes(s, as_1_0_0, raw, first->raw_nbytes,
				    taken_ret);
	free(raw);
	return is_harmless(status) ? NC3Z_OK : status;
}

static void forget_header(struct salvage *s)
{
	layout_release(&s->layout);
	classic_header_release(&s->header);
	s->layout = (struct layout){ 0 };
	s->header = (struct classic_header){ 0 };
	s->head_is_copy = false;
}

static int compute(struct salvage *s, bool *taken_ret)
{
	bool found;
	int status;

	*taken_ret = false;
	NC3Z_TRY(salvage_header_copy(s, &found));
	if (!found)
		NC3Z_TRY(salvage_header_first_blocks(s, &found));
	if (!found)
		return NC3Z_OK;
	status = layout_of_header(&s->header, &s->layout, s->err);
	for (uint32_t i = 0;
	     status == NC3Z_OK && !*taken_ret && i < s->nsources; i++) {
		const struct salvage_found_block *first = first_of(s, i);

		if (first)
			status = compute_for(s, first, taken_ret);
	}
	forget_header(s);
	return is_harmless(status) ? NC3Z_OK : status;
}

static int find_plan(struct salvage *s)
{
	bool taken;

	NC3Z_TRY(from_sections(s, NC3Z_SALVAGE_PLAN_SECTION, &taken));
	if (!taken)
		NC3Z_TRY(from_catalogue(s, &taken));
	if (!taken)
		NC3Z_TRY(from_sections(s, NC3Z_SALVAGE_PLAN_BY_PLACE, &taken));
	if (!taken)
		NC3Z_TRY(compute(s, &taken));
	if (!taken)
		return error_set(s->err, NC3Z_EDAMAGED,
				 "plan is lost: the contents of the blocks are "
				 "unknown");
	return plan_map_init(&s->endless, &s->plan, PLAN_OFFSET_END, s->err);
}

int salvage_find_header(struct salvage *s)
{
	bool found;

	NC3Z_TRY(salvage_header_blocks(s, &found));
	if (!found)
		NC3Z_TRY(salvage_header_copy(s, &found));
	if (!found)
		return error_set(s->err, NC3Z_EDAMAGED,
				 "header of the original is lost");
	return layout_of_header(&s->header, &s->layout, s->err);
}

int salvage_plan(struct salvage *s)
{
	bool fits = false;

	NC3Z_TRY(read_catalogues(s));
	NC3Z_TRY(find_plan(s));
	if (s->has_catalogue)
		NC3Z_TRY(check_catalogue(s, &s->plan, &fits));
	s->has_catalogue = s->has_catalogue && fits;
	return NC3Z_OK;
}
