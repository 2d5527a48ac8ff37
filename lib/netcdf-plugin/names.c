/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create() */
#include "netcdf-plugin/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

bool name_is_archive(const char *path)
{
	char magic[sizeof(ARCHIVE_MAGIC) - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool found;

	if (fd < 0)
		return false;
	found = read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
		memcmp(magic, ARCHIVE_MAGIC, sizeof(magic)) == 0;
	close(fd);
	return found;
}

/*
 * A URL, or an archive in a tar, that the running call of this thread was
 * given.  libnetcdf, which looks at files by itself and takes URLs for servers
 * of another kind, sees a path instead, of a file in memory that has nothing
 * but the first bytes of an archive.  A file of the user's can never stand for
 * a URL.  From version 4.9.3 on libnetcdf looks at no file that ends with its
 * first bytes.
 */
#define PENDING_NBYTES 512
static _Thread_local struct {
	char *url;
	char path[32];
	int fd;
} pending;

static const char *const schemes[] = { "http://", "https://", "s3://" };

/* Whether so many bytes of a name end as those of archives do. */
static bool has_suffix(const char *name, size_t nbytes)
{
	static const char suffix[] = ".nc3z";
	size_t n = strlen(suffix);

	return nbytes > n && memcmp(name + nbytes - n, suffix, n) == 0;
}

bool name_is_url(const char *name)
{
	size_t scheme = 0;

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (strncasecmp(name, schemes[i], strlen(schemes[i])) == 0)
			scheme = strlen(schemes[i]);
	/* "http:///path" has no host: a path where a scheme is wanted. */
	if (scheme == 0 || name[scheme] == '/' || name[scheme] == '\0')
		return false;
	return has_suffix(name + scheme, strcspn(name + scheme, "?#"));
}

bool name_is_member(const char *name)
{
	/* Below a file there can be nothing else, also after one slash. */
	return has_suffix(name, strlen(name)) && access(name, F_OK) != 0 &&
	       (strstr(name, ".tar//") ||
		(errno == ENOTDIR && strstr(name, ".tar/")));
}

char *name_of_output(const char *name)
{
	size_t nbytes = strlen(name);
	const char *temporary = strstr(name, ".nc3z.pid");

	/* NCO writes to NAME.pid1234.ncks.tmp, and renames it. */
	if (temporary)
		nbytes = (size_t)(temporary - name) + strlen(".nc3z");
	return has_suffix(name, nbytes) ? strndup(name, nbytes) : NULL;
}

static void forget_url(void)
{
	close(pending.fd);
	free(pending.url);
	pending.url = NULL;
}

/* Makes the URL pending; its path as a copy, NULL if that fails. */
static char *path_for_url(const char *url)
{
	const size_t n = sizeof(ARCHIVE_MAGIC) - 1;
	char *path;
	int fd = memfd_create("nc3z", MFD_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (write(fd, ARCHIVE_MAGIC, n) == (ssize_t)n &&
	    ftruncate(fd, PENDING_NBYTES) == 0)
		pending.url = strdup(url);
	if (!pending.url) {
		close(fd);
		return NULL;
	}
	pending.fd = fd;
	snprintf(pending.path, sizeof(pending.path), "/proc/self/fd/%d", fd);
	path = strdup(pending.path);
	if (!path)
		forget_url();
	return path;
}

const char *name_pending_url(const char *path)
{
	return pending.url && strcmp(path, pending.path) == 0 ? pending.url :
								NULL;
}

void name_done(char *path)
{
	if (path && name_pending_url(path))
		forget_url();
	free(path);
}

char *name_path(const char *name)
{
	const char *after = name ? strstr(name, "://") : NULL;
	char *path;

	if (!name || pending.url)
		return NULL;
	if (!after)
		return name_is_member(name) ? path_for_url(name) : NULL;
	if (name_is_url(name))
		return path_for_url(name);
	if (name_is_member(after + strlen("://")))
		return path_for_url(after + strlen("://"));
	path = strdup(after + strlen("://"));
	if (!path)
		return NULL;
	if (!name_is_archive(path))
		path[strcspn(path, "#")] = '\0';
	if (strncmp(name, "nc3z:", strlen("nc3z:")) == 0 ||
	    name_is_archive(path))
		return path;
	free(path);
	return NULL;
}
