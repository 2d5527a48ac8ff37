/* SPDX-License-Identifier: MIT */
/*
 * What programs read when they open a file - header, coordinates, times - is at
 * hand: in a few ranges of the archive, however long the original is.  An
 * original of 10 GB is generated while it is packed, and the archive read
 * through a source that notes which of its bytes are touched.
 *
 *	test_at_hand [WINDOWS]
 */
#include <pthread.h>

#include "check.h"
#include "in_memory.h"
#include "nc3z.h"
#include "picture.h"
#include "shape.h"

#define NROWS 360
#define NCOLUMNS 720

/* Records of 1 MB: so many are in each of the plan's windows. */
#define WINDOW_NBYTES (UINT64_C(32) << 20)
#define NWINDOWS 300

/* Bytes of each record of the large variable that are not zero. */
#define NOISE_NBYTES 512

enum {
	LAT,
	LON,
	TIME,
	BOUNDS,
	DATE,
	FIELD,
	NVARS
};

static uint64_t nwindows = NWINDOWS;

/* The original, of which only the header is kept. */
struct original {
	struct shape shape;
	struct blob header;
	uint64_t record_begin;
	uint64_t record_nbytes;
	uint64_t nbytes;
};

/* One whose values are all different, and not a straight line. */
static double time_of(uint64_t record)
{
	return (double)record * 0.25 + (double)(record % 7);
}

static double bound_of(uint64_t record, unsigned side)
{
	return time_of(record) - 0.125 + side * 0.25;
}

/* Big-endian, as the classic formats are. */
static void put_bits(uint8_t *out, unsigned nbytes, uint64_t bits)
{
	for (unsigned i = nbytes; i-- > 0; bits >>= 8)
		out[i] = (uint8_t)bits;
}

static void put_double(uint8_t *out, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_bits(out, 8, bits);
}

/* A record, of 'nbytes' bytes, in 'out'. */
static void make_record(const struct original *o, uint64_t record, uint8_t *out)
{
	const struct shape_var *vars = o->shape.vars;
	uint64_t seed = record + 1;
	uint8_t *field = out + (vars[FIELD].begin - o->record_begin);

	memset(out, 0, (size_t)o->record_nbytes);
	put_double(out + (vars[TIME].begin - o->record_begin), time_of(record));
	for (unsigned i = 0; i < 2; i++)
		put_double(out + (vars[BOUNDS].begin - o->record_begin) + 8 * i,
			   bound_of(record, i));
	put_bits(out + (vars[DATE].begin - o->record_begin), 4, record * 3);
	for (unsigned i = 0; i < NOISE_NBYTES; i++)
		field[i] = (uint8_t)check_random(&seed);
}

static void make_fixed(const struct original *o, uint8_t *out)
{
	for (uint32_t v = LAT; v <= LON; v++)
		for (uint64_t i = 0; i < o->shape.dims[1 + v]; i++)
			put_double(out + o->shape.vars[v].begin + 8 * i,
				   (double)i * 0.5 - 90);
}

static void make_original(struct original *o)
{
	*o = (struct original){
		.shape = {
			.version = 5,
			.ndims = 4,
			.dims = { 0, NROWS, NCOLUMNS, 2 },
			.nvars = NVARS,
			.vars = {
				[LAT] = { .type = 6, .rank = 1, .dimids = { 1 } },
				[LON] = { .type = 6, .rank = 1, .dimids = { 2 } },
				[TIME] = { .type = 6, .rank = 1 },
				[BOUNDS] = { .type = 6, .rank = 2,
					     .dimids = { 0, 3 } },
				[DATE] = { .type = 4, .rank = 1 },
				[FIELD] = { .type = 5, .rank = 3,
					    .dimids = { 0, 1, 2 } },
			},
		},
	};
	shape_place(&o->shape, 0);
	o->record_nbytes = shape_record_nbytes(&o->shape);
	o->shape.numrecs = nwindows * (WINDOW_NBYTES / o->record_nbytes);
	o->record_begin = o->shape.vars[TIME].begin;
	o->nbytes = o->record_begin + o->shape.numrecs * o->record_nbytes;
	shape_write(&o->shape, &o->header);
	blob_fill(&o->header, 0, (size_t)(o->record_begin - o->header.nbytes));
	make_fixed(o, o->header.data);
}

