/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as arguments of the programs: parts of variables (nc3dump -v), the
 * options of the programs, sizes.  What is accepted is within its bounds and
 * means the same when it is written otherwise; what is refused gets a message.
 *
 *	kind 1, then text; of options, a line for each argument
 */
#define _XOPEN_SOURCE 700 /* putenv() */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/argument.h"
#include "dump/dump_settings.h"
#include "common/message.h"
#include "dump/selection.h"
#include "compress/options.h"
#include "convert/options.h"
#include "manifest/options.h"
#include "salvage/options.h"
#include "small_file.h"
#include "text_input.h"

#define ARGUMENTS_MAX 40
#define ENVIRONMENT "NC3Z_OPTIONS="

/* What message.c would print, which nobody wants to read here. */
static unsigned nmessages;

void message_error(const char *file, const char *format, ...)
{
	char text[8192];
	va_list args;
	int n;

	FUZZ_CHECK(!file || strcmp(file, "NC3Z_OPTIONS") == 0);
	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	FUZZ_CHECK(n > 0);
	nmessages++;
}

void message_hint(const char *text)
{
	FUZZ_CHECK(text[0] != '\0');
}

void message_out_of_memory(void)
{
	fuzz_fail("memory", __FILE__, __LINE__);
}

/* The elements of a slab that is in bounds can be read. */
static void check_read(const struct nc3z_file *file, int varid,
		       const struct nc3z_var *var,
		       const struct dump_hyperslab *slab)
{
	struct nc3z_hyperslab part = { slab->start, slab->count, slab->stride,
				       NULL };
	int memtype = var->type == NC3Z_CHAR ? NC3Z_CHAR : NC3Z_DOUBLE;
	size_t nelems = 1;
	void *values;

	for (int i = 0; i < slab->ndims; i++) {
		FUZZ_CHECK(slab->stride[i] >= 1);
		FUZZ_CHECK(slab->count[i] <= var->shape[i]);
		nelems *= slab->count[i];
	}
	FUZZ_CHECK(dump_hyperslab_is_empty(slab) == (nelems == 0));
	values = calloc(nelems + 1, sizeof(double));
	FUZZ_CHECK(values);
	FUZZ_CHECK(nc3z_get((struct nc3z_file *)(uintptr_t)file, varid, &part,
			    memtype, values, NULL) == NC3Z_OK);
	free(values);
}

/* "START:STOP:STRIDE" of each dimension, from the last one to the first. */
static void write_slab(const struct nc3z_file *file, const struct nc3z_var *var,
		       const struct dump_hyperslab *slab, bool is_named,
		       char *out, size_t out_nbytes)
{
	size_t n = 0;

	out[0] = '\0';
	for (int k = 0; k < slab->ndims; k++) {
		int i = is_named ? slab->ndims - 1 - k : k;
		struct nc3z_dim dim;
		size_t stop = slab->start[i] + 1 +
			      (slab->count[i] - 1) * (size_t)slab->stride[i];

		FUZZ_CHECK(nc3z_inq_dim(file, var->dimids[i], &dim, NULL) ==
			   NC3Z_OK);
		n += (size_t)snprintf(out + n, out_nbytes - n, "%s%s%s",
				      k > 0 ? ", " : "",
				      is_named ? dim.name : "",
				      is_named ? "=" : "");
		n += (size_t)snprintf(out + n, out_nbytes - n, "%zu:%zu:%td",
				      slab->start[i], stop, slab->stride[i]);
		FUZZ_CHECK(n < out_nbytes);
	}
}

static void check_same_slab(const struct dump_hyperslab *a,
			    const struct dump_hyperslab *b)
{
	FUZZ_CHECK(a->ndims == b->ndims);
	for (int i = 0; i < a->ndims; i++)
		FUZZ_CHECK(a->start[i] == b->start[i] &&
			   a->count[i] == b->count[i] &&
			   a->stride[i] == b->stride[i]);
}

