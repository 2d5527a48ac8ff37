/* SPDX-License-Identifier: MIT */
/*
 * Writing the archive.
 *
 * The bytes of the original come in order, out of the blocks that are left or,
 * where these are lost, as fill values; they are hashed and sorted into blocks
 * again as packing does it.  A block that then has the CRC that its record says
 * is written with that record's description and payload, as it was; others are
 * encoded anew.  If nothing is lost the archive that comes out is the one that
 * was packed, byte for byte.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "salvage/bytes.h"
#include "parallel/hasher.h"
#include "parallel/threads.h"
#include "write/disguise.h"
#include "write/equal_blocks.h"
#include "write/sorter.h"

#define MAKING_CODEC NC3Z_CODEC_DEFLATE
#define MAKING_LEVEL 5

struct writer {
	struct salvage *s;
	struct archive_writer archive;
	struct sorter sorter;
	struct hasher *hasher;
	struct block_coder coder;
	struct block_stored stored;
	struct equal_blocks equal;
	bool has_identity;
	struct salvage_bytes bytes;
	struct nc3z_salvage_report *report;
	struct nc3z_error *err;
};

static int write_bytes(struct writer *w)
{
	const struct nc3z_salvage_options *o = w->s->options;
	uint64_t size = w->s->map.original_nbytes;

	while (w->bytes.position < size) {
		uint8_t *data = hasher_buffer(w->hasher);
		size_t filled = 0, n = 1;

		while (n > 0 && w->bytes.position < size &&
		       filled < HASHER_BUFFER_NBYTES) {
			uint64_t max = size_min(HASHER_BUFFER_NBYTES - filled,
						size - w->bytes.position);

			NC3Z_TRY(salvage_bytes_next(&w->bytes, data + filled,
						    max, &n));
			filled += n;
			w->bytes.position += n;
		}
		NC3Z_TRY(hasher_put(w->hasher, filled, w->err));
		NC3Z_TRY(sorter_put(&w->sorter, data, filled, w->err));
		if (o->progress)
			o->progress(o->context, w->bytes.position,
				    w->archive.sink->position);
	}
	return NC3Z_OK;
}

/* Encodes a block; in another way if it would look like another format. */
static int append_encoded(struct writer *w, struct archive_block *block,
			  const uint8_t *raw)
{
	const struct block_recipe recipe = {
		.width = w->s->plan.streams[block->stream].width,
		.codec = MAKING_CODEC,
		.level = codec_level(MAKING_CODEC, MAKING_LEVEL),
	};
	bool collides;

	NC3Z_TRY(block_encode(&w->coder, &recipe, raw, block->raw_nbytes,
			      &w->stored, w->err));
	block->description = w->stored.description.data;
	block->description_nbytes = w->stored.description.nbytes;
	block->payload = w->stored.payload.data;
	block->payload_nbytes = w->stored.payload.nbytes;
	NC3Z_TRY(archive_writer_block(&w->archive, block, &collides, w->err));
	if (collides)
		NC3Z_TRY(disguise_append(&w->archive, block, raw, w->err));
	w->report->nblocks_made++;
	return NC3Z_OK;
}

static int append_block(struct writer *w, struct archive_block *block,
			const uint8_t *raw)
{
	const struct salvage_found_block *p =
		salvage_good(w->s, block->stream, block->block);
	bool collides = true;

	if (!w->has_identity)
		NC3Z_TRY(archive_identity(
			w->s->plan_bytes.data, w->s->plan_bytes.nbytes, raw,
			block->raw_nbytes, w->archive.identity, w->err));
	w->has_identity = true;
	if (p && p->raw_nbytes == block->raw_nbytes &&
	    p->raw_crc == block->raw_crc && salvage_has_bytes(w->s, p)) {
		NC3Z_TRY(salvage_read(w->s, p));
		NC3Z_TRY(equal_blocks_append(&w->equal, &w->s->record.block,
					     raw, &collides, w->err));
		w->report->nblocks_kept += !collides;
	}
	return collides ? append_encoded(w, block, raw) : NC3Z_OK;
}

static int take_block(void *context, uint32_t stream, uint32_t block,
		      uint8_t *raw, size_t raw_nbytes, struct nc3z_error *err)
{
	struct archive_block made = {
		.stream = stream,
		.block = block,
		.raw_nbytes = (uint32_t)raw_nbytes,
		.raw_crc = crc32_of(raw, raw_nbytes),
	};
	int status;

	(void)err;
	status = append_block(context, &made, raw);
	free(raw);
	return status;
}

/*
 * Blocks that can be open at the same time: as the plan may be anybody's, what
 * they take is bounded.
 */
static int check_memory(const struct salvage *s)
{
	uint64_t nbytes = 0;

	for (uint32_t i = 0; i < s->plan.nstreams; i++) {
		const struct plan_stream *stream = &s->plan.streams[i];

		if (!stream->grid &&
		    (stream->is_record || stream->nmembers > 1))
			nbytes =
				size_add_max(nbytes,
					     size_min(stream->block_nbytes,
						      s->map.extents[i].nbytes),
					     UINT64_MAX);
	}
	if (nbytes > s->options->max_memory_nbytes)
		return error_set(s->err, NC3Z_ELIMIT,
				 "blocks of this plan need more memory than is "
				 "allowed");
	return NC3Z_OK;
}

