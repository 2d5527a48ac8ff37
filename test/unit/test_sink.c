/* SPDX-License-Identifier: MIT */
/*
 * All kinds of sinks; the tests of sink_file.c and sink_memory.c as well.
 * Files are tested twice: here, where the system can usually make files
 * without a name, and in a directory as root directory, without /proc, where it
 * cannot give them one later.
 */
#define _GNU_SOURCE /* unshare(), chroot() */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "io/sink.h"
#include "io/source.h"
#include "pipes.h"
#include "nc3z_tools.h"

static const uint8_t text[] = "ten bytes.";
#define TEXT_NBYTES 10

/* Appends the text 'count' times. */
static void append(struct nc3z_sink *sink, int count)
{
	for (int i = 0; i < count; i++) {
		uint64_t before = sink->position;

		CHECK(sink_append(sink, text, TEXT_NBYTES, NULL) == NC3Z_OK);
		CHECK_EQ_U64(sink->position, before + TEXT_NBYTES);
	}
	CHECK(sink_append(sink, NULL, 0, NULL) == NC3Z_OK);
}

static void check_text(const uint8_t *found, size_t found_nbytes, int count)
{
	if (!CHECK_EQ_U64(found_nbytes, (uint64_t)count * TEXT_NBYTES))
		return;
	for (int i = 0; i < count; i++)
		CHECK_MEM_EQ(found + i * TEXT_NBYTES, text, TEXT_NBYTES);
}

static void check_file(const char *path, int count)
{
	struct blob b = { 0 };

	CHECK(file_read(path, &b));
	check_text(b.data, b.nbytes, count);
	blob_release(&b);
}

static void test_memory(void)
{
	struct nc3z_error err = { 0 };
	struct nc3z_sink *sink;
	const void *found;
	size_t nbytes = 99;

	REQUIRE(nc3z_sink_open_memory(1005, &sink, NULL) == NC3Z_OK);
	nc3z_sink_memory(sink, &nbytes);
	CHECK_EQ_U64(nbytes, 0);
	append(sink, 100);
	/* One byte too many, then just enough. */
	CHECK(sink_append(sink, text, 6, &err) == NC3Z_ELIMIT);
	CHECK(err.status == NC3Z_ELIMIT);
	CHECK_EQ_U64(sink->position, 1000);
	CHECK(sink_append(sink, text, 5, NULL) == NC3Z_OK);
	CHECK(sink_append(sink, text, 1, NULL) == NC3Z_ELIMIT);
	CHECK(sink_append(sink, text, SIZE_MAX, NULL) == NC3Z_ELIMIT);
	CHECK(nc3z_sink_commit(sink, NULL) == NC3Z_OK);
	found = nc3z_sink_memory(sink, &nbytes);
	CHECK_EQ_U64(nbytes, 1005);
	check_text(found, 1000, 100);
	nc3z_sink_close(sink);
	REQUIRE(nc3z_sink_open_memory(0, &sink, NULL) == NC3Z_OK);
	CHECK(sink_append(sink, text, 1, NULL) == NC3Z_ELIMIT);
	nc3z_sink_close(sink);
	nc3z_sink_close(NULL);
}

static void test_pipe(void)
{
	struct nc3z_sink *sink;
	struct collector c;
	size_t nbytes = 99;

	collector_start(&c);
	REQUIRE(nc3z_sink_open_fd(c.write_fd, &sink, NULL) == NC3Z_OK);
	CHECK(nc3z_sink_memory(sink, &nbytes) == NULL);
	CHECK_EQ_U64(nbytes, 0);
	append(sink, 30000); /* more than a pipe holds */
	CHECK(nc3z_sink_commit(sink, NULL) == NC3Z_OK);
	nc3z_sink_close(sink);
	/* Closed it is not. */
	CHECK(write(c.write_fd, text, TEXT_NBYTES) == TEXT_NBYTES);
	collector_stop(&c);
	check_text(c.bytes.data, c.bytes.nbytes, 30001);
	blob_release(&c.bytes);
}

