/* SPDX-License-Identifier: MIT */
/*
 * A driver of HDF5 for a file that is open and may have no name: HDF5's own
 * open files by their names, and lock them.
 */
#define _XOPEN_SOURCE 700 /* pread() */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf5/container.h"

#define ADDRESS_MAX ((haddr_t)INT64_MAX)

struct open_file {
	H5FD_t base; /* HDF5's own */
	struct driver_output *output;
	haddr_t eoa;
	haddr_t eof;
	/* Of the room for chunk indexes. */
	haddr_t index_at;
	haddr_t index_end;
};

static struct open_file *as_file(H5FD_t *file)
{
	return (struct open_file *)(void *)file;
}

static const struct open_file *as_const(const H5FD_t *file)
{
	return (const struct open_file *)(const void *)file;
}

/* The first failure is the one that is told. */
static void fail_output(struct driver_output *output, const char *what)
{
	if (output->sys_errno)
		return;
	output->sys_errno = errno;
	output->failed = what;
}

/* Whether there is nothing more to do. */
static bool is_over(const struct driver_output *output)
{
	return output->fd < 0 || output->sys_errno;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access,
			   haddr_t max)
{
	struct driver_output *const *output = H5Pget_driver_info(access);
	struct open_file *f = output ? calloc(1, sizeof(*f)) : NULL;
	struct stat stat = { 0 };

	(void)name;
	(void)max;
	if (!f)
		return NULL;
	f->output = *output;
	f->output->is_open = true;
	if (fstat(f->output->fd, &stat) != 0 ||
	    ((flags & H5F_ACC_TRUNC) && ftruncate(f->output->fd, 0) != 0))
		fail_output(f->output, "cannot write output");
	f->eof = flags & H5F_ACC_TRUNC ? 0 : (haddr_t)stat.st_size;
	return &f->base;
}

static herr_t driver_close(H5FD_t *file)
{
	as_file(file)->output->is_open = false;
	free(file);
	return 0;
}

/* Descriptors are used again, outputs are not while HDF5 knows them. */
static int driver_cmp(const H5FD_t *a, const H5FD_t *b)
{
	uintptr_t x = (uintptr_t)as_const(a)->output,
		  y = (uintptr_t)as_const(b)->output;

	return x < y ? -1 : x > y;
}

/*
 * Small pieces are written together, but not given room together, of which
 * something would be left.
 */
static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
	(void)file;
	*flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
	return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
	(void)type;
	return as_const(file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
	(void)type;
	as_file(file)->eoa = address;
	return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
	(void)type;
	return as_const(file)->eof;
}

/*
 * All metadata lies before the first value: only chunk indexes are made after
 * that, and have their room.
 */
static haddr_t driver_alloc(H5FD_t *file, H5FD_mem_t type, hid_t how,
			    hsize_t nbytes)
{
	struct open_file *f = as_file(file);
	haddr_t *at = &f->eoa, address;

	(void)how;
	if (f->output->index_nbytes > 0 && f->index_end == 0) {
		f->index_at = f->eoa;
		f->eoa += f->output->index_nbytes;
		f->index_end = f->eoa;
	}
	if (type != H5FD_MEM_DRAW && nbytes <= f->index_end - f->index_at)
		at = &f->index_at;
	address = *at;
	*at += nbytes;
	return address;
}

/* Beyond the end there are zeros. */
static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t how,
			  haddr_t address, size_t nbytes, void *data)
{
	struct driver_output *output = as_file(file)->output;
	uint8_t *at = data;
	bool is_again = false;

	(void)type;
	(void)how;
	while (nbytes > 0 && output->fd >= 0) {
		ssize_t n = pread(output->fd, at, nbytes, (off_t)address);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			fail_output(output, "cannot read output");
		/*
		 * The output is lost, but HDF5 does not end well without its
		 * own structures: it gets them if they come at second try.
		 */
		if (n < 0 && !is_again) {
			is_again = true;
			continue;
		}
		if (n <= 0)
			break;
		at += n;
		address += (haddr_t)n;
		nbytes -= (size_t)n;
	}
	memset(at, 0, nbytes);
	return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t how,
			   haddr_t address, size_t nbytes, const void *data)
{
	struct open_file *f = as_file(file);
	const uint8_t *at = data;

	(void)type;
	(void)how;
	while (nbytes > 0 && !is_over(f->output)) {
		ssize_t n = pwrite(f->output->fd, at, nbytes, (off_t)address);

		if (n < 0 && errno != EINTR)
			fail_output(f->output, "cannot write output");
		if (n < 0)
			continue;
		at += n;
		address += (haddr_t)n;
		nbytes -= (size_t)n;
	}
	if (address > f->eof)
		f->eof = address;
	return 0;
}

static herr_t driver_truncate(H5FD_t *file, hid_t how, hbool_t is_closing)
{
	struct open_file *f = as_file(file);

	(void)how;
	(void)is_closing;
	if (f->eoa == f->eof)
		return 0;
	if (!is_over(f->output) && ftruncate(f->output->fd, (off_t)f->eoa) != 0)
		fail_output(f->output, "cannot write output");
	f->eof = f->eoa;
	return 0;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
	.version = H5FD_CLASS_VERSION,
	.value = 400, /* one of those for use within a program */
#endif
	.name = "nc3z",
	.maxaddr = ADDRESS_MAX,
	.fc_degree = H5F_CLOSE_STRONG,
	.fapl_size = sizeof(struct driver_output *),
	.open = driver_open,
	.close = driver_close,
	.cmp = driver_cmp,
	.query = driver_query,
	.alloc = driver_alloc,
	.get_eoa = driver_get_eoa,
	.set_eoa = driver_set_eoa,
	.get_eof = driver_get_eof,
	.read = driver_read,
	.write = driver_write,
	.truncate = driver_truncate,
	.fl_map = H5FD_FLMAP_DICHOTOMY,
};

herr_t driver_set(hid_t access, struct driver_output *output)
{
	static hid_t id = H5I_INVALID_HID;

	if (id < 0)
		id = H5FDregister(&driver);
	return id < 0 ? -1 : H5Pset_driver(access, id, &output);
}
