/* SPDX-License-Identifier: MIT */
#include "write/disguise.h"

#include "block/block.h"

static int append(struct archive_writer *archive,
		  const struct disguise_block *block,
		  const struct block_stored *stored, bool *collides_ret,
		  struct nc3z_error *err)
{
	const struct archive_block record = {
		.stream = block->stream,
		.block = block->block,
		.raw_nbytes = (uint32_t)block->raw_nbytes,
		.raw_crc = block->raw_crc,
		.description = stored->description.data,
		.description_nbytes = stored->description.nbytes,
		.payload = stored->payload.data,
		.payload_nbytes = stored->payload.nbytes,
	};

	return archive_writer_block(archive, &record, collides_ret, err);
}

int disguise_append(struct archive_writer *archive,
		    const struct disguise_block *block, struct nc3z_error *err)
{
	struct block_coder coder = { 0 };
	struct block_stored stored = { 0 };
	bool collides = true;
	int status = NC3Z_OK;

	for (uint32_t stride = 1; collides && status == NC3Z_OK; stride++) {
		struct block_recipe recipe = {
			.width = 1,
			.codec = NC3Z_CODEC_STORE,
		};

		if (stride > block->raw_nbytes) {
			status = error_set(err, NC3Z_ELIMIT,
					   "archive would look like an HDF5 "
					   "file");
			break;
		}
		filter_chain_add(&recipe.chain, NC3Z_FILTER_DELTA, stride);
		status = block_encode(&coder, &recipe, block->raw,
				      block->raw_nbytes, &stored, err);
		if (status == NC3Z_OK)
			status =
				append(archive, block, &stored, &collides, err);
	}
	block_stored_release(&stored);
	block_coder_release(&coder);
	return status;
}
