/* SPDX-License-Identifier: MIT */
#include "salvage/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sizes.h"
#include "salvage/marks.h"
#include "salvage/order.h"

/*
 * Invalid records may overlap and claim any length.  Reading them in vain is
 * limited to so many times the size of the source.
 */
#define FAILED_TIMES_MAX 16
#define FAILED_NBYTES_MIN (UINT64_C(1) << 26)

struct scanner {
	struct nc3z_source *source;
	uint32_t source_number;
	struct salvage_finds *finds;
	struct salvage_mark_finder marks;
	struct buffer stored;
	struct block_record record;
	uint64_t failed_nbytes;
	uint32_t current;           /* fragment; UINT32_MAX: none */
	struct salvage_order order; /* of its blocks */
	/* Found, but not yet assigned to a fragment: */
	uint64_t superblock;
	uint16_t major;
	uint16_t minor;
	uint64_t plan;
	uint32_t plan_crc;
	uint64_t index;
	uint64_t index_end;
	uint64_t header_copy;
	uint64_t header_copy_end;
	uint64_t stream_copies;
	uint64_t catalogue;
	struct nc3z_error *err;
};

static struct salvage_fragment *current(struct scanner *s)
{
	return s->current == UINT32_MAX ? NULL :
					  &s->finds->fragments[s->current];
}

static void forget_head(struct scanner *s)
{
	s->superblock = s->plan = NOWHERE;
}

static void forget_tail(struct scanner *s)
{
	s->index = s->index_end = NOWHERE;
	s->header_copy = s->stream_copies = s->catalogue = NOWHERE;
}

/* The fragment gets what was found of an archive's end. */
static void attach_tail(struct scanner *s, struct salvage_fragment *f)
{
	f->index = s->index;
	f->catalogue = s->catalogue;
	f->stream_copies = s->stream_copies;
	/* Nothing in the copy says whose it is, only its place. */
	if (s->header_copy != NOWHERE &&
	    (s->header_copy_end == s->catalogue ||
	     s->header_copy_end == s->stream_copies ||
	     s->header_copy == s->index_end))
		f->header_copy = s->header_copy;
	forget_tail(s);
}

/* From here on, records are of another archive. */
static void end_fragment(struct scanner *s)
{
	struct salvage_fragment *f = current(s);

	if (f)
		attach_tail(s, f);
	forget_tail(s);
	forget_head(s);
	s->current = UINT32_MAX;
}

static int begin_fragment(struct scanner *s, uint64_t offset,
			  const uint8_t *identity)
{
	struct salvage_finds *finds = s->finds;
	struct salvage_fragment *f;

	if (finds->nfragments == FRAGMENTS_MAX)
		return error_set(s->err, NC3Z_ELIMIT,
				 "more than %zu archives in one input",
				 FRAGMENTS_MAX);
	if (!memory_room(&finds->fragments, finds->nfragments,
			 &finds->fragments_capacity, sizeof(*f)))
		return error_set_memory(s->err);
	f = &finds->fragments[finds->nfragments];
	*f = (struct salvage_fragment){
		.source = s->source_number,
		.offset = s->superblock != NOWHERE ? s->superblock :
			  s->plan != NOWHERE       ? s->plan :
						     offset,
		.plan = s->plan,
		.index = NOWHERE,
		.header_copy = NOWHERE,
		.stream_copies = NOWHERE,
		.catalogue = NOWHERE,
		.has_superblock = s->superblock != NOWHERE,
		.major = s->major,
		.minor = s->minor,
	};
	memcpy(f->identity, identity, FORMAT_IDENTITY_NBYTES);
	s->current = (uint32_t)finds->nfragments++;
	salvage_order_clear(&s->order);
	return NC3Z_OK;
}

static bool is_current(struct scanner *s, const uint8_t *identity)
{
	struct salvage_fragment *f = current(s);

	return f && memcmp(f->identity, identity, FORMAT_IDENTITY_NBYTES) == 0;
}

