/* SPDX-License-Identifier: MIT */
#include "batch/damage.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct line {
	char *text;
	size_t nbytes;
};

static void put(const struct line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(const struct line *line, const char *format, ...)
{
	size_t used = strlen(line->text);
	va_list args;

	va_start(args, format);
	vsnprintf(line->text + used, line->nbytes - used, format, args);
	va_end(args);
}

static void put_indices(const struct line *line, const uint64_t *indices, int n)
{
	for (int i = 0; i < n; i++)
		put(line, "%s%" PRIu64, i == 0 ? "[" : ", ", indices[i]);
	put(line, "]");
}

static void put_range(const struct line *line,
		      const struct nc3z_block_range *range)
{
	if (range->ndims > 0) {
		put_indices(line, range->first, range->ndims);
		put(line, range->is_box ? " to, as a box, " : " to ");
		put_indices(line, range->last, range->ndims);
	} else if (range->nvars > 1) {
		put(line, " and %" PRIu32 " more variables", range->nvars - 1);
	}
}

static int describe(struct nc3z_file *file, const struct nc3z_error *err,
		    const struct line *line)
{
	struct nc3z_block_range range;
	struct nc3z_var var;

	if (nc3z_inq_block_range(file, err->stream, err->block, &range, NULL) !=
	    NC3Z_OK)
		return 0;
	if (range.varid == NC3Z_GLOBAL) {
		put(line, "bytes of no variable, such as the header");
		return 1;
	}
	if (nc3z_inq_var(file, range.varid, &var, NULL) != NC3Z_OK)
		return 0;
	put(line, "%s", var.name);
	put_range(line, &range);
	return 1;
}

int damage_describe(int fd, const struct nc3z_error *err, char *text,
		    size_t text_nbytes)
{
	const struct line line = { text, text_nbytes };
	struct nc3z_open_options options;
	struct nc3z_source *source;
	struct nc3z_file *file;
	int is_told;

	text[0] = '\0';
	if (err->stream == NC3Z_NO_NUMBER || err->block == NC3Z_NO_NUMBER ||
	    nc3z_source_open_fd(fd, &source, NULL) != NC3Z_OK)
		return 0;
	nc3z_open_options_init(&options);
	options.nthreads = 1;
	options.readahead_nbytes = 0;
	if (nc3z_open_source(source, &options, &file, NULL) != NC3Z_OK) {
		nc3z_source_close(source);
		return 0;
	}
	is_told = describe(file, err, &line);
	nc3z_close(file);
	return is_told;
}
