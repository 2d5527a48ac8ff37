/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* madvise() */

#include "parallel/pages.h"

#include <stdlib.h>
#include <sys/mman.h>

void *pages_take(size_t nbytes)
{
	void *pages = aligned_alloc(PAGES_NBYTES, nbytes);

#ifdef MADV_HUGEPAGE
	if (pages)
		madvise(pages, nbytes, MADV_HUGEPAGE);
#endif
	return pages;
}

void pages_give(void *pages)
{
	free(pages);
}
