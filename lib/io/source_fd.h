/* The two kinds of sources on file descriptors. */
#ifndef NC3Z_IO_SOURCE_FD_H
#define NC3Z_IO_SOURCE_FD_H

#include "io/source.h"

/* source_pipe.c: a descriptor that is read in order and stays the caller's. */
int source_open_pipe(int fd, struct nc3z_source **source_ret,
		     struct nc3z_error *err);

#endif
