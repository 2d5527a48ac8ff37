/* SPDX-License-Identifier: MIT */
/*
 * The regular files of a tar, as windows of its source.
 *
 * Where they begin is known from the tar's index, if it has one, or from the
 * headers of all members.  An index is believed as far as it can be checked
 * without reading all headers (see tar_index.h): it covers the tar to its end,
 * and the headers of each member that is opened have its name, its size and the
 * length that they are to have.  If not, all headers are read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/magic.h"
#include "base/sizes.h"
#include "nc3z_tools.h"
#include "tar/tar_inside.h"
#include "tar/tar_reader.h"

/* Why a member cannot be read; NULL: it can. */
static const char *left_out(enum tar_kind kind)
{
	switch (kind) {
	case TAR_FILE:
	case TAR_HARD_LINK: /* that is told when all members are known */
		return NULL;
	case TAR_SYMBOLIC_LINK:
		return "is a symbolic link, which is not followed in a tar";
	case TAR_SPARSE:
		return "is stored with its holes left out (tar -S), so that it "
		       "cannot be read in place";
	default:
		return "is not a regular file";
	}
}

/* Takes over the names of an entry. */
static int add_entry(struct tar_members *members, struct tar_entry *entry,
		     struct nc3z_error *err)
{
	struct tar_member member = {
		.name = entry->name,
		.file_name = entry->link,
		.left_out = left_out(entry->kind),
		.header_offset = entry->header_offset,
	};

	if (entry->kind == TAR_FILE) {
		member.nbytes = entry->nbytes;
		member.region_nbytes =
			entry->offset - entry->header_offset + entry->nbytes;
	}
	return tar_members_add(members, &member, err);
}

/* Whether members end where the tar does, and not by damage. */
static bool lacks_end(const struct nc3z_tar *tar, uint64_t offset,
		      const struct tar_members *members)
{
	size_t n = members->ngaps;

	return offset == tar->source->size &&
	       (n == 0 || members->gaps[n - 1].next != offset);
}

/*
 * Reads headers from an offset on, over damaged ones to the next.  A tar can be
 * cut off between two members, too: then it lacks the blocks of zeros that end
 * one.
 */
static int walk(struct nc3z_tar *tar, uint64_t offset,
		struct tar_members *members, struct nc3z_error *err)
{
	struct nc3z_error why = { 0 };
	struct tar_reader reader;
	struct tar_entry entry;
	int status;

	tar_reader_init(&reader, tar->source);
	do {
		status = tar_read_entry(&reader, offset, &entry, &why);
		if (status == NC3Z_EDAMAGED && reader.resume > 0) {
			status = tar_skip_damage(&reader, &offset, members,
						 &why);
			continue;
		}
		if (status != NC3Z_OK || !entry.name)
			break;
		offset = entry.next_offset;
		if (entry.kind == TAR_DIRECTORY)
			tar_entry_release(&entry);
		else
			status = add_entry(members, &entry, &why);
	} while (status == NC3Z_OK);
	tar_reader_release(&reader);
	if (status != NC3Z_OK && err)
		*err = why;
	if (status == NC3Z_OK && lacks_end(tar, offset, members))
		error_set_at(&tar->end, NC3Z_EDAMAGED, offset,
			     "the tar has no end, so it may be cut off: only "
			     "members before that are read");
	return status;
}

/*
 * Reads the headers of all members.  Where the tar is cut off, the members
 * before that are whole: what is wrong becomes 'tar->end'.
 */
static int walk_all(struct nc3z_tar *tar, struct nc3z_error *err)
{
	struct nc3z_error why = { 0 };
	int status = walk(tar, tar->first_offset, &tar->members, &why);

	if (status == NC3Z_OK && tar->members.count == 0 &&
	    tar->members.ngaps > 0)
		return error_set_at(err, NC3Z_EDAMAGED,
				    tar->members.gaps[0].offset,
				    "not a header of a tar, or damaged");
	if (status == NC3Z_EDAMAGED && tar->members.count > 0) {
		error_set(&tar->end, NC3Z_EDAMAGED,
			  "%s: only members before that are read", why.text);
		tar->end.offset = why.offset;
		status = NC3Z_OK;
	} else if (status != NC3Z_OK && err) {
		*err = why;
	}
	tar->is_walked = status == NC3Z_OK;
	return status;
}

/* Whether an index can be what it says it is; its members if so. */
static int read_index(struct nc3z_tar *tar, const struct tar_entry *entry,
		      struct tar_members *members, struct nc3z_error *err)
{
	struct buffer text = { 0 };
	uint64_t end;
	int status;

