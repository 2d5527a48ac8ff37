/* SPDX-License-Identifier: MIT */
/* An exact netCDF-4 file: what its tail says. */
#ifndef NC3Z_EXACT_OPEN_H
#define NC3Z_EXACT_OPEN_H

#include "exact/chunk.h"
#include "exact/cover.h"
#include "io/source.h"
#include "nc3z_tools.h"

/* Zero-initialised it is empty. */
struct exact_file {
	struct exact_trailer trailer;
	struct exact_description description;
	struct cover cover;
};

/*
 * Reads trailer and description.  NC3Z_ENOTARCHIVE for a file that has none,
 * NC3Z_EDAMAGED, NC3Z_EUNSUPPORTED, NC3Z_EIO, NC3Z_ENOMEM; to be released in
 * any case.
 */
int exact_file_open(struct exact_file *f, struct nc3z_source *in,
		    struct nc3z_error *err);

/* Whether the HDF5 part is as it was made; NC3Z_EDAMAGED if not. */
int exact_file_check(const struct exact_file *f, struct nc3z_source *in,
		     struct nc3z_error *err);

void exact_file_release(struct exact_file *f);

#endif
