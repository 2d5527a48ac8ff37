/* SPDX-License-Identifier: MIT */
/*
 * All kinds of sources against the bytes they were made from; the tests of
 * source_file.c, source_memory.c and source_pipe.c as well.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "io/source.h"
#include "pipes.h"
#include "nc3z_tools.h"

#define NBYTES 700001

static uint8_t data[NBYTES];

static void fill_data(void)
{
	uint64_t seed = 39;

	for (size_t i = 0; i < NBYTES; i++)
		data[i] = (uint8_t)check_random(&seed);
}

/* Reads into a buffer of just that size and compares. */
static void check_read(struct nc3z_source *source, uint64_t offset,
		       size_t nbytes, const uint8_t *all, size_t all_nbytes)
{
	size_t start = offset < all_nbytes ? (size_t)offset : all_nbytes;
	size_t there = all_nbytes - start, got = 99999999;
	uint8_t *out = malloc(nbytes ? nbytes : 1);
	struct nc3z_error err = { .status = -1 };

	there = there < nbytes ? there : nbytes;
	CHECK(source_read_at(source, offset, out, nbytes, &got, &err) ==
	      NC3Z_OK);
	CHECK(err.status == -1);
	if (CHECK_EQ_U64(got, there))
		CHECK_MEM_EQ(out, all + start, there);
	free(out);
}

/* Anywhere and at the edges. */
static void check_seekable(struct nc3z_source *source, const uint8_t *all,
			   size_t all_nbytes)
{
	static const uint64_t far[] = { UINT64_C(1) << 32,
					(UINT64_C(1) << 62) };
	uint64_t seed = 40;

	CHECK(source->can_seek);
	CHECK_EQ_U64(source->size, all_nbytes);
	check_read(source, 0, all_nbytes, all, all_nbytes);
	check_read(source, 0, all_nbytes + 1, all, all_nbytes);
	check_read(source, all_nbytes, 10, all, all_nbytes);
	check_read(source, all_nbytes + 1, 10, all, all_nbytes);
	check_read(source, 0, 0, all, all_nbytes);
	for (size_t i = 0; i < 2; i++)
		check_read(source, far[i], 10, all, all_nbytes);
	for (int i = 0; i < 300; i++) {
		uint64_t at = check_random_below(&seed, all_nbytes + 50);

		check_read(source, at, check_random_below(&seed, 5000), all,
			   all_nbytes);
	}
	CHECK(source_check_unchanged(source, NULL) == NC3Z_OK);
}

static void test_memory(void)
{
	struct nc3z_source *source;
	uint8_t *copy = copy_exactly(data, 10001);

	REQUIRE(nc3z_source_open_memory(copy, 10001, &source, NULL) == NC3Z_OK);
	check_seekable(source, copy, 10001);
	check_read(source, UINT64_MAX, 10, copy, 10001);
	nc3z_source_close(source);
	free(copy);
	REQUIRE(nc3z_source_open_memory(NULL, 0, &source, NULL) == NC3Z_OK);
	CHECK_EQ_U64(source->size, 0);
	check_read(source, 0, 10, data, 0);
	check_read(source, 10, 10, data, 0);
	nc3z_source_close(source);
	nc3z_source_close(NULL);
}

static void test_path(void)
{
	char dir[DIR_NAME_MAX];
	struct nc3z_source *source;
	char *path;

	dir_make(dir);
	path = dir_path(dir, "file");
	file_write(path, data, NBYTES);
	REQUIRE(nc3z_source_open_path(path, &source, NULL) == NC3Z_OK);
	check_seekable(source, data, NBYTES);
	nc3z_source_close(source);
	file_write(path, data, 0);
	REQUIRE(nc3z_source_open_path(path, &source, NULL) == NC3Z_OK);
	check_read(source, 0, 10, data, 0);
	nc3z_source_close(source);
	free(path);
	dir_remove(dir);
}

static void test_paths_that_fail(void)
{
	struct nc3z_source *source = NULL;
	char dir[DIR_NAME_MAX];
	struct nc3z_error err = { 0 };
	char *path;

	dir_make(dir);
	path = dir_path(dir, "fifo");
	CHECK(nc3z_source_open_path(path, &source, &err) == NC3Z_EIO);
	CHECK(err.status == NC3Z_EIO && err.sys_errno == ENOENT);
	CHECK(nc3z_source_open_path(dir, &source, &err) == NC3Z_EINVAL);
	CHECK(err.status == NC3Z_EINVAL);
	REQUIRE(mkfifo(path, 0600) == 0);
	/* Without waiting for somebody who writes. */
	CHECK(nc3z_source_open_path(path, &source, &err) == NC3Z_EINVAL);
	CHECK(nc3z_source_open_path("/dev/null", &source, &err) == NC3Z_EINVAL);
	CHECK(nc3z_source_open_fd(-1, &source, &err) == NC3Z_EIO);
	CHECK(err.sys_errno == EBADF);
	CHECK(source == NULL);
	free(path);
	dir_remove(dir);
}

