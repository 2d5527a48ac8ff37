/* SPDX-License-Identifier: MIT */
/*
 * Any text as parts of variables (nc3dump -v).  What is accepted is in bounds,
 * can be read, and means the same when it is written otherwise; what is refused
 * gets a message.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/selection.h"
#include "small_file.h"
#include "text_input.h"

/* The elements of a slab that is in bounds can be read. */
static void check_read(const struct nc3z_file *file, int varid,
		       const struct nc3z_var *var,
		       const struct dump_hyperslab *slab)
{
	struct nc3z_hyperslab part = { slab->start, slab->count, slab->stride,
				       NULL };
	int memtype = var->type == NC3Z_CHAR ? NC3Z_CHAR : NC3Z_DOUBLE;
	size_t nelems = 1;
	void *values;

	for (int i = 0; i < slab->ndims; i++) {
		FUZZ_CHECK(slab->stride[i] >= 1);
		FUZZ_CHECK(slab->count[i] <= var->shape[i]);
		nelems *= slab->count[i];
	}
	FUZZ_CHECK(dump_hyperslab_is_empty(slab) == (nelems == 0));
	values = calloc(nelems + 1, sizeof(double));
	FUZZ_CHECK(values);
	FUZZ_CHECK(nc3z_get((struct nc3z_file *)(uintptr_t)file, varid, &part,
			    memtype, values, NULL) == NC3Z_OK);
	free(values);
}

/* "START:STOP:STRIDE" of each dimension, from the last one to the first. */
static void write_slab(const struct nc3z_file *file, const struct nc3z_var *var,
		       const struct dump_hyperslab *slab, bool is_named,
		       char *out, size_t out_nbytes)
{
	size_t n = 0;

	out[0] = '\0';
	for (int k = 0; k < slab->ndims; k++) {
		int i = is_named ? slab->ndims - 1 - k : k;
		struct nc3z_dim dim;
		size_t stop = slab->start[i] + 1 +
			      (slab->count[i] - 1) * (size_t)slab->stride[i];

		FUZZ_CHECK(nc3z_inq_dim(file, var->dimids[i], &dim, NULL) ==
			   NC3Z_OK);
		n += (size_t)snprintf(out + n, out_nbytes - n, "%s%s%s",
				      k > 0 ? ", " : "",
				      is_named ? dim.name : "",
				      is_named ? "=" : "");
		n += (size_t)snprintf(out + n, out_nbytes - n, "%zu:%zu:%td",
				      slab->start[i], stop, slab->stride[i]);
		FUZZ_CHECK(n < out_nbytes);
	}
}

static void check_same_slab(const struct dump_hyperslab *a,
			    const struct dump_hyperslab *b)
{
	FUZZ_CHECK(a->ndims == b->ndims);
	for (int i = 0; i < a->ndims; i++)
		FUZZ_CHECK(a->start[i] == b->start[i] &&
			   a->count[i] == b->count[i] &&
			   a->stride[i] == b->stride[i]);
}

static void check_again(const struct nc3z_file *file,
			const struct nc3z_var *var,
			const struct dump_hyperslab *slab)
{
	char text[400], why[256];

	if (slab->ndims == 0)
		return;
	for (int is_named = 0; is_named < 2; is_named++) {
		struct dump_hyperslab again;

		write_slab(file, var, slab, is_named, text, sizeof(text));
		/* A comma ends a name. */
		if (is_named && strstr(text, "c,d"))
			continue;
		FUZZ_CHECK(dump_hyperslab_init(&again, var));
		FUZZ_CHECK(dump_hyperslab_parse(&again, file, var, text, why,
						sizeof(why)));
		check_same_slab(slab, &again);
		dump_hyperslab_release(&again);
	}
}

static void check_selection(const struct nc3z_file *file, const char *text)
{
	struct selections s = { 0 };
	char *why = calloc(600, 1);
	bool is_good;

	FUZZ_CHECK(why);
	is_good = selections_parse(&s, file, text, why, 600);
	FUZZ_CHECK(is_good == (why[0] == '\0'));
	FUZZ_CHECK(strlen(why) < 600 && (!is_good || s.count > 0));
	for (size_t i = 0; is_good && i < s.count; i++) {
		const struct selection *item = &s.list[i];
		struct nc3z_var var;

		FUZZ_CHECK(nc3z_inq_var(file, item->varid, &var, NULL) ==
			   NC3Z_OK);
		FUZZ_CHECK(selections_have(&s, item->varid));
		FUZZ_CHECK(strstr(text, item->text) != NULL);
		check_read(file, item->varid, &var, &item->slab);
		check_again(file, &var, &item->slab);
	}
	selections_release(&s);
	free(why);
}

static void run(const uint8_t *data, size_t nbytes)
{
	char *text = text_copy(data, nbytes);
	struct nc3z_open_options options;
	struct buffer bytes = { 0 };
	struct nc3z_source *source;
	struct nc3z_file *file;

	small_file_make(&bytes);
	nc3z_open_options_init(&options);
	options.nthreads = 1;
	FUZZ_CHECK(nc3z_source_open_memory(bytes.data, bytes.nbytes, &source,
					   NULL) == NC3Z_OK);
	FUZZ_CHECK(nc3z_open_source(source, &options, &file, NULL) == NC3Z_OK);
	check_selection(file, text);
	nc3z_close(file);
	buffer_release(&bytes);
	free(text);
}

static const char *const list[] = {
	"T",      "u[0]",      "v,w", "n=1",  "text", "time",
	"s",      "[",         "]",   ",",    ":",    "=",
	"-1",     "0",         "2",   "1:3",  "::2",  " ",
	"y=",     "time=1",    "x=",  "a/b=", "5",    "T[0,1:3,::2]",
	"T[x=1,", "u[0][1,:]",
};
static const struct text_words words = { list, sizeof(list) / sizeof(*list) };

/* Nothing of the file but its length: other files, other words. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 53 * file_nbytes;

	(void)file;
	return text_random(&words, &state, room);
}

static size_t mutate(struct fuzz_room room, size_t nbytes, uint64_t seed)
{
	return text_mutate(&words, room, nbytes, seed);
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
	.mutate = mutate,
};
