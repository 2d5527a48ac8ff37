/* SPDX-License-Identifier: MIT */
/* Inputs of which one archive is made. */
#ifndef NC3Z_TOOLS_BATCH_INPUT_LIST_H
#define NC3Z_TOOLS_BATCH_INPUT_LIST_H

#include "batch/input.h"
#include "nc3z_tools.h"

/* Files that are read side by side. */
struct input_list {
	int count;
	char **names;
	char **tars; /* of names that are members of one, its own; or NULL */
	struct input *files;
	struct nc3z_source **sources;
};

/* False if out of memory; to be closed in any case. */
bool inputs_init(struct input_list *list, int count, char **names);

/*
 * Opens one of them, which may be a member of a tar, and its source.  It must
 * not be the output, a path.  A status of the library.
 */
int inputs_open(struct input_list *list, int number, const char *output,
		struct nc3z_error *err);

/*
 * Opens the output for what is made of all of them, with the attributes of the
 * first; nobody can read it who could not read one of them.  A status of the
 * library; on failure it may have to be closed.
 */
int inputs_open_sink(const struct input_list *list, const char *output,
		     bool replaces, struct nc3z_sink **sink_ret,
		     struct nc3z_error *err);

void inputs_close(struct input_list *list);

#endif
