/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "exact/cover.h"
#include "exact/tail.h"
#include "picture.h"

static const struct exact_trailer good = {
	.description_stored_nbytes = 50,
	.description_nbytes = 70,
	.description_crc = 0x01020304,
	.hdf5_nbytes = 1000,
	.original_nbytes = 2000,
	.original_sha256 = { 1, 2, 3 },
	.hdf5_sha256 = { 4, 5, 6 },
};

#define FILE_NBYTES (1000 + 50 + EXACT_TRAILER_NBYTES)

/* By format-spec/exact-netcdf4.md. */
static void encode(const struct exact_trailer *t, unsigned version,
		   struct blob *out)
{
	blob_put(out, "\x93nc3z-N4", 8);
	blob_le(out, version, 4);
	blob_le(out, t->description_stored_nbytes, 4);
	blob_le(out, t->description_nbytes, 4);
	blob_le(out, t->description_crc, 4);
	blob_le(out, t->hdf5_nbytes, 8);
	blob_le(out, t->original_nbytes, 8);
	blob_put(out, t->original_sha256, 32);
	blob_put(out, t->hdf5_sha256, 32);
	blob_le(out, picture_crc32(out->data, out->nbytes), 4);
}

static int status_of(const struct exact_trailer *t, unsigned version,
		     uint64_t file_nbytes)
{
	struct exact_trailer again;
	struct nc3z_error err = { .status = -1 };
	struct blob b = { 0 };
	int status;

	encode(t, version, &b);
	status = exact_trailer_read(&again, b.data, file_nbytes, &err);
	CHECK(err.status == (status == NC3Z_OK ? -1 : status));
	blob_release(&b);
	return status;
}

