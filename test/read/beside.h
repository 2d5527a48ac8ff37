/* SPDX-License-Identifier: MIT */
/*
 * One file in libnetcdf and, as it is and packed, in the library: the same
 * requests of all.
 */
#ifndef READ_BESIDE_H
#define READ_BESIDE_H

#include "both.h"
#include "made.h"
#include "slab.h"

#define BESIDE_VIEWS_MAX 6

/* A handle of the file. */
struct view {
	const char *what;
	struct blob archive; /* empty: the plain file */
	struct nc3z_file *file;
	bool ignores_truncation;
	bool keeps_nothing; /* its cache */
	bool has_map;
	struct block_map map;
};

struct beside {
	const char *name;
	char path[64]; /* for libnetcdf */
	int ncid;      /* -1: it refuses the file */
	struct facts facts;
	struct view views[BESIDE_VIEWS_MAX]; /* the plain file first */
	size_t nviews;
};

/* Whether and in which ways the file can be opened; a check fails if wrongly. */
bool beside_open(struct beside *b, const char *name, const struct blob *file);
void beside_close(struct beside *b);

/* Dimensions, variables and attributes. */
void beside_inquire(struct beside *b);

/* A request, which need not be valid. */
struct call {
	int varid;
	const struct both_type *type;
	struct slab_request slab;
	bool is_valid; /* as far as slab_random() knows */
};

/* Makes the request everywhere and compares. */
void beside_call(struct beside *b, const struct call *call);

#endif
