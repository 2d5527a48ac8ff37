/* SPDX-License-Identifier: MIT */
#include "common/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

enum exit_status standard_output_end(enum exit_status status)
{
	if (fflush(stdout) == 0 && !ferror(stdout) &&
	    (close(STDOUT_FILENO) == 0 || errno == EBADF))
		return status;
	message_error(NULL, "cannot write standard output: %s",
		      strerror(errno));
	return exit_worse(EXIT_FAILED, status);
}