static int take_superblock(struct scanner *s, uint64_t *offset)
{
	uint8_t bytes[FORMAT_SUPERBLOCK_NBYTES];
	size_t got;
	int status = NC3Z_EDAMAGED;

	NC3Z_TRY(source_read_at(s->source, *offset, bytes, sizeof(bytes), &got,
				s->err));
	if (got == sizeof(bytes))
		status = superblock_check(bytes, NULL);
	/* One of a later version is refused if it is the one wanted. */
	if (status != NC3Z_OK && status != NC3Z_EUNSUPPORTED) {
		++*offset;
		return NC3Z_OK;
	}
	end_fragment(s);
	s->superblock = *offset;
	s->major = load_le16(bytes + FORMAT_MAGIC_NBYTES);
	s->minor = load_le16(bytes + FORMAT_MAGIC_NBYTES + 2);
	*offset += sizeof(bytes);
	return NC3Z_OK;
}

/* Whether so many bytes may still be read in vain. */
static bool may_try(struct scanner *s, uint64_t offset, uint64_t nbytes)
{
	uint64_t most = size_add_max(size_mul_max(s->source->size,
						  FAILED_TIMES_MAX, UINT64_MAX),
				     FAILED_NBYTES_MIN, UINT64_MAX);

	return offset <= s->source->size &&
	       nbytes <= s->source->size - offset &&
	       size_add_max(s->failed_nbytes, nbytes, UINT64_MAX) <= most;
}

/* Whether the bytes there have this CRC; they stay in 's->stored'. */
static int check_stored(struct scanner *s, uint64_t offset, size_t nbytes,
			uint32_t crc, bool *is_whole_ret)
{
	*is_whole_ret = false;
	if (!may_try(s, offset, nbytes))
		return NC3Z_OK;
	NC3Z_TRY(source_read_growing(s->source, offset, nbytes, &s->stored,
				     s->err));
	*is_whole_ret = crc32_of(s->stored.data, nbytes) == crc;
	if (!*is_whole_ret)
		s->failed_nbytes += nbytes;
	return NC3Z_OK;
}

/* Checks the section at '*offset' without decoding and goes past it. */
static int check_section(struct scanner *s, const char *mark, uint64_t *offset,
			 uint32_t *head_crc_ret, bool *is_whole_ret)
{
	uint8_t head[FORMAT_SECTION_HEAD_NBYTES];
	uint64_t begin = *offset, end = begin;
	size_t got;

	*is_whole_ret = false;
	*offset = begin + 1;
	NC3Z_TRY(source_read_at(s->source, begin, head, sizeof(head), &got,
				s->err));
	if (got < sizeof(head) ||
	    section_skip(s->source, mark, &end, NULL) != NC3Z_OK)
		return NC3Z_OK;
	*head_crc_ret = section_head_crc(head);
	NC3Z_TRY(check_stored(s, begin + sizeof(head),
			      (size_t)(end - begin) - sizeof(head),
			      load_le32(head + 16), is_whole_ret));
	if (*is_whole_ret)
		*offset = end;
	return NC3Z_OK;
}

static int take_section(struct scanner *s, const char *mark, uint64_t *offset)
{
	uint64_t begin = *offset;
	uint32_t head_crc;
	bool is_whole;

	NC3Z_TRY(check_section(s, mark, offset, &head_crc, &is_whole));
	if (!is_whole)
		return NC3Z_OK;
	if (strcmp(mark, FORMAT_MARK_PLAN) == 0) {
		/* It follows its superblock, or that is gone. */
		if (s->superblock == NOWHERE ||
		    begin != s->superblock + FORMAT_SUPERBLOCK_NBYTES)
			end_fragment(s);
		s->plan = begin;
		s->plan_crc = head_crc;
	} else if (strcmp(mark, FORMAT_MARK_HEADER_COPY) == 0) {
		s->header_copy = begin;
		s->header_copy_end = *offset;
	} else if (strcmp(mark, FORMAT_MARK_STREAM_COPIES) == 0) {
		s->stream_copies = begin;
	} else {
		s->catalogue = begin;
	}
	return NC3Z_OK;
}

