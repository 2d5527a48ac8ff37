/* SPDX-License-Identifier: MIT */
#include "common/argument.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool argument_parse_size(const char *text, uint64_t *nbytes_ret)
{
	static const char units[] = "KMGT";
	unsigned shift = 0;
	unsigned long long n;
	const char *unit;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit)
		shift = 10 * (unsigned)(unit - units + 1);
	if (!isdigit((unsigned char)text[0]) || errno != 0 ||
	    end[shift != 0] != '\0' || n > UINT64_MAX >> shift)
		return false;
	*nbytes_ret = (uint64_t)n << shift;
	return true;
}

bool argument_parse_count(const char *text, unsigned min, unsigned max,
			  unsigned *count_ret)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || errno != 0 || *end != '\0' ||
	    n < min || n > max)
		return false;
	*count_ret = (unsigned)n;
	return true;
}
