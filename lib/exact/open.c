/* SPDX-License-Identifier: MIT */
#include "exact/open.h"

#include <stdlib.h>
#include <string.h>

#include "base/magic.h"
#include "base/sizes.h"
#include "io/source_window.h"

/* How far the mark is looked for. */
#define MARK_NBYTES ((size_t)1 << 20)

/* Says what a file without a trailer is. */
static int refuse_source(struct nc3z_source *in, struct nc3z_error *err)
{
	uint8_t *data = malloc(MARK_NBYTES);
	size_t got = 0;
	int status;

	if (!data)
		return error_set_memory(err);
	status = source_read_at(in, 0, data, MARK_NBYTES, &got, err);
	if (status == NC3Z_OK && !nc3z_source_is_hdf5(in))
		status = source_refuse_kind(in,
					    error_set(err, NC3Z_ENOTARCHIVE,
						      "not " MAGIC_EXACT),
					    MAGIC_EXACT, err);
	else if (status == NC3Z_OK && magic_is_exact(data, got))
		status = error_set(err, NC3Z_EDAMAGED,
				   "was changed by another program, or cut "
				   "off: values may still be read as netCDF-4, "
				   "but the original cannot be restored");
	else if (status == NC3Z_OK)
		status = error_set(
			err, NC3Z_ENOTARCHIVE,
			"is a netCDF-4 file that nc3z did not make from a "
			"classic file");
	free(data);
	return status;
}

static int read_trailer(struct exact_file *f, struct nc3z_source *in,
			struct nc3z_error *err)
{
	uint8_t bytes[EXACT_TRAILER_NBYTES];

	NC3Z_TRY(source_check_can_seek(in, err));
	if (in->size < sizeof(bytes))
		return refuse_source(in, err);
	NC3Z_TRY(source_read_exactly(in, in->size - sizeof(bytes), bytes,
				     sizeof(bytes), err));
	return exact_trailer_is(bytes) ?
		       exact_trailer_read(&f->trailer, bytes, in->size, err) :
		       refuse_source(in, err);
}

static int inflate(const struct exact_trailer *t, const struct buffer *stored,
		   struct buffer *out, struct nc3z_error *err)
{
	if (crc32_of(stored->data, stored->nbytes) != t->description_crc)
		return error_set(err, NC3Z_EDAMAGED, "description is damaged");
	/* Deflate makes no more of a byte than this. */
	if (t->description_nbytes / 1040 > stored->nbytes)
		return error_set(err, NC3Z_EDAMAGED, "trailer is wrong");
	if (!buffer_reserve(out, t->description_nbytes))
		return error_set_memory(err);
	out->nbytes = t->description_nbytes;
	return exact_inflate(&(struct codec_buffers){ stored->data,
						      stored->nbytes, out->data,
						      out->nbytes },
			     err);
}

/* The rest has as many frames as it takes, and they fill what is left. */
static int check_frames(const struct exact_file *f, uint64_t description_at,
			struct nc3z_error *err)
{
	const struct exact_description *d = &f->description;
	uint64_t end = f->trailer.hdf5_nbytes;

	if (d->nframes > 0)
		end = d->frames[d->nframes - 1].address +
		      d->frames[d->nframes - 1].nbytes;
	if (end == description_at &&
	    d->nframes == size_div_up(cover_rest_nbytes(&f->cover),
				      EXACT_FRAME_NBYTES))
		return NC3Z_OK;
	return error_set(err, NC3Z_EDAMAGED,
			 "description is wrong: the rest has another length");
}

static int read_description(struct exact_file *f, struct nc3z_source *in,
			    struct buffer *stored, struct buffer *raw,
			    struct nc3z_error *err)
{
	const struct exact_trailer *t = &f->trailer;
	uint64_t at =
		in->size - EXACT_TRAILER_NBYTES - t->description_stored_nbytes;

	NC3Z_TRY(source_read_growing(in, at, t->description_stored_nbytes,
				     stored, err));
	NC3Z_TRY(inflate(t, stored, raw, err));
	NC3Z_TRY(exact_description_read(&f->description, t, raw->data,
					raw->nbytes, err));
	NC3Z_TRY(cover_init(&f->cover, &f->description, t->original_nbytes,
			    err));
	return check_frames(f, at, err);
}

int exact_file_open(struct exact_file *f, struct nc3z_source *in,
		    struct nc3z_error *err)
{
	struct buffer stored = { 0 }, raw = { 0 };
	int status = read_trailer(f, in, err);

	if (status == NC3Z_OK)
		status = read_description(f, in, &stored, &raw, err);
	buffer_release(&stored);
	buffer_release(&raw);
	return status;
}

int exact_file_check(const struct exact_file *f, struct nc3z_source *in,
		     struct nc3z_error *err)
{
	const struct nc3z_range part = { 0, f->trailer.hdf5_nbytes };
	const struct window_owner nobody = { 0 };
	uint8_t sha256[SHA256_NBYTES];
	struct nc3z_source *window;
	int status;

	NC3Z_TRY(source_window_open(in, &part, &nobody, &window, err));
	status = nc3z_source_sha256(window, sha256, err);
	nc3z_source_close(window);
	if (status == NC3Z_OK &&
	    memcmp(sha256, f->trailer.hdf5_sha256, sizeof(sha256)) != 0)
		return error_set(err, NC3Z_EDAMAGED,
				 "HDF5 part has changed: the file is damaged, "
				 "or another program has written to it");
	return status;
}

void exact_file_release(struct exact_file *f)
{
	cover_release(&f->cover);
	exact_description_release(&f->description);
}

int nc3z_summarize_netcdf4(struct nc3z_source *in,
			   struct nc3z_summary *summary_ret,
			   struct nc3z_error *err)
{
	struct exact_file f = { 0 };
	int status = exact_file_open(&f, in, err);

	if (status == NC3Z_OK)
		*summary_ret =
			exact_summary(&f.trailer, &f.description, in->size);
	exact_file_release(&f);
	return status;
}
