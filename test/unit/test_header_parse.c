/* SPDX-License-Identifier: MIT */
/*
 * Headers put together byte by byte: each rule broken, and where the parser says
 * that it is.  What it finds in a right one, the tests of reading compare with
 * libnetcdf.
 */
#include "check.h"
#include "classic/header.h"
#include "shape.h"

static const uint8_t versions[] = { 1, 2, 5 };

/* Parses a copy of just that size. */
static int parse(const void *data, size_t nbytes, bool is_whole, bool *more_ret,
		 struct nc3z_error *err)
{
	struct classic_header h;
	uint8_t *copy = copy_exactly(data, nbytes);
	int status;

	memset(&h, 0xee, sizeof(h));
	err->status = -1;
	status =
		classic_header_parse(copy, nbytes, is_whole, &h, more_ret, err);
	if (status != NC3Z_OK || *more_ret)
		CHECK(h.dims == NULL && h.vars == NULL && h.atts.list == NULL);
	CHECK(err->status == (status == NC3Z_OK ? -1 : status));
	classic_header_release(&h);
	free(copy);
	return status;
}

static bool parses(const struct blob *b)
{
	struct nc3z_error err;
	bool more;

	return parse(b->data, b->nbytes, true, &more, &err) == NC3Z_OK && !more;
}

/* Whether a whole file is refused with the place of what is wrong. */
static bool refused_at(const struct blob *b, uint64_t offset)
{
	struct nc3z_error err;
	bool more;

	return parse(b->data, b->nbytes, true, &more, &err) ==
		       NC3Z_ENOTCLASSIC &&
	       !more && CHECK_EQ_U64(err.offset, offset) &&
	       /* More bytes would not help. */
	       parse(b->data, b->nbytes, false, &more, &err) ==
		       NC3Z_ENOTCLASSIC &&
	       !more;
}

static const struct shape_limits limits = { .max_length = 9,
					    .max_nrecords = 9,
					    .max_nvars = 6 };

static void check_prefixes(const struct blob *b)
{
	for (size_t n = 0; n < b->nbytes; n++) {
		struct nc3z_error err;
		bool more = false;

		CHECK(parse(b->data, n, false, &more, &err) == NC3Z_OK);
		CHECK(more);
		CHECK(parse(b->data, n, true, &more, &err) == NC3Z_ENOTCLASSIC);
		CHECK(!more);
		CHECK_EQ_U64(err.offset, n);
	}
}

static void test_every_prefix(void)
{
	uint64_t seed = 12;
	unsigned counts[3] = { 0 };

	for (int i = 0; i < 60; i++) {
		struct blob b = { 0 };
		struct shape shape;

		shape_random(&shape, &limits, &seed);
		shape_write(&shape, &b);
		check_prefixes(&b);
		counts[shape.version == 1 ? 0 : shape.version == 2 ? 1 : 2]++;
		blob_release(&b);
	}
	CHECK(counts[0] > 5 && counts[1] > 5 && counts[2] > 5);
}

static void put_size(struct blob *b, uint8_t version, uint64_t v)
{
	blob_be(b, v, version == 5 ? 8 : 4);
}

static void begin_header(struct blob *b, uint8_t version, uint64_t numrecs)
{
	*b = (struct blob){ 0 };
	blob_put(b, "CDF", 3);
	blob_be(b, version, 1);
	put_size(b, version, numrecs);
}

/* Tag and count, or an absent list. */
static void put_list(struct blob *b, uint8_t version, uint32_t tag,
		     uint64_t count)
{
	blob_be32(b, tag);
	put_size(b, version, count);
}

static void put_name(struct blob *b, uint8_t version, const char *name)
{
	size_t n = strlen(name);

	put_size(b, version, n);
	blob_put(b, name, n);
	blob_fill(b, 0, (4 - n % 4) % 4);
}

