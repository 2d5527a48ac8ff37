/* SPDX-License-Identifier: MIT */
/*
 * An archive read by the words of the specification (sections 3 to 11) alone:
 * every rule that a whole archive must keep is checked, none of the library's
 * code is used.  What is in its blocks,
 * test/independent decodes.
 */
#ifndef UNIT_PICTURE_H
#define UNIT_PICTURE_H

#include <stdbool.h>

#include "blob.h"

#define PICTURE_IDENTITY_NBYTES 8

struct picture_block {
	size_t offset;
	size_t header_nbytes;
	uint32_t stream;
	uint32_t block;
	uint32_t raw_nbytes;
	uint32_t raw_crc;
	uint32_t header_crc;
	const uint8_t *description;
	size_t description_nbytes;
	const uint8_t *payload;
	size_t payload_nbytes;
	bool is_duplicate; /* the record is that of a block before it */
};

struct picture {
	const uint8_t *data;
	size_t nbytes;
	struct blob plan;
	struct picture_block *blocks;
	size_t nblocks;
	size_t index_offset;
	size_t header_copy_offset;
	size_t stream_copies_offset;
	size_t catalogue_offset;
	size_t trailer_offset;
	uint8_t identity[PICTURE_IDENTITY_NBYTES];
	struct blob header_copy;   /* empty if there is none */
	struct blob stream_copies; /* likewise */
	struct blob catalogue;     /* its contents */
	uint32_t nstreams;
	uint64_t original_nbytes;
	uint8_t sha256[32];
};

/*
 * Reads an archive, which must outlive the picture.  NULL, or what is wrong
 * with it; the picture is to be released in any case.
 */
const char *picture_read(struct picture *p, const void *data, size_t nbytes);
void picture_release(struct picture *p);

/* Whether the catalogue has the plan. */
bool picture_has_plan_copy(const struct picture *p);

/* Of the catalogue: the length of a stream. */
uint64_t picture_stream_nbytes(const struct picture *p, uint32_t stream);

/* The CRC-32 of a run of bytes, by zlib. */
uint32_t picture_crc32(const void *data, size_t nbytes);

/* Little-endian integers. */
uint32_t picture_u32(const uint8_t *p);
uint64_t picture_u64(const uint8_t *p);

#endif
