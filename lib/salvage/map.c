/* SPDX-License-Identifier: MIT */
/*
 * The size of the original, and which blocks found belong where.
 *
 * Without a catalogue the size is not known.  The blocks found bound it: each
 * has just the bytes that the original has of its block.  Between the bounds
 * it is what the header says, or, where the header leaves the number of
 * records open, the end of the last record that has a byte.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/sizes.h"
#include "salvage/salvage.h"

/*
 * An original may be larger than the blocks that are left, as others are lost;
 * by default so many times and so many bytes, as a small archive can claim
 * anything.
 */
#define ORIGINAL_TIMES_MAX 64
#define ORIGINAL_NBYTES_MIN (UINT64_C(1) << 30)

/* The length of a block found's block in a map, 0 if there is no such block. */
static uint64_t length_in(const struct plan_map *map,
			  const struct salvage_found_block *p)
{
	if (p->stream >= map->plan->nstreams ||
	    p->block >= map->extents[p->stream].nblocks)
		return 0;
	return plan_block_numbered(map, p->stream, p->block).nbytes;
}

/*
 * Whether in an original of a size all blocks are as long as their blocks
 * found,
 */
struct size_check {
	bool long_enough;  /* or longer */
	bool short_enough; /* or shorter */
};

static int check_size(struct salvage *s, uint64_t size,
		      struct size_check *check_ret)
{
	struct plan_map map;

	NC3Z_TRY(plan_map_init(&map, &s->plan, size, s->err));
	*check_ret = (struct size_check){ true, true };
	for (size_t i = 0; i < s->finds.nfound; i++) {
		const struct salvage_found_block *p = &s->finds.found[i];
		uint64_t nbytes = length_in(&map, p);

		if (p->is_bad)
			continue;
		if (nbytes < p->raw_nbytes)
			check_ret->long_enough = false;
		if (nbytes > p->raw_nbytes)
			check_ret->short_enough = false;
	}
	plan_map_release(&map);
	return NC3Z_OK;
}

/* The least size that is long enough, and the greatest short enough. */
static int bound_size(struct salvage *s, uint64_t *least_ret,
		      uint64_t *most_ret)
{
	uint64_t low = s->plan.header_nbytes, high = PLAN_OFFSET_END - 1;
	struct size_check check;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		NC3Z_TRY(check_size(s, middle, &check));
		if (check.long_enough)
			high = middle;
		else
			low = middle + 1;
	}
	*least_ret = low;
	high = PLAN_OFFSET_END - 1;
	while (low < high) {
		uint64_t middle = low + (high - low + 1) / 2;

		NC3Z_TRY(check_size(s, middle, &check));
		if (check.short_enough)
			low = middle;
		else
			high = middle - 1;
	}
	*most_ret = low;
	return NC3Z_OK;
}

/* The end of the record that has the byte before an offset. */
static uint64_t record_end(const struct layout *l, uint64_t offset)
{
	uint64_t over;

	if (l->record_nbytes == 0 || offset <= l->record_begin)
		return offset;
	over = (offset - l->record_begin) % l->record_nbytes;
	return over == 0 ? offset :
			   size_add_max(offset, l->record_nbytes - over,
					PLAN_OFFSET_END - 1);
}

static int guess_size(struct salvage *s, uint64_t *size_ret)
{
	uint64_t least, most, expected;

	NC3Z_TRY(bound_size(s, &least, &most));
	if (s->header.is_indeterminate)
		expected = record_end(&s->layout, least);
	else
		expected = s->layout.data_end;
	*size_ret = size_min(size_max(least, expected), most);
	return NC3Z_OK;
}

/* Blocks that no plan has are of nothing that we know. */
static void drop_impossible(struct salvage *s, const struct plan_map *map,
			    bool is_exact)
{
	for (size_t i = 0; i < s->finds.nfound; i++) {
		struct salvage_found_block *p = &s->finds.found[i];
		uint64_t nbytes = length_in(map, p);

		if (nbytes < p->raw_nbytes ||
		    (is_exact && nbytes != p->raw_nbytes))
			p->is_bad = true;
	}
}

static uint64_t count_raw_bytes(const struct salvage *s)
{
	uint64_t nbytes = 0;

	for (size_t i = 0; i < s->finds.nfound; i++)
		if (!s->finds.found[i].is_bad)
			nbytes += s->finds.found[i].raw_nbytes;
	return nbytes;
}

static int check_limit(struct salvage *s, uint64_t size)
{
	uint64_t most = s->options->max_original_nbytes;

	s->raw_nbytes = count_raw_bytes(s);
	if (most == 0)
		most = size_add_max(size_mul_max(s->raw_nbytes,
						 ORIGINAL_TIMES_MAX,
						 UINT64_MAX),
				    ORIGINAL_NBYTES_MIN, UINT64_MAX);
	if (size > most)
		return error_set(s->err, NC3Z_ELIMIT,
				 "original would have %" PRIu64
				 " bytes, but blocks for only %" PRIu64
				 " are left",
				 size, s->raw_nbytes);
	return NC3Z_OK;
}

/* Where the index numbers the blocks of each stream from. */
struct index_walk {
	struct salvage *s;
	size_t at;       /* the next one */
	uint32_t stream; /* of that one */
	uint64_t before; /* blocks of the streams before */
};

