/* SPDX-License-Identifier: MIT */
/*
 * A classic file into a netCDF-4 file from which it comes back.
 *
 * HDF5 makes the container and is given finished chunks, which several
 * threads read, shuffle and deflate, or slices of contiguous variables.  Where
 * everything is comes from the finished file, as HDF5 sees it; then the tail is
 * appended.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sizes.h"
#include "classic/layout.h"
#include "exact/writer.h"
#include "io/sink_file.h"
#include "parallel/pool.h"
#include "parallel/threads.h"
#include "nc3z_tools.h"

/* A chunk on its way, or a slice of a contiguous variable. */
struct job {
	size_t variable;
	uint64_t number;
	uint8_t *stored;
	size_t nbytes;
	int status;
	struct nc3z_error error;
};

static void report(struct exact_writer *w, uint64_t nbytes)
{
	w->done_nbytes += nbytes;
	if (w->options->progress)
		w->options->progress(w->options->context, w->done_nbytes,
				     w->done_nbytes);
}

/* In a worker. */
static void run_deflate(void *context, void *argument, unsigned worker)
{
	struct exact_writer *w = context;
	struct job *job = argument;
	const struct exact_variable *v = &w->storage.variables[job->variable];
	uint8_t *raw = malloc((size_t)v->chunk_nbytes);

	job->stored = malloc((size_t)exact_stored_nbytes_max(v));
	job->status = raw && job->stored ?
			      storage_read(&w->storage, v, job->variable,
					   job->number, raw, &job->error) :
			      error_set_memory(&job->error);
	if (job->status == NC3Z_OK)
		job->status = chunk_encode(v, &w->encoders[worker], raw,
					   job->stored, &job->nbytes,
					   &job->error);
	free(raw);
}

/* Writes the chunk of a job that was taken back, if all has gone well. */
static int finish(struct exact_writer *w, struct job *job, int status)
{
	const struct exact_variable *v = &w->storage.variables[job->variable];
	struct chunk_box box;

	if (status == NC3Z_OK && job->status != NC3Z_OK) {
		status = job->status;
		if (w->err)
			*w->err = job->error;
	}
	if (status == NC3Z_OK) {
		chunk_box_of(v, job->number, &box);
		status = v->flags & EXACT_CHUNKED ?
				 w->room->put_chunk(w->container, job->variable,
						    box.start, job->stored,
						    job->nbytes, w->err) :
				 w->room->put_box(w->container, job->variable,
						  box.start, box.count,
						  job->stored, w->err);
	}
	if (status == NC3Z_OK)
		report(w, v->chunk_nbytes);
	free(job->stored);
	free(job);
	return status;
}

static int submit(struct exact_writer *w, struct pool *pool, size_t variable,
		  uint64_t number)
{
	struct job *job = calloc(1, sizeof(*job));

	if (job) {
		job->variable = variable;
		job->number = number;
		if (pool_submit(pool, job,
				w->storage.variables[variable].chunk_nbytes))
			return NC3Z_OK;
	}
	free(job);
	return error_set_memory(w->err);
}

static int put_variable(struct exact_writer *w, struct pool *pool,
			size_t variable)
{
	const struct exact_variable *v = &w->storage.variables[variable];
	int status = NC3Z_OK;

	for (uint64_t i = 0; i < v->nchunks && status == NC3Z_OK; i++) {
		if (w->options->stop && *w->options->stop)
			return error_set_system(w->err, ECANCELED, "stopped");
		status = submit(w, pool, variable, i);
		/* More slices at a time would take memory, and as long. */
		if (status == NC3Z_OK && !(v->flags & EXACT_CHUNKED))
			status = finish(w, pool_take(pool), status);
		while (pool_is_full(pool))
			status = finish(w, pool_take(pool), status);
	}
	return status;
}

/* Those that are contiguous, then the others. */
static int put_variables(struct exact_writer *w, struct pool *pool)
{
	for (int flags = 0; flags <= EXACT_CHUNKED; flags += EXACT_CHUNKED)
		for (size_t i = 0; i < w->file->header.nvars; i++)
			if ((w->storage.variables[i].flags & EXACT_CHUNKED) ==
			    flags)
				NC3Z_TRY(put_variable(w, pool, i));
	return NC3Z_OK;
}

