#include "classic/types.h"

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

bool classic_type_in_version(uint32_t type, uint8_t version)
{
	return classic_type_nbytes(type) != 0 &&
	       (version == 5 || type <= CLASSIC_DOUBLE);
}