static void test_empty_header(void)
{
	for (size_t i = 0; i < 3; i++) {
		struct blob b;

		begin_header(&b, versions[i], 0);
		for (int list = 0; list < 3; list++)
			put_list(&b, versions[i], 0, 0);
		CHECK(parses(&b));
		CHECK_EQ_U64(b.nbytes, versions[i] == 5 ? 48 : 32);
		blob_release(&b);
	}
}

static void test_magic(void)
{
	static const char *const others[] = { "CDX\1", "\211HDF", "XDF\1",
					      "CFD\1" };
	struct blob b;

	for (size_t i = 0; i < 4; i++)
		for (size_t n = 1; n <= 4; n++) {
			struct nc3z_error err;
			bool more, is_prefix = memcmp(others[i], "CDF", n) == 0;
			int status = parse(others[i], n, false, &more, &err);

			CHECK(more == is_prefix);
			CHECK(status ==
			      (is_prefix ? NC3Z_OK : NC3Z_ENOTCLASSIC));
		}
	for (unsigned version = 0; version < 256; version++) {
		begin_header(&b, (uint8_t)version, 0);
		blob_fill(&b, 0, 60);
		if (version == 1 || version == 2 || version == 5)
			CHECK(parses(&b));
		else
			CHECK(refused_at(&b, 3));
		blob_release(&b);
	}
}

static void check_numrecs(uint8_t version, uint64_t numrecs, bool expected)
{
	struct classic_header h;
	struct blob b;
	bool more;

	begin_header(&b, version, numrecs);
	blob_fill(&b, 0, 60);
	CHECK(classic_header_parse(b.data, b.nbytes, true, &h, &more, NULL) ==
	      NC3Z_OK);
	CHECK_EQ_U64(h.numrecs, numrecs);
	CHECK(h.is_indeterminate == expected);
	classic_header_release(&h);
	blob_release(&b);
}

static void test_indeterminate_numrecs(void)
{
	for (size_t i = 0; i < 2; i++) {
		check_numrecs(versions[i], UINT32_MAX, true);
		check_numrecs(versions[i], UINT32_MAX - 1, false);
	}
	check_numrecs(5, UINT64_MAX, true);
	check_numrecs(5, UINT64_MAX - 1, false);
	check_numrecs(5, UINT32_MAX, false);
}

/* Where the three lists begin, if those before are absent. */
static uint64_t list_offset(uint8_t version, int list)
{
	uint64_t size = version == 5 ? 8 : 4;

	return 4 + size + (uint64_t)list * (4 + size);
}

static void test_tags(void)
{
	static const uint32_t tags[] = { 10, 12, 11 };
	static const uint32_t wrong[] = { 0, 10, 11, 12, 13, 0x80000000 };

	for (size_t i = 0; i < 3; i++)
		for (int list = 0; list < 3; list++)
			for (size_t k = 0; k < 6; k++) {
				struct blob b;

				begin_header(&b, versions[i], 0);
				for (int before = 0; before < list; before++)
					put_list(&b, versions[i], 0, 0);
				put_list(&b, versions[i], wrong[k], 1);
				blob_fill(&b, 0, 100);
				if (wrong[k] != tags[list])
					CHECK(refused_at(
						&b, list_offset(versions[i],
								list)));
				blob_release(&b);
			}
}

/* libnetcdf looks at the tag only if the list has elements. */
static void test_tags_of_empty_lists(void)
{
	struct blob b;

	begin_header(&b, 1, 0);
	put_list(&b, 1, 10, 0);
	put_list(&b, 1, 12, 0);
	put_list(&b, 1, 11, 0);
	CHECK(parses(&b));
	blob_release(&b);
	begin_header(&b, 1, 0);
	for (int i = 0; i < 3; i++)
		put_list(&b, 1, 0xdeadbeef, 0);
	CHECK(parses(&b));
	blob_release(&b);
}

static uint64_t negative(uint8_t version)
{
	return version == 5 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
}

