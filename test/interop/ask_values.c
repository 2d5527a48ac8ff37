/* SPDX-License-Identifier: MIT */
/*
 * Each variable is asked whole, if that is not too large, and in slabs that are
 * made from its shape alone.  Slabs are kept small.  Memory is compared where the
 * call succeeds: libnetcdf finds some mistakes only on the way.
 */
#include "ask.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define NELEMS_MAX 400000
#define COUNT_MAX 7
#define RANK_MAX 64

struct slab {
	size_t start[RANK_MAX];
	size_t count[RANK_MAX];
	ptrdiff_t stride[RANK_MAX];
	ptrdiff_t imap[RANK_MAX];
	size_t nelems;
};

struct variable {
	int ncid;
	int varid;
	int rank;
	size_t shape[RANK_MAX];
	size_t nelems; /* NELEMS_MAX + 1 if more */
};

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* In the middle of every dimension. */
static void make_slab(const struct variable *v, size_t step, struct slab *s)
{
	s->nelems = 1;
	for (int i = v->rank - 1; i >= 0; i--) {
		size_t length = v->shape[i];
		/* Of many dimensions only the last ones go on. */
		size_t most = i + 4 < v->rank ? 1 : COUNT_MAX;

		s->start[i] = length / 3;
		s->stride[i] = (ptrdiff_t)step;
		s->count[i] =
			smaller((length - s->start[i] + step - 1) / step, most);
		s->nelems *= s->count[i];
	}
}

/* Where the first dimension is the fastest in memory. */
static void transpose(const struct variable *v, struct slab *s)
{
	ptrdiff_t step = 1;

	for (int i = 0; i < v->rank; i++) {
		s->imap[i] = step;
		step *= (ptrdiff_t)s->count[i];
	}
}

static void report(const char *call, const struct getter *g, int status,
		   void *values, size_t nbytes)
{
	bool is_read = status == NC_NOERR || status == NC_ERANGE;

	printf(" %s_%s %d %llx", call, g->name, status,
	       is_read ? digest(values, nbytes) : 0);
	free(values);
}

static void ask_var(const struct variable *v, const struct getter *g)
{
	size_t nbytes = g->nbytes * (v->nelems + 1);
	void *values;

	if (v->nelems > NELEMS_MAX)
		return;
	values = fresh(nbytes);
	report("var", g, g->get_var(v->ncid, v->varid, values), values, nbytes);
}

static void ask_slab(const struct variable *v, const struct getter *g,
		     const struct slab *s)
{
	size_t nbytes = g->nbytes * (s->nelems + 1);
	void *to = fresh(nbytes);
	int id = v->ncid, var = v->varid;

	report("var1", g, g->get_var1(id, var, s->start, to), to, nbytes);
	to = fresh(nbytes);
	report("vara", g, g->get_vara(id, var, s->start, s->count, to), to,
	       nbytes);
	to = fresh(nbytes);
	report("vars", g,
	       g->get_vars(id, var, s->start, s->count, s->stride, to), to,
	       nbytes);
	to = fresh(nbytes);
	report("varm", g,
	       g->get_varm(id, var, s->start, s->count, s->stride, s->imap, to),
	       to, nbytes);
	to = fresh(nbytes);
	report("varm_unmapped", g,
	       g->get_varm(id, var, s->start, s->count, s->stride, NULL, to),
	       to, nbytes);
	to = fresh(nbytes);
	report("vars_unstrided", g,
	       g->get_vars(id, var, s->start, s->count, NULL, to), to, nbytes);
	to = fresh(nbytes);
	report("vara_startless", g, g->get_vara(id, var, NULL, s->count, to),
	       to, nbytes);
	putchar('\n');
}

/* No count: all of the variable, from the start on or not at all. */
static void ask_countless(const struct variable *v, const struct getter *g)
{
	size_t nbytes = g->nbytes * (v->nelems + 1);
	struct slab s;
	void *to;

	if (v->nelems > NELEMS_MAX)
		return;
	make_slab(v, 1, &s);
	to = fresh(nbytes);
	report("vara_countless", g,
	       g->get_vara(v->ncid, v->varid, s.start, NULL, to), to, nbytes);
	for (int i = 0; i < v->rank; i++)
		s.start[i] = 0;
	to = fresh(nbytes);
	report("vara_all", g, g->get_vara(v->ncid, v->varid, s.start, NULL, to),
	       to, nbytes);
	putchar('\n');
}

