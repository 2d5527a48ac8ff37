/*
 * Files in directories that are not packed: counted, and named if that is
 * wanted.
 */
#ifndef NC3Z_TOOLS_COMPRESS_PASSED_H
#define NC3Z_TOOLS_COMPRESS_PASSED_H

#include <stdbool.h>

#include "compress/settings.h"

/* 'is_file': not a link or a device.  Any thread may call this. */
void passed_over(const struct settings *settings, const char *path,
		 bool is_file, const char *reason);

/* Says how many there were, if that was asked for or looks like a mistake. */
void passed_summarize(const struct settings *settings);

#endif
