#define _DEFAULT_SOURCE /* scandir(), DT_DIR */
#include "compress/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool file_has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return n > m && path[n - m - 1] != '/' &&
	       strcmp(path + n - m, suffix) == 0;
}

static enum exit_status out_of_memory(void)
{
	message_error(NULL, "out of memory");
	return EXIT_FAILED;
}

static enum exit_status add(struct file_names *names, const char *path,
			    bool is_found, uint64_t nbytes)
{
	if (names->count == names->capacity) {
		size_t capacity = 2 * names->capacity + 16;
		void *grown =
			realloc(names->list, capacity * sizeof(*names->list));

		if (!grown)
			return out_of_memory();
		names->list = grown;
		names->capacity = capacity;
	}
	names->list[names->count] = (struct file_name){
		.path = strdup(path),
		.is_found = is_found,
		.nbytes = nbytes,
	};
	if (!names->list[names->count].path)
		return out_of_memory();
	names->count++;
	return EXIT_DONE;
}

void files_release(struct file_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i].path);
	free(names->list);
	*names = (struct file_names){ 0 };
}

static enum exit_status enter(struct file_names *names,
			      const struct settings *s, const char *folder);

/* An entry of a folder: archives are for restoring, others for packing. */
static enum exit_status add_entry(struct file_names *names,
				  const struct settings *s, const char *path)
{
	bool is_archive = file_has_suffix(path, s->suffix);
	struct stat entry;

	if (lstat(path, &entry) != 0) {
		message_error(path, "cannot read: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (S_ISDIR(entry.st_mode))
		return enter(names, s, path);
	/* What a killed run has left is no file to pack. */
	if (!S_ISREG(entry.st_mode) || file_has_suffix(path, ".nc3z-tmp") ||
	    is_archive != (s->action != ACTION_PACK))
		return EXIT_DONE;
	return add(names, path, true, (uint64_t)entry.st_size);
}

static int is_no_dot(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 &&
	       strcmp(entry->d_name, "..") != 0;
}

static enum exit_status enter(struct file_names *names,
			      const struct settings *s, const char *folder)
{
	bool has_slash = folder[0] && folder[strlen(folder) - 1] == '/';
	enum exit_status status = EXIT_DONE;
	struct dirent **entries;
	int n = scandir(folder, &entries, is_no_dot, alphasort);

	if (n < 0) {
		message_error(folder, "cannot read folder: %s",
			      strerror(errno));
		return EXIT_FAILED;
	}
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		size_t size = strlen(folder) + strlen(name) + 2;
		char *path = malloc(size);

		if (path) {
			snprintf(path, size, "%s%s%s", folder,
				 has_slash ? "" : "/", name);
			status = exit_worse(add_entry(names, s, path), status);
		} else {
			status = out_of_memory();
		}
		free(path);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static enum exit_status add_operand(struct file_names *names,
				    const struct settings *s, const char *path)
{
	struct stat operand;

	if (strcmp(path, "-") == 0 || stat(path, &operand) != 0)
		return add(names, path, false, 0);
	if (s->recursive && S_ISDIR(operand.st_mode))
		return enter(names, s, path);
	return add(names, path, false, (uint64_t)operand.st_size);
}

/* Names ended by NULs; the last one need not be. */
static enum exit_status add_list(struct file_names *names,
				 const struct settings *s)
{
	const char *from = s->files0_from;
	bool is_stdin = strcmp(from, "-") == 0;
	FILE *list = is_stdin ? stdin : fopen(from, "r");
	enum exit_status status = EXIT_DONE;
	char *name = NULL;
	size_t size = 0;

	if (!list) {
		message_error(from, "cannot open: %s", strerror(errno));
		return EXIT_FAILED;
	}
	while (getdelim(&name, &size, '\0', list) > 0)
		if (name[0] != '\0')
			status =
				exit_worse(add_operand(names, s, name), status);
	if (ferror(list)) {
		message_error(from, "cannot read: %s", strerror(errno));
		status = EXIT_FAILED;
	}
	free(name);
	if (!is_stdin)
		fclose(list);
	return status;
}

enum exit_status files_collect(struct file_names *names,
			       const struct settings *s, int noperands,
			       char **operands)
{
	enum exit_status status = EXIT_DONE;

	if (s->files0_from)
		return add_list(names, s);
	if (noperands == 0)
		return add(names, "-", false, 0);
	for (int i = 0; i < noperands; i++)
		status = exit_worse(add_operand(names, s, operands[i]), status);
	return status;
}
