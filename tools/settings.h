/* What the command line of nc3compress asks for. */
#ifndef NC3Z_TOOLS_SETTINGS_H
#define NC3Z_TOOLS_SETTINGS_H

#include <stdbool.h>

#include "nc3z.h"

#define SUFFIX ".nc3z"

enum action {
	ACTION_PACK,
	ACTION_RESTORE,
	ACTION_TEST,
	ACTION_LIST,
	ACTION_HELP,
	ACTION_VERSION,
};

struct settings {
	enum action action;
	bool to_stdout;
	bool force;
	bool quiet;
	bool verbose;
	const char *output; /* NULL: made from the name of the input */
	struct nc3z_pack_options pack;
};

/*
 * Parses the command line.  Returns the index of the first operand, or -1
 * after a message.
 */
int settings_parse(struct settings *s, int argc, char **argv);

void settings_print_help(void);

#endif
