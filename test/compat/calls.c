/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned char buffer[BUFFER_NBYTES];

static uint64_t random_state;

void random_seed(uint64_t seed)
{
	random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

uint64_t random_below(uint64_t end)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return end ? (random_state >> 11) % end : 0;
}

/* As FNV-1a, but of 8 bytes at a time. */
uint64_t sum(const void *data, size_t nbytes)
{
	const unsigned char *bytes = data;
	uint64_t hash = UINT64_C(0xcbf29ce484222325), word;

	for (size_t i = 0; i < nbytes; i += sizeof(word)) {
		word = 0;
		memcpy(&word, bytes + i,
		       nbytes - i < sizeof(word) ? nbytes - i : sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
		hash ^= hash >> 29;
	}
	return hash;
}

void fill_buffer(void)
{
	memset(buffer, CANARY, sizeof(buffer));
}

void print_status(const char *call, int status)
{
	printf("%s: %d %s\n", call, status, nc_strerror(status));
}

void print_int(const char *call, int status, int value)
{
	if (status)
		print_status(call, status);
	else
		printf("%s: %d\n", call, value);
}

void print_size(const char *call, int status, size_t value)
{
	if (status)
		print_status(call, status);
	else
		printf("%s: %zu\n", call, value);
}

void print_name(const char *call, int status, const char *name)
{
	if (status)
		print_status(call, status);
	else
		printf("%s: \"%s\"\n", call, name);
}

/* Without NC_WRITE, which is refused where libnetcdf may grant it. */
static void open_in_modes(const char *path)
{
	static const int modes[] = {
		NC_NOWRITE,
		NC_SHARE,
		NC_LOCK,
		NC_NETCDF4,
		NC_64BIT_OFFSET,
		NC_CDF5,
		NC_CLASSIC_MODEL,
		NC_CLASSIC_MODEL | NC_NETCDF4,
		NC_MMAP | NC_DISKLESS,
		NC_MMAP | NC_NETCDF4,
		NC_DISKLESS | NC_INMEMORY,
		NC_MMAP | NC_INMEMORY,
	};
	size_t hint = 12345;
	int ncid, mode = -9, status;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		status = nc_open(path, modes[i], &ncid);
		printf("open %#x: %d", modes[i], status);
		if (status == NC_NOERR) {
			nc_inq_format_extended(ncid, NULL, &mode);
			printf(" %#x %d", mode, nc_close(ncid));
		}
		printf("\n");
	}
	status = nc__open(path, NC_NOWRITE, &hint, &ncid);
	print_status("_open", status);
	if (status == NC_NOERR)
		print_status("abort", nc_abort(ncid));
}

static void open_elsewhere(void)
{
	int ncid = -9;

	print_status("open NULL", nc_open(NULL, NC_NOWRITE, &ncid));
	print_status("open nothing", nc_open("", NC_NOWRITE, &ncid));
	print_status("open spaces", nc_open("  ", NC_NOWRITE, &ncid));
	print_status("open directory", nc_open(".", NC_NOWRITE, &ncid));
	print_status("open missing", nc_open("no/such", NC_NOWRITE, &ncid));
	print_status("open below", nc_open("/dev/null/x", NC_NOWRITE, &ncid));
	print_status("write missing", nc_open("no/such", NC_WRITE, &ncid));
	print_status("open null", nc_open("/dev/null", NC_NOWRITE, &ncid));
	printf("%d\n", ncid);
}

static void *load(const char *path, size_t *nbytes)
{
	FILE *file = fopen(path, "rb");
	char *data;

	if (!file || fseek(file, 0, SEEK_END))
		abort();
	*nbytes = (size_t)ftell(file);
	data = malloc(*nbytes + 1);
	rewind(file);
	if (!data || fread(data, 1, *nbytes, file) != *nbytes)
		abort();
	fclose(file);
	return data;
}

void calls_of_memory(const char *path)
{
	size_t nbytes;
	void *data = load(path, &nbytes);
	int ncid, status;

	print_status("open_mem", nc_open_mem("x", 0, nbytes, NULL, &ncid));
	print_status("open_mem", nc_open_mem("x", 0, 7, data, &ncid));
	print_status("open_mem", nc_open_mem(NULL, 0, nbytes, data, &ncid));
	print_status("open_mem",
		     nc_open_mem("x", NC_WRITE, nbytes, data, &ncid));
	print_status("open_mem",
		     nc_open_mem("x", NC_DISKLESS, nbytes, data, &ncid));
	status = nc_open_mem("a name", 0, nbytes, data, &ncid);
	print_status("open_mem", status);
	if (status == NC_NOERR) {
		char name[100];
		size_t length;

		PRINT_NAME("path", nc_inq_path(ncid, &length, name), name);
		ask_file(ncid);
		ask_values(ncid, 1);
		print_status("close", nc_close(ncid));
	}
	status = nc_open(path, NC_DISKLESS, &ncid);
	print_status("diskless", status);
	if (status == NC_NOERR) {
		ask_file(ncid);
		print_status("close", nc_close(ncid));
	}
	free(data);
}

static void ask_path(int ncid, const char *path)
{
	size_t length = 99;
	char *name = calloc(strlen(path) + 1, 1);
	int status = nc_inq_path(ncid, &length, name);

	printf("path: %d %d %d\n", status, length == strlen(path),
	       strcmp(name, path) == 0);
	print_status("path", nc_inq_path(ncid, NULL, NULL));
	free(name);
}

static void ask_everything(int ncid, unsigned nrequests)
{
	ask_metadata(ncid);
	ask_values(ncid, nrequests);
}

static void ask_of_no_file(void)
{
	int ncids[] = { 0, -1, 1, 12345, 65536 * 77, INT_MAX, INT_MIN };

	for (size_t i = 0; i < sizeof(ncids) / sizeof(ncids[0]); i++) {
		ask_everything(ncids[i], 1);
		print_status("close", nc_close(ncids[i]));
		print_status("abort", nc_abort(ncids[i]));
		print_status("path", nc_inq_path(ncids[i], NULL, NULL));
	}
}

/* What libnetcdf says of other numbers is of no interest here. */
static void print_messages(void)
{
	for (int status = 140; status > -200; status--)
		print_status("strerror", status);
	print_status("strerror", -1000);
}

static void ask_about(const char *path, unsigned nrequests)
{
	int ncid, first, status;

	status = nc_open(path, NC_NOWRITE, &ncid);
	print_status("open", status);
	if (status)
		return;
	ask_path(ncid, path);
	ask_everything(ncid, nrequests);
	first = ncid;
	print_status("open again", nc_open(path, NC_NOWRITE, &ncid));
	printf("%d\n", first != ncid);
	print_status("close", nc_close(first));
	print_status("close", nc_close(first));
	print_status("of the closed", nc_inq_nvars(first, NULL));
	print_status("of the other", nc_inq_nvars(ncid, NULL));
	print_status("close", nc_close(ncid));
}

void calls_without_file(void)
{
	print_messages();
	open_elsewhere();
	ask_of_no_file();
}

void calls_of_file(const char *path, uint64_t seed, unsigned nrequests)
{
	random_seed(seed);
	open_in_modes(path);
	ask_about(path, nrequests);
	ask_by_version2(path);
}
