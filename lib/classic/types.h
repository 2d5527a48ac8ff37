/* SPDX-License-Identifier: MIT */
/* The external types of the classic formats. */
#ifndef NC3Z_CLASSIC_TYPES_H
#define NC3Z_CLASSIC_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of the format, as in a header. */
enum classic_type {
	CLASSIC_BYTE = 1,
	CLASSIC_CHAR = 2,
	CLASSIC_SHORT = 3,
	CLASSIC_INT = 4,
	CLASSIC_FLOAT = 5,
	CLASSIC_DOUBLE = 6,
	CLASSIC_UBYTE = 7,
	CLASSIC_USHORT = 8,
	CLASSIC_UINT = 9,
	CLASSIC_INT64 = 10,
	CLASSIC_UINT64 = 11,
};

/* Bytes of one external value; 0 for a number that is no type. */
uint8_t classic_type_nbytes(uint32_t type);

/* The name of a type in CDL: "float"; "" for a number that is no type. */
const char *classic_type_name(uint32_t type);

/*
 * What netCDF writes by default where nothing else was written, as a C value;
 * NULL for a number that is no type.
 */
const void *classic_type_fill(uint32_t type);

/* Whether a type exists in a version (1, 2, 5) of the format. */
bool classic_type_in_version(uint32_t type, uint8_t version);

#endif
