/* SPDX-License-Identifier: MIT */
/*
 * Bytes from JavaScript.  Where they are not there yet, core.ts notes which are
 * missing and the read fails with EAGAIN: it fetches them and calls again.
 */
#include <emscripten.h>
#include <errno.h>

#include "viewer/reader/src/face.h"

struct nc3z_error face_error;

EM_JS(int, js_read_at, (int id, double offset, void *data, int nbytes),
      { return Module.readAt(id, offset, data, nbytes); });

EM_JS(void, js_announce, (int id, double offset, double nbytes),
      { Module.announce(id, offset, nbytes); });

EM_JS(void, js_progress, (int id, double original, double archive),
      { Module.progress(id, original, archive); });

static int read_at(void *context, uint64_t offset, void *data, size_t nbytes,
		   size_t *nbytes_ret)
{
	int got = js_read_at((int)(intptr_t)context, (double)offset, data,
			     (int)nbytes);

	*nbytes_ret = got < 0 ? 0 : (size_t)got;
	return got < 0 ? EAGAIN : 0;
}

/* So that core.ts knows all that a call needs before the first read fails. */
static void announce_ranges(void *context, const struct nc3z_range *ranges,
			    size_t nranges)
{
	for (size_t i = 0; i < nranges; i++)
		js_announce((int)(intptr_t)context, (double)ranges[i].offset,
			    (double)ranges[i].nbytes);
}

struct nc3z_source *face_source(int id, double size, bool hears)
{
	struct nc3z_callbacks callbacks = {
		.callbacks_nbytes = sizeof(callbacks),
		.context = (void *)(intptr_t)id,
		.size = (uint64_t)size,
		.read_at = read_at,
		.announce = hears ? announce_ranges : NULL,
	};
	struct nc3z_source *source;

	return nc3z_source_open_callbacks(&callbacks, &source, &face_error) ==
			       NC3Z_OK ?
		       source :
		       NULL;
}

void face_progress(void *context, uint64_t original_nbytes,
		   uint64_t archive_nbytes)
{
	js_progress((int)(intptr_t)context, (double)original_nbytes,
		    (double)archive_nbytes);
}

EMSCRIPTEN_KEEPALIVE const char *face_error_text(void)
{
	return face_error.text;
}

EMSCRIPTEN_KEEPALIVE int face_error_status(void)
{
	return face_error.status;
}

/* NC3Z_NO_NUMBER, as a number below 0, if no block is to blame. */
EMSCRIPTEN_KEEPALIVE double face_error_stream(void)
{
	return face_error.block == NC3Z_NO_NUMBER ? -1. :
						    (double)face_error.stream;
}

EMSCRIPTEN_KEEPALIVE double face_error_block(void)
{
	return face_error.block == NC3Z_NO_NUMBER ? -1. :
						    (double)face_error.block;
}
