/* SPDX-License-Identifier: MIT */
#include "archive/archive.h"
#include "blob.h"
#include "check.h"

#define NSTREAMS_MAX 20

static uint64_t stream_nbytes[NSTREAMS_MAX];
static uint32_t stream_nblocks[NSTREAMS_MAX];
static const char plan[] = "the plan, whatever it is";

static struct archive_catalogue make(uint32_t nstreams, size_t plan_nbytes)
{
	struct archive_catalogue c = {
		.original_nbytes = UINT64_C(0x0102030405060708),
		.nstreams = nstreams,
		.stream_nbytes = stream_nbytes,
		.stream_nblocks = stream_nblocks,
		.plan = (const uint8_t *)plan,
		.plan_nbytes = plan_nbytes,
	};

	for (uint32_t i = 0; i < nstreams; i++) {
		stream_nbytes[i] = UINT64_C(1000000007) * (i + 1) * i;
		stream_nblocks[i] = 77777777 * i;
	}
	for (unsigned i = 0; i < sizeof(c.sha256); i++)
		c.sha256[i] = (uint8_t)(200 + i);
	for (unsigned i = 0; i < sizeof(c.identity); i++)
		c.identity[i] = (uint8_t)(100 + i);
	return c;
}

/* By section 10 of the specification. */
static void encode(const struct archive_catalogue *c, struct blob *out)
{
	blob_put(out, c->identity, 8);
	blob_le(out, c->original_nbytes, 8);
	blob_put(out, c->sha256, 32);
	blob_le(out, c->nstreams, 4);
	for (uint32_t i = 0; i < c->nstreams; i++) {
		blob_le(out, c->stream_nbytes[i], 8);
		blob_le(out, c->stream_nblocks[i], 4);
	}
	blob_put(out, c->plan, c->plan_nbytes);
}

static void check_same(const struct archive_catalogue *a,
		       const struct archive_catalogue *b)
{
	CHECK_MEM_EQ(a->identity, b->identity, sizeof(a->identity));
	CHECK_MEM_EQ(a->sha256, b->sha256, sizeof(a->sha256));
	CHECK_EQ_U64(a->original_nbytes, b->original_nbytes);
	REQUIRE(a->nstreams == b->nstreams);
	for (uint32_t i = 0; i < a->nstreams; i++) {
		CHECK_EQ_U64(a->stream_nbytes[i], b->stream_nbytes[i]);
		CHECK_EQ_U64(a->stream_nblocks[i], b->stream_nblocks[i]);
	}
	REQUIRE(a->plan_nbytes == b->plan_nbytes);
	CHECK_MEM_EQ(a->plan, b->plan, a->plan_nbytes);
}

static void test_round_trips(void)
{
	for (uint32_t n = 0; n <= NSTREAMS_MAX; n++)
		for (size_t plan_nbytes = 0; plan_nbytes <= sizeof(plan);
		     plan_nbytes += 5) {
			struct archive_catalogue c = make(n, plan_nbytes);
			struct archive_catalogue again;
			struct buffer out = { 0 };
			struct blob b = { 0 };

			encode(&c, &b);
			CHECK(catalogue_write(&c, &out, NULL) == NC3Z_OK);
			CHECK_EQ_U64(out.nbytes, b.nbytes);
			CHECK_MEM_EQ(out.data, b.data, b.nbytes);
			CHECK(catalogue_read(b.data, b.nbytes, &again, NULL) ==
			      NC3Z_OK);
			check_same(&c, &again);
			catalogue_release(&again);
			catalogue_release(&again);
			buffer_release(&out);
			blob_release(&b);
		}
}

/* Cut before the plan; a shorter plan is not seen here. */
static void test_every_length(void)
{
	struct archive_catalogue c = make(7, sizeof(plan)), again;
	struct blob b = { 0 };

	encode(&c, &b);
	for (size_t n = 0; n < b.nbytes; n++) {
		struct nc3z_error err = { .status = -1 };
		uint8_t *copy = copy_exactly(b.data, n);
		int status = catalogue_read(copy, n, &again, &err);

		CHECK(status == (n < 52 + 7 * 12 ? NC3Z_EDAMAGED : NC3Z_OK));
		CHECK(err.status == (status == NC3Z_OK ? -1 : status));
		catalogue_release(&again);
		free(copy);
	}
	blob_release(&b);
}

/* Numbers of streams that the bytes do not bear out. */
static void test_huge_counts(void)
{
	static const uint32_t counts[] = { 8,        10,       1000,
					   1u << 24, 1u << 31, UINT32_MAX };

	for (size_t i = 0; i < 6; i++) {
		struct archive_catalogue c = make(7, 10), again;
		struct blob b = { 0 };

		encode(&c, &b);
		for (unsigned k = 0; k < 4; k++)
			b.data[48 + k] = (uint8_t)(counts[i] >> 8 * k);
		CHECK(catalogue_read(b.data, b.nbytes, &again, NULL) ==
		      NC3Z_EDAMAGED);
		CHECK(again.stream_nbytes == NULL);
		catalogue_release(&again);
		blob_release(&b);
	}
}

int main(void)
{
	RUN(test_round_trips);
	RUN(test_every_length);
	RUN(test_huge_counts);
	return check_report();
}
