#include "common/standard.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/message.h"

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
