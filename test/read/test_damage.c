/* SPDX-License-Identifier: MIT */
/*
 * Damage and failures while reading: exactly the requests that need what is
 * damaged fail, and say what and where; all others are answered, and the handle
 * stays usable.
 */
#include <errno.h>

#include "check.h"
#include "made.h"
#include "packed.h"
#include "picture.h"
#include "shape.h"
#include "nc3z_tools.h"

#define NREQUESTS 40

/* A file, its archive, and what is where. */
struct fixture {
	struct blob original;
	struct blob archive;
	struct facts facts;
	struct block_map map;
	struct picture picture;
};

/*
 * Two fixed variables and two of records, of random bytes, so that there is a
 * header copy: the file can be opened without its blocks.
 */
static void make_original(struct blob *out, uint32_t nplanes)
{
	struct shape shape = { .version = 2,
			       .numrecs = 6 * nplanes,
			       .ndims = 4,
			       .dims = { 0, nplanes, 90, 180 },
			       .nvars = 4 };
	uint64_t seed = 3; /* random values */

	shape.vars[0] = (struct shape_var){ .type = 5,
					    .rank = 3,
					    .dimids = { 1, 2, 3 } };
	shape.vars[1] =
		(struct shape_var){ .type = 3, .rank = 2, .dimids = { 0, 3 } };
	shape.vars[2] =
		(struct shape_var){ .type = 6, .rank = 2, .dimids = { 2, 3 } };
	shape.vars[3] = (struct shape_var){ .type = 4, .rank = 1 };
	shape_place(&shape, 0);
	shape_file(&shape, shape_end(&shape), &seed, out);
}

static void set_up(struct fixture *f, uint32_t nplanes, uint32_t block_nbytes)
{
	const struct manner manner = { .block_nbytes = block_nbytes };

	*f = (struct fixture){ 0 };
	make_original(&f->original, nplanes);
	f->archive = packed_make(&f->original, &manner);
	CHECK(facts_init(&f->facts, &f->original));
	block_map_init(&f->map, &f->archive);
	CHECK_STR_EQ(picture_read(&f->picture, f->archive.data,
				  f->archive.nbytes),
		     NULL);
	CHECK(f->picture.header_copy.nbytes > 0);
}

static void tear_down(struct fixture *f)
{
	picture_release(&f->picture);
	block_map_release(&f->map);
	facts_release(&f->facts);
	blob_release(&f->archive);
	blob_release(&f->original);
}

/* A run of elements along the last dimension of a variable. */
struct row {
	int varid;
	size_t width;
	size_t start[3];
	size_t count[3];
	uint64_t nelems;
	uint64_t first; /* linear index */
};

static void random_row(struct row *r, struct nc3z_file *file, uint64_t *seed)
{
	struct nc3z_var var;
	int nvars;

	nc3z_inq(file, NULL, &nvars, NULL, NULL);
	*r = (struct row){ .nelems = 1 };
	r->varid = (int)check_random_below(seed, (uint64_t)nvars);
	CHECK(nc3z_inq_var(file, r->varid, &var, NULL) == NC3Z_OK);
	r->width = nc3z_type_nbytes(var.type);
	for (int i = 0; i < var.ndims; i++) {
		bool is_last = i == var.ndims - 1;

		r->start[i] = (size_t)check_random_below(seed, var.shape[i]);
		r->count[i] = 1;
		if (is_last)
			r->count[i] += (size_t)check_random_below(
				seed, var.shape[i] - r->start[i]);
		r->nelems *= r->count[i];
		r->first = r->first * var.shape[i] + r->start[i];
	}
}

/* Whether a row has bytes in a block, or in blocks whose bit is set. */
static bool row_needs(const struct fixture *f, const struct row *r,
		      const bool *is_damaged, uint32_t *block_ret)
{
	for (uint64_t i = 0; i < r->nelems; i++) {
		uint64_t at = facts_offset(&f->facts, r->varid, r->first + i);

		for (size_t k = 0; k < r->width; k++) {
			*block_ret = f->map.numbers[at + k];
			if (is_damaged[*block_ret])
				return true;
		}
	}
	return false;
}

