/* SPDX-License-Identifier: MIT */
/*
 * Speed and ratio of filter chains on the blocks of real files:
 *
 *	bench_chains FILE...
 *
 * For each file and recipe: ratio, MB/s of original bytes encoded and decoded
 * on one core.  Blocks of 1 MiB of all variables of at least 64 KiB go through
 * every recipe; "best" takes for each variable the recipe that made it
 * smallest, which is what a reader meets.  Decoded bytes are compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "block/block.h"
#include "classic/header.h"

#define BLOCK_NBYTES ((size_t)1 << 20)
#define VARIABLE_NBYTES_MIN ((size_t)1 << 16)
/* Each block is encoded and decoded so often; the fastest counts. */
#define NRUNS 3

enum stride {
	NONE,
	LEFT,
	ROW,
	PLANE
};

/* A recipe by name, for a variable of any shape. */
struct way {
	const char *name;
	unsigned transforms;
	enum stride strides[2];
	enum nc3z_filter layout;
};

#define ALL (BLOCK_TRANSFORM_DROP | BLOCK_TRANSFORM_DECIMAL)

static const struct way ways[] = {
	{ "none", 0, { NONE, NONE }, 0 },
	{ "shuffle", 0, { NONE, NONE }, NC3Z_FILTER_SHUFFLE },
	{ "bitshuffle", 0, { NONE, NONE }, NC3Z_FILTER_BITSHUFFLE },
	{ "1 shuffle", 0, { LEFT, NONE }, NC3Z_FILTER_SHUFFLE },
	{ "row shuffle", 0, { ROW, NONE }, NC3Z_FILTER_SHUFFLE },
	{ "1 row shuffle", 0, { LEFT, ROW }, NC3Z_FILTER_SHUFFLE },
	{ "1 plane shuffle", 0, { LEFT, PLANE }, NC3Z_FILTER_SHUFFLE },
	{ "1 1 shuffle", 0, { LEFT, LEFT }, NC3Z_FILTER_SHUFFLE },
	{ "1 bitshuffle", 0, { LEFT, NONE }, NC3Z_FILTER_BITSHUFFLE },
	{ "drop 1 row",
	  BLOCK_TRANSFORM_DROP,
	  { LEFT, ROW },
	  NC3Z_FILTER_SHUFFLE },
	{ "drop row",
	  BLOCK_TRANSFORM_DROP,
	  { ROW, NONE },
	  NC3Z_FILTER_SHUFFLE },
	{ "decimal 1 row",
	  BLOCK_TRANSFORM_DECIMAL,
	  { LEFT, ROW },
	  NC3Z_FILTER_SHUFFLE },
	{ "palette",
	  BLOCK_TRANSFORM_PALETTE,
	  { NONE, NONE },
	  NC3Z_FILTER_SHUFFLE },
	{ "palette 1 row",
	  BLOCK_TRANSFORM_PALETTE,
	  { LEFT, ROW },
	  NC3Z_FILTER_SHUFFLE },
	{ "drop decimal 1 row", ALL, { LEFT, ROW }, NC3Z_FILTER_SHUFFLE },
	{ "drop palette 1 row",
	  BLOCK_TRANSFORM_DROP | BLOCK_TRANSFORM_PALETTE,
	  { LEFT, ROW },
	  NC3Z_FILTER_SHUFFLE },
};
#define NWAYS (sizeof(ways) / sizeof(*ways))

struct figures {
	double raw, stored, encode_s, decode_s;
};

struct variable {
	uint8_t *raw;
	size_t nbytes;
	uint8_t width;
	bool is_float;
	uint32_t row, plane; /* in elements */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The strides of a shape, 0 where it has none. */
static uint32_t stride_of(const struct variable *v, enum stride which)
{
	return which == LEFT  ? 1 :
	       which == ROW   ? v->row :
	       which == PLANE ? v->plane :
				0;
}

/* False if a variable has not what the recipe is about. */
static bool make_recipe(const struct variable *v, const struct way *way,
			struct block_recipe *r)
{
	bool predicts = way->strides[0] != NONE;

	*r = (struct block_recipe){
		.width = v->width,
		.is_float = v->is_float,
		.transforms = (uint8_t)way->transforms,
		.row_nelems = v->row,
		.codec = NC3Z_CODEC_ZSTD,
		.level = 1,
	};
	if (predicts && v->is_float)
		filter_chain_add(&r->chain, NC3Z_FILTER_ORDER, 0);
	for (unsigned i = 0; i < 2 && way->strides[i] != NONE; i++) {
		uint32_t stride = stride_of(v, way->strides[i]);

		if (stride == 0 && i == 0)
			return false;
		if (stride > 0)
			filter_chain_add(&r->chain, NC3Z_FILTER_DELTA, stride);
	}
	if (predicts)
		filter_chain_add(&r->chain, NC3Z_FILTER_ZIGZAG, 0);
	if (way->layout)
		filter_chain_add(&r->chain, way->layout, 0);
	return true;
}

struct bench {
	struct block_coder coder;
	struct block_stored stored;
	uint8_t out[BLOCK_NBYTES];
};

static void run_block(struct bench *b, const struct block_recipe *recipe,
		      const uint8_t *raw, size_t nbytes, struct figures *f)
{
	double encode_s = 1e9, decode_s = 1e9;

	for (unsigned i = 0; i < NRUNS; i++) {
		struct block_view view;
		double begin = now(), middle;

		block_encode(&b->coder, recipe, raw, nbytes, &b->stored, NULL);
		middle = now();
		if (middle - begin < encode_s)
			encode_s = middle - begin;
		view = (struct block_view){
			.description = b->stored.description.data,
			.description_nbytes = b->stored.description.nbytes,
			.payload = b->stored.payload.data,
			.payload_nbytes = b->stored.payload.nbytes,
		};
		block_decode(&b->coder, &view, b->out, nbytes, NULL);
		if (now() - middle < decode_s)
			decode_s = now() - middle;
		if (memcmp(b->out, raw, nbytes) != 0) {
			fputs("decoded bytes differ\n", stderr);
			exit(1);
		}
		decode_s = decode_s < 1e-9 ? 1e-9 : decode_s;
	}
	f->raw += (double)nbytes;
	f->stored += (double)(b->stored.description.nbytes +
			      b->stored.payload.nbytes + 46);
	f->encode_s += encode_s;
	f->decode_s += decode_s;
}

static void add(struct figures *to, const struct figures *f)
{
	to->raw += f->raw;
	to->stored += f->stored;
	to->encode_s += f->encode_s;
	to->decode_s += f->decode_s;
}

/* All recipes; those that do not apply count as shuffle. */
static void run_variable(struct bench *b, const struct variable *v,
			 struct figures *total)
{
	struct figures best = { 0 }, shuffle = { 0 };