static void check_fails(int fd, int expected_errno)
{
	struct nc3z_error err = { 0 };
	struct nc3z_sink *sink;

	REQUIRE(nc3z_sink_open_fd(fd, &sink, NULL) == NC3Z_OK);
	CHECK(sink_append(sink, text, TEXT_NBYTES, &err) == NC3Z_EIO);
	CHECK(err.status == NC3Z_EIO && err.sys_errno == expected_errno);
	CHECK_EQ_U64(sink->position, 0);
	nc3z_sink_close(sink);
}

static void test_descriptors_that_fail(void)
{
	struct collector c;
	int fds[2], fd = open("/dev/full", O_WRONLY);

	check_fails(-1, EBADF);
	collector_start(&c); /* which sees to it that SIGPIPE is ignored */
	collector_stop(&c);
	REQUIRE(pipe(fds) == 0);
	close(fds[0]);
	check_fails(fds[1], EPIPE);
	close(fds[1]);
	if (fd >= 0) {
		check_fails(fd, ENOSPC);
		close(fd);
	}
}

/* A sink on a path in a directory, and what is to be seen of it. */
struct place {
	char dir[DIR_NAME_MAX];
	char *path;
	struct nc3z_sink *sink;
};

static void place_make(struct place *p)
{
	*p = (struct place){ 0 };
	dir_make(p->dir);
	p->path = dir_path(p->dir, "x.nc.nc3z");
}

static void place_remove(struct place *p)
{
	free(p->path);
	dir_remove(p->dir);
}

static bool is_there(const char *path)
{
	struct stat stat;

	return lstat(path, &stat) == 0;
}

static void test_commit(void)
{
	static const unsigned modes[] = { 0600, 0644, 0640, 0400, 0777 };
	mode_t mask = umask(0077); /* must not matter */

	for (size_t i = 0; i < 5; i++) {
		struct stat stat;
		struct place p;

		place_make(&p);
		REQUIRE(nc3z_sink_open_path(p.path, 0, modes[i], &p.sink,
					    NULL) == NC3Z_OK);
		append(p.sink, 1000);
		CHECK(!is_there(p.path));
		CHECK(nc3z_sink_commit(p.sink, NULL) == NC3Z_OK);
		check_file(p.path, 1000);
		CHECK_EQ_U64(dir_count(p.dir), 1);
		nc3z_sink_close(p.sink);
		CHECK_EQ_U64(dir_count(p.dir), 1);
		CHECK(lstat(p.path, &stat) == 0 &&
		      (stat.st_mode & 07777) == modes[i]);
		place_remove(&p);
	}
	umask(mask);
}

static void test_no_trace(void)
{
	for (unsigned flags = 0; flags < 2; flags++) {
		struct place p;

		place_make(&p);
		REQUIRE(nc3z_sink_open_path(p.path, flags, 0644, &p.sink,
					    NULL) == NC3Z_OK);
		append(p.sink, 1000);
		nc3z_sink_close(p.sink);
		CHECK_EQ_U64(dir_count(p.dir), 0);
		place_remove(&p);
	}
}

static void test_existing(void)
{
	struct nc3z_error err = { 0 };
	struct place p;

	place_make(&p);
	file_write(p.path, text, TEXT_NBYTES);
	CHECK(nc3z_sink_open_path(p.path, 0, 0644, &p.sink, &err) ==
	      NC3Z_EEXIST);
	CHECK(err.status == NC3Z_EEXIST);
	check_file(p.path, 1);
	CHECK_EQ_U64(dir_count(p.dir), 1);
	place_remove(&p);
}

/* A link that leads nowhere is there too. */
static void test_existing_link(void)
{
	struct place p;

	place_make(&p);
	REQUIRE(symlink("nowhere", p.path) == 0);
	CHECK(nc3z_sink_open_path(p.path, 0, 0644, &p.sink, NULL) ==
	      NC3Z_EEXIST);
	CHECK_EQ_U64(dir_count(p.dir), 1);
	place_remove(&p);
}

