/* SPDX-License-Identifier: MIT */
/* What is in a tar, by name. */
#ifndef NC3Z_TAR_TAR_MEMBERS_H
#define NC3Z_TAR_TAR_MEMBERS_H

#include <stdbool.h>

#include "base/status.h"

struct tar_member {
	char *name; /* from malloc(), without "./" */
	/* A hard link: the name in the header where its bytes lie; or NULL. */
	char *file_name;
	const char *left_out;   /* why it cannot be read; NULL: it can */
	uint64_t header_offset; /* of the first of its headers */
	uint64_t nbytes;
	uint64_t region_nbytes; /* headers and contents */
	uint32_t number;        /* as they lie */
	bool is_unseen;         /* the index has it; its header was not read */
	bool is_gone;           /* there is none, or a later one of its name */
	bool is_bare;           /* its header is damaged, its place is known */
};

/* From a damaged header to the next one, or to the end of the tar. */
struct tar_gap {
	uint64_t offset;
	uint64_t next;
};

struct tar_members {
	struct tar_member *list; /* by header_offset */
	size_t count;
	size_t nhidden; /* after these: those that later ones replace */
	size_t capacity;
	struct tar_gap *gaps; /* in the order of the tar */
	size_t ngaps;
	size_t gaps_capacity;
};

/*
 * Appends a member, sets its number, and takes over its names; 'name' is NULL
 * if there was no memory for one.  Also if it fails.  NC3Z_ENOMEM.
 */
int tar_members_add(struct tar_members *members,
		    const struct tar_member *member, struct nc3z_error *err);

void tar_members_release(struct tar_members *members);

/*
 * After all have been added, in the order of the tar: gives hard links the
 * place of their files, hides members that later ones of the same name replace,
 * and sets '*sorted_ret' to the others by name.  NC3Z_ENOMEM.
 */
int tar_members_sort(struct tar_members *members,
		     struct tar_member ***sorted_ret, struct nc3z_error *err);

/* NULL: there is none. */
struct tar_member *tar_members_find(struct tar_member **sorted, size_t n,
				    const char *name);

#endif
