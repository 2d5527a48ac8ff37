/* The files that a command line names: operands, folders, lists of names. */
#ifndef NC3Z_TOOLS_COMPRESS_FILES_H
#define NC3Z_TOOLS_COMPRESS_FILES_H

#include "common/message.h"
#include "compress/settings.h"

struct file_name {
	char *path;      /* "-" is standard input */
	bool is_found;   /* in a folder: the user did not name it */
	uint64_t nbytes; /* 0 if not known */
};

struct file_names {
	struct file_name *list;
	size_t count;
	size_t capacity;
};

/*
 * Collects the names; folders are entered with -r, in the order of their
 * entries' names, and links in them are not followed.  What cannot be read is
 * said, and the others are collected all the same.
 */
enum exit_status files_collect(struct file_names *names,
			       const struct settings *settings, int noperands,
			       char **operands);

void files_release(struct file_names *names);

/* Whether a name ends in a suffix, with something before it. */
bool file_has_suffix(const char *path, const char *suffix);

#endif