	if (entry->kind != TAR_FILE ||
	    strcmp(entry->name, TAR_INDEX_NAME) != 0 ||
	    entry->nbytes > TAR_INDEX_NBYTES_MAX)
		return NC3Z_EDAMAGED;
	status = source_read_growing(tar->source, entry->offset,
				     (size_t)entry->nbytes, &text, err);
	if (status == NC3Z_OK)
		status = tar_index_parse(text.data, text.nbytes,
					 entry->next_offset, members, &end,
					 err);
	buffer_release(&text);
	/* What has been appended comes after those that it lists. */
	if (status == NC3Z_OK)
		status = end <= tar->source->size ?
				 walk(tar, end, members, err) :
				 NC3Z_EDAMAGED;
	/* A header is damaged there, or the index is wrong. */
	if (members->ngaps > 0 && members->gaps[0].offset == end)
		status = NC3Z_EDAMAGED;
	return status;
}

/* Gzip data, which are no tar, would be taken for a damaged header. */
static int check_unpacked(struct nc3z_tar *tar, struct nc3z_error *err)
{
	uint8_t first[TAR_BLOCK_NBYTES];
	const char *compressor;
	size_t got;

	NC3Z_TRY(source_read_at(tar->source, 0, first, sizeof(first), &got,
				err));
	compressor = magic_compressor(first, got);
	if (compressor)
		return error_set(err, NC3Z_EUNSUPPORTED,
				 "is a tar compressed with %s, whose members "
				 "cannot be read in place: decompress it first",
				 compressor);
	if (got < sizeof(first))
		return error_set(err, NC3Z_ENOTARCHIVE, "not " MAGIC_TAR);
	return NC3Z_OK;
}

static int read_members(struct nc3z_tar *tar, const struct tar_entry *first,
			struct nc3z_error *err)
{
	struct nc3z_error why = { 0 };
	int status = NC3Z_EDAMAGED;

	if (first->name)
		status = read_index(tar, first, &tar->members, &why);
	if (status == NC3Z_EIO || status == NC3Z_ENOMEM ||
	    status == NC3Z_ECHANGED) {
		if (err)
			*err = why;
		return status;
	}
	if (first->name && strcmp(first->name, TAR_INDEX_NAME) == 0)
		tar->first_offset = first->next_offset;
	tar->is_indexed = status == NC3Z_OK;
	if (status == NC3Z_OK)
		return NC3Z_OK;
	tar_members_release(&tar->members);
	tar->end = (struct nc3z_error){ 0 };
	return walk_all(tar, err);
}

static int fill_members(struct nc3z_tar *tar, struct nc3z_error *err)
{
	struct nc3z_error why = { 0 };
	struct tar_reader reader;
	struct tar_entry first;
	int status;

	NC3Z_TRY(source_windows_open(tar->origin, &tar->source, err));
	NC3Z_TRY(check_unpacked(tar, err));
	tar_reader_init(&reader, tar->source);
	status = tar_read_entry(&reader, 0, &first, &why);
	tar_reader_release(&reader);
	if (status != NC3Z_OK &&
	    (status != NC3Z_EDAMAGED || reader.resume == 0)) {
		if (err)
			*err = why;
		return status;
	}
	status = read_members(tar, &first, err);
	tar_entry_release(&first);
	NC3Z_TRY(status);
	NC3Z_TRY(tar_members_sort(&tar->members, &tar->by_name, err));
	return tar_find_lost(tar, err);
}

/* But for the origin. */
static void tar_release(struct nc3z_tar *tar)
{
	source_windows_close(tar->origin, tar->source);
	tar_members_release(&tar->members);
	tar_release_lost(tar);
	free((void *)tar->by_name);
	pthread_mutex_destroy(&tar->lock);
	free(tar);
}

int nc3z_tar_open(struct nc3z_source *source, struct nc3z_tar **tar_ret,
		  struct nc3z_error *err)
{
	struct nc3z_tar *tar;
	int status;

	NC3Z_TRY(source_check_can_seek(source, err));
	tar = calloc(1, sizeof(*tar));
	if (!tar)
		return error_set_memory(err);
	pthread_mutex_init(&tar->lock, NULL);
	tar->origin = source;
	tar->nusers = 1;
	status = fill_members(tar, err);
	if (status == NC3Z_OK) {
		*tar_ret = tar;
		return NC3Z_OK;
	}
	tar_release(tar);
	return status == NC3Z_EDAMAGED || status == NC3Z_ENOTARCHIVE ?
		       source_refuse_kind(source, status, MAGIC_TAR, err) :
		       status;
}

void tar_let_go(struct nc3z_tar *tar)
{
	struct nc3z_source *origin = tar->origin;
	bool is_last;

	pthread_mutex_lock(&tar->lock);
	is_last = --tar->nusers == 0;
	pthread_mutex_unlock(&tar->lock);
	if (!is_last)
		return;
	tar_release(tar);
	nc3z_source_close(origin);
}