static int read_row(struct nc3z_file *file, const struct row *r, void *values,
		    struct nc3z_error *err)
{
	const struct nc3z_hyperslab slab = { .start = r->start,
					     .count = r->count };

	return nc3z_get(file, r->varid, &slab, NC3Z_NAT, values, err);
}

static void check_row_values(const struct fixture *f, const struct row *r,
			     const uint8_t *values)
{
	for (uint64_t i = 0; i < r->nelems; i++) {
		uint64_t at = facts_offset(&f->facts, r->varid, r->first + i);
		uint8_t turned[8];

		for (size_t k = 0; k < r->width; k++)
			turned[k] = f->original.data[at + r->width - 1 - k];
		if (memcmp(turned, values + i * r->width, r->width) != 0) {
			CHECK_MEM_EQ(turned, values + i * r->width, r->width);
			return;
		}
	}
	CHECK(true);
}

/* What was damaged, and what an error has to say of it. */
struct damage {
	const bool *blocks; /* which fail */
	uint64_t offset;    /* the error lies from here */
	uint64_t end;       /* to here; 0: in the record of its block */
	const char *words;  /* in its text */
};

static void check_error(const struct fixture *f, const struct damage *d,
			const struct row *r, uint32_t number,
			const struct nc3z_error *err)
{
	struct damage where = *d;
	char name[40];

	snprintf(name, sizeof(name), "variable var_%d", r->varid);
	CHECK_EQ_U64((uint64_t)err->status, NC3Z_EDAMAGED);
	CHECK_EQ_U64(err->stream, f->map.streams[number]);
	CHECK_EQ_U64(err->block, f->map.blocks[number]);
	for (size_t i = 0; where.end == 0 && i < f->picture.nblocks; i++) {
		const struct picture_block *b = &f->picture.blocks[i];

		if (b->stream != err->stream || b->block != err->block)
			continue;
		where.offset = b->offset;
		where.end = b->offset + b->header_nbytes + b->payload_nbytes;
	}
	CHECK(err->offset >= where.offset && err->offset < where.end);
	if (!CHECK(strstr(err->text, name) && strstr(err->text, d->words)))
		printf("%s\n", err->text);
}

/* Random rows: those that need a damaged block fail, no other does. */
static void check_rows(const struct fixture *f, struct nc3z_file *file,
		       const struct damage *d, uint64_t seed)
{
	unsigned nfailed = 0;
	double values[1000];

	for (int i = 0; i < NREQUESTS || (i < 100000 && nfailed == 0); i++) {
		struct nc3z_error err = { 0 };
		struct row row;
		uint32_t number = 0;
		bool fails;
		int status;

		random_row(&row, file, &seed);
		fails = row_needs(f, &row, d->blocks, &number);
		if (i >= NREQUESTS && !fails)
			continue;
		status = read_row(file, &row, values, &err);
		CHECK_EQ_U64((uint64_t)status, fails ? NC3Z_EDAMAGED : NC3Z_OK);
		nfailed += fails;
		if (fails && status == NC3Z_EDAMAGED)
			check_error(f, d, &row, number, &err);
		if (!fails && status == NC3Z_OK)
			check_row_values(f, &row, (uint8_t *)values);
	}
	CHECK(nfailed > 0);
}

/* A byte of a block record is flipped, and flipped back. */
static void check_flip(struct fixture *f, uint32_t number, size_t at,
		       const char *words)
{
	const struct manner manner = { .has_no_cache = true };
	bool *blocks = calloc(f->map.nblocks, sizeof(*blocks));
	const struct damage damage = { .blocks = blocks, .words = words };
	struct nc3z_file *file;
	struct row row;
	uint64_t seed = number;
	double values[1000];
	size_t got;

	REQUIRE(blocks);
	blocks[number] = true;
	f->archive.data[at] ^= 0x10;
	file = packed_open(&f->archive, &manner);
	REQUIRE(file);
	check_rows(f, file, &damage, at);
	CHECK(nc3z_pread(file, values, 0, 5, &got, NULL) == NC3Z_OK);
	/* Whole again: so is the handle. */
	f->archive.data[at] ^= 0x10;
	for (int i = 0; i < NREQUESTS; i++) {
		random_row(&row, file, &seed);
		CHECK(read_row(file, &row, values, NULL) == NC3Z_OK);
		check_row_values(f, &row, (uint8_t *)values);
	}
	nc3z_close(file);
	free(blocks);
}