static void test_negative_counts(void)
{
	static const uint32_t tags[] = { 10, 12, 11 };

	for (size_t i = 0; i < 3; i++)
		for (int list = 0; list < 3; list++)
			for (uint64_t plus = 0; plus < 2; plus++) {
				struct blob b;

				begin_header(&b, versions[i], 0);
				for (int before = 0; before < list; before++)
					put_list(&b, versions[i], 0, 0);
				put_list(&b, versions[i], tags[list],
					 negative(versions[i]) + plus);
				CHECK(refused_at(
					&b,
					list_offset(versions[i], list) + 4));
				blob_release(&b);
			}
}

/*
 * The largest counts that are allowed: as long as the file may go on, more
 * bytes are asked for, and no memory is taken for what is not there.
 */
static void test_huge_counts(void)
{
	static const uint32_t tags[] = { 10, 12, 11 };

	for (size_t i = 0; i < 3; i++)
		for (int list = 0; list < 3; list++) {
			struct nc3z_error err;
			struct blob b;
			bool more;

			begin_header(&b, versions[i], 0);
			for (int before = 0; before < list; before++)
				put_list(&b, versions[i], 0, 0);
			put_list(&b, versions[i], tags[list],
				 negative(versions[i]) - 1);
			put_size(&b, versions[i], negative(versions[i]) - 1);
			blob_fill(&b, 'x', 5000); /* a very long name */
			CHECK(parse(b.data, b.nbytes, false, &more, &err) ==
			      NC3Z_OK);
			CHECK(more);
			CHECK(parse(b.data, b.nbytes, true, &more, &err) ==
			      NC3Z_ENOTCLASSIC);
			CHECK_EQ_U64(err.offset, b.nbytes);
			blob_release(&b);
		}
}

/* One global attribute up to its type; returns where the type stands. */
static uint64_t begin_att(struct blob *b, uint8_t version)
{
	begin_header(b, version, 0);
	put_list(b, version, 0, 0);
	put_list(b, version, 12, 1);
	put_name(b, version, "units");
	return b->nbytes;
}

static void test_attribute_types(void)
{
	for (size_t i = 0; i < 3; i++)
		for (uint32_t type = 0; type < 20; type++) {
			struct blob b;
			uint64_t at = begin_att(&b, versions[i]);

			blob_be32(&b, type);
			put_size(&b, versions[i], 2);
			blob_fill(&b, 0, 40);
			if (type >= 1 && type <= 11)
				CHECK(parses(&b));
			else
				CHECK(refused_at(&b, at));
			blob_release(&b);
		}
}

static void test_attribute_lengths(void)
{
	for (size_t i = 0; i < 3; i++) {
		struct nc3z_error err;
		struct blob b;
		uint64_t at = begin_att(&b, versions[i]);
		bool more;

		blob_be32(&b, 6); /* of doubles */
		put_size(&b, versions[i], negative(versions[i]));
		blob_fill(&b, 0, 100);
		CHECK(refused_at(&b, at + 4));
		b.nbytes = at + 4;
		put_size(&b, versions[i], negative(versions[i]) - 1);
		blob_fill(&b, 0, 100);
		if (versions[i] == 5) /* 8 times that does not fit */
			CHECK(refused_at(&b, at + 4));
		else
			CHECK(parse(b.data, b.nbytes, false, &more, &err) ==
				      NC3Z_OK &&
			      more);
		blob_release(&b);
	}
}

/* A header with one dimension and one variable, up to its dimensions. */
static uint64_t begin_var(struct blob *b, uint8_t version)
{
	begin_header(b, version, 0);
	put_list(b, version, 10, 1);
	put_name(b, version, "x");
	put_size(b, version, 6);
	put_list(b, version, 0, 0);
	put_list(b, version, 11, 1);
	put_name(b, version, "pressure");
	return b->nbytes;
}

static void end_var(struct blob *b, uint8_t version, uint32_t type)
{
	put_list(b, version, 0, 0);
	blob_be32(b, type);
	put_size(b, version, 0x12345678); /* vsize: anything goes */
	blob_be(b, 400, version == 1 ? 4 : 8);
}

