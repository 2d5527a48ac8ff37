/* SPDX-License-Identifier: MIT */
/*
 * Contexts that come too rarely to be judged are put together with those of
 * the next levels; of the groups that this gives, the two whose union costs
 * least are joined again and again, until joining costs more than the table
 * that it saves, and until there are few enough.
 */
#include "context/tables.h"

#include <stdlib.h>
#include <string.h>

#define GROUPS_MAX 256
/* Tables that are written, so that a reader's fit its cache. */
#define TABLES_WANTED 30
/* About what a table costs: of itself, and for each of its symbols. */
#define TABLE_COST (8 * CONTEXT_BIT)
#define SYMBOL_COST (6 * CONTEXT_BIT)

struct group {
	uint32_t counts[CONTEXT_SYMBOLS];
	int64_t cost; /* of its symbols and its table */
	bool is_joined;
};

struct grouping {
	const struct context_logs *logs;
	unsigned ngroups;
	unsigned nleft;
	struct group groups[GROUPS_MAX];
	uint16_t of[CONTEXT_CONTEXTS_MAX]; /* the group of a context */
	/* What joining two groups gains, of those i < k. */
	int64_t gains[GROUPS_MAX][GROUPS_MAX];
};

static int64_t cost_of(const struct context_logs *logs, const uint32_t *counts)
{
	uint64_t sum = 0, parts = 0, nsymbols = 0;

	for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++) {
		sum += counts[k];
		parts += context_xlog2x(logs, counts[k]);
		nsymbols += counts[k] > 0;
	}
	return (int64_t)(context_xlog2x(logs, (uint32_t)sum) - parts) +
	       TABLE_COST + (int64_t)nsymbols * SYMBOL_COST;
}

static int64_t gain_of(const struct grouping *g, const struct group *a,
		       const struct group *b)
{
	uint32_t counts[CONTEXT_SYMBOLS];

	for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++)
		counts[k] = a->counts[k] + b->counts[k];
	return a->cost + b->cost - cost_of(g->logs, counts);
}

static uint32_t total(const uint32_t *counts)
{
	uint32_t sum = 0;

	for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++)
		sum += counts[k];
	return sum;
}

/* Puts a context to the last group. */
static void add_to_group(struct grouping *g, const uint32_t *counts,
			 unsigned context)
{
	struct group *group = &g->groups[g->ngroups];

	for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++)
		group->counts[k] += counts[k];
	g->of[context] = (uint16_t)g->ngroups;
}

/*
 * Groups of contexts of the same sign and fraction, of 'least' symbols or more
 * each, but for those of the highest levels; false if there are too many.
 */
static bool group_contexts(struct grouping *g,
			   const struct context_counts *counts, uint32_t least)
{
	g->ngroups = 0;
	memset(g->groups, 0, sizeof(g->groups));
	for (unsigned i = 0; i < CONTEXT_LEVEL_CONTEXTS; i++) {
		uint32_t sum = 0;

		for (unsigned l = 0; l < CONTEXT_LEVELS_MAX; l++) {
			unsigned context = l * CONTEXT_LEVEL_CONTEXTS + i;
			const uint32_t *of = counts->of[context];

			add_to_group(g, of, context);
			sum += total(of);
			if (sum < least && l + 1 < CONTEXT_LEVELS_MAX)
				continue;
			sum = 0;
			if (++g->ngroups == GROUPS_MAX)
				return false;
		}
	}
	g->nleft = g->ngroups;
	return true;
}

static void measure_groups(struct grouping *g)
{
	for (unsigned i = 0; i < g->ngroups; i++)
		g->groups[i].cost = cost_of(g->logs, g->groups[i].counts);
	for (unsigned i = 0; i < g->ngroups; i++)
		for (unsigned k = i + 1; k < g->ngroups; k++)
			g->gains[i][k] =
				gain_of(g, &g->groups[i], &g->groups[k]);
}

static void measure_gains(struct grouping *g, unsigned i)
{
	for (unsigned k = 0; k < g->ngroups; k++) {
		int64_t *gain = k < i ? &g->gains[k][i] : &g->gains[i][k];

		if (k != i && !g->groups[k].is_joined)
			*gain = gain_of(g, &g->groups[i], &g->groups[k]);
	}
}

