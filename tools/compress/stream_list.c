/* SPDX-License-Identifier: MIT */
#include "compress/stream_list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"

/* Appends to a string from malloc(), or makes one of NULL; false likewise. */
static bool append_text(char **text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse_memory(struct nc3z_error *err)
{
	*err = (struct nc3z_error){
		.status = NC3Z_ENOMEM,
		.text = "out of memory",
	};
	return NC3Z_ENOMEM;
}

/* Which variables each stream has, and which have none of their own. */
static int find_members(struct stream_list *streams, struct nc3z_error *err)
{
	int nvars;

	nc3z_inq(streams->file, NULL, &nvars, NULL, NULL);
	for (int varid = 0; varid < nvars; varid++) {
		struct stream_members *members;
		struct nc3z_storage storage;
		struct nc3z_var var;
		int status =
			nc3z_inq_storage(streams->file, varid, &storage, err);

		if (status == NC3Z_OK)
			status = nc3z_inq_var(streams->file, varid, &var, err);
		if (status != NC3Z_OK)
			return status;
		members = &streams->members[storage.stream < streams->count ?
						    storage.stream :
						    streams->count];
		if (members->nvars++ < STREAM_NAMES_MAX &&
		    !append_text(&members->names, "%s%s",
				 members->nvars > 1 ? ", " : "", var.name))
			return refuse_memory(err);
	}
	return NC3Z_OK;
}

int stream_list_read(struct stream_list *streams, struct nc3z_source **source,
		     struct nc3z_error *err)
{
	struct nc3z_summary summary;
	int status = nc3z_open_source(*source, NULL, &streams->file, err);

	if (status != NC3Z_OK)
		return status;
	*source = NULL;
	status = nc3z_inq_summary(streams->file, &summary, err);
	if (status != NC3Z_OK)
		return status;
	streams->list =
		calloc((size_t)summary.nstreams + 1, sizeof(*streams->list));
	streams->members =
		calloc((size_t)summary.nstreams + 1, sizeof(*streams->members));
	if (!streams->list || !streams->members)
		return refuse_memory(err);
	streams->count = summary.nstreams;
	for (uint32_t i = 0; i < streams->count && status == NC3Z_OK; i++)
		status = nc3z_inq_stream(streams->file, i, &streams->list[i],
					 err);
	return status == NC3Z_OK ? find_members(streams, err) : status;
}

void stream_list_release(struct stream_list *streams)
{
	for (uint32_t i = 0; streams->members && i <= streams->count; i++)
		free(streams->members[i].names);
	free(streams->members);
	free(streams->list);
	nc3z_close(streams->file);
	*streams = (struct stream_list){ 0 };
}

static bool append_text(char **text, const char *format, ...)
{
	size_t used = *text ? strlen(*text) : 0;
	char *longer;
	va_list args;
	int nbytes;

	va_start(args, format);
	nbytes = vsnprintf(NULL, 0, format, args);
	va_end(args);
	longer = nbytes < 0 ? NULL : realloc(*text, used + (size_t)nbytes + 1);
	if (!longer)
		return false;
	*text = longer;
	va_start(args, format);
	vsnprintf(longer + used, (size_t)nbytes + 1, format, args);
	va_end(args);
	return true;
}

/* "time, lat = 90": the record dimension has no length of its own. */
static bool append_dims(const struct stream_list *streams,
			const struct nc3z_var *var, char **shape)
{
	bool ok = true;

	for (int i = 0; i < var->ndims && ok; i++) {
		struct nc3z_dim dim;

		ok = nc3z_inq_dim(streams->file, var->dimids[i], &dim, NULL) ==
			     NC3Z_OK &&
		     append_text(shape, "%s%s", i > 0 ? ", " : "", dim.name) &&
		     (dim.is_record ||
		      append_text(shape, " = %" PRIu64, dim.length));
	}
	return ok;
}

static bool append_chunks(const struct nc3z_storage *storage, char **chunks)
{
	bool ok = true;

	for (uint32_t i = 0; i < storage->nchunk_dims && ok; i++)
		ok = append_text(chunks, "%s%" PRIu32, i > 0 ? ", " : "",
				 storage->chunk_lengths[i]);
	return ok;
}

static bool describe_var(const struct stream_list *streams, int varid,
			 struct stream_words *words)
{
	struct nc3z_storage storage;
	struct nc3z_var var;

	if (nc3z_inq_var(streams->file, varid, &var, NULL) != NC3Z_OK ||
	    nc3z_inq_storage(streams->file, varid, &storage, NULL) != NC3Z_OK)
		return false;
	words->type = nc3z_type_name(var.type);
	return append_text(&words->name, "%s", var.name) &&
	       append_dims(streams, &var, &words->shape) &&
	       append_chunks(&storage, &words->chunks);
}

void stream_words_make(const struct stream_list *streams, uint32_t stream,
		       struct stream_words *words)
{
	const struct nc3z_stream_info *info = &streams->list[stream];
	bool ok;

	*words = (struct stream_words){ .type = "" };
	nc3z_coding_text(&info->coding, words->coding, sizeof(words->coding));
	ok = append_text(&words->shape, "%s", "") &&
	     append_text(&words->chunks, "%s", "");
	if (ok && info->nvars == 0)
		ok = append_text(&words->name, "(rest)");
	else if (ok && info->nvars > 1)
		ok = append_text(&words->name, "(%" PRIu32 " variables)",
				 info->nvars);
	else
		ok = ok && describe_var(streams, info->varid, words);
	if (!ok)
		message_out_of_memory();
}

void stream_words_release(struct stream_words *words)
{
	free(words->name);
	free(words->shape);
	free(words->chunks);
}
