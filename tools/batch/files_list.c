/* SPDX-License-Identifier: MIT */
/*
 * A list of names: "ROOT/./REST" says that REST was found in or below ROOT.
 * Nobody wants a link to be followed that has come into REST since; before the
 * mark, and in all other names, links may be there on purpose.
 */
#define _GNU_SOURCE /* AT_SYMLINK_NOFOLLOW */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch/files.h"
#include "batch/name_list.h"
#include "batch/passed.h"
#include "batch/removal.h"

#define MARK "/./"

bool files_is_below(const char *name)
{
	size_t n;

	for (; *name; name += n + (name[n] == '/')) {
		n = strcspn(name, "/");
		if (n == 0 || (name[0] == '.' && n <= 2 && name[n - 1] == '.'))
			return false;
	}
	return true;
}

/* The root of so many bytes; most names have that of the one before. */
static const struct file_root *root_of(struct file_names *names,
				       const char *name, size_t nbytes)
{
	const struct file_root *root = names->roots;
	char *path;
	struct stat found;
	bool is_there;

	while (root && (strlen(root->path) != nbytes ||
			memcmp(root->path, name, nbytes) != 0))
		root = root->next;
	if (root)
		return root;
	path = strndup(name, nbytes);
	is_there = path && stat(path, &found) == 0;
	if (!is_there)
		message_error(name, "cannot open: %s", strerror(errno));
	free(path);
	return is_there ? files_add_root(names, name, nbytes, &found) : NULL;
}

/* What has the name; mode 0 if nothing has, which opening it will tell. */
static struct stat look_at_file(const struct file_name *file, bool recovers)
{
	const char *entry;
	struct stat found = { 0 };
	int fd = files_open_dir(file, &entry), flags = AT_SYMLINK_NOFOLLOW;

	if (fd >= 0 && fstatat(fd, entry, &found, flags) != 0 && recovers) {
		removal_recover((struct removal_name){ fd, entry });
		(void)!fstatat(fd, entry, &found, flags);
	}
	if (fd >= 0)
		close(fd);
	return found;
}

static enum exit_status add_marked(struct file_names *names,
				   const struct settings *s, const char *name,
				   size_t root_nbytes)
{
	struct file_name file = {
		.root = root_of(names, name, root_nbytes),
		.path = strdup(name),
		.from_root = root_nbytes + strlen(MARK) - 1,
		.is_listed = true,
	};
	enum exit_status status = file.root ? EXIT_DONE : EXIT_FAILED;
	struct stat found = { 0 };

	if (!file.path)
		message_out_of_memory();
	if (file.root)
		found = look_at_file(&file, s->remove);
	file.nbytes = (uint64_t)found.st_size;
	if (file.root && S_ISDIR(found.st_mode) && s->recursive) {
		status = files_enter(names, s, &file);
	} else if (found.st_mode != 0 && !wanted_by_age(s, &found)) {
		passed_over(s, name, PASSED_NEW, NULL);
	} else if (file.root) {
		files_add(names, file);
		return EXIT_DONE;
	}
	free(file.path);
	return status;
}

static enum exit_status add_name(struct file_names *names,
				 const struct settings *s, const char *name)
{
	const char *mark = strstr(name, MARK);
	const char *rest = mark ? mark + strlen(MARK) : NULL;

	if (!mark)
		return files_add_operand(names, s, name);
	if (*rest && files_is_below(rest))
		return add_marked(names, s, name, (size_t)(mark - name) + 1);
	message_error(name,
		      "after " MARK " comes a name without empty parts, . "
		      "and ..");
	return EXIT_FAILED;
}

enum exit_status files_add_list(struct file_names *names,
				const struct settings *settings)
{
	enum exit_status status = EXIT_DONE;
	struct name_list list;

	if (!name_list_read(&list, settings->files0_from))
		return EXIT_FAILED;
	for (const char *name = list.text; name < list.text + list.nbytes;
	     name += strlen(name) + 1)
		status = exit_worse(add_name(names, settings, name), status);
	free(list.text);
	return status;
}
