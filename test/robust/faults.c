/* SPDX-License-Identifier: MIT */
/*
 * A library to preload: one call of the system or of the allocator fails, and
 * the program has to cope.
 *
 *	NC3Z_FAULT="CALL NUMBER HOW"
 *
 * Call number NUMBER (from 0) of the kind CALL (see 'names' below) fails: HOW is
 * an errno, or "short" for a read or write of half of what was asked for, or
 * "shrink", "grow", "touch": before a read, the file NC3Z_FAULT_PATH is cut to
 * half, gets a byte, gets another first byte.  CALL "full" is a disk that takes
 * NUMBER bytes in all and then gives HOW.
 *
 * HOW "KILL", "INT", "TERM" or "HUP": before the call the process gets that
 * signal, and the call never comes back.  CALL "any" is any of them but those
 * of the allocator.
 *
 * When it happens the file NC3Z_FAULT_DONE is made.  At the end of the program
 * the number of such calls is written to the file NC3Z_FAULT_COUNT.
 * NC3Z_FAULT_NAMED=1: there are no unnamed files.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum call {
	CALL_ALLOC,
	CALL_READ,
	CALL_WRITE,
	CALL_OPEN,
	CALL_STAT,
	CALL_SYNC,
	CALL_CLOSE,
	CALL_NAME,
	CALL_UNLINK,
	CALL_SEEK,
	CALL_TRUNCATE,
	CALL_ATTRIBUTES,
	CALL_LOCK,
	CALL_THREAD,
	CALL_FULL,
	CALL_ANY,
	CALLS
};

static const char *const names[CALLS] = {
	"alloc", "read",   "write",  "open", "stat",     "sync",
	"close", "name",   "unlink", "seek", "truncate", "attributes",
	"lock",  "thread", "full",   "any",
};

static const struct {
	const char *name;
	int number;
} signals[] = {
	{ "KILL", SIGKILL },
	{ "INT", SIGINT },
	{ "TERM", SIGTERM },
	{ "HUP", SIGHUP },
};

static enum call wanted = CALLS;
static long number;
static char how[16];
static int how_errno;
static int how_signal;
static atomic_long count;
static bool has_no_unnamed;

__attribute__((constructor)) static void configure(void)
{
	const char *text = getenv("NC3Z_FAULT");
	char call[16];

	has_no_unnamed = getenv("NC3Z_FAULT_NAMED") != NULL;
	if (!text || sscanf(text, "%15s %ld %15s", call, &number, how) != 3)
		return;
	how_errno = atoi(how);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (strcmp(signals[i].name, how) == 0)
			how_signal = signals[i].number;
	for (int i = 0; i < CALLS; i++)
		if (strcmp(names[i], call) == 0)
			wanted = (enum call)i;
}

/* Makes the file that a variable names, with that in it; past the hooks. */
static void make_file(const char *variable, const char *text)
{
	const char *path = getenv(variable);
	long fd = path ? syscall(SYS_openat, AT_FDCWD, path,
				 O_CREAT | O_WRONLY | O_TRUNC, 0600) :
			 -1;

	if (fd < 0)
		return;
	if (syscall(SYS_write, fd, text, strlen(text)) < 0)
		abort();
	syscall(SYS_close, fd);
}

static void say_done(void)
{
	make_file("NC3Z_FAULT_DONE", "");
}

__attribute__((destructor)) static void say_count(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", atomic_load(&count));
	make_file("NC3Z_FAULT_COUNT", text);
}

/* Whether it is the turn of this call; errno is then as wanted. */
static bool fails(enum call call)
{
	bool counts = call == wanted ||
		      (wanted == CALL_ANY && call != CALL_ALLOC);

	if (!counts || atomic_fetch_add(&count, 1) != number)
		return false;
	say_done();
	if (how_signal) {
		kill(getpid(), how_signal);
		for (;;)
			pause();
	}
	errno = how_errno;
	return true;
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Calls the function of that name and type that comes after this library. */
#define NEXT(type, name) ((__typeof__(type) *)next(name))

/* Allocation: glibc has its own under other names. */
void *__libc_malloc(size_t nbytes);
void *__libc_calloc(size_t n, size_t nbytes);
void *__libc_realloc(void *p, size_t nbytes);

void *malloc(size_t nbytes)
{
	return fails(CALL_ALLOC) ? NULL : __libc_malloc(nbytes);
}

void *calloc(size_t n, size_t nbytes)
{
	return fails(CALL_ALLOC) ? NULL : __libc_calloc(n, nbytes);
}

void *realloc(void *p, size_t nbytes)
{
	return fails(CALL_ALLOC) ? NULL : __libc_realloc(p, nbytes);
}

/* Changes the input, which is no failure of this call. */
static bool changes_input(void)
{
	const char *path = getenv("NC3Z_FAULT_PATH");
	struct stat s;
	int fd;

	if (how_errno != 0 || strcmp(how, "short") == 0 || !path)
		return false;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR);
	if (fd < 0 || NEXT(fstat, "fstat")(fd, &s) != 0)
		abort();
	if (strcmp(how, "shrink") == 0 &&
	    NEXT(ftruncate, "ftruncate")(fd, s.st_size / 2) != 0)
		abort();
	if (strcmp(how, "shrink") != 0 &&
	    syscall(SYS_pwrite64, fd, "?", 1,
		    strcmp(how, "grow") == 0 ? s.st_size : s.st_size - 1) != 1)
		abort();
	syscall(SYS_close, fd);
	return true;
}

