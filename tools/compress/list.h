/* SPDX-License-Identifier: MIT */
/* What -l prints: a table, or JSON. */
#ifndef NC3Z_TOOLS_COMPRESS_LIST_H
#define NC3Z_TOOLS_COMPRESS_LIST_H

#include "batch/settings.h"
#include "compress/stream_list.h"

void list_begin(const struct settings *settings);
/* 'streams' has no file where they are not asked for. */
void list_add(const struct settings *settings,
	      const struct nc3z_summary *summary,
	      const struct stream_list *streams, const char *name);
/* Totals, if there is more than one archive. */
void list_end(const struct settings *settings);

#endif
