/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what the tail of an exact netCDF-4 file says: its original is read
 * to the end without a finding, and is only given if it is the right one.
 *
 *	length of the HDF5 part (4), of the frames (4), of the original (4),
 *	its SHA-256 (32), HDF5 part, frames, description
 *
 * The description is deflated, and all checksums but that one are right.
 */
#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/bytes.h"
#include "classic/layout.h"
#include "codec/codec.h"
#include "exact/cover.h"
#include "fuzz.h"
#include "nc3z_tools.h"

#define HEAD_NBYTES 44
#define MEMORY_NBYTES ((uint64_t)8 << 20)

static void hash(const uint8_t *data, size_t nbytes,
		 uint8_t digest[SHA256_NBYTES])
{
	struct sha256 *sha = sha256_new();

	FUZZ_CHECK(sha && sha256_update(sha, data, nbytes, NULL) == NC3Z_OK &&
		   sha256_final(sha, digest, NULL) == NC3Z_OK);
	sha256_free(sha);
}

static size_t deflate(const uint8_t *in, size_t nbytes, uint8_t *out,
		      size_t room)
{
	const struct codec_settings how = { .codec = NC3Z_CODEC_DEFLATE,
					    .level = 1 };
	const struct codec_buffers buffers = { in, nbytes, out, room };
	struct codec_state codecs = { 0 };
	size_t n = 0;

	FUZZ_CHECK(codec_encode(&codecs, &how, &buffers, &n, NULL) == NC3Z_OK);
	codec_state_release(&codecs);
	return n;
}

/* Reads it to its end; its length, or SIZE_MAX if that is refused. */
static uint64_t restore(const uint8_t *file, size_t nbytes,
			uint8_t digest[SHA256_NBYTES])
{
	struct nc3z_restore_options options;
	struct nc3z_source *in, *original = NULL;
	struct nc3z_error err = { 0 };
	struct sha256 *sha = sha256_new();
	static uint8_t data[1 << 16];
	uint64_t at = 0;
	size_t got = 1;
	int status;

	nc3z_restore_options_init(&options);
	options.nthreads = 1;
	options.max_memory_nbytes = MEMORY_NBYTES;
	FUZZ_CHECK(nc3z_source_open_memory(file, nbytes, &in, NULL) == NC3Z_OK);
	status = nc3z_source_open_netcdf4(in, &options, &original, &err);
	while (status == NC3Z_OK && got > 0) {
		status = nc3z_source_read(original, at, data, sizeof(data),
					  &got, &err);
		if (status == NC3Z_OK)
			sha256_update(sha, data, got, NULL);
		at += status == NC3Z_OK ? got : 0;
	}
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
		   status == NC3Z_ELIMIT);
	FUZZ_CHECK(err.status == status);
	sha256_final(sha, digest, NULL);
	sha256_free(sha);
	nc3z_source_close(original);
	nc3z_source_close(in);
	return status == NC3Z_OK ? at : UINT64_MAX;
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct exact_trailer t = { 0 };
	uint8_t head[HEAD_NBYTES] = { 0 }, digest[SHA256_NBYTES];
	size_t room = nbytes + nbytes / 1000 + 64, frames, parts;
	uint8_t *file = malloc(room + nbytes + EXACT_TRAILER_NBYTES);
	uint64_t size;

	FUZZ_CHECK(file);
	memcpy(head, data, nbytes < HEAD_NBYTES ? nbytes : HEAD_NBYTES);
	data += nbytes < HEAD_NBYTES ? nbytes : HEAD_NBYTES;
	nbytes -= nbytes < HEAD_NBYTES ? nbytes : HEAD_NBYTES;
	t.hdf5_nbytes = load_le32(head) % (nbytes + 1);
	frames = load_le32(head + 4) % (nbytes - t.hdf5_nbytes + 1);
	t.original_nbytes = load_le32(head + 8);
	memcpy(t.original_sha256, head + 12, SHA256_NBYTES);
	hash(data, (size_t)t.hdf5_nbytes, t.hdf5_sha256);
	parts = (size_t)t.hdf5_nbytes + frames;
	memcpy(file, data, parts);
	t.description_nbytes = (uint32_t)(nbytes - parts);
	if (t.description_nbytes > 0)
		t.description_stored_nbytes = (uint32_t)deflate(
			data + parts, nbytes - parts, file + parts, room);
	t.description_crc = crc32_of(file + parts, t.description_stored_nbytes);
	exact_trailer_write(&t, file + parts + t.description_stored_nbytes);
	size = restore(file,
		       parts + t.description_stored_nbytes +
			       EXACT_TRAILER_NBYTES,
		       digest);
	if (size != UINT64_MAX)
		FUZZ_CHECK(size == t.original_nbytes &&
			   memcmp(digest, t.original_sha256, SHA256_NBYTES) ==
				   0);
	free(file);
}

