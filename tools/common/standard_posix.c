/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/standard.h"

void standard_streams_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* The other way round: use is an error. */
		int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		/* What is opened gets the lowest number that is free. */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags) != fd)
			_exit(EXIT_FAILED);
	}
}

const char *standard_last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
