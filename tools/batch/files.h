/* SPDX-License-Identifier: MIT */
/*
 * The files that a command line names: operands, directories, lists of names.
 */
#ifndef NC3Z_TOOLS_BATCH_FILES_H
#define NC3Z_TOOLS_BATCH_FILES_H

#include <sys/stat.h>

#include "common/message.h"
#include "batch/settings.h"
#include "batch/wanted.h"
#include "nc3z_tools.h"

/* A directory that was named, and all in it found. */
struct file_root {
	struct file_root *next;
	dev_t device;
	ino_t inode;
	struct wanted_root wanted;
	char path[];
};

struct file_name {
	char *path;      /* "-" is standard input */
	uint64_t nbytes; /* 0 if not known */
	/*
	 * The directory from which it is opened through no link, because it was
	 * found in or below it; NULL: it is opened as the user named it.
	 */
	const struct file_root *root;
	size_t from_root; /* where in 'path' the part below that begins */
	bool is_listed;   /* a list says where it was found */
	/* Inside a tar: the member's name, from malloc(); otherwise NULL. */
	char *member;
	struct nc3z_tar *tar; /* that was named as a whole, or NULL */
	size_t number;        /* of the member in it */
};

struct file_names {
	struct file_name *list;
	size_t count;
	size_t capacity;
	struct file_root *roots;
	struct file_tar *tars;
};

/*
 * Collects the names; directories are entered with -r, in the order of their
 * entries' names, and links in them are not followed.  Tars are entered where
 * archives are only read.  Those that cannot be read are reported, and the
 * others are collected all the same.
 */
enum exit_status files_collect(struct file_names *names,
			       const struct settings *settings, int noperands,
			       char **operands);

/* Whether this run has found it, so that nobody has named it. */
static inline bool file_was_found(const struct file_name *file)
{
	return file->root && !file->is_listed;
}

/* files_once.c: leaves each file once, where it is named first. */
void files_drop_repeated(struct file_names *names);

/*
 * files_spread.c: puts them into an order in which any number of the first ones
 * is a fair sample of the bytes of all.
 */
void files_spread(struct file_names *names);

void files_release(struct file_names *names);

/* files_root.c: a root of so many bytes of a path. */
struct file_root *files_add_root(struct file_names *names, const char *path,
				 size_t nbytes, const struct stat *stat);

/*
 * Opens the directory of so many bytes of a path below a root; none is the
 * root.  -1 with errno: ESTALE if something else has one of these names now.
 */
int files_open_below(const struct file_root *root, const char *path,
		     size_t nbytes, int flags);

/*
 * Opens the directory of a file that was found, from its root down and through
 * no link: it is one of those that were read.  '*entry_ret' is the file's name
 * in it.  A descriptor for paths to begin in, or -1 with errno: ESTALE if there
 * are others by these names now.
 */
int files_open_dir(const struct file_name *file, const char **entry_ret);

/* Takes over the path and the member's name. */
void files_add(struct file_names *names, struct file_name file);

/* A name that is to be taken as it is. */
enum exit_status files_add_operand(struct file_names *names,
				   const struct settings *settings,
				   const char *path);

/* All in a directory that a file_name with a root names. */
enum exit_status files_enter(struct file_names *names,
			     const struct settings *settings,
			     const struct file_name *directory);

/* files_list.c: the names of --files0-from. */
enum exit_status files_add_list(struct file_names *names,
				const struct settings *settings);

/* Whether a name leads nowhere but down from where it begins. */
bool files_is_below(const char *name);

/* files_tar.c: whether a name is that of a tar to be entered; its archives. */
bool files_is_tar(const struct settings *settings, const char *path);
enum exit_status files_enter_tar(struct file_names *names,
				 const struct settings *settings,
				 const char *path);

/* After they have been read: whether the indexes of tars were right. */
enum exit_status files_check_tars(const struct file_names *names,
				  const struct settings *settings);
void files_close_tars(struct file_names *names);

#endif
