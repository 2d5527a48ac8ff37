/* SPDX-License-Identifier: MIT */
/*
 * Classic files made up at random, packed and restored: through memory, files
 * and real pipes.  The structure of each archive is looked at with
 * picture_read(), which knows the specification only.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "in_memory.h"
#include "io/sink.h"
#include "io/source.h"
#include "picture.h"
#include "pipes.h"
#include "shape.h"
#include "nc3z_tools.h"

/* Where bytes come from. */
enum kind {
	MEMORY,
	PATH,
	DESCRIPTOR,
	PIPE,
	NKINDS
};

/* A source of some kind, and what it needs. */
struct input {
	enum kind kind;
	struct nc3z_source *source;
	char dir[DIR_NAME_MAX];
	char *path;
	int fd;
	struct feeder feeder;
	uint8_t *copy;
};

/* A file that has the bytes behind 777 others. */
static void open_descriptor(struct input *in, const struct blob *b)
{
	struct blob longer = { 0 };

	blob_fill(&longer, 0x77, 777);
	blob_put(&longer, b->data, b->nbytes);
	file_write(in->path, longer.data, longer.nbytes);
	blob_release(&longer);
	in->fd = open(in->path, O_RDONLY);
	CHECK(in->fd >= 0 && lseek(in->fd, 777, SEEK_SET) == 777);
	CHECK(nc3z_source_open_fd(in->fd, &in->source, NULL) == NC3Z_OK);
}

static void input_open(struct input *in, enum kind kind, const struct blob *b)
{
	*in = (struct input){ .kind = kind };
	if (kind == PATH || kind == DESCRIPTOR) {
		dir_make(in->dir);
		in->path = dir_path(in->dir, "input");
	}
	switch (kind) {
	case MEMORY:
		in->copy = copy_exactly(b->data, b->nbytes);
		CHECK(nc3z_source_open_memory(in->copy, b->nbytes, &in->source,
					      NULL) == NC3Z_OK);
		break;
	case PATH:
		file_write(in->path, b->data, b->nbytes);
		CHECK(nc3z_source_open_path(in->path, &in->source, NULL) ==
		      NC3Z_OK);
		break;
	case DESCRIPTOR:
		open_descriptor(in, b);
		break;
	default:
		feeder_start(&in->feeder, b->data, b->nbytes, 3001);
		CHECK(nc3z_source_open_fd(in->feeder.read_fd, &in->source,
					  NULL) == NC3Z_OK);
	}
}

static void input_close(struct input *in)
{
	nc3z_source_close(in->source);
	if (in->kind == PIPE)
		feeder_stop(&in->feeder);
	if (in->kind == DESCRIPTOR)
		close(in->fd);
	if (in->path)
		dir_remove(in->dir);
	free(in->path);
	free(in->copy);
}

static void take_bytes(struct nc3z_sink *sink, struct blob *out)
{
	*out = (struct blob){ 0 };
	memory_sink_take(sink, out);
}

static void check_error(int status, const struct nc3z_error *err)
{
	CHECK(err->status == (status == NC3Z_OK ? -1 : status));
}

static int pack(enum kind kind, const struct blob *original,
		const struct nc3z_pack_options *options, struct blob *out)
{
	struct nc3z_error err = { .status = -1 };
	struct nc3z_summary s;
	struct nc3z_sink *sink;
	struct input in;
	int status;

	input_open(&in, kind, original);
	CHECK(nc3z_sink_open_memory(1 << 28, &sink, NULL) == NC3Z_OK);
	status = nc3z_pack(in.source, sink, options, &s, &err);
	check_error(status, &err);
	input_close(&in);
	take_bytes(sink, out);
	if (status == NC3Z_OK) {
		CHECK_EQ_U64(s.original_nbytes, original->nbytes);
		CHECK_EQ_U64(s.archive_nbytes, out->nbytes);
	}
	return status;
}

static int restore(enum kind kind, const struct blob *archive,
		   unsigned nthreads, struct blob *out)
{
	struct nc3z_restore_options options;
	struct nc3z_error err = { .status = -1 };
	struct nc3z_sink *sink;
	struct input in;
	int status;

	nc3z_restore_options_init(&options);
	options.nthreads = nthreads;
	input_open(&in, kind, archive);
	CHECK(nc3z_sink_open_memory(1 << 28, &sink, NULL) == NC3Z_OK);
	status = nc3z_restore(in.source, sink, &options, NULL, &err);
	check_error(status, &err);
	input_close(&in);
	take_bytes(sink, out);
	return status;
}

