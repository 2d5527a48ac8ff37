/* SPDX-License-Identifier: MIT */
#include "convert/kept_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The digits of a chunk length, and a comma. */
#define LENGTH_NBYTES 11

/* The name, with a backslash before what has a meaning in chunks. */
static char *put_name(char *at, const struct classic_name *name)
{
	for (size_t i = 0; i < name->nbytes; i++) {
		if (strchr("\\:/,", name->bytes[i]))
			*at++ = '\\';
		*at++ = name->bytes[i];
	}
	*at++ = ':';
	return at;
}

/* VARIABLE:LENGTH,... to be freed with free(); NULL if out of memory. */
static char *spell(const struct classic_name *name, const struct plan_grid *t)
{
	char *text = memory_alloc(2 * (uint64_t)name->nbytes + 2 +
					  (uint64_t)t->rank * LENGTH_NBYTES,
				  1);
	char *at;

	if (!text)
		return NULL;
	at = put_name(text, name);
	for (uint32_t k = 0; k < t->rank; k++)
		at += sprintf(at, "%s%" PRIu32, k > 0 ? "," : "",
			      t->dims[k].chunk);
	return text;
}

static int add_stream(struct kept_layout *kept, const struct nc3z_file *file,
		      const struct plan_stream *s, struct nc3z_error *err)
{
	uint32_t variable = s->members[0].variable;
	const struct classic_name *name;

	if (variable >= file->header.nvars)
		return error_set(
			err, NC3Z_EDAMAGED,
			"plan: chunks of a variable that does not exist");
	name = &file->header.vars[variable].name;
	if (memchr(name->bytes, '\0', name->nbytes))
		return error_set(err, NC3Z_EINVAL,
				 "chunks cannot be kept: the name of variable "
				 "number %" PRIu32 " has a NUL in it",
				 variable);
	if (!memory_room(&kept->chunks, kept->nchunks, &kept->capacity,
			 sizeof(*kept->chunks)))
		return error_set_memory(err);
	kept->chunks[kept->nchunks] = spell(name, s->grid);
	if (!kept->chunks[kept->nchunks])
		return error_set_memory(err);
	kept->nchunks++;
	return NC3Z_OK;
}

int kept_layout_init(struct kept_layout *kept, const struct nc3z_file *file,
		     struct nc3z_error *err)
{
	int status = NC3Z_OK;

	*kept = (struct kept_layout){ 0 };
	for (uint32_t i = 0; i < file->plan.nstreams && status == NC3Z_OK; i++)
		if (file->plan.streams[i].grid)
			status = add_stream(kept, file, &file->plan.streams[i],
					    err);
	if (status != NC3Z_OK)
		kept_layout_release(kept);
	return status;
}

void kept_layout_release(struct kept_layout *kept)
{
	for (size_t i = 0; i < kept->nchunks; i++)
		free(kept->chunks[i]);
	free(kept->chunks);
	*kept = (struct kept_layout){ 0 };
}
