#include "io/sink.h"

int sink_append(struct nc3z_sink *sink, const void *data, size_t nbytes,
		struct nc3z_error *err)
{
	if (nbytes == 0)
		return NC3Z_OK;
	NC3Z_TRY(sink->ops->append(sink, data, nbytes, err));
	sink->position += nbytes;
	return NC3Z_OK;
}

int sink_write_at(struct nc3z_sink *sink, uint64_t offset, const void *data,
		  size_t nbytes, struct nc3z_error *err)
{
	return sink->ops->write_at(sink, offset, data, nbytes, err);
}

void sink_end(struct nc3z_sink *sink, uint64_t nbytes)
{
	sink->position = nbytes;
}

int nc3z_sink_commit(struct nc3z_sink *sink, struct nc3z_error *err)
{
	return sink->ops->commit(sink, err);
}

void nc3z_sink_close(struct nc3z_sink *sink)
{
	if (sink)
		sink->ops->close(sink);
}
