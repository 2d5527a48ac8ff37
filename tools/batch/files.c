/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* AT_SYMLINK_NOFOLLOW */
#include "batch/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/suffix.h"
#include "batch/action.h"
#include "batch/files_kind.h"
#include "batch/passed.h"
#include "batch/removal.h"
#include "batch/wanted.h"

void files_add(struct file_names *names, struct file_name file)
{
	if (!file.path)
		message_out_of_memory();
	if (names->count == names->capacity) {
		names->capacity = 2 * names->capacity + 16;
		names->list = realloc(names->list,
				      names->capacity * sizeof(*names->list));
		if (!names->list)
			message_out_of_memory();
	}
	names->list[names->count++] = file;
}

void files_release(struct file_names *names)
{
	struct file_root *root = names->roots, *next;

	for (size_t i = 0; i < names->count; i++) {
		free(names->list[i].path);
		free(names->list[i].member);
	}
	files_close_tars(names);
	free(names->list);
	for (; root; root = next) {
		next = root->next;
		wanted_root_release(&root->wanted);
		free(root);
	}
	*names = (struct file_names){ 0 };
}

/* The names being collected, and how. */
struct collection {
	struct file_names *names;
	const struct settings *settings;
	const struct file_root *root;
};

/* The entries of a directory, as they are when it is read. */
struct entries {
	char **names;
	struct stat *stats; /* mode 0: could not be read */
	size_t count;
	size_t capacity;
};

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_name(struct entries *e, const char *name)
{
	if (e->count == e->capacity) {
		e->capacity = 2 * e->capacity + 16;
		e->names = realloc((void *)e->names,
				   e->capacity * sizeof(*e->names));
	}
	if (!e->names || !(e->names[e->count++] = strdup(name)))
		message_out_of_memory();
}

/* All names, in the order of their bytes; with errno if that fails. */
static bool read_names(struct entries *e, DIR *directory)
{
	const struct dirent *entry;

	while (errno = 0, (entry = readdir(directory)))
		if (!is_dot(entry->d_name))
			add_name(e, entry->d_name);
	if (errno != 0)
		return false;
	if (e->count > 0)
		qsort((void *)e->names, e->count, sizeof(*e->names), by_name);
	return true;
}

/* The path of an entry, from malloc(). */
static char *join_path(const char *directory, const char *name)
{
	bool has_slash = directory[0] &&
			 directory[strlen(directory) - 1] == '/';
	size_t size = strlen(directory) + strlen(name) + 2;
	char *path = malloc(size);

	if (!path)
		message_out_of_memory();
	snprintf(path, size, "%s%s%s", directory, has_slash ? "" : "/", name);
	return path;
}

static enum exit_status stat_entries(struct entries *e, int fd,
				     const char *directory)
{
	enum exit_status status = EXIT_DONE;

	e->stats = calloc(e->count + 1, sizeof(*e->stats));
	if (!e->stats)
		message_out_of_memory();
	for (size_t i = 0; i < e->count; i++) {
		const char *name = e->names[i];
		char *path;

		if (fstatat(fd, name, &e->stats[i], AT_SYMLINK_NOFOLLOW) == 0)
			continue;
		e->stats[i].st_mode = 0;
		/* Another run may have removed it. */
		if (errno == ENOENT)
			continue;
		path = join_path(directory, name);
		message_error(path, "cannot read: %s", strerror(errno));
		free(path);
		status = EXIT_FAILED;
	}
	return status;
}

/* Who was killed may have been about to remove files, here or there. */
static void recover(const struct settings *s, int dir_fd, const char *name,
		    const char *mirrored)
{
	char *path = s->output_dir ? join_path(s->output_dir, mirrored) : NULL;

	removal_recover((struct removal_name){ dir_fd, name });
	if (s->output)
		removal_recover((struct removal_name){ AT_FDCWD, s->output });
	if (path)
		removal_recover((struct removal_name){ AT_FDCWD, path });
	free(path);
}

static enum exit_status read_entries(struct entries *e,
				     const struct collection *c,
				     const char *directory, size_t from_root)
{
	const char *below =
		strlen(directory) > from_root ? directory + from_root : "";
	int fd = files_open_below(c->root, below, strlen(below), O_RDONLY);
	DIR *opened = fd >= 0 ? fdopendir(fd) : NULL;
	char *inside = join_path(below, "");
	enum exit_status status = EXIT_FAILED;

	if (opened && c->settings->remove)
		recover(c->settings, fd, "", inside);
	free(inside);
	if (opened && read_names(e, opened))
		status = stat_entries(e, fd, directory);
	else
		message_error(directory, "cannot read directory: %s",
			      strerror(errno));
	if (opened)
		closedir(opened);
	else if (fd >= 0)
		close(fd);
	return status;
}

static void release_entries(struct entries *e)
{
	for (size_t i = 0; i < e->count; i++)
		free(e->names[i]);
	free((void *)e->names);
	free(e->stats);
}

static enum exit_status enter(const struct collection *c, const char *directory,
			      size_t from_root);

