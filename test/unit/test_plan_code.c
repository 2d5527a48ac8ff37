/* SPDX-License-Identifier: MIT */
#include <sys/resource.h>

#include "blob.h"
#include "check.h"
#include "oracle.h"

/* What a stream has before its members. */
static void encode_cut(const struct plan_stream *s, struct blob *out)
{
	uint32_t rank = s->grid ? s->grid->rank : 0;

	blob_le(out, s->is_record, 1);
	blob_le(out, s->grid != NULL, 1);
	blob_le(out, s->width, 1);
	blob_le(out, rank, 1);
	for (uint32_t k = 0; k < rank; k++) {
		blob_le(out, s->grid->dims[k].length, 8);
		blob_le(out, s->grid->dims[k].chunk, 4);
	}
	if (s->grid)
		return;
	blob_le(out, s->block_nbytes, 4);
	blob_le(out, s->panel_nrecords, 4);
	blob_le(out, s->nmembers, 4);
}

/* A plan as bytes, by section 5.1 of the specification. */
static void encode(const struct plan *plan, struct blob *out)
{
	uint32_t variable = 0;
	uint64_t begin = 0;

	blob_le(out, plan->header_nbytes, 8);
	blob_le(out, plan->record_begin, 8);
	blob_le(out, plan->record_nbytes, 8);
	blob_le(out, plan->nrecords, 8);
	blob_le(out, plan->nstreams, 4);
	for (uint32_t i = 0; i < plan->nstreams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		encode_cut(s, out);
		for (uint32_t k = 0; k < s->nmembers; k++) {
			const struct plan_member *m = &s->members[k];

			blob_le(out, (uint32_t)(m->variable - variable), 4);
			blob_le(out, m->begin - begin, 8);
			blob_le(out, m->nbytes, 8);
			variable = m->variable + 1;
			begin = m->begin + m->nbytes;
		}
	}
}

/* Reads a copy of just that size. */
static int read_copy(const void *data, size_t nbytes, struct plan *plan)
{
	struct nc3z_error err = { .status = -1 };
	uint8_t *copy = copy_exactly(data, nbytes);
	int status;

	memset(plan, 0xee, sizeof(*plan));
	status = plan_read(copy, nbytes, plan, &err);
	free(copy);
	CHECK(err.status == (status == NC3Z_OK ? -1 : status));
	if (status != NC3Z_OK)
		CHECK(plan->streams == NULL && plan->nstreams == 0);
	return status;
}

static int status_of(const void *data, size_t nbytes)
{
	struct plan plan;
	int status = read_copy(data, nbytes, &plan);

	plan_release(&plan);
	return status;
}

/* Every second one has chunks. */
static void random_plan(struct plan *plan, int i, uint64_t *seed)
{
	if (i % 2 == 0)
		oracle_random_plan(plan, seed);
	else
		oracle_random_chunked_plan(plan, seed);
}

static void test_round_trip(void)
{
	uint64_t seed = 18;

	for (int i = 0; i < 1000; i++) {
		struct blob expected = { 0 };
		struct buffer out = { 0 };
		struct plan plan, again;

		random_plan(&plan, i, &seed);
		encode(&plan, &expected);
		REQUIRE(plan_write(&plan, &out));
		CHECK_EQ_U64(out.nbytes, expected.nbytes);
		CHECK_MEM_EQ(out.data, expected.data, expected.nbytes);
		CHECK(read_copy(out.data, out.nbytes, &again) == NC3Z_OK);
		CHECK(oracle_same_plan(&plan, &again));
		CHECK(again.fixed.list != NULL); /* it is finished */
		buffer_release(&out);
		blob_release(&expected);
		plan_release(&plan);
		plan_release(&again);
	}
}

