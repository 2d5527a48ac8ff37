/* SPDX-License-Identifier: MIT */
/* Options that do not go together. */
#include <string.h>

#include "common/message.h"
#include "compress/settings.h"

static bool has_filters(const struct settings *s)
{
	return s->exclude.count > 0 || s->include.count > 0 ||
	       s->older_seconds > 0;
}

/* What cannot go together in salvaging, which has inputs of its own. */
static const char *salvage_contradiction(const struct settings *s,
					 int noperands)
{
	if (noperands == 0 || s->recursive || s->files0_from)
		return "--salvage takes the names of damaged files";
	if (!s->output || s->to_stdout || strcmp(s->output, "-") == 0)
		return "--salvage needs -o and the name of a file";
	if (s->remove || s->verify)
		return "--verify and --rm go with packing or restoring";
	if (s->update || s->output_dir || s->journal || s->until_seconds > 0 ||
	    has_filters(s))
		return "--salvage makes one archive of its inputs";
	return NULL;
}

/* The same of options for runs of many files. */
static const char *run_contradiction(const struct settings *s)
{
	bool restores = s->action == ACTION_RESTORE;
	bool writes = s->action == ACTION_PACK || restores ||
		      s->action == ACTION_CONVERT;
	bool to_stdout = s->to_stdout ||
			 (s->output && strcmp(s->output, "-") == 0);

	if (s->update && s->action != ACTION_PACK && !restores)
		return "--update goes with packing and -d";
	if (s->update && to_stdout)
		return "--update needs an output file";
	if (s->output_dir && !writes)
		return "--output-dir goes with packing, -d, --recode and "
		       "--rechunk";
	if (s->output_dir && (s->output || s->to_stdout))
		return "--output-dir excludes -o and -c";
	if (s->journal && ((!writes && s->action != ACTION_TEST) || s->dry_run))
		return "--journal goes with packing, -d, -t, --recode and "
		       "--rechunk";
	if ((s->exclude.count > 0 || s->include.count > 0) && !s->recursive)
		return "--exclude and --include go with -r";
	if ((s->older_seconds > 0 || s->until_seconds > 0) &&
	    s->action == ACTION_CHECK_MANIFEST)
		return "--older-than and --until go with files";
	if (s->json && to_stdout)
		return "--json needs standard output for itself";
	return NULL;
}

/* The same of parts, and of joining them. */
static const char *part_contradiction(const struct settings *s, int noperands)
{
	if (s->is_part && s->action != ACTION_PACK)
		return "--part goes with packing";
	if (s->is_part && (s->verify || s->remove))
		return "--verify goes with --join, not with --part, and --rm "
		       "with neither";
	if (s->is_part && (s->update || s->journal || s->dry_run))
		return "--part goes without --update, --journal and --dry-run";
	if (s->action != ACTION_JOIN)
		return NULL;
	if (noperands == 0 || s->recursive || s->files0_from)
		return "--join takes the names of all parts of a file";
	if (!s->output || s->to_stdout || strcmp(s->output, "-") == 0)
		return "--join needs -o and the name of a file";
	if (s->remove || s->json || s->dry_run || s->quick || s->update ||
	    s->output_dir || s->journal || s->until_seconds > 0 ||
	    has_filters(s))
		return "--join goes with -o, -f, -T, --verify, -q and -v only";
	return NULL;
}

/* The same of options about checking. */
static const char *check_contradiction(const struct settings *s, int noperands)
{
	bool lists = s->action == ACTION_CHECK_MANIFEST;

	if (s->archive > 0)
		return "--archive goes with --salvage";
	if ((s->output || s->to_stdout) &&
	    (lists || s->action == ACTION_MANIFEST))
		return "manifests go to standard output";
	if (s->quick && s->action != ACTION_TEST && !lists)
		return "--quick goes with -t and --check-manifest";
	if (lists && (noperands > 0 || s->files0_from))
		return "--check-manifest takes names from its file only";
	return NULL;
}

/* The same of what is done to one file after the other. */
static const char *file_contradiction(const struct settings *s, int noperands)
{
	bool converts = s->action == ACTION_CONVERT;
	bool writes = s->action == ACTION_PACK || s->action == ACTION_RESTORE ||
		      (converts && !s->dry_run);
	bool has_one = noperands <= 1 && !s->recursive && !s->files0_from;
	const char *wrong;

	if (s->output && s->to_stdout)
		return "-o and -c exclude each other";
	if (s->dry_run && !converts && s->action != ACTION_PACK)
		return "--dry-run goes with packing, --recode and --rechunk";
	if (s->dry_run && (s->output || s->to_stdout || s->verify || s->remove))
		return "--dry-run writes nothing";
	if (s->dry_run && (s->update || s->output_dir))
		return "--dry-run estimates files, whatever outputs there are";
	if ((s->output || s->to_stdout) && !writes &&
	    (s->action == ACTION_TEST || s->action == ACTION_LIST))
		return "-t and -l write no output file";
	if (s->output && !has_one)
		return "-o takes one input file";
	if (s->to_stdout && s->action != ACTION_RESTORE && !has_one)
		return "-c takes one input file: archives are not joined";
	if ((s->remove || s->verify) && !writes)
		return "--verify and --rm go with packing or restoring";
	if (s->remove && converts && !s->output && !s->output_dir)
		return "--rm needs -o with --recode and --rechunk";
	if ((s->verify || s->remove) &&
	    (s->to_stdout || (s->output && strcmp(s->output, "-") == 0)))
		return "--verify and --rm need an output file";
	if (s->json && s->action == ACTION_MANIFEST)
		return "manifests have a form of their own";
	if (s->files0_from && noperands > 0)
		return "--files0-from goes without other names";
	wrong = run_contradiction(s);
	return wrong ? wrong : check_contradiction(s, noperands);
}

