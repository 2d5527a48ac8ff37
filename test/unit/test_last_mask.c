/* SPDX-License-Identifier: MIT */
/*
 * What a coder makes of blocks one after the other, whose masks are the same or
 * not, is what a new one makes of each.
 */
#include "block/block.h"
#include "check.h"

#define NELEMS_MAX 4096
#define FILL UINT32_C(0x7cf00000)

/* A block, and how it is encoded. */
struct trial {
	unsigned holes; /* which mask */
	unsigned seed;  /* of the values */
	size_t nelems;
	struct block_recipe recipe;
};

static uint8_t raw[4 * NELEMS_MAX];

/* The last two masks differ only at their ends. */
static bool is_hole(unsigned holes, size_t i)
{
	return holes == 0 ? i / 50 % 3 == 1 :
	       holes == 1 ? i % 7 < 2 :
			    i % 7 < 2 || i == 4094;
}

static void make(const struct trial *t)
{
	uint64_t seed = t->seed;

	for (size_t i = 0; i < t->nelems; i++) {
		uint32_t x = is_hole(t->holes, i) ?
				     FILL :
				     (uint32_t)check_random(&seed) % 1000;

		for (unsigned k = 0; k < 4; k++)
			raw[4 * i + k] = (uint8_t)(x >> 8 * (3 - k));
	}
}

static void check_same(const struct block_stored *a,
		       const struct block_stored *b)
{
	REQUIRE(a->description.nbytes == b->description.nbytes);
	REQUIRE(a->payload.nbytes == b->payload.nbytes);
	CHECK_MEM_EQ(a->description.data, b->description.data,
		     a->description.nbytes);
	CHECK_MEM_EQ(a->payload.data, b->payload.data, a->payload.nbytes);
}

static void check_decodes(struct block_coder *coder, const struct trial *t,
			  const struct block_stored *stored)
{
	static uint8_t out[sizeof(raw)];
	const struct block_view view = {
		.description = stored->description.data,
		.description_nbytes = stored->description.nbytes,
		.payload = stored->payload.data,
		.payload_nbytes = stored->payload.nbytes,
	};

	CHECK(block_decode(coder, &view, out, 4 * t->nelems, NULL) == NC3Z_OK);
	CHECK_MEM_EQ(out, raw, 4 * t->nelems);
}

static void encode(struct block_coder *coder, const struct trial *t,
		   struct block_stored *stored)
{
	CHECK(block_encode(coder, &t->recipe, raw, 4 * t->nelems, stored,
			   NULL) == NC3Z_OK);
}

/* One thing differs from the block before, or the values alone. */
static void renew(struct trial *t, uint64_t *seed)
{
	static const size_t lengths[] = { 2048, 4095, 4096, 4096 };
	static const uint32_t rows[] = { 0, 150, 7, 4093 };
	struct block_recipe *recipe = &t->recipe;
	unsigned which = (unsigned)(check_random(seed) % 4);

	t->seed++;
	switch (check_random(seed) % 8) {
	case 0:
		t->nelems = lengths[which];
		break;
	case 1:
		t->holes = (t->holes + 1 + which % 2) % 3;
		break;
	case 2:
		recipe->row_nelems = rows[which];
		break;
	case 3:
		recipe->codec = which % 2 ? NC3Z_CODEC_ZSTD :
					    NC3Z_CODEC_DEFLATE;
		break;
	case 4:
		recipe->level = 1 + (int)which * 3;
		break;
	case 5:
		recipe->others = which % 2 ? 1u << NC3Z_CODEC_LZMA |
						     1u << NC3Z_CODEC_BZIP2 :
					     0;
		break;
	case 6:
		recipe->too_many_nbytes = which * 200;
		break;
	default:
		break;
	}
}

static void test_one_after_another(void)
{
	struct block_coder coder = { 0 };
	struct block_stored stored = { 0 }, alone = { 0 };
	struct trial t = {
		.nelems = 4096,
		.recipe = {
			.width = 4,
			.transforms = BLOCK_TRANSFORM_DROP,
			.codec = NC3Z_CODEC_ZSTD,
			.level = 1,
			.others_level = 6,
		},
	};
	uint64_t seed = 1;

	for (unsigned i = 0; i < 400; i++) {
		struct block_coder fresh = { 0 };

		make(&t);
		encode(&coder, &t, &stored);
		encode(&fresh, &t, &alone);
		check_same(&stored, &alone);
		check_decodes(&fresh, &t, &stored);
		block_coder_release(&fresh);
		renew(&t, &seed);
	}
	block_coder_release(&coder);
	block_stored_release(&stored);
	block_stored_release(&alone);
}

int main(void)
{
	RUN(test_one_after_another);
	return check_report();
}
