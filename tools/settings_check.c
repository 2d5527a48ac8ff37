/* Options that do not go together. */
#include <string.h>

#include "message.h"
#include "settings.h"

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
	if ((s->output || s->to_stdout) && !writes)
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
		return "--json goes with -l and --dry-run";
	if (s->files0_from && noperands > 0)
		return "--files0-from goes without other names";
	return NULL;
}

int settings_check(const struct settings *s, int noperands)
{
	const char *wrong = contradiction(s, noperands);

	if (!wrong)
		return 0;
	message_error(NULL, "%s", wrong);
	message_hint("try --help");
	return -1;
}
