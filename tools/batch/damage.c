/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "batch/damage.h"

#include <inttypes.h>
#include <stdio.h>

static void put_indices(FILE *to, const uint64_t *indices, int n)
{
	for (int i = 0; i < n; i++)
		fprintf(to, "%s%" PRIu64, i == 0 ? "[" : ", ", indices[i]);
	fputs("]", to);
}

static void put_range(FILE *to, const struct nc3z_block_range *range)
{
	if (range->ndims > 0) {
		put_indices(to, range->first, range->ndims);
		fputs(range->is_box ? " to, as a box, " : " to ", to);
		put_indices(to, range->last, range->ndims);
	} else if (range->nvars > 1) {
		fprintf(to, " and %" PRIu32 " more variables",
			range->nvars - 1);
	}
}

static void describe_damage(FILE *to, struct nc3z_file *file,
			    const struct nc3z_error *err)
{
	struct nc3z_block_range range;
	struct nc3z_var var;

	if (nc3z_inq_block_range(file, err->stream, err->block, &range, NULL) !=
	    NC3Z_OK)
		return;
	if (range.varid == NC3Z_GLOBAL) {
		fputs("bytes of no variable, such as the header", to);
	} else if (nc3z_inq_var(file, range.varid, &var, NULL) == NC3Z_OK) {
		fputs(var.name, to);
		put_range(to, &range);
	}
}

int damage_describe(int fd, const struct nc3z_error *err, char *text,
		    size_t text_nbytes)
{
	struct nc3z_open_options options;
	struct nc3z_source *source;
	struct nc3z_file *file;
	FILE *to;

	/* A stream ends with a NUL only if there is room for it. */
	text[0] = text[--text_nbytes] = '\0';
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
	to = fmemopen(text, text_nbytes, "w");
	if (to) {
		describe_damage(to, file, err);
		fclose(to);
	}
	nc3z_close(file);
	return text[0] != '\0';
}