static int read_original(void *context, uint64_t offset, void *data,
			 size_t nbytes, size_t *nbytes_ret)
{
	static uint8_t *record_bytes;
	const struct original *o = context;
	uint8_t *out = data;
	size_t done = 0;

	if (!record_bytes)
		record_bytes = malloc((size_t)o->record_nbytes);
	while (done < nbytes && offset < o->nbytes) {
		const uint8_t *from = o->header.data + offset;
		uint64_t there = o->record_begin - offset;

		if (offset >= o->record_begin) {
			uint64_t at = offset - o->record_begin;
			uint64_t skip = at % o->record_nbytes;

			make_record(o, at / o->record_nbytes, record_bytes);
			from = record_bytes + skip;
			there = o->record_nbytes - skip;
		}
		if (there > nbytes - done)
			there = nbytes - done;
		memcpy(out + done, from, (size_t)there);
		done += (size_t)there;
		offset += there;
	}
	*nbytes_ret = done;
	return 0;
}

static bool pack(struct original *o, struct blob *archive)
{
	const struct nc3z_callbacks callbacks = {
		.callbacks_nbytes = sizeof(callbacks),
		.context = o,
		.size = o->nbytes,
		.read_at = read_original,
	};
	struct nc3z_sink *out = memory_sink();
	struct nc3z_pack_options options;
	struct nc3z_source *in;
	bool ok;

	nc3z_pack_options_init(&options);
	options.level = 1;
	CHECK(nc3z_source_open_callbacks(&callbacks, &in, NULL) == NC3Z_OK);
	ok = nc3z_pack(in, out, &options, NULL, NULL) == NC3Z_OK;
	memory_sink_take(out, archive);
	nc3z_source_close(in);
	return ok;
}

/* An archive and which of its bytes were read. */
struct watched {
	const struct blob *archive;
	uint8_t *touched;
	pthread_mutex_t lock;
};

static int read_watched(void *context, uint64_t offset, void *data,
			size_t nbytes, size_t *nbytes_ret)
{
	struct watched *w = context;
	size_t left = 0;

	if (offset < w->archive->nbytes)
		left = w->archive->nbytes - (size_t)offset;
	*nbytes_ret = nbytes < left ? nbytes : left;
	if (*nbytes_ret == 0)
		return 0;
	memcpy(data, w->archive->data + offset, *nbytes_ret);
	pthread_mutex_lock(&w->lock);
	memset(w->touched + offset, 1, *nbytes_ret);
	pthread_mutex_unlock(&w->lock);
	return 0;
}

/* Runs of bytes that were touched. */
static size_t count_ranges(const struct watched *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->archive->nbytes; i++)
		n += w->touched[i] && (i == 0 || !w->touched[i - 1]);
	return n;
}

