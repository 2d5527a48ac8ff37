/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a tar, its headers and its index: members lie inside, their
 * contents are those bytes, and what one way of reading finds, the other does.
 *
 *	flags 1 (AS_IT_IS), then the tar
 *
 * Unless it is to be taken as it is, blocks that look like headers get the
 * right checksum.
 */
#define _GNU_SOURCE /* memmem() */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "io/source.h"
#include "nc3z_tools.h"
#include "tar/tar_header.h"
#include "tar/tar_index.h"

#define AS_IT_IS 1
#define MEMBERS_MAX 2000

static void set_checksum(uint8_t *block)
{
	unsigned sum = 0;

	memset(block + 148, ' ', 8);
	for (size_t i = 0; i < TAR_BLOCK_NBYTES; i++)
		sum += block[i];
	snprintf((char *)block + 148, 8, "%06o", sum);
}

/* "ustar" is where it is in headers. */
static void set_checksums(uint8_t *data, size_t nbytes)
{
	for (size_t at = 0; at + TAR_BLOCK_NBYTES <= nbytes;
	     at += TAR_BLOCK_NBYTES)
		if (memcmp(data + at + 257, "ustar", 5) == 0)
			set_checksum(data + at);
}

static void check_status(int status, const struct nc3z_error *err)
{
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
		   status == NC3Z_EUNSUPPORTED || status == NC3Z_ENOTARCHIVE ||
		   status == NC3Z_EIO);
	FUZZ_CHECK(err->status == status);
}

/* The contents of a member are as long as is said, and inside the tar. */
static void check_member(struct nc3z_tar *tar, size_t i,
			 struct fuzz_bytes whole)
{
	struct nc3z_tar_member member;
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;
	uint8_t first[64];
	size_t got, found;
	int status = nc3z_tar_open_member(tar, i, 0, &source, &err);

	check_status(status, &err);
	FUZZ_CHECK(nc3z_tar_inq_member(tar, i, &member, NULL) == NC3Z_OK);
	FUZZ_CHECK(nc3z_tar_find(tar, member.name, &found, NULL) == NC3Z_OK &&
		   found == i);
	FUZZ_CHECK(tar_plain_name(member.name) == member.name);
	if (status != NC3Z_OK)
		return;
	FUZZ_CHECK(member.nbytes == nc3z_source_nbytes(source) &&
		   member.nbytes < whole.nbytes);
	FUZZ_CHECK(nc3z_source_read(source, 0, first, sizeof(first), &got,
				    NULL) == NC3Z_OK);
	FUZZ_CHECK(got == (member.nbytes < sizeof(first) ? member.nbytes :
							   sizeof(first)));
	FUZZ_CHECK(got == 0 ||
		   memmem(whole.data, whole.nbytes, first, got) != NULL);
	nc3z_source_close(source);
}

/* The same bytes by another way. */
static void check_same(struct nc3z_tar *tar, struct nc3z_tar *walked, size_t i)
{
	struct nc3z_tar_member member, other;
	struct nc3z_source *a, *b;
	uint8_t first[64], others[64];
	size_t got, other_got, found;

	FUZZ_CHECK(nc3z_tar_inq_member(tar, i, &member, NULL) == NC3Z_OK);
	FUZZ_CHECK(nc3z_tar_find(walked, member.name, &found, NULL) == NC3Z_OK);
	FUZZ_CHECK(nc3z_tar_inq_member(walked, found, &other, NULL) == NC3Z_OK);
	FUZZ_CHECK(member.left_out == other.left_out &&
		   member.nbytes == other.nbytes);
	if (member.left_out)
		return;
	FUZZ_CHECK(nc3z_tar_open_member(tar, i, 0, &a, NULL) == NC3Z_OK);
	FUZZ_CHECK(nc3z_tar_open_member(walked, found, 0, &b, NULL) == NC3Z_OK);
	FUZZ_CHECK(nc3z_source_read(a, 0, first, 64, &got, NULL) == NC3Z_OK);
	FUZZ_CHECK(nc3z_source_read(b, 0, others, 64, &other_got, NULL) ==
		   NC3Z_OK);
	FUZZ_CHECK(got == other_got && memcmp(first, others, got) == 0);
	nc3z_source_close(a);
	nc3z_source_close(b);
}

/* An index that was compared with all headers gives what the headers do. */
static void check_as_walked(struct nc3z_tar *tar, const uint8_t *data,
			    size_t nbytes)
{
	uint8_t *copy = fuzz_copy(data, nbytes);
	struct nc3z_source *source;
	struct tar_header header;
	struct nc3z_tar *walked;

	if (nbytes > TAR_BLOCK_NBYTES &&
	    tar_header_parse(copy, &header, NULL) == NC3Z_OK &&
	    header.kind == TAR_FILE && header.nbytes > 0 &&
	    strcmp(header.name, TAR_INDEX_NAME) == 0 &&
	    nc3z_tar_nmembers(tar) > 0) {
		copy[TAR_BLOCK_NBYTES] = '?'; /* of the text of the index */
		FUZZ_CHECK(nc3z_source_open_memory(copy, nbytes, &source,
						   NULL) == NC3Z_OK);
		FUZZ_CHECK(nc3z_tar_open(source, &walked, NULL) == NC3Z_OK);
		FUZZ_CHECK(nc3z_tar_nmembers(walked) == nc3z_tar_nmembers(tar));
		for (size_t i = 0; i < nc3z_tar_nmembers(tar); i++)
			check_same(tar, walked, i);
		nc3z_tar_close(walked);
	}
	free(copy);
}

