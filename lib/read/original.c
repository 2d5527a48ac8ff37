/* SPDX-License-Identifier: MIT */
/*
 * Any byte range of the original.  Blocks that a range covers are decoded into
 * the caller's memory, others come through the cache.
 */
#include "read/original.h"

#include <string.h>

#include "base/sizes.h"
#include "read/ahead.h"
#include "read/announce.h"
#include "nc3z_tools.h"

#define GROW_NBYTES ((size_t)1 << 20)

/* Copies what the cached block has of a run. */
static int copy_cached(struct nc3z_file *file, const struct plan_run *run,
		       const struct plan_block *block, uint8_t *data,
		       size_t nbytes, struct nc3z_error *err)
{
	struct cache_entry *entry;

	NC3Z_TRY(fetch_cached(file, run->stream, block, &entry, err));
	memcpy(data, entry->data + (run->stream_offset - block->stream_offset),
	       nbytes);
	cache_put(file->cache, entry, nbytes);
	return NC3Z_OK;
}

/* Copies a block that is in the cache; false if it is not. */
static bool copy_held(struct nc3z_file *file, uint32_t stream,
		      const struct plan_block *block, uint8_t *data)
{
	struct cache_entry *entry = fetch_held(file, stream, block);

	if (!entry)
		return false;
	memcpy(data, entry->data, entry->nbytes);
	cache_put(file->cache, entry, entry->nbytes);
	return true;
}

/* Reads as many bytes as one block has of what is wanted. */
static int read_some(struct nc3z_file *file, uint64_t offset, uint8_t *data,
		     size_t nbytes, size_t *nbytes_ret, struct nc3z_error *err)
{
	struct plan_block block;
	struct plan_run run = plan_run_in_block(&file->map, offset, &block);

	nbytes = (size_t)size_min(nbytes, run.nbytes);
	*nbytes_ret = nbytes;
	if (nbytes < block.nbytes)
		return copy_cached(file, &run, &block, data, nbytes, err);
	if (copy_held(file, run.stream, &block, data))
		return NC3Z_OK;
	return fetch_block(file, run.stream, &block, data, err);
}

/* Reads 'nbytes' bytes from 'offset'; they lie within the original. */
static int read_bytes(struct nc3z_file *file, uint64_t offset, uint8_t *data,
		      size_t nbytes, struct nc3z_error *err)
{
	uint64_t announcement = announce_original(file, offset, nbytes);
	size_t done = 0, got;
	int status = NC3Z_OK;

	while (status == NC3Z_OK && done < nbytes) {
		status = read_some(file, offset + done, data + done,
				   nbytes - done, &got, err);
		done += got;
	}
	source_forget(file->source, announcement);
	return status;
}

int original_read_head(struct nc3z_file *file, size_t nbytes,
		       struct buffer *head, struct nc3z_error *err)
{
	head->nbytes = 0;
	while (head->nbytes < nbytes) {
		size_t step = (size_t)size_min(nbytes - head->nbytes,
					       GROW_NBYTES + head->nbytes);

		if (!buffer_reserve(head, head->nbytes + step))
			return error_set_memory(err);
		NC3Z_TRY(read_bytes(file, head->nbytes,
				    head->data + head->nbytes, step, err));
		head->nbytes += step;
	}
	return NC3Z_OK;
}

uint64_t nc3z_inq_size(const struct nc3z_file *file)
{
	if (!file)
		return 0;
	return file->map.original_nbytes;
}

int nc3z_pread(struct nc3z_file *file, void *data, size_t nbytes,
	       uint64_t offset, size_t *nbytes_ret, struct nc3z_error *err)
{
	uint64_t size = file->map.original_nbytes;

	*nbytes_ret = 0;
	nbytes = (size_t)size_min(nbytes, size - size_min(offset, size));
	ahead_note_bytes(file, offset, nbytes);
	NC3Z_TRY(read_bytes(file, offset, data, nbytes, err));
	*nbytes_ret = nbytes;
	return NC3Z_OK;
}
