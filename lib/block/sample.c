/*
 * Estimates.  Windows of the part are filtered, up to the layout, as they would
 * be in the whole part: what their predictions need of it is gathered.  Then
 * they are put together, laid out and encoded: they have seen their true
 * neighbours, and the codec sees what is typical.
 */
#include <string.h>

#include "block/internal.h"

#define NWINDOWS 4

struct sample {
	const struct filter_chain *chain;
	size_t width;
	size_t n;           /* elements of the part */
	size_t window;      /* elements in a window */
	const uint8_t *raw; /* the part, big-endian */
};

/* In the middle of each quarter, from the start of a row. */
static size_t window_start(const struct sample *s, unsigned window)
{
	size_t unit = filter_layout_unit(s->chain);
	size_t middle = s->n / (2 * NWINDOWS) * (2 * window + 1);
	size_t start = middle > s->window / 2 ? middle - s->window / 2 : 0;

	if (start > s->n - s->window)
		start = s->n - s->window;
	return start / unit * unit;
}

/* Whole rows; everything if a part has few of them. */
static void choose_windows(struct sample *s, size_t sample_nbytes)
{
	size_t unit = filter_layout_unit(s->chain);
	size_t wanted = sample_nbytes / s->width / NWINDOWS;

	s->window = wanted > unit ? wanted / unit * unit : unit;
	if (s->window > s->n / NWINDOWS || s->n * s->width <= sample_nbytes)
		s->window = s->n;
}

static unsigned count_windows(const struct sample *s)
{
	return s->window == s->n ? 1 : NWINDOWS;
}

/* Elements of all windows. */
static size_t count_elems(const struct sample *s)
{
	return count_windows(s) * s->window;
}

/* The steps before the layout, for one window. */
static void predict(struct block_coder *coder, const struct sample *s,
		    const struct block_gathering *g, size_t first, uint8_t *out)
{
	const size_t n = block_gathering_nelems(g);
	const struct filter_elems elems = {
		.width = (uint8_t)s->width,
		.n = n,
		.nkept = n,
	};
	uint8_t *place = filter_place(&g->chain, coder->filtered.data,
				      coder->scratch.data);
	const uint8_t *done;

	block_gather(g, s->raw, s->width, first, block_gathering_zero(g),
		     place);
	filter_load(elems.width, place, n, place);
	done = filter_predict(&g->chain, &elems, coder->filtered.data,
			      coder->scratch.data);
	memcpy(out, done + (n - s->window) * s->width, s->window * s->width);
}

/* Puts the filtered windows together. */
static int collect(struct block_coder *coder, const struct sample *s,
		   uint8_t *out, struct nc3z_error *err)
{
	size_t nbytes = s->window * s->width, gathered_nbytes;
	struct block_gathering g;

	block_gathering_init(&g, s->chain, s->window, s->window == s->n);
	gathered_nbytes = block_gathering_nelems(&g) * s->width;
	if (!buffer_reserve(&coder->filtered, gathered_nbytes) ||
	    !buffer_reserve(&coder->scratch, gathered_nbytes))
		return error_set_memory(err);
	for (unsigned i = 0; i < count_windows(s); i++) {
		size_t first = window_start(s, i);

		if (s->chain->nsteps == 0)
			memcpy(out + i * nbytes, s->raw + first * s->width,
			       nbytes);
		else
			predict(coder, s, &g, first, out + i * nbytes);
	}
	return NC3Z_OK;
}

/* Encodes the windows; '*nbytes_ret' is for all of the part. */
static int encode_windows(struct block_coder *coder, const struct sample *s,
			  const struct block_recipe *recipe, size_t *nbytes_ret,
			  struct nc3z_error *err)
{
	struct codec_settings how = {
		.codec = recipe->codec,
		.level = recipe->level,
	};
	const uint8_t width = (uint8_t)s->width;
	size_t n = count_elems(s), nbytes = n * width, got = 0;
	uint8_t *out, *scratch;

	if (!buffer_reserve(&coder->sample, 2 * nbytes))
		return error_set_memory(err);
	out = coder->sample.data;
	scratch = out + nbytes;
	NC3Z_TRY(collect(coder, s, filter_layout_place(s->chain, out, scratch),
			 err));
	if (s->chain->nsteps > 0)
		filter_lay_out(s->chain, width, n, out, scratch);
	how.plane_nbytes = filter_plane_nbytes(s->chain, width, nbytes);
	coder->coded.nbytes = 0;
	NC3Z_TRY(block_encode_smaller(coder, &how, out, nbytes, &coder->coded,
				      &got, err));
	if (got == 0)
		got = nbytes;
	*nbytes_ret = (size_t)((uint64_t)got * s->n / n);
	return NC3Z_OK;
}

int block_sample(struct block_coder *coder,
		 const struct block_prepared *prepared,
		 const struct block_recipe *recipe, size_t sample_nbytes,
		 size_t *nbytes_ret, struct nc3z_error *err)
{
	struct block_description d = prepared->description;
	struct block_part *part = &d.parts[0];
	struct sample s = { .chain = &recipe->chain };
	size_t nbytes = 0;

	coder->coded.nbytes = 0;
	if (d.nparts > 0) {
		part->chain = recipe->chain;
		s.width = part->width;
		s.n = part->nbytes / part->width;
	}
	if (!block_description_write(&d, &coder->coded))
		return error_set_memory(err);
	*nbytes_ret = coder->coded.nbytes;
	if (s.n == 0)
		return NC3Z_OK;
	choose_windows(&s, sample_nbytes);
	s.raw = prepared->raw;
	NC3Z_TRY(encode_windows(coder, &s, recipe, &nbytes, err));
	*nbytes_ret += nbytes;
	return NC3Z_OK;
}
