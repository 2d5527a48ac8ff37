/* SPDX-License-Identifier: MIT */
/*
 * The streams that an archive repeats at its end: blocks of these need not be
 * looked for all over the archive.
 *
 * A copy is decoded when a block of it is first wanted, and stays.  One that is
 * damaged is as good as none: the blocks are still there.
 */
#ifndef NC3Z_READ_STREAM_COPIES_H
#define NC3Z_READ_STREAM_COPIES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "archive/archive.h"
#include "block/block.h"
#include "plan/map.h"

/* Zero-initialised there are none. */
struct stream_copies {
	struct buffer contents;
	struct archive_stream_copies copies;
	_Atomic(uint8_t *) *raw; /* of each; NULL: not decoded yet */
};

/*
 * Takes the contents of the section, which are empty then.  Copies that are not
 * those of this archive and map are left out.  NC3Z_ENOMEM.
 */
int stream_copies_init(struct stream_copies *s, struct buffer *contents,
		       const struct archive_copies_owner *owner,
		       const struct plan_map *map, struct nc3z_error *err);
void stream_copies_release(struct stream_copies *s);

/*
 * A block out of the copy of its stream.  Any number of threads may do so, each
 * with a coder.  NC3Z_OK; NC3Z_ENOMEM; others if there is no whole copy.
 */
int stream_copies_block(struct stream_copies *s, struct block_coder *coder,
			uint32_t stream, const struct plan_block *block,
			uint8_t *raw, struct nc3z_error *err);

/* Whether there is one of a stream: its blocks need not be fetched. */
bool stream_copies_has(const struct stream_copies *s, uint32_t stream);

#endif
