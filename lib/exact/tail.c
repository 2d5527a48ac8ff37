/* SPDX-License-Identifier: MIT */
#include "exact/tail.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sizes.h"

/* Where the fields of the trailer are. */
enum {
	AT_VERSION = 8,
	AT_DESCRIPTION_STORED = 12,
	AT_DESCRIPTION = 16,
	AT_DESCRIPTION_CRC = 20,
	AT_HDF5 = 24,
	AT_ORIGINAL = 32,
	AT_ORIGINAL_SHA256 = 40,
	AT_HDF5_SHA256 = 72,
	AT_CRC = 104,
};

bool exact_trailer_is(const uint8_t bytes[EXACT_TRAILER_NBYTES])
{
	return memcmp(bytes, EXACT_MAGIC, EXACT_MAGIC_NBYTES) == 0;
}

void exact_trailer_write(const struct exact_trailer *t,
			 uint8_t bytes[EXACT_TRAILER_NBYTES])
{
	memcpy(bytes, EXACT_MAGIC, EXACT_MAGIC_NBYTES);
	store_le32(bytes + AT_VERSION, EXACT_VERSION);
	store_le32(bytes + AT_DESCRIPTION_STORED, t->description_stored_nbytes);
	store_le32(bytes + AT_DESCRIPTION, t->description_nbytes);
	store_le32(bytes + AT_DESCRIPTION_CRC, t->description_crc);
	store_le64(bytes + AT_HDF5, t->hdf5_nbytes);
	store_le64(bytes + AT_ORIGINAL, t->original_nbytes);
	memcpy(bytes + AT_ORIGINAL_SHA256, t->original_sha256, SHA256_NBYTES);
	memcpy(bytes + AT_HDF5_SHA256, t->hdf5_sha256, SHA256_NBYTES);
	store_le32(bytes + AT_CRC, crc32_of(bytes, AT_CRC));
}

int exact_trailer_read(struct exact_trailer *t,
		       const uint8_t bytes[EXACT_TRAILER_NBYTES],
		       uint64_t file_nbytes, struct nc3z_error *err)
{
	uint64_t end;

	if (load_le32(bytes + AT_CRC) != crc32_of(bytes, AT_CRC))
		return error_set(err, NC3Z_EDAMAGED, "trailer is damaged");
	if (load_le32(bytes + AT_VERSION) != EXACT_VERSION)
		return error_set(err, NC3Z_EUNSUPPORTED,
				 "made by a later version of nc3z: install it");
	*t = (struct exact_trailer){
		.description_stored_nbytes =
			load_le32(bytes + AT_DESCRIPTION_STORED),
		.description_nbytes = load_le32(bytes + AT_DESCRIPTION),
		.description_crc = load_le32(bytes + AT_DESCRIPTION_CRC),
		.hdf5_nbytes = load_le64(bytes + AT_HDF5),
		.original_nbytes = load_le64(bytes + AT_ORIGINAL),
	};
	memcpy(t->original_sha256, bytes + AT_ORIGINAL_SHA256, SHA256_NBYTES);
	memcpy(t->hdf5_sha256, bytes + AT_HDF5_SHA256, SHA256_NBYTES);
	if (!size_add(t->hdf5_nbytes, t->description_stored_nbytes, &end) ||
	    end > file_nbytes - EXACT_TRAILER_NBYTES ||
	    t->description_nbytes >
		    file_nbytes + EXACT_DESCRIPTION_NBYTES_MORE ||
	    t->original_nbytes >= (uint64_t)INT64_MAX)
		return error_set(err, NC3Z_EDAMAGED, "trailer is wrong");
	return NC3Z_OK;
}

uint64_t exact_chunks_along(const struct exact_variable *v, size_t k)
{
	return size_div_up(v->lengths[k], v->chunks[k]);
}

/* Stored blocks of 65,535 bytes, and what zlib puts around them. */
uint64_t exact_stored_nbytes_max(const struct exact_variable *v)
{
	return v->chunk_nbytes + v->chunk_nbytes / 1000 + 64;
}

bool exact_variable_derive(struct exact_variable *v)
{
	bool fits = true;

	v->nbytes = v->chunk_nbytes = v->width;
	v->nchunks = 1;
	for (size_t k = 0; k < v->rank; k++) {
		if (k > 0 || !(v->flags & EXACT_RECORDS))
			fits = fits &&
			       size_mul(v->nbytes, v->lengths[k], &v->nbytes);
		/* What is not chunked may be written as if it were. */
		if (v->chunks[k] == 0 ||
		    v->chunks[k] > size_max(v->lengths[k], 1)) {
			fits = fits && !(v->flags & EXACT_CHUNKED);
			continue;
		}
		fits = fits &&
		       size_mul(v->chunk_nbytes, v->chunks[k],
				&v->chunk_nbytes) &&
		       size_mul(v->nchunks, exact_chunks_along(v, k),
				&v->nchunks);
	}
	return fits && v->nbytes < (uint64_t)INT64_MAX &&
	       v->chunk_nbytes <= EXACT_CHUNK_NBYTES_MAX;
}

