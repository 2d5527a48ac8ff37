/* SPDX-License-Identifier: MIT */
/*
 * Any bytes salvaged: what comes out, if anything does, is a whole archive; a
 * whole archive comes out as it is.
 */
#include <stdlib.h>
#include <string.h>

#include "archive_input.h"
#include "fuzz.h"

/* Originals that are made, at most: time is that of filling them. */
#define ORIGINAL_NBYTES_MAX ((uint64_t)1 << 22)

static bool is_expected(int status)
{
	switch (status) {
	case NC3Z_OK:
	case NC3Z_EINVAL:
	case NC3Z_ENOTARCHIVE:
	case NC3Z_EDAMAGED:
	case NC3Z_EUNSUPPORTED:
	case NC3Z_ELIMIT:
		return true;
	default:
		return false;
	}
}

static int verify(const void *data, size_t nbytes, struct nc3z_summary *summary)
{
	struct nc3z_restore_options options;
	struct nc3z_source *source;
	int status;

	nc3z_restore_options_init(&options);
	options.nthreads = 1;
	FUZZ_CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) ==
		   NC3Z_OK);
	status = nc3z_verify(source, &options, summary, NULL);
	nc3z_source_close(source);
	return status;
}

static void check_report(const struct nc3z_salvage_report *r)
{
	for (size_t i = 0; i < r->nlosses; i++) {
		const struct nc3z_loss *loss = &r->losses[i];

		FUZZ_CHECK(loss->nbytes > 0);
		FUZZ_CHECK(loss->varid >= NC3Z_GLOBAL);
		FUZZ_CHECK(strlen(loss->name) > 0 || loss->varid >= 0 ||
			   loss->ndims == 0);
		if (loss->is_box)
			for (int k = 0; k < loss->ndims; k++)
				FUZZ_CHECK(loss->first[k] <= loss->last[k]);
	}
	FUZZ_CHECK(!r->is_whole || memcmp(r->summary.sha256, r->original_sha256,
					  sizeof(r->original_sha256)) == 0);
}

/* What was salvaged is whole, and what the report says of it is true. */
static void check_output(const struct nc3z_sink *sink,
			 const struct nc3z_salvage_report *report)
{
	struct nc3z_summary summary;
	const void *data;
	size_t nbytes;

	data = nc3z_sink_memory(sink, &nbytes);
	FUZZ_CHECK(verify(data, nbytes, &summary) == NC3Z_OK);
	FUZZ_CHECK(memcmp(&summary, &report->summary, sizeof(summary)) == 0);
	check_report(report);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct nc3z_salvage_options options;
	struct nc3z_salvage_report *report = NULL;
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;
	struct nc3z_sink *sink;
	struct nc3z_summary summary;
	int status;

	nc3z_salvage_options_init(&options);
	options.nthreads = 1;
	options.max_original_nbytes = ORIGINAL_NBYTES_MAX;
	options.max_memory_nbytes = (uint64_t)1 << 25;
	FUZZ_CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) ==
		   NC3Z_OK);
	FUZZ_CHECK(nc3z_sink_open_memory((size_t)1 << 25, &sink, NULL) ==
		   NC3Z_OK);
	status = nc3z_salvage(&source, 1, sink, &options, &report, &err);
	FUZZ_CHECK(is_expected(status));
	FUZZ_CHECK(err.status == status);
	FUZZ_CHECK((report != NULL) == (status == NC3Z_OK));
	if (report)
		check_output(sink, report);
	if (verify(data, nbytes, &summary) == NC3Z_OK &&
	    summary.original_nbytes <= ORIGINAL_NBYTES_MAX)
		FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_ELIMIT ||
			   status == NC3Z_EDAMAGED);
	nc3z_salvage_report_free(report);
	nc3z_sink_close(sink);
	nc3z_source_close(source);
}

/* Archives and their first or last parts. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	size_t nbytes = archive_from_classic(file, file_nbytes, seed, room);
	size_t at;

	if (nbytes == 0)
		return 0;
	at = (size_t)fuzz_random_below(&seed, nbytes);
	switch (fuzz_random_below(&seed, 4)) {
	case 0:
		return at + 1;
	case 1:
		memmove(room.data, room.data + at, nbytes - at);
		return nbytes - at;
	default:
		return nbytes;
	}
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
	.mutate = archive_mutate,
};
