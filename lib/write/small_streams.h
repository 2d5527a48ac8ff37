/* SPDX-License-Identifier: MIT */
/*
 * Small streams, to be copied to the end of an archive: coordinates, times and
 * the like, of which a reader in one pass needs a block now and then, and
 * everybody else all at once.
 *
 * How long a stream is becomes known at the end of the original only, so that
 * the bytes of all streams are kept as long as these are short.  What is copied
 * follows from the bytes and their order alone; what is kept, also from the
 * size of the original, where that is known before.
 */
#ifndef NC3Z_WRITE_SMALL_STREAMS_H
#define NC3Z_WRITE_SMALL_STREAMS_H

#include "archive/archive.h"
#include "choose/choose.h"
#include "plan/shape.h"

/* Bytes of all streams together that are kept, or would be. */
#define SMALL_STREAMS_NBYTES_MAX (UINT32_C(4) << 20)

/* At most so many streams are copied. */
#define SMALL_STREAMS_COPIES_MAX 64

/*
 * The copies take at most this part of what lies before the index, and no more
 * than so much, since whoever opens the archive reads them.
 */
#define SMALL_STREAMS_COPIES_SHARE 2048
#define SMALL_STREAMS_COPIES_NBYTES_MAX (UINT32_C(1) << 20)

/* Encoding them once more takes about this part of the time of packing. */
#define SMALL_STREAMS_RAW_SHARE 64

struct small_stream {
	struct buffer raw; /* empty if it is too long to be copied */
	uint64_t nbytes;
	bool is_dropped;
};

struct small_streams {
	const struct plan_stream *streams; /* of the plan */
	struct small_stream *list;         /* one for each of them */
	uint32_t nstreams;
	uint64_t nbytes;            /* of those that are not dropped */
	uint64_t max_nbytes;        /* of one that is not dropped */
	uint64_t copied_max_nbytes; /* of one that can be copied */
};

/*
 * 'plan' outlives it; 'original_nbytes' may be SOURCE_SIZE_UNKNOWN.  To be
 * released in any case.  NC3Z_ENOMEM.
 */
int small_streams_init(struct small_streams *small, const struct plan *plan,
		       uint64_t original_nbytes, struct nc3z_error *err);
void small_streams_release(struct small_streams *small);

/* Whether the bytes of the next block of a stream matter. */
bool small_streams_wants(const struct small_streams *small, uint32_t stream,
			 size_t raw_nbytes);

/*
 * Notes the next block of a stream; 'raw' may be NULL if it does not matter.
 * NC3Z_ENOMEM.
 */
int small_streams_put(struct small_streams *small, uint32_t stream,
		      const uint8_t *raw, size_t raw_nbytes,
		      struct nc3z_error *err);

struct small_streams_setup {
	struct choose_settings settings;
	const struct plan_hint *hints; /* one for each stream */
	struct archive_copies_owner owner;
	uint64_t original_nbytes;
	uint64_t index_offset;
};

/*
 * Appends the contents of the section: records' streams first, since these are
 * the scattered ones, the shortest ones first, as long as there is room.
 * NC3Z_ENOMEM.
 */
int small_streams_copy(struct small_streams *small,
		       const struct small_streams_setup *setup,
		       struct buffer *out, struct nc3z_error *err);

#endif
