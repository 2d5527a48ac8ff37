/* SPDX-License-Identifier: MIT */
/*
 * What nc3z_compat.h does otherwise than libnetcdf, or what libnetcdf has no
 * part in.  What it does alike is compared in compare.py.
 *
 *	test_compat TESTDATA
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "check.h"
#include "nc3z.h"
#include "nc3z_compat.h"

static const char *testdata;

static void path_of(const char *name, char path[4096])
{
	snprintf(path, 4096, "%s/%s", testdata, name);
}

static int open_file(const char *name, int mode, int *ncid)
{
	char path[4096];

	path_of(name, path);
	return nc_open(path, mode, ncid);
}

/* Those that no file of the tests makes libnetcdf give. */
static void test_statuses(void)
{
	struct nc3z_error err = { .sys_errno = ENOSPC };

	CHECK(nc3z_netcdf_status(NC3Z_EIO, &err) == ENOSPC);
	CHECK(nc3z_netcdf_status(NC3Z_EDAMAGED, &err) == NC_EIO);
	CHECK(nc3z_netcdf_status(NC3Z_EIO, NULL) == NC_EIO);
	CHECK(nc3z_netcdf_status(NC3Z_EUNSUPPORTED, NULL) == NC_ENOTBUILT);
	CHECK(nc3z_netcdf_status(NC3Z_ETRUNCATED, NULL) == NC_NOERR);
	CHECK(nc3z_netcdf_status(NC3Z_EBADTYPE, NULL) == NC_EBADTYPE);
	CHECK(nc3z_netcdf_status(NC3Z_EOLDER, NULL) == NC_EIO);
	CHECK(nc3z_netcdf_status(NC3Z_EOLDER + 1, NULL) == NC_EIO);
	CHECK(nc3z_netcdf_status(-1, NULL) == NC_EIO);
	/* No status is without a line in the table. */
	CHECK_STR_EQ(nc3z_status_text(NC3Z_EOLDER + 1), nc3z_status_text(-1));
}

static void test_writing_is_refused(void)
{
	int ncid = -5;

	CHECK(open_file("cdf1-all-types.nc", NC_WRITE, &ncid) == NC_EPERM);
	CHECK(open_file("cdf1-all-types.nc", NC_WRITE | NC_SHARE, &ncid) ==
	      NC_EPERM);
	CHECK(ncid == -5);
	CHECK(open_file("bad-magic.nc", NC_WRITE, &ncid) == NC_ENOTNC);
}

static void test_headers_that_cannot_be_read(void)
{
	int ncid;

	CHECK(open_file("bad-dimension-tag.nc", 0, &ncid) == NC_ENOTNC);
	CHECK(open_file("bad-cut-inside-dimension-name.nc", 0, &ncid) ==
	      NC_ENOTNC);
	CHECK(open_file("bad-empty.nc", 0, &ncid) == NC_ENOTNC);
	CHECK(open_file("odd-cdf1-uint-variable.nc", 0, &ncid) == NC_ENOTNC);
}

static void test_null_pointers(void)
{
	int ncid;

	CHECK(open_file("cdf1-all-types.nc", 0, NULL) == NC_NOERR);
	REQUIRE(open_file("cdf1-all-types.nc", 0, &ncid) == NC_NOERR);
	CHECK(nc_inq_varid(ncid, NULL, NULL) == NC_EBADNAME);
	CHECK(nc_inq_dimid(ncid, NULL, NULL) == NC_EBADNAME);
	CHECK(nc_inq_attname(ncid, NC_GLOBAL, 99, NULL) == NC_ENOTATT);
	CHECK(nc_inq_grpname(ncid, NULL) == NC_NOERR);
	CHECK(nc_inq_typeid(ncid, NULL, NULL) == NC_ENOTNC4);
	CHECK(nc_close(ncid) == NC_NOERR);
}

static void test_long_name_is_cut_off(void)
{
	char name[NC_MAX_NAME + 10];
	int ncid;

	REQUIRE(open_file("cdf1-name-of-1000-bytes.nc", 0, &ncid) == NC_NOERR);
	memset(name, '#', sizeof(name));
	CHECK(nc_inq_dimname(ncid, 0, name) == NC_NOERR);
	CHECK_EQ_U64(strlen(name), NC_MAX_NAME);
	CHECK(name[NC_MAX_NAME + 1] == '#');
	CHECK(nc_close(ncid) == NC_NOERR);
}

