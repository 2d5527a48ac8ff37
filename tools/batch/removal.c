/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* AT_SYMLINK_NOFOLLOW, getentropy() */
#include "batch/removal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch/places.h"
#include "common/message.h"
#include "nc3z_tools.h"

#define BEGIN ".removing-"
#define END ".nc3z-tmp"
#define NDIGITS 8

_Static_assert(sizeof(BEGIN) + NDIGITS + sizeof(END) - 1 +
			       REMOVAL_NAME_NBYTES_MAX ==
		       NAME_MAX,
	       "what is renamed has a name that is too long");

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The name that a file has meanwhile; NULL if out of memory. */
static char *make_aside(const char *path)
{
	const char *name = last_part(path);
	size_t size = strlen(path) + strlen(BEGIN) + NDIGITS + 1 + sizeof(END);
	char *aside = malloc(size);
	uint32_t random;

	if (!aside || getentropy(&random, sizeof(random)) != 0) {
		free(aside);
		return NULL;
	}
	snprintf(aside, size, "%.*s" BEGIN "%08x-%s" END, (int)(name - path),
		 path, (unsigned)random, name);
	return aside;
}

/* The name that comes back; its length, or 0 if there is none in it. */
static size_t find_name(const char *aside, const char **name_ret)
{
	const size_t before = strlen(BEGIN) + NDIGITS + 1;
	size_t n = strlen(aside);

	if (n <= before + strlen(END) ||
	    strncmp(aside, BEGIN, strlen(BEGIN)) != 0 ||
	    strspn(aside + strlen(BEGIN), "0123456789abcdef") != NDIGITS ||
	    aside[before - 1] != '-' ||
	    strcmp(aside + n - strlen(END), END) != 0)
		return 0;
	*name_ret = aside + before;
	return n - before - strlen(END);
}

/* Frees what is called that, and keeps errno. */
static int end_removal(struct removal *removal, int result)
{
	int sys_errno = errno;

	free(removal->aside);
	errno = sys_errno;
	return result;
}

/* Whether a link that was named leads to the file, or the name is its own. */
static bool is_named(const struct removal *removal, int fd)
{
	struct stat named, ours;

	return fstatat(removal->name.dir_fd, removal->aside, &named, 0) == 0 &&
	       fstat(fd, &ours) == 0 && named.st_dev == ours.st_dev &&
	       named.st_ino == ours.st_ino;
}

int removal_begin(struct removal *removal, struct removal_name name, int fd)
{
	int result;

	*removal = (struct removal){ name, make_aside(name.path) };
	if (!removal->aside) {
		errno = ENOMEM;
		return -1;
	}
	/* Tells those that recover that this process is alive. */
	(void)!flock(fd, LOCK_EX | LOCK_NB);
	result = renameat(name.dir_fd, name.path, name.dir_fd, removal->aside);
	/* A server may have done it, and its first answer was lost. */
	if (result != 0 && (errno != ENOENT || !is_named(removal, fd)))
		return end_removal(removal, -1);
	if (is_named(removal, fd))
		return 0;
	(void)!nc3z_rename_new(name.dir_fd, removal->aside, name.path);
	errno = EEXIST;
	return end_removal(removal, -1);
}

int removal_finish(struct removal *removal)
{
	return end_removal(removal,
			   unlinkat(removal->name.dir_fd, removal->aside, 0));
}

int removal_undo(struct removal *removal)
{
	return nc3z_rename_new(removal->name.dir_fd, removal->aside,
			       removal->name.path);
}

/* Whether the process that has renamed a file is known to be alive. */
static bool is_alive(int dir_fd, const char *aside)
{
	int fd = openat(dir_fd, aside,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				O_CLOEXEC);
	bool is_locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 &&
			 errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return is_locked;
}

static void give_back(int dir_fd, const char *aside)
{
	const char *found;
	size_t nbytes = find_name(aside, &found);
	char *name = nbytes > 0 ? strndup(found, nbytes) : NULL;
	struct stat a, b;

	if (name && !is_alive(dir_fd, aside) &&
	    nc3z_rename_new(dir_fd, aside, name) != 0 && errno == EEXIST) {
		if (fstatat(dir_fd, aside, &a, AT_SYMLINK_NOFOLLOW) == 0 &&
		    fstatat(dir_fd, name, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
		    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
			(void)!unlinkat(dir_fd, aside, 0);
		else
			message_warning(aside,
					"was %s when a run was killed that "
					"was about to remove it, and there is "
					"another %s now: delete or rename one "
					"of them",
					name, name);
	}
	free(name);
}

void removal_recover(struct removal_name beside)
{
	size_t nbytes = (size_t)(last_part(beside.path) - beside.path);
	char *path = nbytes > 0 ? strndup(beside.path, nbytes) : strdup(".");
	int fd = path ? openat(beside.dir_fd, path,
			       O_RDONLY | O_DIRECTORY | O_CLOEXEC) :
			-1;
	DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	struct stat stat;

	free(path);
	if (directory && fstat(fd, &stat) == 0 && places_claim(&stat, BEGIN))
		while ((entry = readdir(directory)))
			give_back(fd, entry->d_name);
	if (directory)
		closedir(directory);
	else if (fd >= 0)
		close(fd);
}
