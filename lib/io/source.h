/* SPDX-License-Identifier: MIT */
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

/* What a tar says of a file in it. */
struct source_member {
	bool is_member;
	bool has_time;
	unsigned mode; /* its permission bits */
	int64_t mtime_s;
	uint32_t mtime_ns;
};

struct nc3z_source {
	const struct source_ops *ops;
	uint64_t size; /* when it was opened, or SOURCE_SIZE_UNKNOWN */
	bool can_seek;
	struct source_member member;
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
	/*
	 * What will be read soon, as in struct nc3z_callbacks.  NULL: nothing
	 * is gained by saying so.  Returns a number for forget(), or 0: there
	 * is nothing to forget.
	 */
	uint64_t (*announce)(struct nc3z_source *source,
			     const struct nc3z_range *ranges, size_t nranges);
	/*
	 * Who announced that will read no more of it; others who announced the
	 * same bytes will.  May be NULL.
	 */
	void (*forget)(struct nc3z_source *source, uint64_t announcement);
};

/* Whether it is worth while to announce. */
static inline bool source_is_slow(const struct nc3z_source *source)
{
	return source->can_seek && source->ops->announce;
}

static inline uint64_t source_announce(struct nc3z_source *source,
				       const struct nc3z_range *ranges,
				       size_t nranges)
{
	if (!source->ops->announce || nranges == 0)
		return 0;
	return source->ops->announce(source, ranges, nranges);
}

static inline void source_forget(struct nc3z_source *source,
				 uint64_t announcement)
{
	if (source->ops->forget && announcement != 0)
		source->ops->forget(source, announcement);
}

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

/* NC3Z_EINVAL, and what to do, for a source that is only read in order. */
int source_check_can_seek(const struct nc3z_source *source,
			  struct nc3z_error *err);

/* Reads exactly 'nbytes' bytes; an earlier end is NC3Z_EDAMAGED. */
int source_read_exactly(struct nc3z_source *source, uint64_t offset, void *data,
			size_t nbytes, struct nc3z_error *err);

/* The same of a file: an earlier end is NC3Z_ECHANGED. */
int source_read_again(struct nc3z_source *source, uint64_t offset, void *data,
		      size_t nbytes, struct nc3z_error *err);

/*
 * The first into a buffer that replaces its contents and grows as bytes come
 * in, so that a length nobody vouches for costs no memory.
 */
int source_read_growing(struct nc3z_source *source, uint64_t offset,
			size_t nbytes, struct buffer *out,
			struct nc3z_error *err);

/* Announces all bytes, to be read in order. */
void source_announce_all(struct nc3z_source *source);

/* source_windows.c */

/* How much is kept of the front and of the tail of a slow source. */
#define SOURCE_FRONT_NBYTES (UINT32_C(16) << 10)
#define SOURCE_TAIL_NBYTES (UINT32_C(64) << 10)

/*
 * Reads the front and the tail of a slow source at the same time and gives a
 * source that has them in memory, so that opening what is inside costs no small
 * reads one after the other.  For other sources it gives 'in' itself.
 * NC3Z_EIO, NC3Z_ECHANGED, NC3Z_ENOMEM.
 */
int source_windows_open(struct nc3z_source *in, struct nc3z_source **out_ret,
			struct nc3z_error *err);

/* The same with other windows. */
struct source_ends {
	uint32_t front_nbytes;
	uint32_t tail_nbytes;
};

int source_windows_open_ends(struct nc3z_source *in,
			     const struct source_ends *ends,
			     struct nc3z_source **out_ret,
			     struct nc3z_error *err);

/* Closes 'out', if it is a new one, and leaves 'in' as it was. */
void source_windows_close(struct nc3z_source *in, struct nc3z_source *out);

/*
 * The status of a file that is not what is wanted; says what it is instead, if
 * that can be told by its beginning (magic_refuse()).
 */
int source_refuse_kind(struct nc3z_source *source, int status,
		       const char *wanted, struct nc3z_error *err);

#endif
