/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the plan of an archive: what is accepted is written the same
 * again, and its maps for originals of several sizes hold together.  The last
 * eight bytes choose one of the sizes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "fuzz.h"
#include "plan/shape.h"
#include "plan_walk.h"

#define SIZE_NBYTES 8

static void check_code(const struct plan *plan, const uint8_t *data,
		       size_t nbytes)
{
	struct buffer again = { 0 };

	FUZZ_CHECK(plan_write(plan, &again));
	FUZZ_CHECK(again.nbytes == nbytes &&
		   memcmp(again.data, data, nbytes) == 0);
	buffer_release(&again);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct plan plan;
	uint8_t *exact;
	uint64_t size;
	int status;

	if (nbytes < SIZE_NBYTES)
		return;
	nbytes -= SIZE_NBYTES;
	size = load_le64(data + nbytes);
	exact = fuzz_copy(data, nbytes);
	status = plan_read(exact, nbytes, &plan, NULL);
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
		   status == NC3Z_EUNSUPPORTED);
	if (status == NC3Z_OK) {
		check_code(&plan, exact, nbytes);
		plan_walk(&plan, size & PLAN_OFFSET_END);
		plan_walk(&plan, size % 10000);
		plan_walk(&plan, PLAN_OFFSET_END);
		plan_release(&plan);
	}
	free(exact);
}

/* Cuts the stream of a variable into chunks, if it is one without padding. */
static void chunk_stream(struct plan_stream *s,
			 const struct classic_header *header, uint64_t seed)
{
	uint32_t variable = s->members[0].variable;
	const struct classic_var *var;
	uint64_t nelems;

	if (s->nmembers != 1 || variable >= header->nvars)
		return;
	var = &header->vars[variable];
	if (var->ndims < 1 || var->ndims > PLAN_RANK_MAX ||
	    !classic_var_nelems(header, var, &nelems) ||
	    nelems * s->width != s->members[0].nbytes)
		return;
	s->grid = plan_grid_new((uint32_t)var->ndims);
	FUZZ_CHECK(s->grid);
	for (size_t k = 0; k < var->ndims; k++, seed >>= 5) {
		uint64_t length = header->dims[var->dimids[k]].length;

		s->grid->dims[k].length = length;
		s->grid->dims[k].chunk =
			1 + (uint32_t)(seed % 32 % (length ? length : 5));
	}
}

/* The plan of a classic file; false if it has none. */
static bool make_plan(const uint8_t *file, size_t file_nbytes, uint64_t seed,
		      struct buffer *out)
{
	uint32_t block_nbytes = NC3Z_BLOCK_NBYTES_MIN << seed % 9;
	struct classic_header header;
	struct layout layout;
	struct plan_hint *hints;
	struct plan plan;
	bool more;

	if (classic_header_parse(file, file_nbytes, true, &header, &more,
				 NULL) != NC3Z_OK)
		return false;
	FUZZ_CHECK(layout_of_header(&header, &layout, NULL) == NC3Z_OK);
	FUZZ_CHECK(plan_shape(&header, &layout,
			      &(struct plan_shaping){ .block_nbytes =
							      block_nbytes },
			      &plan, &hints, NULL) == NC3Z_OK);
	for (uint32_t i = 0; seed & 1 && i < plan.nstreams; i++)
		chunk_stream(&plan.streams[i], &header, seed >> 4);
	FUZZ_CHECK(plan_write(&plan, out));
	plan_release(&plan);
	free(hints);
	layout_release(&layout);
	classic_header_release(&header);
	return true;
}

static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	struct buffer bytes = { 0 };
	size_t nbytes = 0;

	if (make_plan(file, file_nbytes, seed, &bytes) &&
	    buffer_le64(&bytes, file_nbytes) && bytes.nbytes <= room.nbytes) {
		nbytes = bytes.nbytes;
		memcpy(room.data, bytes.data, nbytes);
	}
	buffer_release(&bytes);
	return nbytes;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
};
