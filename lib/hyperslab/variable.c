/* SPDX-License-Identifier: MIT */
/*
 * Places come from the header; one pass over the members then says which
 * variables have a stream.  Both say the same in what is packed here, but an
 * archive is not to be believed: where they differ, the member is left alone
 * and the variable is read by its offsets, which is slower and always right.
 */
#include "hyperslab/variable.h"

#include "base/sizes.h"

/* The place of a variable that the header speaks of. */
static struct hyperslab_variable place(const struct classic_header *header,
				       const struct classic_var *var)
{
	struct hyperslab_variable v = {
		.stream = PLAN_NO_STREAM,
		.begin = var->begin,
		.nrecords = 1,
	};
	uint64_t nelems;

	/* A length that passes all offsets ends with the original. */
	if (!classic_var_nelems(header, var, &nelems))
		nelems = UINT64_MAX;
	v.nbytes = size_mul_max(nelems, classic_type_nbytes(var->type),
				UINT64_MAX);
	return v;
}

static void place_records(const struct classic_header *header,
			  struct hyperslab_variable *variables)
{
	uint64_t record_nbytes;

	/* Then the second record is beyond the end of any original. */
	if (!layout_record_nbytes(header, &record_nbytes))
		record_nbytes = PLAN_OFFSET_END;
	for (size_t i = 0; i < header->nvars; i++) {
		if (!classic_var_is_record(header, &header->vars[i]))
			continue;
		variables[i].record_nbytes = record_nbytes;
		variables[i].nrecords =
			header->is_indeterminate ? UINT64_MAX : header->numrecs;
	}
}

/* Whether the joined records of a member begin with a variable's bytes. */
static bool is_of_variable(const struct plan *plan, const struct plan_stream *s,
			   const struct plan_member *m,
			   const struct hyperslab_variable *v)
{
	if (m->begin != v->begin || v->nbytes == 0)
		return false;
	if (!s->is_record)
		return v->record_nbytes == 0 && m->nbytes >= v->nbytes;
	return m->nbytes == v->nbytes &&
	       plan->record_nbytes == v->record_nbytes &&
	       plan->nrecords == v->nrecords;
}

static void find_members(const struct plan *plan, uint32_t stream,
			 size_t nvariables,
			 struct hyperslab_variable *variables)
{
	const struct plan_stream *s = &plan->streams[stream];

	for (uint32_t i = 0; i < s->nmembers; i++) {
		const struct plan_member *m = &s->members[i];

		if (m->variable >= nvariables ||
		    !is_of_variable(plan, s, m, &variables[m->variable]))
			continue;
		variables[m->variable].stream = stream;
		variables[m->variable].member = i;
	}
}

int hyperslab_variables_make(const struct plan *plan,
			     const struct classic_header *header,
			     struct hyperslab_variable **variables_ret,
			     struct nc3z_error *err)
{
	struct hyperslab_variable *variables =
		memory_alloc(header->nvars, sizeof(*variables));

	if (!variables)
		return error_set_memory(err);
	for (size_t i = 0; i < header->nvars; i++)
		variables[i] = place(header, &header->vars[i]);
	place_records(header, variables);
	for (uint32_t i = 0; i < plan->nstreams; i++)
		find_members(plan, i, header->nvars, variables);
	*variables_ret = variables;
	return NC3Z_OK;
}

/* Of a variable that is no member; 'nbytes' are left of all its records. */
static struct plan_run run_by_offset(const struct plan_map *map,
				     const struct hyperslab_variable *v,
				     uint64_t offset, uint64_t nbytes)
{
	struct plan_run run = { .stream = PLAN_NO_STREAM };
	uint64_t skip = offset % v->nbytes, at;

	/* Records that touch each other are one. */
	if (v->record_nbytes != v->nbytes)
		nbytes = size_min(nbytes, v->nbytes - skip);
	if (!size_mul(offset / v->nbytes, v->record_nbytes, &at) ||
	    !size_add(at, v->begin, &at) || !size_add(at, skip, &at) ||
	    at >= map->original_nbytes)
		return run;
	run = plan_run_at(map, at);
	run.nbytes = size_min(run.nbytes, nbytes);
	return run;
}

struct plan_run
hyperslab_variable_run(const struct plan_map *map,
		       const struct hyperslab_variable *variable,
		       uint64_t offset)
{
	const struct hyperslab_variable *v = variable;
	uint64_t nbytes = size_mul_max(v->nbytes, v->nrecords, UINT64_MAX);
	struct plan_run run = { .stream = PLAN_NO_STREAM };

	if (offset >= nbytes)
		return run;
	if (v->stream == PLAN_NO_STREAM)
		return run_by_offset(map, v, offset, nbytes - offset);
	run = plan_member_run(map, v->stream, v->member, offset);
	run.nbytes = size_min(run.nbytes, nbytes - offset);
	return run;
}
