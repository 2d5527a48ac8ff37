/* SPDX-License-Identifier: MIT */
/*
 * Writing bytes, in a new file at their places.  What is never written reads as
 * zeros: so sparse files leave out what is zero, as far as it can make a hole.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/sizes.h"
#include "io/sink_file.h"

/* No more is written at once on every system. */
#define WRITE_MAX ((size_t)1 << 30)

/* Files have holes in multiples of this. */
#define HOLE_NBYTES ((size_t)4 << 10)

/*
 * The caller's descriptor may be a pipe, or have other bytes before ours: there
 * bytes are appended.
 */
static ssize_t write_some(const struct file_sink *f, uint64_t offset,
			  const uint8_t *data, size_t nbytes)
{
	nbytes = nbytes > WRITE_MAX ? WRITE_MAX : nbytes;
	return f->path ? pwrite(f->fd, data, nbytes, (off_t)offset) :
			 write(f->fd, data, nbytes);
}

static int write_all(const struct file_sink *f, uint64_t offset,
		     const uint8_t *data, size_t nbytes, struct nc3z_error *err)
{
	while (nbytes > 0) {
		ssize_t put = write_some(f, offset, data, nbytes);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return error_set_output(err, errno,
						"cannot write output");
		data += put;
		nbytes -= (size_t)put;
		offset += (uint64_t)put;
	}
	return NC3Z_OK;
}

static bool is_zero(const uint8_t *data, size_t nbytes)
{
	return data[0] == 0 && memcmp(data, data + 1, nbytes - 1) == 0;
}

/* How many bytes from 'offset' on are in the same unit of holes. */
static size_t unit_nbytes(uint64_t offset, size_t nbytes)
{
	return (size_t)size_min(nbytes, HOLE_NBYTES - offset % HOLE_NBYTES);
}

int sink_file_write_at(struct nc3z_sink *sink, uint64_t offset,
		       const void *data, size_t nbytes, struct nc3z_error *err)
{
	const struct file_sink *f = (const struct file_sink *)sink;
	const uint8_t *bytes = data;
	size_t begin = 0, at = 0; /* from 'begin' to 'at': to be written */

	if (!f->is_sparse)
		return write_all(f, offset, bytes, nbytes, err);
	while (at < nbytes) {
		size_t n = unit_nbytes(offset + at, nbytes - at);

		if (is_zero(bytes + at, n)) {
			NC3Z_TRY(write_all(f, offset + begin, bytes + begin,
					   at - begin, err));
			begin = at + n;
		}
		at += n;
	}
	return write_all(f, offset + begin, bytes + begin, nbytes - begin, err);
}

int sink_file_set_length(const struct file_sink *f, struct nc3z_error *err)
{
	if (f->is_sparse && ftruncate(f->fd, (off_t)f->base.position) != 0)
		return error_set_output(err, errno, "cannot write output");
	return NC3Z_OK;
}
