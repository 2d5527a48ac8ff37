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
	int fd;
	haddr_t eoa;
	haddr_t eof;
};

static const struct open_file *as_file(const H5FD_t *file)
{
	return (const struct open_file *)(const void *)file;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access,
			   haddr_t max)
{
	const int *fd = H5Pget_driver_info(access);
	struct open_file *f = fd ? calloc(1, sizeof(*f)) : NULL;
	struct stat stat;

	(void)name;
	(void)max;
	if (!f || fstat(*fd, &stat) != 0 ||
	    ((flags & H5F_ACC_TRUNC) && ftruncate(*fd, 0) != 0)) {
		free(f);
		return NULL;
	}
	f->fd = *fd;
	f->eof = flags & H5F_ACC_TRUNC ? 0 : (haddr_t)stat.st_size;
	return &f->base;
}

static herr_t driver_close(H5FD_t *file)
{
	free(file);
	return 0;
}

static int driver_cmp(const H5FD_t *a, const H5FD_t *b)
{
	int x = as_file(a)->fd, y = as_file(b)->fd;

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
	return as_file(file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
	(void)type;
	((struct open_file *)(void *)file)->eoa = address;
	return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
	(void)type;
	return as_file(file)->eof;
}

/* Beyond the end there are zeros. */
static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t how,
			  haddr_t address, size_t nbytes, void *data)
{
	uint8_t *at = data;

	(void)type;
	(void)how;
	while (nbytes > 0) {
		ssize_t n =
			pread(as_file(file)->fd, at, nbytes, (off_t)address);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0) {
			memset(at, 0, nbytes);
			return 0;
		}
		at += n;
		address += (haddr_t)n;
		nbytes -= (size_t)n;
	}
	return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t how,
			   haddr_t address, size_t nbytes, const void *data)
{
	struct open_file *f = (struct open_file *)(void *)file;
	const uint8_t *at = data;

	(void)type;
	(void)how;
	while (nbytes > 0) {
		ssize_t n = pwrite(f->fd, at, nbytes, (off_t)address);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			hdf5_note_errno(errno);
			return -1;
		}
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
	struct open_file *f = (struct open_file *)(void *)file;

	(void)how;
	(void)is_closing;
	if (f->eoa == f->eof)
		return 0;
	if (ftruncate(f->fd, (off_t)f->eoa) != 0) {
		hdf5_note_errno(errno);
		return -1;
	}
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
	.fapl_size = sizeof(int),
	.open = driver_open,
	.close = driver_close,
	.cmp = driver_cmp,
	.query = driver_query,
	.get_eoa = driver_get_eoa,
	.set_eoa = driver_set_eoa,
	.get_eof = driver_get_eof,
	.read = driver_read,
	.write = driver_write,
	.truncate = driver_truncate,
	.fl_map = H5FD_FLMAP_DICHOTOMY,
};

herr_t driver_set(hid_t access, int fd)
{
	static hid_t id = H5I_INVALID_HID;

	if (id < 0)
		id = H5FDregister(&driver);
	return id < 0 ? -1 : H5Pset_driver(access, id, &fd);
}
