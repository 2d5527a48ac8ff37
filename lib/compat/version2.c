/* SPDX-License-Identifier: MIT */
/*
 * The reading calls of netCDF-2, on top of those of netCDF-3: lengths are long,
 * distances in memory are bytes, and a failure is reported and by default ends
 * the program.
 */
#include "nc3z_compat.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "compat/table.h"

int ncerr = NC_NOERR;
int ncopts = NC_FATAL | NC_VERBOSE;

__attribute__((format(printf, 3, 4))) void
nc_advise(const char *routine_name, int err, const char *fmt, ...)
{
	va_list args;

	ncerr = NC_ISSYSERR(err) ? NC_SYSERR : err;
	if (ncopts & NC_VERBOSE) {
		fprintf(stderr, "%s: ", routine_name);
		va_start(args, fmt);
		vfprintf(stderr, fmt, args);
		va_end(args);
		if (err != NC_NOERR)
			fprintf(stderr, ": %s", nc_strerror(err));
		fputc('\n', stderr);
		fflush(stderr);
	}
	if ((ncopts & NC_FATAL) && err != NC_NOERR)
		exit(ncopts);
}

/* 'result' of a call that went well, -1 of one that did not. */
static int finish(const char *routine, int status, int ncid, int result)
{
	if (status == NC_NOERR)
		return result;
	nc_advise(routine, status, "ncid %d", ncid);
	return -1;
}

int ncopen(const char *path, int mode)
{
	int ncid, status = nc_open(path, mode, &ncid);

	if (status == NC_NOERR)
		return ncid;
	nc_advise("ncopen", status, "filename \"%s\"", path);
	return -1;
}

int ncclose(int ncid)
{
	return finish("ncclose", nc_close(ncid), ncid, 0);
}

int ncabort(int ncid)
{
	return finish("ncabort", nc_abort(ncid), ncid, 0);
}

int ncsync(int ncid)
{
	return finish("ncsync", nc_sync(ncid), ncid, 0);
}

int ncinquire(int ncid, int *ndimsp, int *nvarsp, int *nattsp, int *unlimdimp)
{
	return finish("ncinquire",
		      nc_inq(ncid, ndimsp, nvarsp, nattsp, unlimdimp), ncid,
		      ncid);
}

int ncdimid(int ncid, const char *name)
{
	int dimid = -1, status = nc_inq_dimid(ncid, name, &dimid);

	return finish("ncdimid", status, ncid, dimid);
}

int ncdiminq(int ncid, int dimid, char *name, long *lenp)
{
	size_t length;
	int status = nc_inq_dim(ncid, dimid, name, &length);

	if (status == NC_NOERR && lenp)
		*lenp = (long)length;
	return finish("ncdiminq", status, ncid, dimid);
}

int ncvarid(int ncid, const char *name)
{
	int varid = -1, status = nc_inq_varid(ncid, name, &varid);

	return finish("ncvarid", status, ncid, varid);
}

int ncvarinq(int ncid, int varid, char *name, nc_type *xtypep, int *ndimsp,
	     int *dimidsp, int *nattsp)
{
	int status =
		nc_inq_var(ncid, varid, name, xtypep, ndimsp, dimidsp, nattsp);

	return finish("ncvarinq", status, ncid, varid);
}

int ncattinq(int ncid, int varid, const char *name, nc_type *xtypep, int *lenp)
{
	size_t nelems;
	int status = nc_inq_att(ncid, varid, name, xtypep, &nelems);

	if (status != NC_NOERR) {
		nc_advise("ncattinq", status,
			  "ncid %d; varid %d; attname \"%s\"", ncid, varid,
			  name);
		return -1;
	}
	if (lenp)
		*lenp = (int)nelems;
	return 1;
}

int ncattname(int ncid, int varid, int attnum, char *name)
{
	return finish("ncattname", nc_inq_attname(ncid, varid, attnum, name),
		      ncid, attnum);
}

int ncattget(int ncid, int varid, const char *name, void *ip)
{
	return finish("ncattget", nc_get_att(ncid, varid, name, ip), ncid, 1);
}

/* Where and how much, as netCDF-2 says it and as netCDF-3 does. */
struct long_slab {
	const long *start;
	const long *count;
	const long *stride;
	const long *imap;
};

struct arrays {
	size_t *start;
	size_t *count;
	ptrdiff_t *stride;
	ptrdiff_t *imap;
};

static void free_arrays(struct arrays *arrays)
{
	free(arrays->start);
	free(arrays->count);
	free(arrays->stride);
	free(arrays->imap);
}

/* A copy of 'from'; NULL of NULL. */
static int copy_sizes(size_t **to, const long *from, size_t count)
{
	*to = from ? calloc(count + 1, sizeof(**to)) : NULL;
	if (from && !*to)
		return NC_ENOMEM;
	for (size_t i = 0; from && i < count; i++)
		(*to)[i] = (size_t)from[i];
	return NC_NOERR;
}

static int copy_steps(ptrdiff_t **to, const long *from, size_t count, int unit)
{
	*to = from ? calloc(count + 1, sizeof(**to)) : NULL;
	if (from && !*to)
		return NC_ENOMEM;
	for (size_t i = 0; from && i < count; i++)
		(*to)[i] = (ptrdiff_t)(from[i] / unit);
	return NC_NOERR;
}

