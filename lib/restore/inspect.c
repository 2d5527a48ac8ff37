/* SPDX-License-Identifier: MIT */
/*
 * The streams of an archive, described: their variables, from the header, and
 * how their blocks are encoded, from the block records, whose payloads are not
 * read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "block/block.h"
#include "classic/header.h"
#include "plan/plan.h"

/* So many ways of encoding are told apart; the others are not counted. */
#define CODINGS_MAX 64

/* One way in which blocks of a stream are encoded. */
struct coding {
	struct coding *next;
	uint64_t nblocks;
	char text[BLOCK_TEXT_NBYTES];
};

struct nc3z_inspection {
	struct nc3z_stream_info *streams;
	struct coding **codings; /* of each stream */
	char **names;            /* of each stream, owned */
	char **shapes;
	char **chunks;
	uint32_t nstreams;
};

void nc3z_inspection_free(struct nc3z_inspection *inspection)
{
	struct nc3z_inspection *i = inspection;

	if (!i)
		return;
	for (uint32_t s = 0; s < i->nstreams; s++) {
		while (i->codings && i->codings[s]) {
			struct coding *first = i->codings[s];

			i->codings[s] = first->next;
			free(first);
		}
		if (i->names)
			free(i->names[s]);
		if (i->shapes)
			free(i->shapes[s]);
		if (i->chunks)
			free(i->chunks[s]);
	}
	free(i->names);
	free(i->shapes);
	free(i->chunks);
	free(i->codings);
	free(i->streams);
	free(i);
}

const struct nc3z_stream_info *
nc3z_inspection_streams(const struct nc3z_inspection *inspection,
			uint32_t *nstreams_ret)
{
	*nstreams_ret = inspection->nstreams;
	return inspection->streams;
}

/* Everything the walk through an archive needs. */
struct inspector {
	struct archive_scan scan;
	struct plan plan;
	struct archive_copies copies;
	struct buffer head; /* of the original */
	struct classic_header header;
	struct archive_catalogue catalogue;
	struct archive_trailer trailer;
	struct nc3z_inspection *result;
	struct nc3z_error *err;
};

/* Counts a block under its way of encoding. */
static int count_coding(struct inspector *in, uint32_t stream, const char *text)
{
	struct coding **at = &in->result->codings[stream];

	while (*at && strcmp((*at)->text, text) != 0)
		at = &(*at)->next;
	if (!*at && in->result->streams[stream].ncodings == CODINGS_MAX)
		return NC3Z_OK;
	if (!*at) {
		*at = calloc(1, sizeof(**at));
		if (!*at)
			return error_set_memory(in->err);
		memcpy((*at)->text, text, BLOCK_TEXT_NBYTES);
		in->result->streams[stream].ncodings++;
	}
	(*at)->nblocks++;
	return NC3Z_OK;
}

static int take_block(struct inspector *in, const struct archive_block *block)
{
	struct nc3z_stream_info *info = &in->result->streams[block->stream];
	const struct block_view view = {
		.description = block->description,
		.description_nbytes = block->description_nbytes,
		.payload_nbytes = block->payload_nbytes,
	};
	struct block_description d;
	char text[BLOCK_TEXT_NBYTES];

	NC3Z_TRY(block_description_read(&view, block->raw_nbytes, &d, in->err));
	block_description_text(&d, text);
	NC3Z_TRY(count_coding(in, block->stream, text));
	info->nblocks++;
	info->original_nbytes += block->raw_nbytes;
	info->stored_nbytes += in->scan.stored_nbytes;
	return NC3Z_OK;
}

static int walk(struct inspector *in)
{
	const struct archive_block *block;

	do {
		NC3Z_TRY(archive_scan_next(&in->scan, &block, in->err));
		if (block)
			NC3Z_TRY(take_block(in, block));
	} while (block);
	NC3Z_TRY(archive_scan_end(&in->scan, &in->catalogue, &in->trailer,
				  &in->copies, in->err));
	in->head = in->copies.header;
	in->copies.header = (struct buffer){ 0 };
	return NC3Z_OK;
}

/* "time, lat = 90, lon = 180" */
static char *shape_text(const struct classic_header *header,
			const struct classic_var *var)
{
	struct buffer text = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < var->ndims; i++) {
		const struct classic_dim *dim = &header->dims[var->dimids[i]];
		char length[32] = "";

		if (dim->length > 0)
			snprintf(length, sizeof(length), " = %" PRIu64,
				 dim->length);
		ok = buffer_append(&text, ", ", i > 0 ? 2 : 0) &&
		     buffer_append(&text, dim->name.bytes, dim->name.nbytes) &&
		     buffer_append(&text, length, strlen(length));
	}
	ok = ok && buffer_u8(&text, 0);
	if (!ok)
		buffer_release(&text);
	return (char *)text.data;
}

