/* SPDX-License-Identifier: MIT */
/*
 * The headers of a tar, as POSIX (ustar, pax) and GNU tar write them.
 * Functions of bytes.
 */
#ifndef NC3Z_TAR_TAR_HEADER_H
#define NC3Z_TAR_TAR_HEADER_H

#include <stdbool.h>

#include "base/status.h"
#include "io/source.h"

#define TAR_BLOCK_NBYTES 512u

/* The longest names of a header, and the longest of extension headers. */
#define TAR_NAME_NBYTES_MAX 256u
#define TAR_LINK_NBYTES_MAX 100u
#define TAR_EXTENSION_NBYTES_MAX (UINT32_C(1) << 20)

enum tar_kind {
	TAR_END,       /* a block of zeros */
	TAR_FILE,      /* a regular file */
	TAR_DIRECTORY, /* or a label: nothing is lost without it */
	TAR_HARD_LINK, /* another name of a file */
	TAR_SYMBOLIC_LINK,
	TAR_OTHER,         /* a device, a pipe or something unknown */
	TAR_SPARSE,        /* a file with holes, as GNU tar stores it */
	TAR_LONG_NAME,     /* GNU: the name of the next member */
	TAR_LONG_LINK,     /* GNU: what that is a link to */
	TAR_RECORDS,       /* pax: records about the next member */
	TAR_GLOBAL_RECORDS /* pax: about all that follow */
};

struct tar_header {
	enum tar_kind kind;
	uint64_t nbytes; /* of the contents, which follow in whole blocks */
	struct source_member file;
	bool has_more; /* of TAR_SPARSE: another block of header follows */
	char name[TAR_NAME_NBYTES_MAX + 1];
	char link[TAR_LINK_NBYTES_MAX + 1]; /* what a link leads to */
};

/* NC3Z_EDAMAGED if the block is not a header. */
int tar_header_parse(const uint8_t block[TAR_BLOCK_NBYTES],
		     struct tar_header *header_ret, struct nc3z_error *err);

/* Whether another block of header follows that of a file with holes. */
bool tar_sparse_has_more(const uint8_t block[TAR_BLOCK_NBYTES]);

/* What extension headers say of the next member. */
struct tar_extension {
	char *name; /* from malloc(), as the next two; NULL: nothing */
	char *link;
	char *sparse_name; /* of a file with holes, where 'name' is made up */
	bool has_nbytes;
	uint64_t nbytes;
	struct source_member file; /* its time, if that is known */
	bool is_sparse; /* the contents are not the file's bytes alone */
};

void tar_extension_release(struct tar_extension *extension);

/* The contents of TAR_LONG_NAME or _LINK.  NC3Z_EDAMAGED, NC3Z_ENOMEM. */
int tar_long_name_parse(const uint8_t *data, size_t data_nbytes,
			char **name_ret, struct nc3z_error *err);

/* The contents of TAR_RECORDS.  NC3Z_EDAMAGED, NC3Z_ENOMEM. */
int tar_records_parse(const uint8_t *data, size_t data_nbytes,
		      struct tar_extension *extension, struct nc3z_error *err);

/* A name without "./" at its beginning. */
const char *tar_plain_name(const char *name);

#endif
