/* SPDX-License-Identifier: MIT */
/*
 * Small archives of every kind: each layout, codec, filter and splitting step,
 * each version of the classic format; and what is right to read from them.
 */
#ifndef DAMAGE_KINDS_H
#define DAMAGE_KINDS_H

#include "blob.h"
#include "made.h"
#include "picture.h"

/* A file and its archive, with a sister: same header, other data. */
struct subject {
	const char *name;
	struct blob original;
	struct blob archive;
	struct picture picture;
	struct block_map map;
	struct blob sister_original;
	struct blob sister_archive;
	struct picture sister;
};

unsigned kinds_count(void);

/*
 * Makes the archives of a kind; 'testdata' is the directory of the test files
 * of the project.  False after a failed check.
 */
bool kind_make(unsigned kind, const char *testdata, struct subject *s);
void kind_release(struct subject *s);

#endif
