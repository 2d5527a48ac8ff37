/* SPDX-License-Identifier: MIT */
/*
 *	calls FILE [SEED [NREQUESTS]]
 *	calls none	without a file
 *	calls memory FILE	reads the file from memory
 *	calls fatal FILE	ends as netCDF-2 ends a program
 */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "none";

	if (argc > 2 && strcmp(path, "fatal") == 0)
		end_by_version2(argv[2]);
	else if (argc > 2 && strcmp(path, "memory") == 0)
		calls_of_memory(argv[2]);
	else if (strcmp(path, "none") == 0)
		calls_without_file();
	else
		calls_of_file(path, argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
			      argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) :
					 50);
	return 0;
}
