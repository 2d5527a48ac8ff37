/*
 * Chains: load, the steps one after the other, the layout.  The elements lie
 * in one of two buffers; delta moves them from one to the other on the way in,
 * all other steps work in place.  So it is known from the chain where they
 * must begin to end where the layout wants them.
 *
 * Elements with holes go through the steps at their places, so that neighbours
 * are found by their distance; they move together for the layout only.
 */
#include "filter/filter.h"

#include <string.h>

#include "filter/kernels.h"

/* Planes below this are not worth a new start of the codec. */
#define ROW_PLANE_NBYTES_MIN 4096

const char *filter_name(uint8_t id)
{
	switch (id) {
	case FILTER_ORDER:
		return "order";
	case FILTER_DELTA:
		return "delta";
	case FILTER_ZIGZAG:
		return "zigzag";
	case FILTER_SHUFFLE:
		return "shuffle";
	case FILTER_BITSHUFFLE:
		return "bitshuffle";
	case FILTER_TRANSPOSE:
		return "transpose";
	default:
		return NULL;
	}
}

bool filter_has_stride(uint8_t id)
{
	return id == FILTER_DELTA || id == FILTER_TRANSPOSE;
}

bool filter_width_valid(uint8_t width)
{
	return width == 1 || width == 2 || width == 4 || width == 8;
}

bool filter_is_layout(uint8_t id)
{
	return id == FILTER_SHUFFLE || id == FILTER_BITSHUFFLE ||
	       id == FILTER_TRANSPOSE;
}

bool filter_chain_valid(const struct filter_chain *chain)
{
	if (chain->nsteps > FILTER_STEPS_MAX)
		return false;
	for (unsigned i = 0; i < chain->nsteps; i++) {
		const struct filter_step *step = &chain->steps[i];

		if (!filter_name(step->id))
			return false;
		if (filter_has_stride(step->id) != (step->stride != 0))
			return false;
		if (step->id == FILTER_ORDER && i != 0)
			return false;
		if (filter_is_layout(step->id) && i + 1u != chain->nsteps)
			return false;
	}
	return true;
}

void filter_chain_add(struct filter_chain *chain, enum filter_id id,
		      uint32_t stride)
{
	chain->steps[chain->nsteps++] =
		(struct filter_step){ .id = (uint8_t)id, .stride = stride };
}

/* The last step, 0 if there is none. */
static uint8_t last_step(const struct filter_chain *chain)
{
	return chain->nsteps > 0 ? chain->steps[chain->nsteps - 1].id : 0;
}

/* Of the last step, which is transpose. */
static uint64_t row_nbytes_of(const struct filter_chain *chain, uint8_t width)
{
	return (uint64_t)chain->steps[chain->nsteps - 1].stride * width;
}

size_t filter_plane_nbytes(const struct filter_chain *chain, uint8_t width,
			   size_t nbytes)
{
	uint64_t nrows;

	switch (last_step(chain)) {
	case FILTER_SHUFFLE:
		return nbytes / width;
	case FILTER_TRANSPOSE:
		nrows = nbytes / row_nbytes_of(chain, width);
		return nrows < ROW_PLANE_NBYTES_MIN ? 0 : (size_t)nrows;
	default:
		return 0;
	}
}

static unsigned count_deltas(const struct filter_chain *chain)
{
	unsigned count = 0;

	for (unsigned i = 0; i < chain->nsteps; i++)
		count += chain->steps[i].id == FILTER_DELTA;
	return count;
}

/*
 * Where the layout wants the elements.  Bitshuffle goes through the other
 * buffer, little-endian bytes are made in place.
 */
static bool lays_out_from_scratch(const struct filter_chain *chain)
{
	return last_step(chain) == FILTER_SHUFFLE ||
	       last_step(chain) == FILTER_TRANSPOSE;
}

void *filter_place(const struct filter_chain *chain, uint8_t *out,
		   uint8_t *scratch)
{
	/* Each delta changes the buffer. */
	bool in_scratch = (count_deltas(chain) % 2 != 0) !=
			  lays_out_from_scratch(chain);

	return in_scratch ? scratch : out;
}

void *filter_layout_place(const struct filter_chain *chain, uint8_t *out,
			  uint8_t *scratch)
{
	return lays_out_from_scratch(chain) ? scratch : out;
}

