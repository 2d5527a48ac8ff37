/* SPDX-License-Identifier: MIT */
/* Large pages need a privilege there: these are common ones. */
#include "parallel/pages.h"

#include <windows.h>

void *pages_take(size_t nbytes)
{
	return VirtualAlloc(NULL, nbytes, MEM_COMMIT | MEM_RESERVE,
			    PAGE_READWRITE);
}

void pages_give(void *pages)
{
	VirtualFree(pages, 0, MEM_RELEASE);
}
