/* SPDX-License-Identifier: MIT */
/*
 * What follows the HDF5 part of an exact netCDF-4 file, as
 * format-spec/exact-netcdf4.md has it: the rest of the original in frames, the
 * description of where all else is, the trailer.  Works on bytes it is given.
 */
#ifndef NC3Z_EXACT_TAIL_H
#define NC3Z_EXACT_TAIL_H

#include <stdbool.h>

#include "base/checksum.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "nc3z.h"

#define EXACT_MAGIC "\x93nc3z-N4"
#define EXACT_MAGIC_NBYTES 8
#define EXACT_VERSION 1
#define EXACT_TRAILER_NBYTES 108

/* Raw bytes of a frame of the rest; the last one may have fewer. */
#define EXACT_FRAME_NBYTES (UINT32_C(1) << 20)

#define EXACT_RANK_MAX 32

/* Raw bytes of a chunk. */
#define EXACT_CHUNK_NBYTES_MAX NC3Z_BLOCK_NBYTES_MAX

/* A description has at most so many bytes more than the file. */
#define EXACT_DESCRIPTION_NBYTES_MORE (UINT32_C(1) << 16)

struct exact_trailer {
	uint32_t description_stored_nbytes;
	uint32_t description_nbytes;
	uint32_t description_crc; /* of what is stored */
	uint64_t hdf5_nbytes;
	uint64_t original_nbytes;
	uint8_t original_sha256[SHA256_NBYTES];
	uint8_t hdf5_sha256[SHA256_NBYTES];
};

enum exact_flag {
	EXACT_RECORDS = 1,
	EXACT_CHUNKED = 2,
	EXACT_SHUFFLED = 4,
	EXACT_DEFLATED = 8,
};

/* A run of bytes in the file. */
struct exact_place {
	uint64_t address;
	uint32_t nbytes;
	uint32_t crc; /* of frames */
};

/* A variable whose bytes are in the HDF5 part. */
struct exact_variable {
	uint64_t begin; /* of its first byte in the original */
	uint8_t width;
	uint8_t flags; /* enum exact_flag */
	uint8_t rank;
	uint64_t lengths[EXACT_RANK_MAX];
	uint64_t chunks[EXACT_RANK_MAX];
	uint64_t address;   /* unless chunked */
	size_t first_place; /* of its chunks */
	/* These follow: */
	uint64_t nbytes; /* of one record, or of all */
	uint64_t nchunks;
	uint64_t chunk_nbytes; /* raw */
};

struct exact_description {
	uint64_t numrecs;
	uint64_t record_nbytes; /* from record to record */
	struct exact_variable *variables;
	size_t nvariables;
	struct exact_place *places; /* of all chunks */
	size_t nplaces;
	struct exact_place *frames;
	size_t nframes;
};

/* Whether bytes at the end of a file begin as a trailer does. */
bool exact_trailer_is(const uint8_t bytes[EXACT_TRAILER_NBYTES]);

void exact_trailer_write(const struct exact_trailer *t,
			 uint8_t bytes[EXACT_TRAILER_NBYTES]);

/*
 * Reads the trailer of a file of so many bytes.  NC3Z_EDAMAGED,
 * NC3Z_EUNSUPPORTED.
 */
int exact_trailer_read(struct exact_trailer *t,
		       const uint8_t bytes[EXACT_TRAILER_NBYTES],
		       uint64_t file_nbytes, struct nc3z_error *err);

/* What follows from the fields of a variable; false if it is too large. */
bool exact_variable_derive(struct exact_variable *v);

/* What a chunk of a variable takes at most, deflated or not. */
uint64_t exact_stored_nbytes_max(const struct exact_variable *v);

/* The number of chunks along a dimension. */
uint64_t exact_chunks_along(const struct exact_variable *v, size_t k);

/* Appends the description, as it is before it is deflated. */
bool exact_description_write(const struct exact_description *d,
			     struct buffer *out);

/*
 * Reads and checks a description against its trailer: all places lie where they
 * may, and no number sizes anything that the bytes do not vouch for.
 * NC3Z_EDAMAGED, NC3Z_ENOMEM; to be released in any case.
 */
int exact_description_read(struct exact_description *d,
			   const struct exact_trailer *t, const void *data,
			   size_t data_nbytes, struct nc3z_error *err);

void exact_description_release(struct exact_description *d);

/* What both say of a file of so many bytes. */
struct nc3z_summary exact_summary(const struct exact_trailer *t,
				  const struct exact_description *d,
				  uint64_t file_nbytes);

#endif
