/* The outputs of a run: no two jobs write the same. */
#ifndef NC3Z_TOOLS_COMPRESS_OUTPUTS_H
#define NC3Z_TOOLS_COMPRESS_OUTPUTS_H

#include <stdbool.h>

/*
 * Notes that a file is being written; false if it has been before in this run,
 * or if memory runs out.  Any thread may call this.
 */
bool outputs_claim(const char *path);

#endif
