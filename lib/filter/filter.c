/*
 * Chains: load, the steps one after the other, store.  The elements lie in
 * one of two buffers; delta moves them from one to the other on the way in,
 * all other steps work in place.  Shuffle is the last step and takes the place
 * of the store (or the load, on the way back).
 */
#include "filter/filter.h"

#include <string.h>

#include "filter/kernels.h"

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
	default:
		return NULL;
	}
}

bool filter_width_valid(uint8_t width)
{
	return width == 1 || width == 2 || width == 4 || width == 8;
}

bool filter_chain_valid(const struct filter_chain *chain)
{
	if (chain->nsteps > FILTER_STEPS_MAX)
		return false;
	for (unsigned i = 0; i < chain->nsteps; i++) {
		const struct filter_step *step = &chain->steps[i];

		if (!filter_name(step->id))
			return false;
		if ((step->id == FILTER_DELTA) != (step->stride != 0))
			return false;
		if (step->id == FILTER_ORDER && i != 0)
			return false;
		if (step->id == FILTER_SHUFFLE && i + 1u != chain->nsteps)
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

static bool ends_in_shuffle(const struct filter_chain *chain)
{
	return chain->nsteps > 0 &&
	       chain->steps[chain->nsteps - 1].id == FILTER_SHUFFLE;
}

static unsigned count_deltas(const struct filter_chain *chain)
{
	unsigned count = 0;

	for (unsigned i = 0; i < chain->nsteps; i++)
		count += chain->steps[i].id == FILTER_DELTA;
	return count;
}

/* Applies all steps but shuffle to n elements; returns where they then are. */
static void *apply_steps(const struct filter_chain *chain,
			 const struct filter_kernels *k, size_t n, void *elems,
			 void *other)
{
	for (unsigned i = 0; i < chain->nsteps; i++) {
		const struct filter_step *step = &chain->steps[i];
		void *swap = elems;

		switch (step->id) {
		case FILTER_ORDER:
			k->order(elems, n);
			break;
		case FILTER_DELTA:
			k->delta(elems, n, step->stride, other);
			elems = other;
			other = swap;
			break;
		case FILTER_ZIGZAG:
			k->zigzag(elems, n);
			break;
		default:
			break;
		}
	}
	return elems;
}

void filter_apply(const struct filter_chain *chain, uint8_t width,
		  const uint8_t *raw, size_t nbytes, uint8_t *out,
		  uint8_t *scratch)
{
	const struct filter_kernels *k = filter_kernels(width);
	size_t n = nbytes / width, tail = nbytes % width;
	bool in_scratch;
	void *elems;

	if (chain->nsteps == 0) {
		memcpy(out, raw, nbytes);
		return;
	}
	/* Each delta changes the buffer: end where the last step wants it. */
	in_scratch = (count_deltas(chain) % 2 != 0) != ends_in_shuffle(chain);
	elems = in_scratch ? scratch : out;
	k->load_be(raw, n, elems);
	elems = apply_steps(chain, k, n, elems, in_scratch ? out : scratch);
	if (ends_in_shuffle(chain))
		k->shuffle(elems, n, out);
	else
		k->store_le(elems, n, out);
	memcpy(out + nbytes - tail, raw + nbytes - tail, tail);
}

/* Undoes all steps but shuffle, in place, the last one first. */
static void invert_steps(const struct filter_chain *chain,
			 const struct filter_kernels *k, size_t n, void *elems)
{
	for (unsigned i = chain->nsteps; i-- > 0;) {
		const struct filter_step *step = &chain->steps[i];

		switch (step->id) {
		case FILTER_ORDER:
			k->unorder(elems, n);
			break;
		case FILTER_DELTA:
			k->undelta(elems, n, step->stride);
			break;
		case FILTER_ZIGZAG:
			k->unzigzag(elems, n);
			break;
		default:
			break;
		}
	}
}

void filter_invert(const struct filter_chain *chain, uint8_t width,
		   const uint8_t *coded, size_t nbytes, uint8_t *raw,
		   uint8_t *scratch)
{
	const struct filter_kernels *k = filter_kernels(width);
	size_t n = nbytes / width, tail = nbytes % width;

	if (chain->nsteps == 0) {
		memcpy(raw, coded, nbytes);
		return;
	}
	if (ends_in_shuffle(chain))
		k->unshuffle(coded, n, scratch);
	else
		k->load_le(coded, n, scratch);
	invert_steps(chain, k, n, scratch);
	k->store_be(scratch, n, raw);
	memcpy(raw + nbytes - tail, coded + nbytes - tail, tail);
}
