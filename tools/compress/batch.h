/* All files of a command line. */
#ifndef NC3Z_TOOLS_COMPRESS_BATCH_H
#define NC3Z_TOOLS_COMPRESS_BATCH_H

#include "compress/files.h"

/*
 * Processes every file, many small ones in parallel, and returns the most
 * serious exit status.
 */
enum exit_status batch_run(const struct settings *settings,
			   const struct file_names *names);

#endif
