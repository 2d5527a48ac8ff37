/* SPDX-License-Identifier: MIT */
/*
 * usage: abi_caller FILE
 *
 * A program that uses every struct of nc3z.h that can grow, with guard bytes
 * after each.  It is compiled three times: with the header as it is, with one
 * whose structs of options are shorter, and with one (ABI_NEWER) whose structs
 * of options have a field 'added' that the library does not know.
 */
#include "check.h"
#include "nc3z.h"

#if defined(WANT_OLDER) != defined(ABI_OLDER) || \
	defined(WANT_NEWER) != defined(ABI_NEWER)
#error "another nc3z.h was found first"
#endif

#define GUARD 0xA5
#define GUARD_NBYTES 64

/* A struct of the caller's and what lies after it. */
#define GUARDED(type, name) \
	struct { \
		struct type it; \
		unsigned char guard[GUARD_NBYTES]; \
	} name; \
	memset(&name, GUARD, sizeof(name))

static bool is_guard(const unsigned char *guard)
{
	for (size_t i = 0; i < GUARD_NBYTES; i++)
		if (guard[i] != GUARD)
			return false;
	return true;
}

static bool is_zero(const uint64_t *words, size_t nwords)
{
	for (size_t i = 0; i < nwords; i++)
		if (words[i] != 0)
			return false;
	return true;
}

#define CHECK_FILLED(name) \
	do { \
		CHECK(is_guard(name.guard)); \
		CHECK(is_zero(name.it.reserved, \
			      sizeof(name.it.reserved) / sizeof(uint64_t))); \
	} while (0)

