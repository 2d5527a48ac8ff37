/* SPDX-License-Identifier: MIT */
/*
 * Which bytes of the original are in a variable of the HDF5 part, and which are
 * in the rest.  Arithmetic only.
 */
#ifndef NC3Z_EXACT_COVER_H
#define NC3Z_EXACT_COVER_H

#include "exact/tail.h"

struct cover_piece {
	uint64_t begin; /* in the original; of records, in record 0 */
	uint64_t end;
	uint64_t covered; /* by all pieces before it */
	uint32_t variable;
};

struct cover_pieces {
	struct cover_piece *list; /* ascending */
	size_t count;
};

struct cover {
	const struct exact_description *description;
	uint64_t original_nbytes;
	struct cover_pieces fixed;
	struct cover_pieces slots; /* of a record */
	uint64_t record_end;       /* of the last slot of the last record */
	uint64_t slots_nbytes;     /* of a record */
};

/* Bytes that lie together, in the original and where they are kept. */
struct cover_run {
	bool is_rest;
	uint32_t variable; /* unless it is */
	uint64_t at;       /* in the variable's bytes, or in the rest */
	uint64_t nbytes;
};

/*
 * NC3Z_EDAMAGED if variables overlap; NC3Z_ENOMEM.  To be released in any case;
 * the description outlives it.
 */
int cover_init(struct cover *cover, const struct exact_description *description,
	       uint64_t original_nbytes, struct nc3z_error *err);

/* The run that begins at an offset before the end of the original. */
struct cover_run cover_at(const struct cover *cover, uint64_t offset);

/* All bytes of the rest. */
uint64_t cover_rest_nbytes(const struct cover *cover);

/* Where byte 'at' of a variable is in the original. */
uint64_t cover_offset(const struct cover *cover, uint32_t variable,
		      uint64_t at);

void cover_release(struct cover *cover);

#endif
