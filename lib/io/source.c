/* SPDX-License-Identifier: MIT */
#include "io/source.h"

#include <string.h>

#include "base/magic.h"
#include "base/sizes.h"
#include "nc3z_tools.h"

int source_check_can_seek(const struct nc3z_source *source,
			  struct nc3z_error *err)
{
	if (source->can_seek)
		return NC3Z_OK;
	return error_set(err, NC3Z_EINVAL,
			 "input cannot seek, as a pipe or a compressed file: "
			 "write what it holds to a file first");
}

int source_read_exactly(struct nc3z_source *source, uint64_t offset, void *data,
			size_t nbytes, struct nc3z_error *err)
{
	size_t got;

	NC3Z_TRY(source_read_at(source, offset, data, nbytes, &got, err));
	if (got != nbytes)
		return error_set_at(err, NC3Z_EDAMAGED, offset + got,
				    "archive is cut off");
	return NC3Z_OK;
}

int source_read_again(struct nc3z_source *source, uint64_t offset, void *data,
		      size_t nbytes, struct nc3z_error *err)
{
	size_t got;

	NC3Z_TRY(source_read_at(source, offset, data, nbytes, &got, err));
	if (got != nbytes)
		return error_set(err, NC3Z_ECHANGED,
				 "file changed while it was read");
	return NC3Z_OK;
}

#define GROW_NBYTES ((size_t)1 << 20)

int source_read_growing(struct nc3z_source *source, uint64_t offset,
			size_t nbytes, struct buffer *out,
			struct nc3z_error *err)
{
	out->nbytes = 0;
	while (out->nbytes < nbytes) {
		size_t step = (size_t)size_min(nbytes - out->nbytes,
					       GROW_NBYTES + out->nbytes);

		if (!buffer_reserve(out, out->nbytes + step))
			return error_set_memory(err);
		NC3Z_TRY(source_read_exactly(source, offset + out->nbytes,
					     out->data + out->nbytes, step,
					     err));
		out->nbytes += step;
	}
	return NC3Z_OK;
}

void source_announce_all(struct nc3z_source *source)
{
	const struct nc3z_range all = { .nbytes = source->size };

	if (source_is_slow(source) && source->size > 0)
		source_announce(source, &all, 1);
}

int nc3z_source_member_time(const struct nc3z_source *source,
			    struct timespec *time_ret)
{
	const struct source_member *m = &source->member;

	if (!m->is_member || !m->has_time)
		return 0;
	time_ret->tv_sec = (time_t)m->mtime_s;
	time_ret->tv_nsec = (long)m->mtime_ns;
	return 1;
}

uint64_t nc3z_source_nbytes(const struct nc3z_source *source)
{
	return source->can_seek ? source->size : SOURCE_SIZE_UNKNOWN;
}

int nc3z_source_read(struct nc3z_source *source, uint64_t offset, void *data,
		     size_t nbytes, size_t *nbytes_ret, struct nc3z_error *err)
{
	return source_read_at(source, offset, data, nbytes, nbytes_ret, err);
}

void nc3z_source_close(struct nc3z_source *source)
{
	if (source)
		source->ops->close(source);
}

int nc3z_source_is_hdf5(struct nc3z_source *in)
{
	uint8_t first[MAGIC_HDF5_NBYTES];
	size_t got;

	return source_read_at(in, 0, first, sizeof(first), &got, NULL) ==
		       NC3Z_OK &&
	       got == sizeof(first) &&
	       memcmp(first, MAGIC_HDF5, sizeof(first)) == 0;
}

int source_refuse_kind(struct nc3z_source *source, int status,
		       const char *wanted, struct nc3z_error *err)
{
	uint8_t head[MAGIC_KIND_NBYTES];
	struct nc3z_error why;
	size_t got;
	int found;

	if (source_read_at(source, 0, head, sizeof(head), &got, NULL) !=
	    NC3Z_OK)
		return status;
	found = magic_refuse(head, got, wanted, &why);
	/* Who looked for a classic file has named it. */
	if (found == NC3Z_OK ||
	    (found != NC3Z_EDAMAGED && status == NC3Z_ENOTCLASSIC))
		return status;
	if (err)
		*err = why;
	return found;
}
