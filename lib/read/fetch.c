/* SPDX-License-Identifier: MIT */
/*
 * From a block of a stream to its raw bytes: read the record, decode, check; or
 * out of the copy of a small stream.
 *
 * Decoders are kept in a list when they are idle, so that a file has as many as
 * there ever were threads decoding at the same time.
 */
#include "base/sizes.h"
#include "block/block.h"
#include "read/decoder.h"
#include "read/file.h"

static struct decoder *take_decoder(struct nc3z_file *file)
{
	struct decoder *decoder;

	pthread_mutex_lock(&file->lock);
	decoder = file->idle_decoders;
	if (decoder)
		file->idle_decoders = decoder->next;
	pthread_mutex_unlock(&file->lock);
	return decoder ? decoder : decoder_new();
}

static void give_back_decoder(struct nc3z_file *file, struct decoder *decoder)
{
	pthread_mutex_lock(&file->lock);
	decoder->next = file->idle_decoders;
	file->idle_decoders = decoder;
	pthread_mutex_unlock(&file->lock);
}

void fetch_release(struct nc3z_file *file)
{
	struct decoder *decoder;

	while ((decoder = file->idle_decoders)) {
		file->idle_decoders = decoder->next;
		decoder_free(decoder);
	}
}

static int decode_fetched(struct nc3z_file *file, struct decoder *decoder,
			  uint64_t offset, uint8_t *raw, struct nc3z_error *err)
{
	const struct archive_catalogue *c = &file->archive.catalogue;
	const struct archive_block *stored = &decoder->fetched.block;
	const struct block_view view = {
		.description = stored->description,
		.description_nbytes = stored->description_nbytes,
		.payload = stored->payload,
		.payload_nbytes = stored->payload_nbytes,
	};

	NC3Z_TRY(block_decode_checked(&decoder->coder, &view, raw,
				      stored->raw_nbytes, stored->raw_crc,
				      err));
	atomic_fetch_add_explicit(&file->nblocks_decoded, 1,
				  memory_order_relaxed);
	if (offset != file->archive.first_block_offset)
		return NC3Z_OK;
	return archive_check_identity(c->identity, c->plan, c->plan_nbytes, raw,
				      stored->raw_nbytes, err);
}

static int read_and_decode(struct nc3z_file *file, struct decoder *decoder,
			   uint32_t stream, const struct plan_block *block,
			   uint8_t *raw, struct nc3z_error *err)
{
	struct archive_fetched *fetched = &decoder->fetched;
	uint64_t offset;
	int status;

	NC3Z_TRY(archive_reader_block(&file->archive, stream,
				      (uint32_t)block->block, fetched, err));
	offset = fetched->entry.offset;
	if (fetched->block.raw_nbytes != block->nbytes)
		return error_set_at(err, NC3Z_EDAMAGED, offset,
				    "block does not have the length that the "
				    "plan says");
	status = decode_fetched(file, decoder, offset, raw, err);
	if (status != NC3Z_OK && err && err->offset == NC3Z_NO_OFFSET)
		error_add_offset(err, status, offset);
	return status;
}

static int fetch_from_archive(struct nc3z_file *file, uint32_t stream,
			      const struct plan_block *block, uint8_t *raw,
			      struct nc3z_error *err)
{
	struct decoder *decoder = take_decoder(file);
	int status;

	if (!decoder)
		return error_set_memory(err);
	status = stream_copies_block(&file->copies, &decoder->coder, stream,
				     block, raw, err);
	if (status == NC3Z_OK)
		atomic_fetch_add_explicit(&file->nblocks_decoded, 1,
					  memory_order_relaxed);
	else if (status != NC3Z_ENOMEM)
		status =
			read_and_decode(file, decoder, stream, block, raw, err);
	give_back_decoder(file, decoder);
	if (status != NC3Z_OK)
		error_add_block(err, status, stream, (uint32_t)block->block);
	return status;
}

int fetch_block(struct nc3z_file *file, uint32_t stream,
		const struct plan_block *block, uint8_t *raw,
		struct nc3z_error *err)
{
	size_t got;

	if (file->is_archive)
		return fetch_from_archive(file, stream, block, raw, err);
	NC3Z_TRY(source_read_at(file->source, block->stream_offset, raw,
				(size_t)block->nbytes, &got, err));
	if (got != block->nbytes)
		return error_set_at(err, NC3Z_ECHANGED,
				    block->stream_offset + got,
				    "file became shorter while it was read");
	return NC3Z_OK;
}

