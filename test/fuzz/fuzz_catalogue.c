/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the contents of a catalogue, or as a trailer: what is accepted
 * is written the same again.
 *
 *	flags 1 (TRAILER, AS_IT_IS), then bytes
 *
 * Unless it is to be taken as it is, a trailer gets the right mark, version and
 * checksum; its last 8 bytes more are where it stands in the archive.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "fuzz.h"

#define TRAILER 1
#define AS_IT_IS 2

static void run_catalogue(const uint8_t *data, size_t nbytes)
{
	struct archive_catalogue catalogue;
	struct buffer again = { 0 };
	struct nc3z_error err = { 0 };
	uint8_t *exact = fuzz_copy(data, nbytes);
	int status = catalogue_read(exact, nbytes, &catalogue, &err);

	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED);
	FUZZ_CHECK(err.status == status);
	if (status == NC3Z_OK) {
		FUZZ_CHECK(catalogue_write(&catalogue, &again, NULL) ==
			   NC3Z_OK);
		FUZZ_CHECK(again.nbytes == nbytes &&
			   memcmp(again.data, exact, nbytes) == 0);
		catalogue_release(&catalogue);
	} else {
		FUZZ_CHECK(!catalogue.stream_nbytes && !catalogue.nstreams);
	}
	buffer_release(&again);
	free(exact);
}

/* Records follow each other, and the trailer is the end. */
static void check_places(const struct archive_trailer *t, uint64_t offset)
{
	uint64_t index_nbytes;

	FUZZ_CHECK(t->archive_nbytes - offset == FORMAT_TRAILER_NBYTES);
	FUZZ_CHECK(t->nblocks > 0 &&
		   archive_index_nbytes(t->nblocks, &index_nbytes));
	FUZZ_CHECK(t->index_offset >= FORMAT_SUPERBLOCK_NBYTES &&
		   t->index_offset <= t->header_copy_offset &&
		   t->header_copy_offset - t->index_offset == index_nbytes);
	FUZZ_CHECK(t->index_offset > FORMAT_COPIES_FROM_OFFSET ?
			   t->header_copy_offset < t->catalogue_offset :
			   t->header_copy_offset == t->catalogue_offset);
	FUZZ_CHECK(t->catalogue_offset < offset);
}

static void run_trailer(const uint8_t *data, size_t nbytes, bool as_it_is)
{
	uint8_t in[FORMAT_TRAILER_NBYTES + 8] = { 0 };
	uint8_t again[FORMAT_TRAILER_NBYTES];
	struct archive_trailer trailer;
	uint64_t offset;
	int status;

	memcpy(in, data, nbytes < sizeof(in) ? nbytes : sizeof(in));
	offset = load_le64(in + FORMAT_TRAILER_NBYTES);
	if (!as_it_is) {
		memcpy(in, FORMAT_MARK_TRAILER, FORMAT_MARK_NBYTES);
		store_le16(in + 4, FORMAT_MAJOR);
		store_le16(in + 6, FORMAT_MINOR);
		store_le32(in + 60, crc32_of(in, 60));
	}
	status = trailer_parse(in, offset, &trailer, NULL);
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED);
	if (status != NC3Z_OK)
		return;
	check_places(&trailer, offset);
	trailer_write(&trailer, again);
	FUZZ_CHECK(memcmp(in, again, sizeof(again)) == 0);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct fuzz_bytes in = { data, nbytes };
	uint8_t flags = fuzz_take(&in);

	if (flags & TRAILER)
		run_trailer(in.data, in.nbytes, flags & AS_IT_IS);
	else
		run_catalogue(in.data, in.nbytes);
}

/* Places that agree, at times with a large number of blocks. */
static void make_trailer(uint64_t *state, uint8_t *out)
{
	struct archive_trailer t = {
		.index_offset = fuzz_random(state) >>
				(2 + fuzz_random_below(state, 57)),
		.nblocks = fuzz_random(state) >>
			   (8 + fuzz_random_below(state, 55)),
	};
	uint64_t index_nbytes = 0, offset;

	t.index_offset += FORMAT_SUPERBLOCK_NBYTES;
	archive_index_nbytes(t.nblocks, &index_nbytes);
	t.header_copy_offset = t.index_offset + index_nbytes;
	t.catalogue_offset = t.header_copy_offset;
	if (t.index_offset > FORMAT_COPIES_FROM_OFFSET)
		t.catalogue_offset += 1 + fuzz_random_below(state, 1000);
	offset = t.catalogue_offset + 1 + fuzz_random_below(state, 1000);
	t.archive_nbytes = offset + FORMAT_TRAILER_NBYTES;
	trailer_write(&t, out);
	store_le64(out + FORMAT_TRAILER_NBYTES, offset);
}

/* Some streams, then the file in place of a plan. */
/* identity 8, original size 8, SHA-256 32, number of streams 4 */
#define FORMAT_CATALOGUE_HEAD_NBYTES 52

static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 73 * file_nbytes;
	size_t nstreams = (size_t)fuzz_random_below(&state, 20);
	size_t head = FORMAT_CATALOGUE_HEAD_NBYTES +
		      nstreams * FORMAT_CATALOGUE_STREAM_NBYTES;

	if (1 + head + file_nbytes > room.nbytes)
		return 0;
	room.data[0] = fuzz_random_below(&state, 3) == 0;
	if (room.data[0] & TRAILER) {
		make_trailer(&state, room.data + 1);
		return 1 + FORMAT_TRAILER_NBYTES + 8;
	}
	for (size_t i = 0; i < head; i++)
		room.data[1 + i] = (uint8_t)fuzz_random(&state);
	store_le32(room.data + 1 + FORMAT_CATALOGUE_HEAD_NBYTES - 4,
		   (uint32_t)nstreams);
	if (fuzz_random_below(&state, 2))
		file_nbytes = 0;
	memcpy(room.data + 1 + head, file, file_nbytes);
	return 1 + head + file_nbytes;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
};
