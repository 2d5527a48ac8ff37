/* SPDX-License-Identifier: MIT */
#include "read/stream_copies.h"

#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"

/* Whether the copies are of linear streams, each of its whole length. */
static bool fit(const struct archive_stream_copies *copies,
		const struct plan_map *map)
{
	for (size_t i = 0; i < copies->count; i++) {
		uint32_t stream = copies->list[i].stream;

		if (map->plan->streams[stream].grid ||
		    map->extents[stream].nbytes != copies->list[i].raw_nbytes)
			return false;
	}
	return true;
}

int stream_copies_init(struct stream_copies *s, struct buffer *contents,
		       const struct archive_copies_owner *owner,
		       const struct plan_map *map, struct nc3z_error *err)
{
	int status;

	*s = (struct stream_copies){ .contents = *contents };
	*contents = (struct buffer){ 0 };
	status = archive_stream_copies_read(&s->contents, owner, &s->copies,
					    err);
	if (status == NC3Z_OK && fit(&s->copies, map)) {
		s->raw = memory_alloc(s->copies.count, sizeof(*s->raw));
		return s->raw ? NC3Z_OK : error_set_memory(err);
	}
	stream_copies_release(s);
	return status == NC3Z_ENOMEM ? status : NC3Z_OK;
}

void stream_copies_release(struct stream_copies *s)
{
	for (size_t i = 0; s->raw && i < s->copies.count; i++)
		free(s->raw[i]);
	free(s->raw);
	archive_stream_copies_release(&s->copies);
	buffer_release(&s->contents);
	*s = (struct stream_copies){ 0 };
}

static int compare_streams(const void *a, const void *b)
{
	const struct archive_block *x = a, *y = b;

	return x->stream < y->stream ? -1 : x->stream > y->stream;
}

static int decode_copy(struct block_coder *coder,
		       const struct archive_block *copy, uint8_t **raw_ret,
		       struct nc3z_error *err)
{
	const struct block_view view = {
		.description = copy->description,
		.description_nbytes = copy->description_nbytes,
		.payload = copy->payload,
		.payload_nbytes = copy->payload_nbytes,
	};
	uint8_t *raw = malloc(copy->raw_nbytes);
	int status;

	if (!raw)
		return error_set_memory(err);
	status = block_decode(coder, &view, raw, copy->raw_nbytes, err);
	if (status == NC3Z_OK &&
	    crc32_of(raw, copy->raw_nbytes) != copy->raw_crc)
		status = NC3Z_EDAMAGED;
	if (status == NC3Z_OK)
		*raw_ret = raw;
	else
		free(raw);
	return status;
}

/* Several threads may decode it at once; one of them keeps it. */
static int raw_of(struct stream_copies *s, struct block_coder *coder,
		  size_t copy, const uint8_t **raw_ret, struct nc3z_error *err)
{
	uint8_t *others = NULL, *raw = atomic_load(&s->raw[copy]);

	if (!raw) {
		NC3Z_TRY(decode_copy(coder, &s->copies.list[copy], &raw, err));
		if (!atomic_compare_exchange_strong(&s->raw[copy], &others,
						    raw)) {
			free(raw);
			raw = others;
		}
	}
	*raw_ret = raw;
	return NC3Z_OK;
}

static const struct archive_block *find_stream(const struct stream_copies *s,
					       uint32_t stream)
{
	const struct archive_block wanted = { .stream = stream };

	if (s->copies.count == 0)
		return NULL;
	return bsearch(&wanted, s->copies.list, s->copies.count, sizeof(wanted),
		       compare_streams);
}

bool stream_copies_has(const struct stream_copies *s, uint32_t stream)
{
	return find_stream(s, stream) != NULL;
}

int stream_copies_block(struct stream_copies *s, struct block_coder *coder,
			uint32_t stream, const struct plan_block *block,
			uint8_t *raw, struct nc3z_error *err)
{
	const struct archive_block *copy = find_stream(s, stream);
	const uint8_t *from;

	if (!copy)
		return NC3Z_EDAMAGED;
	NC3Z_TRY(raw_of(s, coder, (size_t)(copy - s->copies.list), &from, err));
	memcpy(raw, from + block->stream_offset, (size_t)block->nbytes);
	return NC3Z_OK;
}
