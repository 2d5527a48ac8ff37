/* Options that do not go together. */
#include <string.h>

#include "common/message.h"
#include "compress/settings.h"

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

/* What cannot go together; NULL if all is well. */
static const char *contradiction(const struct settings *s, int noperands)
{
	bool converts = s->action == ACTION_CONVERT;
	bool writes = s->action == ACTION_PACK || s->action == ACTION_RESTORE ||
		      (converts && !s->dry_run);
	bool has_one = noperands <= 1 && !s->recursive && !s->files0_from;

	if (s->output && s->to_stdout)
		return "-o and -c exclude each other";
	if (s->dry_run && !converts)
		return "--dry-run goes with --recode and --rechunk";
	if (s->dry_run && (s->output || s->to_stdout || s->verify))
		return "--dry-run writes nothing";
	if ((s->output || s->to_stdout) && !writes &&
	    (s->action == ACTION_TEST || s->action == ACTION_LIST))
		return "-t and -l write no output file";
	if (s->output && !has_one)
		return "-o takes one input file";
	if (s->to_stdout && s->action != ACTION_RESTORE && !has_one)
		return "-c takes one input file: archives are not joined";
	if ((s->remove || s->verify) && !writes)
		return "--verify and --rm go with packing or restoring";
	if (s->remove && converts && !s->output)
		return "--rm needs -o with --recode and --rechunk";
	if (s->verify &&
	    (s->to_stdout || (s->output && strcmp(s->output, "-") == 0)))
		return "--verify and --rm need an output file";
	if (s->json && s->action != ACTION_LIST && !s->dry_run)
		return "--json goes with -l, --salvage and --dry-run";
	if (s->files0_from && noperands > 0)
		return "--files0-from goes without other names";
	return check_contradiction(s, noperands);
}

int settings_check(const struct settings *s, int noperands)
{
	const char *wrong = s->action == ACTION_SALVAGE ?
				    salvage_contradiction(s, noperands) :
				    contradiction(s, noperands);

	if (!wrong)
		return 0;
	message_error(NULL, "%s", wrong);
	message_hint("try --help");
	return -1;
}
