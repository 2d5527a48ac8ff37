/* SPDX-License-Identifier: MIT */
/*
 * An iterator from inside: which boxes there are, and where it stands.
 *
 * Boxes are read in stages (hyperslab/boxes.h), each with one request for each
 * variable; of the blocks of a request those are kept that the next ones need
 * again (block_store.h).
 */
#ifndef NC3Z_READ_ITERATOR_H
#define NC3Z_READ_ITERATOR_H

#include "hyperslab/boxes.h"
#include "read/announce.h"
#include "read/request.h"

struct iterator_var {
	struct read_request request; /* to be copied: file, variable, type */
	struct values_unpacking unpacking;
	uint32_t file;  /* a number, the same for variables of one file */
	uint8_t *stage; /* values of the stage, row-major */
	uint8_t *box;   /* of a box; NULL if they lie in the stage like that */
};

/* A place in the order of stages: the number along each dimension. */
struct stage_cursor {
	uint64_t at[PLAN_RANK_MAX];
	bool is_at_end;
};

/* Boxes begin[k] to end[k] - 1 along each dimension. */
struct box_range {
	uint64_t begin[PLAN_RANK_MAX];
	uint64_t end[PLAN_RANK_MAX];
};

/* The requests that come, one for each stage and variable. */
struct lookahead {
	struct block_store kept;
	/*
	 * What they touch: of the next one, and of as many after it as there
	 * are variables; none beyond the end.  NULL if there was no memory to
	 * say so.
	 */
	struct touched_blocks *ring;
	size_t first;
	struct stage_cursor stage; /* of the first one after the ring */
	size_t var;
	/*
	 * What was announced: of the request that runs before it was its turn,
	 * and then; and of the next one.
	 */
	struct announced_request {
		uint64_t announcement;
		struct nc3z_file *file; /* NULL: nothing was */
	} early, rest, next;
};

struct nc3z_iterator {
	struct iterator_var *vars;
	size_t nvars;
	struct hyperslab_boxes boxes;
	bool is_empty; /* the slab has no value */
	uint64_t values_nbytes;
	uint64_t kept_nbytes; /* at most, of blocks that are kept */

	struct stage_cursor stage;
	bool is_read;   /* the stage is in memory */
	bool is_broken; /* it could not be read: box by box */
	int status;     /* of reading it */
	struct nc3z_error error;
	struct box_range range;     /* of the stage */
	uint64_t at[PLAN_RANK_MAX]; /* the next box */
	uint64_t nboxes_given;
	struct lookahead lookahead;

	/* As the caller sees it: */
	size_t lengths[PLAN_RANK_MAX];
	size_t start[PLAN_RANK_MAX];
	size_t count[PLAN_RANK_MAX];
	void **values;
};

/* iterator.c */

void stage_begin(const struct nc3z_iterator *it, struct stage_cursor *stage);
void stage_next(const struct nc3z_iterator *it, struct stage_cursor *stage);
void stage_boxes(const struct nc3z_iterator *it,
		 const struct stage_cursor *stage, struct box_range *range_ret);

/* A request for some boxes of a variable, not yet with a place for values. */
int iterator_request(const struct nc3z_iterator *it, size_t var,
		     const struct box_range *range,
		     struct hyperslab_visits *wanted,
		     struct read_request *q_ret, struct nc3z_error *err);

/* lookahead.c */

/* The requests from those of a stage on.  NC3Z_ENOMEM. */
int lookahead_init(struct lookahead *f, const struct nc3z_iterator *it,
		   const struct stage_cursor *stage, struct nc3z_error *err);
void lookahead_release(struct lookahead *f, const struct nc3z_iterator *it);

/*
 * Before and after each request, in their order.  '*ndecoded_ret' is how often
 * it decodes a block.  NC3Z_ENOMEM.
 */
int lookahead_begin(struct lookahead *f, const struct nc3z_iterator *it,
		    uint64_t *ndecoded_ret, struct nc3z_error *err);
/* In between, if it will be made: announces it and the one after it. */
void lookahead_announce(struct lookahead *f, const struct nc3z_iterator *it);
int lookahead_end(struct lookahead *f, const struct nc3z_iterator *it,
		  struct nc3z_error *err);

#endif
