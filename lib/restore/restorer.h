/* SPDX-License-Identifier: MIT */
/*
 * Shared by all ways of restoring: the archive from its beginning to its end,
 * the proof that what was restored is the original.  The ways are
 *
 *	stream.c   the original in order, blocks held until they are used
 *	place.c    blocks in order, their bytes written where they belong
 *	stripes.c  the original in stripes, blocks decoded for each again
 *
 * The first two read the archive in one pass; the last two keep to a given
 * amount of memory, however far chunks reach.
 */
#ifndef NC3Z_RESTORE_RESTORER_H
#define NC3Z_RESTORE_RESTORER_H

#include "parallel/hasher.h"
#include "plan/walk.h"
#include "restore/block_reader.h"

struct restorer {
	struct nc3z_source *in;
	struct nc3z_sink *out; /* NULL: verify only */
	const struct nc3z_restore_options *options;
	unsigned nthreads;
	struct archive_scan scan;
	struct plan plan;
	struct plan_map endless;    /* of an original without end */
	struct plan_walk walk;      /* of it */
	struct plan_map actual;     /* once its size is known */
	const struct plan_map *map; /* one of these */
	struct block_reader blocks;
	struct held_blocks held;
	struct hasher *hasher;
	uint8_t *pending; /* HASHER_BUFFER_NBYTES for the bytes hashed next */
	size_t pending_nbytes;
	uint64_t hashed;     /* bytes of the original, from the first one on */
	uint32_t header_crc; /* of the header, as far as it was hashed */
	bool at_end;         /* the archive has been read whole */
	struct archive_catalogue catalogue;
	struct archive_trailer trailer;
	struct archive_copies copies;
	uint64_t nrepeats;
	struct nc3z_error *err;
};

/* Reads the archive's beginning.  To be released in any case. */
int restorer_begin(struct restorer *r);
void restorer_release(struct restorer *r);

/* For those who read blocks in order: from here on r->blocks gives them. */
int restorer_begin_blocks(struct restorer *r);

/* After the blocks: reads the rest of the archive and compares. */
int restorer_read_end(struct restorer *r);

/* Hashes the first bytes of r->pending, which is another one then. */
int restorer_hash(struct restorer *r, size_t nbytes);

/* The same, having appended them to the output. */
int restorer_emit(struct restorer *r, size_t nbytes);

/* All has been hashed: whether it is the original. */
int restorer_check_end(struct restorer *r);

/*
 * check_copies.c: after the blocks, whether the stream copies are what these
 * hold.
 */
int restorer_check_stream_copies(struct restorer *r);

/* The ways; each after restorer_begin(). */
int restore_stream(struct restorer *r);
int restore_place(struct restorer *r);
int restore_stripes(struct restorer *r);

#endif