static int get_slab(int ncid, int varid, enum nc3z_compat_form form,
		    const struct long_slab *from, void *values)
{
	struct arrays to = { NULL, NULL, NULL, NULL };
	struct nc3z_compat_hyperslab slab;
	nc_type type;
	int ndims, status;

	status = nc_inq_var(ncid, varid, NULL, &type, &ndims, NULL, NULL);
	if (status)
		return status;
	status = copy_sizes(&to.start, from->start, (size_t)ndims);
	if (!status)
		status = copy_sizes(&to.count, from->count, (size_t)ndims);
	if (!status)
		status = copy_steps(&to.stride, from->stride, (size_t)ndims, 1);
	if (!status)
		status = copy_steps(&to.imap, from->imap, (size_t)ndims,
				    nctypelen(type));
	if (!status) {
		slab.form = form;
		slab.start = to.start;
		slab.count = to.count;
		slab.stride = to.stride;
		slab.imap = to.imap;
		status = nc3z_compat_get(ncid, varid, &slab, NC_NAT, values);
	}
	free_arrays(&to);
	return status;
}

int ncvarget1(int ncid, int varid, const long *indexp, void *ip)
{
	struct long_slab slab = { indexp, NULL, NULL, NULL };

	return finish("ncvarget1",
		      get_slab(ncid, varid, NC3Z_COMPAT_VAR1, &slab, ip), ncid,
		      0);
}

int ncvarget(int ncid, int varid, const long *startp, const long *countp,
	     void *ip)
{
	struct long_slab slab = { startp, countp, NULL, NULL };
	int status = get_slab(ncid, varid, NC3Z_COMPAT_VARA, &slab, ip);

	if (status == NC_NOERR)
		return 0;
	nc_advise("ncvarget", status, "ncid %d; varid %d", ncid, varid);
	return -1;
}

int ncvargets(int ncid, int varid, const long *startp, const long *countp,
	      const long *stridep, void *ip)
{
	struct long_slab slab = { startp, countp, stridep, NULL };

	if (!stridep)
		return ncvarget(ncid, varid, startp, countp, ip);
	return finish("ncvargets",
		      get_slab(ncid, varid, NC3Z_COMPAT_VARS, &slab, ip), ncid,
		      0);
}

/* libnetcdf gives the status itself where there is no such variable. */
int ncvargetg(int ncid, int varid, const long *startp, const long *countp,
	      const long *stridep, const long *imapp, void *ip)
{
	struct long_slab slab = { startp, countp, stridep, imapp };
	int status;

	if (!imapp)
		return ncvargets(ncid, varid, startp, countp, stridep, ip);
	status = nc_inq_vartype(ncid, varid, NULL);
	if (status)
		return status;
	return finish("ncvargetg",
		      get_slab(ncid, varid, NC3Z_COMPAT_VARM, &slab, ip), ncid,
		      0);
}

/*
 * The next variable with records after a number, by the one dimension that
 * netCDF-2 knows as unlimited; false if there are no more.
 */
static bool next_record(const struct nc3z_file *file, int *varid,
			struct nc3z_var *var)
{
	int unlimdimid;

	nc3z_inq(file, NULL, NULL, NULL, &unlimdimid);
	while (nc3z_inq_var(file, ++*varid, var, NULL) == NC3Z_OK)
		if (var->ndims > 0 && var->dimids[0] == unlimdimid)
			return true;
	return false;
}

int ncrecinq(int ncid, int *nrecvarsp, int *recvaridsp, long *recsizesp)
{
	struct nc3z_file *file;
	struct nc3z_var var;
	int varid = -1, nrecvars = 0;
	int status = compat_file(ncid, &file);

	for (; !status && next_record(file, &varid, &var); nrecvars++) {
		size_t nbytes = nc3z_type_nbytes(var.type);

		for (int i = 1; i < var.ndims; i++)
			nbytes *= (size_t)var.shape[i];
		if (recvaridsp)
			recvaridsp[nrecvars] = varid;
		if (recsizesp)
			recsizesp[nrecvars] = (long)nbytes;
	}
	if (!status && nrecvarsp)
		*nrecvarsp = nrecvars;
	return finish("ncrecinq", status, ncid, nrecvars);
}

/* One record of one variable. */
static int get_record(int ncid, int varid, const struct nc3z_var *var,
		      size_t recnum, void *values)
{
	size_t *start = calloc(2 * (size_t)var->ndims, sizeof(*start));
	size_t *count = start ? start + var->ndims : NULL;
	int status = NC_ENOMEM;

	if (start) {
		for (int i = 1; i < var->ndims; i++)
			count[i] = (size_t)var->shape[i];
		start[0] = recnum;
		count[0] = 1;
		status = nc_get_vara(ncid, varid, start, count, values);
	}
	free(start);
	return status;
}

int ncrecget(int ncid, long recnum, void **datap)
{
	struct nc3z_file *file;
	struct nc3z_var var;
	int varid = -1, nrecvars = 0;
	int status = compat_file(ncid, &file);

	for (; !status && next_record(file, &varid, &var); nrecvars++)
		if (datap[nrecvars])
			status = get_record(ncid, varid, &var, (size_t)recnum,
					    datap[nrecvars]);
	return finish("ncrecget", status, ncid, 0);
}