static void check_again(const struct nc3z_file *file,
			const struct nc3z_var *var,
			const struct dump_hyperslab *slab)
{
	char text[400], why[256];

	if (slab->ndims == 0)
		return;
	for (int is_named = 0; is_named < 2; is_named++) {
		struct dump_hyperslab again;

		write_slab(file, var, slab, is_named, text, sizeof(text));
		/* A comma ends a name. */
		if (is_named && strstr(text, "c,d"))
			continue;
		FUZZ_CHECK(dump_hyperslab_init(&again, var));
		FUZZ_CHECK(dump_hyperslab_parse(&again, file, var, text, why,
						sizeof(why)));
		check_same_slab(slab, &again);
		dump_hyperslab_release(&again);
	}
}

static void check_selection(const struct nc3z_file *file, const char *text)
{
	struct selections s = { 0 };
	char *why = calloc(600, 1);
	bool is_good;

	FUZZ_CHECK(why);
	is_good = selections_parse(&s, file, text, why, 600);
	FUZZ_CHECK(is_good == (why[0] == '\0'));
	FUZZ_CHECK(strlen(why) < 600 && (!is_good || s.count > 0));
	for (size_t i = 0; is_good && i < s.count; i++) {
		const struct selection *item = &s.list[i];
		struct nc3z_var var;

		FUZZ_CHECK(nc3z_inq_var(file, item->varid, &var, NULL) ==
			   NC3Z_OK);
		FUZZ_CHECK(selections_have(&s, item->varid));
		FUZZ_CHECK(strstr(text, item->text) != NULL);
		check_read(file, item->varid, &var, &item->slab);
		check_again(file, &var, &item->slab);
	}
	selections_release(&s);
	free(why);
}

static void run_selection(struct fuzz_bytes *in)
{
	char *text = text_copy(in->data, in->nbytes);
	struct nc3z_open_options options;
	struct buffer bytes = { 0 };
	struct nc3z_source *source;
	struct nc3z_file *file;

	small_file_make(&bytes);
	nc3z_open_options_init(&options);
	options.nthreads = 1;
	FUZZ_CHECK(nc3z_source_open_memory(bytes.data, bytes.nbytes, &source,
					   NULL) == NC3Z_OK);
	FUZZ_CHECK(nc3z_open_source(source, &options, &file, NULL) == NC3Z_OK);
	check_selection(file, text);
	nc3z_close(file);
	buffer_release(&bytes);
	free(text);
}

/* The arguments of a program, as it gets them. */
struct command {
	int argc;
	char *argv[ARGUMENTS_MAX + 2];
	char *owned[ARGUMENTS_MAX + 2]; /* before they changed places */
};

static void take_command(struct command *c, struct fuzz_bytes *in)
{
	*c = (struct command){ 0 };
	c->argv[c->argc++] = text_copy((const uint8_t *)"program", 7);
	while (c->argc <= ARGUMENTS_MAX &&
	       (c->argv[c->argc] = text_take_line(in)) != NULL)
		c->argc++;
	c->argv[c->argc] = NULL;
	memcpy(c->owned, c->argv, sizeof(c->owned));
}

