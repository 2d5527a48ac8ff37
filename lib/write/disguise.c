/* SPDX-License-Identifier: MIT */
#include "write/disguise.h"

#include "block/block.h"

static int append_record(struct archive_writer *archive,
			 struct archive_block block,
			 const struct block_stored *stored, bool *collides_ret,
			 struct nc3z_error *err)
{
	block.description = stored->description.data;
	block.description_nbytes = stored->description.nbytes;
	block.payload = stored->payload.data;
	block.payload_nbytes = stored->payload.nbytes;
	return archive_writer_block(archive, &block, collides_ret, err);
}

int disguise_append(struct archive_writer *archive,
		    const struct archive_block *block, const uint8_t *raw,
		    struct nc3z_error *err)
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
		status = block_encode(&coder, &recipe, raw, block->raw_nbytes,
				      &stored, err);
		if (status == NC3Z_OK)
			status = append_record(archive, *block, &stored,
					       &collides, err);
	}
	block_stored_release(&stored);
	block_coder_release(&coder);
	return status;
}
