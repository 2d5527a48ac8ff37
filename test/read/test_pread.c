/* SPDX-License-Identifier: MIT */
/* nc3z_pread(): the bytes of the original, whatever way they are stored. */
#include "check.h"
#include "made.h"
#include "packed.h"
#include "nc3z_tools.h"

#define GUARD 0xa5

static const struct manner manners[] = {
	{ .has_no_cache = true },
	{ .block_nbytes = 4096, .has_no_cache = true },
	{ .block_nbytes = 5000, .codec = NC3Z_CODEC_DEFLATE },
	{ .cache_nbytes = 40000 },
};

/* One range; 'size' bytes are wanted, of which some may be beyond the end. */
static void check_range(struct nc3z_file *file, const struct blob *original,
			uint64_t offset, size_t nbytes)
{
	uint64_t size = original->nbytes;
	uint64_t there = offset < size ? size - offset : 0;
	uint8_t *data = malloc(nbytes + 2);
	size_t got = 12345;

	REQUIRE(data);
	there = there < nbytes ? there : nbytes;
	memset(data, GUARD, nbytes + 2);
	CHECK(nc3z_pread(file, data + 1, nbytes, offset, &got, NULL) ==
	      NC3Z_OK);
	CHECK_EQ_U64(got, there);
	if (there > 0)
		CHECK_MEM_EQ(data + 1, original->data + offset, (size_t)there);
	CHECK(data[0] == GUARD);
	for (size_t i = (size_t)there + 1; i < nbytes + 2; i++)
		if (data[i] != GUARD && !CHECK(data[i] == GUARD))
			break;
	free(data);
}

static void check_file(struct nc3z_file *file, const struct blob *original,
		       uint64_t *seed)
{
	uint64_t size = original->nbytes;

	CHECK_EQ_U64(nc3z_inq_size(file), size);
	check_range(file, original, 0, (size_t)size);
	check_range(file, original, 0, (size_t)size + 100);
	check_range(file, original, size, 0);
	check_range(file, original, size, 10);
	check_range(file, original, size + 1, 10);
	check_range(file, original, UINT64_MAX, 10);
	check_range(file, original, UINT64_MAX - 5, 10);
	for (int i = 0; i < 30; i++) {
		uint64_t limit = 1 + check_random_below(seed, size + 10);

		check_range(file, original, check_random_below(seed, size + 10),
			    (size_t)check_random_below(seed, limit));
	}
}

static void test_ranges(void)
{
	for (uint64_t i = 0; i < 4 * MADE_KINDS; i++) {
		struct blob original = { 0 };
		uint64_t seed = 1000 + i;

		made_file((enum made_kind)(i % MADE_KINDS), &seed, &original);
		for (size_t k = 0; k < sizeof(manners) / sizeof(*manners);
		     k++) {
			struct blob archive =
				packed_make(&original, &manners[k]);
			struct nc3z_file *file = packed_open(
				k ? &archive : &original, &manners[k]);

			REQUIRE(file);
			check_file(file, &original, &seed);
			nc3z_close(file);
			blob_release(&archive);
		}
		blob_release(&original);
	}
}

int main(void)
{
	RUN(test_ranges);
	return check_report();
}