/* Somebody else was faster. */
static void test_existing_at_commit(void)
{
	struct nc3z_error err = { 0 };
	struct place p;

	place_make(&p);
	REQUIRE(nc3z_sink_open_path(p.path, 0, 0644, &p.sink, NULL) == NC3Z_OK);
	append(p.sink, 1000);
	file_write(p.path, text, TEXT_NBYTES);
	CHECK(nc3z_sink_commit(p.sink, &err) == NC3Z_EEXIST);
	CHECK(err.status == NC3Z_EEXIST);
	nc3z_sink_close(p.sink);
	check_file(p.path, 1);
	CHECK_EQ_U64(dir_count(p.dir), 1);
	place_remove(&p);
}

static void test_replace(void)
{
	for (int existed = 0; existed < 2; existed++) {
		struct place p;

		place_make(&p);
		if (existed)
			file_write(p.path, text, TEXT_NBYTES);
		REQUIRE(nc3z_sink_open_path(p.path, NC3Z_SINK_REPLACE, 0644,
					    &p.sink, NULL) == NC3Z_OK);
		append(p.sink, 7);
		if (existed)
			check_file(p.path, 1); /* the old one until commit */
		CHECK(nc3z_sink_commit(p.sink, NULL) == NC3Z_OK);
		check_file(p.path, 7);
		CHECK_EQ_U64(dir_count(p.dir), 1);
		nc3z_sink_close(p.sink);
		check_file(p.path, 7);
		CHECK_EQ_U64(dir_count(p.dir), 1);
		place_remove(&p);
	}
}

/* A directory in the way cannot be replaced, and stays. */
static void test_replace_dir(void)
{
	struct nc3z_error err = { 0 };
	struct place p;

	place_make(&p);
	REQUIRE(mkdir(p.path, 0700) == 0);
	if (nc3z_sink_open_path(p.path, NC3Z_SINK_REPLACE, 0644, &p.sink,
				&err) == NC3Z_OK) {
		append(p.sink, 7);
		CHECK(nc3z_sink_commit(p.sink, &err) == NC3Z_EIO);
		nc3z_sink_close(p.sink);
	}
	CHECK(err.status == NC3Z_EEXIST);
	CHECK_EQ_U64(dir_count(p.dir), 1);
	CHECK_EQ_U64(dir_count(p.path), 0);
	place_remove(&p);
}

static void test_dir_that_is_not_there(void)
{
	struct nc3z_error err = { 0 };
	struct nc3z_sink *sink = NULL;

	CHECK(nc3z_sink_open_path("no-such-dir/x", 0, 0644, &sink, &err) ==
	      NC3Z_EIO);
	CHECK(err.status == NC3Z_EIO && err.sys_errno == ENOENT);
	CHECK(sink == NULL);
}

/* A name alone is one in the current directory. */
static void test_name_alone(void)
{
	char dir[DIR_NAME_MAX];
	struct nc3z_sink *sink;

	dir_make(dir);
	REQUIRE(chdir(dir) == 0);
	CHECK(nc3z_sink_open_path("x", 0, 0644, &sink, NULL) == NC3Z_OK);
	append(sink, 3);
	CHECK(nc3z_sink_commit(sink, NULL) == NC3Z_OK);
	nc3z_sink_close(sink);
	check_file("x", 3);
	CHECK_EQ_U64(dir_count("."), 1);
	REQUIRE(chdir("..") == 0);
	dir_remove(dir);
}

