/* SPDX-License-Identifier: MIT */
/*
 * How far the chooser is from the best that there is:
 *
 *	bench_chooser [-l LEVEL] FILE...
 *
 * The first blocks of each stream, as packing makes them, are encoded with
 * what the chooser finds and with every recipe that it could have found: all
 * sets of splitting steps, all predictions, each with all layouts, at the same
 * codec and level.  For each file: blocks, bytes with the chooser's recipes and
 * with the smallest ones, how much is lost, also to faster reading, and MB/s of
 * searching and of encoding on one core.  The last line has the geometric mean.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "choose/candidates.h"
#include "choose/choose.h"
#include "plan/shape.h"
#include "write/sorter.h"

#define NBLOCKS_MAX 2 /* of each stream */

struct bench {
	struct choose_settings settings;
	struct chooser chooser;
	struct block_stored stored;
	const struct plan_hint *hints;
	/* Of the file: */
	size_t nblocks;
	double raw, chosen, best;
	double search_s, encode_s;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct choose_input input_of(const struct plan_hint *h,
				    const uint8_t *raw, size_t nbytes)
{
	return (struct choose_input){
		.hint = { .width = h->width,
			  .is_float = h->is_float,
			  .is_text = h->is_text,
			  .row_nelems = h->row_nelems,
			  .plane_nelems = h->plane_nelems },
		.raw = raw,
		.raw_nbytes = nbytes,
	};
}

static size_t encoded_nbytes(struct bench *b, const struct block_recipe *r)
{
	if (block_encode_prepared(&b->chooser.coder, &b->chooser.prepared, r,
				  &b->stored, NULL) != NC3Z_OK)
		exit(1);
	return b->stored.description.nbytes + b->stored.payload.nbytes;
}

/* All chains for the main part as it was prepared. */
static void list_all(struct bench *b, const struct choose_input *in,
		     struct recipe_candidates *all)
{
	const struct block_description *d = &b->chooser.prepared.description;
	const struct block_part *part = &d->parts[d->nparts - 1];
	struct candidates_input ci = {
		.width = part->width,
		.is_float = in->hint.is_float && d->nsplits == 0,
		.nelems = part->nbytes / part->width,
		.row_nelems = in->hint.row_nelems,
		.plane_nelems = in->hint.plane_nelems,
	};
	unsigned npredictions;

	if (d->nsplits == 1 &&
	    (d->splits[0].id == BLOCK_DROP || d->splits[0].id == BLOCK_REPEAT))
		ci.is_float = in->hint.is_float;
	all->count = 0;
	if (in->hint.is_text)
		candidates_add_text(all);
	else
		candidates_add_predictions(&ci, false, all);
	if (!in->hint.is_text && !block_has_integers(&b->chooser.prepared))
		candidates_add_extrapolations(&ci, all);
	npredictions = all->count;
	for (unsigned i = 0; i < npredictions && !in->hint.is_text; i++)
		if (all->list[i].chain.nsteps > 1)
			candidates_add_layouts(&ci, &all->list[i].chain, all);
}

static size_t best_nbytes(struct bench *b, const struct choose_input *in,
			  struct block_recipe recipe)
{
	static const uint8_t sets[] = {
		0,
		BLOCK_TRANSFORM_DROP,
		BLOCK_TRANSFORM_DECIMAL,
		BLOCK_TRANSFORM_PALETTE,
		BLOCK_TRANSFORM_DROP | BLOCK_TRANSFORM_DECIMAL,
		BLOCK_TRANSFORM_DROP | BLOCK_TRANSFORM_PALETTE,
		BLOCK_TRANSFORM_REPEAT,
		BLOCK_TRANSFORM_REPEAT | BLOCK_TRANSFORM_DECIMAL,
	};
	size_t best = SIZE_MAX;