/* From where the descriptor stands, which it goes on doing. */
static void check_fd(int fd, off_t start)
{
	struct nc3z_source *source;
	size_t skip = (size_t)start < NBYTES ? (size_t)start : NBYTES;

	REQUIRE(lseek(fd, start, SEEK_SET) == start);
	REQUIRE(nc3z_source_open_fd(fd, &source, NULL) == NC3Z_OK);
	check_seekable(source, data + skip, NBYTES - skip);
	nc3z_source_close(source);
	CHECK(lseek(fd, 0, SEEK_CUR) == start); /* still open, not moved */
}

static void test_descriptors_of_files(void)
{
	static const off_t starts[] = { 0,          1,      4096,
					NBYTES - 1, NBYTES, NBYTES + 100 };
	char dir[DIR_NAME_MAX];
	char *path;
	int fd;

	dir_make(dir);
	path = dir_path(dir, "file");
	file_write(path, data, NBYTES);
	fd = open(path, O_RDONLY);
	REQUIRE(fd >= 0);
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		check_fd(fd, starts[i]);
	close(fd);
	free(path);
	dir_remove(dir);
}

/* Longer, shorter, or only touched. */
static void test_changed_files(void)
{
	char dir[DIR_NAME_MAX];
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	char *path;

	dir_make(dir);
	path = dir_path(dir, "file");
	for (int i = 0; i < 3; i++) {
		struct nc3z_error err = { 0 };
		struct nc3z_source *source;

		file_write(path, data, 1000);
		REQUIRE(utimensat(AT_FDCWD, path, times, 0) == 0);
		REQUIRE(nc3z_source_open_path(path, &source, NULL) == NC3Z_OK);
		CHECK(source_check_unchanged(source, &err) == NC3Z_OK);
		if (i < 2)
			file_write(path, data, i ? 999 : 1001);
		times[1].tv_nsec = i;
		REQUIRE(utimensat(AT_FDCWD, path, times, 0) == 0);
		CHECK(source_check_unchanged(source, &err) == NC3Z_ECHANGED);
		CHECK(err.status == NC3Z_ECHANGED);
		times[1].tv_nsec = 0;
		nc3z_source_close(source);
	}
	free(path);
	dir_remove(dir);
}

/* One look or several at what comes, then reading it. */
static void read_pipe(struct nc3z_source *source, size_t max_read,
		      uint64_t seed)
{
	uint64_t at = 0;

	CHECK(!source->can_seek);
	CHECK_EQ_U64(source->size, SOURCE_SIZE_UNKNOWN);
	while (at < NBYTES + 10) {
		size_t n = check_random_below(&seed, max_read + 1);

		for (uint64_t looks = check_random_below(&seed, 3); looks > 0;
		     looks--)
			check_read(source, at, check_random_below(&seed, 4096),
				   data, NBYTES);
		check_read(source, at, n, data, NBYTES);
		if (at + n > NBYTES) {
			/* The end stays the end. */
			check_read(source, NBYTES, 1, data, NBYTES);
			check_read(source, NBYTES, 100000, data, NBYTES);
			break;
		}
		at += n;
	}
	CHECK(source_check_unchanged(source, NULL) == NC3Z_OK);
}

static void test_pipe(void)
{
	static const size_t reads[] = { 100,   5000,  32767,  32768,
					32769, 65537, 200000, 2 * NBYTES };
	static const size_t pieces[] = { 17, 4096, 100000 };

	for (size_t i = 0; i < 24; i++) {
		struct nc3z_source *source;
		struct feeder f;

		feeder_start(&f, data, NBYTES, pieces[i / 8]);
		REQUIRE(nc3z_source_open_fd(f.read_fd, &source, NULL) ==
			NC3Z_OK);
		read_pipe(source, reads[i % 8], i);
		nc3z_source_close(source);
		feeder_stop(&f);
	}
}

/* Neither back nor ahead. */
static void test_pipe_cannot_seek(void)
{
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;
	struct feeder f;
	uint8_t out[100];
	size_t got;

	feeder_start(&f, data, NBYTES, 5000);
	REQUIRE(nc3z_source_open_fd(f.read_fd, &source, NULL) == NC3Z_OK);
	check_read(source, 0, 100000, data, NBYTES);
	CHECK(source_read_at(source, 0, out, 10, &got, &err) == NC3Z_EINVAL);
	CHECK(err.status == NC3Z_EINVAL);
	CHECK(source_read_at(source, 400000, out, 10, &got, &err) ==
	      NC3Z_EINVAL);
	check_read(source, 100000, 100, data, NBYTES);
	nc3z_source_close(source);
	feeder_stop(&f);
}

