/* SPDX-License-Identifier: MIT */
#include "tar/tar_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"

/* What is read at once: of a file, and at least and at most of a server. */
#define STEP_FILE ((size_t)4 << 10)
#define STEP_MIN ((size_t)16 << 10)
#define STEP_MAX ((size_t)1 << 20)

void tar_reader_init(struct tar_reader *r, struct nc3z_source *source)
{
	*r = (struct tar_reader){
		.source = source,
		.step = source_is_slow(source) ? STEP_MIN : STEP_FILE,
	};
}

void tar_reader_release(struct tar_reader *r)
{
	buffer_release(&r->window);
}

/*
 * Where members are small, several headers come with one request: it grows
 * while that would have saved the next one.
 */
static void choose_step(struct tar_reader *r, uint64_t offset)
{
	uint64_t end = r->window_offset + r->window.nbytes;
	bool is_near = offset >= end && offset - end < r->step;

	if (!source_is_slow(r->source) || r->window.nbytes == 0)
		return;
	r->step = is_near ? (size_t)size_min(2 * r->step, STEP_MAX) :
			    (size_t)size_max(r->step / 2, STEP_MIN);
}

/* Bytes that are all there; at most TAR_EXTENSION_NBYTES_MAX. */
static int get(struct tar_reader *r, uint64_t offset, size_t nbytes,
	       const uint8_t **data_ret, struct nc3z_error *err)
{
	struct buffer *w = &r->window;
	uint64_t left = r->source->size - size_min(offset, r->source->size);
	size_t n;

	if (nbytes > left)
		return error_set_at(err, NC3Z_EDAMAGED, r->source->size,
				    "the tar is cut off");
	if (offset < r->window_offset ||
	    offset + nbytes > r->window_offset + w->nbytes) {
		choose_step(r, offset);
		n = (size_t)size_min(size_max(nbytes, r->step), left);
		w->nbytes = 0;
		if (!buffer_reserve(w, n))
			return error_set_memory(err);
		NC3Z_TRY(source_read_exactly(r->source, offset, w->data, n,
					     err));
		r->window_offset = offset;
		w->nbytes = n;
	}
	*data_ret = w->data + (offset - r->window_offset);
	return NC3Z_OK;
}

static uint64_t padding(uint64_t nbytes)
{
	return -nbytes & (TAR_BLOCK_NBYTES - 1);
}

/* Moves an offset over contents and what fills their last block. */
static int skip(const struct tar_reader *r, uint64_t *offset, uint64_t nbytes,
		struct nc3z_error *err)
{
	uint64_t end;

	if (!size_add(*offset, nbytes, &end) || end > r->source->size)
		return error_set_at(err, NC3Z_EDAMAGED, *offset,
				    "the tar is cut off in a member");
	*offset = size_add_max(end, padding(nbytes), r->source->size);
	return NC3Z_OK;
}

static int apply_extension(struct tar_reader *r, const struct tar_header *h,
			   uint64_t offset, struct tar_extension *e,
			   struct nc3z_error *err)
{
	const uint8_t *data = NULL;

	if (h->nbytes == 0)
		return NC3Z_OK;
	if (h->nbytes > TAR_EXTENSION_NBYTES_MAX)
		return error_set_at(err, NC3Z_EUNSUPPORTED, offset,
				    "an extension header of the tar is longer "
				    "than 1 MiB");
	NC3Z_TRY(get(r, offset, (size_t)h->nbytes, &data, err));
	r->resume = offset + h->nbytes + padding(h->nbytes);
	if (h->kind == TAR_LONG_NAME || h->kind == TAR_LONG_LINK)
		return tar_long_name_parse(
			data, (size_t)h->nbytes,
			h->kind == TAR_LONG_NAME ? &e->name : &e->link, err);
	return tar_records_parse(data, (size_t)h->nbytes, e, err);
}

/* Names and sizes for all members make no sense, and nobody writes them. */
static int check_global(struct tar_reader *r, const struct tar_header *h,
			uint64_t offset, struct nc3z_error *err)
{
	struct tar_extension e = { 0 };
	int status = apply_extension(r, h, offset, &e, err);

	if (status == NC3Z_OK &&
	    (e.name || e.link || e.has_nbytes || e.is_sparse))
		status = error_set_at(err, NC3Z_EUNSUPPORTED, offset,
				      "the tar gives all members one name or "
				      "size");
	tar_extension_release(&e);
	return status;
}

static bool is_extension(enum tar_kind kind)
{
	return kind == TAR_LONG_NAME || kind == TAR_LONG_LINK ||
	       kind == TAR_RECORDS || kind == TAR_GLOBAL_RECORDS;
}

