/* SPDX-License-Identifier: MIT */
/*
 * Where everything lies in a classic file.
 *
 * A layout cuts all offsets from 0 to CLASSIC_OFFSET_END into extents with no
 * hole and no overlap.  Outside the *record section* they are listed once;
 * inside it one record is listed and repeats:
 *
 *   0                record_begin                              ... END
 *   | fixed[0] ... fixed[i] | slots | slots | slots | fixed[i+1] ... |
 *                            <----->
 *                         record_nbytes
 *
 * An extent belongs to one variable or to none: header, padding, gaps, the
 * bytes after the data, and variables that cannot have their bytes to
 * themselves.  The layout is a function of the header alone; a file may end
 * anywhere in it.
 */
#ifndef NC3Z_CLASSIC_LAYOUT_H
#define NC3Z_CLASSIC_LAYOUT_H

#include "classic/header.h"

/* No file is longer. */
#define CLASSIC_OFFSET_END ((uint64_t)INT64_MAX)

/* "No variable" in an extent. */
#define CLASSIC_NO_VARIABLE UINT32_MAX

struct layout_extent {
	uint64_t begin;
	uint64_t nbytes;
	uint32_t variable;
};

struct layout_extents {
	struct layout_extent *list;
	size_t count;
};

struct layout {
	uint64_t record_begin;  /* without records: where they would begin */
	uint64_t record_nbytes; /* 0: there is no record section */
	uint64_t nrecords;      /* UINT64_MAX: as many as there are bytes for */
	struct layout_extents fixed; /* ascending, record section left out */
	struct layout_extents slots; /* of record 0, ascending */
	uint64_t data_end;   /* where the data end that the header speaks of */
	uint32_t nmisplaced; /* variables with bytes but no extent */
	uint32_t first_misplaced;
};

/*
 * Lays out a file with this header (at most UINT32_MAX - 1 variables,
 * NC3Z_ELIMIT otherwise).  Variables that begin inside the header, overlap
 * another one or do not fit are left to extents of no variable.
 *
 * Returns NC3Z_OK, NC3Z_ELIMIT, NC3Z_ENOMEM.
 */
int layout_of_header(const struct classic_header *header,
		     struct layout *layout_ret, struct nc3z_error *err);

/*
 * The distance of records, by the shapes in a header: the padded sizes of all
 * record variables, but a record variable that is alone is not padded; 0 if
 * there is nothing in a record.  False if it passes CLASSIC_OFFSET_END.
 */
bool layout_record_nbytes(const struct classic_header *header,
			  uint64_t *nbytes_ret);

/* Whether the extents chunk all offsets.  True for every layout made here. */
bool layout_is_gapless(const struct layout *layout);

/* One past the last byte of the record section. */
uint64_t layout_record_end(const struct layout *layout);

void layout_release(struct layout *layout);

#endif
