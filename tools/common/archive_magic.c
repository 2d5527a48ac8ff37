/* SPDX-License-Identifier: MIT */
#include "common/archive_magic.h"

#include <string.h>
#include <unistd.h>

bool archive_magic_check(int fd)
{
	static const char magic[] = "\x89NC3Z\r\n\x1a";
	char start[sizeof(magic) - 1];
	bool found;

	if (fd < 0)
		return false;
	found = pread(fd, start, sizeof(start), 0) == (ssize_t)sizeof(start) &&
		memcmp(start, magic, sizeof(start)) == 0;
	close(fd);
	return found;
}
