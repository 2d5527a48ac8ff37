/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "dump/cdl_header.h"
#include "dump/cdl_values.h"

static bool is_wanted(struct dump *dump, int varid)
{
	struct nc3z_var var;

	return !dump->settings->coordinates_only ||
	       (nc3z_inq_var(dump->file, varid, &var, NULL) == NC3Z_OK &&
		dump_is_coordinate(dump, &var));
}

/* All that -v says of a variable; once if it names it as a whole again. */
static enum exit_status print_selections(struct dump *dump, int varid)
{
	const struct selections *s = &dump->selections;
	enum exit_status status = EXIT_DONE;
	bool has_whole = false;

	for (size_t i = 0; i < s->count && status == EXIT_DONE; i++) {
		const struct selection *one = &s->list[i];

		if (one->varid != varid || (has_whole && !one->is_part))
			continue;
		has_whole = has_whole || !one->is_part;
		status = cdl_print_values(dump, varid, one);
	}
	return status;
}

enum exit_status dump_cdl(struct dump *dump)
{
	enum exit_status status = cdl_print_header(dump);

	if (status != EXIT_DONE)
		return status;
	if (!dump->settings->header_only && dump->nvars > 0)
		fputs("data:\n", dump->to);
	for (int i = 0; i < dump->nvars && !dump->settings->header_only; i++) {
		if (!is_wanted(dump, i))
			continue;
		status = dump->selections.is_list ?
				 print_selections(dump, i) :
				 cdl_print_values(dump, i, NULL);
		if (status != EXIT_DONE)
			return status;
	}
	fputs("}\n", dump->to);
	return EXIT_DONE;
}
