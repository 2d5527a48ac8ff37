/* SPDX-License-Identifier: MIT */
/*
 * Bounded reading of a byte range.  A cursor fails once and stays failed:
 * getters then return 0 or NULL, so that a parser reads a whole record and
 * asks once, with cursor_ok(), whether it was there.
 */
#ifndef NC3Z_BASE_CURSOR_H
#define NC3Z_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *data;
	size_t nbytes;
	size_t position;
	bool failed;
};

void cursor_init(struct cursor *c, const void *data, size_t data_nbytes);

static inline bool cursor_ok(const struct cursor *c)
{
	return !c->failed;
}

static inline size_t cursor_left(const struct cursor *c)
{
	return c->failed ? 0 : c->nbytes - c->position;
}

/* The next 'nbytes' bytes, within the range; NULL if it has fewer. */
const uint8_t *cursor_take(struct cursor *c, uint64_t nbytes);

uint8_t cursor_u8(struct cursor *c);
uint16_t cursor_le16(struct cursor *c);
uint32_t cursor_le32(struct cursor *c);
uint64_t cursor_le64(struct cursor *c);
uint32_t cursor_be32(struct cursor *c);
uint64_t cursor_be64(struct cursor *c);

/*
 * Decimal digits, at least one, and the byte 'end' after them.  False, with the
 * cursor failed or not, if there is something else or the number does not fit.
 */
bool cursor_decimal(struct cursor *c, uint8_t end, uint64_t *number_ret);

#endif