static struct cache_key key_of(const struct nc3z_file *file, uint32_t stream,
			       uint64_t block)
{
	/* Only plain files, which have one stream, have more than 2^32. */
	return (struct cache_key){ .owner = file->owner,
				   .number = (uint64_t)stream << 32 | block };
}

/* The arguments of a filler that the key does not contain. */
struct fetch_request {
	struct nc3z_file *file;
	uint32_t stream;
	const struct plan_block *block;
	bool is_filled; /* by this request */
};

static int fill_block(void *context, struct cache_key key, uint8_t *data,
		      size_t nbytes, struct nc3z_error *err)
{
	struct fetch_request *request = context;

	request->is_filled = true;
	(void)key;
	(void)nbytes;
	return fetch_block(request->file, request->stream, request->block, data,
			   err);
}

static void count_found(struct nc3z_file *file)
{
	atomic_fetch_add_explicit(&file->nblocks_found, 1,
				  memory_order_relaxed);
}

int fetch_cached(struct nc3z_file *file, uint32_t stream,
		 const struct plan_block *block, struct cache_entry **entry_ret,
		 struct nc3z_error *err)
{
	struct fetch_request request = {
		.file = file,
		.stream = stream,
		.block = block,
	};
	const struct cache_filler filler = {
		.fill = fill_block,
		.context = &request,
	};

	NC3Z_TRY(cache_get(file->cache, key_of(file, stream, block->block),
			   (size_t)block->nbytes, &filler, entry_ret, err));
	if (!request.is_filled)
		count_found(file);
	return NC3Z_OK;
}

struct cache_entry *fetch_reserve(struct nc3z_file *file, uint32_t stream,
				  const struct plan_block *block)
{
	return cache_reserve(file->cache, key_of(file, stream, block->block),
			     (size_t)block->nbytes);
}

int fetch_reserved(struct nc3z_file *file, uint32_t stream,
		   const struct plan_block *block, struct cache_entry *entry)
{
	struct fetch_request request = {
		.file = file,
		.stream = stream,
		.block = block,
	};
	const struct cache_filler filler = {
		.fill = fill_block,
		.context = &request,
	};

	return cache_fill(file->cache, entry, &filler, NULL);
}

bool fetch_is_running(const struct nc3z_file *file, uint32_t stream,
		      uint64_t block)
{
	return cache_is_filling(file->cache, key_of(file, stream, block));
}

bool fetch_is_cached(const struct nc3z_file *file, uint32_t stream,
		     uint64_t block)
{
	return cache_has(file->cache, key_of(file, stream, block));
}

struct cache_entry *fetch_held(struct nc3z_file *file, uint32_t stream,
			       const struct plan_block *block)
{
	struct cache_entry *entry =
		cache_find(file->cache, key_of(file, stream, block->block));

	if (entry)
		count_found(file);
	return entry;
}

static int describe_fetched(const struct archive_fetched *fetched,
			    struct nc3z_block *block_ret,
			    struct nc3z_error *err)
{
	const struct archive_block *stored = &fetched->block;
	const struct block_view view = {
		.description = stored->description,
		.description_nbytes = stored->description_nbytes,
		.payload_nbytes = stored->payload_nbytes,
	};
	struct block_description description;

	NC3Z_TRY(block_description_read(&view, stored->raw_nbytes, &description,
					err));
	*block_ret = (struct nc3z_block){
		.offset = fetched->entry.offset,
		.record_nbytes = fetched->entry.nbytes,
		.raw_nbytes = stored->raw_nbytes,
		.raw_crc = stored->raw_crc,
		.of_stream = stored->stream,
		.of_block = stored->block,
	};
	block_description_coding(&description, &block_ret->coding);
	return NC3Z_OK;
}

int nc3z_inq_block(struct nc3z_file *file, uint32_t stream, uint64_t block,
		   struct nc3z_block *block_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, file && block_ret);

	struct decoder *decoder;
	int status;

	if (!file->is_archive)
		return error_set(err, NC3Z_ENOTARCHIVE,
				 "is a classic file, not an nc3z archive");
	if (stream >= file->plan.nstreams ||
	    block >= file->map.extents[stream].nblocks)
		return error_set(err, NC3Z_EINVAL, "no such block");
	decoder = take_decoder(file);
	if (!decoder)
		return error_set_memory(err);
	status = archive_reader_block(&file->archive, stream, (uint32_t)block,
				      &decoder->fetched, err);
	if (status == NC3Z_OK)
		status = describe_fetched(&decoder->fetched, block_ret, err);
	give_back_decoder(file, decoder);
	return status == NC3Z_OK ?
		       NC3Z_OK :
		       error_add_block(err, status, stream, (uint32_t)block);
}
