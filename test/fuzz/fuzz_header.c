/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a classic header: parsed from ever longer beginnings as a packer
 * does, laid out, planned, and walked through.  However much is given at once,
 * the result is the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "classic/layout.h"
#include "fuzz.h"
#include "plan/shape.h"
#include "plan_walk.h"

/* Parses a beginning from memory of that length. */
static int parse(const uint8_t *data, size_t nbytes, bool is_whole,
		 struct classic_header *header, bool *more,
		 struct nc3z_error *err)
{
	int status =
		classic_header_parse(data, nbytes, is_whole, header, more, err);

	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_ENOTCLASSIC);
	FUZZ_CHECK(!*more || (status == NC3Z_OK && !is_whole));
	FUZZ_CHECK(status != NC3Z_OK || *more || header->nbytes <= nbytes);
	if (status != NC3Z_OK)
		FUZZ_CHECK(err->status == status && err->text[0] != '\0' &&
			   err->offset <= nbytes);
	return status;
}

/* From a few bytes to all of them; what it came to without more. */
static int parse_in_steps(const uint8_t *data, size_t data_nbytes,
			  uint64_t *nbytes_ret)
{
	struct classic_header header = { 0 };
	struct nc3z_error err = { 0 };
	int status = NC3Z_OK;
	bool more = true;

	for (size_t n = 1; more && n < data_nbytes; n *= 2) {
		uint8_t *part = fuzz_copy(data, n);

		status = parse(part, n, false, &header, &more, &err);
		*nbytes_ret = header.nbytes;
		classic_header_release(&header);
		free(part);
	}
	if (more) {
		status = parse(data, data_nbytes, true, &header, &more, &err);
		*nbytes_ret = header.nbytes;
		classic_header_release(&header);
	}
	return status;
}

/* A plan as bytes comes back the same. */
static void check_code(const struct plan *plan)
{
	struct buffer first = { 0 }, second = { 0 };
	struct plan again;

	FUZZ_CHECK(plan_write(plan, &first));
	FUZZ_CHECK(plan_read(first.data, first.nbytes, &again, NULL) ==
		   NC3Z_OK);
	FUZZ_CHECK(plan_write(&again, &second));
	FUZZ_CHECK(first.nbytes == second.nbytes &&
		   memcmp(first.data, second.data, first.nbytes) == 0);
	plan_release(&again);
	buffer_release(&first);
	buffer_release(&second);
}

static void check_plan(const struct classic_header *header,
		       const struct layout *layout, uint32_t block_nbytes,
		       uint64_t file_nbytes)
{
	uint32_t most = block_nbytes != 0 ? block_nbytes :
					    PLAN_TEXT_BLOCK_NBYTES;
	struct plan_hint *hints;
	struct plan plan;
	int status = plan_shape(
		header, layout,
		&(struct plan_shaping){ .block_nbytes = block_nbytes }, &plan,
		&hints, NULL);

	FUZZ_CHECK(status == NC3Z_OK);
	for (uint32_t i = 0; i < plan.nstreams; i++)
		FUZZ_CHECK(plan.streams[i].block_nbytes <= most &&
			   plan.streams[i].width == hints[i].width);
	check_code(&plan);
	plan_walk(&plan, file_nbytes);
	plan_walk(&plan, PLAN_OFFSET_END);
	free(hints);
	plan_release(&plan);
}

static void check_header(const struct classic_header *header,
			 uint64_t file_nbytes)
{
	struct layout layout;
	char text[40];

	classic_refusal_text(header, text, sizeof(text));
	FUZZ_CHECK(layout_of_header(header, &layout, NULL) == NC3Z_OK);
	FUZZ_CHECK(layout_is_gapless(&layout));
	FUZZ_CHECK(layout.data_end >= header->nbytes);
	FUZZ_CHECK(layout_record_end(&layout) <= CLASSIC_OFFSET_END);
	check_plan(header, &layout, NC3Z_BLOCK_NBYTES_MIN, file_nbytes);
	check_plan(header, &layout, 0, file_nbytes);
	layout_release(&layout);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct classic_header header = { 0 };
	struct nc3z_error err = { 0 };
	uint64_t steps_nbytes = 0;
	bool more = false;
	int status = parse(data, nbytes, true, &header, &more, &err);

	FUZZ_CHECK(parse_in_steps(data, nbytes, &steps_nbytes) == status);
	if (status != NC3Z_OK)
		return;
	FUZZ_CHECK(steps_nbytes == header.nbytes);
	check_header(&header, nbytes);
	classic_header_release(&header);
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
};
