/* SPDX-License-Identifier: MIT */
/*
 * The options are those of ncdump, with long names in addition, and those that
 * only nc3dump has.  Arguments mean the same as to ncdump; those that it would
 * silently misread are refused.
 */
#include "dump/dump_settings.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/option.h"

enum {
	KEY_JSON = 256,
	KEY_BLOCKS,
	KEY_BIG_ENDIAN,
	KEY_LITTLE_ENDIAN,
	KEY_HELP,
	KEY_VERSION,
	KEY_COMPLETION,
};

#define LINE_LENGTH_MIN 10
#define NDIGITS_MAX 20

static const struct option_row rows[] = {
	{ 'h', "header", NULL, "header only, no data" },
	{ 'c', "coordinates", NULL, "header, data of coordinate variables" },
	{ 'v', "variables", "V,...",
	  "data of these variables only, or of parts: T[0,10:20,:]" },
	{ 'b', "brief", "LANG",
	  "a comment for each row, indices as in c or f" },
	{ 'f', "full", "LANG",
	  "a comment for each value, indices as in c or f" },
	{ 'l', "length", "N", "break lines of data after N columns [80]" },
	{ 'n', "name", "NAME", "the name of the data set [from FILE]" },
	{ 'p', "precision", "N[,M]",
	  "digits of float and double values [7,15]" },
	{ 'd', NULL, "N[,M]", NULL },
	{ 'k', "kind", NULL, "only the kind of file" },
	{ 'K', "extended-kind", NULL, "only the kind of file, with its mode" },
	{ 's', "special", NULL, "also virtual attributes, such as _Format" },
	{ 't', "times", NULL, "times as date and time" },
	{ 'i', "iso-times", NULL, "times as date, T and time" },
	{ 'B', "binary", NULL, "the values of -v as bytes, nothing else" },
	{ KEY_BIG_ENDIAN, "big-endian", NULL,
	  "byte order of -B [the machine's]" },
	{ KEY_LITTLE_ENDIAN, "little-endian", NULL, "byte order of -B" },
	{ KEY_BLOCKS, "blocks", NULL, "the blocks of each variable" },
	{ KEY_JSON, "json", NULL, "the header (and blocks) as JSON" },
	{ KEY_HELP, "help", NULL, "show this help" },
	{ KEY_VERSION, "version", NULL, "show the version" },
	{ KEY_COMPLETION, "completion", "SHELL",
	  "print a completion script for bash, fish or zsh" },
	{ 0, NULL, NULL, NULL },
};

#define TARGET(key, kind, field, value) \
	{ \
		key, kind, offsetof(struct dump_settings, field), value \
	}

static const struct option_target targets[] = {
	TARGET('h', OPTION_FLAG, header_only, true),
	TARGET('c', OPTION_FLAG, coordinates_only, true),
	TARGET('s', OPTION_FLAG, special_attributes, true),
	TARGET(KEY_BIG_ENDIAN, OPTION_INT, order, ORDER_BIG),
	TARGET(KEY_LITTLE_ENDIAN, OPTION_INT, order, ORDER_LITTLE),
	TARGET('n', OPTION_TEXT, name, 0),
	TARGET('v', OPTION_TEXT, variables, 0),
	{ 0 },
};

static int refuse_argument(const char *what, const char *argument)
{
	message_error(NULL, "%s: %s", what, argument);
	message_hint("try --help");
	return -1;
}

static int take_language(struct dump_settings *s, const char *argument)
{
	int c = tolower((unsigned char)argument[0]);

	if (c != 'c' && c != 'f')
		return refuse_argument(
			"indices in comments are as in c or f, not", argument);
	s->fortran_indices = c == 'f';
	return 0;
}

static int take_length(struct dump_settings *s, const char *argument)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(argument, &end, 0);
	if (end == argument || *end != '\0' || errno != 0 ||
	    n < LINE_LENGTH_MIN || n > INT_MAX)
		return refuse_argument(
			"line length is not a number of 10 or more", argument);
	s->line_length = (int)n;
	return 0;
}

/* A number of digits; '*text' moves past it. */
static bool take_digits(const char **text, int *ndigits_ret)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(*text, &end, 10);
	if (end == *text || errno != 0 || n < 1 || n > NDIGITS_MAX)
		return false;
	*ndigits_ret = (int)n;
	*text = end;
	return true;
}

/*
 * "N", "N,M"; as with ncdump, ",M" is nothing at all.  'overrides' tells -p
 * from -d.
 */
