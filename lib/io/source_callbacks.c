/* SPDX-License-Identifier: MIT */
/* A caller's functions as a source. */
#include <errno.h>
#include <stdlib.h>

#include "base/options.h"
#include "io/source.h"

struct callbacks_source {
	struct nc3z_source base;
	struct nc3z_callbacks callbacks;
};

static int callbacks_read_at(struct nc3z_source *source, uint64_t offset,
			     void *data, size_t nbytes, size_t *nbytes_ret,
			     struct nc3z_error *err)
{
	struct callbacks_source *c = (struct callbacks_source *)source;
	size_t done = 0, got = 0;
	int sys_errno;

	do {
		sys_errno = c->callbacks.read_at(c->callbacks.context,
						 offset + done,
						 (char *)data + done,
						 nbytes - done, &got);
		if (sys_errno != 0)
			return error_set_system(err, sys_errno, "cannot read");
		if (got > nbytes - done)
			return error_set(err, NC3Z_EINVAL,
					 "callback read more than asked for");
		done += got;
	} while (got > 0 && done < nbytes);
	*nbytes_ret = done;
	return NC3Z_OK;
}

/* Without the function the caller vouches for that. */
static int callbacks_check_unchanged(struct nc3z_source *source,
				     struct nc3z_error *err)
{
	struct callbacks_source *c = (struct callbacks_source *)source;
	int sys_errno = 0;

	if (c->callbacks.check_unchanged)
		sys_errno = c->callbacks.check_unchanged(c->callbacks.context);
	if (sys_errno == ESTALE)
		return error_set(err, NC3Z_ECHANGED,
				 "source changed while it was read");
	return sys_errno == 0 ? NC3Z_OK :
				error_set_system(err, sys_errno, "cannot read");
}

static uint64_t callbacks_announce(struct nc3z_source *source,
				   const struct nc3z_range *ranges,
				   size_t nranges)
{
	struct callbacks_source *c = (struct callbacks_source *)source;

	c->callbacks.announce(c->callbacks.context, ranges, nranges);
	return 0;
}

static void callbacks_close(struct nc3z_source *source)
{
	struct callbacks_source *c = (struct callbacks_source *)source;

	if (c->callbacks.close)
		c->callbacks.close(c->callbacks.context);
	free(c);
}

static const struct source_ops callbacks_ops = {
	.read_at = callbacks_read_at,
	.check_unchanged = callbacks_check_unchanged,
	.close = callbacks_close,
};

static const struct source_ops announcing_ops = {
	.read_at = callbacks_read_at,
	.check_unchanged = callbacks_check_unchanged,
	.close = callbacks_close,
	.announce = callbacks_announce,
};

int nc3z_source_open_callbacks(const struct nc3z_callbacks *callbacks,
			       struct nc3z_source **source_ret,
			       struct nc3z_error *err)
{
	NC3Z_NEED(err, source_ret && callbacks);

	struct callbacks_source *c;

	struct nc3z_callbacks own = { 0 };

	NC3Z_TRY(options_copy(&own, sizeof(own), callbacks, err));
	if (!own.read_at)
		return error_set(err, NC3Z_EINVAL,
				 "there is no callback to read with");
	c = calloc(1, sizeof(*c));
	if (!c)
		return error_set_memory(err);
	c->base.ops = own.announce ? &announcing_ops : &callbacks_ops;
	c->base.size = own.size;
	c->base.can_seek = true;
	c->callbacks = own;
	*source_ret = &c->base;
	return NC3Z_OK;
}
