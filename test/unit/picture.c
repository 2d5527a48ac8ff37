/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <stdint.h>
#include <zlib.h>

uint32_t picture_crc32(const void *data, size_t nbytes)
{
	return (uint32_t)crc32(0, data, (uInt)nbytes);
}

static uint32_t picture_u16(const uint8_t *p)
{
	return (uint32_t)p[1] * 256 + p[0];
}

uint32_t picture_u32(const uint8_t *p)
{
	return picture_u16(p + 2) * 65536 + picture_u16(p);
}

uint64_t picture_u64(const uint8_t *p)
{
	return ((uint64_t)picture_u32(p + 4) << 32) + picture_u32(p);
}

/* The bytes at 'at' and how many there are behind them, at most. */
static size_t left(const struct picture *p, size_t at)
{
	return at < p->nbytes ? p->nbytes - at : 0;
}

static const char *read_superblock(const struct picture *p)
{
	if (p->nbytes < 16 ||
	    memcmp(p->data, "\x89\x4e\x43\x33\x5a\x0d\x0a\x1a", 8) != 0)
		return "magic";
	if (picture_u32(p->data + 12) != picture_crc32(p->data, 12))
		return "CRC of the superblock";
	if (picture_u16(p->data + 8) != 1 || picture_u16(p->data + 10) > 0)
		return "version";
	return NULL;
}

static const char *inflate_section(const uint8_t *stored, uint32_t nbytes,
				   uint32_t raw_nbytes, struct blob *out)
{
	uLongf written = raw_nbytes;

	if (uncompress(blob_extend(out, raw_nbytes), &written, stored,
		       nbytes) != Z_OK ||
	    written != raw_nbytes)
		return "stored bytes of a section";
	return NULL;
}

static const char *read_section(const struct picture *p, const char *mark,
				size_t *at, struct blob *out)
{
	const uint8_t *head = p->data + *at;
	uint32_t raw_nbytes, nbytes;

	if (left(p, *at) < 24 || memcmp(head, mark, 4) != 0)
		return "mark of a section";
	if (picture_u32(head + 20) != picture_crc32(head, 20))
		return "CRC of a section head";
	raw_nbytes = picture_u32(head + 8);
	nbytes = picture_u32(head + 12);
	if (head[4] > 1 || head[5] || head[6] || head[7] ||
	    raw_nbytes > 1u << 28 || nbytes > raw_nbytes ||
	    nbytes > left(p, *at + 24))
		return "head of a section";
	if (picture_u32(head + 16) != picture_crc32(head + 24, nbytes))
		return "CRC of a section";
	*at += 24 + (size_t)nbytes;
	if (head[4] == 1)
		return raw_nbytes ? inflate_section(head + 24, nbytes,
						    raw_nbytes, out) :
				    "empty section that is not stored";
	if (nbytes != raw_nbytes)
		return "lengths of a section";
	blob_put(out, head + 24, nbytes);
	return NULL;
}

static struct picture_block *add_block(struct picture *p)
{
	size_t n = p->nblocks++;

	if ((n & (n - 1)) == 0) /* at every power of two */
		p->blocks = realloc(p->blocks,
				    (n ? 2 * n : 1) * sizeof(*p->blocks));
	if (!p->blocks)
		abort();
	p->blocks[n] = (struct picture_block){ 0 };
	return &p->blocks[n];
}

/* The number that the next block of a stream must have. */
static uint32_t next_number(const struct picture *p, uint32_t stream)
{
	for (size_t i = p->nblocks - 1; i-- > 0;)
		if (p->blocks[i].stream == stream)
			return p->blocks[i].block + 1;
	return 0;
}

static const char *read_block(struct picture *p, size_t *at, uint32_t *chain)
{
	const uint8_t *head = p->data + *at;
	struct picture_block *b;
	size_t h;

	if (left(p, *at) < 46)
		return "end inside a block record";
	h = picture_u16(head + 4);
	if (h < 46 || h > 1024 || h > left(p, *at))
		return "length of a record header";
	b = add_block(p);
	*b = (struct picture_block){
		.offset = *at,
		.header_nbytes = h,
		.stream = picture_u32(head + 6),
		.block = picture_u32(head + 10),
		.raw_nbytes = picture_u32(head + 14),
		.raw_crc = picture_u32(head + 18),
		.header_crc = picture_u32(head + h - 4),
		.description = head + 42,
		.description_nbytes = h - 46,
		.payload = head + h,
		.payload_nbytes = picture_u32(head + 22),
	};
	if (b->header_crc != picture_crc32(head, h - 4))
		return "CRC of a record header";
	if (b->payload_nbytes > left(p, *at + h) ||
	    picture_u32(head + 26) !=
		    picture_crc32(b->payload, b->payload_nbytes))
		return "CRC of a payload";
	if (picture_u32(head + 30) != *chain)
		return "chain";
	if (p->nblocks == 1)
		memcpy(p->identity, head + 34, PICTURE_IDENTITY_NBYTES);
	if (memcmp(p->identity, head + 34, PICTURE_IDENTITY_NBYTES) != 0)
		return "identity of a block record";
	if (b->block != next_number(p, b->stream))
		return "number of a block";
	if (b->raw_nbytes < 1 || b->raw_nbytes > 1u << 26)
		return "raw length";
	if (b->payload_nbytes >
	    (size_t)b->raw_nbytes + b->raw_nbytes / 8 + 4096)
		return "length of a payload";
	*chain = b->header_crc;
	*at += h + b->payload_nbytes;
	return NULL;
}

