/* SPDX-License-Identifier: MIT */
/*
 * Archives as inputs of fuzz targets.
 *
 * Left to themselves, changed bytes get no further than the next checksum.  So
 * most changes are made to one piece of an archive that was taken apart, and
 * the archive is put together around it.
 */
#ifndef FUZZ_ARCHIVE_INPUT_H
#define FUZZ_ARCHIVE_INPUT_H

#include "fuzz.h"

/* The archive of a classic file, with any options; see struct fuzz_target. */
size_t archive_from_classic(const uint8_t *file, size_t file_nbytes,
			    uint64_t seed, struct fuzz_room room);

/* Changes an archive; see struct fuzz_target. */
size_t archive_mutate(struct fuzz_room room, size_t nbytes, uint64_t seed);

#endif
