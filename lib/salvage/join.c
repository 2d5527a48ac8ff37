/* SPDX-License-Identifier: MIT */
/*
 * Which fragments make one archive.
 *
 * Archives of files that begin alike have the same identity, so that it alone
 * does not say what belongs together.  In one input, fragments are joined by
 * the chain of record headers: each has the CRC of the one before, so that the
 * last one of a fragment proves all of it to a fragment that has it too.  Of
 * each further input, which is a copy, those of the same identity are joined
 * that are linked to its largest.  Blocks of other fragments with the identity
 * are used if an index has their bytes (map.c).  Blocks that then differ are no
 * copies.
 */
#include <stdlib.h>
#include <string.h>

#include "base/magic.h"
#include "base/sizes.h"
#include "nc3z_tools.h"
#include "salvage/salvage.h"

/* Passes over the fragments of one input; parts out of order need some. */
#define PASSES_MAX 16

bool salvage_has_identity(const struct salvage *s,
			  const struct salvage_fragment *f)
{
	return memcmp(f->identity, s->identity, FORMAT_IDENTITY_NBYTES) == 0;
}

/* The record header that fragments of one input end with. */
struct chain_end {
	uint32_t crc;
	uint32_t fragment;
	bool is_joined; /* the first of those that end so: all of them are */
};

/* What is joined of one input. */
struct chain {
	struct salvage *s;
	struct chain_end *ends; /* by their CRCs */
	size_t nends;
	uint32_t source;
	uint32_t last_crc; /* where it ends */
};

static int by_crc(const void *a, const void *b)
{
	const struct chain_end *x = a, *y = b;

	return x->crc < y->crc ? -1 : x->crc > y->crc;
}

static bool is_of_chain(const struct chain *c, uint32_t fragment)
{
	const struct salvage_fragment *f = &c->s->finds.fragments[fragment];

	return f->source == c->source && salvage_has_identity(c->s, f);
}

/* Joins the fragments that end with a record header; whether there are any. */
static bool join_ends(struct chain *c, uint32_t crc)
{
	size_t low = 0, high = c->nends, first;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->ends[middle].crc < crc)
			low = middle + 1;
		else
			high = middle;
	}
	first = low;
	if (first == c->nends || c->ends[first].crc != crc ||
	    c->ends[first].is_joined)
		return false;
	c->ends[first].is_joined = true;
	for (; low < c->nends && c->ends[low].crc == crc; low++)
		c->s->joined[c->ends[low].fragment] = true;
	return true;
}

/*
 * A fragment has the record header of this CRC, or goes on from it.  If it is
 * joined, so are fragments that end there.  Otherwise it is joined only if all
 * that is joined ends there: sister archives begin alike.
 */
static bool join_at(struct chain *c, uint32_t fragment, uint32_t crc)
{
	if (c->s->joined[fragment])
		return is_of_chain(c, fragment) && join_ends(c, crc);
	if (crc != c->last_crc || !is_of_chain(c, fragment))
		return false;
	c->s->joined[fragment] = true;
	c->last_crc = c->s->finds.fragments[fragment].last_crc;
	return true;
}

/* Joins what is linked to what is joined of an input. */
static void join_linked(struct chain *c)
{
	const struct salvage_finds *finds = &c->s->finds;
	bool more = true;

	for (int pass = 0; more && pass < PASSES_MAX; pass++) {
		more = false;
		for (uint32_t i = 0; i < finds->nfragments; i++) {
			const struct salvage_fragment *f = &finds->fragments[i];

			more |= join_at(c, i, f->previous_crc);
			more |= join_at(c, i, f->last_crc);
		}
		for (size_t i = 0; i < finds->nfound; i++) {
			const struct salvage_found_block *p = &finds->found[i];

			more |= join_at(c, p->fragment, p->previous_crc);
			more |= join_at(c, p->fragment, p->header_crc);
		}
	}
}

/* Joins a fragment of an input, and what is linked to it there. */
static int join_source(struct salvage *s, uint32_t source, uint32_t first)
{
	const struct salvage_finds *finds = &s->finds;
	struct chain c = {
		.s = s,
		.ends = memory_alloc(finds->nfragments, sizeof(*c.ends)),
		.source = source,
		.last_crc = finds->fragments[first].last_crc,
	};

	if (!c.ends)
		return error_set_memory(s->err);
	for (uint32_t i = 0; i < finds->nfragments; i++)
		if (is_of_chain(&c, i))
			c.ends[c.nends++] = (struct chain_end){
				finds->fragments[i].last_crc, i, false
			};
	qsort(c.ends, c.nends, sizeof(*c.ends), by_crc);
	s->joined[first] = true;
	join_linked(&c);
	free(c.ends);
	return NC3Z_OK;
}

static bool has_end(const struct salvage_fragment *f)
{
	return f->has_trailer && f->index != NOWHERE && f->catalogue != NOWHERE;
}

/* Whether one is the better one to begin with. */
static bool is_better(const struct salvage_fragment *a,
		      const struct salvage_fragment *b, bool by_end)
{
	return by_end && has_end(a) != has_end(b) ?
		       has_end(a) :
		       a->raw_nbytes > b->raw_nbytes;
}

/*
 * The largest of all that have a block; of an input, the largest of those with
 * the identity, but rather one with an end, whose index can prove the others.
 */
static uint32_t largest(const struct salvage *s, uint32_t source)
{
	bool is_of_all = source == UINT32_MAX;
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < s->finds.nfragments; i++) {
		const struct salvage_fragment *f = &s->finds.fragments[i];

		if (is_of_all ?
			    f->nfound == 0 :
			    f->source != source || !salvage_has_identity(s, f))
			continue;
		if (found == UINT32_MAX ||
		    is_better(f, &s->finds.fragments[found],
			      s->by_end && !is_of_all))
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

	s->narchives = 0;
	s->most = s->chosen = largest(s, UINT32_MAX);
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
	if (wanted == 0)
		s->chosen = largest(s, s->finds.fragments[s->chosen].source);
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

/* Plan and first block make the identity, so that it proves these two. */
static bool is_proven(const struct salvage *s,
		      const struct salvage_found_block *p)
{
	const struct salvage_fragment *f = &s->finds.fragments[p->fragment];

	return s->joined[p->fragment] ||
	       (f->plan_is_proven && p->previous_crc == f->previous_crc);
}

static void keep_found(struct salvage *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->finds.nfound; i++) {
		struct salvage_found_block *p = &s->finds.found[i];

		if (!salvage_has_identity(s, &s->finds.fragments[p->fragment]))
			continue;
		p->is_bad = p->is_unproven = !is_proven(s, p);
		s->finds.found[n++] = *p;
	}
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

		if (first != UINT32_MAX)
			NC3Z_TRY(join_source(s, i, first));
	}
	keep_found(s);
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
