/* SPDX-License-Identifier: MIT */
#include "common/standard.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum exit_status standard_output_end(enum exit_status status)
{
	if (fflush(stdout) == 0 && !ferror(stdout) &&
	    (close(STDOUT_FILENO) == 0 || errno == EBADF))
		return status;
	message_error(NULL, "cannot write standard output: %s",
		      strerror(errno));
	return exit_worse(EXIT_FAILED, status);
}
