/* SPDX-License-Identifier: MIT */
#include "convert/convert.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/message.h"
#include "common/suffix.h"

static bool is_missing(const char *name)
{
	struct stat stat;

	return strcmp(name, "-") != 0 && !strstr(name, "://") &&
	       lstat(name, &stat) != 0 && errno == ENOENT;
}

static bool is_there(const char *name)
{
	struct stat stat;

	return strcmp(name, "-") != 0 && lstat(name, &stat) == 0;
}

/* How a file is made of another, by their endings; the first that fits. */
struct way {
	const char *from; /* NULL: of any */
	const char *to;
	const char *line;
	bool is_ours;
	enum convert_target target;
};

static const struct way ways[] = {
	{ NULL, NETCDF4_SUFFIX, "nc3convert --to=netcdf4", true,
	  TARGET_NETCDF4 },
	{ NETCDF4_SUFFIX, CLASSIC_SUFFIX, "nc3convert --to=classic", true,
	  TARGET_CLASSIC },
	{ NETCDF4_SUFFIX, NC3Z_SUFFIX, "nc3convert --to=nc3z", true,
	  TARGET_NC3Z },
	{ NC3Z_SUFFIX, NC3Z_SUFFIX, "nc3convert", true, TARGET_AS_IS },
	{ NC3Z_SUFFIX, CLASSIC_SUFFIX, "nc3compress -d", false, TARGET_AS_IS },
	{ NULL, NC3Z_SUFFIX, "nc3compress", false, TARGET_AS_IS },
	{ NULL, "", "nc3convert --to=FORMAT", false, TARGET_AS_IS },
};

static const struct way *find_way(const char *in, const char *out)
{
	const struct way *way = ways;

	while ((way->from && !file_has_suffix(in, way->from)) ||
	       !file_has_suffix(out, way->to))
		way++;
	return way;
}

/* Whether a file that is there is none that would be converted. */
static bool is_no_input(const struct convert_settings *c, const char *name)
{
	bool is_netcdf4 = file_has_suffix(name, NETCDF4_SUFFIX);

	switch (c->target) {
	case TARGET_AS_IS:
		return !c->shared.force || is_netcdf4;
	case TARGET_NETCDF4:
		return is_netcdf4;
	default:
		return !is_netcdf4;
	}
}

static enum exit_status refuse_existing(const struct convert_settings *c,
					const struct way *way, const char *in,
					const char *out)
{
	message_error(out,
		      "exists, so both names were taken for inputs: to replace "
		      "it, type %s -f -o %s %s%s",
		      way->line, out, in,
		      way->is_ours && way->target == TARGET_AS_IS &&
				      c->target == TARGET_AS_IS ?
			      "; -f alone converts both" :
			      "");
	return EXIT_FAILED;
}

enum exit_status operands_take_output(struct convert_settings *c,
				      int *noperands, char **operands)
{
	struct settings *s = &c->shared;
	const char *in = operands[0], *out = operands[1];
	const struct way *way;

	if (*noperands != 2 || s->output || s->output_dir || s->recursive ||
	    is_missing(in))
		return EXIT_DONE;
	way = find_way(in, out);
	if (is_there(out) && strcmp(in, out) != 0 && is_no_input(c, out))
		return refuse_existing(c, way, in, out);
	if (!is_missing(out))
		return EXIT_DONE;
	if (way->is_ours &&
	    (c->target == TARGET_AS_IS || c->target == way->target)) {
		c->target = way->target;
		s->output = operands[1];
		*noperands = 1;
		return EXIT_DONE;
	}
	message_error(out,
		      "there is no such file: to make it, type %s -o %s %s",
		      way->line, out, in);
	return EXIT_USAGE;
}
