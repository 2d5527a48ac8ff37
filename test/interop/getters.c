/* SPDX-License-Identifier: MIT */
#include "ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFINE(suffix, ctype) \
	static int var_##suffix(int ncid, int varid, void *values) \
	{ \
		return nc_get_var_##suffix(ncid, varid, (ctype *)values); \
	} \
	static int var1_##suffix(int ncid, int varid, const size_t *index, \
				 void *values) \
	{ \
		return nc_get_var1_##suffix(ncid, varid, index, \
					    (ctype *)values); \
	} \
	static int vara_##suffix(int ncid, int varid, const size_t *start, \
				 const size_t *count, void *values) \
	{ \
		return nc_get_vara_##suffix(ncid, varid, start, count, \
					    (ctype *)values); \
	} \
	static int vars_##suffix(int ncid, int varid, const size_t *start, \
				 const size_t *count, const ptrdiff_t *stride, \
				 void *values) \
	{ \
		return nc_get_vars_##suffix(ncid, varid, start, count, stride, \
					    (ctype *)values); \
	} \
	static int varm_##suffix(int ncid, int varid, const size_t *start, \
				 const size_t *count, const ptrdiff_t *stride, \
				 const ptrdiff_t *imap, void *values) \
	{ \
		return nc_get_varm_##suffix(ncid, varid, start, count, stride, \
					    imap, (ctype *)values); \
	} \
	static int att_##suffix(int ncid, int varid, const char *name, \
				void *values) \
	{ \
		return nc_get_att_##suffix(ncid, varid, name, \
					   (ctype *)values); \
	}

#define ROW(suffix, nbytes) \
	{ \
#suffix, nbytes, var_##suffix, var1_##suffix, vara_##suffix, \
			vars_##suffix, varm_##suffix, att_##suffix \
	}

DEFINE(text, char)
DEFINE(schar, signed char)
DEFINE(uchar, unsigned char)
DEFINE(short, short)
DEFINE(ushort, unsigned short)
DEFINE(int, int)
DEFINE(uint, unsigned)
DEFINE(long, long)
DEFINE(float, float)
DEFINE(double, double)
DEFINE(longlong, long long)
DEFINE(ulonglong, unsigned long long)
DEFINE(string, char *)

const struct getter getters[] = {
	/* As stored; 8 bytes are enough for every type. */
	{ "native", 8, nc_get_var, nc_get_var1, nc_get_vara, nc_get_vars,
	  nc_get_varm, nc_get_att },
	ROW(text, 1),
	ROW(schar, 1),
	ROW(uchar, 1),
	ROW(short, sizeof(short)),
	ROW(ushort, sizeof(short)),
	ROW(int, sizeof(int)),
	ROW(uint, sizeof(int)),
	ROW(long, sizeof(long)),
	ROW(float, sizeof(float)),
	ROW(double, sizeof(double)),
	ROW(longlong, sizeof(long long)),
	ROW(ulonglong, sizeof(long long)),
	ROW(string, sizeof(char *)),
};

const size_t ngetters = sizeof(getters) / sizeof(getters[0]);

unsigned long long digest(const void *data, size_t nbytes)
{
	const unsigned char *bytes = data;
	unsigned long long hash = 14695981039346656037ull;

	for (size_t i = 0; i < nbytes; i++)
		hash = (hash ^ bytes[i]) * 1099511628211ull;
	return hash;
}

void *fresh(size_t nbytes)
{
	void *memory = malloc(nbytes + 1);

	if (!memory) {
		puts("out of memory");
		exit(1);
	}
	memset(memory, 0x5a, nbytes + 1);
	return memory;
}
