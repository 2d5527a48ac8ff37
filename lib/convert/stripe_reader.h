/* SPDX-License-Identifier: MIT */
/*
 * The original of an open archive as a source that is read in order: stripes
 * are put together when their first byte is wanted, by several threads, and go
 * when all of them have been read.
 */
#ifndef NC3Z_CONVERT_STRIPE_READER_H
#define NC3Z_CONVERT_STRIPE_READER_H

#include "convert/stripe_plan.h"
#include "read/file.h"

/*
 * '*source_ret' has the size of the original and cannot seek.  File and plan
 * outlive it; it is used by one thread.  Reading returns what nc3z_pread()
 * returns.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM, NC3Z_EIO (threads cannot be had).
 */
int stripe_reader_open(struct nc3z_file *file, const struct stripe_plan *plan,
		       unsigned nthreads, struct nc3z_source **source_ret,
		       struct nc3z_error *err);

#endif
