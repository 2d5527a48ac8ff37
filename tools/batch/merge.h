/* SPDX-License-Identifier: MIT */
/* One archive of several files, which are read side by side. */
#ifndef NC3Z_TOOLS_BATCH_MERGE_H
#define NC3Z_TOOLS_BATCH_MERGE_H

#include "batch/input.h"
#include "common/progress.h"
#include "nc3z_tools.h"

struct merge {
	const struct settings *settings;
	int count;
	char **names;
	char **tars; /* of names that are members of one, its own; or NULL */
	struct input *files;
	struct nc3z_source **sources;
	struct nc3z_sink *out; /* the settings' output */
	struct progress progress;
	struct nc3z_error err;
};

/*
 * Opens all inputs, which may be members of tars, and the output, with the
 * attributes of the first; nobody can read it who could not read one of them.
 * 'make' writes and commits it.
 */
enum exit_status merge_run(const struct settings *settings, int count,
			   char **names,
			   enum exit_status (*make)(struct merge *m));

/* Says the library's error, and turns it into an exit status. */
enum exit_status merge_fail(const struct merge *m, const char *file);

#endif
