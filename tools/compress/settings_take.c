/* SPDX-License-Identifier: MIT */
/* Taking the options that have an argument to be understood. */
#include "compress/settings_take.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/argument.h"
#include "common/message.h"
#include "compress/settings.h"
#include "nc3z_tools.h"

/* "store, deflate, bzip2, zstd and lzma": all but context coding. */
static void list_codecs(char *names, size_t nbytes)
{
	names[0] = '\0';
	for (int i = 0; nc3z_codec_name(i); i++) {
		const char *between = i == 0                 ? "" :
				      nc3z_codec_name(i + 1) ? ", " :
							       " and ";
		size_t used = strlen(names);

		if (i != NC3Z_CODEC_CONTEXT)
			snprintf(names + used, nbytes - used, "%s%s", between,
				 nc3z_codec_name(i));
	}
}

static int take_codec(struct settings *s, const char *name)
{
	char names[200];

	s->codec = nc3z_codec_by_name(name);
	if (s->codec >= 0 && s->codec != NC3Z_CODEC_CONTEXT)
		return 0;
	list_codecs(names, sizeof(names));
	if (s->codec < 0)
		message_error(NULL, "unknown codec %s: %s are known", name,
			      names);
	else
		message_error(NULL, "codec %s cannot be asked for: %s can be",
			      name, names);
	return -1;
}

static int take_block_size(struct settings *s, const char *text)
{
	uint64_t n;

	if (!argument_parse_size(text, &n) || n < NC3Z_BLOCK_NBYTES_MIN ||
	    n > NC3Z_BLOCK_NBYTES_MAX) {
		message_error(NULL, "block size %s is not within 4K and 64M",
			      text);
		return -1;
	}
	s->block_nbytes = (uint32_t)n;
	return 0;
}

static int take_nbytes(uint64_t *nbytes_ret, const char *text)
{
	if (argument_parse_size(text, nbytes_ret))
		return 0;
	message_error(NULL, "%s is not a number of bytes", text);
	return -1;
}

static int take_text(struct settings_list *list, const char *text)
{
	const char **grown =
		realloc((void *)list->list, (list->count + 1) * sizeof(*grown));

	if (!grown)
		message_out_of_memory();
	grown[list->count++] = text;
	list->list = grown;
	return 0;
}

static int take_pattern(struct settings_list *list, const char *text)
{
	bool *grown =
		realloc(list->matched, (list->count + 1) * sizeof(*grown));

	if (!grown)
		message_out_of_memory();
	grown[list->count] = false;
	list->matched = grown;
	/* As of "$DIR/" where DIR is not set. */
	if (text[strspn(text, "./")] == '\0') {
		message_error(NULL, "pattern '%s' names nothing", text);
		return -1;
	}
	return take_text(list, text);
}

static int take_threads(struct settings *s, const char *text)
{
	if (argument_parse_count(text, 0, NC3Z_THREADS_MAX, &s->nthreads))
		return 0;
	message_error(NULL, "number of threads %s is not within 0 and %u", text,
		      NC3Z_THREADS_MAX);
	return -1;
}

static int take_archive(struct settings *s, const char *text)
{
	if (argument_parse_count(text, 1, UINT32_MAX, &s->archive))
		return 0;
	message_error(NULL, "%s is not the number of an archive", text);
	return -1;
}

static int take_part(struct settings *s, const char *text)
{
	const char *slash = strchr(text, '/');
	char number[16];

	s->is_part = true;
	s->part_number = s->part_count = 0;
	if (strcmp(text, "sha256") == 0)
		return 0;
	if (slash && (size_t)(slash - text) < sizeof(number)) {
		snprintf(number, sizeof(number), "%.*s", (int)(slash - text),
			 text);
		if (argument_parse_count(slash + 1, 1, NC3Z_PARTS_MAX,
					 &s->part_count) &&
		    argument_parse_count(number, 1, s->part_count,
					 &s->part_number))
			return 0;
	}
	message_error(NULL,
		      "part %s is neither 'sha256' nor I/N, a number from 1 to "
		      "N of %u parts at most",
		      text, NC3Z_PARTS_MAX);
	return -1;
}

static int take_suffix(struct settings *s, const char *text)
{
	if (text[0] == '\0' || strchr(text, '/')) {
		message_error(NULL, "invalid suffix '%s'", text);
		return -1;
	}
	s->suffix = text;
	return 0;
}

static int take_remove(struct settings *s, const char *what)
{
	if (what && strcmp(what, "all") != 0) {
		message_error(NULL, "--rm takes no argument or 'all', not %s",
			      what);
		return -1;
	}
	s->remove = true;
	s->remove_all = what != NULL;
	return 0;
}