static int take_index(struct scanner *s, uint64_t *offset)
{
	uint8_t head[FORMAT_INDEX_HEAD_NBYTES];
	size_t got;

	NC3Z_TRY(source_read_at(s->source, *offset, head, sizeof(head), &got,
				s->err));
	if (got == sizeof(head) && load_le32(head + 12) == crc32_of(head, 12)) {
		uint64_t nbytes = NOWHERE;

		s->index = *offset;
		if (!archive_index_nbytes(load_le64(head + 4), &nbytes) ||
		    !size_add(*offset, nbytes, &s->index_end))
			s->index_end = NOWHERE;
		*offset += sizeof(head);
	} else {
		++*offset;
	}
	return NC3Z_OK;
}

/*
 * A trailer that is whole, though perhaps not where it was: its places are
 * checked as if it were.
 */
static bool parse_trailer(const uint8_t *bytes, struct archive_trailer *t)
{
	uint64_t nbytes = load_le64(bytes + 32);

	return nbytes >= FORMAT_TRAILER_NBYTES &&
	       trailer_parse(bytes, nbytes - FORMAT_TRAILER_NBYTES, t, NULL) ==
		       NC3Z_OK;
}

static int take_trailer(struct scanner *s, uint64_t *offset)
{
	uint8_t bytes[FORMAT_TRAILER_NBYTES];
	struct archive_trailer trailer;
	size_t got;

	NC3Z_TRY(source_read_at(s->source, *offset, bytes, sizeof(bytes), &got,
				s->err));
	if (got < sizeof(bytes) || !parse_trailer(bytes, &trailer)) {
		++*offset;
		return NC3Z_OK;
	}
	if (!is_current(s, trailer.identity)) {
		NC3Z_TRY(begin_fragment(s, *offset, trailer.identity));
		current(s)->previous_crc = trailer.last_header_crc;
		current(s)->last_crc = trailer.last_header_crc;
	}
	current(s)->has_trailer = true;
	current(s)->trailer = trailer;
	end_fragment(s);
	*offset += sizeof(bytes);
	return NC3Z_OK;
}

static int add_found(struct scanner *s, struct salvage_found_block found)
{
	struct salvage_finds *finds = s->finds;
	if (!memory_room(&finds->found, finds->nfound, &finds->found_capacity,
			 sizeof(*finds->found)))
		return error_set_memory(s->err);
	found.fragment = s->current;
	finds->found[finds->nfound++] = found;
	current(s)->nfound++;
	current(s)->raw_nbytes += found.raw_nbytes;
	return NC3Z_OK;
}

/* The fragment of the record of a block, whose header was read. */
static int enter_fragment(struct scanner *s,
			  const struct salvage_found_block *found,
			  const uint8_t *identity)
{
	uint64_t plan = s->plan;

	/* After a plan, or after an index, another archive begins. */
	if (s->index != NOWHERE || s->catalogue != NOWHERE)
		end_fragment(s);
	s->plan = plan;
	if (plan != NOWHERE || !is_current(s, identity) ||
	    !salvage_order_allows(&s->order, found->stream, found->block)) {
		NC3Z_TRY(begin_fragment(s, found->offset, identity));
		current(s)->previous_crc = found->previous_crc;
		current(s)->plan_is_proven = plan != NOWHERE &&
					     found->previous_crc == s->plan_crc;
	}
	forget_head(s);
	forget_tail(s);
	current(s)->last_crc = found->header_crc;
	return salvage_order_note(&s->order, found->stream, found->block) ?
		       NC3Z_OK :
		       error_set_memory(s->err);
}

/* A failure to read is one of the input; damage ends the record alone. */
static int settle_read(struct scanner *s, int status,
		       const struct nc3z_error *failure)
{
	if (status == NC3Z_OK || status == NC3Z_EDAMAGED)
		return NC3Z_OK;
	if (s->err)
		*s->err = *failure;
	return status;
}

