/* SPDX-License-Identifier: MIT */
/*
 * Loading libnc3z-remote: remote_load.c, or remote_none.c where the library is
 * built without reading URLs, as programs that are linked statically are.
 */
#ifndef NC3Z_IO_REMOTE_LOAD_H
#define NC3Z_IO_REMOTE_LOAD_H

#include "io/remote_room.h"

/* NULL if there is none; 'why_not' says why, with a 0 at its end. */
const struct remote_room *remote_load(char *why_not, size_t why_not_nbytes);

#endif