static void test_block_records(void)
{
	struct fixture f;

	set_up(&f, 24, 16384);
	for (size_t i = 0; i < f.picture.nblocks; i += 7) {
		const struct picture_block *b = &f.picture.blocks[i];
		uint32_t number = 0;

		while (f.map.streams[number] != b->stream ||
		       f.map.blocks[number] != b->block)
			number++;
		/* No variable is in it: nothing could fail. */
		if (b->stream == 0)
			continue;
		check_flip(&f, number, b->offset, "record");
		check_flip(&f, number, b->offset + 19, "record");
		check_flip(&f, number, b->offset + b->header_nbytes - 1,
			   "record");
		check_flip(&f, number, b->offset + b->header_nbytes,
			   "payload is damaged: CRC-32");
		check_flip(&f, number,
			   b->offset + b->header_nbytes + b->payload_nbytes - 1,
			   "payload is damaged: CRC-32");
	}
	tear_down(&f);
}

/* An index of several segments, one of which is damaged. */
static void test_index_segment(void)
{
	const struct manner manner = { .has_no_cache = true };
	struct fixture f;
	struct damage damage = { .words = "index is damaged or belongs to" };
	struct nc3z_file *file;
	bool *blocks;

	set_up(&f, 290, 4096);
	REQUIRE(f.map.nblocks > 4096);
	blocks = calloc(f.map.nblocks, sizeof(*blocks));
	REQUIRE(blocks);
	for (uint32_t i = 0; i < 4096; i++)
		blocks[i] = true; /* numbered like the index */
	damage.blocks = blocks;
	damage.offset = f.picture.index_offset + 16;
	damage.end = damage.offset + 4096 * 20 + 4;
	f.archive.data[damage.offset + 12345] ^= 1;
	file = packed_open(&f.archive, &manner);
	REQUIRE(file);
	check_rows(&f, file, &damage, 5);
	nc3z_close(file);
	free(blocks);
	tear_down(&f);
}

/* A source that fails once, or gives less than it should. */
struct flaky {
	const struct blob *bytes;
	long countdown; /* calls until it fails; negative: never */
	bool is_short;  /* it gives less instead */
	bool has_failed;
};

static int read_flaky(void *context, uint64_t offset, void *data, size_t nbytes,
		      size_t *nbytes_ret)
{
	struct flaky *f = context;
	uint64_t left = offset < f->bytes->nbytes ? f->bytes->nbytes - offset :
						    0;

	if (nbytes > left)
		nbytes = (size_t)left;
	if (f->countdown >= 0 && f->countdown-- == 0) {
		f->has_failed = true;
		if (!f->is_short)
			return EIO;
		nbytes /= 2;
	}
	if (nbytes > 0)
		memcpy(data, f->bytes->data + offset, nbytes);
	*nbytes_ret = nbytes;
	return 0;
}

static struct nc3z_source *open_flaky(struct flaky *f)
{
	const struct nc3z_callbacks callbacks = {
		.callbacks_nbytes = sizeof(callbacks),
		.context = f,
		.size = f->bytes->nbytes,
		.read_at = read_flaky,
	};
	struct nc3z_source *source = NULL;

	CHECK(nc3z_source_open_callbacks(&callbacks, &source, NULL) == NC3Z_OK);
	return source;
}

static bool is_right_failure(const struct flaky *f, int status,
			     const struct nc3z_error *err)
{
	if (status != err->status || err->text[0] == '\0')
		return false;
	if (f->is_short)
		return status == NC3Z_EDAMAGED || status == NC3Z_ECHANGED ||
		       status == NC3Z_ENOTCLASSIC;
	return status == NC3Z_EIO && err->sys_errno == EIO;
}

