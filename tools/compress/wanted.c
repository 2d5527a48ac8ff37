/* SPDX-License-Identifier: MIT */
#include "compress/wanted.h"

#include <fnmatch.h>
#include <string.h>
#include <time.h>

/*
 * A pattern without a slash is for the last part of a path, one with a slash
 * for all of it; in neither does '*' match a slash, in both a leading period.
 */
static bool matches(const char *pattern, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!strchr(pattern, '/') && slash)
		path = slash + 1;
	return fnmatch(pattern, path, FNM_PATHNAME) == 0;
}

static bool match_any(const struct settings_list *patterns, const char *path)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (matches(patterns->list[i], path))
			return true;
	return false;
}

bool wanted_by_name(const struct settings *settings, const char *path,
		    bool is_directory)
{
	if (match_any(&settings->exclude, path))
		return false;
	return is_directory || settings->include.count == 0 ||
	       match_any(&settings->include, path);
}

bool wanted_by_age(const struct settings *settings, const struct stat *stat)
{
	struct timespec now;

	if (settings->older_seconds == 0)
		return true;
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec - stat->st_mtim.tv_sec >=
	       (time_t)settings->older_seconds;
}