static bool write_variable(const struct exact_description *d,
			   const struct exact_variable *v, struct buffer *out)
{
	bool done = buffer_u8(out, v->width) && buffer_u8(out, v->flags) &&
		    buffer_u8(out, v->rank) && buffer_u8(out, 0) &&
		    buffer_le64(out, v->begin);

	for (size_t k = 0; k < v->rank; k++)
		done = done && buffer_le64(out, v->lengths[k]);
	if (!(v->flags & EXACT_CHUNKED))
		return done && buffer_le64(out, v->address);
	for (size_t k = 0; k < v->rank; k++)
		done = done && buffer_le64(out, v->chunks[k]);
	for (uint64_t i = 0; i < v->nchunks; i++) {
		const struct exact_place *p = &d->places[v->first_place + i];

		done = done && buffer_le64(out, p->address) &&
		       buffer_le32(out, p->nbytes);
	}
	return done;
}

bool exact_description_write(const struct exact_description *d,
			     struct buffer *out)
{
	bool done = buffer_le64(out, d->numrecs) &&
		    buffer_le64(out, d->record_nbytes) &&
		    buffer_le32(out, (uint32_t)d->nvariables) &&
		    buffer_le32(out, (uint32_t)d->nframes);

	for (size_t i = 0; i < d->nvariables; i++)
		done = done && write_variable(d, &d->variables[i], out);
	for (size_t i = 0; i < d->nframes; i++)
		done = done && buffer_le32(out, d->frames[i].nbytes) &&
		       buffer_le32(out, d->frames[i].crc);
	return done;
}

/* What a description is read from, and into. */
struct reading {
	struct cursor cursor;
	struct exact_description *d;
	const struct exact_trailer *t;
	size_t capacity; /* of places */
	struct nc3z_error *err;
};

static int wrong(const struct reading *r, const char *what)
{
	return error_set(r->err, NC3Z_EDAMAGED, "description is wrong: %s",
			 what);
}

/* Deflate makes no more of a byte than this. */
static bool may_inflate(uint64_t stored_nbytes, uint64_t nbytes)
{
	return nbytes / 1040 <= stored_nbytes;
}

/* Appends the place of a chunk. */
static int read_place(struct reading *r, const struct exact_variable *v)
{
	struct exact_description *d = r->d;
	struct exact_place place;
	uint64_t end;

	place.address = cursor_le64(&r->cursor);
	place.nbytes = cursor_le32(&r->cursor);
	place.crc = 0;
	if (!cursor_ok(&r->cursor))
		return wrong(r, "it is cut off");
	if (!size_add(place.address, place.nbytes, &end) ||
	    end > r->t->hdf5_nbytes)
		return wrong(r, "a chunk lies outside");
	if (v->flags & EXACT_DEFLATED ?
		    !may_inflate(place.nbytes, v->chunk_nbytes) ||
			    place.nbytes > exact_stored_nbytes_max(v) :
		    place.nbytes != v->chunk_nbytes)
		return wrong(r, "a chunk has another length");
	if (!memory_room(&d->places, d->nplaces, &r->capacity, sizeof(place)))
		return error_set_memory(r->err);
	d->places[d->nplaces++] = place;
	return NC3Z_OK;
}

static int read_chunks(struct reading *r, struct exact_variable *v)
{
	v->first_place = r->d->nplaces;
	/* Each has twelve bytes here, and others there. */
	if (v->nchunks > cursor_left(&r->cursor) / 12)
		return wrong(r, "it is cut off");
	if (v->nchunks > r->t->hdf5_nbytes)
		return wrong(r, "chunks overlap");
	for (uint64_t i = 0; i < v->nchunks; i++)
		NC3Z_TRY(read_place(r, v));
	return NC3Z_OK;
}

static int read_contiguous(struct reading *r, struct exact_variable *v)
{
	uint64_t end;

	v->address = cursor_le64(&r->cursor);
	if (v->flags & EXACT_RECORDS)
		return wrong(r, "records are contiguous");
	if (!size_add(v->address, v->nbytes, &end) || end > r->t->hdf5_nbytes)
		return wrong(r, "values lie outside");
	return NC3Z_OK;
}

static bool is_known(const struct reading *r, const struct exact_variable *v)
{
	const uint8_t filters = EXACT_SHUFFLED | EXACT_DEFLATED;

	for (size_t k = v->flags & EXACT_RECORDS ? 1 : 0; k < v->rank; k++)
		if (v->lengths[k] == 0)
			return false;
	return (v->width == 1 || v->width == 2 || v->width == 4 ||
		v->width == 8) &&
	       v->flags < 16 && v->rank <= EXACT_RANK_MAX &&
	       (v->flags & EXACT_CHUNKED || !(v->flags & filters)) &&
	       (v->rank > 0 || v->flags == 0) &&
	       (!(v->flags & EXACT_RECORDS) || v->lengths[0] == r->d->numrecs);
}

