/*
 * One file: packed from memory with the defaults, restored, verified and
 * summarised; packed again from a pipe, which must give the same bytes, and
 * with other options, which must restore too.
 */
#include "round_trip.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/checksum.h"
#include "check.h"
#include "classic/layout.h"

/* A file or archive that is being looked at. */
struct trial {
	const struct bytes *file;
	uint8_t sha256[SHA256_NBYTES];
	unsigned nwarnings;
	/* Some of the real files have such records; not an oddity of them. */
	bool has_uncounted;
};

static void count_warning(void *context, const char *text)
{
	struct trial *t = context;

	CHECK(text[0] != '\0' && !strchr(text, '\n'));
	if (strstr(text, " that the header counts"))
		t->has_uncounted = true;
	else if (!strstr(text, "another classic file begins"))
		t->nwarnings++; /* but those that pipes cannot have */
}

static struct nc3z_source *open_memory(const void *data, size_t nbytes)
{
	struct nc3z_source *source = NULL;

	CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) == NC3Z_OK);
	return source;
}

static struct nc3z_sink *open_sink(size_t max_nbytes)
{
	struct nc3z_sink *sink = NULL;

	CHECK(nc3z_sink_open_memory(max_nbytes, &sink, NULL) == NC3Z_OK);
	return sink;
}

/*
 * A pipe that another process fills with these bytes; its reading end and the
 * process.
 */
static int fill_pipe(const void *data, size_t nbytes, pid_t *child_ret)
{
	int ends[2];

	if (!CHECK(pipe(ends) == 0))
		return -1;
	fflush(stdout);
	*child_ret = fork();
	if (*child_ret == 0) {
		const char *at = data;
		ssize_t n = 1;

		close(ends[0]);
		for (; nbytes > 0 && n > 0; nbytes -= (size_t)n, at += n)
			n = write(ends[1], at, nbytes);
		_exit(nbytes > 0);
	}
	close(ends[1]);
	CHECK(*child_ret > 0);
	return ends[0];
}

