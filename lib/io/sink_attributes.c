/*
 * Permissions, times and extended attributes of one file for another.
 *
 * Permissions and times must succeed.  Owner and extended attributes are taken
 * over as far as the system lets this user: that others have them is no
 * promise of a copy.
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

int sink_set_attributes(const struct file_sink *f, struct nc3z_error *err)
{
	struct timespec times[2];
	struct stat like;

	if (!f->like)
		return NC3Z_OK;
	if (stat(f->like, &like) != 0)
		return error_set_system(err, errno, "cannot read attributes");
	copy_xattrs(f);
	(void)!fchown(f->fd, like.st_uid, like.st_gid);
	if (fchmod(f->fd, like.st_mode & 07777) != 0)
		return error_set_system(err, errno, "cannot set permissions");
	times[0] = like.st_atim;
	times[1] = like.st_mtim;
	if (futimens(f->fd, times) != 0)
		return error_set_system(err, errno, "cannot set times");
	return NC3Z_OK;
}
