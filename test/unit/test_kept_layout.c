/* SPDX-License-Identifier: MIT */
/*
 * The chunks of a plan as options: packing with them gives that plan again,
 * whatever its variables are called.
 */
#include "convert/kept_layout.h"

#include "check.h"
#include "oracle.h"
#include "shape.h"
#include "write/pack_shape.h"
#include "write/pack_shape.h"

/* What kept_layout_init() looks at: header and plan. */
struct subject {
	struct blob bytes;
	struct nc3z_file file;
};

/* The plan of packing with some chunks; false if they are none. */
static bool shape_with(const struct classic_header *header,
		       const char *const *chunks, size_t nchunks,
		       struct plan *plan_ret)
{
	struct nc3z_pack_options options;
	struct pack_settings settings;
	struct pack_shape shape;
	struct nc3z_error err = { 0 };
	bool is_made;

	nc3z_pack_options_init(&options);
	options.chunks = chunks;
	options.nchunks = nchunks;
	CHECK(pack_settings_init(&settings, &options, NULL) == NC3Z_OK);
	is_made = pack_shape_init(&shape, header, &settings, &err) == NC3Z_OK;
	CHECK_STR_EQ(err.text, "");
	*plan_ret = shape.plan;
	shape.plan = (struct plan){ 0 };
	pack_shape_release(&shape);
	return is_made;
}

/* Takes the bytes of a header. */
static bool subject_init(struct subject *s, const char *chunks)
{
	bool more;

	s->file = (struct nc3z_file){ 0 };
	return CHECK(classic_header_parse(s->bytes.data, s->bytes.nbytes, true,
					  &s->file.header, &more,
					  NULL) == NC3Z_OK) &&
	       CHECK(shape_with(&s->file.header, &chunks, chunks != NULL,
				&s->file.plan));
}

static void subject_release(struct subject *s)
{
	plan_release(&s->file.plan);
	classic_header_release(&s->file.header);
	blob_release(&s->bytes);
	*s = (struct subject){ 0 };
}

static size_t count_grids(const struct plan *plan)
{
	size_t n = 0;

	for (uint32_t i = 0; i < plan->nstreams; i++)
		n += plan->streams[i].grid != NULL;
	return n;
}

static void check_kept(const struct subject *s)
{
	struct kept_layout kept;
	struct plan again;

	REQUIRE(kept_layout_init(&kept, &s->file, NULL) == NC3Z_OK);
	CHECK_EQ_U64(kept.nchunks, count_grids(&s->file.plan));
	if (CHECK(shape_with(&s->file.header, (const char *const *)kept.chunks,
			     kept.nchunks, &again))) {
		CHECK(oracle_same_plan(&again, &s->file.plan));
		plan_release(&again);
	}
	kept_layout_release(&kept);
	CHECK(!kept.chunks && kept.nchunks == 0);
}

/* Lengths for some of the dimensions; NULL if there are none. */
static const char *random_chunks(const struct shape *shape, char text[80],
				 uint64_t *seed)
{
	int nbytes = 0;

	for (uint32_t i = 0; i < shape->ndims; i++)
		if (check_random_below(seed, 4) > 0)
			nbytes += sprintf(
				text + nbytes, "%sd%u/%u", nbytes ? "," : "", i,
				1 + (unsigned)check_random_below(seed, 15));
	return nbytes > 0 ? text : NULL;
}

static void test_random(void)
{
	static const struct shape_limits limits = { 60, 90, 8, 4 };
	struct subject s = { 0 };
	struct shape shape;
	uint64_t seed = 61;
	size_t nchunked = 0;

	for (int i = 0; i < 1500; i++) {
		char text[80];
		const char *chunks;

		shape_random(&shape, &limits, &seed);
		chunks = random_chunks(&shape, text, &seed);
		shape_place(&shape, 0);
		shape_write(&shape, &s.bytes);
		REQUIRE(subject_init(&s, chunks));
		nchunked += count_grids(&s.file.plan);
		check_kept(&s);
		subject_release(&s);
	}
	CHECK(nchunked > 500);
}

/* Appends a header of CDF-1 with a variable of shape 40 x 60, type float. */
static void put_header(struct blob *out, const void *name, uint32_t nbytes)
{
	blob_put(out, "CDF\1", 4);
	blob_be32(out, 0);
	blob_be32(out, 10);
	blob_be32(out, 2);
	for (uint32_t i = 0; i < 2; i++) {
		blob_be32(out, 1);
		blob_put(out, i ? "x\0\0\0" : "y\0\0\0", 4);
		blob_be32(out, i ? 60 : 40);
	}
	blob_fill(out, 0, 8);
	blob_be32(out, 11);
	blob_be32(out, 1);
	blob_be32(out, nbytes);
	blob_put(out, name, nbytes);
	blob_fill(out, 0, (4 - nbytes % 4) % 4);
	blob_be32(out, 2);
	blob_be32(out, 0);
	blob_be32(out, 1);
	blob_fill(out, 0, 8);
	blob_be32(out, 5);
	blob_be32(out, 40 * 60 * 4);
	blob_be32(out, 512);
}

/* What has a meaning in chunks stands after a backslash. */
static void test_names(void)
{
	static const struct {
		const char *name;
		const char *chunks;
	} rows[] = {
		{ "a", "a:7,9" },
		{ "a b-c.d", "a b-c.d:7,9" },
		{ "a:b", "a\\:b:7,9" },
		{ "y/3,x/4", "y\\/3\\,x\\/4:7,9" },
		{ "\\", "\\\\:7,9" },
		{ "linear", "linear:7,9" },
		{ "auto:1,1", "auto\\:1\\,1:7,9" },
		{ "\xc3\xa4", "\xc3\xa4:7,9" },
	};
	struct subject s = { 0 };
	struct kept_layout kept;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_header(&s.bytes, rows[i].name,
			   (uint32_t)strlen(rows[i].name));
		REQUIRE(subject_init(&s, "y/7,x/9"));
		REQUIRE(kept_layout_init(&kept, &s.file, NULL) == NC3Z_OK);
		if (CHECK_EQ_U64(kept.nchunks, 1))
			CHECK_STR_EQ(kept.chunks[0], rows[i].chunks);
		kept_layout_release(&kept);
		check_kept(&s);
		subject_release(&s);
	}
}

/* A name that no string can be, and a plan of another header. */
static void test_refused(void)
{
	struct subject s = { 0 };
	struct kept_layout kept;
	struct nc3z_error err = { 0 };

	put_header(&s.bytes, "a\0b", 3);
	REQUIRE(subject_init(&s, "y/7,x/9"));
	CHECK(kept_layout_init(&kept, &s.file, &err) == NC3Z_EINVAL);
	CHECK(strstr(err.text, "variable number 0") != NULL);
	CHECK(!kept.chunks && kept.nchunks == 0);
	for (uint32_t i = 0; i < s.file.plan.nstreams; i++)
		if (s.file.plan.streams[i].grid)
			s.file.plan.streams[i].members[0].variable = 1;
	CHECK(kept_layout_init(&kept, &s.file, &err) == NC3Z_EDAMAGED);
	CHECK(!kept.chunks && kept.nchunks == 0);
	subject_release(&s);
}

int main(void)
{
	RUN(test_random);
	RUN(test_names);
	RUN(test_refused);
	return check_report();
}
