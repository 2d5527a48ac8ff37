/* SPDX-License-Identifier: MIT */
/*
 * Opening and closing, and what to tell whom when something goes wrong: the
 * caller gets a status, which in netcdf-c is only a number; what it leaves out,
 * which block of which file is damaged, is a line on standard error.
 */
#include "netcdf-plugin/dataset.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netcdf-plugin/names.h"

static void say(const char *path, const char *text)
{
	fprintf(stderr, "nc3z: %s: %s\n", path, text);
}

/* Whether the number of netcdf-c leaves out where something is wrong. */
static bool has_more_to_say(int status)
{
	return status == NC3Z_EIO || status == NC3Z_EDAMAGED ||
	       status == NC3Z_EUNSUPPORTED || status == NC3Z_ECHANGED ||
	       status == NC3Z_EINVAL;
}

int dataset_status(const struct plugin_dataset *dataset, int status,
		   const struct nc3z_error *err)
{
	if (has_more_to_say(status))
		say(dataset->path, err->text);
	return reader.netcdf_status(status, err);
}

/*
 * Of a file that cannot be opened, the errno of the system says why; of a
 * server "No such file" says too little.
 */
static int open_status(const char *path, bool is_url, int status,
		       const struct nc3z_error *err)
{
	bool is_clear = status == NC3Z_EIO && err->sys_errno != 0 && !is_url;

	if (has_more_to_say(status) && !is_clear)
		say(path, err->text);
	return reader.netcdf_status(status, err);
}

static int open_memory(const struct netcdf_memio *memory,
		       const struct nc3z_open_options *options,
		       struct nc3z_file **file_ret, struct nc3z_error *err)
{
	struct nc3z_source *source;
	int status = reader.source_open_memory(memory->memory, memory->size,
					       &source, err);

	if (status != NC3Z_OK)
		return status;
	status = reader.open_source(source, options, file_ret, err);
	if (status != NC3Z_OK)
		reader.source_close(source);
	return status;
}

/* 'url' NULL: what is at 'path', or in memory. */
static int open_file(const char *path, const char *url,
		     const struct netcdf_memio *memory,
		     struct nc3z_file **file_ret)
{
	struct nc3z_open_options options;
	struct nc3z_error err = { 0 };
	const char *refusal;
	int status;

	reader.open_options_init_sized(&options, sizeof(options));
	options.ignores_truncation = 1;
	status = memory ? open_memory(memory, &options, file_ret, &err) :
			  reader.open(url ? url : path, &options, file_ret,
				      &err);
	if (status != NC3Z_OK)
		return open_status(path, url != NULL, status, &err);
	refusal = reader.inq_refusal(*file_ret);
	if (!refusal)
		return NETCDF_NOERR;
	say(path, "libnetcdf would not read the original:");
	say(path, refusal);
	reader.close(*file_ret);
	return NETCDF_ENOTNC;
}

void dataset_explain(const char *path)
{
	char *name = name_of_output(path);
	struct nc3z_file *file;
	struct nc3z_error err;

	/* For an archive, dataset_open() has reported it. */
	if (name && !name_is_archive(path) && reader_load()) {
		if (reader.open(path, NULL, &file, &err) == NC3Z_OK)
			reader.close(file);
		else
			say(path, err.text);
	}
	free(name);
}

/* A URL as it may be shown. */
static char *copy_url(const char *url)
{
	size_t nbytes = strlen(url) + 1;
	char *copy = malloc(nbytes);

	if (copy)
		reader.url_text(url, copy, nbytes);
	return copy;
}

/* A path, also where it is given as file:///path#options. */
static char *copy_path(const char *path)
{
	static const char scheme[] = "file:";
	char *copy;

	if (strncmp(path, scheme, strlen(scheme)) != 0)
		return strdup(path);
	path += strlen(scheme);
	while (path[0] == '/' && path[1] == '/')
		path++;
	copy = strdup(path);
	if (copy)
		copy[strcspn(copy, "#?")] = '\0';
	return copy;
}

int dataset_open(const char *path, int mode, const struct netcdf_memio *memory,
		 struct plugin_dataset **dataset_ret)
{
	const char *url = memory ? NULL : name_pending_url(path);
	struct plugin_dataset *dataset;
	int status;

	if (mode & NETCDF_WRITE) {
		say(path, "archives can only be read: restore the file with "
			  "nc3compress -d");
		return NETCDF_EPERM;
	}
	if (!reader_load())
		return NETCDF_EIO;
	dataset = calloc(1, sizeof(*dataset));
	if (!dataset)
		return NETCDF_ENOMEM;
	dataset->mode = mode;
	dataset->path = url ? copy_url(url) : copy_path(path);
	if (memory)
		dataset->memory = *memory;
	status = dataset->path ?
			 open_file(dataset->path, url, memory, &dataset->file) :
			 NETCDF_ENOMEM;
	if (status == NETCDF_NOERR) {
		*dataset_ret = dataset;
	} else {
		free(dataset->path);
		free(dataset);
	}
	return status;
}

void dataset_close(struct plugin_dataset *dataset,
		   struct netcdf_memio *memory_ret)
{
	bool owns_memory = !(dataset->memory.flags & NETCDF_MEMIO_LOCKED);

	reader.close(dataset->file);
	if (memory_ret && dataset->memory.memory) {
		memory_ret->memory = dataset->memory.memory;
		memory_ret->size = dataset->memory.size;
	} else if (owns_memory) {
		free(dataset->memory.memory);
	}
	free(dataset->path);
	free(dataset);
}
