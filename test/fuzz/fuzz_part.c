/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the parts of a file: they are joined to an archive or refused
 * with a reason.  Parts that packing has made are joined to the archive that
 * packing at once makes.
 *
 *	number of parts 1; of each: length 4, then so many bytes
 *
 * Left to themselves, changed bytes get no further than the next checksum, so
 * that most changes are followed by new ones.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/format.h"
#include "base/bytes.h"
#include "base/checksum.h"
#include "fuzz.h"
#include "nc3z_tools.h"

#define PARTS_MAX 4

/* As in archive/part.c. */
#define BEGIN_NBYTES 16
#define END_NBYTES 52
#define NSECTIONS 3

/* Larger originals, which a few bytes can stand for, take long. */
#define OUTPUT_NBYTES_MAX ((size_t)16 << 20)

struct parts {
	struct fuzz_bytes list[PARTS_MAX];
	size_t count;
};

static struct parts split(const uint8_t *data, size_t nbytes)
{
	struct fuzz_bytes in = { data, nbytes };
	struct parts parts = { .count = fuzz_take(&in) % (PARTS_MAX + 1) };

	for (size_t i = 0; i < parts.count; i++) {
		size_t n = in.nbytes >= 4 ? load_le32(in.data) : 0;
		size_t head = in.nbytes >= 4 ? 4 : in.nbytes;

		in.data += head;
		in.nbytes -= head;
		if (n > in.nbytes)
			n = in.nbytes;
		parts.list[i] = (struct fuzz_bytes){ in.data, n };
		in.data += n;
		in.nbytes -= n;
	}
	return parts;
}

static int join(struct nc3z_source *const *sources, size_t n,
		struct nc3z_sink **sink_ret, struct nc3z_error *err)
{
	FUZZ_CHECK(nc3z_sink_open_memory(OUTPUT_NBYTES_MAX, sink_ret, NULL) ==
		   NC3Z_OK);
	return nc3z_join(sources, n, *sink_ret, NULL, NULL, err);
}

/* Every stored byte of what comes out is under a right checksum. */
static void check_output(const struct nc3z_sink *sink)
{
	struct nc3z_source *source;
	size_t nbytes;
	const void *data = nc3z_sink_memory(sink, &nbytes);

	FUZZ_CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) ==
		   NC3Z_OK);
	FUZZ_CHECK(nc3z_verify_quick(source, NULL, NULL, NULL) == NC3Z_OK);
	nc3z_source_close(source);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct parts parts = split(data, nbytes);
	struct nc3z_source *sources[PARTS_MAX];
	uint8_t *copies[PARTS_MAX];
	struct nc3z_error err = { 0 };
	struct nc3z_sink *sink;
	int status;

	for (size_t i = 0; i < parts.count; i++) {
		copies[i] = fuzz_copy(parts.list[i].data, parts.list[i].nbytes);
		FUZZ_CHECK(
			nc3z_source_open_memory(copies[i], parts.list[i].nbytes,
						&sources[i], NULL) == NC3Z_OK);
	}
	status = join(sources, parts.count, &sink, &err);
	FUZZ_CHECK(err.status == status);
	FUZZ_CHECK((status == NC3Z_OK) == (err.text[0] == '\0'));
	FUZZ_CHECK(status != NC3Z_EIO && status != NC3Z_ENOMEM &&
		   status != NC3Z_ECHANGED);
	if (status == NC3Z_OK)
		check_output(sink);
	nc3z_sink_close(sink);
	for (size_t i = 0; i < parts.count; i++) {
		nc3z_source_close(sources[i]);
		free(copies[i]);
	}
}

/* Right checksums for a record or a section; its length, 0 at the end. */
static size_t seal_section(uint8_t *at, size_t left)
{
	size_t nbytes;

	if (left < FORMAT_SECTION_HEAD_NBYTES)
		return 0;
	nbytes = load_le32(at + 12);
	if (nbytes > left - FORMAT_SECTION_HEAD_NBYTES)
		return 0;
	store_le32(at + 16, crc32_of(at + FORMAT_SECTION_HEAD_NBYTES, nbytes));
	store_le32(at + 20, crc32_of(at, 20));
	return FORMAT_SECTION_HEAD_NBYTES + nbytes;
}

static size_t seal_record(uint8_t *at, size_t left, uint32_t *chain)
{
	size_t header, payload;

	if (left < FORMAT_BLOCK_HEAD_NBYTES + 4 ||
	    memcmp(at, FORMAT_MARK_BLOCK, FORMAT_MARK_NBYTES) != 0)
		return 0;
	header = load_le16(at + 4);
	payload = load_le32(at + 22);
	if (header < FORMAT_BLOCK_HEAD_NBYTES + 4 || header > left ||
	    payload > left - header)
		return 0;
	store_le32(at + 26, crc32_of(at + header, payload));
	store_le32(at + 30, *chain);
	*chain = crc32_of(at, header - 4);
	store_le32(at + header - 4, *chain);
	return header + payload;
}

