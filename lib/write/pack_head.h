/* SPDX-License-Identifier: MIT */
/* What packing knows of a file before its first block: header and plan. */
#ifndef NC3Z_WRITE_PACK_HEAD_H
#define NC3Z_WRITE_PACK_HEAD_H

#include "io/source.h"
#include "write/block_writer.h"
#include "write/pack_shape.h"

/* Zero-initialised it is empty. */
struct pack_head {
	struct buffer bytes; /* the first of the file, with the header */
	struct classic_header header;
	struct pack_shape shape;
	struct buffer plan; /* the shape's, as bytes */
};

/*
 * Reads the first bytes of a file, with its header.  To be released also after
 * a failure.  Returns what nc3z_pack() returns for headers and reading.
 */
int pack_head_read(struct pack_head *head, struct nc3z_source *in,
		   struct nc3z_error *err);

/*
 * Makes the plan, with a warning for each oddity that is kept as it is.
 * Returns what nc3z_pack() returns for options.
 */
int pack_head_plan(struct pack_head *head, const struct pack_settings *settings,
		   struct nc3z_error *err);

/*
 * Warns if a file ends before the data of which its header speaks, or has
 * records that it does not count, or other bytes after these; where 'in' can be
 * read there, also of another file.
 */
void pack_warn_of_size(const struct pack_head *head,
		       const struct nc3z_pack_options *options,
		       struct nc3z_source *in, uint64_t size);

/* For the writer of the blocks; all arguments outlive it. */
struct block_writer_setup pack_head_setup(const struct pack_head *head,
					  const struct pack_settings *settings,
					  struct archive_writer *archive);

void pack_head_release(struct pack_head *head);

/* Calls the warning function of the options, if there is one. */
void pack_warn(const struct nc3z_pack_options *options, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
