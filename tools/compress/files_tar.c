/* SPDX-License-Identifier: MIT */
/*
 * Members of tars.  Of a tar that is named as a whole those are taken that have
 * the suffix of archives.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/suffix.h"
#include "compress/files.h"
#include "nc3z_tools.h"

/* A tar that was named, and stays open while its members are read. */
struct file_tar {
	struct file_tar *next;
	struct nc3z_tar *tar;
};

bool files_can_be_read(const struct settings *s)
{
	return s->action == ACTION_RESTORE || s->action == ACTION_TEST ||
	       s->action == ACTION_LIST || s->action == ACTION_MANIFEST;
}

bool files_is_tar(const struct settings *s, const char *path)
{
	static const char suffix[] = ".tar";
	const size_t n = sizeof(suffix) - 1;
	size_t end = nc3z_is_url(path) ? strcspn(path, "?#") : strlen(path);

	return files_can_be_read(s) && end > n && path[end - n - 1] != '/' &&
	       memcmp(path + end - n, suffix, n) == 0;
}

static enum exit_status fail(const char *name, const struct nc3z_error *err)
{
	message_error(name, "%s", err->text);
	return exit_of_error(err);
}

static enum exit_status open_tar(struct file_names *names, const char *path,
				 const char *name, struct nc3z_tar **tar_ret)
{
	struct file_tar *t = malloc(sizeof(*t));
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;

	if (!t)
		message_out_of_memory();
	t->next = names->tars;
	if (nc3z_source_open_name(path, 0, &source, &err) != NC3Z_OK) {
		free(t);
		return fail(name, &err);
	}
	if (nc3z_tar_open(source, &t->tar, &err) != NC3Z_OK) {
		nc3z_source_close(source);
		free(t);
		return fail(name, &err);
	}
	names->tars = t;
	*tar_ret = t->tar;
	return EXIT_DONE;
}

static enum exit_status add_member(struct file_names *names, const char *name,
				   struct nc3z_tar *tar, size_t number,
				   const struct nc3z_tar_member *member)
{
	size_t nbytes = strlen(name) + strlen(member->name) + 3;
	struct file_name file = {
		.path = malloc(nbytes),
		.member = strdup(member->name),
		.nbytes = member->nbytes,
		.tar = tar,
		.number = number,
	};

	if (!file.path || !file.member)
		message_out_of_memory();
	snprintf(file.path, nbytes, "%s//%s", name, member->name);
	return files_add(names, file);
}

static enum exit_status add_members(struct file_names *names,
				    const struct settings *s, const char *name,
				    struct nc3z_tar *tar)
{
	enum exit_status status = EXIT_DONE, one;
	struct nc3z_tar_member member;
	bool has_archives = false;

	for (size_t i = 0; i < nc3z_tar_nmembers(tar); i++) {
		nc3z_tar_inq_member(tar, i, &member, NULL);
		if (!file_has_suffix(member.name, s->suffix))
			continue;
		has_archives = true;
		one = add_member(names, name, tar, i, &member);
		status = exit_worse(one, status);
	}
	if (has_archives)
		return status;
	message_error(name, "no file in this tar has the suffix of an archive");
	return EXIT_FAILED;
}

enum exit_status files_enter_tar(struct file_names *names,
				 const struct settings *s, const char *path)
{
	char *name = message_name(path);
	struct nc3z_tar *tar;
	enum exit_status status = open_tar(names, path, name, &tar);

	if (status == EXIT_DONE)
		status = add_members(names, s, name, tar);
	free(name);
	return status;
}

void files_close_tars(struct file_names *names)
{
	struct file_tar *tar = names->tars, *next;

	for (; tar; tar = next) {
		next = tar->next;
		nc3z_tar_close(tar->tar);
		free(tar);
	}
	names->tars = NULL;
}