/* A block that equals another: it has all of that one but its place. */
static const char *read_duplicate(struct picture *p, size_t *at,
				  uint32_t *chain)
{
	const uint8_t *record = p->data + *at;
	struct picture_block *b;
	size_t i = 0;

	if (left(p, *at) < 44 ||
	    picture_u32(record + 40) != picture_crc32(record, 40))
		return "CRC of a duplicate record";
	while (i < p->nblocks &&
	       (p->blocks[i].stream != picture_u32(record + 12) ||
		p->blocks[i].block != picture_u32(record + 16)))
		i++;
	if (i == p->nblocks || p->blocks[i].is_duplicate ||
	    *at - p->blocks[i].offset > 1 << 25)
		return "block that a duplicate equals";
	if (p->blocks[i].raw_nbytes != picture_u32(record + 20) ||
	    p->blocks[i].raw_crc != picture_u32(record + 24))
		return "block that a duplicate does not equal";
	b = add_block(p);
	*b = p->blocks[i];
	b->is_duplicate = true;
	b->stream = picture_u32(record + 4);
	b->block = picture_u32(record + 8);
	if (picture_u32(record + 28) != *chain)
		return "chain";
	if (memcmp(p->identity, record + 32, PICTURE_IDENTITY_NBYTES) != 0)
		return "identity of a duplicate record";
	if (b->block != next_number(p, b->stream))
		return "number of a block";
	*chain = picture_u32(record + 40);
	*at += 44;
	return NULL;
}

static const char *check_entry(const struct picture_block *b,
			       const uint8_t *entry)
{
	size_t nbytes = b->header_nbytes + b->payload_nbytes;

	if (picture_u64(entry) != b->offset ||
	    picture_u32(entry + 8) !=
		    nbytes + (b->is_duplicate ? 0x80000000u : 0) ||
	    picture_u32(entry + 12) != b->header_crc ||
	    picture_u32(entry + 16) != b->raw_crc)
		return "entry of the index";
	return NULL;
}

/* The entry of a block stands where section 8 says. */
static const char *check_entries(const struct picture *p)
{
	const uint8_t *index = p->data + p->index_offset;
	const char *wrong = NULL;
	uint32_t max_stream = 0;
	size_t e = 0;

	for (size_t i = 0; i < p->nblocks; i++)
		if (p->blocks[i].stream > max_stream)
			max_stream = p->blocks[i].stream;
	for (uint32_t s = 0; s <= max_stream; s++)
		for (size_t i = 0; i < p->nblocks && !wrong; i++)
			if (p->blocks[i].stream == s) {
				wrong = check_entry(&p->blocks[i],
						    index + 16 + e * 20 +
							    e / 4096 * 4);
				e++;
			}
	return wrong;
}

/* The CRC of a segment goes over that of the last record, too. */
static uint32_t segment_crc(const uint8_t *segment, size_t nbytes,
			    uint32_t chain)
{
	const uint8_t last[] = { (uint8_t)chain, (uint8_t)(chain >> 8),
				 (uint8_t)(chain >> 16),
				 (uint8_t)(chain >> 24) };

	return (uint32_t)crc32(picture_crc32(segment, nbytes), last, 4);
}

static const char *read_index(struct picture *p, size_t *at, uint32_t chain)
{
	const uint8_t *head = p->data + *at;
	size_t nsegments = (p->nblocks + 4095) / 4096;

	p->index_offset = *at;
	if (left(p, *at) < 16 + p->nblocks * 20 + nsegments * 4)
		return "end inside the index";
	if (memcmp(head, "N3IX", 4) != 0 ||
	    picture_u32(head + 12) != picture_crc32(head, 12) ||
	    picture_u64(head + 4) != p->nblocks)
		return "head of the index";
	*at += 16;
	for (size_t i = 0; i < nsegments; i++) {
		size_t n = p->nblocks - i * 4096;

		n = n < 4096 ? n * 20 : 4096 * 20;
		if (picture_u32(p->data + *at + n) !=
		    segment_crc(p->data + *at, n, chain))
			return "CRC of a segment";
		*at += n + 4;
	}
	return check_entries(p);
}

bool picture_has_plan_copy(const struct picture *p)
{
	return p->catalogue.nbytes > 52 + (size_t)p->nstreams * 12;
}

uint64_t picture_stream_nbytes(const struct picture *p, uint32_t stream)
{
	return picture_u64(p->catalogue.data + 52 + (size_t)stream * 12);
}