static int verify(const struct blob *archive, struct nc3z_summary *s)
{
	struct nc3z_restore_options options;
	struct nc3z_error err = { .status = -1 };
	struct input in;
	int status;

	nc3z_restore_options_init(&options);
	options.nthreads = 1;
	input_open(&in, MEMORY, archive);
	status = nc3z_verify(in.source, &options, s, &err);
	check_error(status, &err);
	input_close(&in);
	return status;
}

static bool same_bytes(const struct blob *a, const struct blob *b)
{
	return CHECK_EQ_U64(a->nbytes, b->nbytes) &&
	       CHECK_MEM_EQ(a->data, b->data, a->nbytes);
}

/* What the archive says of itself must be so. */
static void check_summary(const struct blob *archive, const struct picture *p)
{
	struct nc3z_summary verified, summary;
	struct input in;

	CHECK(verify(archive, &verified) == NC3Z_OK);
	input_open(&in, MEMORY, archive);
	CHECK(nc3z_summarize(in.source, &summary, NULL) == NC3Z_OK);
	input_close(&in);
	CHECK_EQ_U64(summary.original_nbytes, p->original_nbytes);
	CHECK_EQ_U64(summary.archive_nbytes, archive->nbytes);
	CHECK_EQ_U64(summary.nblocks, p->nblocks);
	CHECK_EQ_U64(summary.nstreams, p->nstreams);
	CHECK_EQ_U64(summary.format_major, 1);
	CHECK_EQ_U64(summary.format_minor, 0);
	CHECK_MEM_EQ(summary.sha256, p->sha256, 32);
	CHECK_EQ_U64(verified.nblocks, summary.nblocks);
	CHECK_EQ_U64(verified.original_nbytes, summary.original_nbytes);
	CHECK_MEM_EQ(verified.sha256, summary.sha256, 32);
}

/* The archive is one by the specification, and holds the original. */
static void check_archive(const struct blob *original,
			  const struct blob *archive)
{
	struct blob restored;
	struct picture p;

	if (CHECK_STR_EQ(picture_read(&p, archive->data, archive->nbytes),
			 NULL))
		check_summary(archive, &p);
	CHECK(restore(MEMORY, archive, 1, &restored) == NC3Z_OK);
	same_bytes(original, &restored);
	blob_release(&restored);
	picture_release(&p);
}

static void random_options(struct nc3z_pack_options *o, uint64_t *seed)
{
	static const uint32_t block_sizes[] = { 1 << 12, 5000, 1 << 16,
						1 << 20 };

	nc3z_pack_options_init(o);
	o->nthreads = 1 + (unsigned)check_random_below(seed, 2);
	o->level = (int)check_random_below(seed, 8);
	o->codec = (int)check_random_below(seed, 4);
	o->block_nbytes = block_sizes[check_random_below(seed, 4)];
}

/*
 * Any variant and shape; as long as it should be, longer, or cut behind the
 * header.
 */
static void random_file(struct blob *out, uint64_t *seed)
{
	static const struct shape_limits limits = { .max_length = 14,
						    .max_nrecords = 60,
						    .max_nvars = 12 };
	struct shape shape;
	uint64_t header_nbytes, size;

	shape_random(&shape, &limits, seed);
	if (check_random_below(seed, 3) == 0)
		shape_disturb(&shape, seed);
	header_nbytes = shape_header_nbytes(&shape);
	size = shape_end(&shape);
	if (check_random_below(seed, 3) == 0)
		size += check_random_below(seed, 9000);
	if (size > 120000)
		size = 120000;
	if (check_random_below(seed, 3) == 0 && size > header_nbytes)
		size = header_nbytes +
		       check_random_below(seed, size - header_nbytes);
	if (size < header_nbytes)
		size = header_nbytes;
	if (check_random_below(seed, 6) == 0)
		shape.numrecs = shape.version == 5 ? UINT64_MAX : UINT32_MAX;
	*out = (struct blob){ 0 };
	shape_file(&shape, size, seed, out);
}

