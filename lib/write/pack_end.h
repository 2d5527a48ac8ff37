/* SPDX-License-Identifier: MIT */
/* The end of an archive: what comes after its last block. */
#ifndef NC3Z_WRITE_PACK_END_H
#define NC3Z_WRITE_PACK_END_H

#include "choose/choose.h"
#include "plan/map.h"
#include "write/pack_head.h"
#include "write/small_streams.h"

struct pack_end {
	struct archive_writer *archive; /* with all blocks */
	const struct pack_head *head;
	const struct plan_map *map; /* of the original */
	struct small_streams *small;
	struct choose_settings settings;
	uint8_t sha256[SHA256_NBYTES];
};

/*
 * Writes index, copies, catalogue and trailer.  'summary_ret' may be NULL.
 * NC3Z_ENOMEM, and what appending returns.
 */
int pack_end_write(const struct pack_end *end, struct nc3z_summary *summary_ret,
		   struct nc3z_error *err);

#endif
