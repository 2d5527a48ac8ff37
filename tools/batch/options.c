/* SPDX-License-Identifier: MIT */
#include "batch/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/argument.h"
#include "common/message.h"
#include "common/suffix.h"
#include "batch/settings.h"
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
		message_error(NULL, "codec %s cannot be selected: %s can", name,
			      names);
	return -1;
}

static int take_nbytes(uint64_t *nbytes_ret, const char *text)
{
	if (argument_parse_size(text, nbytes_ret))
		return 0;
	message_error(NULL, "%s is not a number of bytes", text);
	return -1;
}

int option_take_text(struct settings_list *list, const char *text)
{
	const char **grown =
		realloc((void *)list->list, (list->count + 1) * sizeof(*grown));

	if (!grown)
		message_out_of_memory();
	grown[list->count++] = text;
	list->list = grown;
	return 0;
}

static int take_threads(struct settings *s, const char *text)
{
	if (argument_parse_count(text, 0, NC3Z_THREADS_MAX, &s->nthreads))
		return 0;
	message_error(NULL, "number of threads %s is not between 0 and %u",
		      text, NC3Z_THREADS_MAX);
	return -1;
}

static int take_suffix(struct settings *s, const char *text)
{
	if (text[0] == '\0' || strchr(text, '/') ||
	    strlen(text) > SUFFIX_NBYTES_MAX) {
		message_error(NULL,
			      "invalid suffix '%s': name one without a slash",
			      text);
		return -1;
	}
	s->suffix = text;
	return 0;
}

static int take_until(struct settings *s, const char *text)
{
	if (argument_parse_count(text, 1, 1000000000, &s->until_seconds))
		return 0;
	message_error(NULL, "%s is not a number of seconds from 1 on", text);
	return -1;
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

#define TARGET(key, kind, field, value) \
	{ \
		key, kind, offsetof(struct settings, field), value \
	}
#define FLAG(key, field) TARGET(key, OPTION_FLAG, field, true)
#define QUESTION(key, value) TARGET(key, OPTION_INT, question, value)
#define LEVEL(digit) TARGET('0' + (digit), OPTION_INT, level, digit)
#define TEXT(key, field) TARGET(key, OPTION_TEXT, field, 0)

const struct option_target option_targets[] = {
	QUESTION('h', ASKS_HELP),
	QUESTION('V', ASKS_VERSION),
	FLAG('f', force),
	FLAG('q', quiet),
	FLAG('v', verbose),
	FLAG('r', recursive),
	TARGET('k', OPTION_FLAG, remove, false),
	FLAG(KEY_VERIFY, verify),
	FLAG(KEY_SPARSE, sparse),
	FLAG(KEY_JSON, json),
	FLAG(KEY_OFFLINE, offline),
	LEVEL(0),
	LEVEL(1),
	LEVEL(2),
	LEVEL(3),
	LEVEL(4),
	LEVEL(5),
	LEVEL(6),
	LEVEL(7),
	LEVEL(8),
	LEVEL(9),
	TEXT('o', output),
	TEXT(KEY_FILES0_FROM, files0_from),
	TEXT(KEY_OUTPUT_DIR, output_dir),
	TEXT(KEY_JOURNAL, journal),
	{ 0 },
};

/* Among the options of a plan it would make every task a check. */
static int take_check_plan(struct settings *s)
{
	if (s->is_plan) {
		message_error(NULL, "--check-plan is given twice");
		return -1;
	}
	s->is_plan = true;
	return 0;
}

static int take_completion(struct settings *s, const char *shell)
{
	s->question = ASKS_COMPLETION;
	s->shell = shell;
	return 0;
}

int option_take_shared(void *context, int key, const char *argument)
{
	struct settings *s = context;

	switch (key) {
	case KEY_COMPLETION:
		return take_completion(s, argument);
	case KEY_CHECK_PLAN:
		return take_check_plan(s);
	case 'S':
		return take_suffix(s, argument);
	case KEY_CODEC:
		return take_codec(s, argument);
	case KEY_CHUNKS:
		return option_take_text(&s->chunks, argument);
	case KEY_MAX_MEMORY:
		return take_nbytes(&s->max_memory_nbytes, argument);
	case KEY_MAX_SIZE:
		return take_nbytes(&s->max_original_nbytes, argument);
	case KEY_RM:
		return take_remove(s, argument);
	case KEY_UPDATE:
		return take_update(s, argument);
	case KEY_UNTIL:
		return take_until(s, argument);
	case 'T':
		return take_threads(s, argument);
	default:
		return 1;
	}
}