/* Parts of an input that is made. */
struct making {
	const uint8_t *file;
	size_t file_nbytes;
	struct classic_header header;
	struct layout layout;
	struct exact_description d;
	struct buffer hdf5;
	struct buffer frames;
	struct exact_place frame;
};

/* Fixed variables only, all contiguous: what mutations make of it is more. */
static bool take_variables(struct making *m)
{
	m->d.variables = memory_alloc(m->header.nvars, sizeof(*m->d.variables));
	for (size_t i = 0; i < m->layout.fixed.count; i++) {
		const struct layout_extent *e = &m->layout.fixed.list[i];
		struct exact_variable *v = &m->d.variables[m->d.nvariables];
		const struct classic_var *var;

		if (e->variable == CLASSIC_NO_VARIABLE ||
		    e->begin + e->nbytes > m->file_nbytes)
			continue;
		var = &m->header.vars[e->variable];
		*v = (struct exact_variable){
			.begin = e->begin,
			.width = classic_type_nbytes(var->type),
			.rank = (uint8_t)(var->ndims > 0),
		};
		v->lengths[0] = e->nbytes / v->width;
		if (var->ndims == 0 && v->lengths[0] != 1)
			continue;
		v->address = m->hdf5.nbytes;
		if (!exact_variable_derive(v) || v->nbytes == 0 ||
		    !buffer_append(&m->hdf5, m->file + e->begin,
				   (size_t)v->nbytes))
			return false;
		byte_order_reverse(v->width, m->hdf5.data + v->address,
				   (size_t)v->nbytes / v->width,
				   m->hdf5.data + v->address);
		m->d.nvariables++;
	}
	return true;
}

/* One frame, stored. */
static bool take_rest(struct making *m)
{
	struct cover cover;
	bool done = cover_init(&cover, &m->d, m->file_nbytes, NULL) == NC3Z_OK;

	for (uint64_t at = 0; done && at < m->file_nbytes;) {
		uint64_t nbytes;

		if (cover_is_rest(&cover, at, &nbytes))
			done = buffer_append(&m->frames, m->file + at,
					     (size_t)nbytes);
		at += nbytes;
	}
	cover_release(&cover);
	m->frame.nbytes = (uint32_t)m->frames.nbytes;
	m->frame.crc = crc32_of(m->frames.data, m->frames.nbytes);
	m->d.frames = &m->frame;
	m->d.nframes = m->frames.nbytes > 0;
	return done && m->frames.nbytes <= EXACT_FRAME_NBYTES;
}

static size_t put_together(struct making *m, struct fuzz_room room)
{
	struct buffer out = { 0 };
	uint8_t digest[SHA256_NBYTES];
	size_t nbytes = 0;
	bool done;

	hash(m->file, m->file_nbytes, digest);
	done = buffer_le32(&out, (uint32_t)m->hdf5.nbytes) &&
	       buffer_le32(&out, (uint32_t)m->frames.nbytes) &&
	       buffer_le32(&out, (uint32_t)m->file_nbytes) &&
	       buffer_append(&out, digest, sizeof(digest)) &&
	       buffer_append(&out, m->hdf5.data, m->hdf5.nbytes) &&
	       buffer_append(&out, m->frames.data, m->frames.nbytes) &&
	       exact_description_write(&m->d, &out);
	if (done && out.nbytes <= room.nbytes) {
		memcpy(room.data, out.data, out.nbytes);
		nbytes = out.nbytes;
	}
	buffer_release(&out);
	return nbytes;
}

static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	struct making m = { .file = file, .file_nbytes = file_nbytes };
	size_t nbytes = 0;
	bool more;

	(void)seed;
	if (classic_header_parse(file, file_nbytes, true, &m.header, &more,
				 NULL) != NC3Z_OK)
		return 0;
	if (layout_of_header(&m.header, &m.layout, NULL) == NC3Z_OK &&
	    take_variables(&m) && take_rest(&m))
		nbytes = put_together(&m, room);
	m.d.frames = NULL;
	exact_description_release(&m.d);
	buffer_release(&m.hdf5);
	buffer_release(&m.frames);
	layout_release(&m.layout);
	classic_header_release(&m.header);
	return nbytes;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)64 << 20,
	.run = run,
	.from_classic = from_classic,
};