static void end_pipe(int fd, pid_t child)
{
	close(fd);
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void check_summary(const struct trial *t, const struct nc3z_summary *s,
			  size_t archive_nbytes)
{
	CHECK_EQ_U64(s->original_nbytes, t->file->nbytes);
	CHECK_EQ_U64(s->archive_nbytes, archive_nbytes);
	CHECK_MEM_EQ(s->sha256, t->sha256, SHA256_NBYTES);
	CHECK(s->nstreams > 0 && s->nblocks > 0);
}

static bool is_same(const struct nc3z_summary *a, const struct nc3z_summary *b)
{
	return a->original_nbytes == b->original_nbytes &&
	       a->archive_nbytes == b->archive_nbytes &&
	       a->nblocks == b->nblocks && a->nstreams == b->nstreams &&
	       a->format_major == b->format_major &&
	       a->format_minor == b->format_minor &&
	       memcmp(a->sha256, b->sha256, SHA256_NBYTES) == 0;
}

static void check_restore(const struct trial *t, struct nc3z_source *archive,
			  const struct nc3z_summary *packed)
{
	struct nc3z_sink *sink = open_sink(t->file->nbytes);
	struct nc3z_summary restored = { 0 };
	struct nc3z_error err = { 0 };
	const void *data;
	size_t nbytes;

	CHECK(nc3z_restore(archive, sink, NULL, &restored, &err) == NC3Z_OK);
	CHECK_STR_EQ(err.text, "");
	CHECK(is_same(&restored, packed));
	data = nc3z_sink_memory(sink, &nbytes);
	if (CHECK_EQ_U64(nbytes, t->file->nbytes))
		CHECK_MEM_EQ(data, t->file->data, nbytes);
	nc3z_sink_close(sink);
}

/* The archive as nc3z_verify() reads it from a pipe. */
static void check_verify_pipe(const struct bytes *archive,
			      const struct nc3z_summary *packed)
{
	struct nc3z_source *source = NULL;
	struct nc3z_summary verified = { 0 };
	pid_t child;
	int fd = fill_pipe(archive->data, archive->nbytes, &child);

	REQUIRE(nc3z_source_open_fd(fd, &source, NULL) == NC3Z_OK);
	CHECK(nc3z_verify(source, NULL, &verified, NULL) == NC3Z_OK);
	CHECK(is_same(&verified, packed));
	nc3z_source_close(source);
	end_pipe(fd, child);
}

static void check_archive(const struct trial *t, const struct bytes *archive,
			  const struct nc3z_summary *packed)
{
	struct nc3z_source *source =
		open_memory(archive->data, archive->nbytes);
	struct nc3z_summary verified = { 0 }, summary = { 0 };

	check_summary(t, packed, archive->nbytes);
	check_restore(t, source, packed);
	CHECK(nc3z_verify(source, NULL, &verified, NULL) == NC3Z_OK);
	CHECK(is_same(&verified, packed));
	CHECK(nc3z_summarize(source, &summary, NULL) == NC3Z_OK);
	CHECK(is_same(&summary, packed));
	nc3z_source_close(source);
}

/*
 * From a pipe comes the same archive, unless there are records that the header
 * does not count, with the same number of warnings.
 */
static void check_pack_pipe(struct trial *t, const struct bytes *archive)
{
	struct nc3z_sink *sink = open_sink(SIZE_MAX);
	struct nc3z_source *source = NULL;
	struct nc3z_pack_options options;
	unsigned nwarnings = t->nwarnings;
	const void *data;
	size_t nbytes;
	pid_t child;
	int fd = fill_pipe(t->file->data, t->file->nbytes, &child);

	nc3z_pack_options_init(&options);
	options.warn = count_warning;
	options.context = t;
	REQUIRE(nc3z_source_open_fd(fd, &source, NULL) == NC3Z_OK);
	CHECK(nc3z_pack(source, sink, &options, NULL, NULL) == NC3Z_OK);
	data = nc3z_sink_memory(sink, &nbytes);
	if (!t->has_uncounted && CHECK_EQ_U64(nbytes, archive->nbytes))
		CHECK_MEM_EQ(data, archive->data, nbytes);
	CHECK_EQ_U64(t->nwarnings, 2 * nwarnings);
	nc3z_source_close(source);
	nc3z_sink_close(sink);
	end_pipe(fd, child);
}

/* Small blocks, a low level and another codec. */
static void check_other_options(const struct trial *t)
{
	struct nc3z_source *source =
		open_memory(t->file->data, t->file->nbytes);
	struct nc3z_sink *sink = open_sink(SIZE_MAX);
	struct nc3z_summary packed = { 0 }, verified = { 0 };
	struct nc3z_pack_options options;
	const void *data;
	size_t nbytes;

	nc3z_pack_options_init(&options);
	options.level = 1;
	options.codec = NC3Z_CODEC_DEFLATE;
	options.block_nbytes = 20000;
	CHECK(nc3z_pack(source, sink, &options, &packed, NULL) == NC3Z_OK);
	nc3z_source_close(source);
	data = nc3z_sink_memory(sink, &nbytes);
	check_summary(t, &packed, nbytes);
	source = open_memory(data, nbytes);
	CHECK(nc3z_verify(source, NULL, &verified, NULL) == NC3Z_OK);
	CHECK(is_same(&verified, &packed));
	nc3z_source_close(source);
	nc3z_sink_close(sink);
}

/* The extents of a header that can be parsed chunk the file. */
static bool check_layout(const struct bytes *file)
{
	struct classic_header header;
	struct layout layout;
	bool more;

	if (classic_header_parse(file->data, file->nbytes, true, &header, &more,
				 NULL) != NC3Z_OK)
		return false;
	if (CHECK(layout_of_header(&header, &layout, NULL) == NC3Z_OK)) {
		CHECK(layout_is_gapless(&layout));
		layout_release(&layout);
	}
	classic_header_release(&header);
	return true;
}

static void check_refusal(const struct nc3z_error *err)
{
	CHECK_EQ_U64((uint64_t)err->status, NC3Z_ENOTCLASSIC);
	CHECK(err->text[0] != '\0');
	CHECK(err->offset != NC3Z_NO_OFFSET);
}

static void hash(struct trial *t)
{
	struct sha256 *sha256 = sha256_new();

	REQUIRE(sha256);
	CHECK(sha256_update(sha256, t->file->data, t->file->nbytes, NULL) ==
	      NC3Z_OK);
	CHECK(sha256_final(sha256, t->sha256, NULL) == NC3Z_OK);
	sha256_free(sha256);
}

/* Packs with the defaults; false if the file was refused. */
static bool pack(struct trial *t, struct nc3z_sink *sink,
		 struct nc3z_summary *packed)
{
	struct nc3z_source *source =
		open_memory(t->file->data, t->file->nbytes);
	struct nc3z_pack_options options;
	struct nc3z_error err = { 0 };
	int status;

	nc3z_pack_options_init(&options);
	options.warn = count_warning;
	options.context = t;
	status = nc3z_pack(source, sink, &options, packed, &err);
	nc3z_source_close(source);
	if (status != NC3Z_OK)
		check_refusal(&err);
	return status == NC3Z_OK;
}

/* Packing twice takes long there, and small files go through the same code. */
static bool is_too_slow(const struct bytes *file)
{
	const char *sanitizers = getenv("NC3Z_SANITIZE");

	return sanitizers && sanitizers[0] && file->nbytes > 1 << 20;
}

static enum outcome run_trip(const struct bytes *file)
{
	struct trial t = { .file = file };
	struct nc3z_sink *sink = open_sink(SIZE_MAX);
	struct nc3z_summary packed = { 0 };
	struct bytes archive;
	bool has_header = check_layout(file), warned;

	if (!pack(&t, sink, &packed)) {
		CHECK(!has_header);
		nc3z_sink_close(sink);
		return OUTCOME_REFUSED;
	}
	CHECK(has_header);
	hash(&t);
	warned = t.nwarnings > 0;
	archive.data =
		(uint8_t *)(uintptr_t)nc3z_sink_memory(sink, &archive.nbytes);
	check_archive(&t, &archive, &packed);
	check_verify_pipe(&archive, &packed);
	if (!is_too_slow(file))
		check_pack_pipe(&t, &archive);
	check_other_options(&t);
	nc3z_sink_close(sink);
	return warned ? OUTCOME_WARNED : OUTCOME_PACKED;
}

struct verdict round_trip(const char *name, const struct bytes *file)
{
	const struct check_state before = check_state;
	struct verdict verdict;

	check_state.test = name;
	verdict.outcome = run_trip(file);
	verdict.nchecks = check_state.nchecks - before.nchecks;
	verdict.nfailed = check_state.nfailed - before.nfailed;
	return verdict;
}
