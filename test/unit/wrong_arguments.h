/* SPDX-License-Identifier: MIT */
/*
 * What wrong_arguments.py needs: arguments that are right, for each call anew,
 * and a process for each call, as it may crash.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "blob.h"
#include "in_memory.h"
#include "shape.h"

/* Of functions that return something else. */
#define NOT_A_STATUS (-1)
#define PARAMETERS_MAX 8
#define NSTEPS_WRONG 200
#define SHAPE_NBYTES 200

struct right {
	struct blob archive;
	struct nc3z_file *file;
	struct nc3z_source *source;
	struct nc3z_sink *sink;
	struct nc3z_iterator *iterator;
	struct nc3z_iterator_var var;
	struct nc3z_hyperslab hyperslab;
	size_t start[1];
	struct nc3z_open_options open;
	struct nc3z_iterator_options iterate;
	struct nc3z_pack_options pack;
	struct nc3z_restore_options restore;
	struct nc3z_salvage_options salvage;
	struct nc3z_callbacks callbacks;
	struct nc3z_coding coding;
	struct nc3z_error err;
	char out[PARAMETERS_MAX][1 << 16];
};

#define RIGHT_struct_nc3z_file_p r->file
#define RIGHT_struct_nc3z_source_p r->source
#define RIGHT_struct_nc3z_source_pp &r->source
#define RIGHT_struct_nc3z_sink_p r->sink
#define RIGHT_struct_nc3z_iterator_p r->iterator
#define RIGHT_struct_nc3z_iterator_var_p &r->var
#define RIGHT_struct_nc3z_hyperslab_p &r->hyperslab
#define RIGHT_struct_nc3z_open_options_p &r->open
#define RIGHT_struct_nc3z_iterator_options_p &r->iterate
#define RIGHT_struct_nc3z_pack_options_p &r->pack
#define RIGHT_struct_nc3z_restore_options_p &r->restore
#define RIGHT_struct_nc3z_salvage_options_p &r->salvage
#define RIGHT_struct_nc3z_callbacks_p &r->callbacks
#define RIGHT_struct_nc3z_coding_p &r->coding
#define RIGHT_struct_nc3z_error_p &r->err
#define RIGHT_struct_nc3z_salvage_report_p NULL
#define RIGHT_name "var_0"
#define RIGHT_path "/nonexistent/x.nc.nc3z"
#define RIGHT_text r->out[0]
#define RIGHT_text_nbytes sizeof(r->out[0])
#define RIGHT_raw_nbytes sizeof(r->out[0])
#define RIGHT_record r->archive.data
#define RIGHT_record_nbytes r->archive.nbytes
#define RIGHT_data r->archive.data
#define RIGHT_data_nbytes r->archive.nbytes
#define RIGHT_options_nbytes sizeof(struct nc3z_open_options)
#define RIGHT_nin 1
#define RIGHT_nvars 1
#define RIGHT_fd open("/dev/null", O_RDWR)

struct wrong_call {
	int (*call)(struct right *r);
	const char *text;
	int (*right)(struct right *r); /* the same without what is wrong */
};

static int read_zeros(void *context, uint64_t offset, void *data, size_t nbytes,
		      size_t *nbytes_ret)
{
	(void)context;
	(void)offset;
	memset(data, 0, nbytes);
	*nbytes_ret = nbytes;
	return 0;
}

