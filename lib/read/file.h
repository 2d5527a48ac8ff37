/* SPDX-License-Identifier: MIT */
/*
 * An open file, archive or plain classic: what nc3z_open() makes, and the way
 * from a place in a stream to its bytes.
 *
 * A plain file is treated as one stream without end, cut into blocks that need
 * no decoding; everything above blocks is the same for both.
 *
 * After opening nothing changes but what is under locks of its own: the cache,
 * the list of idle decoders, the index segments, decoded stream copies, what is
 * read ahead.
 */
#ifndef NC3Z_READ_FILE_H
#define NC3Z_READ_FILE_H

#include <pthread.h>
#include <stdatomic.h>

#include "archive/archive.h"
#include "classic/header.h"
#include "classic/values.h"
#include "parallel/cache.h"
#include "parallel/workers.h"
#include "plan/map.h"
#include "hyperslab/variable.h"
#include "read/stream_copies.h"

/* Names to be looked up. */
struct name_index {
	struct name_entry {
		int owner; /* the variable of an attribute, or NC3Z_GLOBAL */
		const char *name;
		int number;
	} * list; /* ascending */
	size_t count;
};

struct decoder;
struct ahead;
struct shared_cache;

struct nc3z_file {
	struct nc3z_source *origin; /* as it was given */
	struct nc3z_source *source; /* the same with front and tail at hand */
	bool is_archive;
	bool ignores_truncation;
	unsigned nthreads;

	struct archive_reader archive; /* unless it is a plain file */
	struct plan plan;
	struct plan_map map;
	struct hyperslab_variable *places; /* of each variable */
	struct stream_copies copies;

	struct buffer head; /* the classic header's bytes */
	struct classic_header header;
	uint64_t numrecs;

	/* The results of inquiries, an element for each variable. */
	struct nc3z_var *vars;
	int *dimids;     /* of all variables, one after the other */
	uint64_t *shape; /* likewise */
	struct name_index dim_names;
	struct name_index var_names;
	struct name_index att_names; /* of ATTS_INDEXED or more in a list */

	struct cache *cache;
	struct shared_cache *shared_cache; /* NULL: it has its own */
	uint64_t owner;          /* of what this file has in the cache */
	struct workers *workers; /* beside the caller's thread; NULL: none */
	struct ahead *ahead;     /* NULL: nothing is read ahead */
	pthread_mutex_t lock;
	struct decoder *idle_decoders; /* under the lock */
	atomic_uint_least64_t nblocks_decoded;
	atomic_uint_least64_t nblocks_found; /* wanted and there already */
};

/* open.c */

/* The file is about to be closed: its source stays the caller's. */
void file_disown_source(struct nc3z_file *file);

/* describe.c */

/* Fills in what inquiries give, from header, plan and sizes. */
int describe_file(struct nc3z_file *file, struct nc3z_error *err);
void describe_release(struct nc3z_file *file);

/*
 * The number of the dimension or variable with this name, -1 if there is none;
 * of several the highest, as libnetcdf says.
 */
int name_index_find(const struct name_index *index, const char *name);

/* Likewise of an attribute in a list that is indexed; of several the lowest. */
int name_index_find_att(const struct name_index *index, int varid,
			const char *name);

/* Shorter lists of attributes are searched from the first to the last. */
#define ATTS_INDEXED 32

/* inquire.c */

/*
 * How values are read as 'memtype', an enum nc3z_type.  NC3Z_EBADTYPE,
 * NC3Z_ECHAR.
 */
int file_conversion(const struct nc3z_file *file, enum classic_type from,
		    int memtype, struct values_conversion *conversion_ret,
		    struct nc3z_error *err);

/* fetch.c */

void fetch_release(struct nc3z_file *file);

/*
 * Decodes a block of a stream into 'raw', of block->nbytes bytes, and checks
 * it.  An error says which block.
 */
int fetch_block(struct nc3z_file *file, uint32_t stream,
		const struct plan_block *block, uint8_t *raw,
		struct nc3z_error *err);

/*
 * The block in the cache, pinned, to be given back with cache_put().  Whether
 * it was there already is counted.
 */
int fetch_cached(struct nc3z_file *file, uint32_t stream,
		 const struct plan_block *block, struct cache_entry **entry_ret,
		 struct nc3z_error *err);

/*
 * The same ahead of whoever wants it: room for a block that this thread has to
 * decode next, with fetch_reserved(); nothing is counted.  NULL if the cache
 * has it already, another thread is decoding it, or memory is out.
 */
struct cache_entry *fetch_reserve(struct nc3z_file *file, uint32_t stream,
				  const struct plan_block *block);
int fetch_reserved(struct nc3z_file *file, uint32_t stream,
		   const struct plan_block *block, struct cache_entry *entry);

/* Whether a thread is decoding a block into the cache. */
bool fetch_is_running(const struct nc3z_file *file, uint32_t stream,
		      uint64_t block);

/* Whether the cache has a block, or a thread is about to put it there. */
bool fetch_is_cached(const struct nc3z_file *file, uint32_t stream,
		     uint64_t block);

/* The block if it is there already, pinned; otherwise NULL. */
struct cache_entry *fetch_held(struct nc3z_file *file, uint32_t stream,
			       const struct plan_block *block);

#endif
