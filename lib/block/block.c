/* What belongs to both directions: working memory. */
#include "block/block.h"

void block_coder_release(struct block_coder *coder)
{
	codec_state_release(&coder->codecs);
	buffer_release(&coder->filtered);
	buffer_release(&coder->scratch);
	buffer_release(&coder->sample);
	buffer_release(&coder->coded);
}

void block_stored_release(struct block_stored *stored)
{
	buffer_release(&stored->description);
	buffer_release(&stored->payload);
}
