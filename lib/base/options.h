/* SPDX-License-Identifier: MIT */
/*
 * Structs of options.  Callers may have been compiled with an older or a newer
 * nc3z.h, in which such a struct is shorter or longer.  So each begins with its
 * size, a size_t, and is only ever touched through these two functions.
 */
#ifndef NC3Z_BASE_OPTIONS_H
#define NC3Z_BASE_OPTIONS_H

#include <stddef.h>

#include "nc3z.h"

/*
 * Fills the caller's struct of 'options_nbytes' bytes: its size, as many of the
 * defaults as it has room for, and zeros in whatever this version of the
 * library does not know.  Nothing is written past 'options_nbytes'.
 */
void options_init(void *options, size_t options_nbytes, const void *defaults,
		  size_t defaults_nbytes);

/*
 * Copies the caller's struct over 'own', which holds the defaults.  Fields that
 * the caller's struct is too short for keep them; 'options' NULL keeps all.
 *
 * Returns NC3Z_OK; NC3Z_EINVAL if the size is no size, or if the struct is
 * longer than 'own' and has something other than zeros there.
 */
int options_copy(void *own, size_t own_nbytes, const void *options,
		 struct nc3z_error *err);

#endif
