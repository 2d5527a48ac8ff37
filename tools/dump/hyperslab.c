/* SPDX-License-Identifier: MIT */
/*
 * Slabs on the command line, as in Python: an index, or start:stop:stride with
 * each of the three left out at will, negative ones counted from the end, stop
 * not included.  Unlike there, nothing is cut to fit: an index out of bounds is
 * a mistake.  Dimensions come in their order, missing ones at the end are
 * whole; or a dimension is named, as in "lat=10:20".
 */
#include "dump/hyperslab.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slab_parser {
	const struct nc3z_file *file;
	const struct nc3z_var *var;
	const char *at;
	char *why;
	size_t why_nbytes;
};

/* An index, as written. */
struct index {
	bool is_given;
	long long value;
};

bool dump_hyperslab_init(struct dump_hyperslab *slab,
			 const struct nc3z_var *var)
{
	size_t n = var->ndims > 0 ? (size_t)var->ndims : 1;

	*slab = (struct dump_hyperslab){
		.ndims = var->ndims,
		.start = calloc(n, sizeof(*slab->start)),
		.count = calloc(n, sizeof(*slab->count)),
		.stride = calloc(n, sizeof(*slab->stride)),
	};
	if (!slab->start || !slab->count || !slab->stride) {
		dump_hyperslab_release(slab);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t length = var->ndims > 0 ? var->shape[i] : 1;

		if ((size_t)length != length) {
			dump_hyperslab_release(slab);
			errno = EOVERFLOW;
			return false;
		}
		slab->count[i] = (size_t)length;
		slab->stride[i] = 1;
	}
	return true;
}

void dump_hyperslab_release(struct dump_hyperslab *slab)
{
	free(slab->start);
	free(slab->count);
	free(slab->stride);
	*slab = (struct dump_hyperslab){ 0 };
}

bool dump_hyperslab_is_empty(const struct dump_hyperslab *slab)
{
	for (int i = 0; i < slab->ndims; i++)
		if (slab->count[i] == 0)
			return true;
	return false;
}

static bool complain(const struct slab_parser *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool complain(const struct slab_parser *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->why, r->why_nbytes, format, args);
	va_end(args);
	return false;
}

static const char *dim_name(const struct slab_parser *r, int i)
{
	struct nc3z_dim dim;

	if (nc3z_inq_dim(r->file, r->var->dimids[i], &dim, NULL) != NC3Z_OK)
		return "";
	return dim.name;
}

static void skip_blanks(struct slab_parser *r)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
}

static bool read_index(struct slab_parser *r, int i, struct index *index_ret)
{
	char *end;

	skip_blanks(r);
	*index_ret = (struct index){ 0 };
	if (*r->at == '\0' || *r->at == ',' || *r->at == ':')
		return true;
	errno = 0;
	index_ret->value = strtoll(r->at, &end, 10);
	if (end == r->at || errno != 0)
		return complain(r, "dimension %d (%s): no index at \"%.20s\"",
				i + 1, dim_name(r, i), r->at);
	index_ret->is_given = true;
	r->at = end;
	skip_blanks(r);
	return true;
}

/* An index from 0 to 'max'; negative ones count from the end. */
static bool resolve(const struct slab_parser *r, int i,
		    const struct index *index, size_t max, const char *what,
		    size_t *value_ret)
{
	size_t length = (size_t)r->var->shape[i];
	uint64_t magnitude = index->value < 0 ? 0 - (uint64_t)index->value :
						(uint64_t)index->value;

	if (index->value < 0 ? magnitude > length : magnitude > max)
		return complain(r,
				"dimension %d (%s): %s %lld is beyond its "
				"length %zu",
				i + 1, dim_name(r, i), what, index->value,
				length);
	*value_ret = index->value < 0 ? length - (size_t)magnitude :
					(size_t)magnitude;
	return true;
}

static size_t count_of(size_t start, size_t stop, size_t stride)
{
	return stop > start ? (stop - start - 1) / stride + 1 : 0;
}

static bool read_range(struct slab_parser *r, int i, const struct index *first,
		       struct dump_hyperslab *slab)
{
	size_t length = (size_t)r->var->shape[i], start = 0, stop = length;
	struct index last, stride = { 0 };

