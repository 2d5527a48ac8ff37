/* SPDX-License-Identifier: MIT */
#include "io/tar_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "base/sizes.h"
#include "io/tar_header.h"

static const char first_line[] = "nc3z-tar-index 1 ";

int tar_members_add(struct tar_members *members,
		    const struct tar_member *member, struct nc3z_error *err)
{
	struct tar_member *grown = NULL;

	if (member->name && members->count < UINT32_MAX)
		grown = memory_grow(members->list, members->count,
				    &members->capacity, sizeof(*grown));
	if (!grown) {
		free(member->name);
		return error_set_memory(err);
	}
	members->list = grown;
	grown[members->count] = *member;
	grown[members->count].number = (uint32_t)members->count;
	members->count++;
	return NC3Z_OK;
}

void tar_members_release(struct tar_members *members)
{
	for (size_t i = 0; i < members->count; i++)
		free(members->list[i].name);
	free(members->list);
	*members = (struct tar_members){ 0 };
}

static int refuse(struct nc3z_error *err)
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

/* "OFFSET SIZE NAME", after the members there are. */
static int take_line(struct cursor *c, uint64_t base,
		     struct tar_members *members, struct nc3z_error *err)
{
	struct tar_member member = { 0 };
	const uint8_t *name;
	size_t name_nbytes;
	char *text;

	if (!cursor_decimal(c, ' ', &member.header_offset) ||
	    !cursor_decimal(c, ' ', &member.nbytes) ||
	    !take_name(c, &name, &name_nbytes) ||
	    member.header_offset % TAR_BLOCK_NBYTES != 0 ||
	    !size_add(member.header_offset, base, &member.header_offset))
		return refuse(err);
	text = strndup((const char *)name, name_nbytes);
	member.name = text ? strdup(tar_plain_name(text)) : NULL;
	free(text);
	return tar_members_add(members, &member, err);
}

/* Members begin where the one before ends or later, and have their bytes. */
static bool set_regions(struct tar_members *members, uint64_t end)
{
	for (size_t i = members->count; i-- > 0;) {
		struct tar_member *m = &members->list[i];
		uint64_t padding = -m->nbytes % TAR_BLOCK_NBYTES, least;

		if (!size_add(m->nbytes, TAR_BLOCK_NBYTES + padding, &least) ||
		    m->header_offset >= end || end - m->header_offset < least)
			return false;
		m->region_nbytes = end - m->header_offset - padding;
		end = m->header_offset;
	}
	return true;
}

int tar_index_parse(const uint8_t *text, size_t text_nbytes, uint64_t base,
		    struct tar_members *members, uint64_t *end_ret,
		    struct nc3z_error *err)
{
	const size_t n = sizeof(first_line) - 1;
	struct cursor c;
	const uint8_t *first;
	int status = NC3Z_OK;

	cursor_init(&c, text, text_nbytes);
	first = cursor_take(&c, n);
	if (!first || memcmp(first, first_line, n) != 0 ||
	    !cursor_decimal(&c, '\n', end_ret) ||
	    *end_ret % TAR_BLOCK_NBYTES != 0 ||
	    !size_add(*end_ret, base, end_ret))
		return refuse(err);
	while (status == NC3Z_OK && cursor_left(&c) > 0)
		status = take_line(&c, base, members, err);
	if (status == NC3Z_OK && !set_regions(members, *end_ret))
		status = refuse(err);
	if (status != NC3Z_OK)
		tar_members_release(members);
	return status;
}
