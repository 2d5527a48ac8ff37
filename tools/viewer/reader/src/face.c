/* SPDX-License-Identifier: MIT */
/* Opening, values, storage, checks. */
#include "viewer/reader/src/face.h"

#include <emscripten.h>
#include <string.h>

EMSCRIPTEN_KEEPALIVE struct nc3z_file *face_open(int id, double size)
{
	struct nc3z_source *source = face_source(id, size, true);
	struct nc3z_open_options options;
	struct nc3z_file *file;

	if (!source)
		return NULL;
	nc3z_open_options_init(&options);
	options.nthreads = 1;
	options.readahead_nbytes = 0;
	if (nc3z_open_source(source, &options, &file, &face_error) != NC3Z_OK) {
		nc3z_source_close(source);
		return NULL;
	}
	return file;
}

EMSCRIPTEN_KEEPALIVE void face_close(struct nc3z_file *file)
{
	nc3z_close(file);
}

/* Why netCDF libraries refuse the original; "" if they do not. */
EMSCRIPTEN_KEEPALIVE const char *face_refusal(struct nc3z_file *file)
{
	const char *refusal = nc3z_inq_refusal(file);

	return refusal ? refusal : "";
}

EMSCRIPTEN_KEEPALIVE int face_get(struct nc3z_file *file, int varid,
				  const struct face_slab *slab, int memtype,
				  void *values)
{
	struct nc3z_hyperslab wanted = face_slab_of(slab);

	return nc3z_get(file, varid, &wanted, memtype, values, &face_error);
}

/*
 * The same, to hear what is announced for it: it fails at the first value, as
 * core.ts gives it the index alone.
 */
EMSCRIPTEN_KEEPALIVE int face_announce(struct nc3z_file *file, int varid,
				       const struct face_slab *slab)
{
	static const ptrdiff_t imap[FACE_DIMS_MAX];
	struct nc3z_hyperslab wanted = face_slab_of(slab);
	double value;

	wanted.imap = imap;
	return nc3z_get(file, varid, &wanted, NC3Z_NAT, &value, &face_error);
}

/*
 * What nc3z_inq_storage() says, as numbers: stream (-1: none), shared, bytes of
 * a block, blocks, dimensions of chunks, their lengths.
 */
EMSCRIPTEN_KEEPALIVE int face_storage(struct nc3z_file *file, int varid,
				      double *out)
{
	struct nc3z_storage s;
	int status = nc3z_inq_storage(file, varid, &s, &face_error);

	if (status != NC3Z_OK)
		return status;
	out[0] = s.stream == NC3Z_NO_NUMBER ? -1. : (double)s.stream;
	out[1] = s.is_shared;
	out[2] = s.block_nbytes;
	out[3] = (double)s.nblocks;
	out[4] = s.nchunk_dims;
	for (uint32_t i = 0; i < s.nchunk_dims; i++)
		out[5 + i] = s.chunk_lengths[i];
	return NC3Z_OK;
}

/* Blocks that hold values of a hyperslab, or -1; nothing is read. */
EMSCRIPTEN_KEEPALIVE double face_count_blocks(struct nc3z_file *file, int varid,
					      const struct face_slab *slab)
{
	struct nc3z_iterator_var var = { file, varid, NC3Z_NAT };
	struct nc3z_hyperslab wanted = face_slab_of(slab);
	struct nc3z_iterator_plan plan;
	struct nc3z_iterator *iterator;
	int status;

	if (nc3z_iterator_open(&var, 1, &wanted, NULL, &iterator,
			       &face_error) != NC3Z_OK)
		return -1.;
	status = nc3z_iterator_inq(iterator, &plan, &face_error);
	nc3z_iterator_close(iterator);
	return status == NC3Z_OK ? (double)plan.nblocks : -1.;
}

/* Long enough for the text of any coding. */
#define CODING_NBYTES 512

/* Where a block is and how long, decoded too: by the index. */
EMSCRIPTEN_KEEPALIVE int face_record(struct nc3z_file *file, double stream,
				     double block, double *out)
{
	struct nc3z_record r;
	int status = nc3z_inq_record(file, (uint32_t)stream, (uint64_t)block,
				     &r, &face_error);

	if (status != NC3Z_OK)
		return status;
	out[0] = (double)r.offset;
	out[1] = r.record_nbytes;
	out[2] = r.raw_nbytes;
	return NC3Z_OK;
}

/* Offset, bytes of the record, raw bytes, CRC-32; and the coding. */
EMSCRIPTEN_KEEPALIVE int face_block(struct nc3z_file *file, double stream,
				    double block, double *out, char *coding)
{
	struct nc3z_block b;
	int status = nc3z_inq_block(file, (uint32_t)stream, (uint64_t)block, &b,
				    &face_error);

	if (status != NC3Z_OK)
		return status;
	out[0] = (double)b.offset;
	out[1] = b.record_nbytes;
	out[2] = b.raw_nbytes;
	out[3] = b.raw_crc;
	nc3z_coding_text(&b.coding, coding, CODING_NBYTES);
	return NC3Z_OK;
}

/* Room for 'coding' of face_block(). */
EMSCRIPTEN_KEEPALIVE int face_coding_nbytes(void)
{
	return CODING_NBYTES;
}

EMSCRIPTEN_KEEPALIVE int face_check(int id, double size, int is_quick,
				    unsigned char sha256[32])
{
	struct nc3z_source *source = face_source(id, size, false);
	struct nc3z_restore_options options;
	struct nc3z_summary summary;
	int status;

	if (!source)
		return face_error.status;
	nc3z_restore_options_init(&options);
	options.nthreads = 1;
	options.context = (void *)(intptr_t)id;
	options.progress = face_progress;
	status = (is_quick ? nc3z_verify_quick : nc3z_verify)(
		source, &options, &summary, &face_error);
	nc3z_source_close(source);
	if (status == NC3Z_OK)
		memcpy(sha256, summary.sha256, sizeof(summary.sha256));
	return status;
}