	for (size_t set = 0; set < sizeof(sets); set++) {
		struct recipe_candidates all;

		recipe.transforms = sets[set];
		if (block_prepare(&b->chooser.coder, &recipe, in->raw,
				  in->raw_nbytes, &b->chooser.prepared,
				  NULL) != NC3Z_OK)
			exit(1);
		if (block_is_constant(&b->chooser.prepared))
			return encoded_nbytes(b, &recipe);
		list_all(b, in, &all);
		for (unsigned i = 0; i < all.count; i++) {
			size_t nbytes;

			recipe.chain = all.list[i].chain;
			nbytes = encoded_nbytes(b, &recipe);
			best = nbytes < best ? nbytes : best;
		}
	}
	return best;
}

static int take(void *context, uint32_t stream, uint32_t block, uint8_t *raw,
		size_t nbytes, struct nc3z_error *err)
{
	struct bench *b = context;
	struct choose_input in = input_of(&b->hints[stream], raw, nbytes);
	struct choose_result choice = { .stored = &b->stored,
					.nbytes = SIZE_MAX };
	struct choose_recipes found;
	double begin = now(), middle;
	int status = NC3Z_OK;

	if (block < NBLOCKS_MAX) {
		status = choose_recipes(&b->chooser, &b->settings, &in, &found,
					err);
		middle = now();
		if (status == NC3Z_OK)
			status = choose_smallest(&b->chooser, &in, &found,
						 &choice, err);
		b->search_s += middle - begin;
		b->encode_s += now() - middle;
		b->raw += (double)nbytes;
		b->chosen += (double)choice.nbytes;
		b->best += (double)best_nbytes(b, &in, choice.recipe);
		b->nblocks++;
	}
	free(raw);
	return status;
}

/* Sorts the bytes of a file into blocks. */
static int run_blocks(struct bench *b, const struct plan *plan,
		      const struct buffer *file)
{
	struct plan_map map = { 0 };
	const struct sorter_setup setup = {
		.plan = plan,
		.max_nbytes = UINT64_MAX,
		.take = take,
		.context = b,
	};
	struct sorter spans;
	int status = sorter_init(&spans, &setup, NULL);

	if (status == NC3Z_OK)
		status = sorter_put(&spans, file->data, file->nbytes, NULL);
	if (status == NC3Z_OK)
		status = plan_map_init(&map, plan, file->nbytes, NULL);
	if (status == NC3Z_OK)
		status = sorter_end(&spans, &map, NULL);
	plan_map_release(&map);
	sorter_release(&spans);
	return status;
}

static int run_file(struct bench *b, const struct buffer *file)
{
	struct classic_header header = { 0 };
	struct layout layout = { 0 };
	struct plan_hint *hints = NULL;
	struct plan plan = { 0 };
	bool more;
	int status = classic_header_parse(file->data, file->nbytes, true,
					  &header, &more, NULL);

	if (status == NC3Z_OK)
		status = layout_of_header(&header, &layout, NULL);
	if (status == NC3Z_OK)
		status = plan_shape(&header, &layout,
				    &(struct plan_shaping){ .block_nbytes = 0 },
				    &plan, &hints, NULL);
	b->hints = hints;
	if (status == NC3Z_OK)
		status = run_blocks(b, &plan, file);
	free(hints);
	plan_release(&plan);
	layout_release(&layout);
	classic_header_release(&header);
	return status;
}

static bool read_file(const char *name, struct buffer *out)
{
	FILE *f = fopen(name, "rb");
	uint8_t bytes[65536];
	size_t got;
	bool ok = f != NULL;

	out->nbytes = 0;
	while (ok && (got = fread(bytes, 1, sizeof(bytes), f)) > 0)
		ok = buffer_append(out, bytes, got);
	if (f)
		fclose(f);
	return ok;
}

static void print_row(const struct bench *b, const char *name)
{
	const char *slash = strrchr(name, '/');

	printf("%-32.32s %5zu %9.2f %10.0f %10.0f %6.2f%% %8.1f %8.1f\n",
	       slash ? slash + 1 : name, b->nblocks, b->raw / 1e6, b->chosen,
	       b->best, 100 * (b->chosen / b->best - 1),
	       b->raw / 1e6 / b->search_s, b->raw / 1e6 / b->encode_s);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static struct bench b;
	struct buffer file = { 0 };
	double log_sum = 0, nfiles = 0;
	int first = 1, level = NC3Z_LEVEL_DEFAULT;

	if (argc > 2 && strcmp(argv[1], "-l") == 0) {
		level = atoi(argv[2]);
		first = 3;
	}
	if (first >= argc || level < 1 || level > NC3Z_LEVEL_MAX) {
		fprintf(stderr, "usage: bench_chooser [-l 1..9] FILE...\n");
		return 2;
	}
	printf("%-32s %5s %9s %10s %10s %7s %8s %8s\n", "file", "blks", "MB",
	       "chosen", "best", "lost", "search", "encode");
	for (int i = first; i < argc; i++) {
		b.settings =
			(struct choose_settings){ .effort = level,
						  .codec = NC3Z_CODEC_ZSTD };
		b.raw = b.chosen = b.best = b.search_s = b.encode_s = 0;
		b.nblocks = 0;
		if (!read_file(argv[i], &file) ||
		    run_file(&b, &file) != NC3Z_OK) {
			fprintf(stderr, "%s: not measured\n", argv[i]);
			continue;
		}
		print_row(&b, argv[i]);
		log_sum += log(b.chosen / b.best);
		nfiles++;
	}
	if (nfiles > 0)
		printf("%.0f files, lost in geometric mean: %.2f%%\n", nfiles,
		       100 * (exp(log_sum / nfiles) - 1));
	chooser_release(&b.chooser);
	block_stored_release(&b.stored);
	buffer_release(&file);
	return 0;
}
