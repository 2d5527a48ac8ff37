/* SPDX-License-Identifier: MIT */
/* The header of a file to be packed. */
#ifndef NC3Z_WRITE_PACK_HEADER_H
#define NC3Z_WRITE_PACK_HEADER_H

#include "base/memory.h"
#include "classic/header.h"
#include "io/source.h"

/*
 * Reads the first bytes of a file until its header is whole, and parses that;
 * memory grows with what is there.  Both results are to be released also after
 * a failure: NC3Z_ENOTCLASSIC, NC3Z_ELIMIT, NC3Z_ENOMEM, what reading returns.
 */
int pack_header_read(struct nc3z_source *in, struct buffer *head,
		     struct classic_header *header, struct nc3z_error *err);

#endif
