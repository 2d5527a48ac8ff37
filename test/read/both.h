/* SPDX-License-Identifier: MIT */
/* The same call to libnetcdf and to the library, through typed functions. */
#ifndef READ_BOTH_H
#define READ_BOTH_H

#include "nc3z.h"
#include "hyperslab/hyperslab.h"

/* A type in memory, with the functions that read it. */
struct both_type {
	const char *name;
	int memtype;   /* enum nc3z_type; NC3Z_NAT is the untyped call */
	size_t nbytes; /* 0 for NC3Z_NAT */
	int (*ours)(struct nc3z_file *file, int varid,
		    const struct hyperslab_request *request, void *values,
		    struct nc3z_error *err);
	int (*theirs)(int ncid, int varid,
		      const struct hyperslab_request *request, void *values);
};

#define BOTH_NTYPES 13
extern const struct both_type both_types[BOTH_NTYPES];

/* Our status for one of libnetcdf's; -1 if it has none. */
int both_status(int nc_status);

#endif
