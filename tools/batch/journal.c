/* SPDX-License-Identifier: MIT */
#include "batch/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/message.h"
#include "common/sync.h"

/* Seconds between two times that the lines are brought to the disk. */
#define SYNC_AFTER 5.0

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static const char *name;
static int journal = -1;
static bool is_torn; /* the last line has no end */
static bool is_dirty;
static bool is_named; /* its name is on disk for sure */
static double synced;

static bool fail_journal(const char *what)
{
	message_error(name, "%s: %s", what, strerror(errno));
	return false;
}

/*
 * Whether it begins as a journal does.  A power cut may have left zeros in
 * place of lines.
 */
static bool is_journal(const char *begin, size_t nbytes)
{
	size_t at = 0;

	while (at < nbytes && begin[at] == '\0')
		at++;
	return at == nbytes || begin[at] == '{' || begin[at] == '\n';
}

/* Nobody wants lines at the end of a data file that was named by mistake. */
static bool check_contents(void)
{
	struct stat stat;
	char begin[4096], last;
	ssize_t nbytes;

	if (fstat(journal, &stat) != 0)
		return fail_journal("cannot read");
	is_named = !S_ISREG(stat.st_mode);
	if (!S_ISREG(stat.st_mode) || stat.st_size == 0)
		return true;
	nbytes = pread(journal, begin, sizeof(begin), 0);
	if (nbytes <= 0 || pread(journal, &last, 1, stat.st_size - 1) != 1)
		return fail_journal("cannot read");
	is_torn = last != '\n';
	if (is_journal(begin, (size_t)nbytes))
		return true;
	message_error(name, "exists and is not a journal");
	return false;
}

bool journal_open(const char *path, unsigned mode)
{
	name = path;
	journal = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY,
		       (mode_t)mode);
	if (journal < 0)
		return fail_journal("cannot open");
	synced = clock_seconds();
	return check_contents();
}

static bool write_line(const char *line, size_t nbytes)
{
	ssize_t put;

	do
		put = write(journal, line, nbytes);
	while (put < 0 && errno == EINTR);
	if (put == (ssize_t)nbytes)
		return true;
	/* The next line must not go on with this one. */
	is_torn = is_torn || put > 0;
	if (put >= 0)
		errno = ENOSPC;
	return fail_journal("cannot write");
}

static bool append_line(const char *line, size_t nbytes)
{
	char *whole;
	bool ok;

	if (!is_torn)
		return write_line(line, nbytes);
	whole = malloc(nbytes + 1);
	if (!whole) {
		errno = ENOMEM;
		return fail_journal("cannot write");
	}
	whole[0] = '\n';
	memcpy(whole + 1, line, nbytes);
	is_torn = false;
	ok = write_line(whole, nbytes + 1);
	is_torn = !ok;
	free(whole);
	return ok;
}

static bool bring_to_disk(void)
{
	synced = clock_seconds();
	if (!is_dirty)
		return true;
	is_dirty = false;
	/* A pipe has no disk. */
	if (fsync(journal) != 0 && errno != EINVAL && errno != EROFS)
		return fail_journal("cannot write");
	if (!is_named && sync_directory_of(AT_FDCWD, name, journal) != 0)
		return fail_journal("cannot write");
	is_named = true;
	return true;
}

bool journal_append(const char *line, size_t nbytes)
{
	bool ok = true;

	pthread_mutex_lock(&lock);
	if (journal >= 0) {
		ok = append_line(line, nbytes);
		is_dirty = true;
		if (ok && clock_seconds() - synced >= SYNC_AFTER)
			ok = bring_to_disk();
	}
	pthread_mutex_unlock(&lock);
	return ok;
}

bool journal_sync(void)
{
	bool ok;

	pthread_mutex_lock(&lock);
	ok = journal < 0 || bring_to_disk();
	pthread_mutex_unlock(&lock);
	return ok;
}

void journal_close(void)
{
	pthread_mutex_lock(&lock);
	if (journal >= 0)
		close(journal);
	journal = -1;
	pthread_mutex_unlock(&lock);
}
