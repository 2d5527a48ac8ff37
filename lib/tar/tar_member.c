/* SPDX-License-Identifier: MIT */
/* Members of tars as sources. */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "io/source_window.h"
#include "nc3z_tools.h"
#include "tar/tar_inside.h"
#include "tar/tar_reader.h"

/* An open member: the sources that its window is in, and the tar. */
struct opened {
	struct nc3z_tar *tar;
	struct nc3z_source *region; /* headers and contents */
	struct nc3z_source *ends;   /* the same, with front and tail */
};

static void close_opened(void *self)
{
	struct opened *o = self;

	source_windows_close(o->region, o->ends);
	nc3z_source_close(o->region);
	tar_let_go(o->tar);
	free(o);
}

/*
 * Headers and contents come with the same requests.  Headers take a block or
 * three, with a long name more.
 */
static int open_region(struct opened *o, const struct tar_member *member,
		       unsigned flags, struct nc3z_error *err)
{
	const struct source_ends ends = {
		.front_nbytes = SOURCE_FRONT_NBYTES + 4 * TAR_BLOCK_NBYTES,
		.tail_nbytes = SOURCE_TAIL_NBYTES,
	};
	const struct window_owner nobody = { 0 };
	struct nc3z_source *in = o->tar->source;
	uint64_t left = in->size - size_min(member->header_offset, in->size);
	const struct nc3z_range range = {
		.offset = in->size - left,
		.nbytes = size_min(member->region_nbytes, left),
	};

	if (flags & NC3Z_URL_STREAM) {
		NC3Z_TRY(source_window_stream(in, &range, &nobody, &o->region,
					      err));
		o->ends = o->region;
		return NC3Z_OK;
	}
	NC3Z_TRY(source_window_open(in, &range, &nobody, &o->region, err));
	return source_windows_open_ends(o->region, &ends, &o->ends, err);
}

/* Whether headers that were read are those that a member is to have. */
static bool are_headers_of(const struct tar_entry *entry,
			   const struct tar_member *member)
{
	return entry->name && entry->kind == TAR_FILE &&
	       entry->nbytes == member->nbytes &&
	       entry->offset - entry->header_offset + entry->nbytes ==
		       member->region_nbytes &&
	       strcmp(entry->name, member->file_name ? member->file_name :
						       member->name) == 0;
}

/* The contents, if they are those that the member is to have. */
static int open_contents(struct opened *o, const struct tar_member *member,
			 struct nc3z_source **source_ret,
			 struct nc3z_error *err)
{
	const struct window_owner owner = { o, close_opened };
	struct tar_reader reader;
	const struct nc3z_range bare = { member->region_nbytes - member->nbytes,
					 member->nbytes };
	struct tar_entry entry;
	int status;

	if (member->is_bare) {
		NC3Z_TRY(source_window_open(o->ends, &bare, &owner, source_ret,
					    err));
		(*source_ret)->member = (struct source_member){
			.is_member = true,
			.mode = 0666,
		};
		return NC3Z_OK;
	}
	tar_reader_init(&reader, o->ends);
	status = tar_read_entry(&reader, 0, &entry, err);
	tar_reader_release(&reader);
	NC3Z_TRY(status);
	if (!are_headers_of(&entry, member))
		status = error_set_at(err, NC3Z_EDAMAGED, member->header_offset,
				      "the tar has another member here than "
				      "its index says");
	if (status == NC3Z_OK)
		status = source_window_open(
			o->ends,
			&(struct nc3z_range){ entry.offset, entry.nbytes },
			&owner, source_ret, err);
	if (status == NC3Z_OK)
		(*source_ret)->member = entry.file;
	tar_entry_release(&entry);
	return status;
}

static int open_member(struct nc3z_tar *tar, const struct tar_member *member,
		       unsigned flags, struct nc3z_source **source_ret,
		       struct nc3z_error *err)
{
	struct opened *o;
	int status;

