/* SPDX-License-Identifier: MIT */
/* What libbz2 calls, without stdio, when it finds a mistake in itself. */
#include <stdlib.h>

void bz_internal_error(int error);

void bz_internal_error(int error)
{
	(void)error;
	abort();
}
