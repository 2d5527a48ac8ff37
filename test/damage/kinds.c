/* SPDX-License-Identifier: MIT */
#include "kinds.h"

#include <math.h>

#include "check.h"
#include "in_memory.h"
#include "load.h"
#include "nc3z.h"
#include "shape.h"
#include "chunked.h"

/* Blocks of this size, so that a few thousand bytes are several. */
#define KIND_BLOCK_NBYTES NC3Z_BLOCK_NBYTES_MIN

#define FILL 9.96921e36f

/* What the four bytes number i of the data are, as a number. */
typedef uint32_t element_fn(uint32_t i, uint64_t *seed);

static uint32_t of_float(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static uint32_t counting(uint32_t i, uint64_t *seed)
{
	return i * 3 + i / 64 * 5 + (uint32_t)check_random_below(seed, 4);
}

static uint32_t noise(uint32_t i, uint64_t *seed)
{
	(void)i;
	return (uint32_t)check_random(seed);
}

static uint32_t constant(uint32_t i, uint64_t *seed)
{
	(void)i;
	(void)seed;
	return 0x41420000;
}

static uint32_t wave(uint32_t i, uint64_t *seed)
{
	return of_float((float)sin(i * 0.01) +
			(float)check_random_below(seed, 8) * 1e-5f);
}

static uint32_t holes(uint32_t i, uint64_t *seed)
{
	return i / 16 % 3 == 0 ? of_float(FILL) : wave(i, seed);
}

/* Each value three times, the third time two further on. */
static uint32_t repeats(uint32_t i, uint64_t *seed)
{
	uint64_t once = i / 6 * 2 + i % 2;

	(void)seed;
	return (uint32_t)check_random(&once);
}

/* Tenths; one in a hundred is none. */
static uint32_t tenths(uint32_t i, uint64_t *seed)
{
	double whole = 200 + i % 50 + (double)check_random_below(seed, 20);

	return i % 100 == 99 ? of_float(NAN) : of_float((float)(whole / 10));
}

static uint32_t tenths_and_holes(uint32_t i, uint64_t *seed)
{
	return i / 16 % 3 == 0 ? of_float(FILL) : tenths(i, seed);
}

/* Averages of 144 integers. */
static uint32_t averages(uint32_t i, uint64_t *seed)
{
	double sum = 200.0 + i % 50 + (double)check_random_below(seed, 2000);

	return of_float((float)(sum / 144));
}

static uint32_t multiples(uint32_t i, uint64_t *seed)
{
	return 7 + 250 * (i % 40 + (uint32_t)check_random_below(seed, 20));
}

static uint32_t few(uint32_t i, uint64_t *seed)
{
	(void)i;
	return of_float((float)sqrt((double)check_random_below(seed, 12)));
}

static uint32_t few_and_holes(uint32_t i, uint64_t *seed)
{
	return i / 16 % 3 == 0 ? of_float(FILL) : few(i, seed);
}

static uint32_t bits(uint32_t i, uint64_t *seed)
{
	return i % 64 << 2 | (uint32_t)(check_random_below(seed, 2) << 9);
}

enum form {
	FORM_MIXED,  /* fixed and record variables */
	FORM_SINGLE, /* one of several blocks */
	FORM_GROUPS, /* many small ones, fixed and of records */
	FORM_CHUNKS, /* the two large ones of FORM_MIXED are chunked */
	FORM_SHORT,  /* FORM_MIXED, cut off inside a record */
	FORM_ODD,    /* FORM_SINGLE and one that overlaps it */
	FORM_LARGE,  /* FORM_SINGLE, with copies of plan and header */
	FORM_FILE,   /* from the test data, called like the kind */
};

struct kind {
	const char *name;
	enum form form;
	uint8_t version;
	uint8_t type;
	element_fn *element;
	int codec;        /* of the packer */
	const char *file; /* FORM_FILE */
	/* Encoded by this instead of what the packer chooses. */
	struct block_recipe recipe;
	const char *coding; /* what must be in the coding of some block */
};

#define RECIPE(float_, wishes_, ...) \
	{ \
		.width = 4, .is_float = (float_), .transforms = (wishes_), \
		.codec = NC3Z_CODEC_ZSTD, .level = 1, .chain = { \
			__VA_ARGS__ \
		} \
	}
#define STEPS(n, ...) .nsteps = (n), .steps = { __VA_ARGS__ }
#define SHUFFLED STEPS(1, { NC3Z_FILTER_SHUFFLE, 0 })
#define DIFFERENCES \
	STEPS(2, { NC3Z_FILTER_DELTA, 1 }, { NC3Z_FILTER_ZIGZAG, 0 })

static const struct kind kinds[] = {
	{ "CDF-1", FORM_MIXED, 1, 5, wave, .codec = NC3Z_CODEC_ZSTD },
	{ "CDF-2", FORM_MIXED, 2, 4, counting, .codec = NC3Z_CODEC_ZSTD },
	{ "CDF-5", FORM_MIXED, 5, 10, counting, .codec = NC3Z_CODEC_ZSTD },
	{ "chunks", FORM_CHUNKS, 2, 4, counting, .codec = NC3Z_CODEC_ZSTD },
	{ "groups", FORM_GROUPS, 1, 4, counting, .codec = NC3Z_CODEC_ZSTD },
	{ "truncated original", FORM_SHORT, 1, 4, counting,
	  .codec = NC3Z_CODEC_ZSTD },
	{ "overlapping variables", FORM_ODD, 1, 4, counting,
	  .codec = NC3Z_CODEC_ZSTD },
	{ "header copy, plan copy", FORM_LARGE, 1, 4, noise,
	  .codec = NC3Z_CODEC_ZSTD },
	{ "no data, CDF-1", FORM_FILE, .file = "cdf1-minimal.nc" },
	{ "no data, CDF-5", FORM_FILE, .file = "cdf5-minimal.nc" },
	{ "300 variables", FORM_FILE, .file = "cdf1-300-variables.nc" },
	{ "store", FORM_MIXED, 1, 4, noise, NC3Z_CODEC_STORE,
	  .coding = "store" },
	{ "deflate", FORM_MIXED, 1, 4, counting, NC3Z_CODEC_DEFLATE,
	  .coding = "deflate" },
	{ "bzip2", FORM_MIXED, 1, 4, counting, NC3Z_CODEC_BZIP2,
	  .coding = "bzip2" },
	{ "zstd", FORM_SINGLE, 1, 4, counting, NC3Z_CODEC_ZSTD,
	  .coding = "zstd" },
	{ "lzma", FORM_MIXED, 1, 4, counting, NC3Z_CODEC_LZMA,
	  .coding = "lzma" },
	{ "order", FORM_SINGLE, 1, 5, wave,
	  .recipe = RECIPE(true, 0,
			   STEPS(3, { NC3Z_FILTER_ORDER, 0 },
				 { NC3Z_FILTER_DELTA, 1 },
				 { NC3Z_FILTER_SHUFFLE, 0 })),
	  .coding = "order delta" },
	{ "extrapolate", FORM_SINGLE, 1, 5, wave,
	  .recipe = RECIPE(true, 0,
			   STEPS(4, { NC3Z_FILTER_EXTRAPOLATE, 0 },
				 { NC3Z_FILTER_DELTA, 1 },
				 { NC3Z_FILTER_DELTA, 1 },
				 { NC3Z_FILTER_SHUFFLE, 0 })),
	  .coding = "extrapolate delta" },
	{ "delta, zigzag", FORM_SINGLE, 1, 4, counting,
	  .recipe = RECIPE(false, 0, DIFFERENCES), .coding = "zigzag" },
	{ "shuffle", FORM_SINGLE, 1, 4, counting,
	  .recipe = RECIPE(false, 0, SHUFFLED), .coding = "shuffle" },
	{ "bitshuffle", FORM_SINGLE, 1, 4, bits,
	  .recipe = RECIPE(false, 0, STEPS(1, { NC3Z_FILTER_BITSHUFFLE, 0 })),
	  .coding = "bitshuffle" },
	{ "constant", FORM_SINGLE, 1, 4, constant,
	  .recipe = RECIPE(false, 0, SHUFFLED), .coding = "constant" },
	{ "drop", FORM_SINGLE, 1, 5, holes,
	  .recipe = RECIPE(true, BLOCK_TRANSFORM_DROP, SHUFFLED),
	  .coding = "drop" },
	{ "fraction, exceptions", FORM_SINGLE, 1, 5, tenths,
	  .recipe = RECIPE(true, BLOCK_TRANSFORM_DECIMAL, DIFFERENCES),
	  .coding = "fraction" },
	{ "fraction", FORM_SINGLE, 1, 5, averages,
	  .recipe = RECIPE(true, BLOCK_TRANSFORM_DECIMAL, DIFFERENCES),
	  .coding = "fraction" },
	{ "multiple", FORM_SINGLE, 1, 4, multiples,
	  .recipe = RECIPE(false, BLOCK_TRANSFORM_DECIMAL, DIFFERENCES),
	  .coding = "multiple" },
	{ "palette", FORM_SINGLE, 1, 5, few,
	  .recipe = RECIPE(true, BLOCK_TRANSFORM_PALETTE, STEPS(0, { 0, 0 })),
	  .coding = "palette" },
	{ "repeat", FORM_SINGLE, 1, 5, repeats,
	  .recipe = RECIPE(true, BLOCK_TRANSFORM_REPEAT, SHUFFLED),
	  .coding = "repeat" },
	{ "drop, fraction", FORM_SINGLE, 1, 5, tenths_and_holes,
	  .recipe = RECIPE(true, BLOCK_TRANSFORM_DROP | BLOCK_TRANSFORM_DECIMAL,
			   DIFFERENCES),
	  .coding = "drop fraction" },
	{ "drop, palette", FORM_SINGLE, 1, 5, few_and_holes,
	  .recipe = RECIPE(true, BLOCK_TRANSFORM_DROP | BLOCK_TRANSFORM_PALETTE,
			   STEPS(0, { 0, 0 })),
	  .coding = "drop palette" },
};

unsigned kinds_count(void)
{
	return sizeof(kinds) / sizeof(kinds[0]);
}

static void add_var(struct shape *s, uint32_t type, uint32_t rank,
		    uint32_t first, uint32_t second)
{
	s->vars[s->nvars++] = (struct shape_var){ .type = type,
						  .rank = rank,
						  .dimids = { first, second } };
}

/* The variables of a form; dimension 0 is that of the records. */
static void make_shape(const struct kind *k, struct shape *s)
{
	*s = (struct shape){ .version = k->version,
			     .numrecs = 10,
			     .ndims = 3,
			     .dims = { 0, 20, 105 } };
	if (k->form == FORM_LARGE)
		s->dims[1] = 2600;
	if (k->form == FORM_GROUPS) {
		for (uint32_t i = 0; i < 12; i++)
			add_var(s, 1 + i % 6, 1, i % 2, 0);
	} else if (k->form != FORM_MIXED && k->form != FORM_CHUNKS &&
		   k->form != FORM_SHORT) {
		add_var(s, k->type, 2, 1, 2);
	} else {
		add_var(s, k->type, 2, 1, 2);
		add_var(s, k->type, 2, 0, 2);
		add_var(s, 6, 1, 0, 0);
		add_var(s, 3, 1, 1, 0);
	}
	if (k->form == FORM_ODD)
		add_var(s, 3, 1, 2, 0);
	shape_place(s, 0);
	if (k->form == FORM_ODD)
		s->vars[1].begin = s->vars[0].begin + 4098;
}

static void make_original(const struct kind *k, struct blob *out)
{
	struct shape shape;
	uint64_t seed = 5, end;

	make_shape(k, &shape);
	end = shape_end(&shape) - (k->form == FORM_SHORT ? 700 : 0);
	shape_write(&shape, out);
	/* Values begin where elements of this width do. */
	while (out->nbytes < shape.vars[0].begin)
		blob_fill(out, 0, 1);
	for (uint32_t i = 0; out->nbytes < end; i++)
		blob_be32(out, k->element(i, &seed));
	out->nbytes = (size_t)end;
}

static struct blob pack(const struct kind *k, const struct blob *file)
{
	struct nc3z_pack_options options;
	struct blob archive = { 0 };

	nc3z_pack_options_init(&options);
	options.nthreads = 1;
	if (k->form != FORM_FILE)
		options.codec = k->codec;
	options.block_nbytes = KIND_BLOCK_NBYTES;
	if (k->form == FORM_LARGE)
		options.block_nbytes *= 16;
	memory_pack(file, &options, &archive);
	return archive;
}

static struct blob make_archive(const struct kind *k, const struct blob *file)
{
	uint64_t seed = 11;
	uint32_t nchunked;
	struct blob archive;

	if (k->recipe.width > 0)
		return recipe_make(file, &k->recipe);
	if (k->form != FORM_CHUNKS)
		return pack(k, file);
	archive = chunked_make(file, &seed, &nchunked);
	CHECK_EQ_U64(nchunked, 2);
	return archive;
}

/* Another file with this header: some of the data differ a little. */
static void make_sister(struct subject *s)
{
	uint64_t begin = picture_u64(s->picture.plan.data);

	blob_put(&s->sister_original, s->original.data, s->original.nbytes);
	begin += (s->original.nbytes - begin) / 3;
	for (size_t i = (size_t)begin; i < s->original.nbytes; i += 257)
		s->sister_original.data[i] ^= 1;
}

/* Whether some block is encoded in a way. */
static bool has_coding(const struct subject *s, const char *coding)
{
	struct nc3z_source *source =
		memory_source(s->archive.data, s->archive.nbytes);
	struct nc3z_file *file = NULL;
	struct nc3z_block block;
	char text[256];
	bool found = false;

	if (!CHECK(nc3z_open_source(source, NULL, &file, NULL) == NC3Z_OK)) {
		nc3z_source_close(source);
		return false;
	}
	for (uint32_t i = 0; i < s->map.nblocks; i++)
		if (nc3z_inq_block(file, s->map.streams[i], s->map.blocks[i],
				   &block, NULL) == NC3Z_OK) {
			nc3z_coding_text(&block.coding, text, sizeof(text));
			found = found || strstr(text, coding);
		}
	nc3z_close(file);
	return found;
}

static bool load_original(const struct kind *k, const char *testdata,
			  struct subject *s)
{
	struct bytes file;
	char path[4096];

	if (k->form != FORM_FILE) {
		make_original(k, &s->original);
		return true;
	}
	snprintf(path, sizeof(path), "%s/classic/%s", testdata, k->file);
	if (!CHECK(load_file(path, &file)))
		return false;
	blob_put(&s->original, file.data, file.nbytes);
	free(file.data);
	return true;
}

bool kind_make(unsigned kind, const char *testdata, struct subject *s)
{
	const struct kind *k = &kinds[kind];

	*s = (struct subject){ .name = k->name };
	if (!load_original(k, testdata, s))
		return false;
	s->archive = make_archive(k, &s->original);
	if (!CHECK_STR_EQ(picture_read(&s->picture, s->archive.data,
				       s->archive.nbytes),
			  NULL))
		return false;
	make_sister(s);
	s->sister_archive = make_archive(k, &s->sister_original);
	if (!CHECK_STR_EQ(picture_read(&s->sister, s->sister_archive.data,
				       s->sister_archive.nbytes),
			  NULL))
		return false;
	block_map_init(&s->map, &s->archive);
	return !k->coding || CHECK(has_coding(s, k->coding));
}

void kind_release(struct subject *s)
{
	block_map_release(&s->map);
	picture_release(&s->picture);
	picture_release(&s->sister);
	blob_release(&s->original);
	blob_release(&s->archive);
	blob_release(&s->sister_original);
	blob_release(&s->sister_archive);
}
