/* How blocks are encoded, as text. */
#ifndef NC3Z_READ_INSPECT_H
#define NC3Z_READ_INSPECT_H

#include "block/block.h"

#define CODING_NBYTES sizeof(((struct nc3z_block *)0)->coding)

/* "order delta(1) zigzag shuffle zstd" into CODING_NBYTES bytes. */
void coding_describe(const struct block_description *d, char *text);

#endif
