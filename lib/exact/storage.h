/* SPDX-License-Identifier: MIT */
/* How variables are stored in the HDF5 part: chunks, filters, places. */
#ifndef NC3Z_EXACT_STORAGE_H
#define NC3Z_EXACT_STORAGE_H

#include "exact/chunk.h"
#include "exact/hdf5_room.h"
#include "read/file.h"

/* A file that is read, and how it is going to be stored. */
struct storage {
	struct nc3z_file *file;
	int level; /* the codec's own; 0: nothing is deflated */
	unsigned index_k;
	uint64_t index_nbytes;
	/* An element for each variable; the first is for HDF5. */
	struct container_storage *containers;
	struct exact_variable *variables; /* also those that have no bytes */
};

/*
 * Chooses for all variables, from some of their values.  'chunks' are those of
 * the options.  'fixed_k' is that of the room.  What nc3z_get() returns,
 * NC3Z_EINVAL for wrong chunks; to be released in any case.
 */
int storage_choose(struct storage *s, struct nc3z_file *file,
		   const struct nc3z_pack_options *options, unsigned fixed_k,
		   struct nc3z_error *err);

/*
 * Reads a chunk of a variable that is cut as 'v' says, or of one that is
 * contiguous as much as a chunk would have: big-endian elements, zeros beyond
 * the edges.
 */
int storage_read(const struct storage *s, const struct exact_variable *v,
		 size_t variable, uint64_t number, uint8_t *raw,
		 struct nc3z_error *err);

void storage_release(struct storage *s);

/* refusal.c */

/*
 * NC3Z_EINVAL with the reason if netCDF-4 cannot represent a file with this
 * header.
 */
int exact_refuse(const struct classic_header *header, struct nc3z_error *err);

#endif
