/* SPDX-License-Identifier: MIT */
/* Which files are taken of those that are there. */
#ifndef NC3Z_TOOLS_BATCH_WANTED_H
#define NC3Z_TOOLS_BATCH_WANTED_H

#include <sys/stat.h>

#include "common/message.h"
#include "batch/settings.h"

/* A directory that was named: its paths from / on, or NULL. */
struct wanted_root {
	char *with_links;
	char *real;
};

void wanted_root_init(struct wanted_root *root, const char *path);
void wanted_root_release(struct wanted_root *root);

/*
 * Whether --exclude and --include leave what was found in a directory that was
 * named, 'root'; in 'path' the part below that begins at 'from_root'.
 */
bool wanted_by_name(const struct settings *settings,
		    const struct wanted_root *root, const char *path,
		    size_t from_root, bool is_directory);

/* The same of a member of a tar. */
bool wanted_member(const struct settings *settings, const char *name);

/* Says which patterns have matched nothing. */
enum exit_status wanted_check_patterns(const struct settings *settings);

/* Whether a file is old enough for --older-than. */
bool wanted_by_age(const struct settings *settings, const struct stat *stat);

/*
 * Whether a file that was found to be packed has its data on the disk: to read
 * it must not recall it from tape.
 */
bool wanted_online(const struct settings *settings, const struct stat *stat);

#endif