static bool read_fails(size_t *nbytes)
{
	if (!fails(CALL_READ) || changes_input())
		return false;
	if (how_errno != 0)
		return true;
	*nbytes = *nbytes / 2 + (*nbytes > 0);
	return false;
}

ssize_t read(int fd, void *data, size_t nbytes)
{
	if (read_fails(&nbytes))
		return -1;
	return NEXT(read, "read")(fd, data, nbytes);
}

ssize_t pread64(int fd, void *data, size_t nbytes, off64_t offset)
{
	if (read_fails(&nbytes))
		return -1;
	return NEXT(pread64, "pread64")(fd, data, nbytes, offset);
}

/* A disk with room for some bytes only. */
static bool is_full(size_t *nbytes)
{
	long before = atomic_fetch_add(&count, (long)*nbytes);

	if (before + (long)*nbytes > number)
		say_done();
	errno = how_errno;
	if (before < number && (long)*nbytes > number - before)
		*nbytes = (size_t)(number - before);
	return before >= number;
}

static bool write_fails(int fd, size_t *nbytes)
{
	if (fd == STDERR_FILENO)
		return false;
	if (wanted == CALL_FULL && *nbytes > 0 && is_full(nbytes))
		return true;
	if (!fails(CALL_WRITE))
		return false;
	if (how_errno != 0)
		return true;
	*nbytes = *nbytes / 2 + (*nbytes > 0);
	return false;
}

ssize_t write(int fd, const void *data, size_t nbytes)
{
	return write_fails(fd, &nbytes) ?
		       -1 :
		       NEXT(write, "write")(fd, data, nbytes);
}

ssize_t pwrite64(int fd, const void *data, size_t nbytes, off64_t offset)
{
	return write_fails(fd, &nbytes) ?
		       -1 :
		       NEXT(pwrite64, "pwrite64")(fd, data, nbytes, offset);
}

static bool open_fails(int flags)
{
	if (has_no_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return true;
	}
	return fails(CALL_OPEN);
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_fails(flags) ? -1 :
				   NEXT(open64, "open64")(path, flags, mode);
}

int openat64(int dir_fd, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_fails(flags) ?
		       -1 :
		       NEXT(openat64, "openat64")(dir_fd, path, flags, mode);
}

int fstat64(int fd, struct stat64 *stat)
{
	return fails(CALL_STAT) ? -1 : NEXT(fstat64, "fstat64")(fd, stat);
}

int stat64(const char *path, struct stat64 *stat)
{
	return fails(CALL_STAT) ? -1 : NEXT(stat64, "stat64")(path, stat);
}

int lstat64(const char *path, struct stat64 *stat)
{
	return fails(CALL_STAT) ? -1 : NEXT(lstat64, "lstat64")(path, stat);
}

int fsync(int fd)
{
	return fails(CALL_SYNC) ? -1 : NEXT(fsync, "fsync")(fd);
}

/* A descriptor is closed also where that fails, as with Linux. */
int close(int fd)
{
	int result = NEXT(close, "close")(fd);

	return fails(CALL_CLOSE) ? -1 : result;
}

int link(const char *from, const char *to)
{
	return fails(CALL_NAME) ? -1 : NEXT(link, "link")(from, to);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
	return fails(CALL_NAME) ?
		       -1 :
		       NEXT(linkat, "linkat")(from_fd, from, to_fd, to, flags);
}

int rename(const char *from, const char *to)
{
	return fails(CALL_NAME) ? -1 : NEXT(rename, "rename")(from, to);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	return fails(CALL_NAME) ?
		       -1 :
		       NEXT(renameat, "renameat")(from_fd, from, to_fd, to);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to,
	      unsigned flags)
{
	return fails(CALL_NAME) ?
		       -1 :
		       NEXT(renameat2, "renameat2")(from_fd, from, to_fd, to,
						    flags);
}

int unlinkat(int fd, const char *path, int flags)
{
	return fails(CALL_UNLINK) ? -1 :
				    NEXT(unlinkat, "unlinkat")(fd, path, flags);
}

int unlink(const char *path)
{
	return fails(CALL_UNLINK) ? -1 : NEXT(unlink, "unlink")(path);
}

off64_t lseek64(int fd, off64_t offset, int whence)
{
	return fails(CALL_SEEK) ? -1 :
				  NEXT(lseek64, "lseek64")(fd, offset, whence);
}

int ftruncate64(int fd, off64_t size)
{
	return fails(CALL_TRUNCATE) ?
		       -1 :
		       NEXT(ftruncate64, "ftruncate64")(fd, size);
}

int fchmod(int fd, mode_t mode)
{
	return fails(CALL_ATTRIBUTES) ? -1 : NEXT(fchmod, "fchmod")(fd, mode);
}

int fchown(int fd, uid_t user, gid_t group)
{
	return fails(CALL_ATTRIBUTES) ? -1 :
					NEXT(fchown, "fchown")(fd, user, group);
}

int futimens(int fd, const struct timespec times[2])
{
	return fails(CALL_ATTRIBUTES) ? -1 :
					NEXT(futimens, "futimens")(fd, times);
}

int flock(int fd, int operation)
{
	return fails(CALL_LOCK) ? -1 : NEXT(flock, "flock")(fd, operation);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*run)(void *), void *argument)
{
	return fails(CALL_THREAD) ? how_errno :
				    NEXT(pthread_create, "pthread_create")(
					    thread, attributes, run, argument);
}
