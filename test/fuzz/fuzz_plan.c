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
#include "plan/plan_shape.h"
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

/* The plan of a classic file; false if it has none. */
static bool make_plan(const uint8_t *file, size_t file_nbytes,
		      uint32_t block_nbytes, struct buffer *out)
{
	struct classic_header header;
	struct layout layout;
	struct plan_hint *hints;
	struct plan plan;
	bool more;

	if (classic_header_parse(file, file_nbytes, true, &header, &more,
				 NULL) != NC3Z_OK)
		return false;
	FUZZ_CHECK(layout_of_header(&header, &layout, NULL) == NC3Z_OK);
	FUZZ_CHECK(plan_shape(&header, &layout, block_nbytes, &plan, &hints,
			      NULL) == NC3Z_OK);
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
	uint32_t block_nbytes = NC3Z_BLOCK_NBYTES_MIN << seed % 9;
	struct buffer bytes = { 0 };
	size_t nbytes = 0;

	if (make_plan(file, file_nbytes, block_nbytes, &bytes) &&
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
