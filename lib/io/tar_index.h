/* SPDX-License-Identifier: MIT */
/*
 * The index of a tar: a member of its own, the first, that says where the
 * others begin, so that they are found without reading the headers of all.
 * The manual page of nc3compress describes it.
 */
#ifndef NC3Z_IO_TAR_INDEX_H
#define NC3Z_IO_TAR_INDEX_H

#include <stdbool.h>

#include "base/status.h"

/* What the index is called, and how long it can be. */
#define TAR_INDEX_NAME ".nc3z-index"
#define TAR_INDEX_NBYTES_MAX (UINT32_C(64) << 20)

/* A line of it, or a member of a tar. */
struct tar_member {
	char *name;             /* from malloc(), without "./" */
	uint64_t header_offset; /* of the first of its headers */
	uint64_t nbytes;
	uint64_t region_nbytes; /* headers and contents */
	uint32_t number;        /* of the members of a tar, as they lie */
	bool is_gone;           /* the index was wrong about it */
};

struct tar_members {
	struct tar_member *list; /* by header_offset */
	size_t count;
	size_t capacity;
};

/*
 * Appends a member, sets its number, and takes over its name, which is NULL if
 * there was no memory for it; also if it fails.  NC3Z_ENOMEM.
 */
int tar_members_add(struct tar_members *members,
		    const struct tar_member *member, struct nc3z_error *err);

void tar_members_release(struct tar_members *members);

/*
 * Reads the text of an index into members, which are empty; offsets in it count
 * from 'base'.  '*end_ret' is where the tar ends.  NC3Z_EDAMAGED if the text is
 * no index, or one of another version; NC3Z_ENOMEM.
 */
int tar_index_parse(const uint8_t *text, size_t text_nbytes, uint64_t base,
		    struct tar_members *members, uint64_t *end_ret,
		    struct nc3z_error *err);

#endif
