/* SPDX-License-Identifier: MIT */
#include "io/sink.h"

#include "base/checksum.h"
#include "nc3z_tools.h"

int sink_append(struct nc3z_sink *sink, const void *data, size_t nbytes,
		struct nc3z_error *err)
{
	if (nbytes == 0)
		return NC3Z_OK;
	NC3Z_TRY(sink->ops->append(sink, data, nbytes, err));
	if (sink->hash)
		NC3Z_TRY(sha256_update(sink->hash, data, nbytes, err));
	sink->position += nbytes;
	return NC3Z_OK;
}

int sink_write_at(struct nc3z_sink *sink, uint64_t offset, const void *data,
		  size_t nbytes, struct nc3z_error *err)
{
	sha256_free(sink->hash);
	sink->hash = NULL;
	return sink->ops->write_at(sink, offset, data, nbytes, err);
}

void sink_end(struct nc3z_sink *sink, uint64_t nbytes)
{
	sink->position = nbytes;
}

int sink_check_unused(const struct nc3z_sink *sink, struct nc3z_error *err)
{
	if (sink->position > 0)
		return error_set(err, NC3Z_EINVAL,
				 "output has been written to already");
	return NC3Z_OK;
}

int nc3z_sink_start_sha256(struct nc3z_sink *sink, struct nc3z_error *err)
{
	NC3Z_TRY(sink_check_unused(sink, err));
	if (sink->hash)
		return error_set(err, NC3Z_EINVAL,
				 "a SHA-256 of the output is computed already");
	sink->hash = sha256_new();
	return sink->hash ? NC3Z_OK : error_set_memory(err);
}

int nc3z_sink_sha256(struct nc3z_sink *sink, unsigned char sha256_ret[32],
		     struct nc3z_error *err)
{
	if (!sink->hash)
		return error_set(err, NC3Z_EINVAL,
				 "no SHA-256 of the output was computed");
	NC3Z_TRY(sha256_final(sink->hash, sha256_ret, err));
	sha256_free(sink->hash);
	sink->hash = NULL;
	return NC3Z_OK;
}

int nc3z_source_open_sink(struct nc3z_sink *sink,
			  struct nc3z_source **source_ret,
			  struct nc3z_error *err)
{
	if (!sink->has_places)
		return error_set(err, NC3Z_EINVAL,
				 "output cannot be read back");
	return sink->ops->open_source(sink, source_ret, err);
}

int nc3z_sink_commit(struct nc3z_sink *sink, struct nc3z_error *err)
{
	NC3Z_NEED(err, sink);
	return sink->ops->commit(sink, err);
}

void nc3z_sink_close(struct nc3z_sink *sink)
{
	if (!sink)
		return;
	sha256_free(sink->hash);
	sink->ops->close(sink);
}
