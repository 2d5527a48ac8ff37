/* SPDX-License-Identifier: MIT */
/*
 * The contents of a gzip, bzip2, zstd or xz file as a source that is read in
 * order.  A file may have several members, one after the other; bytes that
 * begin no member are damage, but for zero bytes, which xz pads with and tapes
 * and block devices leave.
 */
#include <stdlib.h>
#include <string.h>

#include "base/magic.h"
#include "io/source_stream.h"
#include "io/unpacker.h"

#define IN_NBYTES ((size_t)64 << 10)

struct unpack_origin {
	struct nc3z_source *inner;
	const struct unpacker_ops *ops;
	void *state;
	bool at_boundary; /* between members */
	bool at_end;      /* of the inner source, as far as read */
	uint64_t in_offset;
	/* A failure after the bytes that have been given; else OK. */
	int failed;
	struct nc3z_error failure;
	struct unpacker_buffers buffers;
	uint8_t in[IN_NBYTES];
};

/* Reads more input after what is left of it. */
static int refill(struct unpack_origin *u, struct nc3z_error *err)
{
	struct unpacker_buffers *b = &u->buffers;
	size_t got;

	memmove(u->in, b->in, b->in_nbytes);
	b->in = u->in;
	NC3Z_TRY(source_read_at(u->inner, u->in_offset, u->in + b->in_nbytes,
				IN_NBYTES - b->in_nbytes, &got, err));
	u->in_offset += got;
	u->at_end = got < IN_NBYTES - b->in_nbytes;
	b->in_nbytes += got;
	return NC3Z_OK;
}

static bool begins_member(const struct unpack_origin *u)
{
	const struct unpacker_buffers *b = &u->buffers;

	return unpacker_for(b->in, b->in_nbytes) == u->ops;
}

/* Between members: zeros are skipped, then another begins. */
static int cross_boundary(struct unpack_origin *u, struct nc3z_error *err)
{
	struct unpacker_buffers *b = &u->buffers;

	while (b->in_nbytes > 0 && b->in[0] == 0) {
		b->in++;
		b->in_nbytes--;
	}
	if (b->in_nbytes < MAGIC_NBYTES && !u->at_end)
		return refill(u, err);
	u->at_boundary = !begins_member(u);
	if (u->at_boundary && b->in_nbytes > 0)
		return error_set(err, NC3Z_EDAMAGED,
				 "bytes after the end of the %s data",
				 u->ops->name);
	return NC3Z_OK;
}

static int unpack_step(struct unpack_origin *u, struct nc3z_error *err)
{
	struct unpacker_buffers *b = &u->buffers;
	size_t in = b->in_nbytes, out = b->out_nbytes;

	NC3Z_TRY(u->ops->step(u->state, b, &u->at_boundary, err));
	if (u->at_end && in == b->in_nbytes && out == b->out_nbytes &&
	    !u->at_boundary)
		return error_set(err, NC3Z_EDAMAGED, "%s data are cut off",
				 u->ops->name);
	return NC3Z_OK;
}

/* Until there is output, or the end. */
static int unpack_some(struct unpack_origin *u, size_t nbytes,
		       struct nc3z_error *err)
{
	struct unpacker_buffers *b = &u->buffers;

	while (b->out_nbytes == nbytes) {
		if (b->in_nbytes == 0 && !u->at_end)
			NC3Z_TRY(refill(u, err));
		if (u->at_boundary && b->in_nbytes == 0 && u->at_end)
			break;
		NC3Z_TRY(u->at_boundary ? cross_boundary(u, err) :
					  unpack_step(u, err));
	}
	return NC3Z_OK;
}

/* Bytes that came out before something went wrong are given first. */
static int unpack_read(void *self, void *data, size_t nbytes,
		       size_t *nbytes_ret, struct nc3z_error *err)
{
	struct unpack_origin *u = self;
	struct unpacker_buffers *b = &u->buffers;

	b->out = data;
	b->out_nbytes = nbytes;
	if (u->failed == NC3Z_OK)
		u->failed = unpack_some(u, nbytes, &u->failure);
	*nbytes_ret = nbytes - b->out_nbytes;
	if (u->failed != NC3Z_OK && *nbytes_ret == 0) {
		if (err)
			*err = u->failure;
		return u->failed;
	}
	return NC3Z_OK;
}

static int unpack_check_unchanged(void *self, struct nc3z_error *err)
{
	const struct unpack_origin *u = self;

	return source_check_unchanged(u->inner, err);
}

static void unpack_close(void *self)
{
	struct unpack_origin *u = self;

	u->ops->close(u->state);
	nc3z_source_close(u->inner);
	free(u);
}

static const struct stream_origin unpack_ops = {
	.read = unpack_read,
	.check_unchanged = unpack_check_unchanged,
	.close = unpack_close,
};

static int open_unpack(const struct unpacker_ops *ops,
		       struct nc3z_source **source, struct nc3z_error *err)
{
	struct unpack_origin *u = calloc(1, sizeof(*u));
	int status;

	if (!u)
		return error_set_memory(err);
	u->ops = ops;
	u->inner = *source;
	u->buffers.in = u->in;
	u->state = ops->open();
	if (!u->state) {
		free(u);
		return error_set_memory(err);
	}
	status = source_open_stream(&unpack_ops, u, source, err);
	if (status != NC3Z_OK) {
		ops->close(u->state);
		free(u);
	}
	return status;
}

int nc3z_source_unpack(struct nc3z_source **source, const char **format_ret,
		       struct nc3z_error *err)
{
	NC3Z_NEED(err, source && *source && format_ret);

	uint8_t magic[MAGIC_NBYTES];
	const struct unpacker_ops *ops;
	size_t got;

	NC3Z_TRY(source_read_at(*source, 0, magic, sizeof(magic), &got, err));
	ops = unpacker_for(magic, got);
	*format_ret = ops ? ops->name : NULL;
	return ops ? open_unpack(ops, source, err) : NC3Z_OK;
}