static uint32_t picture_stream_nblocks(const struct picture *p, uint32_t stream)
{
	return picture_u32(p->catalogue.data + 60 + (size_t)stream * 12);
}

static const char *check_catalogue(struct picture *p)
{
	const uint8_t *c = p->catalogue.data;
	size_t begin, nblocks = 0;

	if (p->catalogue.nbytes < 52)
		return "length of the catalogue";
	p->original_nbytes = picture_u64(c + 8);
	memcpy(p->sha256, c + 16, 32);
	p->nstreams = picture_u32(c + 48);
	if (p->nstreams > (p->catalogue.nbytes - 52) / 12)
		return "length of the catalogue";
	if (memcmp(c, p->identity, PICTURE_IDENTITY_NBYTES) != 0)
		return "identity of the catalogue";
	for (uint32_t i = 0; i < p->nstreams; i++)
		nblocks += picture_stream_nblocks(p, i);
	for (size_t i = 0; i < p->nblocks; i++)
		if (p->blocks[i].stream >= p->nstreams)
			return "number of a stream";
	if (nblocks != p->nblocks)
		return "numbers of blocks in the catalogue";
	begin = 52 + (size_t)p->nstreams * 12;
	if (p->catalogue.nbytes == begin)
		return NULL;
	if (p->catalogue.nbytes - begin != p->plan.nbytes ||
	    memcmp(c + begin, p->plan.data, p->plan.nbytes) != 0)
		return "plan in the catalogue";
	return NULL;
}

static const char *check_trailer(const struct picture *p, uint32_t chain)
{
	const uint8_t *t = p->data + p->trailer_offset;

	if (left(p, p->trailer_offset) != 64)
		return "length of the trailer";
	if (memcmp(t, "N3TR", 4) != 0 ||
	    picture_u32(t + 60) != picture_crc32(t, 60))
		return "mark or CRC of the trailer";
	if (memcmp(t + 4, p->data + 8, 4) != 0 ||
	    picture_u64(t + 8) != p->index_offset ||
	    picture_u64(t + 16) != p->header_copy_offset ||
	    picture_u64(t + 24) != p->catalogue_offset ||
	    picture_u64(t + 32) != p->nbytes ||
	    picture_u64(t + 40) != p->nblocks ||
	    memcmp(t + 48, p->identity, PICTURE_IDENTITY_NBYTES) != 0 ||
	    picture_u32(t + 56) != chain)
		return "trailer";
	return NULL;
}

static const char *check_signatures(const struct picture *p)
{
	for (size_t at = 512; left(p, at) >= 8; at *= 2)
		if (memcmp(p->data + at, "\x89HDF\r\n\x1a\n", 8) == 0)
			return "signature of HDF5";
	return NULL;
}

static bool has_mark(const struct picture *p, size_t at, const char *mark)
{
	return left(p, at) >= 4 && memcmp(p->data + at, mark, 4) == 0;
}

/* Section 9: each may be there. */
static const char *read_copies(struct picture *p, size_t *at)
{
	const char *wrong = NULL;

	if (has_mark(p, *at, "N3HC"))
		wrong = read_section(p, "N3HC", at, &p->header_copy);
	p->stream_copies_offset = *at;
	if (!wrong && has_mark(p, *at, "N3SC"))
		wrong = read_section(p, "N3SC", at, &p->stream_copies);
	return wrong;
}

const char *picture_read(struct picture *p, const void *data, size_t nbytes)
{
	const char *wrong;
	uint32_t chain = 0;
	size_t at = 16;

	*p = (struct picture){ .data = data, .nbytes = nbytes };
	wrong = read_superblock(p);
	if (!wrong)
		wrong = read_section(p, "N3PL", &at, &p->plan);
	if (!wrong)
		chain = picture_u32(p->data + 36);
	while (!wrong && (has_mark(p, at, "N3BK") || has_mark(p, at, "N3DU")))
		wrong = has_mark(p, at, "N3BK") ?
				read_block(p, &at, &chain) :
				read_duplicate(p, &at, &chain);
	if (!wrong && p->nblocks == 0)
		wrong = "no blocks";
	if (!wrong)
		wrong = read_index(p, &at, chain);
	p->header_copy_offset = at;
	if (!wrong)
		wrong = read_copies(p, &at);
	p->catalogue_offset = at;
	if (!wrong)
		wrong = read_section(p, "N3CT", &at, &p->catalogue);
	p->trailer_offset = at;
	if (!wrong)
		wrong = check_catalogue(p);
	if (!wrong)
		wrong = check_trailer(p, chain);
	return wrong ? wrong : check_signatures(p);
}

void picture_release(struct picture *p)
{
	blob_release(&p->plan);
	free(p->blocks);
	blob_release(&p->header_copy);
	blob_release(&p->stream_copies);
	blob_release(&p->catalogue);
	*p = (struct picture){ 0 };
}