static void test_random_files(void)
{
	uint64_t seed = 45;

	for (int i = 0; i < 120; i++) {
		struct nc3z_pack_options options;
		struct blob original, archive;

		random_file(&original, &seed);
		random_options(&options, &seed);
		if (CHECK(pack(MEMORY, &original, &options, &archive) ==
			  NC3Z_OK))
			check_archive(&original, &archive);
		blob_release(&original);
		blob_release(&archive);
	}
}

/* Wherever the bytes come from, and on however many threads. */
static void test_same_archive(void)
{
	uint64_t seed = 46;

	for (int i = 0; i < 12; i++) {
		struct nc3z_pack_options options;
		struct blob original, first, other;

		random_file(&original, &seed);
		random_options(&options, &seed);
		options.nthreads = 1;
		CHECK(pack(MEMORY, &original, &options, &first) == NC3Z_OK);
		for (unsigned kind = 0; kind < NKINDS; kind++) {
			options.nthreads = kind;
			CHECK(pack(kind, &original, &options, &other) ==
			      NC3Z_OK);
			same_bytes(&first, &other);
			blob_release(&other);
			CHECK(restore(kind, &first, kind, &other) == NC3Z_OK);
			same_bytes(&original, &other);
			blob_release(&other);
		}
		blob_release(&original);
		blob_release(&first);
	}
}

/* From a pipe to a pipe, both ways. */
static void test_pipes(void)
{
	uint64_t seed = 47;

	for (int i = 0; i < 25; i++) {
		struct blob original, archive;
		struct collector to;
		struct nc3z_sink *sink;
		struct input in;

		random_file(&original, &seed);
		collector_start(&to);
		CHECK(nc3z_sink_open_fd(to.write_fd, &sink, NULL) == NC3Z_OK);
		input_open(&in, PIPE, &original);
		CHECK(nc3z_pack(in.source, sink, NULL, NULL, NULL) == NC3Z_OK);
		input_close(&in);
		nc3z_sink_close(sink);
		collector_stop(&to);
		archive = to.bytes;
		collector_start(&to);
		CHECK(nc3z_sink_open_fd(to.write_fd, &sink, NULL) == NC3Z_OK);
		input_open(&in, PIPE, &archive);
		CHECK(nc3z_restore(in.source, sink, NULL, NULL, NULL) ==
		      NC3Z_OK);
		input_close(&in);
		nc3z_sink_close(sink);
		collector_stop(&to);
		same_bytes(&original, &to.bytes);
		blob_release(&to.bytes);
		blob_release(&archive);
		blob_release(&original);
	}
}

/* Fixed and record variables of several types, 150 kB. */
static void make_file(struct blob *out)
{
	struct shape shape = { .version = 2,
			       .numrecs = 40,
			       .ndims = 4,
			       .dims = { 0, 10, 20, 37 },
			       .natts = 2,
			       .nvars = 5 };
	static const struct shape_var vars[] = {
		{ .type = 5, .rank = 3, .dimids = { 1, 2, 3 } },
		{ .type = 3, .rank = 3, .dimids = { 0, 2, 3 }, .natts = 1 },
		{ .type = 6, .rank = 2, .dimids = { 0, 3 } },
		{ .type = 2, .rank = 2, .dimids = { 0, 1 } },
		{ .type = 4, .rank = 1, .dimids = { 2 } },
	};
	uint64_t seed = 48;

	memcpy(shape.vars, vars, sizeof(vars));
	shape_place(&shape, 0);
	*out = (struct blob){ 0 };
	shape_file(&shape, shape_end(&shape), &seed, out);
}

static void test_every_codec_and_level(void)
{
	static const uint32_t block_sizes[] = { 1 << 12, 1 << 16 };
	struct blob original, archive;

	make_file(&original);
	for (int codec = 0; codec < 4; codec++)
		for (int level = 0; level <= NC3Z_LEVEL_MAX; level++) {
			struct nc3z_pack_options options;

			nc3z_pack_options_init(&options);
			options.codec = codec;
			options.level = level;
			options.block_nbytes = block_sizes[level % 2];
			CHECK(pack(MEMORY, &original, &options, &archive) ==
			      NC3Z_OK);
			check_archive(&original, &archive);
			CHECK(archive.nbytes < original.nbytes + 10000);
			blob_release(&archive);
		}
	blob_release(&original);
}

