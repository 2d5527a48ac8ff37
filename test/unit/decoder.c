/* SPDX-License-Identifier: MIT */
/* The original of an archive: sections 5, 9 and 10. */
#include <openssl/sha.h>

#include "oracle.h"
#include "picture.h"

/* What a stream has before its members; NULL if it is not there. */
static const uint8_t *read_stream(const uint8_t *p, const uint8_t *end,
				  struct plan_stream *s)
{
	uint8_t rank;

	if (end - p < 16 || p[0] > 1 || p[1] > 1)
		return NULL;
	s->is_record = p[0];
	s->width = p[2];
	rank = p[3];
	if ((rank > 0) != p[1] || rank > 32 || (size_t)(end - p) < rank * 12u)
		return NULL;
	p += 4;
	if (rank == 0) {
		s->block_nbytes = picture_u32(p);
		s->panel_nrecords = picture_u32(p + 4);
		s->nmembers = picture_u32(p + 8);
		return p + 12;
	}
	s->nmembers = 1;
	oracle_add_grid(s, rank);
	for (uint32_t k = 0; k < rank; k++, p += 12) {
		s->grid->dims[k].length = picture_u64(p);
		s->grid->dims[k].chunk = picture_u32(p + 8);
	}
	return p;
}

/* A plan as it is written; only what section 5.1 lists. */
static const char *read_plan(const struct blob *bytes, struct plan *plan)
{
	const uint8_t *p = bytes->data, *end = p + bytes->nbytes;
	uint32_t variable = 0;
	uint64_t begin = 0;

	*plan = (struct plan){ 0 };
	if (bytes->nbytes < 36)
		return "length of the plan";
	plan->header_nbytes = picture_u64(p);
	plan->record_begin = picture_u64(p + 8);
	plan->record_nbytes = picture_u64(p + 16);
	plan->nrecords = picture_u64(p + 24);
	plan->nstreams = picture_u32(p + 32);
	plan->streams = calloc(plan->nstreams, sizeof(*plan->streams));
	p += 36;
	for (uint32_t i = 0; i < plan->nstreams; i++) {
		struct plan_stream *s = &plan->streams[i];

		p = read_stream(p, end, s);
		if (!p)
			return "stream of the plan";
		if ((size_t)(end - p) / 20 < s->nmembers)
			return "members of the plan";
		s->members = calloc(s->nmembers, sizeof(*s->members));
		for (uint32_t k = 0; k < s->nmembers; k++, p += 20) {
			s->members[k].variable = variable + picture_u32(p);
			s->members[k].begin = begin + picture_u64(p + 4);
			s->members[k].nbytes = picture_u64(p + 12);
			variable = s->members[k].variable + 1;
			begin = s->members[k].begin + s->members[k].nbytes;
		}
	}
	return p == end ? NULL : "length of the plan";
}

/* Chunks fit the dimensions, chunks are no larger than blocks may be. */
static const char *check_grid(const struct plan_stream *s)
{
	uint64_t chunk_nbytes = s->width, nbytes = s->width;

	for (uint32_t k = 0; k < s->grid->rank; k++) {
		uint64_t length = s->grid->dims[k].length;
		uint32_t chunk = s->grid->dims[k].chunk;
		bool is_records = k == 0 && s->is_record;

		if (chunk < 1 || chunk > 1u << 26 ||
		    (is_records ? length != 0 : chunk > length))
			return "chunk length";
		chunk_nbytes *= chunk;
		nbytes *= is_records ? 1 : length;
		if (chunk_nbytes > 1u << 26)
			return "size of a chunk";
	}
	return nbytes == s->members[0].nbytes ? NULL : "shape of chunks";
}

/* The rules of section 5.1 that the place of every byte does not prove. */
static const char *check_plan(const struct plan *plan, uint64_t size)
{
	if (plan->header_nbytes > 1 << 26 || plan->header_nbytes > size)
		return "header length";
	for (uint32_t i = 0; i < plan->nstreams; i++) {
		const struct plan_stream *s = &plan->streams[i];
		uint64_t nbytes = 0;
		const char *wrong = s->grid ? check_grid(s) : NULL;

		if (wrong)
			return wrong;
		if (s->grid)
			continue;
		if (s->nmembers == 0 || s->block_nbytes < 1 ||
		    s->block_nbytes > 1u << 26 ||
		    s->is_record != (s->panel_nrecords > 0))
			return "stream of the plan";
		for (uint32_t k = 0; k < s->nmembers; k++) {
			nbytes += s->members[k].nbytes;
			if (k > 0 &&
			    s->members[k].begin <= s->members[k - 1].begin)
				return "order of members";
		}
		if (s->nmembers > 1 && s->panel_nrecords > 1 &&
		    nbytes * s->panel_nrecords > s->block_nbytes)
			return "panel of several blocks";
	}
	return NULL;
}

