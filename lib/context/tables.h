/* SPDX-License-Identifier: MIT */
/* Which contexts share a table, and the tables. */
#ifndef NC3Z_CONTEXT_TABLES_H
#define NC3Z_CONTEXT_TABLES_H

#include "base/memory.h"
#include "context/cost.h"
#include "context/model.h"

/* How often each symbol comes in each context. */
struct context_counts {
	uint32_t of[CONTEXT_CONTEXTS_MAX][CONTEXT_SYMBOLS];
};

/*
 * Sets levels, tables and frequencies of the model: every symbol that comes in
 * a context has a frequency there.  False if out of memory.
 */
bool context_tables_choose(const struct context_logs *logs,
			   const struct context_counts *counts,
			   struct context_model *model);

#endif
