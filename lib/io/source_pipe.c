/* SPDX-License-Identifier: MIT */
/* File descriptors that cannot seek: pipes, sockets, terminals. */
#include <errno.h>
#include <stdlib.h>

#include "io/file.h"
#include "io/source_stream.h"

struct pipe_origin {
	int fd;
};

static int pipe_read(void *self, void *data, size_t nbytes, size_t *nbytes_ret,
		     struct nc3z_error *err)
{
	const struct pipe_origin *p = self;
	ssize_t got = file_read_next(p->fd, data, nbytes);

	if (got < 0)
		return error_set_system(err, errno, "cannot read");
	*nbytes_ret = (size_t)got;
	return NC3Z_OK;
}

static const struct stream_origin pipe_origin_ops = {
	.read = pipe_read,
	.close = free,
};

int source_open_pipe(int fd, struct nc3z_source **source_ret,
		     struct nc3z_error *err)
{
	struct pipe_origin *p = malloc(sizeof(*p));
	int status;

	if (!p)
		return error_set_memory(err);
	p->fd = fd;
	status = source_open_stream(&pipe_origin_ops, p, source_ret, err);
	if (status != NC3Z_OK)
		free(p);
	return status;
}
