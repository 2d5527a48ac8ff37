/* SPDX-License-Identifier: MIT */
/*
 * nc3dump: one open file and what is to be printed of it.
 *
 * Every function that can fail prints its message and returns the exit status.
 */
#ifndef NC3Z_TOOLS_DUMP_DUMP_H
#define NC3Z_TOOLS_DUMP_DUMP_H

#include <stdio.h>

#include "dump/dump_settings.h"
#include "common/message.h"
#include "nc3z.h"
#include "dump/selection.h"

/* A variable that holds the bounds of another one's cells. */
struct time_bounds {
	char *name;
	int owner;
};

struct dump {
	const struct dump_settings *settings;
	FILE *to;            /* where headers, JSON and blocks are printed */
	const char *operand; /* what is opened: a path or a URL */
	char *path;          /* the same as it may be shown */
	char *original_path; /* without the suffix of archives */
	char *name;          /* of the data set */
	struct nc3z_file *file;
	int ndims;
	int nvars;
	int natts;
	int unlimdimid;
	struct selections selections;
	struct time_bounds *bounds; /* found in the header, for -t */
	size_t nbounds;
	struct nc3z_error err;
};

/* Reports the last failure, dump->err, of a variable (NULL: of none). */
enum exit_status dump_fail(const struct dump *dump, const char *variable);

enum exit_status dump_no_memory(const struct dump *dump);

/* The word for the version of the classic format. */
const char *dump_kind(const struct dump *dump);

/* A variable of the same name as a dimension, with one dimension. */
bool dump_is_coordinate(const struct dump *dump, const struct nc3z_var *var);

/* dump_contents.c: in the form that the settings say. */
enum exit_status dump_contents(struct dump *dump);

/* Its forms, each in a file of that name. */
enum exit_status dump_cdl(struct dump *dump);
enum exit_status dump_json(struct dump *dump);
enum exit_status dump_blocks(struct dump *dump);
enum exit_status dump_binary(struct dump *dump);

#endif
