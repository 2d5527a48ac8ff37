/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "mount/naming.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "common/archive_magic.h"
#include "nc3z_tools.h"

/* The length of a name without the suffix; 0 if it has none. */
static size_t stem_nbytes(const struct naming *naming, const char *name)
{
	size_t nbytes = strlen(name), suffix_nbytes = strlen(naming->suffix);

	if (nbytes <= suffix_nbytes ||
	    strcmp(name + nbytes - suffix_nbytes, naming->suffix) != 0)
		return 0;
	return nbytes - suffix_nbytes;
}

static bool is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool naming_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size &&
	       is_same_time(a->st_mtim, b->st_mtim) &&
	       is_same_time(a->st_ctim, b->st_ctim);
}

int naming_open_file(int dir_fd, const char *entry, struct stat *stat_ret)
{
	int fd = openat(dir_fd, entry,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (fstat(fd, stat_ret) == 0 && S_ISREG(stat_ret->st_mode))
		return fd;
	close(fd);
	errno = ESTALE; /* it was a file just now */
	return -1;
}

/* A file that cannot be read is not taken for an archive. */
static bool is_archive(int dir_fd, const char *entry)
{
	struct stat stat;

	return archive_magic_check(naming_open_file(dir_fd, entry, &stat));
}

/* The target of a link as it is; 0 or an errno. */
static int read_target(int dir_fd, const char *entry, char *target,
		       size_t nbytes)
{
	ssize_t n = readlinkat(dir_fd, entry, target, nbytes - 1);

	if (n < 0)
		return errno;
	target[n] = '\0';
	return 0;
}

/* The length of a target that is shown; 0: all of it. */
static size_t shown_target_nbytes(const struct naming *naming,
				  const char *target)
{
	return target[0] == '/' ? 0 : stem_nbytes(naming, target);
}

static bool is_link_to_archive(const struct naming *naming, int dir_fd,
			       const char *entry)
{
	char target[PATH_MAX];

	return read_target(dir_fd, entry, target, sizeof(target)) == 0 &&
	       shown_target_nbytes(naming, target) > 0;
}

/* Whether a name without suffix is taken by an entry that bears it. */
static bool is_taken(const struct naming *naming, int dir_fd, const char *entry,
		     size_t name_nbytes)
{
	struct shown other;
	char name[NAME_MAX + 1];
	int status;

	memcpy(name, entry, name_nbytes);
	name[name_nbytes] = '\0';
	status = naming_show(naming, dir_fd, name, NULL, &other);
	if (status != 0)
		return status != ENOENT;
	return other.as != SHOWN_NOT && other.name_nbytes == name_nbytes;
}

/* A regular file: an archive by its name, or not shown without suffix. */
static bool is_shown_decoded(const struct naming *naming, int dir_fd,
			     const char *entry, const struct stat *known,
			     const struct shown *shown)
{
	size_t nbytes = stem_nbytes(naming, entry);

	return nbytes > 0 && !is_taken(naming, dir_fd, entry, nbytes) &&
	       ((known && naming_is_same(known, &shown->stat)) ||
		is_archive(dir_fd, entry));
}

/* A regular file: a tar of archives by its name and its first members. */
static bool is_shown_entered(int dir_fd, const char *entry,
			     const struct stat *known,
			     const struct shown *shown)
{
	static const char suffix[] = ".tar";
	size_t n = strlen(entry), m = strlen(suffix);
	struct nc3z_source *source;
	struct stat stat;
	int fd, found = 0;

	if (n <= m || strcmp(entry + n - m, suffix) != 0)
		return false;
	if (known && naming_is_same(known, &shown->stat))
		return true;
	fd = naming_open_file(dir_fd, entry, &stat);
	if (fd < 0)
		return false;
	if (nc3z_source_open_fd(fd, &source, NULL) == NC3Z_OK) {
		found = nc3z_tar_has_archives(source);
		nc3z_source_close(source);
	}
	close(fd);
	return found;
}

int naming_stat(const struct naming *naming, int dir_fd, const char *entry,
		struct stat *stat_ret)
{
	if (fstatat(dir_fd, entry, stat_ret, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENAMETOOLONG ? ENOENT : errno;
	if (S_ISLNK(stat_ret->st_mode) &&
	    is_link_to_archive(naming, dir_fd, entry))
		stat_ret->st_size -= (off_t)strlen(naming->suffix);
	return 0;
}

/* A link: without suffix if its name and its target have one. */
static bool is_shown_short(const struct naming *naming, int dir_fd,
			   const char *entry)
{
	size_t nbytes = stem_nbytes(naming, entry);

	return nbytes > 0 && is_link_to_archive(naming, dir_fd, entry) &&
	       !is_taken(naming, dir_fd, entry, nbytes);
}

int naming_show(const struct naming *naming, int dir_fd, const char *entry,
		const struct stat *known, struct shown *shown_ret)
{
	bool is_short = false;
	mode_t mode;
	int status;

	*shown_ret = (struct shown){ .as = SHOWN_NOT };
	status = naming_stat(naming, dir_fd, entry, &shown_ret->stat);
	mode = shown_ret->stat.st_mode;

	if (status != 0)
		return status;
	shown_ret->as = SHOWN_AS_IS;
	if (S_ISLNK(mode)) {
		is_short = is_shown_short(naming, dir_fd, entry);
	} else if (S_ISREG(mode) &&
		   is_shown_decoded(naming, dir_fd, entry, known, shown_ret)) {
		shown_ret->as = SHOWN_DECODED;
		is_short = true;
	} else if (S_ISREG(mode) &&
		   is_shown_entered(dir_fd, entry, known, shown_ret)) {
		shown_ret->as = SHOWN_ENTERED;
	} else if (!S_ISDIR(mode) && naming->archives_only) {
		shown_ret->as = SHOWN_NOT;
	}
	shown_ret->name_nbytes = is_short ? stem_nbytes(naming, entry) :
					    strlen(entry);
	return 0;
}

int naming_find(const struct naming *naming, int dir_fd, const char *name,
		const struct stat *known, char *entry_ret,
		struct shown *shown_ret)
{
	size_t nbytes = strlen(name), suffix_nbytes = strlen(naming->suffix);
	int status;

	if (nbytes > NAME_MAX)
		return ENAMETOOLONG;
	memcpy(entry_ret, name, nbytes + 1);
	status = naming_show(naming, dir_fd, entry_ret, known, shown_ret);
	if (status == 0 && shown_ret->as != SHOWN_NOT &&
	    shown_ret->name_nbytes == nbytes)
		return 0;
	if (status != 0 && status != ENOENT)
		return status;
	if (nbytes + suffix_nbytes > NAME_MAX)
		return ENOENT;
	memcpy(entry_ret + nbytes, naming->suffix, suffix_nbytes + 1);
	status = naming_show(naming, dir_fd, entry_ret, known, shown_ret);
	if (status == 0 &&
	    (shown_ret->as == SHOWN_NOT || shown_ret->name_nbytes != nbytes))
		status = ENOENT;
	return status;
}

int naming_read_link(const struct naming *naming, int dir_fd, const char *entry,
		     char *target, size_t nbytes)
{
	int status = read_target(dir_fd, entry, target, nbytes);
	size_t shown;

	if (status != 0)
		return status;
	shown = shown_target_nbytes(naming, target);
	if (shown > 0)
		target[shown] = '\0';
	return 0;
}
