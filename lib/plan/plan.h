/* SPDX-License-Identifier: MIT */
/*
 * The plan of an archive: which bytes of the original are in which stream, and
 * how streams are cut into blocks.  Arithmetic only, no I/O.
 *
 * The members of all streams cover the original without gaps.  A *fixed*
 * stream is its members' bytes joined.  A *record* stream goes through the
 * record section in panels of 'panel_nrecords' records: within a panel, the
 * records of its first member, then those of the second, and so on.  Fixed
 * streams and panels are *spans*: each span is cut into blocks of
 * 'block_nbytes', the last one short.  Where the original ends early, the
 * bytes that are missing are missing from the streams too.
 *
 * A *chunked* stream is one variable, cut into boxes (plan/grid.h).  A *band*
 * is the chunks side by side that have the same indices of the first dimension;
 * the bands are the stream's spans, and their chunks its blocks.
 *
 * A plan is a function of header and options.  It is written down (section
 * "Plan" of the specification), and a reader infers nothing else.
 */
#ifndef NC3Z_PLAN_PLAN_H
#define NC3Z_PLAN_PLAN_H

#include "base/memory.h"
#include "base/status.h"
#include "classic/layout.h"
#include "plan/grid.h"

#define PLAN_LAYOUT_LINEAR 0
#define PLAN_LAYOUT_CHUNKED 1

/* Offsets of the original lie below this. */
#define PLAN_OFFSET_END CLASSIC_OFFSET_END

#define PLAN_NO_VARIABLE CLASSIC_NO_VARIABLE

/* Limits of the format. */
#define PLAN_HEADER_NBYTES_MAX (UINT32_C(1) << 26)
#define PLAN_NBYTES_MAX (UINT32_C(1) << 26) /* as plan_write() writes it */
#define PLAN_PANEL_NRECORDS_MAX (UINT32_C(1) << 31)

/*
 * No block of a linear stream, and no set of blocks of these that are open at
 * the same time, spans more than about this many bytes of the original:
 * packing, and restoring from a pipe to a pipe, need so much memory and twice
 * that.
 */
#define PLAN_WINDOW_NBYTES (UINT32_C(32) << 20)

struct plan_member {
	uint32_t variable; /* number in the header, or PLAN_NO_VARIABLE */
	uint64_t begin;    /* offset in the original; of record 0 */
	uint64_t nbytes;   /* of one record in a record stream */
	uint64_t before;   /* bytes of earlier members (of one record) */
};

struct plan_stream {
	bool is_record;
	uint8_t width;           /* bytes of an element: 1, 2, 4, 8 */
	struct plan_grid *grid;  /* NULL: linear */
	uint32_t block_nbytes;   /* of a chunk; then derived */
	uint32_t panel_nrecords; /* 0 in a fixed stream; likewise */
	struct plan_member *members;
	uint32_t nmembers;
	uint64_t nbytes; /* of all members (of one record) */
};

/* Which member owns the bytes from 'begin' up to the next owner. */
struct plan_owner {
	uint64_t begin;
	uint32_t stream; /* UINT32_MAX: the record section */
	uint32_t member;
};

struct plan_owners {
	struct plan_owner *list; /* ascending */
	size_t count;
};

struct plan {
	uint64_t header_nbytes; /* length of the classic header */
	uint64_t record_begin;
	uint64_t record_nbytes; /* 0: no record section */
	uint64_t nrecords;      /* UINT64_MAX: up to the end */
	struct plan_stream *streams;
	uint32_t nstreams;
	/* Derived by plan_finish(): */
	struct plan_owners fixed;
	struct plan_owners slots;
};

/*
 * Derives what a plan does not write down and checks it: valid widths and
 * block sizes, chunks that fit their member, members that chunk
 * [0, PLAN_OFFSET_END) and the record.  What violates a rule is NC3Z_EDAMAGED,
 * as it comes from an archive.
 */
int plan_finish(struct plan *plan, struct nc3z_error *err);

/*
 * Before that: adds streams of no variable for what members leave over in the
 * records and outside of them, in their order, where there is anything.
 * 'streams' has room for two more.  NC3Z_ENOMEM.
 */
int plan_fill_gaps(struct plan *plan, struct nc3z_error *err);

void plan_release(struct plan *plan);

/* One past the last byte of the record section. */
uint64_t plan_record_end(const struct plan *plan);

/*
 * Over how many bytes of the original the blocks reach that are open at the
 * same time: those of a window, or of the longest band with what lies between
 * its records.
 */
uint64_t plan_reach_nbytes(const struct plan *plan);

/*
 * The same of bands alone, where the original has no more than so many bytes;
 * 0 if nothing is chunked.
 */
uint64_t plan_chunks_reach_nbytes(const struct plan *plan,
				  uint64_t original_nbytes);

/* plan/code.c: a plan as bytes. */

/* Appends the plan; false if out of memory. */
bool plan_write(const struct plan *plan, struct buffer *out);

/*
 * Reads a plan and finishes it.  Returns NC3Z_OK, NC3Z_EDAMAGED,
 * NC3Z_EUNSUPPORTED (a layout that is not known), NC3Z_ENOMEM.
 */
int plan_read(const uint8_t *data, size_t data_nbytes, struct plan *plan_ret,
	      struct nc3z_error *err);

#endif
