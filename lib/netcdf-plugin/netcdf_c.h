/* SPDX-License-Identifier: MIT */
/*
 * The parts of netcdf-c that the plug-in uses, declared here: one binary serves
 * all versions from 4.7.1 on, so no version's headers are used.  A test
 * compares this with those of the installed version.
 */
#ifndef NC3Z_NETCDF_PLUGIN_NETCDF_C_H
#define NC3Z_NETCDF_PLUGIN_NETCDF_C_H

#include <stddef.h>

/* Statuses.  Positive ones are values of errno. */
enum netcdf_status {
	NETCDF_NOERR = 0,
	NETCDF_EINVAL = -36,
	NETCDF_EPERM = -37,
	NETCDF_ENOTINDEFINE = -38,
	NETCDF_ENOTATT = -43,
	NETCDF_EBADTYPE = -45,
	NETCDF_EBADDIM = -46,
	NETCDF_ENOTVAR = -49,
	NETCDF_EGLOBAL = -50,
	NETCDF_ENOTNC = -51,
	NETCDF_ECHAR = -56,
	NETCDF_EBADNAME = -59,
	NETCDF_ENOMEM = -61,
	NETCDF_EIO = -68,
	NETCDF_ENOTNC4 = -111,
	NETCDF_ENOGRP = -125,
	NETCDF_ENOFILTER = -136,
};

/* Bits of the mode a file is opened with. */
#define NETCDF_WRITE 0x0001
#define NETCDF_UDF0 0x0040 /* in this mode a format of a user */
#define NETCDF_UDF1 0x0080
#define NETCDF_64BIT_DATA 0x0020
#define NETCDF_64BIT_OFFSET 0x0200
#define NETCDF_NETCDF4 0x1000
#define NETCDF_INMEMORY 0x8000

/* Kinds of file: what is stored, and who reads it. */
#define NETCDF_FORMAT_CLASSIC 1
#define NETCDF_FORMAT_64BIT_OFFSET 2
#define NETCDF_FORMAT_CDF5 5
#define NETCDF_FORMATX_NC3 1
#define NETCDF_FORMATX_UDF0 8
#define NETCDF_FORMATX_UDF1 9
#define NETCDF_FORMATX_UDF2 11

#define NETCDF_MAX_NAME 256 /* without NUL */
#define NETCDF_CONTIGUOUS 1
/* Types are numbered as in nc3z.h; this one is of netCDF-4 alone. */
#define NETCDF_STRING 12

/* A file in memory. */
struct netcdf_memio {
	size_t size;
	void *memory;
	int flags;
};

#define NETCDF_MEMIO_LOCKED 1 /* the memory stays the caller's */

/*
 * The functions of a format.  Compared with NETCDF_TABLE_VERSION for equality
 * since 4.7.4 (version 2), where the slot inq_var_filter_ids held another
 * function, and those after it did not exist; before, the version was padding.
 */
#define NETCDF_TABLE_VERSION_MIN 2
#define NETCDF_TABLE_VERSION_MAX 5

struct netcdf_table {
	int model; /* a NETCDF_FORMATX */
	int dispatch_version;

	int (*create)(const char *path, int mode, size_t initial_nbytes,
		      int basepe, size_t *hint, void *parameters,
		      const struct netcdf_table *table, int ncid);
	int (*open)(const char *path, int mode, int basepe, size_t *hint,
		    void *parameters, const struct netcdf_table *table,
		    int ncid);
	int (*redef)(int ncid);
	int (*enddef)(int ncid, size_t h_minfree, size_t v_align,
		      size_t v_minfree, size_t r_align);
	int (*sync)(int ncid);
	int (*abort)(int ncid);
	int (*close)(int ncid, void *parameters);
	int (*set_fill)(int ncid, int fillmode, int *old_mode);
	int (*inq_format)(int ncid, int *format);
	int (*inq_format_extended)(int ncid, int *format, int *mode);

	int (*inq)(int ncid, int *ndims, int *nvars, int *natts, int *unlimdim);
	int (*inq_type)(int ncid, int type, char *name, size_t *nbytes);

	int (*def_dim)(int ncid, const char *name, size_t length, int *dimid);
	int (*inq_dimid)(int ncid, const char *name, int *dimid);
	int (*inq_dim)(int ncid, int dimid, char *name, size_t *length);
	int (*inq_unlimdim)(int ncid, int *dimid);
	int (*rename_dim)(int ncid, int dimid, const char *name);

	int (*inq_att)(int ncid, int varid, const char *name, int *type,
		       size_t *nelems);
	int (*inq_attid)(int ncid, int varid, const char *name, int *attnum);
	int (*inq_attname)(int ncid, int varid, int attnum, char *name);
	int (*rename_att)(int ncid, int varid, const char *name,
			  const char *new_name);
	int (*del_att)(int ncid, int varid, const char *name);
	int (*get_att)(int ncid, int varid, const char *name, void *values,
		       int memtype);
	int (*put_att)(int ncid, int varid, const char *name, int type,
		       size_t nelems, const void *values, int memtype);

	int (*def_var)(int ncid, const char *name, int type, int ndims,
		       const int *dimids, int *varid);
	int (*inq_varid)(int ncid, const char *name, int *varid);
	int (*rename_var)(int ncid, int varid, const char *name);