static void test_names_byte_by_byte(void)
{
	char name[NC_MAX_NAME + 1];
	int ncid, dimid = -1;

	REQUIRE(open_file("cdf1-latin1-names.nc", 0, &ncid) == NC_NOERR);
	CHECK(nc_inq_dimname(ncid, 0, name) == NC_NOERR);
	CHECK(nc_inq_dimid(ncid, name, &dimid) == NC_NOERR && dimid == 0);
	CHECK(nc_close(ncid) == NC_NOERR);
}

static void put32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* A file with one variable v of shorts; fill: its attribute _FillValue. */
static size_t make_file(uint8_t data[200], uint32_t fill_type,
			uint32_t fill_nelems, uint32_t fill_nbytes)
{
	static const uint32_t words[] = {
		0x43444601, 0, 0,  0, 0,  0,          11,         1,          1,
		0x76000000, 0, 12, 1, 10, 0x5f46696c, 0x6c56616c, 0x75650000,
	};
	size_t at = 0;

	memset(data, 0, 200);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++, at += 4)
		put32(data + at, words[i]);
	put32(data + at, fill_type);
	put32(data + at + 4, fill_nelems);
	at += 8;
	memset(data + at, 0x11, fill_nbytes);
	at += fill_nbytes;
	put32(data + at, NC_SHORT);
	put32(data + at + 4, 4);
	put32(data + at + 8, (uint32_t)at + 12);
	return at + 12 + 4;
}

static int fill_of(uint32_t fill_type, uint32_t fill_nelems,
		   uint32_t fill_nbytes, uint8_t *value)
{
	uint8_t data[200];
	size_t nbytes = make_file(data, fill_type, fill_nelems, fill_nbytes);
	int ncid, no_fill, status = nc_open_mem("", 0, nbytes, data, &ncid);

	if (!CHECK(status == NC_NOERR))
		return status;
	status = nc_inq_var_fill(ncid, 0, &no_fill, value);
	CHECK(no_fill == 0);
	CHECK(nc_close(ncid) == NC_NOERR);
	return status;
}

static void test_fill_value_that_is_too_large(void)
{
	uint8_t value[16] = { 0 };
	uint8_t one[16] = { 0x11, 0x11 };
	uint8_t untouched[16] = { 0 };

	CHECK(fill_of(NC_DOUBLE, 1, 8, value) == NC_EBADTYPE);
	CHECK(fill_of(NC_SHORT, 2, 4, value) == NC_EBADTYPE);
	CHECK(fill_of(NC_SHORT, 0, 0, value) == NC_NOERR);
	CHECK_MEM_EQ(value, untouched, sizeof(value));
	CHECK(fill_of(NC_SHORT, 1, 4, value) == NC_NOERR);
	CHECK_MEM_EQ(value, one, sizeof(value));
}

static size_t load(const char *name, uint8_t **data_ret)
{
	char path[4096];
	FILE *file;
	size_t nbytes = 0;

	path_of(name, path);
	file = fopen(path, "rb");
	*data_ret = malloc(1 << 20);
	if (CHECK(file && *data_ret))
		nbytes = fread(*data_ret, 1, 1 << 20, file);
	if (file)
		fclose(file);
	return nbytes;
}

/* An archive in memory; to be freed. */
static uint8_t *pack(const uint8_t *data, size_t data_nbytes,
		     size_t *nbytes_ret)
{
	struct nc3z_source *source;
	struct nc3z_sink *sink;
	const void *packed;
	uint8_t *copy;

	CHECK(nc3z_source_open_memory(data, data_nbytes, &source, NULL) ==
	      NC3Z_OK);
	CHECK(nc3z_sink_open_memory(1 << 20, &sink, NULL) == NC3Z_OK);
	CHECK(nc3z_pack(source, sink, NULL, NULL, NULL) == NC3Z_OK);
	packed = nc3z_sink_memory(sink, nbytes_ret);
	copy = malloc(*nbytes_ret);
	if (CHECK(copy != NULL))
		memcpy(copy, packed, *nbytes_ret);
	nc3z_source_close(source);
	nc3z_sink_close(sink);
	return copy;
}

/* Where the block of a variable lies in an archive. */
static uint64_t block_offset(const uint8_t *archive, size_t nbytes, int varid)
{
	struct nc3z_source *source;
	struct nc3z_file *file;
	struct nc3z_storage storage;
	struct nc3z_block block = { 0 };

	CHECK(nc3z_source_open_memory(archive, nbytes, &source, NULL) ==
	      NC3Z_OK);
	CHECK(nc3z_open_source(source, NULL, &file, NULL) == NC3Z_OK);
	CHECK(nc3z_inq_storage(file, varid, &storage, NULL) == NC3Z_OK);
	CHECK(nc3z_inq_block(file, storage.stream, 0, &block, NULL) == NC3Z_OK);
	nc3z_close(file);
	return block.offset + block.record_nbytes - 1;
}

