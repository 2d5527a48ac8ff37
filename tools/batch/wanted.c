/* SPDX-License-Identifier: MIT */
/*
 * Patterns and paths are compared name by name, so that "./run/", "run" and
 * "//run" are the same, and "**" can stand for any number of names.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "batch/wanted.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "batch/action.h"

void wanted_root_init(struct wanted_root *root, const char *path)
{
	const char *here = getenv("PWD");
	struct stat named, is;
	size_t nbytes;

	*root = (struct wanted_root){ .real = realpath(path, NULL) };
	/* The path that the shell puts into patterns. */
	if (path[0] == '/' || !here || here[0] != '/' ||
	    stat(here, &named) != 0 || stat(".", &is) != 0 ||
	    named.st_dev != is.st_dev || named.st_ino != is.st_ino)
		return;
	nbytes = strlen(here) + strlen(path) + 2;
	root->with_links = malloc(nbytes);
	if (!root->with_links)
		message_out_of_memory();
	snprintf(root->with_links, nbytes, "%s/%s", here, path);
}

void wanted_root_release(struct wanted_root *root)
{
	free(root->real);
	free(root->with_links);
}

/* The names of a path, each ended by a NUL; "" and "." are none. */
struct names {
	char *text; /* from malloc() */
	size_t count;
};

static const char *next_name(const char *name)
{
	return name + strlen(name) + 1;
}

/* Of two paths, as if they were joined; the first may be empty. */
static struct names split_path(const char *above, const char *below)
{
	const char *parts[] = { above, below };
	struct names names = {
		.text = malloc(strlen(above) + strlen(below) + 2),
	};
	char *to = names.text;

	if (!names.text)
		message_out_of_memory();
	for (int i = 0; i < 2; i++)
		for (const char *at = parts[i]; *at;) {
			size_t n = strcspn(at, "/");

			if (n > 1 || (n == 1 && *at != '.')) {
				memcpy(to, at, n);
				to[n] = '\0';
				to += n + 1;
				names.count++;
			}
			at += n + (at[n] == '/');
		}
	return names;
}

/*
 * Whether a pattern matches the first 'npath' names of a path.  It begins
 * anywhere in the path if it 'floats', as after "**".
 */
static bool match_names(const struct names *of, const struct names *in,
			size_t npath, bool floats)
{
	const char *pattern = of->text, *path = in->text;
	/* From where on to try again, one name further in the path. */
	const char *after = floats ? pattern : NULL, *from = path;
	size_t npattern = of->count, nafter = npattern, nfrom = npath;

	while (npath > 0) {
		if (npattern > 0 && strcmp(pattern, "**") == 0) {
			pattern = after = next_name(pattern);
			nafter = --npattern;
			from = path;
			nfrom = npath;
			if (npattern == 0)
				return true;
		} else if (npattern > 0 && fnmatch(pattern, path, 0) == 0) {
			pattern = next_name(pattern);
			npattern--;
			path = next_name(path);
			npath--;
		} else if (after) {
			pattern = after;
			npattern = nafter;
			path = from = next_name(from);
			npath = --nfrom;
		} else {
			return false;
		}
	}
	return npattern == 0;
}

/* A pattern with a slash at its end is for directories, and all in them. */
static bool match_path(const char *pattern, const char *above,
		       const char *below, bool is_directory)
{
	size_t last = strlen(pattern) - 1, slash = strcspn(pattern, "/");
	struct names of = split_path("", pattern),
		     in = split_path(above, below);
	bool found;

	if (pattern[last] != '/') {
		found = match_names(&of, &in, in.count, slash > last);
	} else {
		found = false;
		for (size_t n = 1; n + !is_directory <= in.count; n++)
			found = found ||
				match_names(&of, &in, n, slash == last);
	}
	free(of.text);
	free(in.text);
	return found;
}

/* What was found: by its path, below the directory that was named. */
struct wanted_path {
	const struct wanted_root *root; /* or NULL */
	const char *path;
	size_t from_root;
	bool is_directory;
};

/*
 * A pattern without a slash is for names; one with a slash is for the path
 * below the directory, or with its name, or from / on.
 */
static bool matches(const char *pattern, const struct wanted_path *f)
{
	const char *below = f->path + f->from_root;
	size_t slash = strcspn(pattern, "/");

	if (match_path(pattern, "", below, f->is_directory))
		return true;
	if (!f->root || !pattern[slash] || !pattern[slash + 1])
		return false;
	if (pattern[0] != '/' || f->path[0] == '/')
		if (match_path(pattern, "", f->path, f->is_directory))
			return true;
	if (pattern[0] != '/')
		return false;
	return (f->root->real &&
		match_path(pattern, f->root->real, below, f->is_directory)) ||
	       (f->root->with_links && match_path(pattern, f->root->with_links,
						  below, f->is_directory));
}

/* All are tried: each that matches is marked. */
static bool match_any(const struct settings_list *patterns,
		      const struct wanted_path *found)
{
	bool any = false;

	for (size_t i = 0; i < patterns->count; i++)
		if (matches(patterns->list[i], found))
			any = patterns->matched[i] = true;
	return any;
}

static bool is_wanted(const struct settings *s, const struct wanted_path *found)
{
	bool excluded = match_any(&s->exclude, found);
	bool included = match_any(&s->include, found);

	return !excluded &&
	       (found->is_directory || s->include.count == 0 || included);
}

bool wanted_by_name(const struct settings *settings,
		    const struct wanted_root *root, const char *path,
		    size_t from_root, bool is_directory)
{
	const struct wanted_path found = { root, path, from_root,
					   is_directory };

	return is_wanted(settings, &found);
}

/* No directory that is left out is entered, so neither is one above it. */
bool wanted_member(const struct settings *settings, const char *name)
{
	const struct wanted_path found = { .path = name };
	bool wanted = is_wanted(settings, &found);
	char *above = strdup(name), *slash;

	if (!above)
		message_out_of_memory();
	while (wanted && (slash = strrchr(above, '/')) && slash != above) {
		const struct wanted_path directory = {
			.path = above,
			.is_directory = true,
		};

		*slash = '\0';
		wanted = is_wanted(settings, &directory);
	}
	free(above);
	return wanted;
}

static enum exit_status check_patterns(const struct settings *s,
				       const char *option,
				       const struct settings_list *patterns)
{
	enum exit_status status = EXIT_DONE;

	for (size_t i = 0; i < patterns->count; i++) {
		if (patterns->matched[i])
			continue;
		status = EXIT_WARNED;
		if (!s->quiet)
			message_warning(NULL, "%s=%s: nothing matches this",
					option, patterns->list[i]);
	}
	return status;
}

enum exit_status wanted_check_patterns(const struct settings *settings)
{
	enum exit_status status =
		check_patterns(settings, "--exclude", &settings->exclude);

	return exit_worse(check_patterns(settings, "--include",
					 &settings->include),
			  status);
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

/*
 * A file that was moved to tape keeps its size, and no block of its data or a
 * few: Lustre counts 1, others as many as its stub takes.  Less than a
 * thousandth is neither a compressing file system's doing, but for zeros, nor a
 * sparse file's with data in it; up to 64 KiB, a file may lie in its inode.
 * Whatever is taken for one by mistake takes no room that packing could save.
 */
bool wanted_online(const struct settings *settings, const struct stat *stat)
{
	return settings->action->takes != TAKES_CLASSIC || settings->offline ||
	       stat->st_size <= 65536 ||
	       (stat->st_blocks > 1 &&
		stat->st_blocks * 512 >= stat->st_size / 1000);
}