/* Long enough for a header copy and for several reads and writes. */
static void test_large_file(void)
{
	struct shape shape = { .version = 5,
			       .numrecs = 30,
			       .ndims = 2,
			       .dims = { 0, 10007 },
			       .nvars = 2 };
	struct nc3z_pack_options options;
	struct blob original = { 0 }, archive;
	struct picture p;
	uint64_t seed = 49;

	for (uint32_t i = 0; i < 2; i++)
		shape.vars[i] = (struct shape_var){ .type = 5 - i,
						    .rank = 2,
						    .dimids = { 0, 1 } };
	shape_place(&shape, 0);
	shape_file(&shape, shape_end(&shape) - 5, &seed, &original);
	nc3z_pack_options_init(&options);
	options.level = 0;
	CHECK(pack(PIPE, &original, &options, &archive) == NC3Z_OK);
	check_archive(&original, &archive);
	CHECK_STR_EQ(picture_read(&p, archive.data, archive.nbytes), NULL);
	CHECK_EQ_U64(p.header_copy.nbytes, shape_header_nbytes(&shape));
	picture_release(&p);
	blob_release(&archive);
	blob_release(&original);
}

/* A file with a stream of its own for one variable; its archive is short. */
static void make_small(struct blob *original, struct blob *archive)
{
	struct shape shape = { .version = 1,
			       .numrecs = 3,
			       .ndims = 2,
			       .dims = { 0, 700 },
			       .nvars = 1 };
	struct nc3z_pack_options options;
	uint64_t seed = 50;

	shape.vars[0] =
		(struct shape_var){ .type = 3, .rank = 2, .dimids = { 0, 1 } };
	shape_place(&shape, 0);
	*original = (struct blob){ 0 };
	shape_write(&shape, original);
	while (original->nbytes < shape_end(&shape))
		blob_be(original,
			original->nbytes / 2 + check_random_below(&seed, 2), 2);
	nc3z_pack_options_init(&options);
	options.codec = NC3Z_CODEC_DEFLATE;
	CHECK(pack(MEMORY, original, &options, archive) == NC3Z_OK);
	CHECK(archive->nbytes < 1500);
}

static bool is_refusal(int status)
{
	return status == NC3Z_EDAMAGED || status == NC3Z_ENOTARCHIVE ||
	       status == NC3Z_EUNSUPPORTED;
}

/* Several threads, damage somewhere: the first error in order, no hang. */
static void test_damage_and_threads(void)
{
	struct nc3z_pack_options options;
	struct blob original, archive, out;
	uint64_t seed = 51;

	make_file(&original);
	nc3z_pack_options_init(&options);
	options.block_nbytes = 1 << 12;
	CHECK(pack(MEMORY, &original, &options, &archive) == NC3Z_OK);
	for (int i = 0; i < 60; i++) {
		size_t at = check_random_below(&seed, archive.nbytes);

		archive.data[at] ^= 0x10;
		CHECK(is_refusal(restore(MEMORY, &archive, 3, &out)));
		CHECK_MEM_EQ(out.data, original.data, out.nbytes);
		archive.data[at] ^= 0x10;
		blob_release(&out);
	}
	blob_release(&original);
	blob_release(&archive);
}

static void test_not_classic(void)
{
	struct blob original, archive, cut;
	uint64_t header_nbytes = 0;
	struct picture p;

	make_small(&original, &archive);
	CHECK_STR_EQ(picture_read(&p, archive.data, archive.nbytes), NULL);
	header_nbytes = picture_u64(p.plan.data);
	picture_release(&p);
	blob_release(&archive);
	cut = original;
	for (cut.nbytes = 0; cut.nbytes < header_nbytes; cut.nbytes++) {
		CHECK(pack(MEMORY, &cut, NULL, &archive) == NC3Z_ENOTCLASSIC);
		blob_release(&archive);
	}
	CHECK(pack(MEMORY, &cut, NULL, &archive) == NC3Z_OK);
	check_archive(&cut, &archive);
	blob_release(&archive);
	blob_release(&original);
}

