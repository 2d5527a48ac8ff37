/*
 * Where bytes come from: the struct nc3z_source of the public interface seen
 * from inside.  All reading is by offset; a source that cannot seek takes only
 * the offset where the last read ended.
 */
#ifndef NC3Z_IO_SOURCE_H
#define NC3Z_IO_SOURCE_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/status.h"

#define SOURCE_SIZE_UNKNOWN UINT64_MAX

struct nc3z_source {
	const struct source_ops *ops;
	uint64_t size; /* when it was opened; SOURCE_SIZE_UNKNOWN for a pipe */
	bool can_seek;
};

struct source_ops {
	/*
	 * Reads up to 'nbytes' bytes; fewer only at the end of the source.
	 * Returns NC3Z_OK or NC3Z_EIO.
	 */
	int (*read_at)(struct nc3z_source *source, uint64_t offset, void *data,
		       size_t nbytes, size_t *nbytes_ret,
		       struct nc3z_error *err);
	/*
	 * NC3Z_ECHANGED if the source is known to be another than when it was
	 * opened.
	 */
	int (*check_unchanged)(struct nc3z_source *source,
			       struct nc3z_error *err);
	void (*close)(struct nc3z_source *source);
};

static inline int source_read_at(struct nc3z_source *source, uint64_t offset,
				 void *data, size_t nbytes, size_t *nbytes_ret,
				 struct nc3z_error *err)
{
	return source->ops->read_at(source, offset, data, nbytes, nbytes_ret,
				    err);
}

static inline int source_check_unchanged(struct nc3z_source *source,
					 struct nc3z_error *err)
{
	return source->ops->check_unchanged(source, err);
}

/* source.c */

/* Reads exactly 'nbytes' bytes; an earlier end is NC3Z_EDAMAGED. */
int source_read_exactly(struct nc3z_source *source, uint64_t offset, void *data,
			size_t nbytes, struct nc3z_error *err);

/*
 * The same into a buffer that replaces its contents and grows as bytes come
 * in, so that a length nobody vouches for costs no memory.
 */
int source_read_growing(struct nc3z_source *source, uint64_t offset,
			size_t nbytes, struct buffer *out,
			struct nc3z_error *err);

#endif
