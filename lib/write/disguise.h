/* SPDX-License-Identifier: MIT */
/*
 * Blocks whose encoded form would look like a file of another format at the
 * place where they have to be.
 */
#ifndef NC3Z_WRITE_DISGUISE_H
#define NC3Z_WRITE_DISGUISE_H

#include "archive/archive.h"

struct disguise_block {
	uint32_t stream;
	uint32_t block;
	const uint8_t *raw;
	size_t raw_nbytes;
	uint32_t raw_crc;
};

/*
 * Appends a block stored, as differences of ever longer stride until it does
 * not look so.  NC3Z_ELIMIT if it does with each of them; NC3Z_ENOMEM, and what
 * appending returns.
 */
int disguise_append(struct archive_writer *archive,
		    const struct disguise_block *block, struct nc3z_error *err);

#endif