/* The best pair; false if there is none. */
static bool find_pair(const struct grouping *g, unsigned *i_ret,
		      unsigned *k_ret)
{
	int64_t best = INT64_MIN;

	for (unsigned i = 0; i < g->ngroups; i++)
		for (unsigned k = i + 1;
		     !g->groups[i].is_joined && k < g->ngroups; k++) {
			if (g->groups[k].is_joined || g->gains[i][k] <= best)
				continue;
			best = g->gains[i][k];
			*i_ret = i;
			*k_ret = k;
		}
	return best > (g->nleft > TABLES_WANTED ? INT64_MIN : 0);
}

static void join_groups(struct grouping *g)
{
	unsigned i = 0, k = 0;

	while (find_pair(g, &i, &k)) {
		for (unsigned s = 0; s < CONTEXT_SYMBOLS; s++)
			g->groups[i].counts[s] += g->groups[k].counts[s];
		g->groups[k].is_joined = true;
		g->groups[i].cost = cost_of(g->logs, g->groups[i].counts);
		g->nleft--;
		for (unsigned c = 0; c < CONTEXT_CONTEXTS_MAX; c++)
			if (g->of[c] == k)
				g->of[c] = (uint16_t)i;
		measure_gains(g, i);
	}
}

/* The symbol that loses least by a frequency that is less by 1. */
static unsigned cheapest(const struct context_logs *logs,
			 const uint32_t *counts, const uint16_t *frequencies)
{
	uint64_t least = UINT64_MAX;
	unsigned found = 0;

	for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++) {
		uint32_t f = frequencies[k];
		uint64_t loss;

		if (f < 2)
			continue;
		loss = counts[k] * (uint64_t)(context_log2(logs, f) -
					      context_log2(logs, f - 1));
		if (loss < least) {
			least = loss;
			found = k;
		}
	}
	return found;
}

/* Frequencies in proportion to counts, at least 1 where there are any. */
static void set_frequencies(const struct context_logs *logs,
			    const uint32_t *counts, uint16_t *frequencies)
{
	uint64_t all = total(counts);
	unsigned sum = 0, largest = 0;

	for (unsigned k = 0; k < CONTEXT_SYMBOLS; k++) {
		uint64_t f = (counts[k] * (uint64_t)CONTEXT_SUM + all / 2) /
			     (all > 0 ? all : 1);

		frequencies[k] = (uint16_t)(counts[k] > 0 && f == 0 ? 1 : f);
		sum += frequencies[k];
		if (counts[k] > counts[largest])
			largest = k;
	}
	if (sum < CONTEXT_SUM)
		frequencies[largest] += (uint16_t)(CONTEXT_SUM - sum);
	for (; sum > CONTEXT_SUM; sum--)
		frequencies[cheapest(logs, counts, frequencies)]--;
}

/* Levels of which there are elements. */
static uint8_t count_levels(const struct context_counts *counts)
{
	unsigned last = CONTEXT_CONTEXTS_MAX - 1;

	while (last > 0 && total(counts->of[last]) == 0)
		last--;
	return (uint8_t)(last / CONTEXT_LEVEL_CONTEXTS + 1);
}

static void set_tables(const struct grouping *g,
		       const struct context_counts *counts,
		       struct context_model *model)
{
	uint8_t numbers[GROUPS_MAX] = { 0 };

	model->ntables = 0;
	for (unsigned i = 0; i < g->ngroups; i++) {
		const uint32_t *group = g->groups[i].counts;

		if (g->groups[i].is_joined || total(group) == 0)
			continue;
		numbers[i] = model->ntables;
		set_frequencies(g->logs, group,
				model->frequencies[model->ntables++]);
	}
	model->nlevels = count_levels(counts);
	for (unsigned c = 0; c < CONTEXT_CONTEXTS_MAX; c++)
		model->tables[c] = numbers[g->of[c]];
}

bool context_tables_choose(const struct context_logs *logs,
			   const struct context_counts *counts,
			   struct context_model *model)
{
	struct grouping *g = memory_alloc(1, sizeof(*g));
	uint32_t least = 32;

	if (!g)
		return false;
	g->logs = logs;
	while (!group_contexts(g, counts, least))
		least *= 2;
	measure_groups(g);
	join_groups(g);
	set_tables(g, counts, model);
	free(g);
	return true;
}
