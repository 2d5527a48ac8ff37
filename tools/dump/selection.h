/* SPDX-License-Identifier: MIT */
/* The variables and parts of variables that -v names. */
#ifndef NC3Z_TOOLS_DUMP_SELECTION_H
#define NC3Z_TOOLS_DUMP_SELECTION_H

#include "dump/hyperslab.h"

struct selection {
	int varid;
	char *text;                 /* as written */
	bool is_part;               /* with brackets */
	struct dump_hyperslab slab; /* all of it, if there are none */
};

/* Without a list, all variables are selected. */
struct selections {
	bool is_list;
	size_t count;
	struct selection *list;
};

/*
 * Reads the argument of -v, NULL if there is none.  False after writing to
 * 'why' what is wrong.
 */
bool selections_parse(struct selections *s, const struct nc3z_file *file,
		      const char *argument, char *why, size_t why_nbytes);

void selections_release(struct selections *s);

bool selections_have(const struct selections *s, int varid);

#endif
