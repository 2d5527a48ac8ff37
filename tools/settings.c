#include "settings.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "option.h"

#define KEY_CODEC 256
#define KEY_VERSION 257

static const struct option_row rows[] = {
	{ 'd', "decompress", NULL, "restore the original from an archive" },
	{ 't', "test", NULL, "check archives: every byte, every checksum" },
	{ 'l', "list", NULL, "show sizes and ratio of archives" },
	{ 'c', "stdout", NULL, "write to standard output" },
	{ 'o', "output", "FILE", "write to FILE" },
	{ 'f', "force", NULL, "replace existing files, write to a terminal" },
	{ 'k', "keep", NULL, "keep input files (always so)" },
	{ '0', NULL, NULL, "store only; the fastest level" },
	{ '1', "fast", NULL, "compress fast" },
	{ '2', NULL, NULL, NULL },
	{ '3', NULL, NULL, NULL },
	{ '4', NULL, NULL, NULL },
	{ '5', NULL, NULL, "the default level" },
	{ '6', NULL, NULL, NULL },
	{ '7', NULL, NULL, NULL },
	{ '8', NULL, NULL, NULL },
	{ '9', "best", NULL, "compress best" },
	{ KEY_CODEC, "codec", "NAME", "zstd (default), deflate, bzip2, store" },
	{ 'b', "block-size", "SIZE", "bytes in a block: 4K to 64M [1M]" },
	{ 'q', "quiet", NULL, "no warnings" },
	{ 'v', "verbose", NULL, "say what is done" },
	{ 'h', "help", NULL, "show this help" },
	{ KEY_VERSION, "version", NULL, "show the version" },
	{ 0, NULL, NULL, NULL },
};

static int take_codec(struct settings *s, const char *name)
{
	static const struct {
		const char *name;
		int codec;
	} codecs[] = {
		{ "store", NC3Z_CODEC_STORE },
		{ "deflate", NC3Z_CODEC_DEFLATE },
		{ "bzip2", NC3Z_CODEC_BZIP2 },
		{ "zstd", NC3Z_CODEC_ZSTD },
	};

	for (size_t i = 0; i < sizeof(codecs) / sizeof(*codecs); i++)
		if (strcmp(codecs[i].name, name) == 0) {
			s->pack.codec = codecs[i].codec;
			return 0;
		}
	message_error(NULL,
		      "unknown codec %s: store, deflate, bzip2 and zstd are "
		      "known",
		      name);
	return -1;
}

/* A number of bytes, with K or M for powers of 1024. */
static int take_block_size(struct settings *s, const char *text)
{
	unsigned long long n;
	unsigned shift = 0;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'm' || *end == 'M')
		shift = 20;
	if (!isdigit((unsigned char)text[0]) || errno != 0 ||
	    end[shift != 0] != '\0' || n > UINT32_MAX >> shift ||
	    n << shift < NC3Z_BLOCK_NBYTES_MIN ||
	    n << shift > NC3Z_BLOCK_NBYTES_MAX) {
		message_error(NULL, "block size %s is not within 4K and 64M",
			      text);
		return -1;
	}
	s->pack.block_nbytes = (uint32_t)(n << shift);
	return 0;
}

static int take(void *context, int key, const char *argument)
{
	struct settings *s = context;

	if (isdigit(key)) {
		s->pack.level = key - '0';
		return 0;
	}
	switch (key) {
	case 'd':
		s->action = ACTION_RESTORE;
		return 0;
	case 't':
		s->action = ACTION_TEST;
		return 0;
	case 'l':
		s->action = ACTION_LIST;
		return 0;
	case 'c':
		s->to_stdout = true;
		return 0;
	case 'o':
		s->output = argument;
		return 0;
	case 'f':
		s->force = true;
		return 0;
	case 'q':
		s->quiet = true;
		return 0;
	case 'v':
		s->verbose = true;
		return 0;
	case 'h':
		s->action = ACTION_HELP;
		return 0;
	case KEY_VERSION:
		s->action = ACTION_VERSION;
		return 0;
	case KEY_CODEC:
		return take_codec(s, argument);
	case 'b':
		return take_block_size(s, argument);
	default: /* -k */
		return 0;
	}
}

static const struct option_table table = {
	.program = "nc3compress",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Packs netCDF classic files into archives FILE.nc3z and "
		   "restores them bit for bit.\n"
		   "Without FILE, or where FILE is -, reads standard input and "
		   "writes standard output.",
	.rows = rows,
	.footer = "Exit status: 0 done, 1 failed, 2 wrong usage, 3 done with "
		  "a warning, 4 damaged.\n",
	.take = take,
};

static int check(const struct settings *s, int noperands)
{
	const char *wrong = NULL;

	if (s->output && s->to_stdout)
		wrong = "-o and -c exclude each other";
	else if (s->output && noperands > 1)
		wrong = "-o takes one input file";
	else if ((s->output || s->to_stdout) &&
		 (s->action == ACTION_TEST || s->action == ACTION_LIST))
		wrong = "-t and -l write no output file";
	else if (s->to_stdout && s->action == ACTION_PACK && noperands > 1)
		wrong = "-c takes one input file: archives are not joined";
	if (!wrong)
		return 0;
	message_error(NULL, "%s", wrong);
	message_hint("try --help");
	return -1;
}

int settings_parse(struct settings *s, int argc, char **argv)
{
	int first;

	*s = (struct settings){ .action = ACTION_PACK };
	nc3z_pack_options_init(&s->pack);
	first = option_parse(&table, argc, argv, s);
	if (first < 0 || check(s, argc - first) != 0)
		return -1;
	return first;
}

void settings_print_help(void)
{
	option_print_help(&table);
}
