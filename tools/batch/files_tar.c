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
#include "batch/action.h"
#include "batch/input.h"
#include "nc3z_tools.h"

/* A tar that was named, and stays open while its members are read. */
struct file_tar {
	struct file_tar *next;
	struct nc3z_tar *tar;
	char *name;
	size_t ntold; /* of what is wrong with it */
};

bool files_is_tar(const struct settings *s, const char *path)
{
	static const char suffix[] = ".tar";
	const size_t n = sizeof(suffix) - 1;
	size_t end = nc3z_is_url(path) ? strcspn(path, "?#") : strlen(path);

	return s->action->anywhere && end > n && path[end - n - 1] != '/' &&
	       memcmp(path + end - n, suffix, n) == 0;
}

static enum exit_status fail_tar(const char *name, const struct nc3z_error *err)
{
	message_error(name, "%s", err->text);
	return exit_of_error(err);
}

static int open_source(const char *path, struct nc3z_tar **tar_ret,
		       struct nc3z_error *err)
{
	struct nc3z_source *source;
	int status = nc3z_source_open_name(path, 0, &source, err);

	if (status != NC3Z_OK)
		return status;
	status = nc3z_tar_open(source, tar_ret, err);
	if (status != NC3Z_OK)
		nc3z_source_close(source);
	return status;
}

/* Takes over the name. */
static enum exit_status open_tar(struct file_names *names, const char *path,
				 char *name)
{
	struct file_tar *t = calloc(1, sizeof(*t));
	struct nc3z_error err = { 0 };

	if (!t)
		message_out_of_memory();
	t->name = name;
	t->next = names->tars;
	names->tars = t;
	return open_source(path, &t->tar, &err) == NC3Z_OK ?
		       EXIT_DONE :
		       fail_tar(name, &err);
}

static enum exit_status add_member(struct file_names *names,
				   const struct file_tar *tar, size_t number,
				   const struct nc3z_tar_member *member)
{
	size_t nbytes = strlen(tar->name) + strlen(member->name) + 3;
	struct file_name file = {
		.path = malloc(nbytes),
		.member = strdup(member->name),
		.nbytes = member->nbytes,
		.tar = tar->tar,
		.number = number,
	};

	if (!file.path || !file.member)
		message_out_of_memory();
	snprintf(file.path, nbytes, "%s//%s", tar->name, member->name);
	if (!member->left_out) {
		files_add(names, file);
		return EXIT_DONE;
	}
	message_warning(file.path, "%s", member->left_out);
	free(file.path);
	free(file.member);
	return EXIT_WARNED;
}

/* What is wrong with the tar that has not been told. */
static enum exit_status tell_damages(struct file_tar *tar)
{
	enum exit_status status = EXIT_DONE;
	struct nc3z_error err = { 0 };

	for (; nc3z_tar_inq_damage(tar->tar, tar->ntold, &err) != NC3Z_OK;
	     tar->ntold++)
		status = exit_worse(fail_tar(tar->name, &err), status);
	return status;
}

/* How many archives are not read. */
static enum exit_status warn(struct file_tar *tar, size_t nleft_out)
{
	if (nleft_out > 0)
		message_warning(tar->name, "%zu of its members %s left out",
				nleft_out, nleft_out == 1 ? "is" : "are");
	return tell_damages(tar);
}

static enum exit_status add_members(struct file_names *names,
				    const struct settings *s,
				    struct file_tar *tar)
{
	enum exit_status status = EXIT_DONE, one;
	struct nc3z_tar_member member;
	size_t nfound = 0, nleft_out = 0;

	for (size_t i = 0; i < nc3z_tar_nmembers(tar->tar); i++) {
		nc3z_tar_inq_member(tar->tar, i, &member, NULL);
		if (!file_has_suffix(member.name, s->suffix))
			continue;
		nfound++;
		if (!wanted_member(s, member.name))
			continue;
		nleft_out += member.left_out != NULL;
		one = add_member(names, tar, i, &member);
		status = exit_worse(one, status);
	}
	status = exit_worse(warn(tar, nleft_out), status);
	if (nfound > nleft_out)
		return status;
	message_error(tar->name,
		      nfound == 0 ? "no file in this tar has the suffix of an "
				    "archive: -S names another" :
				    "no archive in this tar can be read");
	return EXIT_FAILED;
}

enum exit_status files_enter_tar(struct file_names *names,
				 const struct settings *s, const char *path)
{
	char *name = message_name(path);
	enum exit_status status;

	if (s->remove) {
		message_error(name, INPUT_NOT_REMOVED);
		free(name);
		return EXIT_FAILED;
	}
	status = open_tar(names, path, name);
	return status == EXIT_DONE ? add_members(names, s, names->tars) :
				     status;
}

enum exit_status files_check_tars(const struct file_names *names,
				  const struct settings *s)
{
	enum exit_status status = EXIT_DONE;
	struct nc3z_error err = { 0 };

	for (struct file_tar *t = names->tars; t; t = t->next) {
		if (!t->tar)
			continue;
		if (!s->action->peeks &&
		    nc3z_tar_check_index(t->tar, &err) != NC3Z_OK &&
		    err.status != NC3Z_EDAMAGED)
			status = exit_worse(fail_tar(t->name, &err), status);
		/* Damage that was found since then is among the others. */
		if (nc3z_tar_inq_damage(t->tar, t->ntold, NULL) != NC3Z_OK)
			t->ntold = 0;
		status = exit_worse(tell_damages(t), status);
	}
	return status;
}

void files_close_tars(struct file_names *names)
{
	struct file_tar *tar = names->tars, *next;

	for (; tar; tar = next) {
		next = tar->next;
		nc3z_tar_close(tar->tar);
		free(tar->name);
		free(tar);
	}
	names->tars = NULL;
}