static void test_dimension_numbers(void)
{
	static const uint64_t wrong[] = { 1, 2, 0x7fffffff, 0x80000000,
					  UINT32_MAX };

	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 5; k++) {
			struct blob b;
			uint64_t at = begin_var(&b, versions[i]);

			put_size(&b, versions[i], 2);
			put_size(&b, versions[i], 0);
			put_size(&b, versions[i], wrong[k]);
			end_var(&b, versions[i], 5);
			at += versions[i] == 5 ? 16 : 8;
			CHECK(refused_at(&b, at));
			blob_release(&b);
		}
}

static void test_ranks_and_types(void)
{
	for (size_t i = 0; i < 3; i++)
		for (uint32_t type = 0; type < 14; type++) {
			struct blob b;
			uint64_t at = begin_var(&b, versions[i]);

			put_size(&b, versions[i], 1);
			put_size(&b, versions[i], 0);
			end_var(&b, versions[i], type);
			at += versions[i] == 5 ? 16 + 12 : 8 + 8;
			if (type >= 1 && type <= 11)
				CHECK(parses(&b));
			else
				CHECK(refused_at(&b, at));
			blob_release(&b);
			at = begin_var(&b, versions[i]);
			put_size(&b, versions[i], negative(versions[i]));
			CHECK(refused_at(&b, at));
			blob_release(&b);
		}
}

/* What libnetcdf may refuse but this parser takes. */
static void test_lenience(void)
{
	struct blob b;

	begin_header(&b, 2, 3);
	put_list(&b, 2, 10, 3);
	for (int i = 0; i < 3; i++) { /* the same name, the record dimension */
		blob_be32(&b, 5);
		blob_put(&b, "t\0/ \xff", 5);
		blob_put(&b, "\1\2\3", 3); /* padding that is not zero */
		blob_be32(&b, 0);
	}
	put_list(&b, 2, 12, 1);
	put_name(&b, 2, ""); /* a name of no bytes */
	blob_be32(&b, 2);
	blob_be32(&b, 1);
	blob_put(&b, "x\xff\xff\xff", 4);
	put_list(&b, 2, 11, 1);
	put_name(&b, 2, "v");
	blob_be32(&b, 3);
	for (uint32_t i = 0; i < 3; i++)
		blob_be32(&b, i);
	end_var(&b, 2, 11); /* a type of CDF-5 */
	CHECK(parses(&b));
	blob_release(&b);
}

/* Lengths of dimensions are unsigned. */
static void test_long_dimensions(void)
{
	static const uint64_t lengths[] = { 0x7fffffff, 0x80000000, 0xfffffffc,
					    UINT32_MAX };

	for (size_t i = 0; i < 4; i++) {
		struct classic_header h;
		struct blob b;
		bool more;

		begin_header(&b, 1, 0);
		put_list(&b, 1, 10, 1);
		put_name(&b, 1, "x");
		blob_be(&b, lengths[i], 4);
		put_list(&b, 1, 0, 0);
		put_list(&b, 1, 0, 0);
		CHECK(classic_header_parse(b.data, b.nbytes, true, &h, &more,
					   NULL) == NC3Z_OK);
		CHECK_EQ_U64(h.dims[0].length, lengths[i]);
		classic_header_release(&h);
		blob_release(&b);
	}
}

int main(void)
{
	RUN(test_every_prefix);
	RUN(test_empty_header);
	RUN(test_magic);
	RUN(test_indeterminate_numrecs);
	RUN(test_tags);
	RUN(test_tags_of_empty_lists);
	RUN(test_negative_counts);
	RUN(test_huge_counts);
	RUN(test_attribute_types);
	RUN(test_attribute_lengths);
	RUN(test_dimension_numbers);
	RUN(test_ranks_and_types);
	RUN(test_lenience);
	RUN(test_long_dimensions);
	return check_report();
}