static int status_with(const struct nc3z_pack_options *options)
{
	struct blob original, archive, again;
	int status;

	make_small(&original, &archive);
	status = pack(MEMORY, &original, options, &again);
	if (status == NC3Z_EINVAL)
		CHECK_EQ_U64(again.nbytes, 0);
	blob_release(&original);
	blob_release(&archive);
	blob_release(&again);
	return status;
}

static void test_options(void)
{
	static const int levels[] = { -1, 10, 1000, INT32_MIN };
	static const int codecs[] = { -1, NC3Z_CODEC_CONTEXT, 6 };
	static const uint32_t block_sizes[] = { 1, 4095, (1 << 26) + 1,
						UINT32_MAX };
	struct nc3z_pack_options o;

	for (size_t i = 0; i < 4; i++) {
		nc3z_pack_options_init(&o);
		o.level = levels[i];
		CHECK(status_with(&o) == NC3Z_EINVAL);
		nc3z_pack_options_init(&o);
		o.block_nbytes = block_sizes[i];
		CHECK(status_with(&o) == NC3Z_EINVAL);
		nc3z_pack_options_init(&o);
		o.codec = codecs[i % 3];
		CHECK(status_with(&o) == NC3Z_EINVAL);
	}
	nc3z_pack_options_init(&o);
	o.nthreads = NC3Z_THREADS_MAX + 1;
	CHECK(status_with(&o) == NC3Z_EINVAL);
	nc3z_pack_options_init(&o);
	o.options_nbytes--;
	CHECK(status_with(&o) == NC3Z_EINVAL);
	nc3z_pack_options_init(&o);
	o.block_nbytes = 1 << 26;
	CHECK(status_with(&o) == NC3Z_OK);
}

/* What a warning and the progress are called with. */
struct told {
	unsigned nwarnings;
	unsigned nsteps;
	uint64_t original_nbytes;
	uint64_t archive_nbytes;
};

static void take_warning(void *context, const char *text)
{
	struct told *t = context;

	CHECK(strlen(text) > 0 && !strchr(text, '\n'));
	t->nwarnings++;
}

static void take_progress(void *context, uint64_t original_nbytes,
			  uint64_t archive_nbytes)
{
	struct told *t = context;

	CHECK(original_nbytes >= t->original_nbytes);
	CHECK(archive_nbytes >= t->archive_nbytes);
	t->original_nbytes = original_nbytes;
	t->archive_nbytes = archive_nbytes;
	t->nsteps++;
}

static void test_warnings_and_progress(void)
{
	struct blob original, archive;

	for (int cut = 0; cut < 2; cut++) {
		struct nc3z_pack_options options;
		struct told t = { 0 };

		make_file(&original);
		original.nbytes -= (size_t)cut;
		nc3z_pack_options_init(&options);
		options.context = &t;
		options.warn = take_warning;
		options.progress = take_progress;
		CHECK(pack(MEMORY, &original, &options, &archive) == NC3Z_OK);
		CHECK_EQ_U64(t.nwarnings, (unsigned)cut);
		CHECK(t.nsteps > 0);
		CHECK_EQ_U64(t.original_nbytes, original.nbytes);
		blob_release(&archive);
		blob_release(&original);
	}
}

/* Whoever says so while the file is read ends the job before it is packed. */
struct stopping {
	const struct blob *bytes;
	int stop;
};

static int read_and_stop(void *context, uint64_t offset, void *data,
			 size_t nbytes, size_t *nbytes_ret)
{
	struct stopping *s = context;
	size_t left = s->bytes->nbytes - (size_t)offset;

	*nbytes_ret = nbytes < left ? nbytes : left;
	memcpy(data, s->bytes->data + offset, *nbytes_ret);
	__atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED); /* threads look */
	return 0;
}

