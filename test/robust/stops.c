/* SPDX-License-Identifier: MIT */
/*
 * A library to preload: before one call of the system the program stops, and
 * something else happens.
 *
 *	NC3Z_STOP="CALL NUMBER" NC3Z_STOP_RUN="commands of a shell"
 *
 * Before call number NUMBER (from 0) of the kind CALL (see 'names' below) the
 * commands run to their end; the program is their $PPID.  For the kind "open"
 * only calls with the name NC3Z_STOP_NAME, without directories, count.
 * NC3Z_STOP_NAMED=1: there are no unnamed files.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum call {
	CALL_OPEN,
	CALL_SYNC,
	CALL_WRITE,
	CALL_UNLINK,
	CALL_RENAME,
	CALLS
};

static const char *const names[CALLS] = { "open", "sync", "write", "unlink",
					  "rename" };

static enum call wanted = CALLS;
static long number;
static atomic_long count;
static bool has_no_unnamed;

__attribute__((constructor)) static void configure(void)
{
	const char *text = getenv("NC3Z_STOP");
	char call[16];

	has_no_unnamed = getenv("NC3Z_STOP_NAMED") != NULL;
	if (!text || sscanf(text, "%15s %ld", call, &number) != 2)
		return;
	for (int i = 0; i < CALLS; i++)
		if (strcmp(names[i], call) == 0)
			wanted = (enum call)i;
}

/* Calls the function of that name and type that comes after this library. */
#define NEXT(type, name) ((__typeof__(type) *)dlsym(RTLD_NEXT, name))

static void run_commands(void)
{
	static char shell[] = "sh", option[] = "-c";
	char *const argv[] = { shell, option, getenv("NC3Z_STOP_RUN"), NULL };
	posix_spawnattr_t attributes;
	sigset_t none;
	int status;
	pid_t pid;

	unsetenv("LD_PRELOAD");
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	if (posix_spawn(&pid, "/bin/sh", NULL, &attributes, argv, environ) != 0)
		abort();
	while (waitpid(pid, &status, 0) != pid)
		if (errno != EINTR)
			abort();
	posix_spawnattr_destroy(&attributes);
}

static void stop(enum call call)
{
	int before = errno;

	if (call == wanted && atomic_fetch_add(&count, 1) == number)
		run_commands();
	errno = before;
}

static bool open_is_refused(const char *path, int flags)
{
	const char *name = getenv("NC3Z_STOP_NAME");
	const char *slash = strrchr(path, '/');

	if (name && strcmp(slash ? slash + 1 : path, name) == 0)
		stop(CALL_OPEN);
	if (!has_no_unnamed || (flags & O_TMPFILE) != O_TMPFILE)
		return false;
	errno = EOPNOTSUPP;
	return true;
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_is_refused(path, flags) ?
		       -1 :
		       NEXT(open64, "open64")(path, flags, mode);
}

int openat64(int fd, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_is_refused(path, flags) ?
		       -1 :
		       NEXT(openat64, "openat64")(fd, path, flags, mode);
}

int fsync(int fd)
{
	stop(CALL_SYNC);
	return NEXT(fsync, "fsync")(fd);
}

ssize_t pwrite64(int fd, const void *data, size_t nbytes, off64_t offset)
{
	stop(CALL_WRITE);
	return NEXT(pwrite64, "pwrite64")(fd, data, nbytes, offset);
}

int unlink(const char *path)
{
	stop(CALL_UNLINK);
	return NEXT(unlink, "unlink")(path);
}

int unlinkat(int fd, const char *path, int flags)
{
	stop(CALL_UNLINK);
	return NEXT(unlinkat, "unlinkat")(fd, path, flags);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	stop(CALL_RENAME);
	return NEXT(renameat, "renameat")(from_fd, from, to_fd, to);
}
