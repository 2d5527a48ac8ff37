/* What -l prints: a table, or JSON. */
#ifndef NC3Z_TOOLS_COMPRESS_LIST_H
#define NC3Z_TOOLS_COMPRESS_LIST_H

#include "compress/settings.h"

void list_begin(const struct settings *settings);
/* 'inspection' is NULL where streams are not asked for. */
void list_add(const struct settings *settings,
	      const struct nc3z_summary *summary,
	      const struct nc3z_inspection *inspection, const char *name);
/* Totals, if there is more than one archive. */
void list_end(const struct settings *settings);

#endif
