/* SPDX-License-Identifier: MIT */
/* Records after those that a header counts. */
#include "write/pack_shape.h"

#include "check.h"
#include "in_memory.h"
#include "shape.h"

/* A fixed variable, and two of records, with room after them. */
static void make_shape(struct shape *shape, uint64_t numrecs)
{
	static const struct shape_var vars[] = {
		{ .type = 5, .rank = 1, .dimids = { 1 } },
		{ .type = 4, .rank = 2, .dimids = { 0, 1 } },
		{ .type = 6, .rank = 1, .dimids = { 0 } },
	};

	*shape = (struct shape){ .version = 2,
				 .numrecs = numrecs,
				 .ndims = 2,
				 .dims = { 0, 700 },
				 .nvars = 3 };
	memcpy(shape->vars, vars, sizeof(vars));
	shape_place(shape, 0);
}

static uint64_t uncounted(const struct shape *shape, uint64_t size)
{
	struct blob header = { 0 };
	struct classic_header parsed = { 0 };
	uint64_t n = 99, nbytes = 99;
	bool more;

	shape_write(shape, &header);
	CHECK(classic_header_parse(header.data, header.nbytes, true, &parsed,
				   &more, NULL) == NC3Z_OK);
	CHECK(pack_uncounted(&parsed, size, &n, &nbytes, NULL) == NC3Z_OK);
	CHECK(n == 0 || nbytes >= n);
	classic_header_release(&parsed);
	blob_release(&header);
	return n;
}

static void test_counts(void)
{
	struct shape shape;
	uint64_t end, one;

	for (uint64_t counted = 0; counted < 6; counted += 5) {
		make_shape(&shape, counted);
		one = shape_record_nbytes(&shape);
		end = shape.vars[1].begin + counted * one;
		CHECK_EQ_U64(uncounted(&shape, end), 0);
		CHECK_EQ_U64(uncounted(&shape, end + one - 1), 0);
		CHECK_EQ_U64(uncounted(&shape, end + one), 1);
		CHECK_EQ_U64(uncounted(&shape, end + 7 * one + 5), 7);
		CHECK_EQ_U64(uncounted(&shape, 0), 0);
		/* Another variable lies after the first record. */
		shape.vars[0].begin = end + 3 * one;
		CHECK_EQ_U64(uncounted(&shape, end + 7 * one), 0);
	}
	make_shape(&shape, UINT32_MAX);
	CHECK_EQ_U64(uncounted(&shape, shape.vars[1].begin + 8 * one), 0);
	/* Padding is not records, however short these are. */
	make_shape(&shape, 0);
	shape.nvars = 2;
	shape.vars[1] = (struct shape_var){ .type = 1, .rank = 1 };
	shape_place(&shape, 0);
	CHECK_EQ_U64(uncounted(&shape, shape.vars[1].begin + 3), 0);
	CHECK_EQ_U64(uncounted(&shape, shape.vars[1].begin + 4), 4);
}

/* They are packed as the records that are counted. */
static void test_size(void)
{
	struct blob files[2] = { { 0 } }, archives[2] = { { 0 } };
	struct nc3z_pack_options options;
	struct blob restored = { 0 };
	struct shape shape;

	nc3z_pack_options_init(&options);
	for (int i = 0; i < 2; i++) {
		uint64_t end;

		make_shape(&shape, 60);
		end = shape.vars[1].begin + 60 * shape_record_nbytes(&shape);
		shape.numrecs = i == 0 ? 60 : 7;
		shape_write(&shape, &files[i]);
		for (uint32_t k = 0; files[i].nbytes < end; k++)
			blob_be32(&files[i], k * k);
		files[i].nbytes = (size_t)end;
		memory_pack(&files[i], &options, &archives[i]);
	}
	CHECK(archives[1].nbytes < archives[0].nbytes * 21 / 20);
	CHECK(archives[1].nbytes < files[1].nbytes / 3);
	CHECK(memory_restore(&archives[1], &restored) == NC3Z_OK);
	CHECK(restored.nbytes == files[1].nbytes &&
	      memcmp(restored.data, files[1].data, restored.nbytes) == 0);
	for (int i = 0; i < 2; i++) {
		blob_release(&files[i]);
		blob_release(&archives[i]);
	}
	blob_release(&restored);
}

int main(void)
{
	RUN(test_counts);
	RUN(test_size);
	return check_report();
}
