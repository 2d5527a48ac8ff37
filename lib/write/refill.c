#include "write/refill.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"

#define WINDOW_NBYTES ((size_t)1 << 20)

/* What is read for nothing between two pieces, rather than reading twice. */
#define GAP_NBYTES ((size_t)32 << 10)

int refill_add(struct refill *refill, const struct plan_pieces *pieces,
	       uint8_t *raw, uint32_t nbytes, struct nc3z_error *err)
{
	return plan_merge_add(&refill->merge, pieces, nbytes, raw) ?
		       NC3Z_OK :
		       error_set_memory(err);
}

/* Reads the window and gives its pieces to their blocks. */
static int read_window(struct refill *refill, struct nc3z_error *err)
{
	if (refill->nbytes > 0)
		NC3Z_TRY(refill->read(refill->context, refill->begin,
				      refill->window, refill->nbytes, err));
	for (size_t i = 0; i < refill->npieces; i++) {
		const struct refill_piece *p = &refill->pieces[i];

		memcpy(p->to, refill->window + p->from, p->nbytes);
	}
	refill->npieces = 0;
	refill->nbytes = 0;
	return NC3Z_OK;
}

/* Adds to the window what it takes of a piece that begins at 'offset'. */
static int add_piece(struct refill *refill, uint64_t offset, uint8_t *to,
		     size_t nbytes, size_t *nbytes_ret, struct nc3z_error *err)
{
	uint64_t end = refill->begin + refill->nbytes;

	if (refill->npieces == REFILL_NPIECES || offset > end + GAP_NBYTES ||
	    offset - refill->begin >= WINDOW_NBYTES)
		NC3Z_TRY(read_window(refill, err));
	if (refill->npieces == 0)
		refill->begin = offset;
	offset -= refill->begin;
	nbytes = (size_t)size_min(nbytes, WINDOW_NBYTES - offset);
	refill->pieces[refill->npieces++] = (struct refill_piece){
		.to = to,
		.from = (size_t)offset,
		.nbytes = nbytes,
	};
	refill->nbytes = (size_t)offset + nbytes;
	*nbytes_ret = nbytes;
	return NC3Z_OK;
}

int refill_run(struct refill *refill, struct nc3z_error *err)
{
	struct plan_piece piece;
	void *raw;

	if (!refill->window)
		refill->window = malloc(WINDOW_NBYTES);
	if (!refill->window)
		return error_set_memory(err);
	while (plan_merge_next(&refill->merge, &piece, &raw))
		for (size_t done = 0, n; done < piece.nbytes; done += n)
			NC3Z_TRY(add_piece(refill, piece.offset + done,
					   (uint8_t *)raw + piece.block_offset +
						   done,
					   piece.nbytes - done, &n, err));
	return read_window(refill, err);
}

void refill_release(struct refill *refill)
{
	plan_merge_release(&refill->merge);
	free(refill->window);
	*refill = (struct refill){ 0 };
}
