/* SPDX-License-Identifier: MIT */
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

#include "base/magic.h"
#include "base/sizes.h"
#include "nc3z_tools.h"
#include "salvage/salvage.h"

/* Passes over the fragments of one input; parts out of order need some. */
#define PASSES_MAX 8

static bool is_same_archive(const struct salvage *s,
			    const struct salvage_fragment *f)
{
	return memcmp(f->identity, s->identity, FORMAT_IDENTITY_NBYTES) == 0;
}

/* Whether one goes on where the other ends. */
static bool is_linked(const struct salvage_fragment *a,
		      const struct salvage_fragment *b)
{
	if (a->nfound == 0 || b->nfound == 0)
		return a->last_crc == b->last_crc;
	return a->last_crc == b->previous_crc || b->last_crc == a->previous_crc;
}

static bool is_linked_to_joined(const struct salvage *s,
				const struct salvage_fragment *f)
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
			const struct salvage_fragment *f =
				&s->finds.fragments[i];

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
		const struct salvage_fragment *f = &s->finds.fragments[i];

		if (source == UINT32_MAX ?
			    f->nfound == 0 :
			    f->source != source || !is_same_archive(s, f))
			continue;
		if (found == UINT32_MAX ||
		    f->raw_nbytes > s->finds.fragments[found].raw_nbytes)
			found = i;
	}
	return found;
}

static int refuse_all(const struct salvage *s)
{
	for (uint32_t i = 0; i < s->nsources; i++)
		if (nc3z_source_is_hdf5(s->sources[i]))
			return error_set(s->err, NC3Z_ENOTARCHIVE,
					 "is a netCDF-4 (HDF5) file, which has "
					 "no blocks to salvage: restore it "
					 "from a copy; ncdump and nccopy may "
					 "still read values");
	return source_refuse_kind(s->sources[0],
				  error_set(s->err, NC3Z_ENOTARCHIVE,
					    "no block of an archive found"),
				  MAGIC_ARCHIVE, s->err);
}

/* Counts the archives and finds the one of the number that is wanted. */
static int choose(struct salvage *s)
{
	uint32_t wanted = s->options->archive;

	s->chosen = largest(s, UINT32_MAX);
	for (uint32_t i = 0; i < s->finds.nfragments; i++)
		if (s->finds.fragments[i].nfound > 0 &&
		    ++s->narchives == wanted)
			s->chosen = i;
	if (s->narchives == 0)
		return refuse_all(s);
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
	const struct salvage_found_block *x = a, *y = b;

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

	for (size_t i = 0; i < s->finds.nfound; i++)
		if (s->joined[s->finds.found[i].fragment])
			s->finds.found[n++] = s->finds.found[i];
	s->finds.nfound = n;
	qsort(s->finds.found, n, sizeof(*s->finds.found), by_place);
}

/*
 * What a later version has, and this program does not know, would count as
 * lost.
 */
static int check_version(const struct salvage *s)
{
	for (size_t i = 0; i < s->finds.nfragments; i++) {
		const struct salvage_fragment *f = &s->finds.fragments[i];

		if (s->joined[i] && f->has_superblock)
			NC3Z_TRY(format_version_check(f->major, f->minor,
						      s->err));
	}
	return NC3Z_OK;
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
	return check_version(s);
}

/* The first block found that is not before a block. */
static size_t lower_bound(const struct salvage *s, uint32_t stream,
			  uint64_t block)
{
	size_t low = 0, high = s->finds.nfound;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct salvage_found_block *p = &s->finds.found[middle];

		if (p->stream < stream ||
		    (p->stream == stream && p->block < block))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first record found of a block, good or bad; NULL if there is none. */
static struct salvage_found_block *find_first(const struct salvage *s,
					      uint32_t stream, uint64_t block)
{
	size_t i = lower_bound(s, stream, block);
	struct salvage_found_block *p = &s->finds.found[i];

	return i < s->finds.nfound && p->stream == stream && p->block == block ?
		       p :
		       NULL;
}

struct salvage_found_block *
salvage_other(const struct salvage *s, const struct salvage_found_block *found)
{
	size_t i = (size_t)(found - s->finds.found) + 1;
	struct salvage_found_block *p = &s->finds.found[i];

	return i < s->finds.nfound && p->stream == found->stream &&
			       p->block == found->block ?
		       p :
		       NULL;
}

struct salvage_found_block *salvage_good(const struct salvage *s,
					 uint32_t stream, uint64_t block)
{
	struct salvage_found_block *p = find_first(s, stream, block);

	while (p && p->is_bad)
		p = salvage_other(s, p);
	return p;
}

/* The record that has the bytes of a block found; NULL if it is lost. */
static const struct salvage_found_block *
with_bytes(const struct salvage *s, const struct salvage_found_block *found)
{
	const struct salvage_found_block *p = found;

	if (!found->is_duplicate)
		return found;
	p = salvage_good(s, found->of_stream, found->of_block);
	while (p && (p->is_bad || p->is_duplicate ||
		     p->raw_nbytes != found->raw_nbytes ||
		     p->raw_crc != found->raw_crc))
		p = salvage_other(s, p);
	return p;
}

bool salvage_has_bytes(const struct salvage *s,
		       const struct salvage_found_block *found)
{
	return with_bytes(s, found) != NULL;
}

static int read_record(struct salvage *s,
		       const struct salvage_found_block *found)
{
	uint32_t source = s->finds.fragments[found->fragment].source;
	uint64_t offset = found->offset;
	struct block_record *r = &s->record;

	NC3Z_TRY(block_record_read(s->sources[source], &offset, r, s->err));
	NC3Z_TRY(source_read_growing(s->sources[source], offset,
				     r->payload_nbytes, &s->payload, s->err));
	if (r->block.raw_nbytes != found->raw_nbytes ||
	    r->block.raw_crc != found->raw_crc ||
	    crc32_of(s->payload.data, s->payload.nbytes) != r->payload_crc)
		return error_set(s->err, NC3Z_ECHANGED,
				 "input changed while it was read");
	r->block.payload = s->payload.data;
	return NC3Z_OK;
}

int salvage_read(struct salvage *s, const struct salvage_found_block *found)
{
	const struct salvage_found_block *p = with_bytes(s, found);

	if (!p)
		return error_set(s->err, NC3Z_EDAMAGED,
				 "the block that this one equals is lost");
	NC3Z_TRY(read_record(s, p));
	s->record.block.stream = found->stream;
	s->record.block.block = found->block;
	return NC3Z_OK;
}

int salvage_decode(struct salvage *s, const struct salvage_found_block *found,
		   uint8_t *raw)
{
	struct block_view view;

	NC3Z_TRY(salvage_read(s, found));
	view = (struct block_view){
		.description = s->record.block.description,
		.description_nbytes = s->record.block.description_nbytes,
		.payload = s->payload.data,
		.payload_nbytes = s->payload.nbytes,
	};
	return block_decode_checked(&s->coder, &view, raw, found->raw_nbytes,
				    found->raw_crc, s->err);
}