	for (size_t w = 0; w < NWAYS; w++) {
		struct figures f = { 0 };
		struct block_recipe recipe;

		if (make_recipe(v, &ways[w], &recipe))
			for (size_t at = 0; at < v->nbytes; at += BLOCK_NBYTES)
				run_block(b, &recipe, v->raw + at,
					  v->nbytes - at < BLOCK_NBYTES ?
						  v->nbytes - at :
						  BLOCK_NBYTES,
					  &f);
		else
			f = shuffle;
		if (w == 1)
			shuffle = f;
		if (w == 0 || f.stored < best.stored)
			best = f;
		add(&total[w], &f);
	}
	add(&total[NWAYS], &best);
}

static uint8_t *read_file(const char *name, size_t *nbytes_ret)
{
	FILE *file = fopen(name, "rb");
	struct buffer all = { 0 };
	static uint8_t some[1 << 16];
	size_t n;

	while (file && (n = fread(some, 1, sizeof(some), file)) > 0)
		if (!buffer_append(&all, some, n))
			exit(1);
	if (file)
		fclose(file);
	*nbytes_ret = all.nbytes;
	return all.data;
}

/* Bytes of one record of all record variables. */
static size_t record_nbytes(const struct classic_header *h)
{
	uint64_t sum = 0, n = 0, nvars = 0, last = 0;

	for (size_t i = 0; i < h->nvars; i++)
		if (classic_var_is_record(h, &h->vars[i]) &&
		    classic_var_nelems(h, &h->vars[i], &n)) {
			last = n * classic_type_nbytes(h->vars[i].type);
			sum += (last + 3) / 4 * 4;
			nvars++;
		}
	return (size_t)(nvars == 1 ? last : sum);
}

/* The values of a variable, its records joined; false if it has too few. */
static bool load_variable(const struct classic_header *h,
			  const struct classic_var *var, const uint8_t *file,
			  size_t file_nbytes, struct variable *v)
{
	bool is_record = classic_var_is_record(h, var);
	uint64_t nelems, nparts = is_record ? h->numrecs : 1;
	size_t part, step = record_nbytes(h);

	*v = (struct variable){ .width = classic_type_nbytes(var->type) };
	v->is_float = var->type == CLASSIC_FLOAT || var->type == CLASSIC_DOUBLE;
	if (var->type == CLASSIC_CHAR || !classic_var_nelems(h, var, &nelems))
		return false;
	part = (size_t)nelems * v->width;
	if (part == 0 || part * nparts < VARIABLE_NBYTES_MIN)
		return false;
	v->raw = malloc(part * nparts);
	for (uint64_t i = 0; v->raw && i < nparts; i++) {
		uint64_t at = var->begin + i * step;

		if (at + part > file_nbytes)
			break;
		memcpy(v->raw + v->nbytes, file + at, part);
		v->nbytes += part;
	}
	if (var->ndims > 1)
		v->row = (uint32_t)h->dims[var->dimids[var->ndims - 1]].length;
	if (var->ndims > 2)
		v->plane =
			v->row *
			(uint32_t)h->dims[var->dimids[var->ndims - 2]].length;
	return v->nbytes > 0;
}

static void print(const char *name, const struct figures *f)
{
	printf("  %-20s %8.2f %8.0f %8.0f\n", name, f->raw / f->stored,
	       f->raw / f->encode_s / 1e6, f->raw / f->decode_s / 1e6);
}

static void run_file(struct bench *b, const char *name)
{
	struct figures total[NWAYS + 1] = { { 0 } };
	struct classic_header h = { 0 };
	size_t nbytes;
	uint8_t *file = read_file(name, &nbytes);
	bool more;

	if (!file || classic_header_parse(file, nbytes, true, &h, &more,
					  NULL) != NC3Z_OK) {
		printf("%s: no classic file\n", name);
		free(file);
		return;
	}
	for (size_t i = 0; i < h.nvars; i++) {
		struct variable v;

		if (load_variable(&h, &h.vars[i], file, nbytes, &v))
			run_variable(b, &v, total);
		free(v.raw);
	}
	printf("%s, %.1f MB\n  %-20s %8s %8s %8s\n", name, total[0].raw / 1e6,
	       "", "ratio", "encode", "decode");
	for (size_t w = 0; total[0].raw > 0 && w < NWAYS; w++)
		print(ways[w].name, &total[w]);
	if (total[0].raw > 0)
		print("best", &total[NWAYS]);
	classic_header_release(&h);
	free(file);
}

int main(int argc, char **argv)
{
	static struct bench bench;

	for (int i = 1; i < argc; i++)
		run_file(&bench, argv[i]);
	block_coder_release(&bench.coder);
	block_stored_release(&bench.stored);
	return 0;
}
