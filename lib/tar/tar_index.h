/* SPDX-License-Identifier: MIT */
/*
 * The index of a tar: a member of its own, the first, that lists the others, so
 * that they are found without reading the headers of all.  The manual page of
 * nc3compress describes it.
 *
 * It has the length of each member's headers and contents, and no offsets: each
 * member begins where the one before it ends, and the last one ends where the
 * index says that the tar does.  So nothing can be left out of it by mistake,
 * and no member can lie inside another.
 *
 * Nothing more can be known without reading all headers.  If the members before
 * and after a member are as the index says, then it is where the index says and
 * the last one of its name.  But a header that was not read can have another
 * length in it: then what follows is inside that member, or hides another one.
 * So tar.c compares the headers of the members that are opened, and
 * nc3z_tar_check_index() those of all others: then all are known to be as the
 * index says, from the first one to the last.
 */
#ifndef NC3Z_TAR_TAR_INDEX_H
#define NC3Z_TAR_TAR_INDEX_H

#include "tar/tar_members.h"

/* What the index is called, and how long it can be. */
#define TAR_INDEX_NAME ".nc3z-index"
#define TAR_INDEX_NBYTES_MAX (UINT32_C(64) << 20)

/*
 * Reads the text of an index into members, which are empty; the first of them
 * begins at 'base'.  '*end_ret' is where the tar ends.  NC3Z_EDAMAGED if the
 * text is no index, or one of another version; NC3Z_ENOMEM.
 */
int tar_index_parse(const uint8_t *text, size_t text_nbytes, uint64_t base,
		    struct tar_members *members, uint64_t *end_ret,
		    struct nc3z_error *err);

#endif
