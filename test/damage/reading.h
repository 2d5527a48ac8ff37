/* SPDX-License-Identifier: MIT */
/*
 * What becomes of a damaged archive: that it is found out, and that whatever
 * is read from it all the same is right.
 */
#ifndef DAMAGE_READING_H
#define DAMAGE_READING_H

#include "kinds.h"
#include "nc3z.h"

/* What was seen; each case is one damaged archive. */
struct tally {
	unsigned long ncases;
	unsigned long nfound;   /* cases that a test of the archive finds */
	unsigned long nwrong;   /* reads that gave anything but the truth */
	unsigned long nright;   /* reads that gave it */
	unsigned long nrefused; /* reads that said the archive is damaged */
	double seconds;         /* of a processor, for the slowest case */
};

/* All values of a file, of each variable. */
struct truth {
	const struct blob *original;
	struct blob *values;
	int nvars;
};

struct reading {
	const struct subject *subject;
	struct truth truth;
	struct truth sister;
	uint8_t *archive;   /* in memory of just its size */
	uint32_t *record;   /* in the picture, of each block of the map */
	uint64_t *run;      /* of each block: an offset in the original, */
	size_t *run_nbytes; /* and how many of its bytes follow there */
	bool *is_hit;       /* of each block */
	bool *needs;        /* variable by block */
	bool *head_needs;   /* block: the file is opened with it */
};

/* False after a failed check. */
bool reading_init(struct reading *r, const struct subject *s);
void reading_release(struct reading *r);

/*
 * Tests and reads a damaged archive in memory of just its size.  If it has the
 * sister's catalogue, it is the sister's data that are right.
 */
void reading_case(struct reading *r, const uint8_t *data, size_t nbytes,
		  bool is_sister, struct tally *t);

#endif