	r->at++;
	if (!read_index(r, i, &last))
		return false;
	if (*r->at == ':') {
		r->at++;
		if (!read_index(r, i, &stride))
			return false;
	}
	if (stride.is_given && (stride.value < 1 || stride.value > PTRDIFF_MAX))
		return complain(r,
				"dimension %d (%s): stride %lld is less than 1",
				i + 1, dim_name(r, i), stride.value);
	if (first->is_given && !resolve(r, i, first, length, "start", &start))
		return false;
	if (last.is_given && !resolve(r, i, &last, length, "stop", &stop))
		return false;
	if (start >= stop && length > 0)
		return complain(r, "dimension %d (%s): %zu:%zu selects nothing",
				i + 1, dim_name(r, i), start, stop);
	slab->start[i] = start;
	/* A stride past the end has no effect, and netCDF may refuse it. */
	slab->stride[i] = stride.is_given && (size_t)stride.value < length ?
				  (ptrdiff_t)stride.value :
				  1;
	slab->count[i] = count_of(start, stop,
				  stride.is_given ? (size_t)stride.value : 1);
	return true;
}

static bool read_dim(struct slab_parser *r, int i, struct dump_hyperslab *slab)
{
	size_t length = (size_t)r->var->shape[i];
	struct index first;

	if (!read_index(r, i, &first))
		return false;
	if (*r->at == ':')
		return read_range(r, i, &first, slab);
	if (!first.is_given)
		return complain(r, "dimension %d (%s): no index", i + 1,
				dim_name(r, i));
	if (length == 0)
		return complain(r, "dimension %d (%s): its length is 0", i + 1,
				dim_name(r, i));
	slab->count[i] = 1;
	slab->stride[i] = 1;
	return resolve(r, i, &first, length - 1, "index", &slab->start[i]);
}

static bool complain_of_second(const struct slab_parser *r, int i)
{
	return complain(r, "dimension %d (%s) is given twice", i + 1,
			dim_name(r, i));
}

/*
 * "NAME=" before an index: which dimension that is; -1 for none.  A variable
 * may have a dimension several times: then the first that is not given yet.
 */
static bool read_name(struct slab_parser *r, const struct dump_hyperslab *slab,
		      int *i_ret)
{
	const char *equals = r->at + strcspn(r->at, "=,");
	size_t nbytes = (size_t)(equals - r->at);
	int given = -1;

	*i_ret = -1;
	if (*equals != '=')
		return true;
	while (nbytes > 0 && r->at[nbytes - 1] == ' ')
		nbytes--;
	for (int i = 0; i < r->var->ndims; i++) {
		const char *name = dim_name(r, i);

		if (strlen(name) != nbytes || memcmp(name, r->at, nbytes) != 0)
			continue;
		given = i;
		if (slab->stride[i] == 0) {
			*i_ret = i;
			r->at = equals + 1;
			return true;
		}
	}
	if (given >= 0)
		return complain_of_second(r, given);
	return complain(r, "it has no dimension %.*s", (int)nbytes, r->at);
}

/* All that is given, up to the end of the text. */
static bool read_dims(struct slab_parser *r, struct dump_hyperslab *slab)
{
	int next = 0, i;

	for (;; r->at++) {
		skip_blanks(r);
		if (!read_name(r, slab, &i))
			return false;
		if (i < 0)
			i = next++;
		if (i >= slab->ndims)
			return complain(r, "it has %d dimension%s, not more",
					slab->ndims,
					slab->ndims == 1 ? "" : "s");
		if (slab->stride[i] != 0)
			return complain_of_second(r, i);
		if (!read_dim(r, i, slab))
			return false;
		if (*r->at == '\0')
			return true;
		if (*r->at != ',')
			return complain(r,
					"dimension %d (%s): \"%.20s\" does not "
					"belong here",
					i + 1, dim_name(r, i), r->at);
	}
}

bool dump_hyperslab_parse(struct dump_hyperslab *slab,
			  const struct nc3z_file *file,
			  const struct nc3z_var *var, const char *text,
			  char *why, size_t why_nbytes)
{
	struct slab_parser r = { file, var, text, why, why_nbytes };

	/* 0 stands for a dimension that is not given yet. */
	for (int i = 0; i < slab->ndims; i++)
		slab->stride[i] = 0;
	if (!read_dims(&r, slab))
		return false;
	for (int i = 0; i < slab->ndims; i++)
		if (slab->stride[i] == 0)
			slab->stride[i] = 1;
	return true;
}