static int take_update(struct settings *s, const char *what)
{
	if (what && strcmp(what, "replace") != 0) {
		message_error(NULL,
			      "--update takes no argument or 'replace', not %s",
			      what);
		return -1;
	}
	s->update = true;
	s->replaces_stale = what != NULL;
	return 0;
}

/* "30d", "12h", "5m", "60s"; a number alone is days. */
static int take_age(struct settings *s, const char *text)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 } };
	char number[16] = "";
	size_t n = strspn(text, "0123456789");
	const char *unit = text[n] ? text + n : "d";
	unsigned count;

	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	for (size_t i = 0; i < 4; i++)
		if (n < sizeof(number) && unit[0] == units[i].unit &&
		    unit[1] == '\0' &&
		    argument_parse_count(number, 1, 1000000000, &count)) {
			s->older_seconds = count * units[i].seconds;
			return 0;
		}
	message_error(NULL,
		      "age %s is no number of days, or with h, m or s of "
		      "hours, minutes or seconds",
		      text);
	return -1;
}

static int take_until(struct settings *s, const char *text)
{
	if (argument_parse_count(text, 1, 1000000000, &s->until_seconds))
		return 0;
	message_error(NULL, "%s is not a number of seconds", text);
	return -1;
}

static unsigned default_of(int key)
{
	static const struct {
		int key;
		unsigned value;
	} defaults[] = {
		{ 'c', DEFAULT_STDOUT },
		{ 'o', DEFAULT_OUTPUT },
		{ 'r', DEFAULT_RECURSIVE },
		{ KEY_RM, DEFAULT_REMOVE },
		{ KEY_VERIFY, DEFAULT_VERIFY },
		{ KEY_QUICK, DEFAULT_QUICK },
		{ KEY_JSON, DEFAULT_JSON },
		{ KEY_DRY_RUN, DEFAULT_DRY_RUN },
		{ KEY_ARCHIVE, DEFAULT_ARCHIVE },
		{ KEY_FILES0_FROM, DEFAULT_FILES0_FROM },
		{ KEY_UPDATE, DEFAULT_UPDATE },
		{ KEY_OUTPUT_DIR, DEFAULT_OUTPUT_DIR },
		{ KEY_EXCLUDE, DEFAULT_PATTERNS },
		{ KEY_INCLUDE, DEFAULT_PATTERNS },
		{ KEY_OLDER_THAN, DEFAULT_OLDER_THAN },
		{ KEY_JOURNAL, DEFAULT_JOURNAL },
		{ KEY_UNTIL, DEFAULT_UNTIL },
	};

	for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++)
		if (defaults[i].key == key)
			return defaults[i].value;
	return 0;
}

/* Of the environment, then of the command line. */
void settings_see_default(void *context, int key)
{
	struct settings *s = context;

	s->defaults |= default_of(key);
}

void settings_see(void *context, int key)
{
	struct settings *s = context;

	s->defaults &= ~default_of(key);
}

int settings_take(void *context, int key, const char *argument)
{
	struct settings *s = context;

	switch (key) {
	case KEY_RM:
		return take_remove(s, argument);
	case KEY_PART:
		return take_part(s, argument);
	case KEY_ARCHIVE:
		return take_archive(s, argument);
	case KEY_UPDATE:
		return take_update(s, argument);
	case KEY_EXCLUDE:
		return take_pattern(&s->exclude, argument);
	case KEY_INCLUDE:
		return take_pattern(&s->include, argument);
	case KEY_OLDER_THAN:
		return take_age(s, argument);
	case KEY_UNTIL:
		return take_until(s, argument);
	case KEY_CHECK_MANIFEST:
		s->action = ACTION_CHECK_MANIFEST;
		s->manifest = argument;
		return 0;
	case KEY_COMPLETION:
		s->action = ACTION_COMPLETION;
		s->shell = argument;
		return 0;
	case 'S':
		return take_suffix(s, argument);
	case KEY_CODEC:
		return take_codec(s, argument);
	case 'b':
		return take_block_size(s, argument);
	case KEY_CHUNKS:
		return take_text(&s->chunks, argument);
	case KEY_RECHUNK:
		s->action = ACTION_CONVERT;
		return take_text(&s->rechunk, argument);
	case KEY_MAX_MEMORY:
		return take_nbytes(&s->max_memory_nbytes, argument);
	case KEY_MAX_SIZE:
		return take_nbytes(&s->max_original_nbytes, argument);
	case 'T':
		return take_threads(s, argument);
	default:
		return 1;
	}
}