/* "12, 45" */
static char *chunks_text(const struct plan_grid *grid)
{
	struct buffer text = { 0 };
	bool ok = true;

	for (uint32_t i = 0; ok && grid && i < grid->rank; i++) {
		char length[16];

		snprintf(length, sizeof(length), "%s%" PRIu32,
			 i > 0 ? ", " : "", grid->dims[i].chunk);
		ok = buffer_append(&text, length, strlen(length));
	}
	ok = ok && buffer_u8(&text, 0);
	if (!ok)
		buffer_release(&text);
	return (char *)text.data;
}

static int name_stream(struct inspector *in, uint32_t stream)
{
	const struct plan_stream *s = &in->plan.streams[stream];
	struct nc3z_stream_info *info = &in->result->streams[stream];
	uint32_t variable = s->members[0].variable;
	char **name = &in->result->names[stream];
	char **shape = &in->result->shapes[stream];
	char text[32] = "(rest)";

	info->block_nbytes = s->block_nbytes;
	info->type = "";
	if (s->nmembers == 1 && variable < in->header.nvars) {
		const struct classic_var *var = &in->header.vars[variable];

		*name = classic_name_copy(&var->name);
		*shape = shape_text(&in->header, var);
		info->type = classic_type_name(var->type);
	} else {
		if (variable != PLAN_NO_VARIABLE)
			snprintf(text, sizeof(text), "(%" PRIu32 " variables)",
				 s->nmembers);
		*name = strdup(text);
		*shape = strdup("");
	}
	info->name = *name;
	info->shape = *shape;
	in->result->chunks[stream] = chunks_text(s->grid);
	info->chunks = in->result->chunks[stream];
	return *name && *shape && info->chunks ? NC3Z_OK :
						 error_set_memory(in->err);
}

static int parse_header(struct inspector *in, struct nc3z_source *source)
{
	bool more;
	int status;

	if (in->head.nbytes == 0)
		NC3Z_TRY(restore_head(source, in->plan.header_nbytes, &in->head,
				      in->err));
	status = classic_header_parse(in->head.data, in->head.nbytes, true,
				      &in->header, &more, in->err);
	/* Only a classic file is ever packed. */
	if (status == NC3Z_ENOTCLASSIC)
		status = error_set(in->err, NC3Z_EDAMAGED,
				   "original has no classic header");
	return status;
}

static void choose_codings(struct nc3z_inspection *result)
{
	for (uint32_t s = 0; s < result->nstreams; s++) {
		const struct coding *most = result->codings[s];

		for (const struct coding *c = most; c; c = c->next)
			if (c->nblocks > most->nblocks)
				most = c;
		result->streams[s].coding = most ? most->text : "";
	}
}

static int allocate(struct inspector *in)
{
	struct nc3z_inspection *r = calloc(1, sizeof(*r));
	uint32_t n = in->plan.nstreams;

	in->result = r;
	if (!r)
		return error_set_memory(in->err);
	r->streams = memory_alloc(n, sizeof(*r->streams));
	r->codings = memory_alloc(n, sizeof(struct coding *));
	r->names = memory_alloc(n, sizeof(char *));
	r->shapes = memory_alloc(n, sizeof(char *));
	r->chunks = memory_alloc(n, sizeof(char *));
	if (!r->streams || !r->codings || !r->names || !r->shapes || !r->chunks)
		return error_set_memory(in->err);
	r->nstreams = n;
	return NC3Z_OK;
}

static int inspect(struct inspector *in, struct nc3z_source *source)
{
	NC3Z_TRY(source_check_can_seek(source, in->err));
	/* A request for each record would take longer. */
	source_announce_all(source);
	NC3Z_TRY(archive_scan_begin(&in->scan, source, in->err));
	NC3Z_TRY(plan_read(in->scan.plan.data, in->scan.plan.nbytes, &in->plan,
			   in->err));
	NC3Z_TRY(archive_scan_streams(&in->scan, in->plan.nstreams, in->err));
	NC3Z_TRY(allocate(in));
	NC3Z_TRY(walk(in));
	NC3Z_TRY(parse_header(in, source));
	for (uint32_t i = 0; i < in->plan.nstreams; i++)
		NC3Z_TRY(name_stream(in, i));
	choose_codings(in->result);
	return NC3Z_OK;
}

int nc3z_inspect(struct nc3z_source *in,
		 struct nc3z_inspection **inspection_ret,
		 struct nc3z_error *err)
{
	struct inspector inspector = { .err = err };
	int status = inspect(&inspector, in);

	if (status == NC3Z_OK)
		*inspection_ret = inspector.result;
	else
		nc3z_inspection_free(inspector.result);
	archive_scan_release(&inspector.scan);
	catalogue_release(&inspector.catalogue);
	classic_header_release(&inspector.header);
	plan_release(&inspector.plan);
	archive_copies_release(&inspector.copies);
	buffer_release(&inspector.head);
	return status;
}