static int take_block(struct scanner *s, uint64_t *offset)
{
	struct block_record *r = &s->record;
	uint64_t payload = *offset;
	struct nc3z_error err = { 0 };
	int status = block_record_read(s->source, &payload, r, &err);
	const struct salvage_found_block found = {
		.offset = *offset,
		.stream = r->block.stream,
		.block = r->block.block,
		.raw_nbytes = r->block.raw_nbytes,
		.raw_crc = r->block.raw_crc,
		.previous_crc = r->previous_crc,
		.header_crc = r->header_crc,
	};
	bool is_whole;

	++*offset;
	if (status != NC3Z_OK)
		return settle_read(s, status, &err);
	NC3Z_TRY(enter_fragment(s, &found, r->identity));
	NC3Z_TRY(check_stored(s, payload, r->payload_nbytes, r->payload_crc,
			      &is_whole));
	*offset = payload;
	if (!is_whole) {
		s->finds->nfailed++;
		return NC3Z_OK;
	}
	*offset = payload + r->payload_nbytes;
	return add_found(s, found);
}

static int take_duplicate(struct scanner *s, uint64_t *offset)
{
	struct nc3z_error err = { 0 };
	struct salvage_found_block found = { .offset = *offset };
	struct archive_duplicate d;
	uint64_t end = *offset;
	int status = duplicate_read(s->source, &end, &d, &err);

	++*offset;
	if (status != NC3Z_OK)
		return settle_read(s, status, &err);
	found.stream = d.stream;
	found.block = d.block;
	found.raw_nbytes = d.raw_nbytes;
	found.raw_crc = d.raw_crc;
	found.previous_crc = d.previous_crc;
	found.header_crc = d.header_crc;
	found.is_duplicate = true;
	found.of_stream = d.of_stream;
	found.of_block = d.of_block;
	NC3Z_TRY(enter_fragment(s, &found, d.identity));
	*offset = end;
	return add_found(s, found);
}

static int take_record(struct scanner *s, const char *mark, uint64_t *offset)
{
	if (strcmp(mark, FORMAT_MAGIC) == 0)
		return take_superblock(s, offset);
	if (strcmp(mark, FORMAT_MARK_BLOCK) == 0)
		return take_block(s, offset);
	if (strcmp(mark, FORMAT_MARK_DUPLICATE) == 0)
		return take_duplicate(s, offset);
	if (strcmp(mark, FORMAT_MARK_INDEX) == 0)
		return take_index(s, offset);
	if (strcmp(mark, FORMAT_MARK_TRAILER) == 0)
		return take_trailer(s, offset);
	return take_section(s, mark, offset);
}

static int scan_all(struct scanner *s)
{
	uint64_t offset = 0;
	const char *mark;

	forget_head(s);
	forget_tail(s);
	NC3Z_TRY(mark_find(&s->marks, &offset, &mark, s->err));
	while (mark) {
		NC3Z_TRY(take_record(s, mark, &offset));
		NC3Z_TRY(mark_find(&s->marks, &offset, &mark, s->err));
	}
	end_fragment(s);
	return NC3Z_OK;
}

int salvage_scan(struct nc3z_source *source, uint32_t source_number,
		 struct salvage_finds *finds, struct nc3z_error *err)
{
	struct scanner s = {
		.source = source,
		.source_number = source_number,
		.finds = finds,
		.current = UINT32_MAX,
		.err = err,
	};
	int status;

	status = source_check_can_seek(source, err);
	if (status == NC3Z_OK)
		status = mark_finder_init(&s.marks, source, err);
	if (status == NC3Z_OK)
		status = scan_all(&s);
	mark_finder_release(&s.marks);
	salvage_order_release(&s.order);
	buffer_release(&s.stored);
	buffer_release(&s.record.header);
	return status;
}

void salvage_finds_release(struct salvage_finds *finds)
{
	free(finds->fragments);
	free(finds->found);
	*finds = (struct salvage_finds){ 0 };
}
