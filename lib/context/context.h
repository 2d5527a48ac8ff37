/* SPDX-License-Identifier: MIT */
/*
 * Context coding: the codec for integers of a field, which knows rows and
 * planes where other codecs know bytes.  It predicts elements from their
 * neighbours by linear predictions that are fixed for the block, and codes
 * what these miss by rANS with tables that stand in the block, chosen by what
 * was missed around an element.  Section "Context coding" of the
 * specification; the rationale says why it is only read.
 *
 *	model.h	   what is fixed for a block, and its bytes
 *	grid.h	   where elements lie, and their neighbours
 *	rows.h	   predictions of whole rows, in vectors
 *	decode.c   rows in the order of four lanes (decode_rows.h)
 */
#ifndef NC3Z_CONTEXT_CONTEXT_H
#define NC3Z_CONTEXT_CONTEXT_H

#include "base/memory.h"
#include "codec/codec.h"
#include "filter/filter.h"

/* Working memory, used again: one for each thread.  Zeroed it is empty. */
struct context_coder {
	struct buffer grid;
	struct buffer rows;
	struct buffer model;
	struct buffer streams;
	struct buffer tables;
};

void context_coder_release(struct context_coder *coder);
size_t context_coder_nbytes(const struct context_coder *coder);

/*
 * Decodes hostile bytes, the input of 'buffers', into the elements of the
 * shape, its output; holes, which are among them, hold anything.  'codecs'
 * decodes the model.
 *
 * Returns NC3Z_OK, NC3Z_EDAMAGED, NC3Z_ENOMEM.
 */
int context_decode(struct context_coder *coder, struct codec_state *codecs,
		   const struct filter_elems *shape,
		   const struct codec_buffers *buffers, struct nc3z_error *err);

#endif