static void check_values(struct nc3z_file *file, const struct original *o)
{
	size_t n = (size_t)o->shape.numrecs;
	double *values = malloc(2 * n * sizeof(*values));
	int32_t *dates = malloc(n * sizeof(*dates));
	uint64_t wrong = 0;

	CHECK(nc3z_get(file, LAT, NULL, NC3Z_DOUBLE, values, NULL) == NC3Z_OK);
	CHECK(values[0] == -90 && values[NROWS - 1] == 89.5);
	CHECK(nc3z_get(file, LON, NULL, NC3Z_DOUBLE, values, NULL) == NC3Z_OK);
	CHECK(values[NCOLUMNS - 1] == 269.5);
	CHECK(nc3z_get(file, TIME, NULL, NC3Z_DOUBLE, values, NULL) == NC3Z_OK);
	for (size_t i = 0; i < n; i++)
		wrong += values[i] != time_of(i);
	CHECK(nc3z_get(file, BOUNDS, NULL, NC3Z_DOUBLE, values, NULL) ==
	      NC3Z_OK);
	for (size_t i = 0; i < 2 * n; i++)
		wrong += values[i] != bound_of(i / 2, i % 2);
	CHECK(nc3z_get(file, DATE, NULL, NC3Z_INT, dates, NULL) == NC3Z_OK);
	for (size_t i = 0; i < n; i++)
		wrong += dates[i] != (int32_t)(3 * i);
	CHECK_EQ_U64(wrong, 0);
	free(values);
	free(dates);
}

/* Times box by box, as programs do that go through a file. */
static void check_iterator(struct nc3z_file *file)
{
	const struct nc3z_iterator_var var = {
		.file = file,
		.varid = TIME,
		.memtype = NC3Z_DOUBLE,
	};
	struct nc3z_iterator *iterator;
	struct nc3z_box box;
	uint64_t wrong = 0;

	REQUIRE(nc3z_iterator_open(&var, 1, NULL, NULL, &iterator, NULL) ==
		NC3Z_OK);
	do {
		const double *values;

		REQUIRE(nc3z_iterator_next(iterator, &box, NULL) == NC3Z_OK);
		values = box.nelems > 0 ? box.values[0] : NULL;
		for (size_t i = 0; i < box.nelems; i++)
			wrong += values[i] != time_of(box.start[0] + i);
	} while (box.nelems > 0);
	CHECK_EQ_U64(wrong, 0);
	nc3z_iterator_close(iterator);
}

/* Opens the archive, reads all but the field, and counts ranges. */
static size_t open_and_read(const struct blob *archive,
			    const struct original *o)
{
	struct watched w = {
		.archive = archive,
		.touched = calloc(archive->nbytes, 1),
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	const struct nc3z_callbacks callbacks = {
		.callbacks_nbytes = sizeof(callbacks),
		.context = &w,
		.size = archive->nbytes,
		.read_at = read_watched,
	};
	struct nc3z_source *source;
	struct nc3z_file *file;
	size_t nranges = 0;

	CHECK(nc3z_source_open_callbacks(&callbacks, &source, NULL) == NC3Z_OK);
	if (CHECK(nc3z_open_source(source, NULL, &file, NULL) == NC3Z_OK)) {
		CHECK(count_ranges(&w) <= 2);
		check_values(file, o);
		check_iterator(file);
		nranges = count_ranges(&w);
		nc3z_close(file);
	} else {
		nc3z_source_close(source);
	}
	free(w.touched);
	return nranges;
}

static void test_ranges(void)
{
	struct original o;
	struct picture p;
	struct blob archive = { 0 };
	size_t tail;

	make_original(&o);
	REQUIRE(pack(&o, &archive));
	CHECK_STR_EQ(picture_read(&p, archive.data, archive.nbytes), NULL);
	REQUIRE(p.stream_copies.nbytes > 0);
	/* What the copies cost: less than a 2,000th of the archive. */
	tail = p.catalogue_offset - p.stream_copies_offset;
	CHECK(tail * 2000 < archive.nbytes);
	CHECK(open_and_read(&archive, &o) <= 3);

	/* The values are the same out of the blocks, which lie everywhere. */
	archive.data[p.stream_copies_offset + 30] ^= 1;
	CHECK(open_and_read(&archive, &o) > nwindows / 2);
	printf("%" PRIu64 " bytes of %zu, copies %zu\n", o.nbytes,
	       archive.nbytes, tail);
	picture_release(&p);
	blob_release(&archive);
	blob_release(&o.header);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		nwindows = strtoull(argv[1], NULL, 10);
	RUN(test_ranges);
	return check_report();
}
