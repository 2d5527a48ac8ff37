/* SPDX-License-Identifier: MIT */
/*
 * Looking for the records of archives in any bytes: a damaged archive, the
 * first part of one, a disk image with several and garbage around them.
 *
 * Every record has a mark and CRCs of its own, so that what is found is whole.
 * Block records also have the identity of their archive and the CRC of the
 * record header before them.  What is found goes into *fragments*: records that
 * lie one after the other, with anything or nothing between them, and that a
 * superblock, a plan, another identity or an archive's end does not part.
 */
#ifndef NC3Z_SALVAGE_SCAN_H
#define NC3Z_SALVAGE_SCAN_H

#include "archive/archive.h"

#define NOWHERE UINT64_MAX

/* In all sources together; a disk with more is cut into parts. */
#define FRAGMENTS_MAX ((size_t)1 << 14)

/* A block record whose stored bytes are whole, or a duplicate record. */
struct salvage_found_block {
	uint64_t offset; /* of its record */
	uint32_t stream;
	uint32_t block;
	uint32_t raw_nbytes;
	uint32_t raw_crc;
	uint32_t previous_crc; /* of the record header before its own */
	uint32_t header_crc;
	uint32_t fragment;
	uint32_t of_stream; /* of a duplicate: the block that it equals */
	uint32_t of_block;
	bool is_duplicate;
	bool is_bad;      /* does not decode, or does not belong here */
	bool is_unproven; /* bad until an index has its bytes */
};

/* Offsets are NOWHERE for what was not found. */
struct salvage_fragment {
	uint32_t source;
	uint8_t identity[FORMAT_IDENTITY_NBYTES];
	uint64_t offset; /* of its first record */
	size_t nfound;
	uint64_t raw_nbytes; /* of its blocks found */
	/* Ends of the chain of record headers: what it goes on from, and its
	 * last one. */
	uint32_t previous_crc;
	uint32_t last_crc;
	uint64_t plan;
	bool plan_is_proven; /* the chain begins with it */
	uint64_t index;
	uint64_t header_copy;
	uint64_t stream_copies;
	uint64_t catalogue;
	bool has_superblock;
	uint16_t major; /* of the superblock */
	uint16_t minor;
	bool has_unproven; /* blocks found, that were dropped */
	bool has_trailer;
	struct archive_trailer trailer;
};

struct salvage_finds {
	struct salvage_fragment *fragments;
	size_t nfragments;
	size_t fragments_capacity;
	struct salvage_found_block *found; /* as they lie */
	size_t nfound;
	size_t found_capacity;
	uint64_t nfailed; /* block records whose stored bytes are damaged */
};

/*
 * Adds what a source has, which must be able to seek.  Reads it once, and what
 * only looks like a record a bounded number of times more.
 *
 * Returns NC3Z_OK; NC3Z_EINVAL for a source that cannot seek; NC3Z_ELIMIT for
 * more than FRAGMENTS_MAX fragments; NC3Z_EIO, NC3Z_ENOMEM.
 */
int salvage_scan(struct nc3z_source *source, uint32_t source_number,
		 struct salvage_finds *finds, struct nc3z_error *err);

void salvage_finds_release(struct salvage_finds *finds);

#endif
