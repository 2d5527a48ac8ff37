/* SPDX-License-Identifier: MIT */
#include "dump/block_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/json.h"

/* Long enough for the text of any coding. */
#define CODING_NBYTES 256

static double ratio(uint64_t raw_nbytes, uint64_t stored_nbytes)
{
	return stored_nbytes > 0 ? (double)raw_nbytes / (double)stored_nbytes :
				   1.;
}

/* A name from a file: without what could command a terminal. */
static void print_name(FILE *to, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		putc(c < 0x20 || c == 0x7f ? '?' : c, to);
	}
}

static enum exit_status print_line(struct dump *dump, uint32_t stream,
				   uint64_t number)
{
	struct nc3z_block block;
	char coding[CODING_NBYTES];

	if (nc3z_inq_block(dump->file, stream, number, &block, &dump->err) !=
	    NC3Z_OK)
		return dump_fail(dump, NULL);
	if (block.of_stream != stream)
		snprintf(coding, sizeof(coding),
			 "as block %" PRIu64 " of stream %" PRIu32,
			 block.of_block, block.of_stream);
	else if (block.of_block != number)
		snprintf(coding, sizeof(coding), "as block %" PRIu64,
			 block.of_block);
	else
		nc3z_coding_text(&block.coding, coding, sizeof(coding));
	fprintf(dump->to,
		"%8" PRIu64 " %15" PRIu64 " %12" PRIu32 " %12" PRIu32
		" %7.2f  %s\n",
		number, block.offset, block.raw_nbytes, block.record_nbytes,
		ratio(block.raw_nbytes, block.record_nbytes), coding);
	return EXIT_DONE;
}

static enum exit_status print_lines(struct dump *dump, uint32_t stream,
				    uint64_t nblocks)
{
	enum exit_status status = EXIT_DONE;

	if (nblocks > 0)
		fprintf(dump->to, "%8s %15s %12s %12s %7s  coding\n", "block",
			"offset", "raw bytes", "stored bytes", "ratio");
	for (uint64_t i = 0; i < nblocks && status == EXIT_DONE; i++)
		status = print_line(dump, stream, i);
	return status;
}

static enum exit_status print_heading(struct dump *dump,
				      const struct nc3z_var *var)
{
	struct nc3z_dim dim;

	fprintf(dump->to, "%s ", nc3z_type_name(var->type));
	print_name(dump->to, var->name);
	for (int i = 0; i < var->ndims; i++) {
		if (nc3z_inq_dim(dump->file, var->dimids[i], &dim,
				 &dump->err) != NC3Z_OK)
			return dump_fail(dump, var->name);
		fputs(i == 0 ? "(" : ", ", dump->to);
		print_name(dump->to, dim.name);
		fprintf(dump->to, " = %" PRIu64, var->shape[i]);
	}
	fputs(var->ndims > 0 ? "): " : ": ", dump->to);
	return EXIT_DONE;
}

/* Blocks that several variables share are shown with the first of them. */
static enum exit_status print_var(struct dump *dump, int varid, char *is_shown)
{
	struct nc3z_storage storage;
	enum exit_status status;
	struct nc3z_var var;
	uint32_t stream;

	if (nc3z_inq_var(dump->file, varid, &var, &dump->err) != NC3Z_OK ||
	    nc3z_inq_storage(dump->file, varid, &storage, &dump->err) !=
		    NC3Z_OK)
		return dump_fail(dump, NULL);
	stream = storage.stream;
	status = print_heading(dump, &var);
	if (status != EXIT_DONE)
		return status;
	if (stream == NC3Z_NO_NUMBER) {
		fputs("with the rest\n", dump->to);
		return EXIT_DONE;
	}
	fprintf(dump->to,
		"stream %" PRIu32 "%s, %" PRIu64 " block%s of %" PRIu32
		" bytes\n",
		stream, storage.is_shared ? ", with others" : "",
		storage.nblocks, storage.nblocks == 1 ? "" : "s",
		storage.block_nbytes);
	if (is_shown[stream])
		return EXIT_DONE;
	is_shown[stream] = 1;
	return print_lines(dump, stream, storage.nblocks);
}

/* A stream of everything else, whose blocks no variable counts. */
static enum exit_status print_rest(struct dump *dump, uint32_t stream)
{
	struct nc3z_block block;
	uint64_t nblocks = 0;
	int status;

