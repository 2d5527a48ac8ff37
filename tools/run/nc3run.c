/* SPDX-License-Identifier: MIT */
/*
 * nc3run: runs a program that reads netCDF files, so that it reads archives,
 * too.
 *
 * The plug-in for libnetcdf is preloaded.  Some programs look at a file by
 * themselves before libnetcdf sees it, but not at names with a scheme: for
 * these, arguments that are archives get one, which the plug-in takes off.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/archive_magic.h"
#include "common/message.h"
#include "common/option.h"
#include "common/standard.h"
#include "common/suffix.h"
#include "nc3z.h"

/* As the shell exits for a command that it cannot run, or find. */
#define EXIT_CANNOT_RUN 126
#define EXIT_NO_COMMAND 127

#define KEY_COMPLETION 256

enum run_action {
	ACTION_RUN,
	ACTION_HELP,
	ACTION_VERSION,
	ACTION_COMPLETION,
	ACTION_PLUGIN
};

struct run_settings {
	enum run_action action;
	const char *shell;
};

static const struct option_row rows[] = {
	{ 'p', "plugin", NULL, "print the path of the plug-in" },
	{ 'h', "help", NULL, "show this text" },
	{ 'V', "version", NULL, "print the version" },
	{ KEY_COMPLETION, "completion", "SHELL",
	  "print a completion script for bash, fish or zsh" },
	{ 0, NULL, NULL, NULL },
};

/* Only --completion does more than choose the action. */
static int take_option(void *context, int key, const char *argument)
{
	struct run_settings *settings = context;

	if (key != KEY_COMPLETION)
		return 1;
	settings->action = ACTION_COMPLETION;
	settings->shell = argument;
	return 0;
}

#define ACTION(key, value) \
	{ \
		key, OPTION_INT, offsetof(struct run_settings, action), value \
	}

static const struct option_target targets[] = {
	ACTION('p', ACTION_PLUGIN),
	ACTION('h', ACTION_HELP),
	ACTION('V', ACTION_VERSION),
	{ 0 },
};

static const struct option_table table = {
	.program = "nc3run",
	.usage = "[OPTION] | COMMAND [ARGUMENT...]",
	.summary = "Runs COMMAND so that it reads nc3z archives as the netCDF "
		   "files inside.",
	.rows = rows,
	.footer = "COMMAND must be linked dynamically with netcdf-c 4.7.1 or "
		  "later.\n",
	.takes_command = true,
	.targets = targets,
	.take = take_option,
};

/* Options end where the command begins, which has options of its own. */
static int count_options(int argc, char **argv)
{
	int n = 1;

	while (n < argc && argv[n][0] == '-' && strcmp(argv[n], "--") != 0)
		n++;
	return n;
}

/* A string from malloc(); ends the program if there is no memory. */
static char *join_strings(const char *a, const char *b, const char *c,
			  const char *d)
{
	size_t nbytes = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
	char *joined = malloc(nbytes);

	if (!joined)
		message_out_of_memory();
	snprintf(joined, nbytes, "%s%s%s%s", a, b, c, d);
	return joined;
}

/* The plug-in lies where this program does, as it was installed or built. */
static char *find_plugin(void)
{
	static const char *const dirs[] = { NC3Z_LIBDIR_FROM_BINDIR "/nc3z",
					    "../lib/nc3z", "../lib" };
	char here[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", here, sizeof(here) - 1);

	if (n < 0)
		return NULL;
	here[n] = '\0';
	*strrchr(here, '/') = '\0';
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		char *path = join_strings(here, "/", dirs[i], "/" NC3Z_PLUGIN);
		char *real = realpath(path, NULL);

		free(path);
		if (real)
			return real;
	}
	return NULL;
}

/* What a tar has inside is told by its name alone. */
static bool is_member(const char *path)
{
	char *member,
		*tar = nc3z_is_url(path) ? NULL : nc3z_tar_split(path, &member);
	bool found = tar && access(tar, F_OK) == 0 &&
		     file_has_suffix(path, NC3Z_SUFFIX);

	if (tar)
		free(member);
	free(tar);
	return found;
}

static bool is_archive(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd >= 0 ? archive_magic_check(fd) : is_member(path);
}

/* The path from the root on, from malloc(). */
static char *absolute(const char *path)
{
	char here[PATH_MAX];

	if (path[0] == '/' || !getcwd(here, sizeof(here)))
		return join_strings(path, "", "", "");
	return join_strings(here, "/", path, "");
}

/* CDO passes names with a scheme on to libnetcdf unseen. */
static char *rewrite_for_cdo(const char *argument)
{
	char *path, *rewritten;

	if (!is_archive(argument))
		return NULL;
	path = absolute(argument);
	rewritten = join_strings("nc3z://", path, "", "");
	free(path);
	return rewritten;
}

/* By its name alone: nothing is fetched before a program asks for it. */
static bool is_url_of_archive(const char *argument)
{
	size_t n = strlen(NC3Z_SUFFIX), end = strcspn(argument, "?#");

	return nc3z_is_url(argument) && end > n &&
	       strncmp(argument + end - n, NC3Z_SUFFIX, n) == 0;
}