	int (*get_vara)(int ncid, int varid, const size_t *start,
			const size_t *count, void *values, int memtype);
	int (*put_vara)(int ncid, int varid, const size_t *start,
			const size_t *count, const void *values, int memtype);
	int (*get_vars)(int ncid, int varid, const size_t *start,
			const size_t *count, const ptrdiff_t *stride,
			void *values, int memtype);
	int (*put_vars)(int ncid, int varid, const size_t *start,
			const size_t *count, const ptrdiff_t *stride,
			const void *values, int memtype);
	int (*get_varm)(int ncid, int varid, const size_t *start,
			const size_t *count, const ptrdiff_t *stride,
			const ptrdiff_t *imap, void *values, int memtype);
	int (*put_varm)(int ncid, int varid, const size_t *start,
			const size_t *count, const ptrdiff_t *stride,
			const ptrdiff_t *imap, const void *values, int memtype);
	int (*inq_var_all)(int ncid, int varid, char *name, int *type,
			   int *ndims, int *dimids, int *natts, int *shuffle,
			   int *deflate, int *deflate_level, int *fletcher32,
			   int *contiguous, size_t *chunks, int *no_fill,
			   void *fill_value, int *endianness, unsigned *filter,
			   size_t *nparams, unsigned *params);
	int (*var_par_access)(int ncid, int varid, int access);
	int (*def_var_fill)(int ncid, int varid, int no_fill,
			    const void *fill_value);

	int (*show_metadata)(int ncid);
	int (*inq_unlimdims)(int ncid, int *ndims, int *dimids);
	int (*inq_ncid)(int ncid, const char *name, int *group);
	int (*inq_grps)(int ncid, int *ngroups, int *groups);
	int (*inq_grpname)(int ncid, char *name);
	int (*inq_grpname_full)(int ncid, size_t *length, char *name);
	int (*inq_grp_parent)(int ncid, int *parent);
	int (*inq_grp_full_ncid)(int ncid, const char *name, int *group);
	int (*inq_varids)(int ncid, int *nvars, int *varids);
	int (*inq_dimids)(int ncid, int *ndims, int *dimids, int with_parents);
	int (*inq_typeids)(int ncid, int *ntypes, int *types);
	int (*inq_type_equal)(int ncid, int type, int other_ncid,
			      int other_type, int *equal);
	int (*def_grp)(int ncid, const char *name, int *group);
	int (*rename_grp)(int ncid, const char *name);
	int (*inq_user_type)(int ncid, int type, char *name, size_t *nbytes,
			     int *base, size_t *nfields, int *kind);
	int (*inq_typeid)(int ncid, const char *name, int *type);

	int (*def_compound)(int ncid, size_t nbytes, const char *name,
			    int *type);
	int (*insert_compound)(int ncid, int type, const char *name,
			       size_t offset, int field_type);
	int (*insert_array_compound)(int ncid, int type, const char *name,
				     size_t offset, int field_type, int ndims,
				     const int *lengths);
	int (*inq_compound_field)(int ncid, int type, int field, char *name,
				  size_t *offset, int *field_type, int *ndims,
				  int *lengths);
	int (*inq_compound_fieldindex)(int ncid, int type, const char *name,
				       int *field);
	int (*def_vlen)(int ncid, const char *name, int base, int *type);
	int (*put_vlen_element)(int ncid, int type, void *element,
				size_t nelems, const void *values);
	int (*get_vlen_element)(int ncid, int type, const void *element,
				size_t *nelems, void *values);
	int (*def_enum)(int ncid, int base, const char *name, int *type);
	int (*insert_enum)(int ncid, int type, const char *name,
			   const void *value);
	int (*inq_enum_member)(int ncid, int type, int member, char *name,
			       void *value);
	int (*inq_enum_ident)(int ncid, int type, long long value, char *name);
	int (*def_opaque)(int ncid, size_t nbytes, const char *name, int *type);
	int (*def_var_deflate)(int ncid, int varid, int shuffle, int deflate,
			       int level);
	int (*def_var_fletcher32)(int ncid, int varid, int fletcher32);
	int (*def_var_chunking)(int ncid, int varid, int contiguous,
				const size_t *chunks);
	int (*def_var_endian)(int ncid, int varid, int endianness);
	int (*def_var_filter)(int ncid, int varid, unsigned filter,
			      size_t nparams, const unsigned *params);
	int (*set_var_chunk_cache)(int ncid, int varid, size_t nbytes,
				   size_t nelems, float preemption);
	int (*get_var_chunk_cache)(int ncid, int varid, size_t *nbytes,
				   size_t *nelems, float *preemption);

	union {
		int (*inq_var_filter_ids)(int ncid, int varid, size_t *nfilters,
					  unsigned *filters);
		int (*filter_actions)(int ncid, int varid, int action,
				      void *arguments); /* version 2 */
	} filters;
	int (*inq_var_filter_info)(int ncid, int varid, unsigned filter,
				   size_t *nparams, unsigned *params);
	int (*def_var_quantize)(int ncid, int varid, int mode, int nsd);
	int (*inq_var_quantize)(int ncid, int varid, int *mode, int *nsd);
	int (*inq_filter_avail)(int ncid, unsigned filter);
};

#endif
