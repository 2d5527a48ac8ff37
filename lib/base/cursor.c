/* SPDX-License-Identifier: MIT */
#include "base/cursor.h"

#include "base/bytes.h"
#include "base/sizes.h"

void cursor_init(struct cursor *c, const void *data, size_t data_nbytes)
{
	c->data = data;
	c->nbytes = data_nbytes;
	c->position = 0;
	c->failed = false;
}

const uint8_t *cursor_take(struct cursor *c, uint64_t nbytes)
{
	const uint8_t *taken;

	if (c->failed || nbytes > c->nbytes - c->position) {
		c->failed = true;
		return NULL;
	}
	taken = c->data + c->position;
	c->position += (size_t)nbytes;
	return taken;
}

uint8_t cursor_u8(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 1);

	return p ? *p : 0;
}

uint16_t cursor_le16(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 2);

	return p ? load_le16(p) : 0;
}

uint32_t cursor_le32(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 4);

	return p ? load_le32(p) : 0;
}

uint64_t cursor_le64(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 8);

	return p ? load_le64(p) : 0;
}

uint32_t cursor_be32(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 4);

	return p ? load_be32(p) : 0;
}

uint64_t cursor_be64(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 8);

	return p ? load_be64(p) : 0;
}

bool cursor_decimal(struct cursor *c, uint8_t end, uint64_t *number_ret)
{
	uint8_t byte = cursor_u8(c);
	bool has_digits = false;

	*number_ret = 0;
	for (; byte >= '0' && byte <= '9'; byte = cursor_u8(c)) {
		if (!size_mul(*number_ret, 10, number_ret) ||
		    !size_add(*number_ret, (uint64_t)(byte - '0'), number_ret))
			return false;
		has_digits = true;
	}
	return cursor_ok(c) && has_digits && byte == end;
}
