/* SPDX-License-Identifier: MIT */
#include "nc3z.h"

const char *nc3z_version(void)
{
	return NC3Z_VERSION;
}
