/*
 * Permissions, times and extended attributes of one file for another.
 *
 * Permissions and times are taken over where the file system has them, owner
 * and extended attributes as far as it lets this user.  Until commit only the
 * user can read the file.
 */
#define _DEFAULT_SOURCE /* fchown() */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "io/sink_file.h"

int nc3z_sink_copy_attributes(struct nc3z_sink *sink, const char *path,
			      struct nc3z_error *err)
{
	struct file_sink *f = sink_as_file(sink);

	if (!f || !f->path)
		return error_set(err, NC3Z_EINVAL, "output is not a file");
	free(f->like);
	f->like = strdup(path);
	return f->like ? NC3Z_OK : error_set_memory(err);
}

static void copy_xattr(const struct file_sink *f, const char *name)
{
	ssize_t nbytes = getxattr(f->like, name, NULL, 0);
	char *value = nbytes >= 0 ? malloc((size_t)nbytes + 1) : NULL;

	if (!value)
		return;
	nbytes = getxattr(f->like, name, value, (size_t)nbytes);
	if (nbytes >= 0)
		(void)!fsetxattr(f->fd, name, value, (size_t)nbytes, 0);
	free(value);
}

static void copy_xattrs(const struct file_sink *f)
{
	ssize_t nbytes = listxattr(f->like, NULL, 0);
	char *names = nbytes > 0 ? malloc((size_t)nbytes) : NULL;

	if (!names)
		return;
	nbytes = listxattr(f->like, names, (size_t)nbytes);
	for (ssize_t i = 0; i < nbytes; i += (ssize_t)strlen(names + i) + 1)
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
 * Permissions for a file whose owner or group may be another than that of the
 * original: nobody gets more than he had.
 */
static mode_t copy_owner(const struct file_sink *f, const struct stat *like)
{
	mode_t mode = like->st_mode & 0777;

	(void)!fchown(f->fd, like->st_uid, (gid_t)-1);
	if (fchown(f->fd, (uid_t)-1, like->st_gid) != 0)
		mode = (mode & 0707) | (mode & (mode & 07) << 3);
	return mode;
}

int sink_set_attributes(const struct file_sink *f, struct nc3z_error *err)
{
	struct timespec times[2];
	struct stat like;

	if (!f->like)
		return check_set(fchmod(f->fd, (mode_t)f->mode),
				 "cannot set permissions", err);
	if (stat(f->like, &like) != 0)
		return error_set_system(err, errno, "cannot read attributes");
	copy_xattrs(f);
	NC3Z_TRY(check_set(fchmod(f->fd, copy_owner(f, &like)),
			   "cannot set permissions", err));
	times[0] = like.st_atim;
	times[1] = like.st_mtim;
	return check_set(futimens(f->fd, times), "cannot set times", err);
}
