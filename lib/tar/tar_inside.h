/* SPDX-License-Identifier: MIT */
/* What the files of tars share. */
#ifndef NC3Z_TAR_TAR_INSIDE_H
#define NC3Z_TAR_TAR_INSIDE_H

#include <pthread.h>

#include "io/source.h"
#include "nc3z_tools.h"
#include "tar/tar_index.h"
#include "tar/tar_reader.h"

struct nc3z_tar {
	struct nc3z_source *origin;
	struct nc3z_source *source; /* the same, with front and tail */
	uint64_t first_offset;      /* of the first member but the index */
	bool is_indexed;            /* when it was opened */
	struct tar_member **by_name;
	pthread_mutex_t lock;
	/* Under the lock: */
	unsigned nusers;            /* the handle, and windows that are open */
	struct tar_members members; /* whose names do not change */
	bool is_walked;             /* by all headers */
	struct nc3z_error end;      /* where it is cut off, if it is */
	bool has_wrong_index;
	const char *wrong_about; /* a member; NULL: not known */
	char **lost;             /* from SHA256SUMS: members without a header */
	size_t nlost;
	size_t lost_capacity;
};

/* tar.c: one user less; the last one frees it. */
void tar_let_go(struct nc3z_tar *tar);

/* NC3Z_EINVAL unless there is a member of that number. */
int tar_check_number(const struct nc3z_tar *tar, size_t number,
		     struct nc3z_error *err);

/* What is known of a member now. */
struct tar_member tar_get_member(struct nc3z_tar *tar, size_t number);

/* That there is none by a name.  Not with the lock. */
int tar_set_missing(struct nc3z_tar *tar, struct nc3z_error *err);

/*
 * With the lock: places members by the headers of the tar, not by the index.
 * Those that are not there are gone.
 */
int tar_correct_members(struct nc3z_tar *tar, struct nc3z_error *err);

/* tar_damage.c */

/*
 * After tar_read_entry() found damage at '*offset', goes to the next header or
 * to the end, and notes the gap.
 */
int tar_skip_damage(struct tar_reader *reader, uint64_t *offset,
		    struct tar_members *members, struct nc3z_error *err);

/* Whether headers and contents lie inside one gap. */
bool tar_lies_in_gap(const struct tar_members *members,
		     const struct tar_member *member);

/* The names of members whose headers are lost, if there are any. */
int tar_find_lost(struct nc3z_tar *tar, struct nc3z_error *err);
void tar_release_lost(struct nc3z_tar *tar);

/* With the lock: as nc3z_tar_inq_damage(). */
int tar_tell_damage(const struct nc3z_tar *tar, size_t number,
		    struct nc3z_error *err);

#endif
