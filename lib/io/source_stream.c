/* SPDX-License-Identifier: MIT */
/* Reading in order with a look back; see source_stream.h. */
#include "io/source_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"

#define KEPT_NBYTES ((size_t)64 << 10)

struct stream_source {
	struct nc3z_source base;
	const struct stream_origin *origin;
	void *self;
	uint64_t kept_offset; /* of the first byte kept */
	size_t kept_nbytes;
	uint8_t kept[KEPT_NBYTES];
};

/* Puts the next bytes in the place of those kept. */
static int refill(struct stream_source *p, struct nc3z_error *err)
{
	p->kept_offset += p->kept_nbytes;
	p->kept_nbytes = 0;
	return p->origin->read(p->self, p->kept, sizeof(p->kept),
			       &p->kept_nbytes, err);
}

/* Moves what is kept so that it begins at 'offset' and reads more. */
static int keep_from(struct stream_source *p, uint64_t offset,
		     struct nc3z_error *err)
{
	size_t skip = (size_t)(offset - p->kept_offset), got = 0;

	memmove(p->kept, p->kept + skip, p->kept_nbytes - skip);
	p->kept_offset = offset;
	p->kept_nbytes -= skip;
	NC3Z_TRY(p->origin->read(p->self, p->kept + p->kept_nbytes,
				 sizeof(p->kept) - p->kept_nbytes, &got, err));
	p->kept_nbytes += got;
	return NC3Z_OK;
}

/* A short read that can be repeated: all of it is kept. */
static int read_short(struct stream_source *p, uint64_t offset, size_t nbytes,
		      struct nc3z_error *err)
{
	size_t before;

	while (offset + nbytes > p->kept_offset + p->kept_nbytes) {
		before = p->kept_nbytes - (size_t)(offset - p->kept_offset);
		NC3Z_TRY(keep_from(p, offset, err));
		if (p->kept_nbytes == before)
			break; /* the end */
	}
	return NC3Z_OK;
}

static size_t copy_kept(const struct stream_source *p, uint64_t offset,
			void *data, size_t nbytes)
{
	uint64_t end = p->kept_offset + p->kept_nbytes;
	size_t n = (size_t)size_min(nbytes, end - offset);

	memcpy(data, p->kept + (offset - p->kept_offset), n);
	return n;
}

static int stream_read_at(struct nc3z_source *source, uint64_t offset,
			  void *data, size_t nbytes, size_t *nbytes_ret,
			  struct nc3z_error *err)
{
	struct stream_source *p = (struct stream_source *)source;
	size_t done = 0;

	if (offset < p->kept_offset || offset > p->kept_offset + p->kept_nbytes)
		return error_set(err, NC3Z_EINVAL, "input cannot seek");
	if (nbytes <= KEPT_NBYTES / 2)
		NC3Z_TRY(read_short(p, offset, nbytes, err));
	done = copy_kept(p, offset, data, nbytes);
	while (done < nbytes && nbytes > KEPT_NBYTES / 2) {
		size_t n;

		NC3Z_TRY(refill(p, err));
		n = copy_kept(p, offset + done, (uint8_t *)data + done,
			      nbytes - done);
		if (n == 0)
			break;
		done += n;
	}
	*nbytes_ret = done;
	return NC3Z_OK;
}

static int stream_check_unchanged(struct nc3z_source *source,
				  struct nc3z_error *err)
{
	struct stream_source *p = (struct stream_source *)source;

	return p->origin->check_unchanged ?
		       p->origin->check_unchanged(p->self, err) :
		       NC3Z_OK;
}

static void stream_close(struct nc3z_source *source)
{
	struct stream_source *p = (struct stream_source *)source;

	p->origin->close(p->self);
	free(p);
}

static const struct source_ops stream_ops = {
	.read_at = stream_read_at,
	.check_unchanged = stream_check_unchanged,
	.close = stream_close,
};

int source_open_stream(const struct stream_origin *origin, void *self,
		       struct nc3z_source **source_ret, struct nc3z_error *err)
{
	struct stream_source *p = calloc(1, sizeof(*p));

	if (!p)
		return error_set_memory(err);
	p->base.ops = &stream_ops;
	p->base.size = SOURCE_SIZE_UNKNOWN;
	p->origin = origin;
	p->self = self;
	*source_ret = &p->base;
	return NC3Z_OK;
}