static void test_pipe_that_fails(void)
{
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;
	int fd = open(".", O_RDONLY);
	uint8_t *out = malloc(100000);
	size_t got;

	/* A directory can be opened but not read. */
	REQUIRE(fd >= 0);
	REQUIRE(nc3z_source_open_fd(fd, &source, NULL) == NC3Z_OK);
	CHECK(source_read_at(source, 0, out, 10, &got, &err) == NC3Z_EIO);
	CHECK(err.status == NC3Z_EIO && err.sys_errno == EISDIR);
	CHECK(source_read_at(source, 0, out, 100000, &got, &err) == NC3Z_EIO);
	nc3z_source_close(source);
	close(fd);
	free(out);
}

static void test_read_exactly(void)
{
	struct nc3z_source *source;
	struct nc3z_error err;
	uint8_t out[100];

	REQUIRE(nc3z_source_open_memory(data, 100, &source, NULL) == NC3Z_OK);
	CHECK(source_read_exactly(source, 30, out, 70, &err) == NC3Z_OK);
	CHECK_MEM_EQ(out, data + 30, 70);
	CHECK(source_read_exactly(source, 30, out, 71, &err) == NC3Z_EDAMAGED);
	CHECK_EQ_U64(err.offset, 100);
	CHECK(source_read_exactly(source, 100, out, 0, &err) == NC3Z_OK);
	CHECK(source_read_exactly(source, 100, out, 1, &err) == NC3Z_EDAMAGED);
	nc3z_source_close(source);
}

/* A length that nobody vouches for: memory follows what is there. */
static void test_read_growing(void)
{
	struct nc3z_source *source;
	struct buffer out = { 0 };
	struct nc3z_error err;

	REQUIRE(nc3z_source_open_memory(data, NBYTES, &source, NULL) ==
		NC3Z_OK);
	CHECK(source_read_growing(source, 7, 1000, &out, &err) == NC3Z_OK);
	CHECK_EQ_U64(out.nbytes, 1000);
	CHECK_MEM_EQ(out.data, data + 7, 1000);
	CHECK(source_read_growing(source, 0, NBYTES, &out, &err) == NC3Z_OK);
	CHECK_EQ_U64(out.nbytes, NBYTES);
	CHECK_MEM_EQ(out.data, data, NBYTES);
	CHECK(source_read_growing(source, 5, 0, &out, &err) == NC3Z_OK);
	CHECK_EQ_U64(out.nbytes, 0);
	buffer_release(&out);
	CHECK(source_read_growing(source, 5, UINT32_MAX, &out, &err) ==
	      NC3Z_EDAMAGED);
	CHECK_EQ_U64(err.offset, NBYTES);
	CHECK(out.capacity <= 8u << 20);
	buffer_release(&out);
	nc3z_source_close(source);
}

/* Large enough for several steps. */
static void test_read_growing_from_pipe(void)
{
	size_t nbytes = 5 * NBYTES;
	uint8_t *large = malloc(nbytes);
	struct nc3z_source *source;
	struct buffer out = { 0 };
	struct feeder f;

	for (int i = 0; i < 5; i++)
		memcpy(large + i * NBYTES, data, NBYTES);
	feeder_start(&f, large, nbytes, 100000);
	REQUIRE(nc3z_source_open_fd(f.read_fd, &source, NULL) == NC3Z_OK);
	check_read(source, 0, 4, large, nbytes);
	CHECK(source_read_growing(source, 0, nbytes - 9, &out, NULL) ==
	      NC3Z_OK);
	CHECK_EQ_U64(out.nbytes, nbytes - 9);
	CHECK_MEM_EQ(out.data, large, nbytes - 9);
	check_read(source, nbytes - 9, 100, large, nbytes);
	buffer_release(&out);
	nc3z_source_close(source);
	feeder_stop(&f);
	free(large);
}

int main(void)
{
	fill_data();
	RUN(test_memory);
	RUN(test_path);
	RUN(test_paths_that_fail);
	RUN(test_descriptors_of_files);
	RUN(test_changed_files);
	RUN(test_pipe);
	RUN(test_pipe_cannot_seek);
	RUN(test_pipe_that_fails);
	RUN(test_read_exactly);
	RUN(test_read_growing);
	RUN(test_read_growing_from_pipe);
	return check_report();
}
