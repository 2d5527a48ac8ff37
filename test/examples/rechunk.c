/* SPDX-License-Identifier: MIT */
/*
 * Converts an archive into one with chunks for time series, without a classic
 * file in between.
 *
 *	rechunk ARCHIVE OUTPUT
 *
 * ARCHIVE is a path, a URL or TAR//MEMBER.  OUTPUT appears once it is complete
 * and on disk; an existing file is not replaced.
 */
#include <nc3z.h>
#include <stdio.h>

static int rechunk(const char *name, const char *output,
		   struct nc3z_summary *summary, struct nc3z_error *err)
{
	static const char *const chunks[] = { "series" };
	struct nc3z_pack_options options;
	struct nc3z_source *source = NULL;
	struct nc3z_sink *sink = NULL;
	int status;

	nc3z_pack_options_init(&options);
	options.chunks = chunks;
	options.nchunks = 1;
	status = nc3z_source_open_name(name, 0, &source, err);
	if (status == NC3Z_OK)
		status = nc3z_sink_open_path(output, 0, 0644, &sink, err);
	if (status == NC3Z_OK)
		status = nc3z_convert(source, sink, &options, NULL, summary,
				      err);
	if (status == NC3Z_OK)
		status = nc3z_sink_commit(sink, err);
	nc3z_sink_close(sink);
	nc3z_source_close(source);
	return status;
}

int main(int argc, char **argv)
{
	struct nc3z_summary summary;
	struct nc3z_error err;

	if (argc != 3) {
		fprintf(stderr, "usage: rechunk ARCHIVE OUTPUT\n");
		return 2;
	}
	if (rechunk(argv[1], argv[2], &summary, &err) != NC3Z_OK) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
		return 1;
	}
	printf("%llu bytes of the original in %llu\n",
	       (unsigned long long)summary.original_nbytes,
	       (unsigned long long)summary.archive_nbytes);
	return 0;
}
