/* SPDX-License-Identifier: MIT */
#include "io/remote_load.h"

#include <stdio.h>

const struct remote_room *remote_load(char *why_not, size_t why_not_nbytes)
{
	snprintf(why_not, why_not_nbytes,
		 "this nc3z was built without reading URLs");
	return NULL;
}
