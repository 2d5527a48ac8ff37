/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an archive: restored into nothing, walked through record by
 * record, and summarised from the tail.
 * What is found is an archive that nc3compress takes as it is.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "archive_input.h"
#include "fuzz.h"
#include "io/sink.h"

/* No more is restored; a few dozen bytes can stand for gigabytes. */
#define RESTORED_NBYTES_MAX ((uint64_t)2 << 20)

static int discard(struct nc3z_sink *sink, const void *data, size_t nbytes,
		   struct nc3z_error *err)
{
	(void)data;
	if (nbytes > RESTORED_NBYTES_MAX - sink->position)
		return error_set(err, NC3Z_ELIMIT, "output is too large");
	return NC3Z_OK;
}

static const struct sink_ops discard_ops = { .append = discard };

static void check_status(int status, const struct nc3z_error *err)
{
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_ENOTARCHIVE ||
		   status == NC3Z_EDAMAGED || status == NC3Z_EUNSUPPORTED ||
		   status == NC3Z_ELIMIT);
	FUZZ_CHECK(err->status == status);
	FUZZ_CHECK((status == NC3Z_OK) == (err->text[0] == '\0'));
}

/* Threads would make runs slow and differ from each other. */
static struct nc3z_restore_options one_thread(void)
{
	struct nc3z_restore_options options;

	nc3z_restore_options_init(&options);
	options.nthreads = 1;
	return options;
}

static bool is_same(const struct nc3z_summary *a, const struct nc3z_summary *b)
{
	return a->original_nbytes == b->original_nbytes &&
	       a->archive_nbytes == b->archive_nbytes &&
	       a->nblocks == b->nblocks && a->nstreams == b->nstreams &&
	       memcmp(a->sha256, b->sha256, SHA256_NBYTES) == 0;
}

/* The same with so little memory that chunks are decoded again. */
static void check_stripes(struct nc3z_source *source, bool is_whole,
			  const struct nc3z_summary *summary)
{
	struct nc3z_sink sink = { .ops = &discard_ops };
	struct nc3z_restore_options options = one_thread();
	struct nc3z_summary restored = { 0 };
	struct nc3z_error err = { 0 };
	int status;

	if (summary->original_nbytes > RESTORED_NBYTES_MAX)
		return;
	options.max_memory_nbytes = summary->original_nbytes / 3;
	status = nc3z_restore(source, &sink, &options, &restored, &err);
	check_status(status, &err);
	FUZZ_CHECK((status == NC3Z_OK) == is_whole);
	FUZZ_CHECK(!is_whole || is_same(&restored, summary));
}

/* Restores, summarises, verifies; they agree on what is whole. */
static void check_restore(struct nc3z_source *source)
{
	struct nc3z_sink sink = { .ops = &discard_ops };
	struct nc3z_summary restored = { 0 }, summary = { 0 }, verified = { 0 };
	struct nc3z_error err = { 0 }, summary_err = { 0 };
	struct nc3z_restore_options options = one_thread();
	int status = nc3z_restore(source, &sink, &options, &restored, &err);

	check_status(status, &err);
	check_status(nc3z_summarize(source, &summary, &summary_err),
		     &summary_err);
	if (summary_err.status == NC3Z_OK)
		check_stripes(source, status == NC3Z_OK, &summary);
	if (status != NC3Z_OK)
		return;
	FUZZ_CHECK(sink.position == restored.original_nbytes);
	FUZZ_CHECK(summary_err.status == NC3Z_OK);
	FUZZ_CHECK(is_same(&summary, &restored));
	FUZZ_CHECK(nc3z_verify(source, &options, &verified, NULL) == NC3Z_OK);
	FUZZ_CHECK(is_same(&verified, &restored));
}

/* From record to record without decoding; '*status' is where it ended. */
static int scan_blocks(struct archive_scan *scan, struct nc3z_error *err)
{
	const struct archive_block *block;
	struct buffer payload = { 0 };
	int status;

	do {
		status = archive_scan_next(scan, &block, err);
		if (status == NC3Z_OK && block)
			status = archive_scan_payload(scan, &payload, err);
	} while (status == NC3Z_OK && block);
	buffer_release(&payload);
	return status;
}

static int scan_all(struct archive_scan *scan, struct nc3z_source *source,
		    struct nc3z_error *err)
{
	struct archive_catalogue catalogue;
	struct archive_trailer trailer;
	struct archive_copies copies = { 0 };
	int status;

	NC3Z_TRY(archive_scan_begin(scan, source, err));
	NC3Z_TRY(archive_scan_streams(scan, 20, err));
	NC3Z_TRY(scan_blocks(scan, err));
	status = archive_scan_end(scan, &catalogue, &trailer, &copies, err);
	if (status == NC3Z_OK)
		catalogue_release(&catalogue);
	archive_copies_release(&copies);
	return status;
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct archive_scan scan;
	struct nc3z_source *source;
	struct nc3z_error err = { 0 };

	FUZZ_CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) ==
		   NC3Z_OK);
	check_restore(source);
	check_status(scan_all(&scan, source, &err), &err);
	archive_scan_release(&scan);
	nc3z_source_close(source);
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 30,
	.run = run,
	.from_classic = archive_from_classic,
	.mutate = archive_mutate,
};
