/* The packer: a classic file of JavaScript into an archive in memory. */
#include <emscripten.h>

#include "viewer/reader/src/face.h"

static struct nc3z_sink *sink;

EMSCRIPTEN_KEEPALIVE int face_pack(int id, double size, int level,
				   double max_nbytes)
{
	struct nc3z_source *source = face_source(id, size, false);
	struct nc3z_pack_options options;
	int status;

	if (!source)
		return face_error.status;
	nc3z_sink_close(sink);
	sink = NULL;
	status = nc3z_sink_open_memory((size_t)max_nbytes, &sink, &face_error);
	if (status == NC3Z_OK) {
		nc3z_pack_options_init(&options);
		options.nthreads = 1;
		options.level = level;
		options.context = (void *)(intptr_t)id;
		options.progress = face_progress;
		status = nc3z_pack(source, sink, &options, NULL, &face_error);
	}
	nc3z_source_close(source);
	return status;
}

/* The archive, valid until the next call of face_pack(). */
EMSCRIPTEN_KEEPALIVE const void *face_packed(void)
{
	size_t nbytes;

	return nc3z_sink_memory(sink, &nbytes);
}

EMSCRIPTEN_KEEPALIVE double face_packed_nbytes(void)
{
	size_t nbytes;

	nc3z_sink_memory(sink, &nbytes);
	return (double)nbytes;
}