static int read_variable(struct reading *r, struct exact_variable *v)
{
	struct cursor *c = &r->cursor;

	*v = (struct exact_variable){ .width = cursor_u8(c) };
	v->flags = cursor_u8(c);
	v->rank = cursor_u8(c);
	if (cursor_u8(c) != 0)
		return wrong(r, "a reserved byte is not 0");
	v->begin = cursor_le64(c);
	if (v->rank > EXACT_RANK_MAX)
		return wrong(r, "too many dimensions");
	for (size_t k = 0; k < v->rank; k++)
		v->lengths[k] = cursor_le64(c);
	for (size_t k = 0; k < v->rank && v->flags & EXACT_CHUNKED; k++)
		v->chunks[k] = cursor_le64(c);
	if (!cursor_ok(c))
		return wrong(r, "it is cut off");
	if (!is_known(r, v) || !exact_variable_derive(v))
		return wrong(r, "a variable");
	return v->flags & EXACT_CHUNKED ? read_chunks(r, v) :
					  read_contiguous(r, v);
}

/* The frames lie one after the other. */
static int read_frames(struct reading *r)
{
	struct exact_description *d = r->d;
	uint64_t at = r->t->hdf5_nbytes;

	for (size_t i = 0; i < d->nframes; i++) {
		struct exact_place *f = &d->frames[i];

		f->address = at;
		f->nbytes = cursor_le32(&r->cursor);
		f->crc = cursor_le32(&r->cursor);
		if (!size_add(at, f->nbytes, &at))
			return wrong(r, "a frame lies outside");
	}
	if (!cursor_ok(&r->cursor) || cursor_left(&r->cursor) > 0)
		return wrong(r, "it has another length");
	return NC3Z_OK;
}

struct range {
	uint64_t begin;
	uint64_t end;
};

static int compare_ranges(const void *first, const void *second)
{
	const struct range *a = first, *b = second;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* No byte of the HDF5 part is stored for two. */
static int check_overlaps(const struct reading *r)
{
	const struct exact_description *d = r->d;
	struct range *all =
		memory_alloc(d->nplaces + d->nvariables, sizeof(*all));
	size_t n = 0;
	int status = NC3Z_OK;

	if (!all)
		return error_set_memory(r->err);
	for (size_t i = 0; i < d->nplaces; i++)
		all[n++] = (struct range){ d->places[i].address,
					   d->places[i].address +
						   d->places[i].nbytes };
	for (size_t i = 0; i < d->nvariables; i++)
		if (!(d->variables[i].flags & EXACT_CHUNKED))
			all[n++] = (struct range){
				d->variables[i].address,
				d->variables[i].address + d->variables[i].nbytes
			};
	qsort(all, n, sizeof(*all), compare_ranges);
	for (size_t i = 1; i < n && status == NC3Z_OK; i++)
		if (all[i].begin < all[i - 1].end)
			status = wrong(r, "stored values overlap");
	free(all);
	return status;
}

static int read_all(struct reading *r)
{
	struct exact_description *d = r->d;
	struct cursor *c = &r->cursor;
	uint32_t nvariables, nframes;

	d->numrecs = cursor_le64(c);
	d->record_nbytes = cursor_le64(c);
	nvariables = cursor_le32(c);
	nframes = cursor_le32(c);
	/* The least that each takes. */
	if (!cursor_ok(c) || nvariables > cursor_left(c) / 20 ||
	    nvariables > r->t->hdf5_nbytes || nframes > cursor_left(c) / 8)
		return wrong(r, "it is cut off");
	d->variables = memory_alloc(nvariables, sizeof(*d->variables));
	d->frames = memory_alloc(nframes, sizeof(*d->frames));
	if (!d->variables || !d->frames)
		return error_set_memory(r->err);
	for (; d->nvariables < nvariables; d->nvariables++)
		NC3Z_TRY(read_variable(r, &d->variables[d->nvariables]));
	d->nframes = nframes;
	NC3Z_TRY(check_overlaps(r));
	return read_frames(r);
}

int exact_description_read(struct exact_description *d,
			   const struct exact_trailer *t, const void *data,
			   size_t data_nbytes, struct nc3z_error *err)
{
	struct reading r = { .d = d, .t = t, .err = err };

	*d = (struct exact_description){ 0 };
	cursor_init(&r.cursor, data, data_nbytes);
	return read_all(&r);
}

void exact_description_release(struct exact_description *d)
{
	free(d->variables);
	free(d->places);
	free(d->frames);
	*d = (struct exact_description){ 0 };
}

struct nc3z_summary exact_summary(const struct exact_trailer *t,
				  const struct exact_description *d,
				  uint64_t file_nbytes)
{
	struct nc3z_summary summary = {
		.original_nbytes = t->original_nbytes,
		.archive_nbytes = file_nbytes,
		.nblocks = d->nplaces,
		.nstreams = (uint32_t)d->nvariables,
	};

	memcpy(summary.sha256, t->original_sha256, SHA256_NBYTES);
	return summary;
}