/* Options that cannot be combined; NULL if all is well. */
static const char *contradiction(const struct settings *s, int noperands,
				 char **operands)
{
	bool is_stdin = !s->files0_from &&
			(noperands == 0 ||
			 (noperands == 1 && strcmp(operands[0], "-") == 0));
	bool is_many_to_one = s->action == ACTION_SALVAGE ||
			      s->action == ACTION_JOIN;
	const char *wrong = part_contradiction(s, noperands);

	if (!wrong && s->action == ACTION_SALVAGE)
		wrong = salvage_contradiction(s, noperands);
	else if (!wrong && !is_many_to_one)
		wrong = file_contradiction(s, noperands);
	if (wrong || is_many_to_one)
		return wrong;
	if (s->is_part && is_stdin)
		return "--part needs the name of a file";
	if ((s->verify || s->remove) && is_stdin && !s->output)
		return "--verify and --rm need an output file";
	if (s->remove && is_stdin)
		return "--rm needs an input and an output file";
	if (s->json && is_stdin && !s->output && !s->dry_run &&
	    (s->action == ACTION_PACK || s->action == ACTION_RESTORE ||
	     s->action == ACTION_CONVERT))
		return "--json needs standard output for itself";
	if ((s->update || s->output_dir) && is_stdin)
		return "--update and --output-dir need input files";
	return NULL;
}

static void leave_out(struct settings *s, unsigned what)
{
	s->remove = s->remove && what != DEFAULT_REMOVE;
	s->verify = s->verify && what != DEFAULT_VERIFY;
	s->quick = s->quick && what != DEFAULT_QUICK;
	s->json = s->json && what != DEFAULT_JSON;
	s->dry_run = s->dry_run && what != DEFAULT_DRY_RUN;
	s->archive = what != DEFAULT_ARCHIVE ? s->archive : 0;
	s->output = what != DEFAULT_OUTPUT ? s->output : NULL;
	s->to_stdout = s->to_stdout && what != DEFAULT_STDOUT;
	s->files0_from = what != DEFAULT_FILES0_FROM ? s->files0_from : NULL;
	s->recursive = s->recursive && what != DEFAULT_RECURSIVE;
	s->update = s->update && what != DEFAULT_UPDATE;
	s->output_dir = what != DEFAULT_OUTPUT_DIR ? s->output_dir : NULL;
	s->exclude.count = what != DEFAULT_PATTERNS ? s->exclude.count : 0;
	s->include.count = what != DEFAULT_PATTERNS ? s->include.count : 0;
	s->older_seconds = what != DEFAULT_OLDER_THAN ? s->older_seconds : 0;
	s->journal = what != DEFAULT_JOURNAL ? s->journal : NULL;
	s->until_seconds = what != DEFAULT_UNTIL ? s->until_seconds : 0;
	s->defaults &= ~what;
}

/* Whether both are the same message, or both are none. */
static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/*
 * Leaves out defaults until there is another contradiction or none, and takes
 * back those that had nothing to do with it.
 */
static void reconcile(struct settings *s, int noperands, char **operands)
{
	const char *wrong = contradiction(s, noperands, operands);
	const struct settings before = *s;

	for (unsigned d = 1; d < DEFAULT_END; d <<= 1)
		if (is_same(contradiction(s, noperands, operands), wrong) &&
		    s->defaults & d)
			leave_out(s, d);
	for (unsigned d = 1; d < DEFAULT_END; d <<= 1) {
		struct settings with = before;

		if ((before.defaults & d) == 0 || s->defaults & d)
			continue;
		for (unsigned e = 1; e < DEFAULT_END; e <<= 1)
			if (e != d && before.defaults & e &&
			    (s->defaults & e) == 0)
				leave_out(&with, e);
		if (is_same(contradiction(&with, noperands, operands),
			    contradiction(s, noperands, operands)))
			*s = with;
	}
}

int settings_check(struct settings *s, int noperands, char **operands)
{
	const char *wrong = contradiction(s, noperands, operands);
	struct settings given = *s;

	while (wrong && s->defaults) {
		unsigned before = s->defaults;

		reconcile(s, noperands, operands);
		wrong = contradiction(s, noperands, operands);
		if (s->defaults == before)
			break;
	}
	if (!wrong)
		return 0;
	/* The command line contradicts itself. */
	wrong = contradiction(&given, noperands, operands);
	message_error(NULL, "%s", wrong);
	message_hint("try --help");
	return -1;
}