/* What compat prints while 'call' is made; to be compared at once. */
static const char *told(const char *setting, void (*call)(const void *),
			const void *what)
{
	static char text[4096];
	FILE *file = tmpfile();
	int saved = dup(2);
	size_t nbytes;

	if (!CHECK(file && saved >= 0))
		return "";
	fflush(stderr);
	dup2(fileno(file), 2);
	if (setting)
		setenv("NC3Z_COMPAT_VERBOSE", setting, 1);
	call(what);
	unsetenv("NC3Z_COMPAT_VERBOSE");
	fflush(stderr);
	dup2(saved, 2);
	close(saved);
	rewind(file);
	nbytes = fread(text, 1, sizeof(text) - 1, file);
	text[nbytes] = '\0';
	fclose(file);
	return text;
}

static void get_first_variable(const void *ncid)
{
	static float values[1 << 18];

	CHECK(nc_get_var(*(const int *)ncid, 0, values) == NC_EIO);
}

static void open_name(const void *name)
{
	int ncid;

	CHECK(nc_open(name, NC_NOWRITE, &ncid) != NC_NOERR);
}

static void open_odd_file(const void *name)
{
	int ncid;

	CHECK(open_file(name, NC_NOWRITE, &ncid) != NC_NOERR);
}

static void open_to_write(const void *name)
{
	int ncid;

	CHECK(open_file(name, NC_WRITE, &ncid) == NC_EPERM);
}

static void test_reasons_of_opening(void)
{
	const char *text = told("1", open_name, "no such file");

	CHECK(strncmp(text, "nc3z: no such file: ", 20) == 0);
	CHECK(strstr(text, strerror(ENOENT)) != NULL);
	CHECK_STR_EQ(told(NULL, open_name, "no such file"), "");
	CHECK_STR_EQ(told("", open_name, "no such file"), "");
	/* what only libnetcdf refuses; secrets are not shown */
	text = told("1", open_odd_file, "odd-cdf1-uint-variable.nc");
	CHECK(strstr(text, "uint-variable.nc: a variable or attribute has"));
	text = told("1", open_to_write, "cdf1-all-types.nc");
	CHECK(strstr(text, "all-types.nc: nc3z only reads files"));
	text = told("1", open_name, "http://me:secret@127.0.0.1:9/x.nc?key");
	CHECK(strncmp(text, "nc3z: http://127.0.0.1:9/x.nc: ", 31) == 0);
}

static void test_damaged_archive(void)
{
	uint8_t *data, *archive;
	size_t nbytes = load("cdf1-incompressible.nc", &data), archive_nbytes;
	int ncid, nvars = 0;
	const char *text;

	archive = pack(data, nbytes, &archive_nbytes);
	REQUIRE(archive);
	archive[block_offset(archive, archive_nbytes, 0)] ^= 0x20;
	REQUIRE(nc_open_mem("x", 0, archive_nbytes, archive, &ncid) ==
		NC_NOERR);
	CHECK(nc_inq_nvars(ncid, &nvars) == NC_NOERR && nvars > 0);
	CHECK_STR_EQ(told(NULL, get_first_variable, &ncid), "");
	text = told("1", get_first_variable, &ncid);
	CHECK(strncmp(text, "nc3z: x: variable ", 18) == 0);
	CHECK(strstr(text, " in block 0 of stream ") != NULL);
	CHECK(strchr(text, '\n') == text + strlen(text) - 1);
	CHECK(nc_sync(ncid) == NC_NOERR);
	CHECK(nc_close(ncid) == NC_NOERR);
	archive[0] ^= 1;
	CHECK(nc_open_mem("x", 0, archive_nbytes, archive, &ncid) == NC_EIO);
	archive[0] ^= 1;
	CHECK(nc_open_mem("x", 0, archive_nbytes / 2, archive, &ncid) ==
	      NC_EIO);
	free(archive);
	free(data);
}

static bool write_file(const char *path, const uint8_t *data, size_t nbytes)
{
	FILE *file = fopen(path, "wb");
	bool written = file && fwrite(data, 1, nbytes, file) == nbytes;

	return file && fclose(file) == 0 && written;
}