static void release_command(struct command *c)
{
	for (int i = 0; i < c->argc; i++)
		free(c->owned[i]);
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_same_dump(const struct dump_settings *a,
			    const struct dump_settings *b)
{
	FUZZ_CHECK(a->output == b->output && a->order == b->order &&
		   a->blocks == b->blocks && a->times == b->times &&
		   a->time_separator == b->time_separator);
	FUZZ_CHECK(a->line_length == b->line_length &&
		   a->float_digits == b->float_digits &&
		   a->double_digits == b->double_digits);
	FUZZ_CHECK(is_same_text(a->name, b->name) &&
		   is_same_text(a->variables, b->variables) &&
		   is_same_text(a->groups, b->groups));
}

static void run_dump(struct fuzz_bytes *in)
{
	struct command c;
	struct dump_settings s, again;
	int first;

	take_command(&c, in);
	nmessages = 0;
	first = dump_settings_parse(&s, c.argc, c.argv);
	FUZZ_CHECK((first < 0) == (nmessages > 0));
	if (first >= 0) {
		FUZZ_CHECK(first >= 1 && first <= c.argc);
		FUZZ_CHECK(s.output >= DUMP_HELP || first == c.argc - 1);
		FUZZ_CHECK(s.line_length >= 10);
		FUZZ_CHECK(s.float_digits >= 1 && s.float_digits <= 20);
		FUZZ_CHECK(s.double_digits >= 1 && s.double_digits <= 20);
		FUZZ_CHECK(s.output != DUMP_BINARY || s.variables);
		FUZZ_CHECK(s.output != DUMP_COMPLETION || s.shell);
		/* Operands stand behind the options now. */
		FUZZ_CHECK(dump_settings_parse(&again, c.argc, c.argv) ==
			   first);
		check_same_dump(&s, &again);
	}
	release_command(&c);
}

static void check_batch(const struct settings *s)
{
	FUZZ_CHECK(s->level >= 0 && s->level <= 9);
	FUZZ_CHECK(s->codec >= 0 && s->codec <= NC3Z_CODEC_ZSTD);
	FUZZ_CHECK(s->block_nbytes == 0 ||
		   (s->block_nbytes >= NC3Z_BLOCK_NBYTES_MIN &&
		    s->block_nbytes <= NC3Z_BLOCK_NBYTES_MAX));
	FUZZ_CHECK(s->nthreads <= NC3Z_THREADS_MAX);
	FUZZ_CHECK(s->suffix[0] != '\0' && !strchr(s->suffix, '/'));
}

static void check_same_batch(const struct settings *a, const struct settings *b)
{
	FUZZ_CHECK(a->question == b->question && a->level == b->level &&
		   a->codec == b->codec && a->nthreads == b->nthreads &&
		   a->block_nbytes == b->block_nbytes &&
		   a->max_memory_nbytes == b->max_memory_nbytes &&
		   a->remove == b->remove);
	FUZZ_CHECK(is_same_text(a->suffix, b->suffix) &&
		   is_same_text(a->output, b->output) &&
		   is_same_text(a->files0_from, b->files0_from));
	FUZZ_CHECK(a->chunks.count == b->chunks.count);
}

/* Sets the variable to the first line; setenv() would keep all of them. */
static void take_environment(struct fuzz_bytes *in)
{
	static char variable[1000];
	char *line = text_take_line(in);

	snprintf(variable, sizeof(variable), ENVIRONMENT "%s",
		 line ? line : "");
	FUZZ_CHECK(putenv(variable) == 0);
	free(line);
}

static void run_batch(struct fuzz_bytes *in)
{
	static const struct program_options *const programs[] = {
		&compress_options,
		&convert_options,
		&manifest_options,
		&salvage_options,
	};
	const struct program_options *program = programs[fuzz_take(in) % 4];
	struct command c;
	struct settings *s = calloc(1, program->settings_nbytes);
	struct settings *again = calloc(1, program->settings_nbytes);
	int first;

	FUZZ_CHECK(s && again);
	take_environment(in);
	take_command(&c, in);
	nmessages = 0;
	first = settings_parse(s, program, c.argc, c.argv);
	FUZZ_CHECK((first < 0) == (nmessages > 0));
	if (first >= 0) {
		FUZZ_CHECK(first >= 1 && first <= c.argc);
		check_batch(s);
		FUZZ_CHECK(settings_parse(again, program, c.argc, c.argv) ==
			   first);
		check_same_batch(s, again);
	}
	settings_release(s);
	settings_release(again);
	free(s);
	free(again);
	release_command(&c);
}

/* A number and a unit, as one would read them aloud. */
static bool read_size(const char *text, uint64_t *value_ret)
{
	uint64_t value = 0, limit = UINT64_MAX;
	const char *at = text;
	unsigned shift = 0;

	for (; *at >= '0' && *at <= '9'; at++) {
		if (value > (UINT64_MAX - (uint64_t)(*at - '0')) / 10)
			return false;
		value = 10 * value + (uint64_t)(*at - '0');
	}
	if (at == text)
		return false;
	if (*at != '\0') {
		shift = *at == 'K' || *at == 'k' ? 10 :
			*at == 'M' || *at == 'm' ? 20 :
			*at == 'G' || *at == 'g' ? 30 :
			*at == 'T' || *at == 't' ? 40 :
						   0;
		if (shift == 0 || at[1] != '\0')
			return false;
	}
	*value_ret = value << shift;
	return value <= limit >> shift;
}

static void run_size(struct fuzz_bytes *in)
{
	unsigned min = fuzz_take(in), max = min + 7u * fuzz_take(in), count;
	char *text = text_copy(in->data, in->nbytes);
	uint64_t value = 0, expected = 0;
	bool is_size = read_size(text, &expected), is_count;

	FUZZ_CHECK(argument_parse_size(text, &value) == is_size);
	FUZZ_CHECK(!is_size || value == expected);
	is_count = is_size && strspn(text, "0123456789") == strlen(text) &&
		   expected >= min && expected <= max;
	FUZZ_CHECK(argument_parse_count(text, min, max, &count) == is_count);
	FUZZ_CHECK(!is_count || count == expected);
	free(text);
}

static void run(const uint8_t *data, size_t nbytes)
{
	static void (*const runs[])(struct fuzz_bytes *) = {
		run_selection,
		run_dump,
		run_batch,
		run_size,
	};
	struct fuzz_bytes in = { data, nbytes };

	runs[fuzz_take(&in) % 4](&in);
}

static const char *const selection_list[] = {
	"T",      "u[0]",      "v,w", "n=1",  "text", "time",
	"s",      "[",         "]",   ",",    ":",    "=",
	"-1",     "0",         "2",   "1:3",  "::2",  " ",
	"y=",     "time=1",    "x=",  "a/b=", "5",    "T[0,1:3,::2]",
	"T[x=1,", "u[0][1,:]",
};
static const char *const dump_list[] = {
	"\n",
	"\n",
	"\n-h",
	"\n-c",
	"\n-v\nT",
	"\n-b\nc",
	"\n-f\nf",
	"\n-l\n",
	"80",
	"\n-n",
	"x",
	"\n-p\n7,9",
	"\n-d3",
	"\n-ks",
	"\n-K",
	"\n-t",
	"\n-i",
	"\n--xml",
	"\n-Xp",
	"\n-B",
	"\n--big-endian",
	"\n--blocks",
	"\n--json",
	"\n--help",
	"\n--",
	"\n--completion=bash",
	"\nfile.nc",
	"\n--le",
};
static const char *const batch_list[] = {
	"\n",
	"\n",
	"\n-d",
	"\n-t",
	"\n--quick",
	"\n-l",
	"\n--join",
	"\n--check",
	"\n--dry-run",
	"\n-c",
	"\n-o\n",
	"\n-S.x",
	"\n-fk",
	"\n--rm",
	"\n--rm=all",
	"\n-r",
	"\n-9",
	"\n--codec=",
	"zstd",
	"\n-b1M",
	"\n--chunks=auto",
	"\n-T4",
	"\n--json",
	"\n--",
	"a.nc",
	"\n-",
	"\n--archive=2",
	"\n--max-memory=9",
	"\n--files0-from=x",
};
static const char *const size_list[] = {
	"1",
	"0",
	"18446744073709551615",
	"18446744073709551616",
	"K",
	"m",
	"G",
	"4",
	"17179869183",
	" ",
	"+",
	"-",
	"x",
	"64",
	"999",
};

#define WORDS(list) \
	{ \
		list, sizeof(list) / sizeof(*(list)) \
	}
static const struct text_words words[] = {
	WORDS(selection_list),
	WORDS(dump_list),
	WORDS(batch_list),
	WORDS(size_list),
};

/* Nothing of the file but its length: other files, other words. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 53 * file_nbytes;
	uint8_t kind = (uint8_t)fuzz_random_below(&state, 4);

	(void)file;
	room.data[0] = kind;
	room.data++;
	room.nbytes--;
	return 1 + text_random(&words[kind], &state, room);
}

static size_t mutate(struct fuzz_room room, size_t nbytes, uint64_t seed)
{
	uint8_t kind = room.data[0] % 4;

	if (seed % 8 == 0)
		return LLVMFuzzerMutate(room.data, nbytes, room.nbytes);
	room.data++;
	room.nbytes--;
	return 1 + text_mutate(&words[kind], room, nbytes - 1, seed / 8);
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
	.mutate = mutate,
};
