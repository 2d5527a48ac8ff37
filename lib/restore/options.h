/* SPDX-License-Identifier: MIT */
/* The options of restoring and verifying. */
#ifndef NC3Z_RESTORE_OPTIONS_H
#define NC3Z_RESTORE_OPTIONS_H

#include "nc3z.h"

/*
 * The caller's options, or the defaults for NULL, as a struct of this version.
 * NC3Z_EINVAL for what nc3z_restore() does not take.
 */
int restore_options_copy(struct nc3z_restore_options *own,
			 const struct nc3z_restore_options *options,
			 struct nc3z_error *err);

/*
 * Whether an original that has so many bytes, or more, may be restored;
 * NC3Z_ELIMIT if not.
 */
int restore_check_size(const struct nc3z_restore_options *options,
		       uint64_t nbytes, struct nc3z_error *err);

#endif
