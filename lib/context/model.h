/* SPDX-License-Identifier: MIT */
/*
 * The model of a block that is coded by contexts: what stays the same for all
 * of its elements.  Section "Context coding" of the specification defines it
 * and its bytes.
 */
#ifndef NC3Z_CONTEXT_MODEL_H
#define NC3Z_CONTEXT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"

#define CONTEXT_ROW_MIN 16
#define CONTEXT_PREDICTORS_MAX 16
#define CONTEXT_COEFFICIENT_MAX 4096
#define CONTEXT_WEIGHT_MAX 31
#define CONTEXT_LEVELS_MAX 48
#define CONTEXT_TABLES_MAX 32
#define CONTEXT_SYMBOLS 63
/* What the frequencies of a table add up to. */
#define CONTEXT_SUM_BITS 10
#define CONTEXT_SUM (1u << CONTEXT_SUM_BITS)

/* Of one level of activity: three signs, four fractions. */
#define CONTEXT_SIGNS 3
#define CONTEXT_FRACTIONS 4
#define CONTEXT_LEVEL_CONTEXTS (CONTEXT_SIGNS * CONTEXT_FRACTIONS)
#define CONTEXT_CONTEXTS_MAX (CONTEXT_LEVELS_MAX * CONTEXT_LEVEL_CONTEXTS)

/* Coefficients, in the order of the format; from T on with planes only. */
enum context_neighbour {
	CONTEXT_W,
	CONTEXT_WW,
	CONTEXT_N,
	CONTEXT_NW,
	CONTEXT_NE,
	CONTEXT_NN,
	CONTEXT_NEE,
	CONTEXT_NWW,
	CONTEXT_T,
	CONTEXT_TW,
	CONTEXT_TN,
	CONTEXT_TE,
	CONTEXT_TS,
	CONTEXT_TNW,
	CONTEXT_NEIGHBOURS
};

/* Weights of what was missed, likewise. */
enum context_miss {
	CONTEXT_MISS_W,
	CONTEXT_MISS_WW,
	CONTEXT_MISS_N,
	CONTEXT_MISS_NW,
	CONTEXT_MISS_NE,
	CONTEXT_MISS_NN,
	CONTEXT_MISS_T,
	CONTEXT_MISS_TE,
	CONTEXT_MISS_TS,
	CONTEXT_MISSES
};

/* In units of 1 / 512. */
struct context_predictor {
	int32_t constant;
	int16_t coefficients[CONTEXT_NEIGHBOURS];
};

struct context_model {
	uint64_t base;
	uint32_t row;        /* elements */
	uint32_t plane_rows; /* 0: no planes */
	uint8_t npredictors;
	uint8_t ntables;
	uint8_t nlevels;
	uint8_t weights[CONTEXT_MISSES];
	struct context_predictor predictors[CONTEXT_PREDICTORS_MAX];
	/* The predictor of each tile, of another's memory; NULL: all 0. */
	const uint8_t *tiles;
	/* The table of each context. */
	uint8_t tables[CONTEXT_CONTEXTS_MAX];
	uint16_t frequencies[CONTEXT_TABLES_MAX][CONTEXT_SYMBOLS];
};

/* How a predictor and the weights depend on planes. */
static inline unsigned context_neighbours(bool has_planes)
{
	return has_planes ? CONTEXT_NEIGHBOURS : CONTEXT_T;
}

static inline unsigned context_misses(bool has_planes)
{
	return has_planes ? CONTEXT_MISSES : CONTEXT_MISS_T;
}

/* The tiles of n elements; 'row' is not 0. */
size_t context_count_tiles(size_t n, uint32_t row, uint32_t plane_rows);

/* The most bytes that the model of n elements can have. */
size_t context_model_nbytes_max(size_t n);

/*
 * Reads and checks the model of n elements of 'width' bytes; its tiles stay in
 * 'bytes'.
 *
 * Returns NC3Z_OK, NC3Z_EDAMAGED.
 */
int context_model_read(const uint8_t *bytes, size_t nbytes, size_t n,
		       uint8_t width, struct context_model *model,
		       struct nc3z_error *err);

/*
 * Symbols: the least magnitude that one stands for, the number of raw bits
 * that are added to it, and whether the difference is negative.
 */
struct context_symbol {
	uint16_t magnitude;
	uint8_t nbits;
	bool is_negative;
};

struct context_symbol context_symbol(unsigned number);

#endif
