/* SPDX-License-Identifier: MIT */
/*
 * Blocks whose encoded form would look like a file of another format at the
 * place where they have to be.
 */
#ifndef NC3Z_WRITE_DISGUISE_H
#define NC3Z_WRITE_DISGUISE_H

#include "archive/archive.h"

/*
 * Appends a block stored, as differences of ever longer stride until it does
 * not look so.  Of 'block' neither description nor payload are used.
 * NC3Z_ELIMIT if it does with each of them; NC3Z_ENOMEM, and what appending
 * returns.
 */
int disguise_append(struct archive_writer *archive,
		    const struct archive_block *block, const uint8_t *raw,
		    struct nc3z_error *err);

#endif