/* Takes over the path of a file that is of the kind that is looked for. */
static void add_file(const struct collection *c, char *path, size_t from_root,
		     const struct stat *stat, bool is_wanted)
{
	struct file_name file = {
		.path = path,
		.nbytes = (uint64_t)stat->st_size,
		.root = c->root,
		.from_root = from_root,
	};
	const struct settings *s = c->settings;
	enum passed_kind kind = !is_wanted              ? PASSED_PATTERN :
				!wanted_by_age(s, stat) ? PASSED_NEW :
				!wanted_online(s, stat) ? PASSED_OFFLINE :
				files_has_original(s, path, stat) ?
							  PASSED_PAIR :
							  PASSED_END;

	if (kind == PASSED_END) {
		files_add(c->names, file);
		return;
	}
	passed_over(s, path, kind, NULL);
	free(path);
}

/* What is in the way and is no file to be packed. */
static void pass(const struct settings *s, const char *path,
		 const struct stat *stat)
{
	if (S_ISREG(stat->st_mode) && file_has_suffix(path, s->suffix))
		passed_archive();
	else if (stat->st_mode != 0)
		passed_over(s, path,
			    S_ISREG(stat->st_mode) ? PASSED_TEMPORARY :
			    S_ISLNK(stat->st_mode) ? PASSED_LINK :
						     PASSED_SPECIAL,
			    NULL);
}

/* An entry of a directory.  Takes over the path. */
static enum exit_status add_entry(const struct collection *c, char *path,
				  size_t from_root, const struct stat *stat)
{
	const struct settings *s = c->settings;
	bool packs = s->action->takes == TAKES_CLASSIC;
	bool is_wanted = wanted_by_name(s, &c->root->wanted, path, from_root,
					S_ISDIR(stat->st_mode));
	enum exit_status status = EXIT_DONE;

	/* What a killed run has left is no file to pack. */
	if (S_ISREG(stat->st_mode) && files_is_input(s, path) &&
	    !file_has_suffix(path, ".nc3z-tmp")) {
		add_file(c, path, from_root, stat, is_wanted);
		return EXIT_DONE;
	}
	if (S_ISDIR(stat->st_mode)) {
		if (is_wanted)
			status = enter(c, path, from_root);
	} else if (packs) {
		pass(s, path, stat);
	}
	free(path);
	return status;
}

/*
 * 'from_root': where in 'directory' the part below the root begins, or would.
 */
static enum exit_status enter(const struct collection *c, const char *directory,
			      size_t from_root)
{
	struct entries e = { 0 };
	enum exit_status status = read_entries(&e, c, directory, from_root);

	for (size_t i = 0; e.stats && i < e.count; i++)
		status = exit_worse(add_entry(c,
					      join_path(directory, e.names[i]),
					      from_root, &e.stats[i]),
				    status);
	release_entries(&e);
	return status;
}

enum exit_status files_enter(struct file_names *names,
			     const struct settings *settings,
			     const struct file_name *directory)
{
	const struct collection c = { names, settings, directory->root };

	return enter(&c, directory->path, directory->from_root);
}

static enum exit_status enter_root(struct file_names *names,
				   const struct settings *s, const char *path,
				   const struct stat *stat)
{
	size_t nbytes = strlen(path);
	bool has_slash = nbytes > 0 && path[nbytes - 1] == '/';
	struct collection c = { names, s,
				files_add_root(names, path, nbytes, stat) };

	return enter(&c, path, nbytes + !has_slash);
}

static bool stat_operand(const struct settings *s, const char *path,
			 struct stat *stat_ret)
{
	if (stat(path, stat_ret) == 0)
		return true;
	if (s->remove && errno == ENOENT) {
		recover(s, AT_FDCWD, path, "");
		return stat(path, stat_ret) == 0;
	}
	return false;
}

enum exit_status files_add_operand(struct file_names *names,
				   const struct settings *s, const char *path)
{
	struct stat operand = { 0 };
	bool is_stdin = strcmp(path, "-") == 0;
	bool is_there = !is_stdin && stat_operand(s, path, &operand);
	bool is_directory = S_ISDIR(operand.st_mode);
	struct file_name file = { .nbytes = (uint64_t)operand.st_size };

	if (s->recursive && is_directory)
		return enter_root(names, s, path, &operand);
	if (is_there && !wanted_by_age(s, &operand)) {
		passed_over(s, path, PASSED_NEW, NULL);
		return EXIT_DONE;
	}
	if (!is_directory && files_is_tar(s, path))
		return files_enter_tar(names, s, path);
	if (!is_there && !is_stdin)
		free(nc3z_tar_split(path, &file.member));
	file.path = strdup(path);
	files_add(names, file);
	return EXIT_DONE;
}

static enum exit_status collect_names(struct file_names *names,
				      const struct settings *s, int noperands,
				      char **operands)
{
	enum exit_status status = EXIT_DONE;

	if (s->files0_from)
		status = files_add_list(names, s);
	else if (noperands == 0)
		status = files_add_operand(names, s, "-");
	for (int i = 0; i < noperands && !s->files0_from; i++)
		status = exit_worse(files_add_operand(names, s, operands[i]),
				    status);
	if (action_writes(s->action) && !s->to_stdout &&
	    (noperands > 1 || s->files0_from))
		files_drop_repeated(names);
	return status;
}

enum exit_status files_collect(struct file_names *names,
			       const struct settings *s, int noperands,
			       char **operands)
{
	enum exit_status status = collect_names(names, s, noperands, operands);

	return exit_worse(wanted_check_patterns(s), status);
}
