/* SPDX-License-Identifier: MIT */
/* A function that takes the bytes in order, as a sink. */
#include <stdlib.h>

#include "io/sink.h"
#include "nc3z_tools.h"

struct function_sink {
	struct nc3z_sink base;
	nc3z_take_fn *take;
	void *context;
};

static int function_append(struct nc3z_sink *sink, const void *data,
			   size_t nbytes, struct nc3z_error *err)
{
	struct function_sink *f = (struct function_sink *)sink;

	return f->take(f->context, data, nbytes, err);
}

static int function_commit(struct nc3z_sink *sink, struct nc3z_error *err)
{
	(void)sink;
	(void)err;
	return NC3Z_OK;
}

static void function_close(struct nc3z_sink *sink)
{
	free(sink);
}

static const struct sink_ops function_ops = {
	.append = function_append,
	.commit = function_commit,
	.close = function_close,
};

int nc3z_sink_open_function(nc3z_take_fn *take, void *context,
			    struct nc3z_sink **sink_ret, struct nc3z_error *err)
{
	struct function_sink *f = calloc(1, sizeof(*f));

	if (!f)
		return error_set_memory(err);
	f->base.ops = &function_ops;
	f->take = take;
	f->context = context;
	*sink_ret = &f->base;
	return NC3Z_OK;
}