/*
 * Everything that is read is read again after a failure, on the same handle,
 * if there is one.  False if there were fewer calls than the countdown.
 */
static bool check_flaky(const struct fixture *f, struct flaky *flaky)
{
	const struct manner manner = { .has_no_cache = true };
	struct nc3z_open_options options = packed_options(&manner);
	struct nc3z_source *source = open_flaky(flaky);
	struct nc3z_file *file = NULL;
	struct nc3z_error err = { 0 };
	uint64_t seed = 8;
	double values[1000];
	int status = nc3z_open_source(source, &options, &file, &err);

	if (status != NC3Z_OK) {
		if (!CHECK(is_right_failure(flaky, status, &err)))
			printf("%d: %s\n", status, err.text);
		err = (struct nc3z_error){ 0 };
		status = nc3z_open_source(source, &options, &file, &err);
		if (!CHECK(status == NC3Z_OK))
			return false;
	}
	for (int i = 0; i < 6; i++) {
		struct row row;

		random_row(&row, file, &seed);
		err = (struct nc3z_error){ 0 };
		status = read_row(file, &row, values, &err);
		if (status != NC3Z_OK) {
			CHECK(is_right_failure(flaky, status, &err));
			CHECK(strstr(err.text, "variable var_") != NULL);
			status = read_row(file, &row, values, NULL);
		}
		CHECK(status == NC3Z_OK);
		check_row_values(f, &row, (uint8_t *)values);
	}
	nc3z_close(file);
	return flaky->has_failed;
}

static void check_all_failures(const struct fixture *f,
			       const struct blob *bytes, bool is_short)
{
	bool has_failed = true;
	long n;

	for (n = 0; has_failed; n++) {
		struct flaky flaky = { .bytes = bytes,
				       .countdown = n,
				       .is_short = is_short };

		has_failed = check_flaky(f, &flaky);
	}
	CHECK(n > 5);
}

static void test_failing_sources(void)
{
	struct fixture f;

	set_up(&f, 24, 16384);
	check_all_failures(&f, &f.archive, false);
	check_all_failures(&f, &f.archive, true);
	check_all_failures(&f, &f.original, false);
	check_all_failures(&f, &f.original, true);
	tear_down(&f);
}

/* Cut anywhere, an archive is damaged; a byte of its tail cannot be wrong. */
static void test_tail(void)
{
	struct fixture f;
	struct nc3z_source *source;
	struct nc3z_file *file;
	struct nc3z_error err;
	uint64_t seed = 1;

	set_up(&f, 24, 16384);
	for (int i = 0; i < 300; i++) {
		size_t tail = f.archive.nbytes - f.picture.header_copy_offset;
		size_t at = f.picture.header_copy_offset +
			    (size_t)check_random_below(&seed, tail);
		bool is_cut = i % 2;
		int status;

		err = (struct nc3z_error){ 0 };
		f.archive.data[at] ^= 4;
		CHECK(nc3z_source_open_memory(f.archive.data,
					      is_cut ? at : f.archive.nbytes,
					      &source, NULL) == NC3Z_OK);
		status = nc3z_open_source(source, NULL, &file, &err);
		/* What stream copies have is in the blocks as well. */
		if (!is_cut && at >= f.picture.stream_copies_offset &&
		    at < f.picture.catalogue_offset) {
			CHECK_EQ_U64((uint64_t)status, NC3Z_OK);
			nc3z_close(file);
			f.archive.data[at] ^= 4;
			continue;
		}
		CHECK_EQ_U64((uint64_t)status, NC3Z_EDAMAGED);
		CHECK_EQ_U64((uint64_t)err.status, NC3Z_EDAMAGED);
		nc3z_source_close(source);
		f.archive.data[at] ^= 4;
	}
	tear_down(&f);
}

int main(void)
{
	RUN(test_block_records);
	RUN(test_index_segment);
	RUN(test_failing_sources);
	RUN(test_tail);
	return check_report();
}
