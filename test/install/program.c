/* SPDX-License-Identifier: MIT */
/*
 * A program that reads a value of an archive, and has names of its own that are
 * also inside the library.
 *
 *	program FILE VARIABLE
 *
 * The variable has at most eight dimensions.
 */
#include <nc3z.h>
#include <stdio.h>

int sha256_update(int x);
int crc32_of(int x);
int cache_get(int x);

int sha256_update(int x)
{
	return x + 1;
}

int crc32_of(int x)
{
	return x + 2;
}

int cache_get(int x)
{
	return x + 4;
}

int main(int argc, char **argv)
{
	static const size_t index[8];
	struct nc3z_file *file = NULL;
	struct nc3z_error err;
	double value = 0;
	int varid, status;

	if (argc != 3)
		return 2;
	status = nc3z_open(argv[1], NULL, &file, &err);
	if (status == NC3Z_OK)
		status = nc3z_inq_varid(file, argv[2], &varid, &err);
	if (status == NC3Z_OK)
		status = nc3z_get_var1_double(file, varid, index, &value, &err);
	nc3z_close(file);
	if (status != NC3Z_OK) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
		return 1;
	}
	printf("%g %d\n", value, sha256_update(0) + crc32_of(0) + cache_get(0));
	return 0;
}
