/* SPDX-License-Identifier: MIT */
/* Memory in huge pages, where the system has them. */
#ifndef NC3Z_PARALLEL_PAGES_H
#define NC3Z_PARALLEL_PAGES_H

#include <stddef.h>

#define PAGES_NBYTES ((size_t)2 << 20)

/* Memory for a multiple of PAGES_NBYTES; NULL if out of memory. */
void *pages_take(size_t nbytes);

void pages_give(void *pages);

#endif