static int put_all(struct exact_writer *w)
{
	unsigned n = threads_wanted(w->options->nthreads);
	const struct pool_setup setup = {
		.nthreads = n,
		.max_nbytes = w->options->max_memory_nbytes / 4,
		.run = run_deflate,
		.context = w,
	};
	struct pool *pool;
	struct job *job;
	int status;

	NC3Z_TRY(pool_new(&setup, &pool, w->err));
	n = pool_nworkers(pool);
	w->encoders = memory_alloc(n, sizeof(*w->encoders));
	status = w->encoders ? NC3Z_OK : error_set_memory(w->err);
	for (unsigned i = 0; w->encoders && i < n; i++)
		w->encoders[i].level = w->storage.level;
	if (status == NC3Z_OK)
		status = put_variables(w, pool);
	while ((job = pool_take(pool)))
		status = finish(w, job, status);
	for (unsigned i = 0; w->encoders && i < n; i++)
		codec_state_release(&w->encoders[i].codecs);
	free(w->encoders);
	pool_free(pool);
	return status;
}

/* Where HDF5 writes: to the sink's own file, or to one that is copied. */
static int open_part(struct exact_writer *w)
{
	struct file_sink *f = sink_as_file(w->out);

	NC3Z_TRY(sink_check_unused(w->out, w->err));
	if (f && w->out->has_places) {
		w->fd = f->fd;
	} else {
		w->temporary = tmpfile();
		if (!w->temporary)
			return error_set_system(w->err, errno,
						"cannot make a temporary file");
		w->fd = fileno(w->temporary);
	}
	return NC3Z_OK;
}

/* After what was done with it; it is gone in any case. */
static int close_container(struct exact_writer *w, int status)
{
	if (status == NC3Z_OK)
		return w->room->close(w->container, w->err);
	w->room->close(w->container, NULL);
	return status;
}

static int make_container(struct exact_writer *w)
{
	NC3Z_TRY(w->room->create(w->fd, &w->plan, &w->container, w->err));
	return close_container(w, put_all(w));
}

/* Where HDF5 finds the chunks of a variable. */
static int locate_chunks(struct exact_writer *w, size_t variable)
{
	struct exact_variable *v = &w->storage.variables[variable];
	struct exact_description *d = &w->description;

	v->first_place = d->nplaces;
	for (uint64_t i = 0; i < v->nchunks; i++) {
		struct exact_place *place = &d->places[d->nplaces++];
		struct chunk_box box;
		uint64_t nbytes = 0;

		chunk_box_of(v, i, &box);
		NC3Z_TRY(w->room->locate(w->container, variable, box.start,
					 &place->address, &nbytes, w->err));
		place->nbytes = (uint32_t)nbytes;
	}
	return NC3Z_OK;
}

static int locate_contiguous(struct exact_writer *w, size_t variable)
{
	struct exact_variable *v = &w->storage.variables[variable];
	uint64_t nbytes = 0;

	NC3Z_TRY(w->room->locate(w->container, variable, NULL, &v->address,
				 &nbytes, w->err));
	if (nbytes != v->nbytes)
		return error_set(w->err, NC3Z_EIO,
				 "HDF5 has another size for a variable");
	return NC3Z_OK;
}

static int locate_all(struct exact_writer *w)
{
	const struct exact_variable *v = w->storage.variables;
	uint64_t n = 0;

	for (size_t i = 0; i < w->file->header.nvars; i++)
		n += v[i].flags & EXACT_CHUNKED ? v[i].nchunks : 0;
	w->description.places = memory_alloc(n, sizeof(*w->description.places));
	if (!w->description.places)
		return error_set_memory(w->err);
	for (size_t i = 0; i < w->file->header.nvars; i++)
		NC3Z_TRY(v[i].flags & EXACT_CHUNKED ? locate_chunks(w, i) :
						      locate_contiguous(w, i));
	return NC3Z_OK;
}

