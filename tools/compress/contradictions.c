/* SPDX-License-Identifier: MIT */
#include "compress/contradictions.h"

#include <string.h>

#include "common/message.h"

/* What is so, by letter and name, and what it excludes, by letters. */
struct fact {
	char letter;
	const char *name;
	bool is_so;
	const char *excludes;
};

static int check(const struct fact *facts, size_t n)
{
	for (size_t i = 0; i < n * n; i++) {
		size_t a = i / n, b = i % n;

		if (facts[a].is_so && facts[b].is_so && facts[b].letter &&
		    strchr(facts[a].excludes, facts[b].letter)) {
			message_error(NULL, "%s cannot be combined with %s",
				      facts[a].name, facts[b].name);
			return -1;
		}
	}
	return 0;
}

int contradictions_check(const struct settings *s, int noperands,
			 char **operands)
{
	const enum action action = s->action;
	const bool packs = action == ACTION_PACK;
	const bool is_picky = s->exclude.count + s->include.count > 0;
	const bool from_stdin = noperands > 0 ? strcmp(*operands, "-") == 0 :
						!s->files0_from && !s->is_plan;
	const bool to_stdout = settings_write_stdout(s);
	const bool is_filter = from_stdin && !s->output;
	const bool has_lines = s->json && !s->dry_run &&
			       (packs || action == ACTION_RESTORE);
	const struct fact facts[] = {
		{ 'd', "-d", action == ACTION_RESTORE, "" },
		{ 't', "-t", action == ACTION_TEST, "" },
		{ 'l', "-l", action == ACTION_LIST, "" },
		{ '<', "standard input", from_stdin, "" },
		{ '>', "standard output", to_stdout || is_filter, "" },
		{ 'm',
		  s->output && !s->output_dir ?
			  "several inputs: use --output-dir" :
			  "several inputs",
		  !settings_have_one_input(s, noperands), "" },
		{ 'f', "a command without -r", !s->recursive, "" },
		{ 'r', "-r", s->recursive, "" },
		{ 'a', "--older-than", s->older_seconds > 0, "" },
		{ 'j', "--json", s->json, "" },
		{ 'u', "--until", s->until_seconds > 0, "" },
		{ 'n', "other names", noperands > 0, "" },
		{ 'y', "--dry-run", s->dry_run, "dtl" },
		{ 'c', "-c", s->to_stdout, "tly" },
		{ 0, "packing to -c", s->to_stdout && packs, "m" },
		{ 'o', "-o", s->output, "tlycm" },
		{ 'p', "--part", s->is_part, "dtly<" },
		{ 0, "--output-dir", s->output_dir, "tlyco<" },
		{ 0, "--update", s->update, "tlp<>" },
		{ 0, "--rm", s->remove, "tlp<>" },
		{ 0, "--verify", s->verify, "tlp>" },
		{ 'J', "--journal", s->journal, "lp" },
		{ 0, "--json", has_lines, ">" },
		{ 0, "--exclude or --include", is_picky, "f" },
		{ 0, "--offline", s->offline, "f" },
		{ '0', "--files0-from", s->files0_from, "n" },
		{ 0, "a plan", s->is_plan, "lcoypr<najuJ0" },
	};

	return check(facts, sizeof(facts) / sizeof(*facts));
}