void nc3z_tar_close(struct nc3z_tar *tar)
{
	if (tar)
		tar_let_go(tar);
}

size_t nc3z_tar_nmembers(const struct nc3z_tar *tar)
{
	return tar->members.count;
}

struct tar_member tar_get_member(struct nc3z_tar *tar, size_t number)
{
	struct tar_member member;

	pthread_mutex_lock(&tar->lock);
	member = tar->members.list[number];
	pthread_mutex_unlock(&tar->lock);
	return member;
}

int tar_check_number(const struct nc3z_tar *tar, size_t number,
		     struct nc3z_error *err)
{
	return number < tar->members.count ?
		       NC3Z_OK :
		       error_set(err, NC3Z_EINVAL,
				 "the tar has no member of that number");
}

int nc3z_tar_inq_member(struct nc3z_tar *tar, size_t number,
			struct nc3z_tar_member *member_ret,
			struct nc3z_error *err)
{
	struct tar_member member;

	NC3Z_TRY(tar_check_number(tar, number, err));
	member = tar_get_member(tar, number);
	*member_ret = (struct nc3z_tar_member){
		.name = member.name,
		.left_out = member.left_out,
		.nbytes = member.nbytes,
		.offset = member.header_offset + member.region_nbytes -
			  member.nbytes,
	};
	return NC3Z_OK;
}

int tar_set_missing(struct nc3z_tar *tar, struct nc3z_error *err)
{
	struct nc3z_error damage = { 0 };
	int status = NC3Z_EIO;
	bool is_whole;

	pthread_mutex_lock(&tar->lock);
	is_whole = tar->members.ngaps == 0 && tar->end.status == NC3Z_OK;
	if (!is_whole)
		tar_tell_damage(tar, 0, &damage);
	pthread_mutex_unlock(&tar->lock);
	if (!is_whole)
		return error_set(
			err, NC3Z_EDAMAGED,
			"the tar has no such member in the readable part: "
			"%s",
			damage.text);
	status = error_set(err, status,
			   "the tar has no such member: \"tar -tf\" names "
			   "them");
	if (err)
		err->sys_errno = ENOENT;
	return status;
}

int nc3z_tar_find(struct nc3z_tar *tar, const char *name, size_t *number_ret,
		  struct nc3z_error *err)
{
	const struct tar_member *found = tar_members_find(
		tar->by_name, tar->members.count, tar_plain_name(name));

	if (!found)
		return tar_set_missing(tar, err);
	*number_ret = found->number;
	return NC3Z_OK;
}

/* What the headers say in place of what the index did; the name stays. */
static void correct(struct nc3z_tar *tar, struct tar_member *m,
		    struct tar_member *found)
{
	char *file_name = m->file_name;
	bool is_wrong;

	m->is_bare = !found && tar_lies_in_gap(&tar->members, m);
	m->is_gone = !found && !m->is_bare;
	is_wrong = found ? m->left_out != found->left_out ||
				   m->header_offset != found->header_offset ||
				   m->nbytes != found->nbytes ||
				   m->region_nbytes != found->region_nbytes :
			   m->is_gone;
	if (is_wrong && !tar->wrong_about)
		tar->wrong_about = m->name;
	if (!found)
		return;
	m->file_name = found->file_name;
	found->file_name = file_name;
	m->left_out = found->left_out;
	m->header_offset = found->header_offset;
	m->nbytes = found->nbytes;
	m->region_nbytes = found->region_nbytes;
}

/* The headers that are damaged were met by another way. */
static void take_gaps(struct tar_members *members, struct tar_members *fresh)
{
	free(members->gaps);
	members->gaps = fresh->gaps;
	members->ngaps = fresh->ngaps;
	members->gaps_capacity = fresh->gaps_capacity;
	fresh->gaps = NULL;
}

int tar_correct_members(struct nc3z_tar *tar, struct nc3z_error *err)
{
	struct tar_members fresh = { 0 };
	struct tar_member **sorted = NULL;
	int status = walk(tar, tar->first_offset, &fresh, err);

	if (status == NC3Z_OK)
		status = tar_members_sort(&fresh, &sorted, err);
	if (status == NC3Z_OK)
		take_gaps(&tar->members, &fresh);
	for (size_t i = 0; status == NC3Z_OK && i < tar->members.count; i++) {
		struct tar_member *m = &tar->members.list[i];

		correct(tar, m, tar_members_find(sorted, fresh.count, m->name));
	}
	tar->is_walked = status == NC3Z_OK;
	/* If no header is damaged, it is why they were read. */
	if (tar->is_walked)
		tar->has_wrong_index = tar->wrong_about ||
				       tar->members.ngaps == 0;
	free((void *)sorted);
	tar_members_release(&fresh);
	return status;
}
