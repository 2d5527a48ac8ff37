/* SPDX-License-Identifier: MIT */
/* Chunks: which elements of a variable they hold, and how they are stored. */
#ifndef NC3Z_EXACT_CHUNK_H
#define NC3Z_EXACT_CHUNK_H

#include "codec/codec.h"
#include "exact/tail.h"

/*
 * The box of a variable that a chunk holds, by the chunk's number in row-major
 * order; shorter than a chunk at the edges.
 */
struct chunk_box {
	uint64_t start[EXACT_RANK_MAX];
	uint64_t count[EXACT_RANK_MAX];
};

void chunk_box_of(const struct exact_variable *v, uint64_t number,
		  struct chunk_box *box);

/* Of one thread; zero-initialised but for the codec's own level. */
struct chunk_encoder {
	int level;
	struct codec_state codecs;
};

/*
 * Raw big-endian bytes -> what HDF5 stores; 'out' has room for
 * exact_stored_nbytes_max() bytes.  NC3Z_ENOMEM.
 */
int chunk_encode(const struct exact_variable *v, struct chunk_encoder *encoder,
		 const uint8_t *raw, uint8_t *out, size_t *nbytes_ret,
		 struct nc3z_error *err);

/* One zlib stream that fills the room for it; NC3Z_EDAMAGED, NC3Z_ENOMEM. */
int exact_inflate(const struct codec_buffers *buffers, struct nc3z_error *err);

/* Back; NC3Z_EDAMAGED, NC3Z_ENOMEM. */
int chunk_decode(const struct exact_variable *v, const uint8_t *stored,
		 size_t stored_nbytes, uint8_t *raw, struct nc3z_error *err);

#endif