/* Whether an index can have a block found. */
static bool is_possible(const struct salvage *s,
			const struct salvage_found_block *p)
{
	return p->is_unproven ? length_in(&s->map, p) == p->raw_nbytes :
				!p->is_bad;
}

/* The entry number of the next block found, UINT64_MAX at the end. */
static uint64_t next_entry(struct index_walk *w)
{
	const struct salvage_finds *finds = &w->s->finds;
	const struct salvage_found_block *p;

	while (w->at < finds->nfound &&
	       !is_possible(w->s, &finds->found[w->at]))
		w->at++;
	if (w->at == finds->nfound)
		return UINT64_MAX;
	p = &finds->found[w->at];
	while (w->stream < p->stream)
		w->before += w->s->map.extents[w->stream++].nblocks;
	return w->before + p->block;
}

/* Blocks of a segment are right if the index knows their raw bytes. */
static void compare_segment(struct index_walk *w, uint64_t first,
			    const uint8_t *entries, size_t nentries,
			    bool is_whole)
{
	uint64_t at = next_entry(w);

	while (at < first + nentries) {
		struct salvage_found_block *p = &w->s->finds.found[w->at];
		const uint8_t *entry =
			entries + (size_t)(at - first) * FORMAT_ENTRY_NBYTES;

		if (is_whole)
			p->is_bad = p->raw_crc != load_le32(entry + 16);
		p->is_unproven = p->is_unproven && p->is_bad;
		w->at++;
		at = next_entry(w);
	}
}

static int compare_index(struct salvage *s, const struct salvage_fragment *f,
			 uint64_t nentries)
{
	struct nc3z_source *source = s->sources[f->source];
	uint32_t last_crc = f->has_trailer ? f->trailer.last_header_crc :
					     f->last_crc;
	uint64_t offset = f->index + FORMAT_INDEX_HEAD_NBYTES;
	uint8_t *bytes =
		malloc(FORMAT_SEGMENT_NENTRIES * FORMAT_ENTRY_NBYTES + 4);
	struct index_walk walk = { .s = s };
	int status = bytes ? NC3Z_OK : error_set_memory(s->err);
	uint64_t first = 0;

	while (status == NC3Z_OK && first < nentries) {
		size_t n = (size_t)size_min(FORMAT_SEGMENT_NENTRIES,
					    nentries - first);
		size_t nbytes = n * FORMAT_ENTRY_NBYTES, got;

		status = source_read_at(source, offset, bytes, nbytes + 4, &got,
					s->err);
		if (status != NC3Z_OK || got < nbytes + 4)
			break;
		compare_segment(&walk, first, bytes, n,
				archive_segment_crc(bytes, nbytes, last_crc) ==
					load_le32(bytes + nbytes));
		first += n;
		offset += nbytes + 4;
	}
	free(bytes);
	return status;
}

/* An index tells blocks of a sister archive from those of its own. */
static int use_indexes(struct salvage *s)
{
	uint8_t head[FORMAT_INDEX_HEAD_NBYTES];
	uint64_t nblocks = 0;

	for (uint32_t i = 0; i < s->plan.nstreams; i++)
		nblocks += s->map.extents[i].nblocks;
	for (size_t i = 0; i < s->finds.nfragments; i++) {
		const struct salvage_fragment *f = &s->finds.fragments[i];
		struct nc3z_source *source = s->sources[f->source];

		if (!s->joined[i] || f->index == NOWHERE)
			continue;
		NC3Z_TRY(source_read_exactly(source, f->index, head,
					     sizeof(head), s->err));
		if (load_le64(head + 4) == nblocks)
			NC3Z_TRY(compare_index(s, f, nblocks));
	}
	return NC3Z_OK;
}

/* Two blocks found of one block are the same, or one input has two archives. */
static int settle(struct salvage *s, struct salvage_found_block *a,
		  struct salvage_found_block *b)
{
	const struct salvage_fragment *f = s->finds.fragments;

	if (a->is_bad || b->is_bad || a->raw_crc == b->raw_crc)
		return NC3Z_OK;
	if (f[a->fragment].source != f[b->fragment].source) {
		error_set(s->err, NC3Z_EINVAL,
			  "inputs are not copies of one archive: they differ");
		return error_add_block(s->err, NC3Z_EINVAL, a->stream,
				       a->block);
	}
	a->is_bad = true;
	b->is_bad = true;
	return NC3Z_OK;
}

static int settle_conflicts(struct salvage *s)
{
	for (size_t i = 0; i < s->finds.nfound; i++) {
		struct salvage_found_block *p = &s->finds.found[i];
		struct salvage_found_block *other = salvage_other(s, p);

		if (other)
			NC3Z_TRY(settle(s, p, other));
	}
	return NC3Z_OK;
}

int salvage_map(struct salvage *s)
{
	uint64_t size = s->catalogue.original_nbytes;

	drop_impossible(s, &s->endless, false);
	if (!s->has_catalogue) {
		NC3Z_TRY(salvage_find_header(s));
		NC3Z_TRY(guess_size(s, &size));
	}
	NC3Z_TRY(plan_map_init(&s->map, &s->plan, size, s->err));
	drop_impossible(s, &s->map, true);
	NC3Z_TRY(use_indexes(s));
	NC3Z_TRY(settle_conflicts(s));
	/* An index may have proved the blocks that have it. */
	if (s->has_catalogue)
		NC3Z_TRY(salvage_find_header(s));
	return check_limit(s, size);
}