/* What a killed process left is taken away. */
static void test_stale_temporary(void)
{
	struct place p;
	char *stale;

	place_make(&p);
	stale = dir_path(p.dir, ".x.nc.nc3z.nc3z-tmp");
	for (unsigned flags = 0; flags < 2; flags++) {
		file_write(stale, text, TEXT_NBYTES);
		REQUIRE(nc3z_sink_open_path(p.path, flags, 0644, &p.sink,
					    NULL) == NC3Z_OK);
		append(p.sink, 5);
		CHECK(nc3z_sink_commit(p.sink, NULL) == NC3Z_OK);
		nc3z_sink_close(p.sink);
		check_file(p.path, 5);
		CHECK_EQ_U64(dir_count(p.dir), 1);
	}
	free(stale);
	place_remove(&p);
}

/* Nothing can be opened: there is no temporary file to blame. */
static void test_no_descriptor(void)
{
	struct rlimit limit, none;
	struct nc3z_sink *sink = NULL;
	struct nc3z_error err;
	struct place p;

	place_make(&p);
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	none = limit;
	none.rlim_cur = 0;
	CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
	for (unsigned flags = 0; flags <= NC3Z_SINK_REPLACE;
	     flags += NC3Z_SINK_REPLACE) {
		CHECK(nc3z_sink_open_path(p.path, flags, 0666, &sink, &err) ==
		      NC3Z_EIO);
		CHECK(err.sys_errno == EMFILE);
		CHECK(strstr(err.text, "cannot create output"));
	}
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	place_remove(&p);
}

/* The name, where there is one, is that of a file. */
static void test_temporary(void)
{
	const char *name;
	struct place p;

	place_make(&p);
	REQUIRE(nc3z_sink_open_path(p.path, 0, 0644, &p.sink, NULL) == NC3Z_OK);
	name = nc3z_sink_temporary(p.sink);
	CHECK_EQ_U64(dir_count(p.dir), name != NULL);
	CHECK(!name || is_there(name));
	nc3z_sink_close(p.sink);
	REQUIRE(nc3z_sink_open_memory(10, &p.sink, NULL) == NC3Z_OK);
	CHECK(nc3z_sink_temporary(p.sink) == NULL);
	nc3z_sink_close(p.sink);
	place_remove(&p);
}

static void test_read_back(void)
{
	struct nc3z_source *source = NULL;
	uint8_t found[200];
	struct place p;
	size_t got;

	place_make(&p);
	REQUIRE(nc3z_sink_open_path(p.path, 0, 0200, &p.sink, NULL) == NC3Z_OK);
	append(p.sink, 10);
	REQUIRE(nc3z_source_open_sink(p.sink, &source, NULL) == NC3Z_OK);
	CHECK(source->can_seek);
	CHECK_EQ_U64(source->size, 100);
	CHECK(source_read_at(source, 0, found, sizeof(found), &got, NULL) ==
	      NC3Z_OK);
	check_text(found, got, 10);
	CHECK(source_check_unchanged(source, NULL) == NC3Z_OK);
	nc3z_source_close(source);
	append(p.sink, 10);
	CHECK(nc3z_sink_commit(p.sink, NULL) == NC3Z_OK);
	nc3z_sink_close(p.sink);
	place_remove(&p);
	REQUIRE(nc3z_sink_open_memory(10, &p.sink, NULL) == NC3Z_OK);
	CHECK(nc3z_source_open_sink(p.sink, &source, NULL) == NC3Z_EINVAL);
	nc3z_sink_close(p.sink);
}