static int writer_begin(struct writer *w, struct nc3z_sink *out)
{
	struct salvage *s = w->s;
	const struct sorter_setup sorter = {
		.plan = &s->plan,
		.max_nbytes = s->options->max_memory_nbytes,
		.take = take_block,
		.context = w,
	};

	NC3Z_TRY(check_memory(s));
	NC3Z_TRY(salvage_losses_init(&s->losses, &s->header, w->err));
	s->cache = cache_new(size_max(SALVAGE_CACHE_NBYTES_MIN,
				      size_min(plan_reach_nbytes(&s->plan),
					       s->options->max_memory_nbytes)));
	if (!s->cache)
		return error_set_memory(w->err);
	NC3Z_TRY(sorter_init(&w->sorter, &sorter, w->err));
	NC3Z_TRY(hasher_new(threads_wanted(s->options->nthreads) > 1,
			    &w->hasher, w->err));
	return archive_writer_begin(&w->archive, out, &s->plan_bytes,
				    s->plan.nstreams, w->err);
}

/* The catalogue of what was written. */
static int fill_catalogue(struct writer *w, struct archive_catalogue *c)
{
	const struct salvage *s = w->s;
	uint32_t n = s->plan.nstreams;

	*c = (struct archive_catalogue){
		.original_nbytes = s->map.original_nbytes,
		.plan = s->plan_bytes.data,
		.plan_nbytes = s->plan_bytes.nbytes,
		.stream_nbytes = memory_alloc(n, sizeof(*c->stream_nbytes)),
		.stream_nblocks = memory_alloc(n, sizeof(*c->stream_nblocks)),
	};
	memcpy(c->identity, w->archive.identity, FORMAT_IDENTITY_NBYTES);
	if (!c->stream_nbytes || !c->stream_nblocks)
		return error_set_memory(w->err);
	c->nstreams = n;
	for (uint32_t i = 0; i < n; i++) {
		c->stream_nbytes[i] = s->map.extents[i].nbytes;
		c->stream_nblocks[i] = (uint32_t)s->map.extents[i].nblocks;
	}
	return hasher_end(w->hasher, c->sha256, w->err);
}

/* An original with nothing lost has its old SHA-256. */
static int judge_catalogue(struct writer *w, const struct archive_catalogue *c)
{
	const struct archive_catalogue *before = &w->s->catalogue;
	struct nc3z_salvage_report *r = w->report;

	r->nbytes_lost = w->s->losses.nbytes;
	r->has_original_sha256 = w->s->has_catalogue;
	if (!w->s->has_catalogue)
		return NC3Z_OK;
	memcpy(r->original_sha256, before->sha256, SHA256_NBYTES);
	r->is_whole = memcmp(before->sha256, c->sha256, SHA256_NBYTES) == 0;
	if (r->nbytes_lost == 0 && !r->is_whole)
		return error_set(w->err, NC3Z_EDAMAGED,
				 "no block is lost, but the SHA-256 of the "
				 "original differs");
	return NC3Z_OK;
}

/* Whether a trailer says that there were no copies. */
static bool had_no_copies(const struct salvage *s)
{
	for (size_t i = 0; i < s->finds.nfragments; i++) {
		const struct salvage_fragment *f = &s->finds.fragments[i];

		if (s->joined[i] && f->has_trailer &&
		    f->trailer.header_copy_offset ==
			    f->trailer.catalogue_offset)
			return true;
	}
	return false;
}

static int finish(struct writer *w)
{
	struct archive_catalogue catalogue = { 0 };
	struct archive_copies copies = {
		.header = { .data = w->s->head.data,
			    .nbytes = (size_t)w->s->header.nbytes },
		.only_large = had_no_copies(w->s),
	};
	int status;

	NC3Z_TRY(sorter_end(&w->sorter, &w->s->map, w->err));
	status = fill_catalogue(w, &catalogue);
	if (status == NC3Z_OK)
		status = judge_catalogue(w, &catalogue);
	if (status == NC3Z_OK)
		status = salvage_write_copies(w->s, &w->archive,
					      &copies.streams);
	if (status == NC3Z_OK)
		status = archive_writer_end(&w->archive, &catalogue, &copies,
					    w->err);
	buffer_release(&copies.streams);
	w->report->summary = (struct nc3z_summary){
		.original_nbytes = catalogue.original_nbytes,
		.archive_nbytes = w->archive.sink->position,
		.nblocks = w->archive.index.nblocks,
		.nstreams = catalogue.nstreams,
		.format_major = FORMAT_MAJOR,
		.format_minor = FORMAT_MINOR,
	};
	memcpy(w->report->summary.sha256, catalogue.sha256, SHA256_NBYTES);
	catalogue_release(&catalogue);
	return status;
}

int salvage_write(struct salvage *s, struct nc3z_sink *out,
		  struct nc3z_salvage_report *report)
{
	struct writer w = {
		.s = s,
		.bytes = { .s = s },
		.report = report,
		.err = s->err,
	};
	int status;

	w.equal.archive = &w.archive;
	status = writer_begin(&w, out);
	if (status == NC3Z_OK)
		status = write_bytes(&w);
	if (status == NC3Z_OK)
		status = finish(&w);
	sorter_release(&w.sorter);
	archive_writer_release(&w.archive);
	hasher_free(w.hasher);
	block_stored_release(&w.stored);
	block_coder_release(&w.coder);
	equal_blocks_release(&w.equal);
	return status;
}