static void ask_good_slabs(const struct variable *v, const struct getter *g)
{
	struct slab s;

	for (size_t step = 1; step <= 3; step++) {
		make_slab(v, step, &s);
		transpose(v, &s);
		ask_slab(v, g, &s);
	}
	/* All to one place, and backwards. */
	for (int i = 0; i < v->rank; i++)
		s.imap[i] = 0;
	ask_slab(v, g, &s);
	make_slab(v, 2, &s);
	if (v->rank > 0)
		s.count[v->rank - 1] = 0;
	ask_slab(v, g, &s);
}

/* One argument spoiled, in one dimension. */
static void spoil(const struct variable *v, int how, int i, struct slab *s)
{
	make_slab(v, 1, s);
	switch (how) {
	case 0:
		s->start[i] = v->shape[i];
		break;
	case 1:
		s->start[i] = v->shape[i] + 1;
		s->count[i] = 0;
		break;
	case 2:
		s->count[i] = v->shape[i] - s->start[i] + 1;
		break;
	case 3:
		s->stride[i] = 0;
		break;
	case 4:
		s->stride[i] = -1;
		break;
	case 5:
		s->count[i] = smaller(2, v->shape[i] - s->start[i]);
		s->stride[i] = (ptrdiff_t)v->shape[i];
		break;
	case 6:
		s->start[i] = v->shape[i] + 5;
		s->stride[i] = 0;
		break;
	default:
		s->start[i] = v->shape[i];
		s->count[i] = 0;
	}
	transpose(v, s);
}

#define NSPOILS 8

static void ask_bad_slabs(const struct variable *v, const struct getter *g)
{
	struct slab s;

	for (int how = 0; how < NSPOILS; how++) {
		for (int i = 0; i < v->rank && i < 4; i++) {
			/* A call that ignores the bad one gets all counts. */
			spoil(v, how, i, &s);
			s.nelems = 1;
			for (int k = 0; k < v->rank; k++)
				s.nelems *= s.count[k] + 1;
			if (s.nelems <= NELEMS_MAX)
				ask_slab(v, g, &s);
		}
	}
}

static bool describe(int ncid, int varid, struct variable *v)
{
	int dimids[NC_MAX_VAR_DIMS];

	*v = (struct variable){ .ncid = ncid, .varid = varid, .nelems = 1 };
	if (nc_inq_varndims(ncid, varid, &v->rank) != NC_NOERR)
		return true;
	if (v->rank > RANK_MAX ||
	    nc_inq_vardimid(ncid, varid, dimids) != NC_NOERR)
		return false;
	for (int i = 0; i < v->rank; i++) {
		if (nc_inq_dimlen(ncid, dimids[i], &v->shape[i]) != NC_NOERR)
			return false;
		if (v->shape[i] > NELEMS_MAX)
			v->nelems = NELEMS_MAX + 1;
		else
			v->nelems = smaller(v->nelems * v->shape[i],
					    NELEMS_MAX + 1);
	}
	return true;
}

void ask_values(int ncid)
{
	static struct variable v;
	int nvars = 0;

	nc_inq_nvars(ncid, &nvars);
	for (int varid = -1; varid <= nvars; varid++) {
		/* Many variables are much alike. */
		if (varid > 20 && varid < nvars && varid % 16 != 0)
			continue;
		if (!describe(ncid, varid, &v))
			continue;
		printf("variable %d:\n", varid);
		/* Not as strings, the last: it crashes libnetcdf. */
		for (size_t i = 0; i < ngetters - 1; i++) {
			ask_var(&v, &getters[i]);
			ask_good_slabs(&v, &getters[i]);
			ask_countless(&v, &getters[i]);
		}
		ask_bad_slabs(&v, &getters[0]);
		ask_bad_slabs(&v, &getters[4]);
		ask_bad_slabs(&v, &getters[10]);
	}
}