/* Initialises options, sees that they have their size and end where they end. */
#define INIT(kind, name) \
	GUARDED(nc3z_##kind##_options, name); \
	nc3z_##kind##_options_init(&name.it); \
	CHECK(is_guard(name.guard)); \
	CHECK_EQ_U64(name.it.options_nbytes, sizeof(name.it))

/*
 * A call with options: with a newer header it is refused for the right reason
 * if the unknown field is set, and it works if not.
 */
#ifdef ABI_NEWER
#define CALL(options, error, call) \
	do { \
		CHECK(options.it.added == 0); \
		options.it.added = UINT64_C(1) << 63; \
		CHECK((call) == NC3Z_EINVAL); \
		CHECK(strstr(error.it.text, "newer libnc3z") != NULL); \
		CHECK_FILLED(error); \
		options.it.added = 0; \
		CHECK((call) == NC3Z_OK); \
	} while (0)
#else
#define CALL(options, error, call) CHECK((call) == NC3Z_OK)
#endif

static const char *path;
static struct nc3z_sink *archive_sink;

static struct nc3z_sink *open_sink(void)
{
	struct nc3z_sink *sink = NULL;

	CHECK(nc3z_sink_open_memory(1 << 26, &sink, NULL) == NC3Z_OK);
	return sink;
}

static struct nc3z_source *open_archive(void)
{
	struct nc3z_source *source = NULL;
	size_t nbytes;
	const void *bytes = nc3z_sink_memory(archive_sink, &nbytes);

	CHECK(nc3z_source_open_memory(bytes, nbytes, &source, NULL) == NC3Z_OK);
	return source;
}

static void test_pack(void)
{
	struct nc3z_source *source = NULL;
	GUARDED(nc3z_summary, summary);
	GUARDED(nc3z_error, error);
	INIT(pack, options);

	CHECK(options.it.level == NC3Z_LEVEL_DEFAULT);
	CHECK(options.it.codec == NC3Z_CODEC_ZSTD);
	CHECK_EQ_U64(options.it.max_memory_nbytes, NC3Z_MAX_MEMORY_DEFAULT);
	options.it.block_nbytes = 1 << 14;
	REQUIRE(nc3z_source_open_name(path, 0, &source, &error.it) == NC3Z_OK);
	CALL(options, error,
	     nc3z_pack(source, archive_sink, &options.it, &summary.it,
		       &error.it));
	CHECK_FILLED(summary);
	CHECK(summary.it.nblocks > 0);
	nc3z_source_close(source);
}

static void test_restore(void)
{
	struct nc3z_source *source = open_archive();
	struct nc3z_sink *sink = open_sink();
	GUARDED(nc3z_summary, summary);
	GUARDED(nc3z_error, error);
	INIT(restore, options);

	CHECK_EQ_U64(options.it.max_memory_nbytes, NC3Z_MAX_MEMORY_DEFAULT);
	CALL(options, error,
	     nc3z_restore(source, sink, &options.it, &summary.it, &error.it));
	CHECK_FILLED(summary);
	nc3z_restore_options_init(&options.it);
	CALL(options, error,
	     nc3z_verify(source, &options.it, &summary.it, &error.it));
	CHECK_FILLED(summary);
	nc3z_restore_options_init(&options.it);
	CALL(options, error,
	     nc3z_verify_quick(source, &options.it, &summary.it, &error.it));
	CHECK_FILLED(summary);
	memset(&summary, GUARD, sizeof(summary));
	CHECK(nc3z_summarize(source, &summary.it, &error.it) == NC3Z_OK);
	CHECK_FILLED(summary);
	nc3z_sink_close(sink);
	nc3z_source_close(source);
}

static void test_convert(void)
{
	struct nc3z_source *source = open_archive();
	struct nc3z_sink *sink = open_sink();
	GUARDED(nc3z_conversion, conversion);
	GUARDED(nc3z_summary, summary);
	GUARDED(nc3z_error, error);
	INIT(pack, options);

	CALL(options, error,
	     nc3z_convert(source, sink, &options.it, &conversion.it,
			  &summary.it, &error.it));
	CHECK_FILLED(conversion);
	CHECK_FILLED(summary);
	nc3z_sink_close(sink);
	nc3z_source_close(source);
}

static void test_salvage(void)
{
	struct nc3z_source *source = open_archive();
	struct nc3z_salvage_report *report = NULL;
	struct nc3z_sink *sink = open_sink();
	GUARDED(nc3z_error, error);
	INIT(salvage, options);

	CHECK_EQ_U64(options.it.max_memory_nbytes, NC3Z_MAX_MEMORY_DEFAULT);
	CALL(options, error,
	     nc3z_salvage(&source, 1, sink, &options.it,
			  report ? NULL : &report, &error.it));
	REQUIRE(report != NULL);
	CHECK(report->is_whole);
	CHECK(is_zero(report->summary.reserved, 3));
	nc3z_salvage_report_free(report);
	nc3z_sink_close(sink);
	nc3z_source_close(source);
}

static void check_values(struct nc3z_file *file)
{
	const struct nc3z_iterator_var var = { file, 0, NC3Z_NAT };
	struct nc3z_iterator *iterator = NULL;
	GUARDED(nc3z_iterator_plan, plan);
	GUARDED(nc3z_error, error);
	GUARDED(nc3z_box, box);
	INIT(iterator, options);

#ifdef ABI_NEWER
	CHECK(options.it.added == 0);
	options.it.added = 1;
	CHECK(nc3z_iterator_open(&var, 1, NULL, &options.it, &iterator,
				 &error.it) == NC3Z_EINVAL);
	options.it.added = 0;
#endif
	REQUIRE(nc3z_iterator_open(&var, 1, NULL, &options.it, &iterator,
				   &error.it) == NC3Z_OK);
	CHECK(nc3z_iterator_inq(iterator, &plan.it, &error.it) == NC3Z_OK);
	CHECK_FILLED(plan);
	do {
		CHECK(nc3z_iterator_next(iterator, &box.it, &error.it) ==
		      NC3Z_OK);
		CHECK_FILLED(box);
	} while (box.it.nelems > 0);
	nc3z_iterator_close(iterator);
}

static void check_header(struct nc3z_file *file)
{
	GUARDED(nc3z_error, error);
	GUARDED(nc3z_dim, dim);
	GUARDED(nc3z_var, var);
	GUARDED(nc3z_att, att);

	CHECK(nc3z_inq_dim(file, 0, &dim.it, &error.it) == NC3Z_OK);
	CHECK_FILLED(dim);
	CHECK(nc3z_inq_var(file, 0, &var.it, &error.it) == NC3Z_OK);
	CHECK_FILLED(var);
	CHECK(nc3z_inq_attnum(file, NC3Z_GLOBAL, 0, &att.it, &error.it) ==
	      NC3Z_OK);
	CHECK_FILLED(att);
	memset(&att, GUARD, sizeof(att));
	CHECK(nc3z_inq_att(file, NC3Z_GLOBAL, "title", &att.it, &error.it) ==
	      NC3Z_OK);
	CHECK_FILLED(att);
	CHECK(nc3z_inq_var(file, 1000, &var.it, &error.it) == NC3Z_ENOTVAR);
	CHECK_FILLED(error);
}

static void check_storage(struct nc3z_file *file)
{
	GUARDED(nc3z_cache_stats, stats);
	GUARDED(nc3z_storage, storage);
	GUARDED(nc3z_summary, summary);
	GUARDED(nc3z_stream_info, stream);
	GUARDED(nc3z_block, block);
	GUARDED(nc3z_record, record);
	GUARDED(nc3z_error, error);

	CHECK(nc3z_inq_summary(file, &summary.it, &error.it) == NC3Z_OK);
	CHECK_FILLED(summary);
	CHECK(nc3z_inq_storage(file, 0, &storage.it, &error.it) == NC3Z_OK);
	CHECK_FILLED(storage);
	CHECK(nc3z_inq_stream(file, 0, &stream.it, &error.it) == NC3Z_OK);
	CHECK_FILLED(stream);
	CHECK(nc3z_inq_block(file, 0, 0, &block.it, &error.it) == NC3Z_OK);
	CHECK_FILLED(block);
	CHECK(nc3z_inq_record(file, 0, 0, &record.it, &error.it) == NC3Z_OK);
	CHECK_FILLED(record);
	nc3z_inq_cache(file, &stats.it);
	CHECK_FILLED(stats);
}

static void test_read(void)
{
	struct nc3z_source *source = open_archive();
	struct nc3z_file *file = NULL;
	GUARDED(nc3z_error, error);
	INIT(open, options);

	CHECK_EQ_U64(options.it.cache_nbytes, NC3Z_CACHE_SHARED);
#ifdef ABI_NEWER
	CHECK(options.it.added == 0);
	options.it.added = 1;
	CHECK(nc3z_open_source(source, &options.it, &file, &error.it) ==
	      NC3Z_EINVAL);
	options.it.added = 0;
#endif
	REQUIRE(nc3z_open_source(source, &options.it, &file, &error.it) ==
		NC3Z_OK);
	check_header(file);
	check_storage(file);
	check_values(file);
	nc3z_close(file);
}

static int read_nothing(void *context, uint64_t offset, void *data,
			size_t nbytes, size_t *nbytes_ret)
{
	(void)context;
	(void)offset;
	(void)data;
	(void)nbytes;
	*nbytes_ret = 0;
	return 0;
}

static void test_callbacks(void)
{
	struct nc3z_source *source = NULL;
	GUARDED(nc3z_callbacks, callbacks);
	GUARDED(nc3z_error, error);

	memset(&callbacks.it, 0, sizeof(callbacks.it));
	callbacks.it.callbacks_nbytes = sizeof(callbacks.it);
	callbacks.it.read_at = read_nothing;
	REQUIRE(nc3z_source_open_callbacks(&callbacks.it, &source, &error.it) ==
		NC3Z_OK);
	/* Closing it calls what a shorter struct lacks, if that is not NULL. */
	nc3z_source_close(source);
#ifdef ABI_NEWER
	callbacks.it.added = 1;
	CHECK(nc3z_source_open_callbacks(&callbacks.it, &source, &error.it) ==
	      NC3Z_EINVAL);
#endif
}

/* Sizes that no header gives. */
static void test_sizes(void)
{
	static const size_t sizes[] = {
		0, 1, sizeof(size_t) - 1, sizeof(size_t) + 1, SIZE_MAX, 1 << 20
	};
	struct nc3z_source *source = open_archive();
	GUARDED(nc3z_error, error);
	INIT(restore, options);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		options.it.options_nbytes = sizes[i];
		CHECK(nc3z_verify(source, &options.it, NULL, &error.it) ==
		      NC3Z_EINVAL);
	}
	/* All of it is missing but the size. */
	options.it.options_nbytes = sizeof(size_t);
	CHECK(nc3z_verify(source, &options.it, NULL, &error.it) == NC3Z_OK);
	nc3z_source_close(source);
}

static void test_version(void)
{
	char text[64];

	snprintf(text, sizeof(text), "%d.%d.%d", NC3Z_VERSION_MAJOR,
		 NC3Z_VERSION_MINOR, NC3Z_VERSION_PATCH);
	CHECK_STR_EQ(NC3Z_VERSION, text);
	CHECK_STR_EQ(nc3z_version(), text);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: abi_caller FILE\n", stderr);
		return 2;
	}
	path = argv[1];
	archive_sink = open_sink();
	RUN(test_version);
	RUN(test_pack);
	RUN(test_restore);
	RUN(test_convert);
	RUN(test_salvage);
	RUN(test_read);
	RUN(test_callbacks);
	RUN(test_sizes);
	nc3z_sink_close(archive_sink);
	return check_report();
}