static void make_right(struct right *r)
{
	const struct shape shape = {
		.version = 2,
		.ndims = 1,
		.dims = { 10 },
		.natts = 1,
		.nvars = 1,
		.vars = { { .type = 5, .rank = 1, .begin = SHAPE_NBYTES } },
	};
	struct blob original = { 0 };

	shape_write(&shape, &original);
	blob_fill(&original, 0, SHAPE_NBYTES + 40 - original.nbytes);
	nc3z_open_options_init(&r->open);
	nc3z_iterator_options_init(&r->iterate);
	nc3z_pack_options_init(&r->pack);
	nc3z_restore_options_init(&r->restore);
	nc3z_salvage_options_init(&r->salvage);
	memory_pack(&original, NULL, &r->archive);
	nc3z_open_source(memory_source(r->archive.data, r->archive.nbytes),
			 NULL, &r->file, NULL);
	r->source = memory_source(r->archive.data, r->archive.nbytes);
	r->sink = memory_sink();
	r->var = (struct nc3z_iterator_var){ .file = r->file };
	nc3z_iterator_open(&r->var, 1, NULL, NULL, &r->iterator, NULL);
	r->callbacks = (struct nc3z_callbacks){
		.callbacks_nbytes = sizeof(r->callbacks),
		.size = 100,
		.read_at = read_zeros,
	};
	r->coding.nsteps = NSTEPS_WRONG;
	r->coding.codec = NSTEPS_WRONG;
	r->hyperslab.start = r->start;
}

/* Whether a call came back, and its status. */
static int run_alone(int (*call)(struct right *r), int *status)
{
	pid_t child = fork();
	int how;

	if (child == 0) {
		static struct right r;

		make_right(&r);
		*status = call(&r);
		_exit(0);
	}
	return child > 0 && waitpid(child, &how, 0) == child &&
	       WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

/* Pointers that are NULL inside what is passed. */
static int no_file(struct right *r)
{
	r->var.file = NULL;
	return nc3z_iterator_open(&r->var, 1, NULL, NULL, (void *)r->out[0],
				  &r->err);
}

static int no_input(struct right *r)
{
	struct nc3z_source *in[] = { r->source, NULL };

	return nc3z_salvage(in, 2, r->sink, NULL, NULL, &r->err);
}

static int no_chunks(struct right *r)
{
	r->pack.nchunks = 1;
	return nc3z_pack(r->source, r->sink, &r->pack, NULL, &r->err);
}

static int no_text_of_chunks(struct right *r)
{
	const char *const chunks[] = { NULL };

	r->pack.chunks = chunks;
	return no_chunks(r);
}

static int no_source(struct right *r)
{
	struct nc3z_source *source = NULL;

	return nc3z_source_unpack(&source, (void *)r->out[0], &r->err);
}

static int no_data(struct right *r)
{
	return nc3z_source_open_memory(NULL, 1, (void *)r->out[0], &r->err);
}

static const struct {
	int (*call)(struct right *r);
	const char *text;
} inner_calls[] = {
	{ no_file, "an iterator's variable without a file" },
	{ no_input, "salvaging from NULL" },
	{ no_chunks, "packing with nchunks, and no chunks" },
	{ no_text_of_chunks, "packing with chunks[0] of NULL" },
	{ no_source, "unpacking NULL" },
	{ no_data, "a source of one byte at NULL" },
};

static int run_inner_calls(int *status)
{
	int nwrong = 0;

	for (size_t i = 0; i < sizeof(inner_calls) / sizeof(*inner_calls);
	     i++) {
		if (run_alone(inner_calls[i].call, status) &&
		    *status == NC3Z_EINVAL)
			continue;
		printf("%s: crashed, or status %d\n", inner_calls[i].text,
		       *status);
		nwrong++;
	}
	return nwrong;
}

static int run_wrong_calls(const struct wrong_call *calls, size_t ncalls)
{
	int *status = mmap(NULL, sizeof(*status), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int nwrong = run_inner_calls(status);

	for (size_t i = 0; i < ncalls; i++) {
		int came_back = run_alone(calls[i].right, status),
		    right = *status;

		came_back = run_alone(calls[i].call, status) && came_back;
		if (came_back && (*status == NC3Z_EINVAL || *status == right ||
				  !strstr(calls[i].text, " NULL)")))
			continue;
		printf("%s: %s, status %d, otherwise %d\n", calls[i].text,
		       came_back ? "wrong" : "crashed", *status, right);
		nwrong++;
	}
	printf("%zu calls, %d wrong\n", ncalls, nwrong);
	return nwrong > 0;
}
