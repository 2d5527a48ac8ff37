/* SPDX-License-Identifier: MIT */
/* A run of memory as a source. */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "io/source.h"

struct memory_source {
	struct nc3z_source base;
	const uint8_t *data;
};

static int memory_read_at(struct nc3z_source *source, uint64_t offset,
			  void *data, size_t nbytes, size_t *nbytes_ret,
			  struct nc3z_error *err)
{
	struct memory_source *m = (struct memory_source *)source;
	uint64_t start = size_min(offset, source->size);

	(void)err;
	nbytes = (size_t)size_min(nbytes, source->size - start);
	if (nbytes > 0)
		memcpy(data, m->data + start, nbytes);
	*nbytes_ret = nbytes;
	return NC3Z_OK;
}

static int memory_check_unchanged(struct nc3z_source *source,
				  struct nc3z_error *err)
{
	(void)source;
	(void)err;
	return NC3Z_OK;
}

static void memory_close(struct nc3z_source *source)
{
	free(source);
}

static const struct source_ops memory_ops = {
	.read_at = memory_read_at,
	.check_unchanged = memory_check_unchanged,
	.close = memory_close,
};

int nc3z_source_open_memory(const void *data, size_t data_nbytes,
			    struct nc3z_source **source_ret,
			    struct nc3z_error *err)
{
	NC3Z_NEED(err, source_ret && (data || data_nbytes == 0));

	struct memory_source *m = calloc(1, sizeof(*m));

	if (!m)
		return error_set_memory(err);
	m->base.ops = &memory_ops;
	m->base.size = data_nbytes;
	m->base.can_seek = true;
	m->data = data;
	*source_ret = &m->base;
	return NC3Z_OK;
}