static void seal(uint8_t *data, size_t nbytes)
{
	size_t at = BEGIN_NBYTES, n = 1;
	uint32_t chain = 0;

	if (nbytes < BEGIN_NBYTES)
		return;
	store_le32(data + 12, crc32_of(data, 12));
	for (int i = 0; i < NSECTIONS && n > 0; i++, at += n) {
		n = seal_section(data + at, nbytes - at);
		if (i == 0 && n > 0)
			chain = load_le32(data + at + 20);
	}
	while (n > 0 && (n = seal_record(data + at, nbytes - at, &chain)) > 0)
		at += n;
	if (nbytes - at < END_NBYTES)
		return;
	store_le32(data + at + 44, chain);
	store_le32(data + at + 48, crc32_of(data + at, 48));
}

/* Changes of one byte or a few, in place, in one of the parts. */
static size_t mutate(struct fuzz_room room, size_t nbytes, uint64_t seed)
{
	uint64_t state = seed;
	struct parts parts;
	uint8_t *part;

	if (seed % 8 == 0)
		return LLVMFuzzerMutate(room.data, nbytes, room.nbytes);
	parts = split(room.data, nbytes);
	for (size_t i = 0; i < parts.count; i++) {
		size_t n = parts.list[i].nbytes;

		if (n == 0 || fuzz_random_below(&state, parts.count) != 0)
			continue;
		part = room.data + (parts.list[i].data - room.data);
		for (uint64_t k = fuzz_random_below(&state, 3) + 1; k > 0; k--)
			part[fuzz_random_below(&state, k % 2   ? n :
						       n < 300 ? n :
								 300)] =
				(uint8_t)fuzz_random(&state);
		seal(part, n);
	}
	return nbytes;
}

static struct nc3z_pack_options random_options(uint64_t *state)
{
	static const char *const chunks[] = { "series", "balanced" };
	struct nc3z_pack_options options;

	nc3z_pack_options_init(&options);
	options.nthreads = 1;
	options.level = (int)fuzz_random_below(state, 4);
	options.block_nbytes = NC3Z_BLOCK_NBYTES_MIN
			       << fuzz_random_below(state, 3);
	options.chunks = &chunks[fuzz_random_below(state, 2)];
	options.nchunks = fuzz_random_below(state, 2);
	return options;
}

static void check_joined(struct nc3z_source *const *sources, size_t n,
			 const struct nc3z_sink *whole)
{
	size_t whole_nbytes, joined_nbytes;
	const void *data = nc3z_sink_memory(whole, &whole_nbytes), *joined;
	struct nc3z_error err;
	struct nc3z_sink *sink;

	FUZZ_CHECK(join(sources, n, &sink, &err) == NC3Z_OK);
	joined = nc3z_sink_memory(sink, &joined_nbytes);
	FUZZ_CHECK(joined_nbytes == whole_nbytes &&
		   memcmp(joined, data, whole_nbytes) == 0);
	nc3z_sink_close(sink);
}

/* Packs all parts; false if the file cannot be packed. */
static bool pack_parts(struct nc3z_source *file,
		       const struct nc3z_pack_options *options,
		       struct nc3z_sink **sinks, unsigned count)
{
	bool ok = true;

	for (unsigned i = 0; i <= count; i++) {
		const struct nc3z_part part = { .number = i,
						.count = i > 0 ? count : 0,
						.mtime_s = -1 };

		FUZZ_CHECK(nc3z_sink_open_memory(FUZZ_NBYTES_MAX, &sinks[i],
						 NULL) == NC3Z_OK);
		ok = ok && nc3z_pack_part(file, sinks[i], options, &part, NULL,
					  NULL) == NC3Z_OK;
	}
	return ok;
}

static size_t gather(struct nc3z_sink **sinks, unsigned count,
		     struct nc3z_source **sources, struct fuzz_room room)
{
	size_t at = 1, n;

	room.data[0] = (uint8_t)(count + 1);
	for (unsigned i = 0; i <= count; i++) {
		const void *data = nc3z_sink_memory(sinks[i], &n);

		FUZZ_CHECK(nc3z_source_open_memory(data, n, &sources[i],
						   NULL) == NC3Z_OK);
		if (at > 0 && n + 4 > room.nbytes - at)
			at = 0;
		if (at == 0)
			continue;
		store_le32(room.data + at, (uint32_t)n);
		memcpy(room.data + at + 4, data, n);
		at += 4 + n;
	}
	return at;
}

static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + file_nbytes;
	unsigned count = 1 + (unsigned)fuzz_random_below(&state, PARTS_MAX - 1);
	const struct nc3z_pack_options options = random_options(&state);
	struct nc3z_source *source, *sources[PARTS_MAX];
	struct nc3z_sink *sinks[PARTS_MAX], *whole;
	size_t nbytes = 0;

	FUZZ_CHECK(nc3z_source_open_memory(file, file_nbytes, &source, NULL) ==
		   NC3Z_OK);
	FUZZ_CHECK(nc3z_sink_open_memory(room.nbytes, &whole, NULL) == NC3Z_OK);
	if (nc3z_pack(source, whole, &options, NULL, NULL) == NC3Z_OK &&
	    pack_parts(source, &options, sinks, count)) {
		nbytes = gather(sinks, count, sources, room);
		check_joined(sources, count + 1, whole);
		for (unsigned i = 0; i <= count; i++) {
			nc3z_source_close(sources[i]);
			nc3z_sink_close(sinks[i]);
		}
	}
	nc3z_sink_close(whole);
	nc3z_source_close(source);
	return nbytes;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 30,
	.run = run,
	.from_classic = from_classic,
	.mutate = mutate,
};
