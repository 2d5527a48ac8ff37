/* SPDX-License-Identifier: MIT */
#include "salvage/marks.h"

#include <stdlib.h>
#include <string.h>

#include "archive/format.h"
#include "base/sizes.h"

/* How many bytes are searched for marks at a time. */
#define BUFFER_NBYTES ((size_t)1 << 20)

static const char *const marks[] = {
	FORMAT_MAGIC,
	FORMAT_MARK_PLAN,
	FORMAT_MARK_BLOCK,
	FORMAT_MARK_DUPLICATE,
	FORMAT_MARK_INDEX,
	FORMAT_MARK_HEADER_COPY,
	FORMAT_MARK_STREAM_COPIES,
	FORMAT_MARK_CATALOGUE,
	FORMAT_MARK_TRAILER,
};
#define NMARKS (sizeof(marks) / sizeof(*marks))

/* Fills the buffer from an offset on. */
static int fill_window(struct salvage_mark_finder *f, uint64_t offset,
		       struct nc3z_error *err)
{
	f->offset = offset;
	return source_read_at(f->source, offset, f->buffer, f->capacity,
			      &f->nbytes, err);
}

/* The mark at a place of the buffer, NULL if there is none. */
static const char *mark_at(const struct salvage_mark_finder *f, size_t at)
{
	if (f->nbytes - at < FORMAT_MARK_NBYTES)
		return NULL;
	for (size_t i = 0; i < NMARKS; i++)
		if (memcmp(f->buffer + at, marks[i], FORMAT_MARK_NBYTES) == 0)
			return marks[i];
	return NULL;
}

/* The place of the next byte that a mark can begin with. */
static size_t next_candidate(const struct salvage_mark_finder *f, size_t at)
{
	const uint8_t *from = f->buffer + at;
	size_t left = f->nbytes - at, n;
	const uint8_t *block = memchr(from, FORMAT_MARK_BLOCK[0], left);
	const uint8_t *magic;

	n = block ? (size_t)(block - from) : left;
	magic = memchr(from, (uint8_t)FORMAT_MAGIC[0], n);
	return at + (magic ? (size_t)(magic - from) : n);
}

int mark_find(struct salvage_mark_finder *f, uint64_t *offset,
	      const char **mark_ret, struct nc3z_error *err)
{
	size_t at;

	*mark_ret = NULL;
	for (;;) {
		if (*offset < f->offset ||
		    *offset + FORMAT_MARK_NBYTES > f->offset + f->nbytes)
			NC3Z_TRY(fill_window(f, *offset, err));
		if (f->nbytes < FORMAT_MARK_NBYTES)
			return NC3Z_OK;
		at = (size_t)(*offset - f->offset);
		while (at + FORMAT_MARK_NBYTES <= f->nbytes) {
			*mark_ret = mark_at(f, at);
			*offset = f->offset + at;
			if (*mark_ret)
				return NC3Z_OK;
			at = next_candidate(f, at + 1);
		}
		*offset = f->offset + at;
	}
}

int mark_finder_init(struct salvage_mark_finder *f, struct nc3z_source *source,
		     struct nc3z_error *err)
{
	*f = (struct salvage_mark_finder){
		.source = source,
		.capacity = (size_t)size_min(BUFFER_NBYTES, source->size) +
			    FORMAT_MARK_NBYTES,
	};
	f->buffer = malloc(f->capacity);
	return f->buffer ? NC3Z_OK : error_set_memory(err);
}

void mark_finder_release(struct salvage_mark_finder *f)
{
	free(f->buffer);
	*f = (struct salvage_mark_finder){ 0 };
}