static void test_stop(void)
{
	struct blob original;
	struct stopping s = { .bytes = &original };
	struct nc3z_callbacks callbacks = {
		.callbacks_nbytes = sizeof(callbacks),
		.context = &s,
		.read_at = read_and_stop,
	};

	make_file(&original);
	callbacks.size = original.nbytes;
	for (int level = 1; level <= 9; level += 4) {
		struct nc3z_pack_options options;
		struct nc3z_source *in;
		struct nc3z_sink *out;
		struct nc3z_error err;

		nc3z_pack_options_init(&options);
		options.level = level;
		options.stop = &s.stop;
		CHECK(nc3z_source_open_callbacks(&callbacks, &in, NULL) ==
		      NC3Z_OK);
		CHECK(nc3z_sink_open_memory(1 << 26, &out, NULL) == NC3Z_OK);
		CHECK(nc3z_pack(in, out, &options, NULL, &err) == NC3Z_EIO);
		CHECK(err.sys_errno == ECANCELED);
		nc3z_sink_close(out);
		nc3z_source_close(in);
	}
	blob_release(&original);
}

/* A sink takes one job. */
static void test_used_sink(void)
{
	struct blob original, archive = { 0 };
	struct nc3z_sink *sink = memory_sink();

	make_file(&original);
	memory_pack(&original, NULL, &archive);
	for (int i = 0; i < 4; i++) {
		const struct blob *from = i % 2 ? &archive : &original;
		struct nc3z_source *in =
			memory_source(from->data, from->nbytes);
		int status = i % 2 ? nc3z_restore(in, sink, NULL, NULL, NULL) :
				     nc3z_pack(in, sink, NULL, NULL, NULL);

		CHECK(status == (i == 0 ? NC3Z_OK : NC3Z_EINVAL));
		nc3z_source_close(in);
		if (i == 1)
			CHECK(nc3z_sink_commit(sink, NULL) == NC3Z_OK);
	}
	nc3z_sink_close(sink);
	CHECK(nc3z_sink_open_path("no", 8, 0600, &sink, NULL) == NC3Z_EINVAL);
	blob_release(&archive);
	blob_release(&original);
}

/* The beginning of an archive may be read again. */
#define AGAIN_NBYTES 64

/* A source of bytes that fails or is not as long as it said. */
struct odd_source {
	struct nc3z_source base;
	const struct blob *bytes;
	uint64_t fails_from;
	bool has_changed;
	uint64_t nread; /* in all */
	bool goes_back; /* some bytes were asked for after later ones */
};

static int odd_read_at(struct nc3z_source *source, uint64_t offset, void *data,
		       size_t nbytes, size_t *nbytes_ret,
		       struct nc3z_error *err)
{
	struct odd_source *o = (struct odd_source *)source;
	uint64_t there = offset < o->bytes->nbytes ? o->bytes->nbytes - offset :
						     0;

	(void)err;
	if (offset + nbytes > o->fails_from)
		return error_set_system(err, EIO, "odd source");
	nbytes = nbytes < there ? nbytes : (size_t)there;
	memcpy(data, o->bytes->data + offset, nbytes);
	*nbytes_ret = nbytes;
	o->goes_back |= offset + AGAIN_NBYTES < o->nread;
	o->nread += nbytes;
	return NC3Z_OK;
}

static int odd_check_unchanged(struct nc3z_source *source,
			       struct nc3z_error *err)
{
	struct odd_source *o = (struct odd_source *)source;

	return o->has_changed ? error_set(err, NC3Z_ECHANGED, "odd source") :
				NC3Z_OK;
}

static const struct source_ops odd_ops = {
	.read_at = odd_read_at,
	.check_unchanged = odd_check_unchanged,
};

static struct odd_source odd_source(const struct blob *bytes)
{
	return (struct odd_source){ .base = { .ops = &odd_ops,
					      .size = bytes->nbytes,
					      .can_seek = true },
				    .bytes = bytes,
				    .fails_from = UINT64_MAX };
}

static int restore_odd(struct odd_source *o)
{
	struct nc3z_sink *sink;
	int status;

	CHECK(nc3z_sink_open_memory(1 << 26, &sink, NULL) == NC3Z_OK);
	status = nc3z_restore(&o->base, sink, NULL, NULL, NULL);
	nc3z_sink_close(sink);
	return status;
}

static int pack_odd(struct odd_source *o)
{
	struct nc3z_error err = { .status = -1 };
	struct nc3z_sink *sink;
	int status;

	CHECK(nc3z_sink_open_memory(1 << 26, &sink, NULL) == NC3Z_OK);
	status = nc3z_pack(&o->base, sink, NULL, NULL, &err);
	check_error(status, &err);
	nc3z_sink_close(sink);
	return status;
}