/* Section 7. */
static const char *decode_block(const struct picture_block *b, uint8_t *raw)
{
	const char *wrong = picture_decode_block(b, raw);

	if (wrong)
		return wrong;
	return picture_crc32(raw, b->raw_nbytes) == b->raw_crc ?
		       NULL :
		       "CRC of raw bytes";
}

static const char *check_identity(const struct picture *p, const uint8_t *raw,
				  size_t raw_nbytes)
{
	struct blob both = { 0 };
	uint8_t digest[32];

	blob_put(&both, p->plan.data, p->plan.nbytes);
	blob_put(&both, raw, raw_nbytes);
	SHA256(both.data, both.nbytes, digest);
	blob_release(&both);
	return memcmp(digest, p->identity, PICTURE_IDENTITY_NBYTES) ?
		       "identity" :
		       NULL;
}

static const char *place_block(const struct picture *p,
			       const struct oracle *oracle,
			       const struct picture_block *b, uint8_t *original)
{
	const struct oracle_stream *s = &oracle->streams[b->stream];
	const struct oracle_block *o = &s->blocks[b->block];
	const char *wrong;
	uint8_t *raw;

	if (b->raw_nbytes != o->nbytes)
		return "raw length of a block";
	raw = malloc(b->raw_nbytes);
	wrong = decode_block(b, raw);
	if (!wrong && b == p->blocks)
		wrong = check_identity(p, raw, b->raw_nbytes);
	for (uint32_t k = 0; !wrong && k < b->raw_nbytes; k++)
		original[s->offsets[o->stream_offset + k]] = raw[k];
	free(raw);
	return wrong;
}

static const char *check_streams(const struct picture *p,
				 const struct plan *plan,
				 const struct oracle *oracle)
{
	if (p->nstreams != plan->nstreams)
		return "number of streams";
	for (uint32_t i = 0; i < p->nstreams; i++)
		if (picture_stream_nbytes(p, i) != oracle->streams[i].nbytes ||
		    picture_stream_nblocks(p, i) != oracle->streams[i].nblocks)
			return "length of a stream";
	return NULL;
}

/* Section 9. */
static const char *check_header_copy(const struct picture *p,
				     uint64_t header_nbytes,
				     const struct blob *original)
{
	if (header_nbytes > 1 << 24 || p->index_offset <= 1 << 20)
		return p->header_copy.nbytes ? "header copy" : NULL;
	if (p->header_copy.nbytes != header_nbytes ||
	    header_nbytes > original->nbytes ||
	    memcmp(p->header_copy.data, original->data,
		   (size_t)header_nbytes) != 0)
		return "header copy";
	return NULL;
}

static const char *decode(const struct picture *p, const struct plan *plan,
			  struct blob *out)
{
	struct oracle oracle;
	const char *wrong;
	uint8_t digest[32];

	oracle_make(&oracle, plan, p->original_nbytes);
	wrong = check_streams(p, plan, &oracle);
	blob_fill(out, 0, (size_t)p->original_nbytes);
	for (size_t i = 0; i < p->nblocks && !wrong; i++)
		wrong = place_block(p, &oracle, &p->blocks[i], out->data);
	oracle_release(&oracle);
	if (wrong)
		return wrong;
	SHA256(out->data, out->nbytes, digest);
	if (memcmp(digest, p->sha256, sizeof(digest)) != 0)
		return "SHA-256";
	return check_header_copy(p, plan->header_nbytes, out);
}

const char *picture_decode(const struct picture *p, struct blob *out)
{
	struct plan plan;
	const char *wrong = read_plan(&p->plan, &plan);

	if (!wrong)
		wrong = check_plan(&plan, p->original_nbytes);
	if (!wrong)
		wrong = decode(p, &plan, out);
	for (uint32_t i = 0; i < plan.nstreams && plan.streams; i++) {
		free(plan.streams[i].members);
		free(plan.streams[i].grid);
	}
	free(plan.streams);
	return wrong;
}
