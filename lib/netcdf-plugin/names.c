#include "netcdf-plugin/names.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netcdf-plugin/copies.h"

bool name_is_archive(const char *path)
{
	char magic[sizeof(ARCHIVE_MAGIC) - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool found;

	if (fd < 0)
		return false;
	found = read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
		memcmp(magic, ARCHIVE_MAGIC, sizeof(magic)) == 0;
	close(fd);
	return found;
}

char *name_path(const char *name)
{
	const char *after = name ? strstr(name, "://") : NULL;
	char *path;

	if (!after)
		return NULL;
	path = strdup(after + strlen("://"));
	if (!path)
		return NULL;
	if (!name_is_archive(path))
		path[strcspn(path, "#")] = '\0';
	if (strncmp(name, "nc3z:", strlen("nc3z:")) == 0 ||
	    name_is_archive(path))
		return path;
	free(path);
	return NULL;
}
