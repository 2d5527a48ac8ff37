/* SPDX-License-Identifier: MIT */
/*
 * What the library and libnc3z-hdf5 know of each other.  The latter is an
 * object of its own, loaded with the first netCDF-4 file that is made, so
 * that no other program carries HDF5.  It makes the container; the library
 * fills it, and reads such files without it.
 */
#ifndef NC3Z_EXACT_HDF5_ROOM_H
#define NC3Z_EXACT_HDF5_ROOM_H

#include "classic/header.h"

/* Both must have the same. */
#define HDF5_ROOM_VERSION 2

/* The name of the table in the object. */
#define HDF5_ROOM_SYMBOL "nc3z_hdf5_room"

/* Before the name of a variable that has a dimension's and is none of it. */
#define CONTAINER_NON_COORDINATE "_nc4_non_coord_"

/* The maximum rank of a dataset. */
#define HDF5_RANK_MAX 32

/* How a variable is stored. */
struct container_storage {
	bool is_chunked; /* otherwise contiguous */
	bool is_shuffled;
	int deflate_level; /* 0: not deflated */
	uint64_t chunks[HDF5_RANK_MAX];
};

struct container_plan {
	const struct classic_header
		*header; /* that container_refusal() takes */
	uint64_t numrecs;
	const struct container_storage *storage; /* of each variable */
	unsigned index_k; /* half the children of a node of chunk indexes */
	uint64_t index_nbytes; /* of all chunk indexes */
};

struct container;

/* Any thread may call these: they take turns. */
struct hdf5_room {
	unsigned version;
	unsigned fixed_k; /* 'index_k' if it cannot be chosen, or 0 */
	/* Makes a file in one that is open, and empty. */
	int (*create)(int fd, const struct container_plan *plan,
		      struct container **container_ret, struct nc3z_error *err);
	/* Writes the chunk that begins at these indices. */
	int (*put_chunk)(struct container *container, size_t variable,
			 const uint64_t *start, const void *data, size_t nbytes,
			 struct nc3z_error *err);
	/* Writes values of a contiguous variable, little-endian. */
	int (*put_box)(struct container *container, size_t variable,
		       const uint64_t *start, const uint64_t *count,
		       const void *data, struct nc3z_error *err);
	/* Opens a file that was made by the same plan, for locate(). */
	int (*open)(int fd, const struct container_plan *plan,
		    struct container **container_ret, struct nc3z_error *err);
	/*
	 * Where a chunk is, or with NULL all values of a contiguous variable.
	 */
	int (*locate)(struct container *container, size_t variable,
		      const uint64_t *start, uint64_t *address_ret,
		      uint64_t *nbytes_ret, struct nc3z_error *err);
	/* Closes the file; whatever it returns, the container is gone. */
	int (*close)(struct container *container, struct nc3z_error *err);
};

#endif
