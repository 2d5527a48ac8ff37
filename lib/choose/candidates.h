/* The chains of filters that may suit a block. */
#ifndef NC3Z_CHOOSE_CANDIDATES_H
#define NC3Z_CHOOSE_CANDIDATES_H

#include "choose/choose.h"

#define CANDIDATES_MAX CHOOSE_RECIPES_MAX

struct candidates {
	unsigned count;
	struct filter_chain chains[CANDIDATES_MAX];
};

/* Those of a level for a block of 'nelems' elements, simple ones first. */
void candidates_list(const struct choose_hint *hint, int level, size_t nelems,
		     struct candidates *ret);

#endif