	do
		status = nc3z_inq_block(dump->file, stream, nblocks, &block,
					&dump->err);
	while (status == NC3Z_OK && ++nblocks > 0);
	if (status != NC3Z_EINVAL)
		return dump_fail(dump, NULL);
	if (nblocks == 0)
		return EXIT_DONE;
	fprintf(dump->to, "(rest): stream %" PRIu32 ", %" PRIu64 " block%s\n",
		stream, nblocks, nblocks == 1 ? "" : "s");
	return print_lines(dump, stream, nblocks);
}

enum exit_status dump_blocks(struct dump *dump)
{
	enum exit_status status = EXIT_DONE;
	struct nc3z_summary summary;
	char *is_shown;

	if (nc3z_inq_summary(dump->file, &summary, &dump->err) != NC3Z_OK)
		return dump_fail(dump, NULL);
	is_shown = calloc((size_t)summary.nstreams + 1, 1);
	if (!is_shown)
		return dump_no_memory(dump);
	fprintf(dump->to,
		"original %" PRIu64 " bytes, archive %" PRIu64
		" bytes, ratio %.2f, %" PRIu64 " blocks in %" PRIu32
		" streams\n",
		summary.original_nbytes, summary.archive_nbytes,
		ratio(summary.original_nbytes, summary.archive_nbytes),
		summary.nblocks, summary.nstreams);
	for (int i = 0; i < dump->nvars && status == EXIT_DONE; i++)
		if (selections_have(&dump->selections, i))
			status = print_var(dump, i, is_shown);
	/* With all variables shown, what is left belongs to none. */
	for (uint32_t i = 0; i < summary.nstreams && status == EXIT_DONE &&
			     !dump->selections.is_list;
	     i++)
		if (!is_shown[i])
			status = print_rest(dump, i);
	free(is_shown);
	return status;
}

static enum exit_status print_json_blocks(struct dump *dump, uint32_t stream,
					  uint64_t nblocks)
{
	struct nc3z_block block;
	char coding[CODING_NBYTES];

	fprintf(dump->to, ",\n       \"block_list\": [");
	for (uint64_t i = 0; i < nblocks; i++) {
		if (nc3z_inq_block(dump->file, stream, i, &block, &dump->err) !=
		    NC3Z_OK)
			return dump_fail(dump, NULL);
		fprintf(dump->to,
			"%s\n        {\"offset\": %" PRIu64
			", \"raw_bytes\": %" PRIu32
			", \"stored_bytes\": %" PRIu32
			", \"raw_crc\": \"%08" PRIx32 "\", ",
			i > 0 ? "," : "", block.offset, block.raw_nbytes,
			block.record_nbytes, block.raw_crc);
		if (block.of_stream != stream || block.of_block != i)
			fprintf(dump->to,
				"\"as_stream\": %" PRIu32
				", \"as_block\": %" PRIu64 ", ",
				block.of_stream, block.of_block);
		nc3z_coding_text(&block.coding, coding, sizeof(coding));
		json_put_field(dump->to, "coding", coding);
		putc('}', dump->to);
	}
	putc(']', dump->to);
	return EXIT_DONE;
}

enum exit_status block_table_print_json(struct dump *dump, int varid,
					const struct nc3z_var *var)
{
	enum exit_status status = EXIT_DONE;
	struct nc3z_storage s;
	int result = nc3z_inq_storage(dump->file, varid, &s, &dump->err);

	fprintf(dump->to, ",\n      \"storage\": ");
	if (result == NC3Z_ENOTARCHIVE) {
		fprintf(dump->to, "null");
		return EXIT_DONE;
	}
	if (result != NC3Z_OK)
		return dump_fail(dump, var->name);
	if (s.stream == NC3Z_NO_NUMBER) {
		fprintf(dump->to, "{\"stream\": null}");
		return EXIT_DONE;
	}
	fprintf(dump->to,
		"{\"stream\": %" PRIu32
		", \"shared\": %s, \"block_bytes\": %" PRIu32
		", \"blocks\": %" PRIu64,
		s.stream, s.is_shared ? "true" : "false", s.block_nbytes,
		s.nblocks);
	fprintf(dump->to, ", \"chunks\": [");
	for (uint32_t i = 0; i < s.nchunk_dims; i++)
		fprintf(dump->to, "%s%" PRIu32, i > 0 ? ", " : "",
			s.chunk_lengths[i]);
	putc(']', dump->to);
	status = print_json_blocks(dump, s.stream, s.nblocks);
	putc('}', dump->to);
	return status;
}
