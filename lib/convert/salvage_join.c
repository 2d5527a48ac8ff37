/*
 * Which fragments make one archive.
 *
 * Archives of files that begin alike have the same identity, so that it alone
 * does not say what belongs together.  In one input, fragments are joined if
 * the chain of record headers goes on from one to the other; of each further
 * input, which is a copy, those of the same identity that are joined to its
 * largest.  Blocks that then differ are no copies (salvage_map.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "convert/salvage.h"

/* Passes over the fragments of one input; parts out of order need some. */
#define PASSES_MAX 8

static bool is_same_archive(const struct salvage *s, const struct fragment *f)
{
	return memcmp(f->identity, s->identity, FORMAT_IDENTITY_NBYTES) == 0;
}

/* Whether one goes on where the other ends. */
static bool is_linked(const struct fragment *a, const struct fragment *b)
{
	if (a->npieces == 0 || b->npieces == 0)
		return a->last_crc == b->last_crc;
	return a->last_crc == b->previous_crc || b->last_crc == a->previous_crc;
}

static bool is_linked_to_joined(const struct salvage *s,
				const struct fragment *f)
{
	const struct salvage_finds *finds = &s->finds;

	for (size_t i = 0; i < finds->nfragments; i++)
		if (s->joined[i] && finds->fragments[i].source == f->source &&
		    is_linked(&finds->fragments[i], f))
			return true;
	return false;
}

/* Joins what is linked to a fragment of the same input. */
static void join_linked(struct salvage *s, uint32_t source)
{
	bool more = true;

	for (int pass = 0; more && pass < PASSES_MAX; pass++) {
		more = false;
		for (size_t i = 0; i < s->finds.nfragments; i++) {
			const struct fragment *f = &s->finds.fragments[i];

			if (s->joined[i] || f->source != source ||
			    !is_same_archive(s, f) ||
			    !is_linked_to_joined(s, f))
				continue;
			s->joined[i] = true;
			more = true;
		}
	}
}

/* The largest of an input, or of all of them that has a block. */
static uint32_t largest(const struct salvage *s, uint32_t source)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < s->finds.nfragments; i++) {
		const struct fragment *f = &s->finds.fragments[i];

		if (source == UINT32_MAX ?
			    f->npieces == 0 :
			    f->source != source || !is_same_archive(s, f))
			continue;
		if (found == UINT32_MAX ||
		    f->raw_nbytes > s->finds.fragments[found].raw_nbytes)
			found = i;
	}
	return found;
}

/* Counts the archives and finds the one of the number that is wanted. */
static int choose(struct salvage *s)
{
	uint32_t wanted = s->options->archive;

	s->chosen = largest(s, UINT32_MAX);
	for (uint32_t i = 0; i < s->finds.nfragments; i++)
		if (s->finds.fragments[i].npieces > 0 &&
		    ++s->narchives == wanted)
			s->chosen = i;
	if (s->narchives == 0)
		return error_set(s->err, NC3Z_ENOTARCHIVE,
				 "no block of an archive found");
	if (wanted > s->narchives)
		return error_set(s->err, NC3Z_EINVAL,
				 "no archive number %u, only %u found", wanted,
				 s->narchives);
	memcpy(s->identity, s->finds.fragments[s->chosen].identity,
	       FORMAT_IDENTITY_NBYTES);
	return NC3Z_OK;
}

static int by_place(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	if (x->fragment != y->fragment)
		return x->fragment < y->fragment ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void keep_joined(struct salvage *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->finds.npieces; i++)
		if (s->joined[s->finds.pieces[i].fragment])
			s->finds.pieces[n++] = s->finds.pieces[i];
	s->finds.npieces = n;
	qsort(s->finds.pieces, n, sizeof(*s->finds.pieces), by_place);
}

int salvage_join(struct salvage *s)
{
	NC3Z_TRY(choose(s));
	s->joined = memory_alloc(s->finds.nfragments, sizeof(*s->joined));
	if (!s->joined)
		return error_set_memory(s->err);
	for (uint32_t i = 0; i < s->nsources; i++) {
		uint32_t first = s->finds.fragments[s->chosen].source == i ?
					 s->chosen :
					 largest(s, i);

		if (first == UINT32_MAX)
			continue;
		s->joined[first] = true;
		join_linked(s, i);
	}
	keep_joined(s);
	return NC3Z_OK;
}

/* The first piece that is not before a block. */
static size_t lower_bound(const struct salvage *s, uint32_t stream,
			  uint64_t block)
{
	size_t low = 0, high = s->finds.npieces;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct piece *p = &s->finds.pieces[middle];

		if (p->stream < stream ||
		    (p->stream == stream && p->block < block))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct piece *salvage_find(const struct salvage *s, uint32_t stream,
			   uint64_t block)
{
	size_t i = lower_bound(s, stream, block);
	struct piece *p = &s->finds.pieces[i];

	return i < s->finds.npieces && p->stream == stream &&
			       p->block == block ?
		       p :
		       NULL;
}

struct piece *salvage_other(const struct salvage *s, const struct piece *piece)
{
	size_t i = (size_t)(piece - s->finds.pieces) + 1;
	struct piece *p = &s->finds.pieces[i];

	return i < s->finds.npieces && p->stream == piece->stream &&
			       p->block == piece->block ?
		       p :
		       NULL;
}

struct piece *salvage_good(const struct salvage *s, uint32_t stream,
			   uint64_t block)
{
	struct piece *p = salvage_find(s, stream, block);

	while (p && p->is_bad)
		p = salvage_other(s, p);
	return p;
}

int salvage_read(struct salvage *s, const struct piece *piece)
{
	uint32_t source = s->finds.fragments[piece->fragment].source;
	uint64_t offset = piece->offset;
	struct block_record *r = &s->record;

	NC3Z_TRY(block_record_read(s->sources[source], &offset, r, s->err));
	NC3Z_TRY(source_read_growing(s->sources[source], offset,
				     r->payload_nbytes, &s->payload, s->err));
	if (r->block.raw_nbytes != piece->raw_nbytes ||
	    r->block.raw_crc != piece->raw_crc ||
	    crc32_of(s->payload.data, s->payload.nbytes) != r->payload_crc)
		return error_set(s->err, NC3Z_ECHANGED,
				 "input changed while it was read");
	r->block.payload = s->payload.data;
	r->block.payload_nbytes = s->payload.nbytes;
	return NC3Z_OK;
}

int salvage_decode(struct salvage *s, const struct piece *piece, uint8_t *raw)
{
	struct block_view view;

	NC3Z_TRY(salvage_read(s, piece));
	view = (struct block_view){
		.description = s->record.block.description,
		.description_nbytes = s->record.block.description_nbytes,
		.payload = s->payload.data,
		.payload_nbytes = s->payload.nbytes,
	};
	NC3Z_TRY(
		block_decode(&s->coder, &view, raw, piece->raw_nbytes, s->err));
	if (crc32_of(raw, piece->raw_nbytes) != piece->raw_crc)
		return error_set(s->err, NC3Z_EDAMAGED,
				 "decoded bytes are damaged: CRC-32 differs");
	return NC3Z_OK;
}
