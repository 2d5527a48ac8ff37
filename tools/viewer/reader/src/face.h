/* SPDX-License-Identifier: MIT */
/*
 * The face of the WebAssembly module: what core.ts calls.  Handles are
 * pointers; one call runs at a time.  What failed last is in face_error.
 */
#ifndef NC3Z_VIEWER_FACE_H
#define NC3Z_VIEWER_FACE_H

#include <stdbool.h>

#include "nc3z.h"

extern struct nc3z_error face_error;

/* netCDF has no more, either. */
#define FACE_DIMS_MAX 1024

/* A hyperslab; core.ts writes it. */
struct face_slab {
	size_t start[FACE_DIMS_MAX];
	size_t count[FACE_DIMS_MAX];
	ptrdiff_t stride[FACE_DIMS_MAX];
};

static inline struct nc3z_hyperslab face_slab_of(const struct face_slab *slab)
{
	return (struct nc3z_hyperslab){ slab->start, slab->count, slab->stride,
					NULL };
}

/*
 * Opens the source of that number in JavaScript; NULL after a failure.  One
 * that is read in order need not hear what will be read.
 */
struct nc3z_source *face_source(int id, double size, bool hears);

/* Progress, with the source's number as context. */
void face_progress(void *context, uint64_t original_nbytes,
		   uint64_t archive_nbytes);

#endif
