/* SPDX-License-Identifier: MIT */
/* A netCDF-4 file as its makers see it. */
#ifndef NC3Z_HDF5_CONTAINER_H
#define NC3Z_HDF5_CONTAINER_H

#include <hdf5.h>

#include "base/status.h"
#include "exact/hdf5_room.h"

/*
 * Up to so many datasets are listed in the root's header, which takes less
 * room; of more each takes too long to find there.
 */
#define COMPACT_LINKS_MAX 200

/*
 * Where HDF5 writes.  What fails there is kept here, and HDF5 is told that it
 * is done: it cannot close a file that it cannot write, and keeps it for the
 * end of the process.
 */
struct driver_output {
	int fd;             /* -1: not ours any more */
	int sys_errno;      /* of what failed first, or 0 */
	const char *failed; /* what that was */
	bool is_open;       /* by HDF5 */
	/* Once all else is made: of chunk indexes, which come before values. */
	uint64_t index_nbytes;
};

/* roles.c: what dimensions and variables are to each other. */
struct roles {
	/* Of each dimension: its coordinate variable, or SIZE_MAX. */
	size_t *coordinates;
	size_t *nuses;  /* how many times variables have it */
	bool *is_other; /* a variable that has the name of another dimension */
};

/* False if out of memory; to be released in any case. */
bool roles_init(struct roles *roles, const struct classic_header *header);
void roles_release(struct roles *roles);

struct container {
	struct driver_output *output;
	hid_t file;
	struct roles roles;
	size_t nvars;
	hid_t *vars; /* datasets */
	hid_t *dims; /* those of dimensions, or of their coordinates; 0: none */
};

/* A failure of HDF5: "what: the library's reason"; NC3Z_EIO. */
int hdf5_fail(struct nc3z_error *err, const char *what);

/* driver.c: what HDF5 reads and writes is this output, which outlives it. */
herr_t driver_set(hid_t access, struct driver_output *output);

/* types.c: as stored, and as the classic formats have them. */
hid_t type_in_file(enum classic_type type);
hid_t type_in_header(enum classic_type type);

/* datasets.c */

/*
 * Whether there are more than the root's header has names for, or more than
 * memory is to keep.
 */
bool datasets_are_many(const struct classic_header *header);

/* The name of a variable's dataset, from malloc(); NULL if out of memory. */
char *dataset_name(const struct container *c,
		   const struct classic_header *header, size_t variable);

/*
 * Makes the datasets of all dimensions and variables, in their order, with all
 * attributes.
 */
int datasets_create(struct container *c, const struct container_plan *plan,
		    struct nc3z_error *err);

/* attributes.c */

/* Of the file, with netCDF-4's own. */
int attributes_of_file(const struct container *c,
		       const struct classic_header *header,
		       struct nc3z_error *err);

/*
 * Of a variable, with netCDF-4's own.  '*is_complete_ret' is false if one of
 * its dimensions has no dataset yet.
 */
int attributes_of_variable(const struct container *c,
			   const struct classic_header *header, size_t i,
			   bool *is_complete_ret, struct nc3z_error *err);

/* What makes a dataset the scale of a dimension. */
int attributes_of_scale(const struct container *c,
			const struct container_plan *plan, size_t dimid,
			struct nc3z_error *err);

/*
 * References from variables to dimensions, where these are not complete yet,
 * and all those back.
 */
int attributes_of_uses(const struct container *c,
		       const struct classic_header *header,
		       const bool *are_complete, struct nc3z_error *err);

#endif