/* As it is found, by whoever opens it. */
static int describe_container(struct exact_writer *w)
{
	NC3Z_TRY(w->room->open(w->fd, &w->plan, &w->container, w->err));
	return close_container(w, locate_all(w));
}

/* Takes over the variables that have bytes of their own, as the layout says. */
static int describe_variables(struct exact_writer *w)
{
	const struct layout *layout = &w->head.shape.layout;
	struct exact_description *d = &w->description;
	const struct layout_extents *all[] = { &layout->fixed, &layout->slots };

	d->numrecs = w->file->numrecs;
	d->record_nbytes = layout->record_nbytes;
	d->variables =
		memory_alloc(w->file->header.nvars, sizeof(*d->variables));
	if (!d->variables)
		return error_set_memory(w->err);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < all[k]->count; i++) {
			const struct layout_extent *e = &all[k]->list[i];

			if (e->variable != CLASSIC_NO_VARIABLE &&
			    e->begin ==
				    w->storage.variables[e->variable].begin &&
			    e->nbytes >=
				    w->storage.variables[e->variable].nbytes)
				d->variables[d->nvariables++] =
					w->storage.variables[e->variable];
		}
	return NC3Z_OK;
}

static int hash_original(struct exact_writer *w)
{
	w->trailer.original_nbytes = nc3z_inq_size(w->file);
	if (!w->file->is_archive)
		return nc3z_source_sha256(w->in, w->trailer.original_sha256,
					  w->err);
	memcpy(w->trailer.original_sha256, w->file->archive.catalogue.sha256,
	       SHA256_NBYTES);
	return NC3Z_OK;
}

static int write_all(struct exact_writer *w)
{
	struct nc3z_open_options how;

	nc3z_open_options_init(&how);
	how.nthreads = 1;
	how.ignores_truncation = 1;
	how.readahead_nbytes = 0;
	NC3Z_TRY(hdf5_load(&w->room, w->err));
	NC3Z_TRY(nc3z_open_source(w->in, &how, &w->file, w->err));
	NC3Z_TRY(exact_refuse(&w->file->header, w->err));
	w->head.header = w->file->header;
	NC3Z_TRY(layout_of_header(&w->head.header, &w->head.shape.layout,
				  w->err));
	/* As packing does; what libnetcdf would refuse becomes readable. */
	pack_warn_of_size(&w->head, w->options, NULL,
			  w->file->map.original_nbytes);
	NC3Z_TRY(hash_original(w));
	NC3Z_TRY(storage_choose(&w->storage, w->file, w->options,
				w->room->fixed_k, w->err));
	w->plan = (struct container_plan){
		.header = &w->file->header,
		.numrecs = w->file->numrecs,
		.storage = w->storage.containers,
		.index_k = w->storage.index_k,
		.index_nbytes = w->storage.index_nbytes,
	};
	NC3Z_TRY(open_part(w));
	NC3Z_TRY(make_container(w));
	NC3Z_TRY(describe_container(w));
	NC3Z_TRY(describe_variables(w));
	NC3Z_TRY(writer_finish_part(w));
	NC3Z_TRY(writer_append_tail(w));
	return source_check_unchanged(w->in, w->err);
}

int nc3z_write_netcdf4(struct nc3z_source *in, struct nc3z_sink *out,
		       const struct nc3z_pack_options *options,
		       struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	struct exact_writer w = { .in = in, .out = out, .err = err };
	struct pack_settings settings;
	int status;

	NC3Z_TRY(pack_settings_init(&settings, options, err));
	w.options = &settings.options;
	status = write_all(&w);
	if (status == NC3Z_OK && summary_ret)
		*summary_ret = exact_summary(&w.trailer, &w.description,
					     out->position);
	if (w.temporary)
		fclose(w.temporary);
	exact_description_release(&w.description);
	storage_release(&w.storage);
	layout_release(&w.head.shape.layout);
	if (w.file)
		file_disown_source(w.file);
	nc3z_close(w.file);
	return status;
}