uint32_t filter_layout_unit(const struct filter_chain *chain)
{
	return last_step(chain) == FILTER_TRANSPOSE ?
		       chain->steps[chain->nsteps - 1].stride :
		       1;
}

/* Bridges holes for the first delta, clears them for those after it. */
static void prepare_holes(const struct filter_elems *e, unsigned ndeltas,
			  void *elems)
{
	const struct hole_kernels *h = hole_kernels(e->width);

	if (ndeltas == 0)
		h->bridge(elems, e->n, e->holes);
	else
		h->clear(elems, e->n, e->holes);
}

void *filter_predict(const struct filter_chain *chain,
		     const struct filter_elems *e, uint8_t *out,
		     uint8_t *scratch)
{
	const struct filter_kernels *k = filter_kernels(e->width);
	uint8_t *elems = filter_place(chain, out, scratch);
	unsigned ndeltas = 0;

	for (unsigned i = 0; i < chain->nsteps; i++) {
		const struct filter_step *step = &chain->steps[i];
		uint8_t *other = elems == out ? scratch : out;

		switch (step->id) {
		case FILTER_ORDER:
			k->order(elems, e->n);
			break;
		case FILTER_DELTA:
			if (e->holes)
				prepare_holes(e, ndeltas, elems);
			k->delta(elems, e->n, step->stride, other);
			if (e->holes && ndeltas == 0)
				hole_kernels(e->width)->copy_first(
					elems, e->n, e->holes, other);
			elems = other;
			ndeltas++;
			break;
		case FILTER_ZIGZAG:
			k->zigzag(elems, e->n);
			break;
		default:
			break;
		}
	}
	if (e->holes)
		hole_kernels(e->width)->compact(elems, e->n, e->holes);
	return elems;
}

static void bitshuffle(const struct filter_kernels *k, uint8_t width, size_t n,
		       uint8_t *elems, uint8_t *scratch)
{
	size_t whole = n / 8 * 8;

	/* The elements and the result share a buffer. */
	k->shuffle(elems, whole, scratch);
	split_bits(scratch, width, whole, elems);
	k->store_le(elems + whole * width, n - whole, elems + whole * width);
}

static void unbitshuffle(const struct filter_kernels *k,
			 const struct filter_elems *e, const uint8_t *coded,
			 uint8_t *elems, uint8_t *scratch)
{
	size_t whole = e->nkept / 8 * 8, at = whole * e->width;

	join_bits(coded, e->width, whole, scratch);
	k->unshuffle(scratch, whole, elems);
	k->load_le(coded + at, e->nkept - whole, elems + at);
}

/* 'nbytes' bytes of elements; those after the last whole row stay. */
static void transpose(uint64_t row_nbytes, const uint8_t *in, size_t nbytes,
		      uint8_t *out)
{
	size_t nrows = (size_t)(nbytes / row_nbytes), whole;

	if (nrows == 0)
		row_nbytes = 0;
	whole = nrows * (size_t)row_nbytes;
	transpose_bytes(in, nrows, (size_t)row_nbytes, out);
	memcpy(out + whole, in + whole, nbytes - whole);
}

static void untranspose(uint64_t row_nbytes, const uint8_t *in, size_t nbytes,
			uint8_t *out)
{
	size_t nrows = (size_t)(nbytes / row_nbytes), whole;

	if (nrows == 0)
		row_nbytes = 0;
	whole = nrows * (size_t)row_nbytes;
	transpose_bytes(in, (size_t)row_nbytes, nrows, out);
	memcpy(out + whole, in + whole, nbytes - whole);
}

void filter_lay_out(const struct filter_chain *chain, uint8_t width, size_t n,
		    uint8_t *out, uint8_t *scratch)
{
	const struct filter_kernels *k = filter_kernels(width);

	switch (last_step(chain)) {
	case FILTER_SHUFFLE:
		k->shuffle(scratch, n, out);
		break;
	case FILTER_BITSHUFFLE:
		bitshuffle(k, width, n, out, scratch);
		break;
	case FILTER_TRANSPOSE:
		k->store_le(scratch, n, scratch);
		transpose(row_nbytes_of(chain, width), scratch, n * width, out);
		break;
	default:
		k->store_le(out, n, out);
		break;
	}
}

