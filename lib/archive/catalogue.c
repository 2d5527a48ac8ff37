/* SPDX-License-Identifier: MIT */
/* The catalogue as bytes; it is the contents of a section. */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "base/cursor.h"

int catalogue_write(const struct archive_catalogue *catalogue,
		    struct buffer *out, struct nc3z_error *err)
{
	bool ok = buffer_append(out, catalogue->identity,
				FORMAT_IDENTITY_NBYTES) &&
		  buffer_le64(out, catalogue->original_nbytes) &&
		  buffer_append(out, catalogue->sha256, SHA256_NBYTES) &&
		  buffer_le32(out, catalogue->nstreams);

	for (uint32_t i = 0; ok && i < catalogue->nstreams; i++)
		ok = buffer_le64(out, catalogue->stream_nbytes[i]) &&
		     buffer_le32(out, catalogue->stream_nblocks[i]);
	ok = ok && buffer_append(out, catalogue->plan, catalogue->plan_nbytes);
	return ok ? NC3Z_OK : error_set_memory(err);
}

static int read_streams(struct cursor *c, struct archive_catalogue *catalogue,
			struct nc3z_error *err)
{
	uint32_t n = catalogue->nstreams;

	if (n > cursor_left(c) / FORMAT_CATALOGUE_STREAM_NBYTES)
		return error_set(err, NC3Z_EDAMAGED, "catalogue is cut off");
	catalogue->stream_nbytes =
		memory_alloc(n, sizeof(*catalogue->stream_nbytes));
	catalogue->stream_nblocks =
		memory_alloc(n, sizeof(*catalogue->stream_nblocks));
	if (!catalogue->stream_nbytes || !catalogue->stream_nblocks)
		return error_set_memory(err);
	for (uint32_t i = 0; i < n; i++) {
		catalogue->stream_nbytes[i] = cursor_le64(c);
		catalogue->stream_nblocks[i] = cursor_le32(c);
	}
	return NC3Z_OK;
}

int catalogue_read(const uint8_t *data, size_t data_nbytes,
		   struct archive_catalogue *catalogue_ret,
		   struct nc3z_error *err)
{
	const uint8_t *identity, *sha256;
	struct cursor c;
	int status;

	*catalogue_ret = (struct archive_catalogue){ 0 };
	cursor_init(&c, data, data_nbytes);
	identity = cursor_take(&c, FORMAT_IDENTITY_NBYTES);
	catalogue_ret->original_nbytes = cursor_le64(&c);
	sha256 = cursor_take(&c, SHA256_NBYTES);
	catalogue_ret->nstreams = cursor_le32(&c);
	if (!cursor_ok(&c))
		return error_set(err, NC3Z_EDAMAGED, "catalogue is cut off");
	memcpy(catalogue_ret->identity, identity, FORMAT_IDENTITY_NBYTES);
	memcpy(catalogue_ret->sha256, sha256, SHA256_NBYTES);
	status = read_streams(&c, catalogue_ret, err);
	if (status != NC3Z_OK) {
		catalogue_release(catalogue_ret);
		return status;
	}
	catalogue_ret->plan_nbytes = cursor_left(&c);
	catalogue_ret->plan = cursor_take(&c, catalogue_ret->plan_nbytes);
	return NC3Z_OK;
}

void catalogue_release(struct archive_catalogue *catalogue)
{
	free(catalogue->stream_nbytes);
	free(catalogue->stream_nblocks);
	*catalogue = (struct archive_catalogue){ 0 };
}
