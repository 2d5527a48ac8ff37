/*
 * Calls of the system that WebAssembly has not, for sinks that are files, of
 * which there are none here.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/types.h>

ssize_t fgetxattr(int fd, const char *name, void *value, size_t nbytes);
ssize_t flistxattr(int fd, char *names, size_t nbytes);
int fsetxattr(int fd, const char *name, const void *value, size_t nbytes,
	      int flags);
int syncfs(int fd);

static int refuse(void)
{
	errno = ENOTSUP;
	return -1;
}

ssize_t fgetxattr(int fd, const char *name, void *value, size_t nbytes)
{
	(void)fd;
	(void)name;
	(void)value;
	(void)nbytes;
	return refuse();
}

ssize_t flistxattr(int fd, char *names, size_t nbytes)
{
	(void)fd;
	(void)names;
	(void)nbytes;
	return refuse();
}

int fsetxattr(int fd, const char *name, const void *value, size_t nbytes,
	      int flags)
{
	(void)fd;
	(void)name;
	(void)value;
	(void)nbytes;
	(void)flags;
	return refuse();
}

int syncfs(int fd)
{
	(void)fd;
	return refuse();
}
