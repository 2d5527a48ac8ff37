/* SPDX-License-Identifier: MIT */
#include "both.h"

#include <netcdf.h>

/* nc_get_var1(NULL) and the like are for libnetcdf to judge. */
#define DEFINE_BOTH(suffix, ctype) \
	static int ours_##suffix(struct nc3z_file *f, int v, \
				 const struct hyperslab_request *r, void *out, \
				 struct nc3z_error *err) \
	{ \
		ctype *p = out; \
\
		switch (r->form) { \
		case HYPERSLAB_VAR: \
			return nc3z_get_var_##suffix(f, v, p, err); \
		case HYPERSLAB_VAR1: \
			return nc3z_get_var1_##suffix(f, v, r->start, p, err); \
		case HYPERSLAB_VARA: \
			return nc3z_get_vara_##suffix(f, v, r->start, \
						      r->count, p, err); \
		case HYPERSLAB_VARS: \
			return nc3z_get_vars_##suffix( \
				f, v, r->start, r->count, r->stride, p, err); \
		default: \
			return nc3z_get_varm_##suffix(f, v, r->start, \
						      r->count, r->stride, \
						      r->imap, p, err); \
		} \
	} \
\
	static int theirs_##suffix( \
		int f, int v, const struct hyperslab_request *r, void *out) \
	{ \
		ctype *p = out; \
\
		switch (r->form) { \
		case HYPERSLAB_VAR: \
			return nc_get_var_##suffix(f, v, p); \
		case HYPERSLAB_VAR1: \
			return nc_get_var1_##suffix(f, v, r->start, p); \
		case HYPERSLAB_VARA: \
			return nc_get_vara_##suffix(f, v, r->start, r->count, \
						    p); \
		case HYPERSLAB_VARS: \
			return nc_get_vars_##suffix(f, v, r->start, r->count, \
						    r->stride, p); \
		default: \
			return nc_get_varm_##suffix(f, v, r->start, r->count, \
						    r->stride, r->imap, p); \
		} \
	}

DEFINE_BOTH(text, char)
DEFINE_BOTH(schar, signed char)
DEFINE_BOTH(uchar, unsigned char)
DEFINE_BOTH(short, short)
DEFINE_BOTH(ushort, unsigned short)
DEFINE_BOTH(int, int)
DEFINE_BOTH(uint, unsigned int)
DEFINE_BOTH(long, long)
DEFINE_BOTH(float, float)
DEFINE_BOTH(double, double)
DEFINE_BOTH(longlong, long long)
DEFINE_BOTH(ulonglong, unsigned long long)

static int ours_untyped(struct nc3z_file *f, int v,
			const struct hyperslab_request *r, void *out,
			struct nc3z_error *err)
{
	static const enum nc3z_form forms[] = {
		[HYPERSLAB_VAR] = NC3Z_FORM_VAR,
		[HYPERSLAB_VAR1] = NC3Z_FORM_VAR1,
		[HYPERSLAB_VARA] = NC3Z_FORM_VARA,
		[HYPERSLAB_VARS] = NC3Z_FORM_VARS,
		[HYPERSLAB_VARM] = NC3Z_FORM_VARM,
	};
	/* all of it, also what the form does not have */
	const struct nc3z_hyperslab slab = {
		.start = r->start,
		.count = r->count,
		.stride = r->stride,
		.imap = r->imap,
	};

	return nc3z_get_form(f, v, forms[r->form], &slab, NC3Z_NAT, out, err);
}

static int theirs_untyped(int f, int v, const struct hyperslab_request *r,
			  void *out)
{
	switch (r->form) {
	case HYPERSLAB_VAR:
		return nc_get_var(f, v, out);
	case HYPERSLAB_VAR1:
		return nc_get_var1(f, v, r->start, out);
	case HYPERSLAB_VARA:
		return nc_get_vara(f, v, r->start, r->count, out);
	case HYPERSLAB_VARS:
		return nc_get_vars(f, v, r->start, r->count, r->stride, out);
	default:
		return nc_get_varm(f, v, r->start, r->count, r->stride, r->imap,
				   out);
	}
}

#define BOTH(suffix, memtype, ctype) \
	{ \
#suffix, memtype, sizeof(ctype), ours_##suffix, \
			theirs_##suffix \
	}

const struct both_type both_types[BOTH_NTYPES] = {
	{ "untyped", NC3Z_NAT, 0, ours_untyped, theirs_untyped },
	BOTH(text, NC3Z_CHAR, char),
	BOTH(schar, NC3Z_BYTE, signed char),
	BOTH(uchar, NC3Z_UBYTE, unsigned char),
	BOTH(short, NC3Z_SHORT, short),
	BOTH(ushort, NC3Z_USHORT, unsigned short),
	BOTH(int, NC3Z_INT, int),
	BOTH(uint, NC3Z_UINT, unsigned int),
	BOTH(long, NC3Z_INT64, long),
	BOTH(float, NC3Z_FLOAT, float),
	BOTH(double, NC3Z_DOUBLE, double),
	BOTH(longlong, NC3Z_INT64, long long),
	BOTH(ulonglong, NC3Z_UINT64, unsigned long long),
};

int both_status(int nc_status)
{
	switch (nc_status) {
	case NC_NOERR:
		return NC3Z_OK;
	case NC_ERANGE:
		return NC3Z_ERANGE;
	case NC_ECHAR:
		return NC3Z_ECHAR;
	case NC_EINVALCOORDS:
		return NC3Z_EINVALCOORDS;
	case NC_EEDGE:
		return NC3Z_EEDGE;
	case NC_ESTRIDE:
		return NC3Z_ESTRIDE;
	case NC_ENOTVAR:
		return NC3Z_ENOTVAR;
	case NC_EBADTYPE:
		return NC3Z_EBADTYPE;
	default:
		return -1;
	}
}