/* What was in the buffer before stays. */
static void test_appends(void)
{
	struct buffer out = { 0 };
	uint64_t seed = 19;
	struct plan plan;

	oracle_random_plan(&plan, &seed);
	REQUIRE(buffer_append(&out, "abc", 3) && plan_write(&plan, &out));
	CHECK_MEM_EQ(out.data, "abc", 3);
	CHECK(status_of(out.data + 3, out.nbytes - 3) == NC3Z_OK);
	buffer_release(&out);
	plan_release(&plan);
}

static void test_every_length(void)
{
	uint64_t seed = 20;

	for (int i = 0; i < 30; i++) {
		struct blob b = { 0 };
		struct plan plan;

		random_plan(&plan, i, &seed);
		encode(&plan, &b);
		for (size_t n = 0; n < b.nbytes; n++)
			CHECK(status_of(b.data, n) == NC3Z_EDAMAGED);
		blob_le(&b, 0, 1);
		CHECK(status_of(b.data, b.nbytes) == NC3Z_EDAMAGED);
		blob_release(&b);
		plan_release(&plan);
	}
}

/*
 * A bit that differs: another plan that keeps all rules, or an error; which
 * one is told by the byte.
 */
static void test_flipped_bits(void)
{
	uint64_t seed = 21;

	for (int i = 0; i < 15; i++) {
		struct blob b = { 0 };
		struct plan plan;

		random_plan(&plan, i, &seed);
		encode(&plan, &b);
		for (size_t bit = 0; bit < 8 * b.nbytes; bit++) {
			int status;

			b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
			status = status_of(b.data, b.nbytes);
			CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
			      status == NC3Z_EUNSUPPORTED);
			b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		blob_release(&b);
		plan_release(&plan);
	}
}

/* Several bytes at once, with values that are often at limits. */
static void test_changed_bytes(void)
{
	static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	uint64_t seed = 22;

	for (int i = 0; i < 1000; i++) {
		struct blob b = { 0 };
		struct plan plan;

		random_plan(&plan, i, &seed);
		encode(&plan, &b);
		for (int k = 0; k < 4; k++) {
			size_t at = check_random_below(&seed, b.nbytes);
			size_t n = 1 + check_random_below(&seed, 8);

			for (size_t j = at; j < at + n && j < b.nbytes; j++)
				b.data[j] =
					values[check_random_below(&seed, 5)];
		}
		status_of(b.data, b.nbytes);
		blob_release(&b);
		plan_release(&plan);
	}
}

/* The fields of the first stream, behind 36 bytes. */
static void test_first_stream(void)
{
	uint64_t seed = 23;
	struct blob b = { 0 };
	struct plan plan;

	oracle_random_plan(&plan, &seed);
	encode(&plan, &b);
	b.data[37] = PLAN_LAYOUT_CHUNKED;
	CHECK(status_of(b.data, b.nbytes) == NC3Z_EDAMAGED);
	for (unsigned value = 2; value < 256; value++) {
		b.data[37] = (uint8_t)value;
		CHECK(status_of(b.data, b.nbytes) == NC3Z_EUNSUPPORTED);
	}
	b.data[37] = 0;
	for (unsigned value = 2; value < 256; value++) {
		uint8_t kind = b.data[36];

		b.data[36] = (uint8_t)value;
		CHECK(status_of(b.data, b.nbytes) == NC3Z_EDAMAGED);
		b.data[36] = kind;
		b.data[39] = (uint8_t)value;
		CHECK(status_of(b.data, b.nbytes) == NC3Z_EDAMAGED);
		b.data[39] = 0;
	}
	CHECK(status_of(b.data, b.nbytes) == NC3Z_OK);
	blob_release(&b);
	plan_release(&plan);
}

