#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

static bool read_all(FILE *file, struct bytes *b)
{
	struct stat stat;

	if (fstat(fileno(file), &stat) != 0)
		return false;
	b->nbytes = (size_t)stat.st_size;
	b->data = malloc(b->nbytes + 1);
	return b->data && fread(b->data, 1, b->nbytes, file) == b->nbytes;
}

/* One zstd frame that states its content size. */
static bool decompress(struct bytes *b)
{
	unsigned long long nbytes =
		ZSTD_getFrameContentSize(b->data, b->nbytes);
	uint8_t *data;
	size_t got;

	if (nbytes == ZSTD_CONTENTSIZE_UNKNOWN ||
	    nbytes == ZSTD_CONTENTSIZE_ERROR)
		return false;
	data = malloc((size_t)nbytes + 1);
	if (!data)
		return false;
	got = ZSTD_decompress(data, (size_t)nbytes, b->data, b->nbytes);
	free(b->data);
	b->data = data;
	b->nbytes = (size_t)nbytes;
	return got == nbytes;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n >= m && strcmp(name + n - m, suffix) == 0;
}

bool load_file(const char *path, struct bytes *bytes_ret)
{
	FILE *file = fopen(path, "rb");
	bool ok = false;

	*bytes_ret = (struct bytes){ 0 };
	if (file) {
		ok = read_all(file, bytes_ret);
		fclose(file);
	}
	if (ok && has_suffix(path, ".zst"))
		ok = decompress(bytes_ret);
	if (!ok) {
		printf("%s: cannot be read\n", path);
		free(bytes_ret->data);
		*bytes_ret = (struct bytes){ 0 };
	}
	return ok;
}
