/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with a tar.  Where a header is damaged, its member is passed
 * over: the next block that is a header is where the tar goes on, as for
 * tar(1).  Every byte is read once for that.  An index tells where the member
 * lies all the same, and a list of checksums how it is called.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "tar/tar_inside.h"

/* Damages of one kind that are told; others are counted. */
#define TOLD_MAX 16

#define SUMS_NAME "SHA256SUMS"
#define SUMS_NBYTES_MAX (UINT32_C(64) << 20)
#define SUM_NDIGITS 64

int tar_skip_damage(struct tar_reader *reader, uint64_t *offset,
		    struct tar_members *members, struct nc3z_error *err)
{
	struct tar_gap *last =
		members->ngaps > 0 ? &members->gaps[members->ngaps - 1] : NULL;
	struct tar_gap gap = { *offset, reader->resume };

	NC3Z_TRY(tar_find_header(reader, UINT64_MAX, &gap.next, err));
	*offset = gap.next;
	if (last && last->next == gap.offset) {
		last->next = gap.next;
		return NC3Z_OK;
	}
	if (!memory_room(&members->gaps, members->ngaps,
			 &members->gaps_capacity, sizeof(gap)))
		return error_set_memory(err);
	members->gaps[members->ngaps++] = gap;
	return NC3Z_OK;
}

bool tar_lies_in_gap(const struct tar_members *members,
		     const struct tar_member *member)
{
	uint64_t begin = member->header_offset;
	size_t low = 0, high = members->ngaps;

	/* The last gap that begins at or before the member. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (members->gaps[middle].offset <= begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && begin <= members->gaps[low - 1].next &&
	       member->region_nbytes <= members->gaps[low - 1].next - begin;
}

static int add_lost(struct nc3z_tar *tar, const uint8_t *name, size_t nbytes,
		    struct nc3z_error *err)
{
	char *text = strndup((const char *)name, nbytes);

	if (!text)
		return error_set_memory(err);
	if (tar_members_find(tar->by_name, tar->members.count,
			     tar_plain_name(text))) {
		free(text);
		return NC3Z_OK;
	}
	if (!memory_room(&tar->lost, tar->nlost, &tar->lost_capacity,
			 sizeof(*tar->lost))) {
		free(text);
		return error_set_memory(err);
	}
	tar->lost[tar->nlost++] = text;
	return NC3Z_OK;
}

/* "DIGEST  NAME" and "DIGEST *NAME"; lines of another form say nothing. */
static int read_sums(struct nc3z_tar *tar, const struct buffer *text,
		     struct nc3z_error *err)
{
	const uint8_t *at = text->data, *end = at + text->nbytes, *line_end;
	int status = NC3Z_OK;

	for (; status == NC3Z_OK && at < end; at = line_end + 1) {
		size_t n, head = SUM_NDIGITS + 2;

		line_end = memchr(at, '\n', (size_t)(end - at));
		if (!line_end)
			line_end = end;
		n = (size_t)(line_end - at);
		if (n > head && at[SUM_NDIGITS] == ' ' &&
		    !memchr(at + head, '\0', n - head))
			status = add_lost(tar, at + head, n - head, err);
	}
	return status;
}

int tar_find_lost(struct nc3z_tar *tar, struct nc3z_error *err)
{
	const struct tar_member *sums =
		tar_members_find(tar->by_name, tar->members.count, SUMS_NAME);
	struct buffer text = { 0 };
	int status;

	if (tar->members.ngaps == 0 || !sums || sums->left_out ||
	    sums->nbytes > SUMS_NBYTES_MAX)
		return NC3Z_OK;
	status = source_read_growing(tar->source,
				     sums->header_offset + sums->region_nbytes -
					     sums->nbytes,
				     (size_t)sums->nbytes, &text, err);
	if (status == NC3Z_OK)
		status = read_sums(tar, &text, err);
	buffer_release(&text);
	return status;
}

void tar_release_lost(struct nc3z_tar *tar)
{
	for (size_t i = 0; i < tar->nlost; i++)
		free(tar->lost[i]);
	free((void *)tar->lost);
}

/* The first member of the index whose header is lost in a gap. */
static const struct tar_member *bare_member(const struct nc3z_tar *tar,
					    const struct tar_gap *gap)
{
	for (size_t i = 0; i < tar->members.count; i++) {
		const struct tar_member *m = &tar->members.list[i];

		if (m->is_bare && m->header_offset >= gap->offset &&
		    m->header_offset < gap->next)
			return m;
	}
	return NULL;
}

static int tell_gap(const struct nc3z_tar *tar, size_t number,
		    struct nc3z_error *err)
{
	const struct tar_gap *gap = &tar->members.gaps[number];
	const struct tar_member *bare = bare_member(tar, gap);

	if (number == TOLD_MAX)
		return error_set_at(err, NC3Z_EDAMAGED, gap->offset,
				    "%zu more headers of the tar are damaged",
				    tar->members.ngaps - number);
	if (bare)
		return error_set_at(
			err, NC3Z_EDAMAGED, gap->offset,
			"the header of \"%s\" is damaged: its bytes "
			"are where the index of the tar has them",
			bare->name);
	if (gap->next == tar->source->size)
		return error_set_at(err, NC3Z_EDAMAGED, gap->offset,
				    "a header of the tar is damaged, and no "
				    "other one follows");
	return error_set_at(err, NC3Z_EDAMAGED, gap->offset,
			    "a header of the tar is damaged: skipped to the "
			    "next one, at offset %" PRIu64,
			    gap->next);
}

static int tell_lost(const struct nc3z_tar *tar, size_t number,
		     struct nc3z_error *err)
{
	return number == TOLD_MAX ?
		       error_set(err, NC3Z_EDAMAGED,
				 "%zu more headers are lost",
				 tar->nlost - number) :
		       error_set(err, NC3Z_EDAMAGED,
				 "the header of \"%s\", which " SUMS_NAME
				 " of the tar has, is lost",
				 tar->lost[number]);
}

static size_t ntold(size_t n)
{
	return n > TOLD_MAX ? TOLD_MAX + 1 : n;
}

int tar_tell_damage(const struct nc3z_tar *tar, size_t number,
		    struct nc3z_error *err)
{
	size_t ngaps = ntold(tar->members.ngaps), nlost = ntold(tar->nlost);

	if (number < ngaps)
		return tell_gap(tar, number, err);
	number -= ngaps;
	if (number < nlost)
		return tell_lost(tar, number, err);
	number -= nlost;
	if (tar->end.status != NC3Z_OK && number-- == 0) {
		if (err)
			*err = tar->end;
		return tar->end.status;
	}
	if (!tar->has_wrong_index || number > 0)
		return NC3Z_OK;
	return error_set(err, NC3Z_EDAMAGED,
			 "the index of the tar is wrong%s%s%s: remove it (tar "
			 "--delete -f TAR .nc3z-index)",
			 tar->wrong_about ? " about \"" : "",
			 tar->wrong_about ? tar->wrong_about : "",
			 tar->wrong_about ? "\"" : "");
}

int nc3z_tar_inq_damage(struct nc3z_tar *tar, size_t number,
			struct nc3z_error *err)
{
	int status;

	pthread_mutex_lock(&tar->lock);
	status = tar_tell_damage(tar, number, err);
	pthread_mutex_unlock(&tar->lock);
	return status;
}
