/* SPDX-License-Identifier: MIT */
/*
 * Packed values made plain: those that stand for missing ones become NaN, all
 * others are multiplied and shifted.  What attributes say of this is in
 * unpack_attributes.h.
 */
#ifndef NC3Z_CLASSIC_UNPACK_H
#define NC3Z_CLASSIC_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "classic/types.h"

#define UNPACK_MISSING_MAX 32

/* A C value of the packed type, in its first bytes. */
struct unpack_number {
	uint8_t bytes[8];
};

struct values_unpacking {
	enum classic_type type; /* of the packed values */
	double scale;
	double offset;
	struct unpack_number min; /* the least of the type if there is none */
	struct unpack_number max;
	struct unpack_number missing[UNPACK_MISSING_MAX];
	size_t nmissing;
};

/* Of numbers of a type: all that there are, as they are. */
void values_unpacking_init(struct values_unpacking *unpacking,
			   enum classic_type type);

/* Unpacks 'n' C values of the packed type. */
void values_unpack(const struct values_unpacking *unpacking, const uint8_t *in,
		   double *out, size_t n);

#endif