	if (member->is_gone)
		return tar_set_missing(tar, err);
	if (member->left_out)
		return error_set(err, NC3Z_EUNSUPPORTED, "%s",
				 member->left_out);
	o = calloc(1, sizeof(*o));
	if (!o)
		return error_set_memory(err);
	pthread_mutex_lock(&tar->lock);
	tar->nusers++;
	pthread_mutex_unlock(&tar->lock);
	o->tar = tar;
	status = open_region(o, member, flags, err);
	if (status == NC3Z_OK)
		status = open_contents(o, member, source_ret, err);
	if (status != NC3Z_OK)
		close_opened(o);
	return status;
}

/* Reads all headers unless another thread was faster. */
static int correct_once(struct nc3z_tar *tar, struct nc3z_error *err)
{
	int status = NC3Z_OK;

	pthread_mutex_lock(&tar->lock);
	if (!tar->is_walked)
		status = tar_correct_members(tar, err);
	pthread_mutex_unlock(&tar->lock);
	return status;
}

int nc3z_tar_open_member(struct nc3z_tar *tar, size_t number, unsigned flags,
			 struct nc3z_source **source_ret,
			 struct nc3z_error *err)
{
	struct nc3z_error why = { 0 };
	struct tar_member member;
	char *file_name = NULL;
	bool is_certain;
	int status;

	NC3Z_TRY(tar_check_number(tar, number, err));
	pthread_mutex_lock(&tar->lock);
	is_certain = tar->is_walked;
	member = tar->members.list[number];
	/* Another thread may find that the index is wrong, and replace it. */
	if (member.file_name)
		file_name = strdup(member.file_name);
	pthread_mutex_unlock(&tar->lock);
	if (member.file_name && !file_name)
		return error_set_memory(err);
	member.file_name = file_name;
	status = open_member(tar, &member, flags, source_ret, &why);
	free(file_name);
	if ((status == NC3Z_EDAMAGED || status == NC3Z_EUNSUPPORTED) &&
	    !is_certain && !member.left_out) {
		NC3Z_TRY(correct_once(tar, err));
		member = tar_get_member(tar, number);
		return open_member(tar, &member, flags, source_ret, err);
	}
	if (status != NC3Z_OK && err)
		*err = why;
	if (status == NC3Z_OK && !is_certain) {
		pthread_mutex_lock(&tar->lock);
		tar->members.list[number].is_unseen = false;
		pthread_mutex_unlock(&tar->lock);
	}
	return status;
}

/*
 * With the lock: whether the headers of a member, which the index has, are
 * another's or damaged.  Then those of the tar are read.
 */
static int check_listed(struct nc3z_tar *tar, struct tar_reader *reader,
			struct tar_member *member, struct nc3z_error *err)
{
	struct nc3z_error why = { 0 };
	struct tar_entry entry;
	int status =
		tar_read_entry(reader, member->header_offset, &entry, &why);

	if (status == NC3Z_OK)
		member->is_unseen = !are_headers_of(&entry, member);
	tar_entry_release(&entry);
	if (status == NC3Z_EDAMAGED || status == NC3Z_EUNSUPPORTED ||
	    (status == NC3Z_OK && member->is_unseen))
		status = tar_correct_members(tar, &why);
	if (status == NC3Z_EDAMAGED || status == NC3Z_EUNSUPPORTED) {
		tar->wrong_about = member->name;
		tar->has_wrong_index = tar->is_walked = true;
		return NC3Z_OK;
	}
	if (status != NC3Z_OK && err)
		*err = why;
	return status;
}

int nc3z_tar_check_index(struct nc3z_tar *tar, struct nc3z_error *err)
{
	struct tar_reader reader;
	size_t n = tar->is_indexed ? tar->members.count + tar->members.nhidden :
				     0;
	int status = NC3Z_OK;

	tar_reader_init(&reader, tar->source);
	pthread_mutex_lock(&tar->lock);
	for (size_t i = 0; i < n && status == NC3Z_OK && !tar->is_walked; i++)
		if (tar->members.list[i].is_unseen)
			status = check_listed(tar, &reader,
					      &tar->members.list[i], err);
	if (status == NC3Z_OK && tar->is_indexed &&
	    (tar->has_wrong_index || tar->members.ngaps > 0))
		status = tar_tell_damage(tar, 0, err);
	pthread_mutex_unlock(&tar->lock);
	tar_reader_release(&reader);
	return status;
}
