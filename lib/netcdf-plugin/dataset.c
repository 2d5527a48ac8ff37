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

/* The numbers of netcdf-c that say as much as ours. */
static const struct {
	int ours;
	int theirs;
} plain_statuses[] = {
	{ NC3Z_OK, NETCDF_NOERR },
	{ NC3Z_ENOMEM, NETCDF_ENOMEM },
	{ NC3Z_ERANGE, NETCDF_ERANGE },
	{ NC3Z_ECHAR, NETCDF_ECHAR },
	{ NC3Z_EINVALCOORDS, NETCDF_EINVALCOORDS },
	{ NC3Z_EEDGE, NETCDF_EEDGE },
	{ NC3Z_ESTRIDE, NETCDF_ESTRIDE },
	{ NC3Z_EBADDIM, NETCDF_EBADDIM },
	{ NC3Z_ENOTVAR, NETCDF_ENOTVAR },
	{ NC3Z_ENOTATT, NETCDF_ENOTATT },
	{ NC3Z_EBADTYPE, NETCDF_EBADTYPE },
	{ NC3Z_ELIMIT, NETCDF_EVARSIZE },
};

static void say(const char *path, const char *text)
{
	fprintf(stderr, "nc3z: %s: %s\n", path, text);
}

static bool find_plain_status(int status, int *status_ret)
{
	size_t n = sizeof(plain_statuses) / sizeof(plain_statuses[0]);

	for (size_t i = 0; i < n; i++) {
		if (plain_statuses[i].ours != status)
			continue;
		*status_ret = plain_statuses[i].theirs;
		return true;
	}
	return false;
}

int dataset_status(const struct plugin_dataset *dataset, int status,
		   const struct nc3z_error *err)
{
	int found;

	if (find_plain_status(status, &found))
		return found;
	say(dataset->path, err->text);
	return NETCDF_EIO;
}

static int open_status(const char *path, int status,
		       const struct nc3z_error *err)
{
	int found;

	if (find_plain_status(status, &found))
		return found;
	if (status == NC3Z_EIO && err->sys_errno != 0)
		return err->sys_errno;
	if (status == NC3Z_ENOTCLASSIC || status == NC3Z_ENOTARCHIVE)
		return NETCDF_ENOTNC;
	say(path, err->text);
	return status == NC3Z_EUNSUPPORTED ? NETCDF_ENOTNC : NETCDF_EIO;
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
	/* "No such file" says too little of a server. */
	if (status == NC3Z_EIO && url)
		say(path, err.text);
	if (status != NC3Z_OK)
		return open_status(path, status, &err);
	refusal = reader.inq_refusal(*file_ret);
	if (!refusal)
		return NETCDF_NOERR;
	say(path, "libnetcdf would not read the original:");
	say(path, refusal);
	reader.close(*file_ret);
	return NETCDF_ENOTNC;
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

	if (mode & NETCDF_WRITE)
		return NETCDF_EPERM;
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
