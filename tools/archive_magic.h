/* How an archive is told from other files: by its first bytes. */
#ifndef NC3Z_TOOLS_ARCHIVE_MAGIC_H
#define NC3Z_TOOLS_ARCHIVE_MAGIC_H

#include <stdbool.h>

/* Whether an open file begins as an archive does; its position stays. */
bool archive_magic_is_in(int fd);

#endif
