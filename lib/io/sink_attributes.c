/* SPDX-License-Identifier: MIT */
/*
 * Permissions, times and extended attributes of one file for another.
 *
 * Permissions and times are taken over where the file system has them, owner
 * and extended attributes as far as it lets this user.  Until commit only the
 * user can read the file.
 *
 * All is read from the descriptor of the file whose bytes were read: its name
 * may be that of another file by now.
 */
#define _DEFAULT_SOURCE /* fchown() */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "io/sink_file.h"

/* Where it is kept, under this name on all file systems. */
#define ACCESS_LIST "system.posix_acl_access"

int nc3z_sink_copy_attributes(struct nc3z_sink *sink, int fd,
			      struct nc3z_error *err)
{
	NC3Z_NEED(err, sink);

	struct file_sink *f = sink_as_file(sink);

	if (!f || !f->path)
		return error_set(err, NC3Z_EINVAL, "output is not a file");
	f->like_fd = fd;
	return sink_remove_access_list(f, err);
}

void sink_take_after(struct nc3z_sink *sink, const struct nc3z_source *source)
{
	struct file_sink *f = sink_as_file(sink);

	if (f && f->path)
		f->member = source->member;
}

int sink_remove_access_list(const struct file_sink *f, struct nc3z_error *err)
{
	if (fremovexattr(f->fd, ACCESS_LIST) == 0 || errno == ENODATA ||
	    errno == EOPNOTSUPP || errno == ENOSYS)
		return NC3Z_OK;
	/* No list is as good as one that is removed. */
	if (fgetxattr(f->fd, ACCESS_LIST, NULL, 0) < 0)
		return NC3Z_OK;
	return error_set_system(err, errno, "cannot remove access list");
}

static void copy_xattr(const struct file_sink *f, const char *name)
{
	ssize_t nbytes = fgetxattr(f->like_fd, name, NULL, 0);
	char *value = nbytes >= 0 ? malloc((size_t)nbytes + 1) : NULL;

	if (!value)
		return;
	nbytes = fgetxattr(f->like_fd, name, value, (size_t)nbytes);
	if (nbytes >= 0)
		(void)!fsetxattr(f->fd, name, value, (size_t)nbytes, 0);
	free(value);
}

/* Without the access list where it would speak of others than those meant. */
static void copy_xattrs(const struct file_sink *f, bool with_access_list)
{
	ssize_t nbytes = flistxattr(f->like_fd, NULL, 0);
	char *names = nbytes > 0 ? malloc((size_t)nbytes) : NULL;

	if (!names)
		return;
	nbytes = flistxattr(f->like_fd, names, (size_t)nbytes);
	for (ssize_t i = 0; i < nbytes; i += (ssize_t)strlen(names + i) + 1)
		if (with_access_list || strcmp(names + i, ACCESS_LIST) != 0)
			copy_xattr(f, names + i);
	free(names);
}

/* Not every file system has permissions and times. */
static int check_set(int failed, const char *what, struct nc3z_error *err)
{
	if (failed == 0 || errno == EPERM || errno == EOPNOTSUPP ||
	    errno == ENOSYS)
		return NC3Z_OK;
	return error_set_system(err, errno, what);
}

/*
 * Owner and group may be others: then nobody gets more than he had.  Those who
 * were the group, or the owner, are among the others or in the new group now,
 * and the other way round.
 */
static mode_t copy_owner(const struct file_sink *f, const struct stat *like)
{
	mode_t owner = like->st_mode >> 6 & 07, group = like->st_mode >> 3 & 07;
	mode_t other = like->st_mode & 07;
	bool has_owner = fchown(f->fd, like->st_uid, (gid_t)-1) == 0;
	bool has_group = fchown(f->fd, (uid_t)-1, like->st_gid) == 0;

	copy_xattrs(f, has_group);
	if (!has_group)
		group = other = group & other;
	if (!has_owner) {
		group &= owner;
		other &= owner;
	}
	return owner << 6 | group << 3 | other;
}

/* As tar(1) does: not the owner, and no permission that the mode lacks. */
static int set_member_attributes(const struct file_sink *f,
				 struct nc3z_error *err)
{
	const struct source_member *m = &f->member;
	mode_t mode = (mode_t)(m->is_member ? f->mode & m->mode : f->mode);
	const struct timespec times[2] = {
		{ .tv_nsec = UTIME_NOW },
		{ .tv_sec = (time_t)m->mtime_s, .tv_nsec = (long)m->mtime_ns },
	};

	NC3Z_TRY(check_set(fchmod(f->fd, mode), "cannot set permissions", err));
	return m->has_time && times[1].tv_sec == m->mtime_s ?
		       check_set(futimens(f->fd, times), "cannot set times",
				 err) :
		       NC3Z_OK;
}

int sink_set_attributes(const struct file_sink *f, struct nc3z_error *err)
{
	mode_t mode = (mode_t)f->mode;
	struct timespec times[2];
	struct stat like;

	if (f->like_fd < 0)
		return set_member_attributes(f, err);
	if (fstat(f->like_fd, &like) != 0)
		return error_set_system(err, errno, "cannot read attributes");
	if (f->is_private)
		copy_xattrs(f, false);
	else
		mode = copy_owner(f, &like);
	NC3Z_TRY(check_set(fchmod(f->fd, mode), "cannot set permissions", err));
	times[0] = like.st_atim;
	times[1] = like.st_mtim;
	return check_set(futimens(f->fd, times), "cannot set times", err);
}
