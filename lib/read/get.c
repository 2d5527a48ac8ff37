/* SPDX-License-Identifier: MIT */
/*
 * Values of a hyperslab: what the arguments of a call mean.  request.c does the
 * rest.
 */
#include <inttypes.h>
#include <stdbool.h>

#include "read/ahead.h"
#include "read/request.h"

#include "base/sizes.h"
#include "classic/unpack_attributes.h"

static int refuse_fault(const struct read_request *q,
			enum hyperslab_fault fault, size_t dimension,
			const struct hyperslab_request *slab,
			struct nc3z_error *err)
{
	static const int statuses[] = {
		[HYPERSLAB_BAD_START] = NC3Z_EINVALCOORDS,
		[HYPERSLAB_BAD_EDGE] = NC3Z_EEDGE,
		[HYPERSLAB_BAD_STRIDE] = NC3Z_ESTRIDE,
	};
	const struct classic_header *h = &q->file->header;
	const uint64_t *dimids = h->vars[q->var - q->file->vars].dimids;
	const char *text = nc3z_status_text(statuses[fault]);
	struct hyperslab_extent e;

	if (!slab->start || dimension >= slab->rank)
		return error_set(err, statuses[fault], "variable %.64s: %s",
				 q->var->name, text);
	e = hyperslab_extent(slab, dimension);
	return error_set(err, statuses[fault],
			 "variable %.64s: %s: dimension %zu (%.64s) has "
			 "length %" PRIu64 "; start %" PRIu64 ", count %" PRIu64
			 ", stride %" PRId64,
			 q->var->name, text, dimension + 1,
			 h->dims[dimids[dimension]].name.bytes,
			 slab->shape[dimension], e.start, e.count,
			 (int64_t)e.stride);
}

int request_variable(struct read_request *q, struct nc3z_file *file, int varid,
		     struct nc3z_error *err)
{
	if (varid < 0 || (size_t)varid >= file->header.nvars)
		return error_set(err, NC3Z_ENOTVAR, "no variable %d", varid);
	q->file = file;
	q->var = &file->vars[varid];
	q->width = nc3z_type_nbytes(q->var->type);
	return NC3Z_OK;
}

/* What has failed for a variable, with its name. */
static int named(const struct read_request *q, int status,
		 struct nc3z_error *err)
{
	return status == NC3Z_OK ?
		       status :
		       error_add_name(err, status, "variable", q->var->name);
}

int request_type(struct read_request *q, int memtype,
		 struct values_unpacking *unpacking, struct nc3z_error *err)
{
	size_t varid = (size_t)(q->var - q->file->vars);
	bool unpacks = memtype > 0 && memtype & NC3Z_UNPACKED;

	if (unpacks)
		memtype &= ~NC3Z_UNPACKED;
	if (unpacks && memtype != NC3Z_FLOAT && memtype != NC3Z_DOUBLE)
		return error_set(err, NC3Z_EBADTYPE,
				 "values are unpacked to float or double only");
	NC3Z_TRY(named(q,
		       file_conversion(q->file, (enum classic_type)q->var->type,
				       memtype, &q->conversion, err),
		       err));
	q->native_width = values_native_nbytes(q->conversion.to);
	if (!unpacks)
		return NC3Z_OK;
	q->conversion.unpacking = unpacking;
	return named(q,
		     values_unpacking_set(unpacking,
					  &q->file->header.vars[varid], err),
		     err);
}

int request_slab(struct read_request *q, struct hyperslab_request *slab,
		 struct hyperslab_visits *wanted, struct nc3z_error *err)
{
	size_t varid = (size_t)(q->var - q->file->vars);
	enum hyperslab_fault fault;
	size_t dimension;

	slab->is_record = q->var->is_record;
	slab->rank = (size_t)q->var->ndims;
	slab->shape = q->var->shape;
	fault = hyperslab_check(slab, &dimension);
	if (fault != HYPERSLAB_OK)
		return refuse_fault(q, fault, dimension, slab, err);
	q->wanted = wanted;
	return named(q,
		     hyperslab_visits_init(wanted, &q->file->map,
					   &q->file->places[varid],
					   (uint32_t)q->width, slab, err),
		     err);
}

static int get(struct nc3z_file *file, int varid,
	       struct hyperslab_request *slab, int memtype, void *values,
	       struct nc3z_error *err)
{
	struct values_unpacking unpacking;
	struct hyperslab_visits wanted;
	struct read_request q = { .out = values };

	NC3Z_TRY(request_variable(&q, file, varid, err));
	/* libnetcdf sees this before the type, everything else after it. */
	if (slab->form != HYPERSLAB_VAR && q.var->ndims > 0 && !slab->start)
		return refuse_fault(&q, HYPERSLAB_BAD_START, 0, slab, err);
	NC3Z_TRY(request_type(&q, memtype, &unpacking, err));
	NC3Z_TRY(request_slab(&q, slab, &wanted, err));
	if (wanted.slab.nelems == 0)
		return NC3Z_OK;
	ahead_note_values(file, varid, slab);
	/* With an imap, the order of writing matters: one thread. */
	return request_run(&q, slab->imap ? 1 : request_threads(&q), err);
}

/* Of a slab only what its form has. */
static int fill_request(struct hyperslab_request *request, enum nc3z_form form,
			const struct nc3z_hyperslab *slab,
			struct nc3z_error *err)
{
	static const enum hyperslab_form forms[] = {
		[NC3Z_FORM_VAR] = HYPERSLAB_VAR,
		[NC3Z_FORM_VAR1] = HYPERSLAB_VAR1,
		[NC3Z_FORM_VARA] = HYPERSLAB_VARA,
		[NC3Z_FORM_VARS] = HYPERSLAB_VARS,
		[NC3Z_FORM_VARM] = HYPERSLAB_VARM,
	};

	if ((unsigned)form > NC3Z_FORM_VARM)
		return error_set(err, NC3Z_EINVAL, "no form %d", (int)form);
	*request = (struct hyperslab_request){ .form = forms[form] };
	if (!slab)
		return NC3Z_OK;
	if (form >= NC3Z_FORM_VAR1)
		request->start = slab->start;
	if (form >= NC3Z_FORM_VARA)
		request->count = slab->count;
	if (form >= NC3Z_FORM_VARS)
		request->stride = slab->stride;
	if (form >= NC3Z_FORM_VARM)
		request->imap = slab->imap;
	return NC3Z_OK;
}

int nc3z_get_form(struct nc3z_file *file, int varid, enum nc3z_form form,
		  const struct nc3z_hyperslab *slab, int memtype, void *values,
		  struct nc3z_error *err)
{
	NC3Z_NEED(err, file && values);

	struct hyperslab_request request;

	NC3Z_TRY(fill_request(&request, form, slab, err));
	return get(file, varid, &request, memtype, values, err);
}

int nc3z_get(struct nc3z_file *file, int varid,
	     const struct nc3z_hyperslab *slab, int memtype, void *values,
	     struct nc3z_error *err)
{
	NC3Z_NEED(err, file);

	enum nc3z_form form = !slab        ? NC3Z_FORM_VAR :
			      slab->imap   ? NC3Z_FORM_VARM :
			      slab->stride ? NC3Z_FORM_VARS :
					     NC3Z_FORM_VARA;

	return nc3z_get_form(file, varid, form, slab, memtype, values, err);
}