/* One record variable of shorts, by itself. */
static size_t make_records(uint8_t data[200], uint32_t numrecs)
{
	static const uint32_t words[] = {
		0x43444601, 0, 10,         1, 1, 0x74000000, 0, 0,        0, 11,
		1,          1, 0x76000000, 1, 0, 0,          0, NC_SHORT, 2, 80,
	};

	memset(data, 0, 200);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		put32(data + 4 * i, words[i]);
	put32(data + 4, numrecs);
	for (uint32_t i = 0; i < numrecs; i++)
		data[81 + 2 * i] = (uint8_t)(i + 1);
	return 80 + 2 * numrecs;
}

static void test_sync_sees_more_records(void)
{
	char path[] = "/tmp/nc3z-test-XXXXXX";
	uint8_t data[200];
	short values[4] = { 0 };
	size_t length = 0;
	int ncid, fd = mkstemp(path);

	REQUIRE(fd >= 0);
	close(fd);
	CHECK(write_file(path, data, make_records(data, 2)));
	REQUIRE(nc_open(path, NC_NOWRITE, &ncid) == NC_NOERR);
	CHECK(nc_inq_dimlen(ncid, 0, &length) == NC_NOERR && length == 2);
	CHECK(write_file(path, data, make_records(data, 4)));
	CHECK(nc_sync(ncid) == NC_NOERR);
	CHECK(nc_inq_dimlen(ncid, 0, &length) == NC_NOERR && length == 4);
	CHECK(nc_get_var_short(ncid, 0, values) == NC_NOERR && values[3] == 4);
	unlink(path);
	CHECK(nc_sync(ncid) == ENOENT);
	CHECK(nc_inq_dimlen(ncid, 0, &length) == NC_NOERR && length == 4);
	CHECK(nc_close(ncid) == NC_NOERR);
}

/* What threads read at once. */
struct shared {
	int ncid; /* of an archive */
	int nvars;
	unsigned char values[16][400]; /* what each variable holds */
	int nwrong;                    /* of one thread */
};

/* Reads and compares, and opens and closes another file besides. */
static void *read_often(void *argument)
{
	struct shared *shared = argument;
	unsigned char values[400];
	int other, nwrong = 0;

	for (int round = 0; round < 200; round++) {
		for (int varid = 0; varid < shared->nvars; varid++) {
			memset(values, 0, sizeof(values));
			nwrong += nc_get_var(shared->ncid, varid, values) !=
				  NC_NOERR;
			nwrong += memcmp(values, shared->values[varid],
					 sizeof(values)) != 0;
		}
		if (round % 20)
			continue;
		nwrong += open_file("cdf1-two-record-variables.nc", 0,
				    &other) != NC_NOERR;
		nwrong += nc_close(other) != NC_NOERR;
	}
	shared->nwrong = nwrong;
	return NULL;
}

static void read_in_threads(struct shared *shared)
{
	struct shared copies[4];
	pthread_t threads[4];

	for (int varid = 0; varid < shared->nvars; varid++)
		CHECK(nc_get_var(shared->ncid, varid, shared->values[varid]) ==
		      NC_NOERR);
	for (size_t i = 0; i < 4; i++) {
		copies[i] = *shared;
		REQUIRE(pthread_create(&threads[i], NULL, read_often,
				       &copies[i]) == 0);
	}
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		CHECK(copies[i].nwrong == 0);
	}
}

static void test_threads(void)
{
	struct shared shared = { .ncid = -1 };
	uint8_t *data, *archive;
	size_t nbytes = load("cdf1-all-types.nc", &data), archive_nbytes;

	archive = pack(data, nbytes, &archive_nbytes);
	REQUIRE(archive);
	REQUIRE(nc_open_mem("x", 0, archive_nbytes, archive, &shared.ncid) ==
		NC_NOERR);
	REQUIRE(nc_inq_nvars(shared.ncid, &shared.nvars) == NC_NOERR);
	REQUIRE(shared.nvars > 1 && shared.nvars <= 16);
	read_in_threads(&shared);
	CHECK(nc_close(shared.ncid) == NC_NOERR);
	free(archive);
	free(data);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	testdata = argv[1];
	RUN(test_statuses);
	RUN(test_writing_is_refused);
	RUN(test_headers_that_cannot_be_read);
	RUN(test_null_pointers);
	RUN(test_long_name_is_cut_off);
	RUN(test_names_byte_by_byte);
	RUN(test_fill_value_that_is_too_large);
	RUN(test_reasons_of_opening);
	RUN(test_damaged_archive);
	RUN(test_sync_sees_more_records);
	RUN(test_threads);
	return check_report();
}
