/* SPDX-License-Identifier: MIT */
/*
 * nc3dump: prints archives and netCDF classic files as CDL text, as ncdump
 * does, or their header, blocks or values in other forms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/standard.h"
#include "common/suffix.h"
#include "dump/cdl_header.h"
#include "dump/time_attributes.h"
#include "nc3z_tools.h"

/* The file's name without directories, the archive's suffix, and one more. */
static bool make_names(struct dump *dump)
{
	const char *last, *dot;
	size_t nbytes = strlen(dump->path);

	if (file_has_suffix(dump->path, NC3Z_SUFFIX))
		nbytes -= strlen(NC3Z_SUFFIX);
	dump->original_path = strndup(dump->path, nbytes);
	if (!dump->original_path)
		return false;
	last = standard_last_name(dump->original_path);
	dot = strrchr(last, '.');
	dump->name = dump->settings->name ?
			     strdup(dump->settings->name) :
			     strndup(last,
				     dot ? (size_t)(dot - last) : strlen(last));
	return dump->name != NULL;
}

static enum exit_status print_kind(const struct dump *dump)
{
	int version = nc3z_inq_format(dump->file);

	if (dump->settings->output == DUMP_KIND)
		puts(dump_kind(dump));
	else
		printf("%s mode=%08x\n",
		       version == 5 ? "64-bit data" : dump_kind(dump),
		       version == 5 ? 0x20u :
		       version == 2 ? 0x200u :
				      0u);
	return EXIT_DONE;
}

static enum exit_status print_dump(struct dump *dump)
{
	char why[600];

	if (dump->settings->output == DUMP_KIND ||
	    dump->settings->output == DUMP_KIND_EXTENDED)
		return print_kind(dump);
	if (!selections_parse(&dump->selections, dump->file,
			      dump->settings->variables, why, sizeof(why))) {
		message_error(dump->path, "%s", why);
		return EXIT_FAILED;
	}
	return dump_contents(dump);
}

static enum exit_status open_and_print(struct dump *dump)
{
	struct nc3z_open_options options;
	char refusal[NC3Z_REFUSAL_NBYTES];

	nc3z_open_options_init(&options);
	options.ignores_truncation = 1;
	if (nc3z_open(dump->operand, &options, &dump->file, &dump->err) !=
	    NC3Z_OK)
		return dump_fail(dump, NULL);
	if (nc3z_inq_refusal_text(dump->file, refusal, sizeof(refusal))) {
		message_error(dump->path, "netCDF libraries refuse it: %s",
			      refusal);
		return EXIT_FAILED;
	}
	nc3z_inq(dump->file, &dump->ndims, &dump->nvars, &dump->natts,
		 &dump->unlimdimid);
	return make_names(dump) ? print_dump(dump) : dump_no_memory(dump);
}

static enum exit_status run_dump(const struct dump_settings *settings)
{
	struct dump dump = {
		.settings = settings,
		.to = stdout,
		.operand = settings->path,
	};
	enum exit_status status;

	dump.path = message_name(settings->path);
	status = open_and_print(&dump);

	selections_release(&dump.selections);
	time_bounds_release(&dump);
	nc3z_close(dump.file);
	free(dump.original_path);
	free(dump.name);
	free(dump.path);
	return status;
}

static enum exit_status act_on_file(const struct dump_settings *settings)
{
	switch (settings->output) {
	case DUMP_HELP:
		dump_settings_print_help();
		return EXIT_DONE;
	case DUMP_VERSION:
		puts("nc3dump " NC3Z_VERSION);
		return EXIT_DONE;
	case DUMP_COMPLETION:
		return dump_settings_print_completion(settings->shell) == 0 ?
			       EXIT_DONE :
			       EXIT_USAGE;
	default:
		return run_dump(settings);
	}
}

int main(int argc, char **argv)
{
	enum exit_status status = EXIT_USAGE;
	struct dump_settings settings;

	standard_streams_hold();
	message_init("nc3dump");
	if (dump_settings_parse(&settings, argc, argv) >= 0)
		status = act_on_file(&settings);
	return (int)standard_output_end(status);
}
