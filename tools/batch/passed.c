/* SPDX-License-Identifier: MIT */
#include "batch/passed.h"

#include <pthread.h>
#include <stddef.h>

#include "common/message.h"
#include "common/suffix.h"

static const struct {
	const char *key;    /* in JSON */
	const char *reason; /* of one file */
	const char *count;  /* after a number */
} kinds[PASSED_END] = {
	[PASSED_NETCDF4] = { "netcdf4", "a netCDF-4/HDF5 file", "netCDF-4" },
	[PASSED_EMPTY] = { "empty", "is empty", "empty" },
	[PASSED_LINK] = { "link", "a symbolic link", "symbolically linked" },
	[PASSED_TEMPORARY] = { "temporary", "a temporary file", "temporary" },
	[PASSED_SPECIAL] = { "special", "not a regular file", "not regular" },
	[PASSED_OTHER] = { "other", "another format", "of other formats" },
	[PASSED_NEW] = { "new", "too new", "too new" },
	[PASSED_OFFLINE] = { "offline",
			     "not on disk; --offline recalls and packs it",
			     "offline" },
	[PASSED_PATTERN] = { "pattern", "left out by its name",
			     "left out by name" },
	[PASSED_PACKED] = { "compressed",
			    "compressed, but an archive holds only the file "
			    "inside; --rm=all packs and removes it, too",
			    "compressed" },
	[PASSED_LINKED] = { "hard_link",
			    "has other hard links; --rm=all packs and removes "
			    "it, too",
			    "hard-linked" },
	[PASSED_PAIR] = { "pair", "its original beside it is taken",
			  "archives beside their originals" },
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static size_t npassed[PASSED_END], nsuspect, narchives;

/* Whether a file has the name of a netCDF file. */
static bool is_named_netcdf(const char *path)
{
	static const char *const suffixes[] = {
		".nc",    ".cdf",    ".netcdf",  ".nc.gz",  ".cdf.gz",
		".nc.xz", ".nc.bz2", ".cdf.bz2", ".nc.zst", ".nc.Z",
	};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (file_has_suffix(path, suffixes[i]))
			return true;
	return false;
}

/* Whether files of a kind were looked into, and found not to be classic. */
static bool is_looked_into(enum passed_kind kind)
{
	return kind == PASSED_NETCDF4 || kind == PASSED_EMPTY ||
	       kind == PASSED_OTHER;
}

void passed_over(const struct settings *settings, const char *path,
		 enum passed_kind kind, const char *reason)
{
	pthread_mutex_lock(&lock);
	npassed[kind]++;
	nsuspect += is_looked_into(kind) && is_named_netcdf(path);
	pthread_mutex_unlock(&lock);
	if (settings->verbose)
		message_note(path, "skipped: %s",
			     reason ? reason : kinds[kind].reason);
}

void passed_archive(void)
{
	pthread_mutex_lock(&lock);
	narchives++;
	pthread_mutex_unlock(&lock);
}

static size_t take_counts(size_t counts[PASSED_END])
{
	size_t n = 0;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < PASSED_END; i++) {
		counts[i] = npassed[i];
		n += npassed[i];
	}
	pthread_mutex_unlock(&lock);
	return n;
}

size_t passed_count(void)
{
	size_t counts[PASSED_END];

	return take_counts(counts);
}

bool passed_any(void)
{
	size_t counts[PASSED_END];

	take_counts(counts);
	return narchives > 0 || counts[PASSED_NEW] > 0 ||
	       counts[PASSED_OFFLINE] > 0 || counts[PASSED_PACKED] > 0 ||
	       counts[PASSED_LINKED] > 0;
}

void passed_put_kinds(FILE *to)
{
	size_t counts[PASSED_END], n = take_counts(counts);
	const char *before = " (";

	for (int i = 0; i < PASSED_END; i++) {
		if (counts[i] == 0)
			continue;
		fprintf(to, "%s%zu %s", before, counts[i], kinds[i].count);
		before = ", ";
	}
	fputs(n > 0 ? ")" : "", to);
}

void passed_put_json(FILE *to)
{
	size_t counts[PASSED_END];
	const char *before = "{";

	take_counts(counts);
	for (int i = 0; i < PASSED_END; i++) {
		fprintf(to, "%s\"%s\": %zu", before, kinds[i].key, counts[i]);
		before = ", ";
	}
	fputs("}", to);
}

static void summarize(size_t n, const char *text)
{
	if (n > 0)
		message_note(NULL, "%zu file%s %s", n, n == 1 ? "" : "s", text);
}

void passed_summarize(const struct settings *settings)
{
	if (settings->quiet || settings->verbose)
		return;
	summarize(npassed[PASSED_OFFLINE],
		  "offline and left alone: --offline packs such files, too");
	summarize(npassed[PASSED_PACKED] + npassed[PASSED_LINKED],
		  "left alone: --rm=all takes compressed files and hard-linked "
		  "ones, too");
	summarize(nsuspect,
		  "named like netCDF skipped; -v shows which and why");
}
