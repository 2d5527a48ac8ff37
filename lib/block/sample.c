/* SPDX-License-Identifier: MIT */
/*
 * Estimates.  Probes of the main part are filtered, up to the layout, as they
 * would be in the whole part: what their predictions need of it is gathered.
 * Then they are put together, laid out and encoded: they have seen their true
 * neighbours, and the codec sees what is typical.  Only where a gathered piece
 * begins with holes are these bridged from elsewhere.
 */
#include <string.h>

#include "block/internal.h"

#define NPROBES 8

struct sample {
	const struct block_prepared *prepared;
	const struct filter_chain *chain;
	size_t width;
	size_t n;     /* elements of the part, holes included */
	size_t nkept; /* no holes */
	size_t probe; /* elements in a probe, holes included */
};

/*
 * One in each of NPROBES equal ranges.  Where in its
 * range a probe lies changes by the golden ratio from one to the next: at
 * equal distances all might fall on the same places of planes, the poles of a
 * map for instance, where values are missing.
 */
static size_t probe_start(const struct sample *s, unsigned probe)
{
	size_t range = s->n / NPROBES;
	uint64_t spare = range > s->probe ? range - s->probe : 0;
	uint64_t fraction = (probe + 1) * UINT64_C(618) % 1000;

	return range * probe + (size_t)(spare * fraction / 1000);
}

/* Everything, if a part has few elements. */
static void choose_windows(struct sample *s, size_t sample_nbytes)
{
	uint64_t wanted = sample_nbytes / s->width / NPROBES;

	wanted = wanted * s->n / s->nkept;
	s->probe = wanted > 1 ? (size_t)wanted : 1;
	if (s->probe > s->n / NPROBES || s->nkept * s->width <= sample_nbytes)
		s->probe = s->n;
}

static unsigned count_probes(const struct sample *s)
{
	return s->probe == s->n ? 1 : NPROBES;
}

static size_t count_kept(const uint8_t *holes, size_t n)
{
	size_t nholes = 0;

	for (size_t i = 0; i < n; i++)
		nholes += holes[i];
	return n - nholes;
}

/* Gathers elements for the probe that begins at element 'first'. */
static void gather_elems(const struct sample *s,
			 const struct block_gathering *g, size_t first,
			 uint8_t *out)
{
	bool is_split = s->prepared->description.nsplits > 0;
	const uint8_t *elems = is_split ? s->prepared->main.data :
					  s->prepared->raw;

	block_gather(g, elems, s->width, first, block_gathering_zero(g), out);
	if (!is_split)
		filter_load((uint8_t)s->width, out, block_gathering_nelems(g),
			    out);
}

/*
 * The steps before the layout, for one probe: its elements that are no holes
 * go to 'out', '*nkept_ret' of them.
 */
static void predict(struct block_coder *coder, const struct sample *s,
		    const struct block_gathering *g, size_t first, uint8_t *out,
		    size_t *nkept_ret)
{
	uint8_t *place = filter_place(&g->chain, coder->filtered.data,
				      coder->scratch.data);
	struct filter_elems elems = { .width = (uint8_t)s->width };
	const uint8_t *done;

	elems.n = elems.nkept = block_gathering_nelems(g);
	*nkept_ret = s->probe;
	gather_elems(s, g, first, place);
	if (s->prepared->has_holes) {
		uint8_t *holes = coder->holes.data;

		block_gather(g, s->prepared->holes.data, 1, first, 0, holes);
		elems.holes = holes;
		elems.nkept = count_kept(holes, elems.n);
		*nkept_ret = count_kept(holes + elems.n - s->probe, s->probe);
	}
	if (*nkept_ret == 0)
		return;
	done = filter_predict(&g->chain, &elems, coder->filtered.data,
			      coder->scratch.data);
	memcpy(out, done + (elems.nkept - *nkept_ret) * s->width,
	       *nkept_ret * s->width);
}

/* Puts the filtered probes together; '*n_ret' is how many elements. */
static int collect_sample(struct block_coder *coder, const struct sample *s,
			  uint8_t *out, size_t *n_ret, struct nc3z_error *err)
{
	struct block_gathering g;
	size_t gathered_nbytes;

	*n_ret = 0;
	block_gathering_init(&g, s->chain, s->probe, s->probe == s->n);
	gathered_nbytes = block_gathering_nelems(&g) * s->width;
	if (!buffer_reserve(&coder->filtered, gathered_nbytes) ||
	    !buffer_reserve(&coder->scratch, gathered_nbytes) ||
	    !buffer_reserve(&coder->holes, block_gathering_nelems(&g)))
		return error_set_memory(err);
	for (unsigned i = 0; i < count_probes(s); i++) {
		size_t nkept;

		predict(coder, s, &g, probe_start(s, i),
			out + *n_ret * s->width, &nkept);
		*n_ret += nkept;
	}
	return NC3Z_OK;
}

/* Encodes the probes; '*nbytes_ret' is for all of the part. */
static int encode_windows(struct block_coder *coder, const struct sample *s,
			  const struct block_recipe *recipe, size_t *nbytes_ret,
			  struct nc3z_error *err)
{
	struct codec_settings how = {
		.codec = recipe->codec,
		.level = recipe->level,
	};
	const uint8_t width = (uint8_t)s->width;
	size_t room = count_probes(s) * s->probe * width, n, got = 0;
	uint8_t *out, *scratch, *place;

	if (!buffer_reserve(&coder->sample, 2 * room))
		return error_set_memory(err);
	out = coder->sample.data;
	scratch = out + room;
	place = filter_layout_place(s->chain, out, scratch);
	NC3Z_TRY(collect_sample(coder, s, place, &n, err));
	if (n == 0) {
		*nbytes_ret = s->nkept * width;
		return NC3Z_OK;
	}
	/* Without filters, parts are big-endian. */
	if (s->chain->nsteps > 0)
		filter_lay_out(s->chain, width, n, out, scratch);
	else
		filter_store(width, out, n, out);
	how.plane_nbytes = filter_plane_nbytes(s->chain, width, n * width);
	coder->coded.nbytes = 0;
	NC3Z_TRY(block_encode_smaller(
		coder, &how, (struct block_bytes){ out, n * width, n * width },
		&coder->coded, &got, err));
	if (got == 0)
		got = n * width;
	*nbytes_ret = (size_t)((uint64_t)got * s->nkept / n);
	return NC3Z_OK;
}

/* The bytes of a block other than its main part. */
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
	struct sample s = { .prepared = prepared, .chain = &chain };
	size_t nbytes = 0;

	block_main_chain(prepared, recipe, &chain);
	NC3Z_TRY(count_rest(coder, prepared, &chain, nbytes_ret, err));
	if (d->nparts == 0)
		return NC3Z_OK;
	part = &d->parts[d->nparts - 1];
	s.width = part->width;
	s.nkept = part->nbytes / part->width;
	s.n = prepared->has_holes ? prepared->nelems : s.nkept;
	if (s.nkept == 0)
		return NC3Z_OK;
	choose_windows(&s, sample_nbytes);
	NC3Z_TRY(encode_windows(coder, &s, recipe, &nbytes, err));
	*nbytes_ret += nbytes;
	return NC3Z_OK;
}
