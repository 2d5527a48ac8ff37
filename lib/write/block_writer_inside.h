/* SPDX-License-Identifier: MIT */
/* What workers do for the block writer: a raw block becomes a stored one. */
#ifndef NC3Z_WRITE_BLOCK_WRITER_INSIDE_H
#define NC3Z_WRITE_BLOCK_WRITER_INSIDE_H

#include "block/block.h"
#include "write/recipe_cache.h"

struct block_writer;

/* One block on its way. */
struct pack_job {
	struct pack_job *next; /* among the spare ones */
	uint32_t stream;
	uint32_t block;
	uint8_t *raw;
	size_t raw_nbytes;
	uint32_t raw_crc;
	struct recipe_cache_use recipe_cache;
	struct block_stored stored;
	bool is_rehearsed;
	bool is_copied; /* from an older archive */
	int status;
	struct nc3z_error err;
};

/* In a worker; what goes wrong is in the job. */
void pack_job_run(struct block_writer *w, struct pack_job *job,
		  unsigned worker);

#endif
