/* SPDX-License-Identifier: MIT */
#include "exact/cover.h"

#include <stdlib.h>

#include "base/sizes.h"

static int compare(const void *first, const void *second)
{
	const struct cover_piece *a = first, *b = second;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static bool is_record(const struct exact_variable *v)
{
	return (v->flags & EXACT_RECORDS) != 0;
}

static int collect(struct cover_pieces *pieces,
		   const struct exact_description *d, bool of_records,
		   struct nc3z_error *err)
{
	pieces->list = memory_alloc(d->nvariables, sizeof(*pieces->list));
	if (!pieces->list)
		return error_set_memory(err);
	for (size_t i = 0; i < d->nvariables; i++) {
		const struct exact_variable *v = &d->variables[i];
		struct cover_piece *p = &pieces->list[pieces->count];

		if (is_record(v) != of_records ||
		    (of_records && d->numrecs == 0))
			continue;
		p->begin = v->begin;
		p->variable = (uint32_t)i;
		if (!size_add(v->begin, v->nbytes, &p->end))
			return error_set(err, NC3Z_EDAMAGED,
					 "description is wrong: a variable "
					 "lies outside");
		pieces->count++;
	}
	qsort(pieces->list, pieces->count, sizeof(*pieces->list), compare);
	return NC3Z_OK;
}

/* Sums up; false if they overlap. */
static bool sum_up(struct cover_pieces *pieces)
{
	uint64_t covered = 0, end = 0;

	for (size_t i = 0; i < pieces->count; i++) {
		struct cover_piece *p = &pieces->list[i];

		if (p->begin < end)
			return false;
		p->covered = covered;
		covered += p->end - p->begin;
		end = p->end;
	}
	return true;
}

/* False if records are longer than from one to the next, or pass all bounds. */
static bool place_records(struct cover *c)
{
	const struct exact_description *d = c->description;
	const struct cover_pieces *s = &c->slots;
	const struct cover_piece *last;
	uint64_t before;

	if (s->count == 0)
		return true;
	last = &s->list[s->count - 1];
	c->slots_nbytes = last->covered + (last->end - last->begin);
	return last->end - s->list[0].begin <= d->record_nbytes &&
	       size_mul(d->numrecs - 1, d->record_nbytes, &before) &&
	       size_add(before, last->end, &c->record_end) &&
	       c->record_end <= (uint64_t)INT64_MAX;
}

static bool is_clear_of_records(const struct cover *c)
{
	for (size_t i = 0; c->slots.count > 0 && i < c->fixed.count; i++)
		if (c->fixed.list[i].begin < c->record_end &&
		    c->fixed.list[i].end > c->slots.list[0].begin)
			return false;
	return true;
}

int cover_init(struct cover *cover, const struct exact_description *description,
	       uint64_t original_nbytes, struct nc3z_error *err)
{
	*cover = (struct cover){ .description = description,
				 .original_nbytes = original_nbytes };
	NC3Z_TRY(collect(&cover->fixed, description, false, err));
	NC3Z_TRY(collect(&cover->slots, description, true, err));
	if (sum_up(&cover->fixed) && sum_up(&cover->slots) &&
	    place_records(cover) && is_clear_of_records(cover))
		return NC3Z_OK;
	return error_set(err, NC3Z_EDAMAGED,
			 "description is wrong: variables overlap");
}

/* The number of pieces that begin at an offset or before it. */
static size_t count_begun(const struct cover_pieces *pieces, uint64_t offset)
{
	size_t low = 0, high = pieces->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pieces->list[middle].begin <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where an offset is among pieces that lie once. */
struct spot {
	const struct cover_piece *in; /* NULL: between them */
	uint64_t covered;             /* by pieces before the offset */
	uint64_t end;                 /* of the piece, or of what is between */
};

static struct spot find(const struct cover_pieces *pieces, uint64_t offset)
{
	size_t n = count_begun(pieces, offset);
	struct spot s = { .end = n < pieces->count ? pieces->list[n].begin :
						     UINT64_MAX };

	if (n > 0) {
		const struct cover_piece *p = &pieces->list[n - 1];

		s.covered = p->covered + size_min(offset, p->end) - p->begin;
		if (offset < p->end) {
			s.in = p;
			s.end = p->end;
		}
	}
	return s;
}

/* The same within the record that has the offset. */
static struct spot find_in_record(const struct cover *c, uint64_t offset,
				  uint64_t *record_ret)
{
	uint64_t begin = c->slots.list[0].begin;
	uint64_t step = c->description->record_nbytes;
	uint64_t record = (offset - begin) / step;
	struct spot s = find(&c->slots, offset - record * step);

	s.covered += record * c->slots_nbytes;
	s.end = size_min(s.end, begin + step) + record * step;
	*record_ret = record;
	return s;
}

static struct cover_run run_of(const struct cover *c, uint64_t offset,
			       const struct spot *s, uint64_t covered)
{
	struct cover_run run = {
		.is_rest = !s->in,
		.at = offset - covered,
		.nbytes = size_min(s->end, c->original_nbytes) - offset,
	};

	if (s->in) {
		run.variable = s->in->variable;
		run.at = offset - s->in->begin;
	}
	return run;
}

struct cover_run cover_at(const struct cover *cover, uint64_t offset)
{
	const struct cover_pieces *slots = &cover->slots;
	struct spot fixed = find(&cover->fixed, offset), s;
	struct cover_run run;
	uint64_t record;

	if (slots->count > 0 && offset >= slots->list[0].begin &&
	    offset < cover->record_end) {
		s = find_in_record(cover, offset, &record);
		run = run_of(cover, offset, &s, s.covered + fixed.covered);
		if (s.in)
			run.at = record * (s.in->end - s.in->begin) + offset -
				 record * cover->description->record_nbytes -
				 s.in->begin;
		return run;
	}
	if (slots->count > 0 && offset < slots->list[0].begin)
		fixed.end = size_min(fixed.end, slots->list[0].begin);
	else if (slots->count > 0)
		fixed.covered +=
			cover->description->numrecs * cover->slots_nbytes;
	return run_of(cover, offset, &fixed, fixed.covered);
}

/* As much as the original has of pieces. */
uint64_t cover_rest_nbytes(const struct cover *cover)
{
	uint64_t end = cover->original_nbytes, record;
	uint64_t covered = find(&cover->fixed, end).covered;

	if (cover->slots.count > 0 && end > cover->slots.list[0].begin)
		covered += end < cover->record_end ?
				   find_in_record(cover, end, &record).covered :
				   cover->description->numrecs *
					   cover->slots_nbytes;
	return end - covered;
}

uint64_t cover_offset(const struct cover *cover, uint32_t variable, uint64_t at)
{
	const struct exact_variable *v =
		&cover->description->variables[variable];

	if (!is_record(v))
		return v->begin + at;
	return v->begin + at / v->nbytes * cover->description->record_nbytes +
	       at % v->nbytes;
}

void cover_release(struct cover *cover)
{
	free(cover->fixed.list);
	free(cover->slots.list);
}