void filter_load(uint8_t width, const uint8_t *bytes, size_t n, void *elems)
{
	filter_kernels(width)->load_be(bytes, n, elems);
}

void filter_store(uint8_t width, const void *elems, size_t n, uint8_t *bytes)
{
	filter_kernels(width)->store_be(elems, n, bytes);
}

void filter_apply(const struct filter_chain *chain, uint8_t width,
		  const uint8_t *raw, size_t nbytes, uint8_t *out,
		  uint8_t *scratch)
{
	size_t n = nbytes / width, tail = nbytes % width;
	const struct filter_elems elems = { .width = width, .n = n };

	if (chain->nsteps == 0) {
		memcpy(out, raw, nbytes);
		return;
	}
	filter_kernels(width)->load_be(raw, n,
				       filter_place(chain, out, scratch));
	filter_predict(chain, &elems, out, scratch);
	filter_lay_out(chain, width, n, out, scratch);
	memcpy(out + nbytes - tail, raw + nbytes - tail, tail);
}

/* Undoes the layout: nkept elements. */
static void gather(const struct filter_chain *chain,
		   const struct filter_elems *e, const uint8_t *coded,
		   void *elems, void *scratch)
{
	const struct filter_kernels *k = filter_kernels(e->width);

	switch (last_step(chain)) {
	case 0:
		k->load_be(coded, e->nkept, elems);
		break;
	case FILTER_SHUFFLE:
		k->unshuffle(coded, e->nkept, elems);
		break;
	case FILTER_BITSHUFFLE:
		unbitshuffle(k, e, coded, elems, scratch);
		break;
	case FILTER_TRANSPOSE:
		untranspose(row_nbytes_of(chain, e->width), coded,
			    e->nkept * e->width, elems);
		k->load_le(elems, e->nkept, elems);
		break;
	default:
		k->load_le(coded, e->nkept, elems);
		break;
	}
}

/* Undoes a delta, the 'before'-th of its chain, counted from 0. */
static void undo_delta(const struct filter_elems *e, uint32_t stride,
		       unsigned before, void *elems)
{
	const struct hole_kernels *h = hole_kernels(e->width);

	/* With a stride of 1, a bridge is the sum of differences of 0. */
	if (!e->holes || (before == 0 && stride == 1))
		filter_kernels(e->width)->undelta(elems, e->n, stride);
	else if (before == 0)
		h->undelta_bridged(elems, e->n, stride, e->holes);
	else
		h->undelta_cleared(elems, e->n, stride, e->holes);
}

void filter_restore(const struct filter_chain *chain,
		    const struct filter_elems *e, const uint8_t *coded,
		    void *out, void *scratch)
{
	const struct filter_kernels *k = filter_kernels(e->width);
	unsigned ndeltas = count_deltas(chain);

	gather(chain, e, coded, out, scratch);
	if (e->holes)
		hole_kernels(e->width)->expand(out, e->nkept, e->n, e->holes);
	for (unsigned i = chain->nsteps; i-- > 0;) {
		switch (chain->steps[i].id) {
		case FILTER_ORDER:
			k->unorder(out, e->n);
			break;
		case FILTER_DELTA:
			undo_delta(e, chain->steps[i].stride, --ndeltas, out);
			break;
		case FILTER_ZIGZAG:
			k->unzigzag(out, e->n);
			break;
		default:
			break;
		}
	}
}

void filter_clear_holes(uint8_t width, void *elems, size_t n,
			const uint8_t *holes)
{
	hole_kernels(width)->clear(elems, n, holes);
}

void filter_invert(const struct filter_chain *chain, uint8_t width,
		   const uint8_t *coded, size_t nbytes, uint8_t *raw,
		   uint8_t *scratch)
{
	size_t n = nbytes / width, tail = nbytes % width;
	const struct filter_elems elems = { .width = width,
					    .n = n,
					    .nkept = n };

	if (chain->nsteps == 0) {
		memcpy(raw, coded, nbytes);
		return;
	}
	/* The result's place serves as the other buffer. */
	filter_restore(chain, &elems, coded, scratch, raw);
	filter_kernels(width)->store_be(scratch, n, raw);
	memcpy(raw + nbytes - tail, coded + nbytes - tail, tail);
}
