/* SPDX-License-Identifier: MIT */
#include "classic/types.h"

#include <stddef.h>

uint8_t classic_type_nbytes(uint32_t type)
{
	static const uint8_t nbytes[] = {
		[CLASSIC_BYTE] = 1,  [CLASSIC_CHAR] = 1,   [CLASSIC_SHORT] = 2,
		[CLASSIC_INT] = 4,   [CLASSIC_FLOAT] = 4,  [CLASSIC_DOUBLE] = 8,
		[CLASSIC_UBYTE] = 1, [CLASSIC_USHORT] = 2, [CLASSIC_UINT] = 4,
		[CLASSIC_INT64] = 8, [CLASSIC_UINT64] = 8,
	};

	return type <= CLASSIC_UINT64 ? nbytes[type] : 0;
}

const char *classic_type_name(uint32_t type)
{
	static const char *const names[] = {
		"",       "byte",  "char",   "short", "int",   "float",
		"double", "ubyte", "ushort", "uint",  "int64", "uint64",
	};

	return type <= CLASSIC_UINT64 ? names[type] : "";
}

const void *classic_type_fill(uint32_t type)
{
	static const int8_t byte_fill = -127;
	static const char char_fill = '\0';
	static const int16_t short_fill = -32767;
	static const int32_t int_fill = -2147483647;
	static const float float_fill = 9.9692099683868690e+36F;
	static const double double_fill = 9.9692099683868690e+36;
	static const uint8_t ubyte_fill = 255;
	static const uint16_t ushort_fill = 65535;
	static const uint32_t uint_fill = 4294967295U;
	static const int64_t int64_fill = INT64_C(-9223372036854775806);
	static const uint64_t uint64_fill = UINT64_C(18446744073709551614);
	static const void *const fills[] = {
		NULL,         &byte_fill,  &char_fill,   &short_fill,
		&int_fill,    &float_fill, &double_fill, &ubyte_fill,
		&ushort_fill, &uint_fill,  &int64_fill,  &uint64_fill,
	};

	return type <= CLASSIC_UINT64 ? fills[type] : NULL;
}

bool classic_type_in_version(uint32_t type, uint8_t version)
{
	return classic_type_nbytes(type) != 0 &&
	       (version == 5 || type <= CLASSIC_DOUBLE);
}
