/* SPDX-License-Identifier: MIT */
#include "in_memory.h"

#include "check.h"

struct nc3z_source *memory_source(const void *data, size_t nbytes)
{
	struct nc3z_source *source = NULL;

	CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) == NC3Z_OK);
	return source;
}

struct nc3z_sink *memory_sink(void)
{
	struct nc3z_sink *sink = NULL;

	CHECK(nc3z_sink_open_memory(SIZE_MAX, &sink, NULL) == NC3Z_OK);
	return sink;
}

void memory_sink_take(struct nc3z_sink *sink, struct blob *out)
{
	size_t nbytes;
	const void *data = nc3z_sink_memory(sink, &nbytes);

	blob_put(out, data, nbytes);
	nc3z_sink_close(sink);
}

void memory_pack(const struct blob *file,
		 const struct nc3z_pack_options *options, struct blob *archive)
{
	struct nc3z_source *source = memory_source(file->data, file->nbytes);
	struct nc3z_sink *sink = memory_sink();

	if (CHECK(nc3z_pack(source, sink, options, NULL, NULL) == NC3Z_OK))
		memory_sink_take(sink, archive);
	else
		nc3z_sink_close(sink);
	nc3z_source_close(source);
}

int memory_restore(const struct blob *archive, struct blob *original)
{
	struct nc3z_source *source =
		memory_source(archive->data, archive->nbytes);
	struct nc3z_sink *sink = memory_sink();
	int status = nc3z_restore(source, sink, NULL, NULL, NULL);

	memory_sink_take(sink, original);
	nc3z_source_close(source);
	return status;
}

/* No call sets this status: it stays if nothing is wrong. */
#define NO_STATUS (-1)

void exact_read_begin(struct exact_read *r, const void *data, size_t nbytes)
{
	*r = (struct exact_read){ .copy = copy_exactly(data, nbytes),
				  .err = { .status = NO_STATUS } };
	r->source = memory_source(r->copy, nbytes);
}

int exact_read_end(struct exact_read *r, int status)
{
	CHECK(r->err.status == (status == NC3Z_OK ? NO_STATUS : status));
	nc3z_source_close(r->source);
	free(r->copy);
	return status;
}
