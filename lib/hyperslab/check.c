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

/* Whether the last element lies outside; if there are any, of valid counts. */
static enum hyperslab_fault check_last(const struct hyperslab_request *request)
{
	enum hyperslab_fault fault = HYPERSLAB_OK;

	for (size_t i = 0; i < request->rank; i++) {
		uint64_t count = count_of(request, i), most;

		if (count == 0)
			return HYPERSLAB_OK;
		most = request->shape[i] - request->start[i] - 1;
		if (count - 1 > most / (uint64_t)stride_of(request, i))
			fault = HYPERSLAB_BAD_START;
	}
	return fault;
}

static enum hyperslab_fault check_vara(const struct hyperslab_request *request)
{
	enum hyperslab_fault fault = HYPERSLAB_OK;
	enum hyperslab_fault of_records = HYPERSLAB_OK;

	for (size_t i = 0; i < request->rank && !fault; i++)
		fault = check_start(request, i);
	for (size_t i = 0; i < request->rank && !fault; i++) {
		fault = check_count(request, i);
		if (i == 0 && request->is_record &&
		    fault == HYPERSLAB_BAD_EDGE) {
			of_records = fault;
			fault = HYPERSLAB_OK;
		}
	}
	return fault ? fault : of_records;
}

static enum hyperslab_fault check_vars(const struct hyperslab_request *request)
{
	enum hyperslab_fault fault = HYPERSLAB_OK;

	for (size_t i = 0; i < request->rank && !fault; i++) {
		fault = check_start(request, i);
		fault = fault ? fault : check_count(request, i);
		fault = fault ? fault : check_stride(request, i);
	}
	return fault ? fault : check_last(request);
}

static enum hyperslab_fault check_varm(const struct hyperslab_request *request)
{
	enum hyperslab_fault fault = HYPERSLAB_OK;
	bool is_vara = !request->imap;

	for (size_t i = 0; i < request->rank && !fault; i++) {
		fault = check_stride(request, i);
		is_vara = is_vara && stride_of(request, i) == 1;
	}
	if (!fault && is_vara)
		return check_vara(request);
	for (size_t i = request->rank; i-- > 0 && !fault;) {
		fault = check_start(request, i);
		fault = fault ? fault : check_count(request, i);
	}
	return fault ? fault : check_last(request);
}

enum hyperslab_fault hyperslab_check(const struct hyperslab_request *request)
{
	if (request->rank == 0 || request->form == HYPERSLAB_VAR)
		return HYPERSLAB_OK;
	if (!request->start)
		return HYPERSLAB_BAD_START;
	switch (request->form) {
	case HYPERSLAB_VARS:
		return check_vars(request);
	case HYPERSLAB_VARM:
		return check_varm(request);
	default:
		return check_vara(request);
	}
}
