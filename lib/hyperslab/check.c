/* SPDX-License-Identifier: MIT */
/*
 * Which of several faults libnetcdf 4.9.0 reports depends on the call:
 *
 *   var1, vara   a start beyond its dimension, in any dimension; then
 *                dimension by dimension a start at the end, a count too large
 *                (that of the records last of all);
 *   vars         dimension by dimension start, count, stride;
 *   varm         all strides; then as vars, from the last dimension to the
 *                first; with strides of 1 and without imap as vara.
 *
 * Counts are checked against what is left of a dimension as if strides were 1,
 * also for one element; a stride that leads outside is then a bad start.  Where
 * libnetcdf adds start and count without regard to overflow, the sum is too
 * large here.
 */
#include "hyperslab/hyperslab.h"

static uint64_t count_of(const struct hyperslab_request *request, size_t i)
{
	if (request->form == HYPERSLAB_VAR1)
		return 1;
	return request->count ? request->count[i] : request->shape[i];
}

static ptrdiff_t stride_of(const struct hyperslab_request *request, size_t i)
{
	return request->stride ? request->stride[i] : 1;
}

static enum hyperslab_fault check_start(const struct hyperslab_request *request,
					size_t i)
{
	return request->start[i] > request->shape[i] ? HYPERSLAB_BAD_START :
						       HYPERSLAB_OK;
}

/* Of a start that is not beyond its dimension. */
static enum hyperslab_fault check_count(const struct hyperslab_request *request,
					size_t i)
{
	uint64_t left = request->shape[i] - request->start[i];
	uint64_t count = count_of(request, i);

	if (count <= left)
		return HYPERSLAB_OK;
	return left == 0 ? HYPERSLAB_BAD_START : HYPERSLAB_BAD_EDGE;
}

static enum hyperslab_fault
check_stride(const struct hyperslab_request *request, size_t i)
{
	ptrdiff_t stride = stride_of(request, i);

	return stride < 1 || stride >= HYPERSLAB_STRIDE_END ?
		       HYPERSLAB_BAD_STRIDE :
		       HYPERSLAB_OK;
}

/* What is wrong first, and in which dimension. */
struct finding {
	enum hyperslab_fault fault;
	size_t dimension;
};

static void find_fault(struct finding *found, enum hyperslab_fault fault,
		       size_t i)
{
	if (!found->fault)
		*found = (struct finding){ fault, i };
}

/* Whether the last element lies outside; if there are any, of valid counts. */
static void find_last(struct finding *found,
		      const struct hyperslab_request *request)
{
	struct finding outside = { 0 };

	for (size_t i = 0; i < request->rank; i++) {
		uint64_t count = count_of(request, i), most;

		if (count == 0)
			return;
		most = request->shape[i] - request->start[i] - 1;
		if (count - 1 > most / (uint64_t)stride_of(request, i))
			find_fault(&outside, HYPERSLAB_BAD_START, i);
	}
	find_fault(found, outside.fault, outside.dimension);
}

static void find_vara(struct finding *found,
		      const struct hyperslab_request *request)
{
	enum hyperslab_fault of_records = HYPERSLAB_OK, fault;

	for (size_t i = 0; i < request->rank; i++)
		find_fault(found, check_start(request, i), i);
	for (size_t i = 0; i < request->rank && !found->fault; i++) {
		fault = check_count(request, i);
		if (i == 0 && request->is_record && fault == HYPERSLAB_BAD_EDGE)
			of_records = fault;
		else
			find_fault(found, fault, i);
	}
	find_fault(found, of_records, 0);
}

static void find_vars(struct finding *found,
		      const struct hyperslab_request *request)
{
	for (size_t i = 0; i < request->rank && !found->fault; i++) {
		find_fault(found, check_start(request, i), i);
		if (!found->fault)
			find_fault(found, check_count(request, i), i);
		find_fault(found, check_stride(request, i), i);
	}
	if (!found->fault)
		find_last(found, request);
}

static void find_varm(struct finding *found,
		      const struct hyperslab_request *request)
{
	bool is_vara = !request->imap;

	for (size_t i = 0; i < request->rank; i++) {
		find_fault(found, check_stride(request, i), i);
		is_vara = is_vara && stride_of(request, i) == 1;
	}
	if (is_vara)
		find_vara(found, request);
	for (size_t i = request->rank; i-- > 0 && !found->fault && !is_vara;) {
		find_fault(found, check_start(request, i), i);
		if (!found->fault)
			find_fault(found, check_count(request, i), i);
	}
	if (!found->fault && !is_vara)
		find_last(found, request);
}

enum hyperslab_fault hyperslab_check(const struct hyperslab_request *request,
				     size_t *dimension_ret)
{
	struct finding found = { HYPERSLAB_OK, request->rank };

	if (request->rank == 0 || request->form == HYPERSLAB_VAR)
		return HYPERSLAB_OK;
	if (!request->start)
		found.fault = HYPERSLAB_BAD_START;
	else if (request->form == HYPERSLAB_VARS)
		find_vars(&found, request);
	else if (request->form == HYPERSLAB_VARM)
		find_varm(&found, request);
	else
		find_vara(&found, request);
	if (dimension_ret)
		*dimension_ret = found.dimension;
	return found.fault;
}
