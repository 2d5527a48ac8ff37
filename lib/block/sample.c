/*
 * Estimates.  The steps before the layout run over the whole part, which is
 * cheap; then windows of the result are put together, laid out and encoded:
 * they have seen their true neighbours, and the codec sees what is typical.
 */
#include <string.h>

#include "block/internal.h"

#define NWINDOWS 4

struct sample {
	const struct filter_chain *chain;
	size_t width;
	size_t n;           /* elements of the part */
	size_t window;      /* elements in a window */
	const uint8_t *all; /* after the steps before the layout */
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

/* Puts the windows together. */
static void collect(const struct sample *s, uint8_t *out)
{
	size_t nbytes = s->window * s->width;

	for (unsigned i = 0; i < count_windows(s); i++)
		memcpy(out + i * nbytes, s->all + window_start(s, i) * s->width,
		       nbytes);
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
	collect(s, filter_layout_place(s->chain, out, scratch));
	if (s->chain->nsteps > 0)
		filter_lay_out(s->chain, width, n, out, scratch);
	how.plane_nbytes = filter_plane_nbytes(s->chain, width, nbytes);
	coder->coded.nbytes = 0;
	NC3Z_TRY(block_encode_smaller(coder, &how,
				      (struct block_bytes){ out, nbytes },
				      &coder->coded, &got, err));
	if (got == 0)
		got = nbytes;
	*nbytes_ret = (size_t)((uint64_t)got * s->n / n);
	return NC3Z_OK;
}

/* What is there without looking at the main part. */
static int count_rest(struct block_coder *coder,
		      const struct block_prepared *prepared,
		      const struct filter_chain *chain, size_t *nbytes_ret,
		      struct nc3z_error *err)
{
	struct block_description d = prepared->description;

	if (d.nparts > 0)
		d.parts[d.nparts - 1].chain = *chain;
	coder->coded.nbytes = 0;
	if (!block_description_write(&d, &coder->coded))
		return error_set_memory(err);
	*nbytes_ret = coder->coded.nbytes + prepared->sides.nbytes;
	return NC3Z_OK;
}

int block_sample(struct block_coder *coder,
		 const struct block_prepared *prepared,
		 const struct block_recipe *recipe, size_t sample_nbytes,
		 size_t *nbytes_ret, struct nc3z_error *err)
{
	const struct block_description *d = &prepared->description;
	const struct block_part *part;
	struct filter_chain chain;
	struct sample s = { .chain = &chain };
	size_t nbytes = 0;

	block_main_chain(prepared, recipe, &chain);
	NC3Z_TRY(count_rest(coder, prepared, &chain, nbytes_ret, err));
	if (d->nparts == 0)
		return NC3Z_OK;
	part = &d->parts[d->nparts - 1];
	s.width = part->width;
	s.n = part->nbytes / part->width;
	if (s.n == 0)
		return NC3Z_OK;
	choose_windows(&s, sample_nbytes);
	NC3Z_TRY(block_predict(coder, prepared, &chain, &s.all, err));
	NC3Z_TRY(encode_windows(coder, &s, recipe, &nbytes, err));
	*nbytes_ret += nbytes;
	return NC3Z_OK;
}
