/* SPDX-License-Identifier: MIT */
#include "bench_tools.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

/* splitmix64 */
size_t below(uint64_t *state, size_t limit)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (size_t)((z ^ (z >> 31)) % limit);
}

void drop_pages(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fsync(fd) != 0 ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
		die(path, "cannot be driven out of the page cache");
	close(fd);
}