/* Permissions and times of another file, in place of those asked for. */
static void test_attributes(void)
{
	struct timespec times[2] = { { .tv_sec = 1000000, .tv_nsec = 5000 },
				     { .tv_sec = 2000000, .tv_nsec = 7000 } };
	struct stat stat;
	struct place p;
	char *like;
	int fd;

	place_make(&p);
	like = dir_path(p.dir, "like");
	file_write(like, text, 1);
	REQUIRE(chmod(like, 0754) == 0);
	REQUIRE(utimensat(AT_FDCWD, like, times, 0) == 0);
	REQUIRE(nc3z_sink_open_path(p.path, 0, 0600, &p.sink, NULL) == NC3Z_OK);
	fd = open(like, O_RDONLY);
	CHECK(nc3z_sink_copy_attributes(p.sink, fd, NULL) == NC3Z_OK);
	append(p.sink, 3);
	CHECK(nc3z_sink_commit(p.sink, NULL) == NC3Z_OK);
	nc3z_sink_close(p.sink);
	close(fd);
	REQUIRE(lstat(p.path, &stat) == 0);
	CHECK_EQ_U64(stat.st_mode & 07777, 0754);
	CHECK(stat.st_mtim.tv_sec == 2000000);
	CHECK(stat.st_mtim.tv_nsec == 7000);
	check_file(p.path, 3);
	free(like);
	place_remove(&p);
	REQUIRE(nc3z_sink_open_memory(10, &p.sink, NULL) == NC3Z_OK);
	CHECK(nc3z_sink_copy_attributes(p.sink, 0, NULL) == NC3Z_EINVAL);
	nc3z_sink_close(p.sink);
}

/* From a directory's descriptor on, wherever it is by then. */
static void test_directory_descriptor(void)
{
	char *moved, *path;
	struct place p;
	int fd;

	place_make(&p);
	moved = dir_path(p.dir, "moved");
	path = dir_path(p.dir, "moved/y");
	REQUIRE(mkdir(p.path, 0700) == 0);
	fd = open(p.path, O_RDONLY | O_DIRECTORY);
	REQUIRE(fd >= 0);
	for (int round = 0; round < 2; round++) {
		unsigned flags = round > 0 ? NC3Z_SINK_REPLACE : 0;

		REQUIRE(nc3z_sink_open_at(fd, "y", flags, 0600, &p.sink,
					  NULL) == NC3Z_OK);
		append(p.sink, 2 + round);
		CHECK(nc3z_sink_sync(p.sink, NULL) == NC3Z_OK);
		CHECK(access(path, F_OK) != 0 || round > 0);
		CHECK(round > 0 || rename(p.path, moved) == 0);
		CHECK(nc3z_sink_commit(p.sink, NULL) == NC3Z_OK);
		nc3z_sink_close(p.sink);
		check_file(path, 2 + round);
	}
	CHECK(nc3z_sink_open_at(fd, "y", 0, 0600, &p.sink, NULL) ==
	      NC3Z_EEXIST);
	close(fd);
	CHECK(unlink(path) == 0 && rmdir(moved) == 0);
	free(moved);
	free(path);
	place_remove(&p);
}

/* Zeros and other bytes, in pieces that cross the edges of holes. */
static void test_sparse(void)
{
	uint64_t seed = 54;

	for (int round = 0; round < 12; round++) {
		struct blob expected = { 0 }, found = { 0 };
		struct place p;

		place_make(&p);
		REQUIRE(nc3z_sink_open_path(p.path, NC3Z_SINK_SPARSE, 0600,
					    &p.sink, NULL) == NC3Z_OK);
		for (int i = 0; i < 10; i++) {
			size_t begin = expected.nbytes;
			uint8_t value = (uint8_t)check_random_below(&seed, 2);

			blob_fill(&expected, value,
				  1 + check_random_below(&seed, 20000));
			if (round == 0) /* nothing but holes */
				memset(expected.data, 0, expected.nbytes);
			if (round < 3)
				expected.nbytes &= ~(size_t)4095;
			CHECK(sink_append(p.sink, expected.data + begin,
					  expected.nbytes - begin,
					  NULL) == NC3Z_OK);
		}
		CHECK(nc3z_sink_commit(p.sink, NULL) == NC3Z_OK);
		nc3z_sink_close(p.sink);
		CHECK(file_read(p.path, &found));
		if (CHECK_EQ_U64(found.nbytes, expected.nbytes))
			CHECK_MEM_EQ(found.data, expected.data, found.nbytes);
		blob_release(&expected);
		blob_release(&found);
		place_remove(&p);
	}
}

