/* SPDX-License-Identifier: MIT */
#include "dump/dump.h"

#include <string.h>

bool dump_is_coordinate(const struct dump *dump, const struct nc3z_var *var)
{
	int dimid;

	return var->ndims == 1 &&
	       nc3z_inq_dimid(dump->file, var->name, &dimid, NULL) == NC3Z_OK;
}

enum exit_status dump_fail(const struct dump *dump, const char *variable)
{
	const struct nc3z_error *err = &dump->err;

	/* The library names the variable of values itself. */
	if (variable && variable[0] != '\0' &&
	    strncmp(err->text, "variable ", strlen("variable ")) != 0)
		message_error(dump->path, "variable %s: %s", variable,
			      err->text);
	else
		message_error(dump->path, "%s", err->text);
	if (err->status == NC3Z_EDAMAGED)
		message_hint(HINT_DAMAGED);
	return exit_of_error(err);
}

enum exit_status dump_no_memory(const struct dump *dump)
{
	message_error(dump->path, "out of memory");
	return EXIT_FAILED;
}

const char *dump_kind(const struct dump *dump)
{
	switch (nc3z_inq_format(dump->file)) {
	case 1:
		return "classic";
	case 2:
		return "64-bit offset";
	default:
		return "cdf5";
	}
}
