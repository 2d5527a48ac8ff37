/* The original of an archive: sections 5 to 7, 9 and 10. */
#include <bzlib.h>
#include <openssl/sha.h>
#include <zlib.h>
#include <zstd.h>

#include "oracle.h"
#include "picture.h"

/* A plan as it is written; only what section 5.1 lists. */
static const char *read_plan(const struct blob *bytes, struct plan *plan)
{
	const uint8_t *p = bytes->data, *end = p + bytes->nbytes;

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

		if (end - p < 16 || p[0] > 1 || p[1] || p[3])
			return "stream of the plan";
		s->is_record = p[0];
		s->width = p[2];
		s->block_nbytes = picture_u32(p + 4);
		s->panel_nrecords = picture_u32(p + 8);
		s->nmembers = picture_u32(p + 12);
		p += 16;
		if ((size_t)(end - p) / 20 < s->nmembers)
			return "members of the plan";
		s->members = calloc(s->nmembers, sizeof(*s->members));
		for (uint32_t k = 0; k < s->nmembers; k++, p += 20) {
			s->members[k].variable = picture_u32(p);
			s->members[k].begin = picture_u64(p + 4);
			s->members[k].nbytes = picture_u64(p + 12);
		}
	}
	return p == end ? NULL : "length of the plan";
}

/* The rules of section 5.1 that the place of every byte does not prove. */
static const char *check_plan(const struct plan *plan, uint64_t size)
{
	if (plan->header_nbytes > 1 << 26 || plan->header_nbytes > size)
		return "header length";
	for (uint32_t i = 0; i < plan->nstreams; i++) {
		const struct plan_stream *s = &plan->streams[i];
		uint64_t nbytes = 0;

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

static bool decode_bytes(uint8_t codec, const uint8_t *stored, size_t n,
			 uint8_t *out, size_t nbytes)
{
	uLong used = (uLong)n;
	uLongf zlib_nbytes = (uLongf)nbytes;
	unsigned bz_nbytes = (unsigned)nbytes;

	switch (codec) {
	case 0:
		memcpy(out, stored, n < nbytes ? n : nbytes);
		return n == nbytes;
	case 1:
		return uncompress2(out, &zlib_nbytes, stored, &used) == Z_OK &&
		       zlib_nbytes == nbytes && used == n;
	case 2:
		return BZ2_bzBuffToBuffDecompress((char *)out, &bz_nbytes,
						  (char *)(uintptr_t)stored,
						  (unsigned)n, 0, 0) == BZ_OK &&
		       bz_nbytes == nbytes;
	case 3:
		return ZSTD_getFrameContentSize(stored, n) == nbytes &&
		       ZSTD_decompress(out, nbytes, stored, n) == nbytes;
	default:
		return false;
	}
}

/* Elements in the order of the codec's input -> numbers. */
static void load(const uint8_t *in, size_t n, unsigned width, bool shuffled,
		 uint64_t *x)
{
	for (size_t i = 0; i < n; i++) {
		x[i] = 0;
		for (unsigned k = width; k-- > 0;)
			x[i] = x[i] * 256 +
			       in[shuffled ? k * n + i : i * width + k];
	}
}

/* y -> x of section 7.2, modulo 2^(8 width). */
static void invert(uint8_t id, uint32_t stride, unsigned width, size_t n,
		   uint64_t *x)
{
	const uint64_t top = UINT64_C(1) << (8 * width - 1);
	const uint64_t all = top - 1 + top;

	for (size_t i = 0; i < n; i++) {
		if (id == 1)
			x[i] = x[i] & top ? x[i] ^ top : ~x[i] & all;
		if (id == 2 && i >= stride)
			x[i] = (x[i] + x[i - stride]) & all;
		if (id == 3)
			x[i] = x[i] & 1 ? ~(x[i] / 2) & all : x[i] / 2;
	}
}

/* Filters as they stand in a description. */
struct steps {
	unsigned count;
	uint8_t ids[8];
	uint32_t strides[8];
};

static void undo_filters(const struct steps *steps, unsigned width,
			 const uint8_t *in, size_t nbytes, uint8_t *raw)
{
	size_t n = nbytes / width;
	uint64_t *x = calloc(n + 1, sizeof(*x));
	bool shuffled = steps->count > 0 && steps->ids[steps->count - 1] == 4;

	memcpy(raw, in, nbytes);
	if (steps->count > 0) {
		load(in, n, width, shuffled, x);
		for (unsigned i = steps->count; i-- > 0;)
			invert(steps->ids[i], steps->strides[i], width, n, x);
		for (size_t i = 0; i < n; i++)
			for (unsigned k = 0; k < width; k++)
				raw[i * width + k] =
					(uint8_t)(x[i] >> 8 * (width - 1 - k));
	}
	free(x);
}

/* The filters of the one part; the bytes that they take, 0 if wrong. */
static size_t read_steps(const uint8_t *p, size_t nbytes, struct steps *steps)
{
	size_t at = 1;

	*steps = (struct steps){ .count = p[0] };
	if (steps->count > 8)
		return 0;
	for (unsigned i = 0; i < steps->count; i++) {
		if (nbytes - at < 1 + 8)
			return 0;
		steps->ids[i] = p[at++];
		if (steps->ids[i] < 1 || steps->ids[i] > 4 ||
		    (steps->ids[i] == 1 && i > 0) ||
		    (steps->ids[i] == 4 && i + 1 < steps->count))
			return 0;
		if (steps->ids[i] == 2) {
			if (nbytes - at < 4 + 8)
				return 0;
			steps->strides[i] = picture_u32(p + at);
			at += 4;
		}
	}
	return at;
}

static const char *decode_block(const struct picture_block *b, uint8_t *raw)
{
	const uint8_t *d = b->description;
	struct steps steps;
	uint8_t *part;
	size_t n;
	bool ok;

	if (b->description_nbytes < 13 || d[0] != 0 || d[1] != 1)
		return "description";
	if (d[3] != 1 && d[3] != 2 && d[3] != 4 && d[3] != 8)
		return "width";
	n = read_steps(d + 4, b->description_nbytes - 4, &steps);
	if (n == 0 || b->description_nbytes != 4 + n + 8)
		return "filters";
	if (picture_u32(d + 4 + n) != b->raw_nbytes ||
	    picture_u32(d + 8 + n) != b->payload_nbytes)
		return "lengths of a part";
	part = malloc(b->raw_nbytes);
	ok = decode_bytes(d[2], b->payload, b->payload_nbytes, part,
			  b->raw_nbytes);
	if (ok)
		undo_filters(&steps, d[3], part, b->raw_nbytes, raw);
	free(part);
	if (!ok)
		return "payload";
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
	for (uint32_t i = 0; i < plan.nstreams && plan.streams; i++)
		free(plan.streams[i].members);
	free(plan.streams);
	return wrong;
}
