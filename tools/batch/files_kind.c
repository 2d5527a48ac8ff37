/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* strndup() */
#include "batch/files_kind.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch/action.h"
#include "common/suffix.h"
#include "nc3z.h"

bool files_is_classic(int fd)
{
	char first[4];

	return pread(fd, first, sizeof(first), 0) == sizeof(first) &&
	       memcmp(first, "CDF", 3) == 0 &&
	       (first[3] == 1 || first[3] == 2 || first[3] == 5);
}

bool files_is_input(const struct settings *s, const char *path)
{
	bool is_archive = file_has_suffix(path, s->suffix);

	switch (s->action->takes) {
	case TAKES_CLASSIC:
		return !is_archive;
	case TAKES_BOTH:
		return is_archive || file_has_suffix(path, CLASSIC_SUFFIX);
	case TAKES_NETCDF4:
		return file_has_suffix(path, NETCDF4_SUFFIX);
	default:
		return is_archive || s->action->takes == TAKES_ALL;
	}
}

static bool has_original_nbytes(const char *path, off_t nbytes)
{
	struct nc3z_summary summary = { 0 };
	struct nc3z_source *source;
	int status;

	if (nc3z_source_open_name(path, 0, &source, NULL) != NC3Z_OK)
		return false;
	status = nc3z_summarize(source, &summary, NULL);
	nc3z_source_close(source);
	return status == NC3Z_OK && summary.original_nbytes == (uint64_t)nbytes;
}

/* Whether a file beside an archive is not passed over later. */
static bool is_taken(const struct settings *s, const char *path,
		     const struct stat *stat)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool is_classic = files_is_classic(fd);

	if (fd >= 0)
		close(fd);
	return is_classic &&
	       (!s->remove || s->remove_all || stat->st_nlink == 1);
}

bool files_has_original(const struct settings *s, const char *path,
			const struct stat *archive)
{
	struct stat original;
	char *name;
	bool is_there;

	if (s->action->takes != TAKES_BOTH || !file_has_suffix(path, s->suffix))
		return false;
	name = strndup(path, strlen(path) - strlen(s->suffix));
	is_there = name && file_has_suffix(name, CLASSIC_SUFFIX) &&
		   lstat(name, &original) == 0 && S_ISREG(original.st_mode) &&
		   original.st_mtime == archive->st_mtime &&
		   is_taken(s, name, &original) &&
		   has_original_nbytes(path, original.st_size);
	free(name);
	return is_there;
}
