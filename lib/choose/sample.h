/*
 * A sample of what a chain of filters makes of a block: the filtered elements
 * of a few windows that are spread over the block, as they are in the whole
 * filtered block, for predictions reach out of the windows to the true
 * neighbours.
 */
#ifndef NC3Z_CHOOSE_SAMPLE_H
#define NC3Z_CHOOSE_SAMPLE_H

#include "choose/choose.h"

#define SAMPLE_NWINDOWS 4

/*
 * Leaves about 'sample_nbytes' bytes in the chooser's buffer 'sample', filtered
 * with the chain, ready for a codec.  The block is longer than that.  Returns
 * NC3Z_OK, NC3Z_ENOMEM.
 */
int sample_take(struct chooser *chooser, const struct choose_input *input,
		const struct filter_chain *chain, size_t sample_nbytes,
		struct nc3z_error *err);

#endif
