/* SPDX-License-Identifier: MIT */
#include "tar/tar_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/sizes.h"
#include "tar/tar_header.h"

static const char first_line[] = "nc3z-tar-index 1 ";

static int refuse_index(struct nc3z_error *err)
{
	return error_set(err, NC3Z_EDAMAGED, "the index of the tar is invalid");
}

/* The rest of a line, without its end. */
static bool take_name(struct cursor *c, const uint8_t **name_ret,
		      size_t *nbytes_ret)
{
	const uint8_t *name = c->data + c->position;
	const uint8_t *end =
		cursor_left(c) > 0 ? memchr(name, '\n', cursor_left(c)) : NULL;

	if (!end || end == name)
		return false;
	*name_ret = name;
	*nbytes_ret = (size_t)(end - name);
	cursor_take(c, *nbytes_ret + 1);
	return !memchr(name, '\0', *nbytes_ret);
}

/* "HEAD SIZE NAME", of the member that begins at '*offset'. */
static int take_line(struct cursor *c, uint64_t *offset,
		     struct tar_members *members, struct nc3z_error *err)
{
	struct tar_member member = {
		.header_offset = *offset,
		.is_unseen = true,
	};
	const uint8_t *name;
	size_t name_nbytes;
	uint64_t head;
	char *text;

	if (!cursor_decimal(c, ' ', &head) ||
	    !cursor_decimal(c, ' ', &member.nbytes) ||
	    !take_name(c, &name, &name_nbytes) || head == 0 ||
	    head % TAR_BLOCK_NBYTES != 0 ||
	    !size_add(head, member.nbytes, &member.region_nbytes) ||
	    !size_add(*offset, member.region_nbytes, offset) ||
	    !size_add(*offset, -*offset % TAR_BLOCK_NBYTES, offset))
		return refuse_index(err);
	text = strndup((const char *)name, name_nbytes);
	member.name = text ? strdup(tar_plain_name(text)) : NULL;
	free(text);
	return tar_members_add(members, &member, err);
}

int tar_index_parse(const uint8_t *text, size_t text_nbytes, uint64_t base,
		    struct tar_members *members, uint64_t *end_ret,
		    struct nc3z_error *err)
{
	const size_t n = sizeof(first_line) - 1;
	uint64_t offset = base;
	struct cursor c;
	const uint8_t *first;
	int status = NC3Z_OK;

	cursor_init(&c, text, text_nbytes);
	first = cursor_take(&c, n);
	if (!first || memcmp(first, first_line, n) != 0 ||
	    !cursor_decimal(&c, '\n', end_ret) ||
	    !size_add(*end_ret, base, end_ret))
		return refuse_index(err);
	while (status == NC3Z_OK && cursor_left(&c) > 0)
		status = take_line(&c, &offset, members, err);
	if (status == NC3Z_OK && offset != *end_ret)
		status = refuse_index(err);
	if (status != NC3Z_OK)
		tar_members_release(members);
	return status;
}
