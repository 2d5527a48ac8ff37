/* SPDX-License-Identifier: MIT */
/*
 * Any bytes packed with any options: what is packed is restored identically,
 * and the archive says of itself what is true.
 *
 *	options 1, then the file
 */
#include <stdlib.h>
#include <string.h>

#include "codec/codec.h"
#include "fuzz.h"
#include "codecs.h"

/* No more of a file is packed, so that there are many runs. */
#define FILE_NBYTES_MAX ((size_t)12000)

/* LZMA2 takes long. */
static bool is_slow(uint8_t byte)
{
	return byte >= 0xE0;
}

/* With zstd, so that there may be context coding; takes longest. */
static bool has_highest_level(uint8_t byte)
{
	return byte == 0xF7;
}

static struct nc3z_pack_options options_of(uint8_t byte)
{
	static const uint8_t levels[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	static const uint32_t block_nbytes[] = {
		NC3Z_BLOCK_NBYTES_MIN, 5000, UINT32_C(1) << 16, 0, /* by type */
	};
	struct nc3z_pack_options options;

	nc3z_pack_options_init(&options);
	options.level = has_highest_level(byte) ? NC3Z_LEVEL_MAX :
						  levels[byte & 7];
	options.codec = nth_codec((byte >> 3 & 3) + is_slow(byte));
	options.block_nbytes = block_nbytes[byte >> 5 & 3];
	options.nthreads = 1;
	return options;
}

/* What was written to a memory sink, as a source of exactly that length. */
struct copy {
	uint8_t *data;
	size_t nbytes;
	struct nc3z_source *source;
};

static struct copy copy_of(const void *data, size_t nbytes)
{
	struct copy c = { .data = fuzz_copy(data, nbytes), .nbytes = nbytes };

	FUZZ_CHECK(nc3z_source_open_memory(c.data, nbytes, &c.source, NULL) ==
		   NC3Z_OK);
	return c;
}

static void copy_release(struct copy *c)
{
	nc3z_source_close(c->source);
	free(c->data);
}

static void check_same(const struct nc3z_summary *a,
		       const struct nc3z_summary *b)
{
	FUZZ_CHECK(a->original_nbytes == b->original_nbytes &&
		   a->archive_nbytes == b->archive_nbytes &&
		   a->nblocks == b->nblocks && a->nstreams == b->nstreams &&
		   a->format_major == b->format_major &&
		   a->format_minor == b->format_minor &&
		   memcmp(a->sha256, b->sha256, sizeof(a->sha256)) == 0);
}

static void check_archive(struct copy *archive, const struct copy *file,
			  const struct nc3z_summary *packed)
{
	struct nc3z_restore_options options;
	struct nc3z_summary restored, summary;
	struct nc3z_sink *sink;
	const void *data;
	size_t nbytes;

	nc3z_restore_options_init(&options);
	options.nthreads = 1;
	FUZZ_CHECK(packed->original_nbytes == file->nbytes);
	FUZZ_CHECK(packed->archive_nbytes == archive->nbytes);
	FUZZ_CHECK(nc3z_sink_open_memory(file->nbytes, &sink, NULL) == NC3Z_OK);
	FUZZ_CHECK(nc3z_restore(archive->source, sink, &options, &restored,
				NULL) == NC3Z_OK);
	data = nc3z_sink_memory(sink, &nbytes);
	FUZZ_CHECK(nbytes == file->nbytes &&
		   memcmp(data, file->data, nbytes) == 0);
	nc3z_sink_close(sink);
	check_same(&restored, packed);
	FUZZ_CHECK(nc3z_summarize(archive->source, &summary, NULL) == NC3Z_OK);
	check_same(&summary, packed);
}

static void count(void *context, const char *text)
{
	FUZZ_CHECK(text[0] != '\0');
	++*(unsigned *)context;
}

static void check_file(struct copy *file, struct nc3z_pack_options options)
{
	struct nc3z_summary packed;
	struct nc3z_error err = { 0 };
	struct nc3z_sink *sink;
	struct copy archive;
	unsigned nwarnings = 0;
	const void *data;
	size_t nbytes;
	int status;

	options.warn = count;
	options.context = &nwarnings;
	FUZZ_CHECK(nc3z_sink_open_memory(SIZE_MAX, &sink, NULL) == NC3Z_OK);
	status = nc3z_pack(file->source, sink, &options, &packed, &err);
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_ENOTCLASSIC);
	FUZZ_CHECK(status == err.status && (status == NC3Z_OK || err.text[0]));
	if (status == NC3Z_OK) {
		data = nc3z_sink_memory(sink, &nbytes);
		archive = copy_of(data, nbytes);
		check_archive(&archive, file, &packed);
		copy_release(&archive);
	}
	nc3z_sink_close(sink);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct copy file;

	if (nbytes == 0)
		return;
	file = copy_of(data + 1, nbytes - 1 < FILE_NBYTES_MAX ?
					 nbytes - 1 :
					 FILE_NBYTES_MAX);
	check_file(&file, options_of(data[0]));
	copy_release(&file);
}

#define FIELD_HEADER_NWORDS 24
#define FIELD_NROWS 70
#define FIELD_ROW_NELEMS 80

/*
 * A classic file of one variable, v(y, x), that is coded by contexts: shorts on
 * a slope, with noise that is the sum of dice.
 */
static size_t make_field(uint8_t *file, uint64_t *state)
{
	static const uint32_t header[FIELD_HEADER_NWORDS] = {
		0x43444601,
		0,
		10,
		2,
		1,
		'y' << 24,
		FIELD_NROWS,
		1,
		'x' << 24,
		FIELD_ROW_NELEMS,
		0,
		0,
		11,
		1,
		1,
		'v' << 24,
		2,
		0,
		1,
		0,
		0,
		NC3Z_SHORT,
		2 * FIELD_NROWS * FIELD_ROW_NELEMS,
		4 * FIELD_HEADER_NWORDS
	};
	size_t nbytes = 0;

	for (; nbytes < sizeof(header); nbytes++)
		file[nbytes] =
			(uint8_t)(header[nbytes / 4] >> 8 * (3 - nbytes % 4));
	for (unsigned i = 0; i < FIELD_NROWS * FIELD_ROW_NELEMS; i++) {
		unsigned v = 500 + i % FIELD_ROW_NELEMS * 20;

		for (unsigned k = 0; k < 6; k++)
			v += (unsigned)fuzz_random_below(state, 20);
		file[nbytes++] = (uint8_t)(v >> 8);
		file[nbytes++] = (uint8_t)v;
	}
	return nbytes;
}

static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	if (file_nbytes + 1 > room.nbytes || room.nbytes < FILE_NBYTES_MAX)
		return 0;
	seed += 71 * file_nbytes;
	room.data[0] = (uint8_t)fuzz_random(&seed);
	if (has_highest_level(room.data[0]))
		return 1 + make_field(room.data + 1, &seed);
	memcpy(room.data + 1, file, file_nbytes);
	return file_nbytes + 1;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
};