/* Sources that could be read anywhere are read once and in order, too. */
static void test_one_pass(void)
{
	struct blob original, archive;
	struct odd_source o;

	make_file(&original);
	o = odd_source(&original);
	CHECK(pack_odd(&o) == NC3Z_OK);
	CHECK(o.nread == original.nbytes && !o.goes_back);
	CHECK(pack(MEMORY, &original, NULL, &archive) == NC3Z_OK);
	o = odd_source(&archive);
	CHECK(restore_odd(&o) == NC3Z_OK);
	CHECK(o.nread <= archive.nbytes + AGAIN_NBYTES && !o.goes_back);
	blob_release(&original);
	blob_release(&archive);
}

static void test_changed_input(void)
{
	struct odd_source o;
	struct blob original;

	make_file(&original);
	o = odd_source(&original);
	CHECK(pack_odd(&o) == NC3Z_OK);
	o.base.size++;
	CHECK(pack_odd(&o) == NC3Z_ECHANGED);
	o.base.size -= 2;
	CHECK(pack_odd(&o) == NC3Z_ECHANGED);
	o.base.size++;
	o.has_changed = true;
	CHECK(pack_odd(&o) == NC3Z_ECHANGED);
	blob_release(&original);
}

/* Reading fails from some place on. */
static void test_failing_source(void)
{
	struct blob original, archive;
	struct odd_source o;

	make_file(&original);
	o = odd_source(&original);
	for (o.fails_from = 0; o.fails_from < original.nbytes;
	     o.fails_from += 20011)
		CHECK(pack_odd(&o) == NC3Z_EIO);
	CHECK(pack(MEMORY, &original, NULL, &archive) == NC3Z_OK);
	o = odd_source(&archive);
	for (o.fails_from = 0; o.fails_from < archive.nbytes;
	     o.fails_from += 1 + archive.nbytes / 97)
		CHECK(restore_odd(&o) == NC3Z_EIO);
	blob_release(&original);
	blob_release(&archive);
}

/* The output is full from some place on. */
static void test_full_output(void)
{
	struct blob original, archive;

	make_file(&original);
	CHECK(pack(MEMORY, &original, NULL, &archive) == NC3Z_OK);
	for (int i = 0; i < 40; i++) {
		struct nc3z_sink *sink;
		struct input in;

		CHECK(nc3z_sink_open_memory(archive.nbytes * (size_t)i / 40,
					    &sink, NULL) == NC3Z_OK);
		input_open(&in, MEMORY, &original);
		CHECK(nc3z_pack(in.source, sink, NULL, NULL, NULL) ==
		      NC3Z_ELIMIT);
		input_close(&in);
		nc3z_sink_close(sink);
		CHECK(nc3z_sink_open_memory(original.nbytes * (size_t)i / 40,
					    &sink, NULL) == NC3Z_OK);
		input_open(&in, MEMORY, &archive);
		CHECK(nc3z_restore(in.source, sink, NULL, NULL, NULL) ==
		      NC3Z_ELIMIT);
		input_close(&in);
		nc3z_sink_close(sink);
	}
	blob_release(&original);
	blob_release(&archive);
}

/* What needs to seek says so. */
static void test_summarize_pipe(void)
{
	struct blob original, archive;
	struct nc3z_summary s;
	struct input in;

	make_small(&original, &archive);
	input_open(&in, PIPE, &archive);
	CHECK(nc3z_summarize(in.source, &s, NULL) == NC3Z_EINVAL);
	input_close(&in);
	blob_release(&original);
	blob_release(&archive);
}

int main(void)
{
	RUN(test_random_files);
	RUN(test_same_archive);
	RUN(test_pipes);
	RUN(test_every_codec_and_level);
	RUN(test_large_file);
	RUN(test_damage_and_threads);
	RUN(test_not_classic);
	RUN(test_options);
	RUN(test_warnings_and_progress);
	RUN(test_stop);
	RUN(test_used_sink);
	RUN(test_one_pass);
	RUN(test_changed_input);
	RUN(test_failing_source);
	RUN(test_full_output);
	RUN(test_summarize_pipe);
	return check_report();
}
