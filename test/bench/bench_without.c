/* SPDX-License-Identifier: MIT */
/*
 * What each filter, splitting step, codec and search is worth: files packed
 * without it.
 *
 *	bench_without LEVEL FILE...
 *
 * prints a line for each file and thing: thing, file, bytes of the archive, and
 * seconds of processor time.  Functions that offer or find things are wrapped
 * (by the linker), and leave out what is not to be there.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "block/block.h"
#include "choose/candidates.h"
#include "choose/choose.h"
#include "choose/effort.h"
#include "filter/decimal.h"
#include "filter/multiple.h"
#include "nc3z.h"

/* The linker's names for the functions that are wrapped, and for ours. */
#define WRAPPED(type, name, ...) \
	type __real_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__)

struct thing {
	const char *name;
	enum nc3z_filter filter; /* 0: none */
	uint8_t transforms;
	uint8_t codecs;
	/* Predictions: */
	bool row, plane, twice;
	/* Decimal: all but powers of ten; integers that are multiples. */
	bool fractions, multiples;
	/* Searches: */
	bool layouts, whole;
};

static const struct thing things[] = {
	{ .name = "nothing" },
	{ .name = "order", .filter = NC3Z_FILTER_ORDER },
	{ .name = "extrapolate", .filter = NC3Z_FILTER_EXTRAPOLATE },
	{ .name = "delta", .filter = NC3Z_FILTER_DELTA },
	{ .name = "delta by row", .row = true },
	{ .name = "delta by plane", .plane = true },
	{ .name = "delta twice", .twice = true },
	{ .name = "shuffle", .filter = NC3Z_FILTER_SHUFFLE },
	{ .name = "bitshuffle", .filter = NC3Z_FILTER_BITSHUFFLE },
	{ .name = "drop", .transforms = BLOCK_TRANSFORM_DROP },
	{ .name = "repeat", .transforms = BLOCK_TRANSFORM_REPEAT },
	{ .name = "fraction, all", .transforms = BLOCK_TRANSFORM_DECIMAL },
	{ .name = "fraction", .fractions = true },
	{ .name = "multiple", .multiples = true },
	{ .name = "palette", .transforms = BLOCK_TRANSFORM_PALETTE },
	{ .name = "lzma beside", .codecs = 1u << NC3Z_CODEC_LZMA },
	{ .name = "other layouts", .layouts = true },
	{ .name = "measured whole", .whole = true },
};

#define NTHINGS (sizeof(things) / sizeof(*things))

/* What is missing now. */
static const struct thing *without = things;
/* Of the levels and the trials. */
static struct effort efforts[EFFORT_TRIAL_CLOSE + 1][NTHINGS];

WRAPPED(const struct effort *, effort_of, int effort)
{
	return &efforts[effort][without - things];
}

/* Before any thread is. */
static void make_efforts(void)
{
	for (int e = 0; e <= EFFORT_TRIAL_CLOSE; e++)
		for (size_t i = 0; i < NTHINGS; i++) {
			struct effort *own = &efforts[e][i];

			*own = *__real_effort_of(e);
			own->transforms &= (uint8_t)~things[i].transforms;
			own->codecs &= (uint8_t)~things[i].codecs;
			own->plain_codecs &= (uint8_t)~things[i].codecs;
			own->whole &= !things[i].whole;
			if (things[i].layouts)
				own->nlaid_out = 0;
		}
}

static bool is_left_out(const struct candidates_input *in,
			const struct filter_chain *chain)
{
	unsigned nleft = 0;

	for (unsigned i = 0; i < chain->nsteps; i++) {
		const struct filter_step *step = &chain->steps[i];
		bool is_delta = step->id == NC3Z_FILTER_DELTA;

		nleft += is_delta && step->stride == 1;
		if (without->filter && step->id == without->filter)
			return true;
		if (is_delta &&
		    ((without->row && step->stride == in->row_nelems &&
		      step->stride != 1) ||
		     (without->plane && step->stride == in->plane_nelems &&
		      step->stride != 1)))
			return true;
	}
	return without->twice && nleft > 1;
}

static void leave_out(const struct candidates_input *in,
		      struct recipe_candidates *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->count; i++)
		if (!is_left_out(in, &c->list[i].chain))
			c->list[n++] = c->list[i];
	if (n == 0)
		c->list[n++] = (struct recipe_candidate){ 0 };
	c->count = n;
}

WRAPPED(void, candidates_add_plain, const struct candidates_input *in,
	struct recipe_candidates *c)
{
	__real_candidates_add_plain(in, c);
	leave_out(in, c);
}

WRAPPED(void, candidates_add_predictions, const struct candidates_input *in,
	bool few, struct recipe_candidates *c)
{
	__real_candidates_add_predictions(in, few, c);
	leave_out(in, c);
}

WRAPPED(void, candidates_add_layouts, const struct candidates_input *in,
	const struct filter_chain *prediction, struct recipe_candidates *c)
{
	__real_candidates_add_layouts(in, prediction, c);
	leave_out(in, c);
}

WRAPPED(void, candidates_add_extrapolations, const struct candidates_input *in,
	struct recipe_candidates *c)
{
	__real_candidates_add_extrapolations(in, c);
	leave_out(in, c);
}

WRAPPED(uint64_t, decimal_find, const struct decimal_input *in)
{
	uint64_t divisor = __real_decimal_find(in);

	return divisor > 0 && without->fractions &&
			       decimal_exponent(divisor) < 0 ?
		       0 :
		       divisor;
}

WRAPPED(bool, multiple_split, const struct multiple_input *in,
	struct multiple *m_ret, void *integers)
{
	return !without->multiples &&
	       __real_multiple_split(in, m_ret, integers);
}

static bool pack(const char *path, int level)
{
	int in_fd = open(path, O_RDONLY), out_fd = open("/dev/null", O_WRONLY);
	struct nc3z_source *in = NULL;
	struct nc3z_sink *out = NULL;
	struct nc3z_pack_options options;
	struct nc3z_summary summary;
	clock_t begin = clock();
	bool ok;

	nc3z_pack_options_init(&options);
	options.level = level;
	ok = in_fd >= 0 && out_fd >= 0 &&
	     nc3z_source_open_fd(in_fd, &in, NULL) == NC3Z_OK &&
	     nc3z_sink_open_fd(out_fd, &out, NULL) == NC3Z_OK &&
	     nc3z_pack(in, out, &options, &summary, NULL) == NC3Z_OK &&
	     nc3z_sink_commit(out, NULL) == NC3Z_OK;
	if (ok)
		printf("%s\t%s\t%" PRIu64 "\t%.4f\n", without->name, path,
		       summary.archive_nbytes,
		       (double)(clock() - begin) / CLOCKS_PER_SEC);
	nc3z_sink_close(out);
	nc3z_source_close(in);
	close(in_fd);
	close(out_fd);
	return ok;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fputs("usage: bench_without LEVEL FILE...\n", stderr);
		return 2;
	}
	make_efforts();
	for (int i = 2; i < argc; i++)
		for (size_t k = 0; k < NTHINGS; k++) {
			without = &things[k];
			if (!pack(argv[i], atoi(argv[1])))
				fprintf(stderr, "%s: not packed\n", argv[i]);
			fflush(stdout);
		}
	return 0;
}