/* Pieces of a file in any order, each at its place, read back meanwhile. */
static void test_places(void)
{
	enum {
		PIECE = 3000,
		NPIECES = 9,
		NBYTES = PIECE * NPIECES - 100
	};
	static uint8_t data[NBYTES], found[NBYTES];

	for (unsigned round = 0; round < 8; round++) {
		struct nc3z_source *source;
		struct blob file = { 0 };
		struct place p;

		for (unsigned i = 0; i < NBYTES; i++)
			data[i] = i / 5000 % 2 ? (uint8_t)(i % 251) : 0;
		place_make(&p);
		REQUIRE(nc3z_sink_open_path(p.path,
					    round % 2 ? NC3Z_SINK_SPARSE : 0,
					    0600, &p.sink, NULL) == NC3Z_OK);
		REQUIRE(p.sink->has_places);
		for (unsigned i = 0; i < NPIECES; i++) {
			unsigned at = (i * 5 + round) % NPIECES * PIECE;

			CHECK(sink_write_at(p.sink, at, data + at,
					    NBYTES - at < PIECE ? NBYTES - at :
								  PIECE,
					    NULL) == NC3Z_OK);
		}
		sink_end(p.sink, NBYTES);
		REQUIRE(nc3z_source_open_sink(p.sink, &source, NULL) ==
			NC3Z_OK);
		CHECK(source_read_exactly(source, 0, found, NBYTES, NULL) ==
		      NC3Z_OK);
		CHECK_MEM_EQ(found, data, NBYTES);
		nc3z_source_close(source);
		CHECK(nc3z_sink_commit(p.sink, NULL) == NC3Z_OK);
		nc3z_sink_close(p.sink);
		CHECK(file_read(p.path, &file));
		if (CHECK_EQ_U64(file.nbytes, NBYTES))
			CHECK_MEM_EQ(file.data, data, NBYTES);
		blob_release(&file);
		place_remove(&p);
	}
}

static void test_files(void)
{
	test_commit();
	test_no_trace();
	test_existing();
	test_existing_link();
	test_existing_at_commit();
	test_replace();
	test_replace_dir();
	test_dir_that_is_not_there();
	test_name_alone();
	test_stale_temporary();
	test_no_descriptor();
	test_temporary();
	test_read_back();
	test_attributes();
	test_directory_descriptor();
	test_sparse();
	test_places();
}

/* There the temporary file has a name, beside the path. */
static void test_temporary_name(void)
{
	struct place p;

	place_make(&p);
	REQUIRE(nc3z_sink_open_path(p.path, 0, 0644, &p.sink, NULL) == NC3Z_OK);
	CHECK_EQ_U64(dir_count(p.dir), 1);
	CHECK(!is_there(p.path));
	nc3z_sink_close(p.sink);
	CHECK_EQ_U64(dir_count(p.dir), 0);
	place_remove(&p);
}

/* Goes where there is no /proc; what is not allowed is status 77. */
static void run_without_proc(const char *dir)
{
	if (chroot(dir) != 0 &&
	    (unshare(CLONE_NEWUSER) != 0 || chroot(dir) != 0))
		_exit(77);
	if (chdir("/") != 0)
		_exit(1);
	check_state.nfailed = 0;
	test_files();
	test_temporary_name();
	fflush(stdout);
	_exit(check_state.nfailed ? 1 : 0);
}

static void test_files_without_proc(void)
{
	char dir[DIR_NAME_MAX];
	int status = 0;
	pid_t child;

	dir_make(dir);
	fflush(stdout);
	child = fork();
	if (child == 0)
		run_without_proc(dir);
	REQUIRE(child > 0);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		printf("not allowed here: files without /proc\n");
	else
		CHECK_EQ_U64((unsigned)WEXITSTATUS(status), 0);
	dir_remove(dir);
}

int main(void)
{
	RUN(test_memory);
	RUN(test_pipe);
	RUN(test_descriptors_that_fail);
	RUN(test_files);
	RUN(test_files_without_proc);
	return check_report();
}
