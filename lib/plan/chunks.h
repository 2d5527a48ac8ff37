/* SPDX-License-Identifier: MIT */
/*
 * Chunk lengths: chosen for a kind of access, or given by the user in nccopy's
 * syntax.  A function of header and options alone, in integers: the same
 * everywhere.
 */
#ifndef NC3Z_PLAN_CHUNKS_H
#define NC3Z_PLAN_CHUNKS_H

#include "classic/header.h"
#include "plan/grid.h"

/* Variables with fewer bytes are not worth chunks, unless the user asks. */
#define PLAN_CHUNKS_SMALL_NBYTES (UINT32_C(64) << 10)

enum plan_chunks_mode {
	PLAN_CHUNKS_LINEAR, /* no chunks */
	/* Balanced for variables of several chunks; others stay linear. */
	PLAN_CHUNKS_AUTO,
	/* One index of the first dimension and as much as can be of others. */
	PLAN_CHUNKS_RECORD,
	/* As much as can be of the first dimension, few of the others. */
	PLAN_CHUNKS_SERIES,
	/* All at one first index are as many chunks as a series at a point. */
	PLAN_CHUNKS_BALANCED,
};

/* plan/chunks.c */

struct plan_chunks_limits {
	uint64_t target_nbytes; /* of a chunk, about; at least 1 */
	/*
	 * What packing in one pass may hold: as many indices of the first
	 * dimension as this has records (or, of a fixed variable, bands).
	 */
	uint64_t band_nbytes;
};

struct plan_chunks_shape {
	const uint64_t
		*lengths; /* the first one 0: records of unknown number */
	uint32_t rank;
	uint32_t width;       /* bytes of an element */
	uint64_t step_nbytes; /* of the original to the next first index */
	struct plan_chunks_limits limits;
};

/*
 * Chunk lengths for a shape.  They are those that divide the dimensions, where
 * such are near, and otherwise have small factors, so that the common multiples
 * of two layouts stay small.  False if the variable had better stay linear:
 * fewer than two dimensions, few bytes, nothing to cut.
 */
bool plan_chunks_choose(const struct plan_chunks_shape *shape,
			enum plan_chunks_mode mode,
			uint32_t chunks_ret[PLAN_RANK_MAX]);

/* plan/chunks_spec.c */

/*
 * The user's specification, from any number of arguments.  Zero-initialised it
 * is empty: all linear.
 */
struct plan_chunks_spec {
	enum plan_chunks_mode mode; /* of variables that have no rule */
	struct plan_chunks_rule {
		char *name;
		bool is_variable;           /* otherwise of a dimension */
		enum plan_chunks_mode mode; /* of a variable without lengths */
		uint32_t *lengths; /* of a dimension one; 0: its length */
		uint32_t nlengths;
	} * rules;
	size_t nrules;
	size_t capacity;
};

/*
 * Adds what an argument says:
 *
 *	auto | record | series | balanced
 *	DIMENSION/LENGTH,...     LENGTH may be missing: the whole dimension
 *	VARIABLE:LENGTH,...      a length for each of its dimensions
 *	VARIABLE:MODE            one of the words above
 *	VARIABLE:                no chunks (also VARIABLE:contiguous)
 *	/ | linear               no chunks
 *
 * In names, a backslash quotes the next character.  A setting for a variable
 * overrides one for its dimensions, which overrides a mode.
 *
 * Returns NC3Z_OK; NC3Z_EINVAL with what is wrong and where; NC3Z_ENOMEM.
 */
int plan_chunks_parse(struct plan_chunks_spec *spec, const char *text,
		      struct nc3z_error *err);

void plan_chunks_release(struct plan_chunks_spec *spec);

/*
 * Whether all names are those of a header, and lengths suit the variables and
 * dimensions.  A dimension may be shorter than the length given for it.
 *
 * Returns NC3Z_OK; NC3Z_EINVAL with what is wrong.
 */
int plan_chunks_check(const struct plan_chunks_spec *spec,
		      const struct classic_header *header,
		      struct nc3z_error *err);

/* For the variables of a file. */
struct plan_chunks_job {
	const struct plan_chunks_spec *spec; /* checked against the header */
	const struct classic_header *header;
	uint64_t record_nbytes; /* from record to record */
	struct plan_chunks_limits limits;
};

/*
 * The chunk lengths of a variable.  '*is_chunked_ret' is false if it is to be
 * linear.
 *
 * Returns NC3Z_OK; NC3Z_EINVAL if chunks would be too large, or the variable
 * has too many dimensions.
 */
int plan_chunks_of(const struct plan_chunks_job *job, uint32_t variable,
		   uint32_t chunks_ret[PLAN_RANK_MAX], bool *is_chunked_ret,
		   struct nc3z_error *err);

#endif