/* The header of the member itself, and what those before it say. */
static int read_headers(struct tar_reader *r, uint64_t *offset,
			struct tar_header *h, struct tar_extension *e,
			struct nc3z_error *err)
{
	const uint8_t *block = NULL;
	int status;

	for (;;) {
		if (*offset == r->source->size) {
			*h = (struct tar_header){ .kind = TAR_END };
			return NC3Z_OK;
		}
		r->resume = 0;
		NC3Z_TRY(get(r, *offset, TAR_BLOCK_NBYTES, &block, err));
		r->resume = *offset + TAR_BLOCK_NBYTES;
		status = tar_header_parse(block, h, err);
		if (status != NC3Z_OK)
			return error_add_offset(err, status, *offset);
		r->resume = 0;
		if (h->kind == TAR_END)
			return NC3Z_OK;
		*offset += TAR_BLOCK_NBYTES;
		if (!is_extension(h->kind))
			return NC3Z_OK;
		NC3Z_TRY(h->kind == TAR_GLOBAL_RECORDS ?
				 check_global(r, h, *offset, err) :
				 apply_extension(r, h, *offset, e, err));
		NC3Z_TRY(skip(r, offset, h->nbytes, err));
	}
}

static int skip_sparse(struct tar_reader *r, const struct tar_header *h,
		       uint64_t *offset, struct nc3z_error *err)
{
	bool has_more = h->has_more;
	const uint8_t *block = NULL;

	while (has_more) {
		NC3Z_TRY(get(r, *offset, TAR_BLOCK_NBYTES, &block, err));
		has_more = tar_sparse_has_more(block);
		*offset += TAR_BLOCK_NBYTES;
	}
	return NC3Z_OK;
}

static int set_names(struct tar_entry *entry, const struct tar_header *h,
		     const struct tar_extension *e, struct nc3z_error *err)
{
	const char *name = e->name ? e->name : h->name;

	entry->name =
		strdup(tar_plain_name(e->sparse_name ? e->sparse_name : name));
	if (entry->name && h->kind == TAR_HARD_LINK)
		entry->link =
			strdup(tar_plain_name(e->link ? e->link : h->link));
	if (entry->name && (entry->link || h->kind != TAR_HARD_LINK))
		return NC3Z_OK;
	tar_entry_release(entry);
	return error_set_memory(err);
}

static int fill_entry(struct tar_reader *r, const struct tar_header *h,
		      const struct tar_extension *e, uint64_t offset,
		      struct tar_entry *entry, struct nc3z_error *err)
{
	bool has_contents = h->kind == TAR_FILE || h->nbytes > 0;

	NC3Z_TRY(skip_sparse(r, h, &offset, err));
	entry->kind = h->kind == TAR_FILE && e->is_sparse ? TAR_SPARSE :
							    h->kind;
	entry->offset = offset;
	entry->nbytes = e->has_nbytes && has_contents ? e->nbytes : h->nbytes;
	entry->next_offset = offset;
	entry->file = h->file;
	if (e->file.has_time) {
		entry->file.has_time = true;
		entry->file.mtime_s = e->file.mtime_s;
		entry->file.mtime_ns = e->file.mtime_ns;
	}
	/* Nothing proves a size that is not in the header itself. */
	r->resume = e->has_nbytes ? offset : 0;
	NC3Z_TRY(skip(r, &entry->next_offset, entry->nbytes, err));
	return set_names(entry, h, e, err);
}

int tar_read_entry(struct tar_reader *r, uint64_t offset,
		   struct tar_entry *entry_ret, struct nc3z_error *err)
{
	struct tar_extension extension = { 0 };
	struct tar_header header;
	int status;

	*entry_ret = (struct tar_entry){ .header_offset = offset };
	status = read_headers(r, &offset, &header, &extension, err);
	if (status == NC3Z_OK && header.kind != TAR_END)
		status = fill_entry(r, &header, &extension, offset, entry_ret,
				    err);
	tar_extension_release(&extension);
	return status;
}

int tar_find_header(struct tar_reader *r, uint64_t limit, uint64_t *offset,
		    struct nc3z_error *err)
{
	uint64_t size = size_min(limit, r->source->size);
	struct tar_header header;
	const uint8_t *block = NULL;

	for (; size - size_min(*offset, size) >= TAR_BLOCK_NBYTES;
	     *offset += TAR_BLOCK_NBYTES) {
		NC3Z_TRY(get(r, *offset, TAR_BLOCK_NBYTES, &block, err));
		if (tar_header_parse(block, &header, NULL) == NC3Z_OK &&
		    header.kind != TAR_END)
			return NC3Z_OK;
	}
	*offset = size;
	return NC3Z_OK;
}

void tar_entry_release(struct tar_entry *entry)
{
	free(entry->name);
	free(entry->link);
	entry->name = entry->link = NULL;
}
