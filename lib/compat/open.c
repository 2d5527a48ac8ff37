/* SPDX-License-Identifier: MIT */
/*
 * Opening, closing, and what a file is.
 *
 * libnetcdf looks at a file's first bytes before it looks at the mode, and so a
 * missing file is ENOENT also where the mode could not be had.
 */
#include "compat/table.h"

#include "nc3z_compat.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that libnetcdf wants to see of any file. */
#define MAGIC_NBYTES 8

static int check_mode(int mode)
{
	if ((mode & NC_DISKLESS) && (mode & (NC_INMEMORY | NC_MMAP)))
		return NC_EDISKLESS;
	if ((mode & NC_MMAP) && (mode & NC_INMEMORY))
		return NC_EINMEMORY;
	if ((mode & NC_MMAP) && (mode & NC_NETCDF4))
		return NC_EINVAL;
	return NC_NOERR;
}

static int mode_of(int mode, const struct nc3z_file *file)
{
	mode &= ~NC_NETCDF4;
	switch (nc3z_inq_format(file)) {
	case 2:
		return mode | NC_64BIT_OFFSET;
	case 5:
		return mode | NC_64BIT_DATA;
	default:
		return mode;
	}
}

static void open_options(struct nc3z_open_options *options)
{
	nc3z_open_options_init(options);
	/* libnetcdf reads zeros there, too */
	options->ignores_truncation = 1;
}

static int open_path(const char *path, struct nc3z_file **file_ret)
{
	struct nc3z_open_options options;
	struct nc3z_error err;
	int status;

	open_options(&options);
	err.sys_errno = 0;
	status = nc3z_open(path, &options, file_ret, &err);
	status = compat_status(path, status, &err);
	/* a directory or a device */
	return status == NC_EINVAL ? NC_ENOTNC : status;
}

/* 'path' is what the caller calls it. */
static int open_memory(const char *path, const void *memory, size_t size,
		       struct nc3z_file **file_ret)
{
	struct nc3z_open_options options;
	struct nc3z_source *source;
	struct nc3z_error err;
	int status;

	open_options(&options);
	err.sys_errno = 0;
	status = nc3z_source_open_memory(memory, size, &source, &err);
	if (status == NC3Z_OK) {
		status = nc3z_open_source(source, &options, file_ret, &err);
		if (status != NC3Z_OK)
			nc3z_source_close(source);
	}
	return compat_status(path, status, &err);
}

/* Gives a file its ID, or closes it. */
static int add_file(struct nc3z_file *file, const char *path, int mode,
		    int *ncidp)
{
	struct compat_entry entry = { .file = file, .mode = mode };
	int status = NC_ENOMEM, ncid;

	entry.path = malloc(strlen(path) + 1);
	if (entry.path) {
		strcpy(entry.path, path);
		entry.mode = mode_of(mode, file);
		status = compat_add(&entry, &ncid);
	}
	if (status) {
		free(entry.path);
		nc3z_close(file);
		return status;
	}
	if (ncidp)
		*ncidp = ncid;
	return NC_NOERR;
}

/* nc3z gives the reason in words, libnetcdf as a number. */
static int status_of_refusal(const char *reason)
{
	if (strstr(reason, "too large"))
		return NC_EVARSIZE;
	if (strstr(reason, "length 0"))
		return NC_EUNLIMPOS;
	return NC_ENOTNC;
}

static int check_refusal(const struct nc3z_file *file, const char *path,
			 int mode)
{
	const char *reason = nc3z_inq_refusal(file);

	if (reason) {
		compat_tell(path, reason);
		return status_of_refusal(reason);
	}
	if (mode & NC_WRITE) {
		compat_tell(path, "nc3z only reads files: open them without "
				  "NC_WRITE");
		return NC_EPERM;
	}
	return NC_NOERR;
}

int nc_open(const char *path, int mode, int *ncidp)
{
	struct nc3z_file *file;
	int status;

	if (!path)
		return NC_EINVAL;
	status = check_mode(mode);
	if (status)
		return status;
	while (*path > 0 && *path <= ' ')
		path++;
	/* libnetcdf takes this for a bad address of the network */
	if (!*path)
		return NC_EDAPURL;
	if (mode & NC_INMEMORY)
		return NC_EINVAL;
	status = open_path(path, &file);
	if (status)
		return status;
	status = check_refusal(file, path, mode);
	if (status) {
		nc3z_close(file);
		return status;
	}
	return add_file(file, path, mode, ncidp);
}

/* The hint is about a buffer that is not there; it stays what it was. */
int nc__open(const char *path, int mode, size_t *chunksizehintp, int *ncidp)
{
	(void)chunksizehintp;
	return nc_open(path, mode, ncidp);
}

int nc_open_mem(const char *path, int mode, size_t size, void *memory,
		int *ncidp)
{
	struct nc3z_file *file;
	int status;

	if (!memory || size < MAGIC_NBYTES || !path)
		return NC_EINVAL;
	if (mode & (NC_WRITE | NC_MMAP))
		return NC_EINVAL;
	mode |= NC_INMEMORY;
	status = check_mode(mode);
	if (!status)
		status = open_memory(path, memory, size, &file);
	if (status)
		return status;
	status = check_refusal(file, path, mode);
	if (status) {
		nc3z_close(file);
		return status;
	}
	return add_file(file, path, mode, ncidp);
}

int nc_close(int ncid)
{
	struct compat_entry entry;
	int status = compat_remove(ncid, &entry);

	if (status)
		return status;
	nc3z_close(entry.file);
	free(entry.path);
	return NC_NOERR;
}

int nc_abort(int ncid)
{
	return nc_close(ncid);
}

/* An archive does not grow. */
int nc_sync(int ncid)
{
	struct compat_entry *entry;
	struct nc3z_summary summary;
	struct nc3z_file *file;
	int status = compat_find(ncid, &entry);

	if (status)
		return status;
	if ((entry->mode & NC_INMEMORY) ||
	    nc3z_inq_summary(entry->file, &summary, NULL) == NC3Z_OK)
		return NC_NOERR;
	status = open_path(entry->path, &file);
	if (status)
		return status;
	nc3z_close(entry->file);
	entry->file = file;
	return NC_NOERR;
}

int nc_inq_path(int ncid, size_t *pathlen, char *path)
{
	struct compat_entry *entry;
	int status = compat_find(ncid, &entry);

	if (status)
		return status;
	if (pathlen)
		*pathlen = strlen(entry->path);
	if (path)
		strcpy(path, entry->path);
	return NC_NOERR;
}

int nc_inq_format(int ncid, int *formatp)
{
	struct nc3z_file *file;
	int status = compat_file(ncid, &file);

	if (!status && formatp)
		*formatp = nc3z_inq_format(file);
	return status;
}

int nc_inq_format_extended(int ncid, int *formatp, int *modep)
{
	struct compat_entry *entry;
	int status = compat_find(ncid, &entry);

	if (status)
		return status;
	if (formatp)
		*formatp = NC_FORMATX_NC3;
	if (modep)
		*modep = entry->mode;
	return NC_NOERR;
}