/* Ranks that there are not, or not the bytes of. */
static void test_ranks(void)
{
	struct plan_stream s = { .width = 4 };
	struct blob b = { 0 };

	for (unsigned rank = 0; rank < 256; rank++) {
		struct nc3z_error err = { 0 };
		struct plan plan;

		b.nbytes = 0;
		blob_fill(&b, 0, 32);
		blob_le(&b, 1, 4);
		oracle_add_grid(&s, rank);
		encode_cut(&s, &b);
		free(s.grid);
		b.data[39] = (uint8_t)rank;
		CHECK(plan_read(b.data, b.nbytes, &plan, &err) ==
		      NC3Z_EDAMAGED);
		CHECK((strstr(err.text, "dimensions") != NULL) == (rank > 32));
		if (b.nbytes == 40)
			continue;
		/* Of a dimension or of the member the last byte is missing. */
		blob_fill(&b, 0, 19);
		CHECK(status_of(b.data, b.nbytes) == NC3Z_EDAMAGED);
	}
	blob_release(&b);
}

/* Counts that the bytes do not bear out cost nothing but an error. */
static void test_huge_counts(void)
{
	static const uint32_t counts[] = { 1000, 1 << 24, INT32_MAX,
					   UINT32_MAX };
	uint64_t seed = 24;
	struct blob b = { 0 };
	struct plan plan;

	oracle_random_plan(&plan, &seed);
	for (size_t i = 0; i < 4; i++) {
		b.nbytes = 0;
		encode(&plan, &b);
		b.nbytes = 32;
		blob_le(&b, counts[i], 4);
		CHECK(status_of(b.data, b.nbytes) == NC3Z_EDAMAGED);
		b.nbytes = 0;
		encode(&plan, &b);
		b.nbytes = 48; /* members of the first stream */
		blob_le(&b, counts[i], 4);
		CHECK(status_of(b.data, b.nbytes) == NC3Z_EDAMAGED);
		blob_fill(&b, 1, 60);
		CHECK(status_of(b.data, b.nbytes) == NC3Z_EDAMAGED);
	}
	blob_release(&b);
	plan_release(&plan);
}

/* The most memory that the program has had so far, in KiB. */
static uint64_t peak_kib(void)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss;
}

/* Members that cover all offsets, as many as there is room for, and one more. */
static void test_longest(void)
{
	const uint32_t most = (PLAN_NBYTES_MAX - 36 - 16) / 20;

	for (uint32_t n = most; n <= most + 1; n++) {
		struct plan_stream s = { .width = 1,
					 .block_nbytes = 1,
					 .nmembers = n };
		struct plan plan = { .streams = &s, .nstreams = 1 }, read;
		struct buffer bytes = { 0 };

		s.members = calloc(n, sizeof(*s.members));
		REQUIRE(s.members);
		for (uint32_t i = 0; i < n; i++)
			s.members[i] = (struct plan_member){
				.variable = PLAN_NO_VARIABLE,
				.begin = i,
				.nbytes = i < n - 1 ? 1 : PLAN_OFFSET_END - i,
			};
		REQUIRE(plan_write(&plan, &bytes));
		CHECK_EQ_U64(bytes.nbytes <= PLAN_NBYTES_MAX, n == most);
		CHECK(plan_read(bytes.data, bytes.nbytes, &read, NULL) ==
		      (n == most ? NC3Z_OK : NC3Z_EDAMAGED));
		plan_release(&read);
		buffer_release(&bytes);
		free(s.members);
	}
}

/* More streams than there may be, and no bytes of them. */
static void test_memory_of_counts(void)
{
	uint64_t before = peak_kib();
	struct blob b = { 0 };

	blob_fill(&b, 0, 32);
	blob_le(&b, 1 << 24, 4);
	CHECK(status_of(b.data, b.nbytes) == NC3Z_EDAMAGED);
	CHECK(peak_kib() < before + 64 * 1024);
	blob_release(&b);
}

int main(void)
{
	RUN(test_round_trip);
	RUN(test_appends);
	RUN(test_every_length);
	RUN(test_flipped_bits);
	RUN(test_changed_bytes);
	RUN(test_first_stream);
	RUN(test_ranks);
	RUN(test_huge_counts);
	RUN(test_memory_of_counts);
	RUN(test_longest); /* takes more memory than that */
	return check_report();
}