static void test_trailer(void)
{
	uint8_t bytes[EXACT_TRAILER_NBYTES];
	struct exact_trailer again;
	struct blob b = { 0 };

	encode(&good, 1, &b);
	CHECK_EQ_U64(b.nbytes, EXACT_TRAILER_NBYTES);
	exact_trailer_write(&good, bytes);
	CHECK_MEM_EQ(bytes, b.data, sizeof(bytes));
	CHECK(exact_trailer_is(bytes));
	REQUIRE(exact_trailer_read(&again, bytes, FILE_NBYTES, NULL) ==
		NC3Z_OK);
	CHECK_EQ_U64(again.hdf5_nbytes, 1000);
	CHECK_EQ_U64(again.original_nbytes, 2000);
	CHECK_MEM_EQ(again.hdf5_sha256, good.hdf5_sha256, SHA256_NBYTES);
	for (size_t i = 0; i < sizeof(bytes) * 8; i++) {
		bytes[i / 8] ^= (uint8_t)(1 << i % 8);
		CHECK(!exact_trailer_is(bytes) ||
		      exact_trailer_read(&again, bytes, FILE_NBYTES, NULL) !=
			      NC3Z_OK);
		bytes[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	blob_release(&b);
}

static void test_wrong_trailers(void)
{
	struct exact_trailer t = good;

	CHECK(status_of(&t, 1, FILE_NBYTES) == NC3Z_OK);
	CHECK(status_of(&t, 2, FILE_NBYTES) == NC3Z_EUNSUPPORTED);
	CHECK(status_of(&t, 1, FILE_NBYTES - 1) == NC3Z_EDAMAGED);
	t.hdf5_nbytes = UINT64_MAX - 20;
	CHECK(status_of(&t, 1, FILE_NBYTES) == NC3Z_EDAMAGED);
	t = good;
	t.original_nbytes = INT64_MAX;
	CHECK(status_of(&t, 1, FILE_NBYTES) == NC3Z_EDAMAGED);
	t = good;
	t.description_nbytes = FILE_NBYTES + 65536;
	CHECK(status_of(&t, 1, FILE_NBYTES) == NC3Z_OK);
	t.description_nbytes++;
	CHECK(status_of(&t, 1, FILE_NBYTES) == NC3Z_EDAMAGED);
}

/* A record variable of shorts in two chunks, and a fixed one of doubles. */
struct sample {
	uint64_t numrecs;
	uint64_t step;
	unsigned width;
	unsigned flags;
	unsigned rank;
	unsigned reserved;
	uint64_t begin;
	uint64_t length;
	uint64_t chunk;
	uint64_t address;
	uint64_t stored;
};

static const struct sample plain = { 3, 8, 2, 3, 1, 0, 100, 3, 2, 40, 4 };

static void put_sample(const struct sample *s, struct blob *out)
{
	blob_le(out, s->numrecs, 8);
	blob_le(out, s->step, 8);
	blob_le(out, 2, 4);
	blob_le(out, 1, 4);
	blob_le(out, s->width, 1);
	blob_le(out, s->flags, 1);
	blob_le(out, s->rank, 1);
	blob_le(out, s->reserved, 1);
	blob_le(out, s->begin, 8);
	blob_le(out, s->length, 8);
	blob_le(out, s->chunk, 8);
	blob_le(out, s->address, 8);
	blob_le(out, s->stored, 4);
	blob_le(out, 50, 8);
	blob_le(out, 4, 4);
	blob_le(out, 8, 1);
	blob_le(out, 0, 3);
	blob_le(out, 60, 8);
	blob_le(out, 992, 8); /* address of the one double */
	blob_le(out, 11, 4);
	blob_le(out, 12, 4);
}

static int read_sample(const struct sample *s, size_t missing,
		       struct exact_description *d)
{
	struct nc3z_error err = { .status = -1 };
	struct blob b = { 0 };
	uint8_t *copy;
	int status;

	put_sample(s, &b);
	copy = copy_exactly(b.data, b.nbytes - missing);
	status = exact_description_read(d, &good, copy, b.nbytes - missing,
					&err);
	CHECK(err.status == (status == NC3Z_OK ? -1 : status));
	free(copy);
	blob_release(&b);
	return status;
}

static bool is_refused(const struct sample *s, size_t missing)
{
	struct exact_description d;
	int status = read_sample(s, missing, &d);

	exact_description_release(&d);
	return status == NC3Z_EDAMAGED;
}

static void test_description(void)
{
	struct exact_description d;
	struct buffer again = { 0 };
	struct blob b = { 0 };

	REQUIRE(read_sample(&plain, 0, &d) == NC3Z_OK);
	CHECK_EQ_U64(d.nvariables, 2);
	CHECK_EQ_U64(d.variables[0].nchunks, 2);
	CHECK_EQ_U64(d.variables[0].nbytes, 2);
	CHECK_EQ_U64(d.places[1].address, 50);
	CHECK_EQ_U64(d.variables[1].address, 992);
	CHECK_EQ_U64(d.frames[0].address, 1000);
	put_sample(&plain, &b);
	CHECK(exact_description_write(&d, &again));
	CHECK_EQ_U64(again.nbytes, b.nbytes);
	CHECK_MEM_EQ(again.data, b.data, b.nbytes);
	buffer_release(&again);
	blob_release(&b);
	exact_description_release(&d);
}

/* Changes one field of the sample. */
#define REFUSED(field, value) \
	do { \
		struct sample s = plain; \
		s.field = value; \
		CHECK(is_refused(&s, 0)); \
	} while (0)

static void test_wrong_descriptions(void)
{
	for (size_t missing = 1; missing < 100; missing++)
		CHECK(is_refused(&plain, missing));
	REFUSED(numrecs, 4);
	REFUSED(width, 3);
	REFUSED(width, 0);
	REFUSED(flags, 19);
	REFUSED(flags, 1);
	REFUSED(rank, 33);
	REFUSED(rank, 0);
	REFUSED(length, 4);
	REFUSED(chunk, 0);
	REFUSED(chunk, UINT64_MAX);
	REFUSED(chunk, 1);
	/* Longer than its dimension; over the other chunk, over the double. */
	REFUSED(chunk, 4);
	REFUSED(address, 47);
	REFUSED(address, 53);
	REFUSED(address, 990);
	REFUSED(reserved, 1);
	REFUSED(address, 997);
	REFUSED(address, UINT64_MAX);
	REFUSED(stored, 5);
}

/* Each byte of an original is where a plain search finds it. */
static void test_cover(void)
{
	struct exact_description d;
	struct cover cover;
	uint64_t rest = 0, nbytes;

	REQUIRE(read_sample(&plain, 0, &d) == NC3Z_OK);
	REQUIRE(cover_init(&cover, &d, 125, NULL) == NC3Z_OK);
	for (uint64_t at = 0; at < 125; at++) {
		struct plan_run run = plan_run_at(&cover.map, at);
		bool in_record = at >= 100 && at < 118 && (at - 100) % 8 < 2;
		bool in_fixed = at >= 60 && at < 68;
		bool is_rest = cover_is_rest(&cover, at, &nbytes);

		CHECK(nbytes > 0 && at + nbytes <= 125);
		CHECK(is_rest == (!in_record && !in_fixed));
		CHECK(is_rest == (run.stream >= 2));
		rest += is_rest;
		if (is_rest)
			continue;
		CHECK(run.stream == (in_record ? 0 : 1));
		CHECK_EQ_U64(run.stream_offset,
			     in_fixed ? at - 60 :
					(at - 100) / 8 * 2 + (at - 100) % 8);
	}
	CHECK_EQ_U64(cover_rest_nbytes(&cover), rest);
	cover_release(&cover);
	exact_description_release(&d);
}

static void check_overlap(struct sample s, int wanted)
{
	struct exact_description d;
	struct cover cover;

	REQUIRE(read_sample(&s, 0, &d) == NC3Z_OK);
	CHECK(cover_init(&cover, &d, 125, NULL) == wanted);
	cover_release(&cover);
	exact_description_release(&d);
}

static void test_overlaps(void)
{
	struct sample s = plain;

	s.begin = 68;
	check_overlap(s, NC3Z_OK);
	s.begin = 67;
	check_overlap(s, NC3Z_EDAMAGED);
	s.begin = 50; /* the fixed one is between two records */
	check_overlap(s, NC3Z_EDAMAGED);
	s = plain;
	s.step = 1;
	check_overlap(s, NC3Z_EDAMAGED);
	s = plain;
	s.begin = INT64_MAX - 18;
	check_overlap(s, NC3Z_OK);
	s.begin = INT64_MAX - 17;
	check_overlap(s, NC3Z_EDAMAGED);
}

int main(void)
{
	RUN(test_trailer);
	RUN(test_wrong_trailers);
	RUN(test_description);
	RUN(test_wrong_descriptions);
	RUN(test_cover);
	RUN(test_overlaps);
	return check_report();
}
