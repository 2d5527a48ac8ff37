/* SPDX-License-Identifier: MIT */
/*
 * An input file: opened once, and then looked at by its descriptor.  Its name
 * matters again only when the output gets its own or the input is removed: by
 * then it must still be the name of the file that was read.
 */
#ifndef NC3Z_TOOLS_BATCH_INPUT_H
#define NC3Z_TOOLS_BATCH_INPUT_H

#include <sys/stat.h>

#include "batch/files.h"

/* Of a pipe where what is in it is read here and there. */
#define INPUT_NEEDS_FILE "is a pipe: write what it holds to a file first"

/* Of what --rm cannot remove. */
#define INPUT_NOT_REMOVED \
	"--rm goes from one file to another: leave it out with pipes, URLs " \
	"and members of tars"

struct input {
	int dir_fd; /* where 'name' begins; AT_FDCWD if it was not found */
	const char *name; /* from there; the file_name's */
	int fd;           /* -1: none */
	struct stat stat; /* when it was opened, or last proven the same */
};

enum input_state {
	INPUT_SAME,
	INPUT_TOUCHED,  /* bytes are the same if the system's times are right */
	INPUT_CHANGED,  /* it was written to */
	INPUT_REPLACED, /* another file has its name */
	INPUT_RENAMED,  /* none has, but it exists */
	INPUT_GONE,     /* it has no name any more */
};

/* Whether these are of one file. */
static inline bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* An input that is not open. */
void input_init(struct input *input);

/*
 * Opens a regular file, or a pipe that was named: one that was found in a
 * directory only from there, and no link.  Does not wait for anybody.  A status
 * of the library.
 */
int input_open(struct input *input, const struct file_name *file,
	       struct nc3z_error *err);

/* Whether it is a pipe, of which nothing can be read before input_wait(). */
static inline bool input_is_pipe(const struct input *input)
{
	return S_ISFIFO(input->stat.st_mode);
}

/* Waits for whoever writes to a pipe; from then on reading waits, too. */
int input_wait(const struct input *input, struct nc3z_error *err);

void input_close(struct input *input);

/* Compares it with 'stat'. */
enum input_state input_look(const struct input *input);

/*
 * Of what is open; FUSE, which keeps times and links by names, is to ask for
 * them.
 */
bool input_stat_anew(int fd, struct stat *stat_ret);

/* Whether it begins as HDF5 files do. */
bool input_is_hdf5(const struct input *input);

/* Whether nobody has written to it since, as size and time tell. */
bool input_has_bytes(const struct input *input);

/* Whether a status is the one that the file has now. */
bool input_has_stat(const struct input *input, const struct stat *stat);

/*
 * Whether somebody is known to have it open for writing.  If not, and if the
 * system can do that, whoever wants to has to wait until input_let_go().
 */
bool input_is_written(const struct input *input);
void input_let_go(const struct input *input);

/*
 * Restores the original of an archive or an exact netCDF-4 file; with NULL for
 * 'out', only checks that it comes back.  A status of the library.
 */
static inline int input_restore(struct nc3z_source *in, struct nc3z_sink *out,
				const struct nc3z_restore_options *options,
				struct nc3z_summary *summary_ret,
				struct nc3z_error *err)
{
	if (nc3z_source_is_hdf5(in))
		return nc3z_restore_netcdf4(in, out, options, summary_ret, err);
	return out ? nc3z_restore(in, out, options, summary_ret, err) :
		     nc3z_verify(in, options, summary_ret, err);
}

/* The same for what its tail says. */
static inline int input_summarize(struct nc3z_source *in,
				  struct nc3z_summary *summary_ret,
				  struct nc3z_error *err)
{
	return nc3z_source_is_hdf5(in) ?
		       nc3z_summarize_netcdf4(in, summary_ret, err) :
		       nc3z_summarize(in, summary_ret, err);
}

/* Says why an input is not taken; 'status'. */
int input_refuse(struct nc3z_error *err, int status, const char *text);

#endif
