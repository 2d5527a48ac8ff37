/* SPDX-License-Identifier: MIT */
/*
 * Classic files for tests of reading: made up at random, each with some
 * peculiarity, and what can be told of them without the code that reads.
 */
#ifndef READ_MADE_H
#define READ_MADE_H

#include <stdbool.h>

#include "blob.h"
#include "classic/header.h"

enum made_kind {
	MADE_MIXED,  /* of all types and ranks up to 6 */
	MADE_TINY,   /* many small variables: groups, the rest */
	MADE_MEDIUM, /* variables of several small blocks */
	MADE_LARGE,  /* a variable worth several threads */
	MADE_LONE,   /* one record variable, of any length */
	MADE_EMPTY,  /* no records */
	MADE_SHORT,  /* cut off somewhere behind the header */
	MADE_ODD,    /* variables at odd places */
	MADE_KINDS
};

/* Appends a file of a kind. */
void made_file(enum made_kind kind, uint64_t *seed, struct blob *out);

/* A file with its header, taken apart. */
struct facts {
	const struct blob *file;
	struct classic_header header;
	uint64_t record_nbytes; /* from record to record */
};

/* False if the header cannot be parsed.  The file must outlive the facts. */
bool facts_init(struct facts *facts, const struct blob *file);
void facts_release(struct facts *facts);

/*
 * Where an element of a variable lies in the file, by its linear index;
 * UINT64_MAX if it is beyond all files.
 */
uint64_t facts_offset(const struct facts *facts, int varid, uint64_t linear);

/* Which block of which stream holds each byte of an original. */
struct block_map {
	uint32_t *numbers; /* of blocks, counted through all streams */
	uint64_t original_nbytes;
	uint32_t nblocks;
	uint32_t *streams; /* of each of these blocks */
	uint32_t *blocks;  /* and its number in the stream */
};

/* Made from the plan of an archive, byte by byte. */
void block_map_init(struct block_map *map, const struct blob *archive);
void block_map_release(struct block_map *map);

#endif
