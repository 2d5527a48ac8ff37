/* SPDX-License-Identifier: MIT */
/*
 * Archives to be damaged and salvaged, with the truth about them: which block
 * has which byte of the original, by the words of the specification, and what
 * every byte is if its block is lost.
 */
#ifndef UNIT_WRECK_H
#define UNIT_WRECK_H

#include "nc3z.h"
#include "picture.h"
#include "shape.h"

struct specimen {
	const char *name;
	struct shape shape;
	struct blob original;
	struct blob filled; /* the original with fill values for all values */
	struct blob archive;
	struct picture picture;
	uint32_t *owner; /* of each byte of the original: its block */
};

/* How to make one; what is 0 or NULL is as nc3z_pack_options_init() says. */
struct specimen_setup {
	const char *name;
	void (*shape)(struct shape *shape);
	uint64_t seed;
	uint32_t block_nbytes;
	int codec; /* enum nc3z_codec */
	const char *chunks;
};

void specimen_make(struct specimen *s, const struct specimen_setup *setup);
void specimen_release(struct specimen *s);

/* A part of an archive that is still there, and where it lies. */
#define WRECK_KEPT_MAX 8

struct wreck {
	struct blob data;
	struct {
		size_t begin;
		size_t end;
	} kept[WRECK_KEPT_MAX]; /* of the archive */
	size_t nkept;
};

/* Appends the bytes of the archive from 'begin' to 'end'. */
void wreck_keep(struct wreck *w, const struct specimen *s, size_t begin,
		size_t end);
void wreck_garbage(struct wreck *w, size_t nbytes, uint64_t *seed);
void wreck_release(struct wreck *w);

bool wreck_has(const struct wreck *w, size_t begin, size_t end);
bool wreck_has_block(const struct wreck *w, const struct specimen *s,
		     size_t block);

/* Whether enough is left for an archive, of all wrecks together. */
bool wrecks_can_be_salvaged(const struct wreck *wrecks, size_t nwrecks,
			    const struct specimen *s);

/*
 * Salvages wrecks of one archive and checks everything: that it works if it
 * can, that the archive is whole, that blocks which are there are in it, that
 * others are filled, and what the report says.  The archive goes to 'out_ret'
 * unless that is NULL.  Returns the status.
 */
int wrecks_check(const struct wreck *wrecks, size_t nwrecks,
		 const struct specimen *s, struct blob *out_ret);

#endif