static void run_tar(const uint8_t *data, size_t nbytes)
{
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;
	struct nc3z_tar *tar;
	size_t n;
	int status;

	FUZZ_CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) ==
		   NC3Z_OK);
	nc3z_tar_has_archives(source);
	status = nc3z_tar_open(source, &tar, &err);
	check_status(status, &err);
	if (status != NC3Z_OK) {
		nc3z_source_close(source);
		return;
	}
	n = nc3z_tar_nmembers(tar);
	FUZZ_CHECK(n <= nbytes / TAR_BLOCK_NBYTES);
	for (size_t i = 0; i < n && i < MEMBERS_MAX; i++)
		check_member(tar, i, (struct fuzz_bytes){ data, nbytes });
	if (nc3z_tar_check_index(tar, &err) == NC3Z_OK && n <= MEMBERS_MAX)
		check_as_walked(tar, data, nbytes);
	nc3z_tar_close(tar);
}

/* Members ascend, and each has room for its headers and contents. */
static void run_index(const uint8_t *text, size_t nbytes)
{
	struct tar_members members = { 0 };
	struct nc3z_error err = { 0 };
	uint64_t at = 1024, end = 0;
	int status = tar_index_parse(text, nbytes, at, &members, &end, &err);

	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED);
	FUZZ_CHECK(status == NC3Z_OK || members.count == 0);
	for (size_t i = 0; i < members.count; i++) {
		const struct tar_member *m = &members.list[i];

		FUZZ_CHECK(m->header_offset >= at &&
			   m->header_offset - at < 512 &&
			   m->region_nbytes > m->nbytes);
		at = m->header_offset + m->region_nbytes;
		FUZZ_CHECK(at <= end && m->number == i);
	}
	tar_members_release(&members);
}

static void run(const uint8_t *data, size_t nbytes)
{
	struct fuzz_bytes in = { data, nbytes };
	bool as_it_is = fuzz_take(&in) & AS_IT_IS;
	struct tar_extension extension = { 0 };
	uint8_t *copy = fuzz_copy(in.data, in.nbytes);

	tar_records_parse(copy, in.nbytes, &extension, NULL);
	tar_extension_release(&extension);
	run_index(copy, in.nbytes);
	if (!as_it_is)
		set_checksums(copy, in.nbytes);
	run_tar(copy, in.nbytes);
	free(copy);
}

/* A member of some type, name and size; how long it is. */
static size_t put_member(uint8_t *out, char type, const char *name,
			 const char *contents, size_t nbytes)
{
	memset(out, 0, TAR_BLOCK_NBYTES);
	strcpy((char *)out, name);
	snprintf((char *)out + 124, 12, "%011zo", nbytes);
	out[156] = (uint8_t)type;
	memcpy(out + 257,
	       "ustar\0"
	       "00",
	       8);
	set_checksum(out);
	memset(out + TAR_BLOCK_NBYTES, 0, (nbytes + 511) / 512 * 512);
	memcpy(out + TAR_BLOCK_NBYTES, contents, nbytes);
	return TAR_BLOCK_NBYTES + (nbytes + 511) / 512 * 512;
}

static const struct {
	char type;
	const char *contents;
} before[] = {
	{ '0', "" },
	{ 'L', "a/long/name.nc.nc3z" },
	{ 'x', "12 path=a/b\n" },
	{ 'x', "10 size=9\n11 mtime=1\n" },
	{ 'g', "13 comment=x\n" },
	{ 'S', "holes" },
	{ '5', "" },
	{ 'K', "link" },
	{ '1', "" },
	{ '2', "" },
	{ 'x', "15 linkpath=m0\n" },
};

#define NBEFORE (sizeof(before) / sizeof(before[0]))

/* With an index or without, some headers, and pieces of the file. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + 89 * file_nbytes;
	size_t nbytes = file_nbytes < 3000 ? file_nbytes : 3000, at = 1;
	unsigned n = 1 + (unsigned)fuzz_random_below(&state, 6);
	char name[20], index[200];

	if (room.nbytes < 40000)
		return 0;
	room.data[0] = fuzz_random_below(&state, 4) == 0;
	snprintf(index, sizeof(index),
		 "nc3z-tar-index 1 %zu\n512 %zu m0\n512 %zu m1\n",
		 2 * ((nbytes + 511) / 512 * 512 + 512), nbytes,
		 fuzz_random_below(&state, 3) ? nbytes : 9);
	if (fuzz_random_below(&state, 2))
		at += put_member(room.data + at, '0', TAR_INDEX_NAME, index,
				 strlen(index));
	for (unsigned i = 0; i < n; i++) {
		size_t k = fuzz_random_below(&state, NBEFORE);

		if (fuzz_random_below(&state, 2))
			at += put_member(room.data + at, before[k].type, "x",
					 before[k].contents,
					 strlen(before[k].contents));
		snprintf(name, sizeof(name), "%sm%u", i % 2 ? "./" : "", i);
		at += put_member(room.data + at, '0', name, (const char *)file,
				 nbytes);
	}
	memset(room.data + at, 0, 1024);
	return at + 1024;
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)64 << 20,
	.run = run,
	.from_classic = from_classic,
};