/*
 * GDAL does so where it is told the driver, in small letters or capitals, and
 * the scheme is one it knows: NETCDF:"http:///path":variable.  As this URL has
 * no host, it is none that a server could answer.
 */
static char *rewrite_for_gdal(const char *argument)
{
	static const char driver[] = "NETCDF:";
	char *name, *path, *rest, *rewritten = NULL;
	bool quoted;

	if (strncasecmp(argument, driver, strlen(driver)) == 0)
		argument += strlen(driver);
	quoted = argument[0] == '"';
	if (is_url_of_archive(argument))
		return join_strings(driver, "\"", argument, "\"");
	name = join_strings(argument + quoted, "", "", "");
	rest = quoted ? strchr(name, '"') : strrchr(name, ':');
	if (rest && (quoted || !is_archive(name)))
		*rest++ = '\0';
	else
		rest = name + strlen(name);
	/* After a quoted name, the rest begins with its colon. */
	if (*rest == ':')
		rest++;
	if (is_archive(name)) {
		char *tail = *rest ? join_strings("\":", rest, "", "") :
				     join_strings("\"", "", "", "");

		path = absolute(name);
		rewritten = join_strings("NETCDF:\"http://", path, tail, "");
		free(path);
		free(tail);
	}
	free(name);
	return rewritten;
}

static void rewrite_arguments(char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *program = slash ? slash + 1 : argv[0];
	char *(*rewrite)(const char *argument) = NULL;
	bool has_format = false, has_archive = false;

	if (strncmp(program, "cdo", 3) == 0)
		rewrite = rewrite_for_cdo;
	else if (strncmp(program, "gdal", 4) == 0)
		rewrite = rewrite_for_gdal;
	for (char **arg = argv + 1; rewrite && *arg; arg++) {
		char *rewritten = rewrite(*arg);

		has_format |= strcmp(*arg, "-f") == 0 ||
			      strcmp(*arg, "--format") == 0;
		has_archive |= rewritten != NULL;
		if (rewritten)
			*arg = rewritten;
	}
	/* It would end the names of parts, as of splitmon, as its input's. */
	if (rewrite == rewrite_for_cdo && has_archive && !has_format)
		setenv("CDO_FILE_SUFFIX", ".nc", 0);
}

/* Has the loader load the plug-in into programs that are run from now on. */
static bool preload(const char *plugin)
{
	const char *others = getenv("LD_PRELOAD");
	bool has_others = others && *others;
	char *all = join_strings(plugin, has_others ? ":" : "",
				 has_others ? others : "", "");
	bool ok = setenv("LD_PRELOAD", all, 1) == 0;

	free(all);
	if (!ok)
		message_error(NULL, "out of memory");
	return ok;
}

static int run_program(const char *plugin, char **argv)
{
	int sys_errno;

	/* The loader takes both for the end of a name. */
	if (strpbrk(plugin, ": ")) {
		message_error(plugin, "cannot be preloaded: its name has a "
				      "colon or a space");
		return EXIT_FAILED;
	}
	if (!preload(plugin))
		return EXIT_FAILED;
	rewrite_arguments(argv);
	execvp(argv[0], argv);
	sys_errno = errno;
	message_error(argv[0], "cannot run: %s", strerror(sys_errno));
	return sys_errno == ENOENT ? EXIT_NO_COMMAND : EXIT_CANNOT_RUN;
}

static int act_on_program(const struct run_settings *settings, char **argv)
{
	enum run_action action = settings->action;
	char *plugin;
	int status = EXIT_DONE;

	if (action == ACTION_COMPLETION)
		return option_print_completion(&table, settings->shell) == 0 ?
			       EXIT_DONE :
			       EXIT_USAGE;
	if (action == ACTION_HELP) {
		option_print_help(&table);
		return EXIT_DONE;
	}
	if (action == ACTION_VERSION) {
		puts("nc3run " NC3Z_VERSION);
		return EXIT_DONE;
	}
	plugin = find_plugin();
	if (!plugin) {
		message_error(
			NULL,
			"%s not found beside this program: install nc3z again",
			NC3Z_PLUGIN);
		return EXIT_FAILED;
	}
	if (action == ACTION_RUN)
		status = run_program(plugin, argv);
	else
		puts(plugin);
	free(plugin);
	return status;
}

int main(int argc, char **argv)
{
	struct run_settings settings = { .action = ACTION_RUN };
	int first = count_options(argc, argv);

	standard_streams_hold();
	message_init("nc3run");
	if (option_parse(&table, first, argv, &settings) < 0)
		return EXIT_USAGE;
	if (first < argc && strcmp(argv[first], "--") == 0)
		first++;
	if (settings.action == ACTION_RUN && first == argc) {
		message_error(NULL, "no command");
		message_hint("try --help");
		return EXIT_USAGE;
	}
	return (int)standard_output_end(
		(enum exit_status)act_on_program(&settings, argv + first));
}
