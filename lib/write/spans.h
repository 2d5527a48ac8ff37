/*
 * Bytes of the original sorted into the blocks of their streams.
 *
 * Bytes come in the order of the original; a linear stream has at most one
 * block that is being filled, a tiled one those of a band.  A block is handed
 * on when it is full, at the end of the original as far as it was filled.
 * Which bytes go where is the plan's arithmetic; how long the original is
 * becomes known at its end only.
 */
#ifndef NC3Z_WRITE_SPANS_H
#define NC3Z_WRITE_SPANS_H

#include "plan/plan_map.h"

/* Takes a block that is complete, and its memory, to be freed with free(). */
typedef int spans_block_fn(void *context, uint32_t stream, uint32_t block,
			   uint8_t *raw, size_t raw_nbytes,
			   struct nc3z_error *err);

struct open_block {
	uint8_t *raw; /* NULL: none is open */
	uint64_t block;
	uint64_t stream_offset;
	uint64_t nbytes;
	uint64_t filled_nbytes;
};

struct spans {
	const struct plan *plan;
	struct plan_map map; /* of an original without end */
	struct open_block *open;
	uint64_t *first_open; /* of each stream; one more: how many there are */
	uint64_t position;    /* in the original */
	spans_block_fn *take;
	void *context;
};

/* NC3Z_ELIMIT if bands of tiles take more than 'max_nbytes' bytes. */
int spans_init(struct spans *spans, const struct plan *plan,
	       uint64_t max_nbytes, spans_block_fn *take, void *context,
	       struct nc3z_error *err);

/* The next bytes of the original. */
int spans_put(struct spans *spans, const uint8_t *data, size_t data_nbytes,
	      struct nc3z_error *err);

/* The original ends here; 'map' is the plan's for its size. */
int spans_end(struct spans *spans, const struct plan_map *map,
	      struct nc3z_error *err);

void spans_release(struct spans *spans);

#endif