static int take_precision(struct dump_settings *s, const char *argument,
			  bool overrides)
{
	const char *text = argument;
	int float_digits = 7, double_digits = 15;
	bool has_double = false;

	if (text[0] != ',' && text[0] != '\0') {
		if (!take_digits(&text, &float_digits))
			return refuse_argument(
				"digits are not between 1 and 20", argument);
		s->overrides_float = s->overrides_float || overrides;
		has_double = *text == ',';
		if (has_double)
			text++;
	} else if (text[0] == ',') {
		text += strlen(text);
	}
	if (has_double && !take_digits(&text, &double_digits))
		return refuse_argument("digits are not between 1 and 20",
				       argument);
	if (*text != '\0')
		return refuse_argument("digits are not N or N,N", argument);
	s->overrides_double = s->overrides_double || (has_double && overrides);
	s->float_digits = float_digits;
	s->double_digits = double_digits;
	return 0;
}

/* The kind of output; of several options, the one that ncdump obeys. */
static bool take_output(struct dump_settings *s, int key)
{
	enum dump_output output = key == 'k'            ? DUMP_KIND :
				  key == 'K'            ? DUMP_KIND_EXTENDED :
				  key == 'B'            ? DUMP_BINARY :
				  key == KEY_BLOCKS     ? DUMP_BLOCKS :
				  key == KEY_JSON       ? DUMP_JSON :
				  key == KEY_HELP       ? DUMP_HELP :
				  key == KEY_VERSION    ? DUMP_VERSION :
				  key == KEY_COMPLETION ? DUMP_COMPLETION :
							  DUMP_CDL;
	bool has_both = (output == DUMP_BLOCKS && s->output == DUMP_JSON) ||
			(output == DUMP_JSON && s->output == DUMP_BLOCKS);

	if (output == DUMP_CDL)
		return false;
	if (key == KEY_BLOCKS)
		s->blocks = true;
	if (has_both)
		s->output = DUMP_JSON;
	else if (output >= DUMP_JSON || s->output == DUMP_CDL ||
		 (output == DUMP_KIND && s->output < DUMP_JSON))
		s->output = output;
	return true;
}

static int take_option(void *context, int key, const char *argument)
{
	struct dump_settings *s = context;

	if (key == KEY_COMPLETION)
		s->shell = argument;
	if (take_output(s, key))
		return 0;
	switch (key) {
	case 't':
	case 'i':
		s->times = true;
		s->time_separator = key == 'i' ? 'T' : ' ';
		return 0;
	case 'b':
		s->brief_comments = true;
		return take_language(s, argument);
	case 'f':
		s->full_comments = true;
		return take_language(s, argument);
	case 'l':
		return take_length(s, argument);
	case 'p':
	case 'd':
		return take_precision(s, argument, key == 'p');
	default:
		return 1;
	}
}

static const struct option_table table = {
	.program = "nc3dump",
	.usage = "[OPTION]... FILE",
	.summary = "Prints FILE, an archive made by nc3compress or a netCDF "
		   "classic file, as CDL text,\n"
		   "as ncdump prints the original; or its header, blocks or "
		   "values.",
	.rows = rows,
	.footer = "Exit status: 0 done, 1 failed, 2 wrong usage, 3 done with a "
		  "warning, 4 damaged.\n",
	.targets = targets,
	.take = take_option,
};

static const char *contradiction(const struct dump_settings *s, int noperands)
{
	if (s->output >= DUMP_HELP)
		return NULL;
	if (noperands == 0)
		return "no file is named";
	if (noperands > 1)
		return "more than one file is named";
	if (s->output == DUMP_BINARY && !s->variables)
		return "-B needs -v";
	if (s->order != ORDER_NATIVE && s->output != DUMP_BINARY)
		return "--big-endian and --little-endian need -B";
	return NULL;
}

int dump_settings_parse(struct dump_settings *s, int argc, char **argv)
{
	const char *wrong;
	int first;

	*s = (struct dump_settings){
		.time_separator = ' ',
		.line_length = 80,
		.float_digits = 7,
		.double_digits = 15,
	};
	first = option_parse(&table, argc, argv, s);
	if (first < 0)
		return -1;
	s->path = argv[first];
	wrong = contradiction(s, argc - first);
	if (wrong) {
		message_error(NULL, "%s", wrong);
		message_hint("try --help");
		return -1;
	}
	return first;
}

void dump_settings_print_help(void)
{
	option_print_help(&table);
}

int dump_settings_print_completion(const char *shell)
{
	return option_print_completion(&table, shell);
}
