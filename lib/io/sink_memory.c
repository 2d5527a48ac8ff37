/* SPDX-License-Identifier: MIT */
/* A growing run of memory, up to a maximum, as a sink. */
#include <stdlib.h>

#include "base/memory.h"
#include "io/sink.h"

struct memory_sink {
	struct nc3z_sink base;
	struct buffer bytes;
	size_t max_nbytes;
};

static int memory_append(struct nc3z_sink *sink, const void *data,
			 size_t nbytes, struct nc3z_error *err)
{
	struct memory_sink *m = (struct memory_sink *)sink;

	if (nbytes > m->max_nbytes - m->bytes.nbytes)
		return error_set(err, NC3Z_ELIMIT, "output is too large");
	if (!buffer_append(&m->bytes, data, nbytes))
		return error_set_memory(err);
	return NC3Z_OK;
}

static int memory_commit(struct nc3z_sink *sink, struct nc3z_error *err)
{
	(void)sink;
	(void)err;
	return NC3Z_OK;
}

static void memory_close(struct nc3z_sink *sink)
{
	struct memory_sink *m = (struct memory_sink *)sink;

	buffer_release(&m->bytes);
	free(m);
}

static const struct sink_ops memory_ops = {
	.append = memory_append,
	.commit = memory_commit,
	.close = memory_close,
};

int nc3z_sink_open_memory(size_t max_nbytes, struct nc3z_sink **sink_ret,
			  struct nc3z_error *err)
{
	NC3Z_NEED(err, sink_ret);

	struct memory_sink *m = calloc(1, sizeof(*m));

	if (!m)
		return error_set_memory(err);
	m->base.ops = &memory_ops;
	m->max_nbytes = max_nbytes;
	*sink_ret = &m->base;
	return NC3Z_OK;
}

const void *nc3z_sink_memory(const struct nc3z_sink *sink,
			     size_t *data_nbytes_ret)
{
	if (!sink || !data_nbytes_ret)
		return NULL;

	const struct memory_sink *m = (const struct memory_sink *)sink;

	if (sink->ops != &memory_ops) {
		*data_nbytes_ret = 0;
		return NULL;
	}
	*data_nbytes_ret = m->bytes.nbytes;
	return m->bytes.data;
}
