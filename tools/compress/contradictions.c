/* SPDX-License-Identifier: MIT */
#include "compress/contradictions.h"

#include <string.h>

#include "common/message.h"

int contradictions_check(const struct settings *s, int noperands,
			 char **operands)
{
	const enum action action = s->action;
	const bool packs = action == ACTION_PACK;
	const bool is_picky = s->exclude.count + s->include.count > 0;
	const bool from_stdin = noperands > 0 ? strcmp(*operands, "-") == 0 :
						!s->files0_from;
	const bool to_stdout = settings_write_stdout(s);
	const bool is_filter = from_stdin && !s->output;
	const bool has_lines = s->json && !s->dry_run &&
			       (packs || action == ACTION_RESTORE);
	/* What is so, by letter and name, and what it excludes, by letters. */
	const struct {
		char letter;
		const char *name;
		bool is_so;
		const char *excludes;
	} facts[] = {
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
		{ 0, "--journal", s->journal, "lp" },
		{ 0, "--json", has_lines, ">" },
		{ 0, "--exclude or --include", is_picky, "f" },
		{ 0, "--files0-from", s->files0_from, "n" },
	};
	const size_t n = sizeof(facts) / sizeof(*facts);

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
