/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* pread() */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sizes.h"
#include "exact/cover.h"
#include "exact/writer.h"
#include "nc3z_tools.h"

#define STEP_NBYTES ((size_t)1 << 18)

int writer_finish_part(struct exact_writer *w)
{
	struct sha256 *sha = sha256_new();
	uint8_t *data = malloc(STEP_NBYTES);
	int status = sha && data ? NC3Z_OK : error_set_memory(w->err);
	uint64_t at = 0;
	ssize_t n = 1;

	while (status == NC3Z_OK && n != 0) {
		n = pread(w->fd, data, STEP_NBYTES, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			status = error_set_system(w->err, errno,
						  "cannot read output");
		if (n <= 0)
			break;
		status = sha256_update(sha, data, (size_t)n, w->err);
		if (status == NC3Z_OK && w->temporary)
			status = sink_append(w->out, data, (size_t)n, w->err);
		else if (status == NC3Z_OK && w->out->hash)
			status = sha256_update(w->out->hash, data, (size_t)n,
					       w->err);
		at += (uint64_t)n;
	}
	if (status == NC3Z_OK)
		status = sha256_final(sha, w->trailer.hdf5_sha256, w->err);
	w->trailer.hdf5_nbytes = at;
	if (!w->temporary)
		sink_end(w->out, at);
	free(data);
	sha256_free(sha);
	return status;
}

/* Reads the next bytes of the rest, and says where to go on. */
static int read_rest(struct exact_writer *w, const struct cover *cover,
		     uint64_t *offset, uint8_t *frame, size_t *nbytes)
{
	uint64_t size = w->trailer.original_nbytes;

	while (*offset < size && *nbytes < EXACT_FRAME_NBYTES) {
		uint64_t run;
		size_t n, got;

		if (!cover_is_rest(cover, *offset, &run)) {
			*offset += run;
			continue;
		}
		n = (size_t)size_min(run, EXACT_FRAME_NBYTES - *nbytes);
		NC3Z_TRY(nc3z_pread(w->file, frame + *nbytes, n, *offset, &got,
				    w->err));
		if (got != n)
			return error_set(w->err, NC3Z_ECHANGED,
					 "file changed while it was read");
		*offset += n;
		*nbytes += n;
	}
	return NC3Z_OK;
}

/* Deflates at the highest level; what does not get smaller stays as it is. */
static int append_deflated(struct exact_writer *w, const uint8_t *raw,
			   size_t nbytes, bool may_store,
			   struct exact_place *place)
{
	const struct codec_settings how = {
		.codec = NC3Z_CODEC_DEFLATE,
		.level = codec_level(NC3Z_CODEC_DEFLATE, NC3Z_LEVEL_MAX),
	};
	size_t room = may_store ? nbytes - 1 : nbytes + nbytes / 1000 + 64;
	uint8_t *stored = malloc(room + 1);
	const struct codec_buffers buffers = { raw, nbytes, stored, room };
	struct codec_state codecs = { 0 };
	size_t n = 0;
	int status = stored ?
			     codec_encode(&codecs, &how, &buffers, &n, w->err) :
			     error_set_memory(w->err);

	if (status == NC3Z_OK) {
		const uint8_t *data = n > 0 ? stored : raw;

		place->nbytes = (uint32_t)(n > 0 ? n : nbytes);
		place->crc = crc32_of(data, place->nbytes);
		status = sink_append(w->out, data, place->nbytes, w->err);
	}
	codec_state_release(&codecs);
	free(stored);
	return status;
}

static int append_frames(struct exact_writer *w, const struct cover *cover,
			 uint8_t *frame)
{
	struct exact_description *d = &w->description;
	uint64_t rest = cover_rest_nbytes(cover), offset = 0;

	d->frames = memory_alloc(size_div_up(rest, EXACT_FRAME_NBYTES),
				 sizeof(*d->frames));
	if (!d->frames)
		return error_set_memory(w->err);
	while (rest > 0) {
		size_t nbytes = 0;

		NC3Z_TRY(read_rest(w, cover, &offset, frame, &nbytes));
		NC3Z_TRY(append_deflated(w, frame, nbytes, true,
					 &d->frames[d->nframes++]));
		rest -= nbytes;
	}
	return NC3Z_OK;
}

static int append_rest(struct exact_writer *w)
{
	struct cover cover;
	uint8_t *frame = malloc(EXACT_FRAME_NBYTES);
	int status = cover_init(&cover, &w->description,
				w->trailer.original_nbytes, w->err);

	if (status == NC3Z_OK && !frame)
		status = error_set_memory(w->err);
	if (status == NC3Z_OK)
		status = append_frames(w, &cover, frame);
	cover_release(&cover);
	free(frame);
	return status;
}

int writer_append_tail(struct exact_writer *w)
{
	uint8_t bytes[EXACT_TRAILER_NBYTES];
	struct exact_trailer *t = &w->trailer;
	struct exact_place place;
	struct buffer raw = { 0 };
	int status;

	NC3Z_TRY(append_rest(w));
	status = exact_description_write(&w->description, &raw) ?
			 append_deflated(w, raw.data, raw.nbytes, false,
					 &place) :
			 error_set_memory(w->err);
	t->description_nbytes = (uint32_t)raw.nbytes;
	buffer_release(&raw);
	NC3Z_TRY(status);
	t->description_stored_nbytes = place.nbytes;
	t->description_crc = place.crc;
	exact_trailer_write(t, bytes);
	return sink_append(w->out, bytes, sizeof(bytes), w->err);
}
