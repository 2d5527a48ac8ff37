/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a superblock or as a section: what is accepted is written the
 * same again, and any contents come back as they were written.
 *
 *	flags 1 (SUPERBLOCK, AS_IT_IS, CONTENTS), mark 1 (of which section),
 *	then bytes
 *
 * Unless they are to be taken as they are, marks and checksums are made right.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "fuzz.h"

#define SUPERBLOCK 1
#define AS_IT_IS 2
#define CONTENTS 4 /* the bytes are contents, too */

/* No more is deflated, so that there are many runs. */
#define CONTENTS_NBYTES_MAX ((size_t)2000)

static const char *const marks[] = {
	FORMAT_MARK_PLAN,
	FORMAT_MARK_HEADER_COPY,
	FORMAT_MARK_STREAM_COPIES,
	FORMAT_MARK_CATALOGUE,
};

#define NMARKS (sizeof(marks) / sizeof(*marks))

static bool is_expected(int status)
{
	return status == NC3Z_OK || status == NC3Z_EDAMAGED ||
	       status == NC3Z_EUNSUPPORTED;
}

static void run_superblock(const uint8_t *data, size_t nbytes, bool as_it_is)
{
	uint8_t in[FORMAT_SUPERBLOCK_NBYTES] = { 0 }, again[sizeof(in)];
	int status;

	memcpy(in, data, nbytes < sizeof(in) ? nbytes : sizeof(in));
	if (!as_it_is) {
		memcpy(in, FORMAT_MAGIC, FORMAT_MAGIC_NBYTES);
		store_le32(in + 12, crc32_of(in, 12));
	}
	status = superblock_check(in, NULL);
	FUZZ_CHECK(is_expected(status) ||
		   (as_it_is && status == NC3Z_ENOTARCHIVE));
	if (status != NC3Z_OK)
		return;
	superblock_write(again);
	FUZZ_CHECK(memcmp(in, again, sizeof(in)) == 0);
}

/* Reads the section at the start of 'bytes'. */
static int read_section(const struct buffer *bytes, const char *mark,
			uint64_t *end_ret, struct buffer *contents)
{
	struct nc3z_source *source;
	struct nc3z_error err = { 0 };
	uint64_t skipped = 0;
	uint32_t crc;
	int status;

	*end_ret = 0;
	FUZZ_CHECK(nc3z_source_open_memory(bytes->data, bytes->nbytes, &source,
					   NULL) == NC3Z_OK);
	status = section_read(source, mark, end_ret, contents, &crc, &err);
	FUZZ_CHECK(is_expected(status) && err.status == status);
	if (status == NC3Z_OK) {
		FUZZ_CHECK(section_skip(source, mark, &skipped, NULL) ==
			   NC3Z_OK);
		FUZZ_CHECK(skipped == *end_ret && skipped <= bytes->nbytes);
		FUZZ_CHECK(crc == section_head_crc(bytes->data));
	}
	nc3z_source_close(source);
	return status;
}

/* Any contents, stored or deflated, come back. */
static void check_contents(const uint8_t *data, size_t nbytes, const char *mark)
{
	for (uint8_t codec = 0; codec <= NC3Z_CODEC_DEFLATE; codec++) {
		struct buffer section = { 0 }, again = { 0 };
		uint64_t end;

		FUZZ_CHECK(section_write(mark, codec, data, nbytes, &section,
					 NULL) == NC3Z_OK);
		FUZZ_CHECK(read_section(&section, mark, &end, &again) ==
			   NC3Z_OK);
		FUZZ_CHECK(end == section.nbytes);
		FUZZ_CHECK(
			again.nbytes == nbytes &&
			(nbytes == 0 || memcmp(again.data, data, nbytes) == 0));
		buffer_release(&section);
		buffer_release(&again);
	}
}

/* Mark and checksums, and the stored length if it is beyond the end. */
static void mend(struct buffer *b, const char *mark)
{
	uint8_t *head = b->data;
	size_t left = b->nbytes - FORMAT_SECTION_HEAD_NBYTES;
	uint32_t stored_nbytes = load_le32(head + 12);

	if (stored_nbytes > left) {
		stored_nbytes = (uint32_t)left;
		store_le32(head + 12, stored_nbytes);
	}
	memcpy(head, mark, FORMAT_MARK_NBYTES);
	store_le32(head + 16,
		   crc32_of(head + FORMAT_SECTION_HEAD_NBYTES, stored_nbytes));
	store_le32(head + 20, crc32_of(head, 20));
}

/* Stored contents have one form only; deflated ones have many. */
static void check_again(const struct buffer *b, const struct buffer *contents,
			uint64_t end, const char *mark)
{
	struct buffer again = { 0 };

	if (b->data[4] != NC3Z_CODEC_STORE)
		return;
	FUZZ_CHECK(section_write(mark, NC3Z_CODEC_STORE, contents->data,
				 contents->nbytes, &again, NULL) == NC3Z_OK);
	FUZZ_CHECK(again.nbytes == end &&
		   memcmp(again.data, b->data, again.nbytes) == 0);
	buffer_release(&again);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct fuzz_bytes in = { data, nbytes };
	uint8_t flags = fuzz_take(&in);
	const char *mark = marks[fuzz_take(&in) % NMARKS];
	struct buffer b = { 0 }, contents = { 0 };
	uint64_t end;

	if (flags & SUPERBLOCK) {
		run_superblock(in.data, in.nbytes, flags & AS_IT_IS);
		return;
	}
	FUZZ_CHECK(buffer_append(&b, in.data, in.nbytes));
	if (flags & CONTENTS)
		check_contents(in.data,
			       in.nbytes < CONTENTS_NBYTES_MAX ?
				       in.nbytes :
				       CONTENTS_NBYTES_MAX,
			       mark);
	if (!(flags & AS_IT_IS) && b.nbytes >= FORMAT_SECTION_HEAD_NBYTES)
		mend(&b, mark);
	if (read_section(&b, mark, &end, &contents) == NC3Z_OK)
		check_again(&b, &contents, end, mark);
	buffer_release(&b);
	buffer_release(&contents);
}

/* A part of the file as a section, or as a superblock. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 79 * file_nbytes;
	struct buffer section = { 0 };
	size_t n = file_nbytes, nbytes;
	uint8_t codec;

	n %= fuzz_random_below(&state, 2) ? 500 : 20000;
	room.data[0] = fuzz_random_below(&state, 8) == 0 ? SUPERBLOCK : 0;
	if (fuzz_random_below(&state, 100) == 0)
		room.data[0] |= CONTENTS;
	room.data[1] = (uint8_t)fuzz_random_below(&state, NMARKS);
	/* Deflating is slow, with sanitizers. */
	codec = fuzz_random_below(&state, 50) == 0 ? NC3Z_CODEC_DEFLATE :
						     NC3Z_CODEC_STORE;
	FUZZ_CHECK(section_write(marks[room.data[1]], codec, file, n, &section,
				 NULL) == NC3Z_OK);
	nbytes = 2 + section.nbytes;
	if (nbytes <= room.nbytes)
		memcpy(room.data + 2, section.data, section.nbytes);
	buffer_release(&section);
	if (room.data[0] & SUPERBLOCK) {
		nbytes = 2 + FORMAT_SUPERBLOCK_NBYTES;
		superblock_write(room.data + 2);
	}
	return nbytes <= room.nbytes ? nbytes : 0;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 29,
	.run = run,
	.from_classic = from_classic,
};
