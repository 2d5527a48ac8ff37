/* SPDX-License-Identifier: MIT */
/*
 * nc3z: netCDF classic files (CDF-1, CDF-2, CDF-5) as compressed, checked
 * archives whose values are read without unpacking them.
 *
 * This program reads a part of a variable, from an archive or a plain classic
 * file:
 *
 *	#include <nc3z.h>
 *	#include <stdio.h>
 *
 *	int main(void)
 *	{
 *		const size_t start[] = { 0, 10, 20 }, count[] = { 1, 5, 5 };
 *		struct nc3z_file *file = NULL;
 *		struct nc3z_error err;
 *		double values[25];
 *		int varid, has_failed;
 *
 *		has_failed =
 *		    nc3z_open("sst.nc.nc3z", NULL, &file, &err) != NC3Z_OK ||
 *		    nc3z_inq_varid(file, "sst", &varid, &err) != NC3Z_OK ||
 *		    nc3z_get_vara(file, varid, start, count,
 *				  NC3Z_DOUBLE | NC3Z_UNPACKED, values,
 *				  &err) != NC3Z_OK;
 *		if (has_failed)
 *			fprintf(stderr, "sst.nc.nc3z: %s\n", err.text);
 *		else
 *			printf("%g to %g\n", values[0], values[24]);
 *		nc3z_close(file);
 *		return has_failed;
 *	}
 *
 * More examples are installed in share/doc/nc3z/examples; nc3z_compat.h has
 * the reading calls of netCDF on top of this interface.  C99 or C++11.
 *
 * Sections: errors; opening; inquiring; getting values; iterating; how an
 * archive is stored; packing; restoring and verifying; converting;
 * salvaging; sources; tars; sinks; how this interface grows.
 *
 * Words.  The *original* is the classic file that an archive restores, bit for
 * bit.  Its bytes are sorted into *streams*, in general one for each variable,
 * and each stream is cut into *blocks*, which are compressed one by one.  The
 * bytes of a block are *raw* before compression and *stored* after it.  A
 * variable may first be cut into *chunks*, boxes of values.  A *hyperslab* is a
 * box of indices of a variable, with strides.  The *external type* is the type
 * of values in the file; the *type in memory* is the type of the caller's
 * array.  All words: format-spec/glossary.md.
 *
 * Functions that can fail return an enum nc3z_status and take a pointer to a
 * struct nc3z_error, which may be NULL.  On failure the function fills in *err;
 * on success it leaves *err unchanged.  Results, in parameters whose names end
 * in _ret, are defined on success only.  A NULL pointer gives NC3Z_EINVAL,
 * unless its function allows NULL; functions without a status then do nothing
 * and return 0, NULL or -1.  Sizes and offsets of files are uint64_t bytes,
 * sizes in memory size_t bytes.
 *
 * The library never prints and never exits.  All state belongs to handles, with
 * three exceptions: the cache of decoded blocks (64 MiB,
 * nc3z_set_cache_nbytes()), which files share unless they are opened with a
 * cache of their own; up to 8 MiB of working memory for decoding, kept for
 * files that are opened later; and the thread that fetches from servers, once a
 * URL has been opened.  It reads one environment variable, NC3Z_THREADS, in
 * nc3z_open() and nc3z_open_source().  For URLs it also reads the variables
 * that nc3z-remote(7) lists; with one of them, NC3Z_REMOTE_LOG, it prints.
 *
 * Threads.  Any number of threads may use one struct nc3z_file at once, for
 * everything but nc3z_close().  Every other handle (source, sink, iterator) is
 * used by one thread at a time.  Different handles are independent.  A callback
 * runs in the thread that made the call, unless its comment says otherwise.
 *
 * fork().  A child process can open its own handles at any time.  It must
 * neither use nor close the handles of its parent.
 */
#ifndef NC3Z_H
#define NC3Z_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NC3Z_API __attribute__((visibility("default")))
#else
#define NC3Z_API
#endif

/* The version of this header. */
#define NC3Z_VERSION_MAJOR 1
#define NC3Z_VERSION_MINOR 0
#define NC3Z_VERSION_PATCH 0
#define NC3Z_VERSION "1.0.0"

/* For #if: 1002003 is 1.2.3. */
#define NC3Z_VERSION_NUMBER \
	(NC3Z_VERSION_MAJOR * 1000000 + NC3Z_VERSION_MINOR * 1000 + \
	 NC3Z_VERSION_PATCH)

/*
 * The version of the library that the program runs with, "1.0.0", a constant
 * string.  It may be older or newer than this header.
 */
NC3Z_API const char *nc3z_version(void);

/*
 * Errors
 * ======
 */

/* "Not known" in a field of struct nc3z_error. */
#define NC3Z_NO_OFFSET UINT64_MAX
#define NC3Z_NO_NUMBER UINT32_MAX

/*
 * Result of a call.  Codes fall into distinct groups: a mistake of the caller,
 * a failure of the system, a file of another kind, a damaged archive, an
 * archive that needs a newer library.
 */
enum nc3z_status {
	/* Success. */
	NC3Z_OK = 0,
	/* An argument is invalid; nothing was done. */
	NC3Z_EINVAL = 1,
	/* The system failed to read or write; see sys_errno. */
	NC3Z_EIO = 2,
	/* Out of memory.  Handles stay usable. */
	NC3Z_ENOMEM = 3,
	/* The output exists, and replacing it was not asked for. */
	NC3Z_EEXIST = 4,
	/* The input has no readable netCDF classic header. */
	NC3Z_ENOTCLASSIC = 5,
	/* The input is not an nc3z archive. */
	NC3Z_ENOTARCHIVE = 6,
	/* The archive is damaged or cut off; the text says where. */
	NC3Z_EDAMAGED = 7,
	/*
	 * The archive is intact but uses something this version does not know:
	 * a later format, codec, filter or layout.
	 */
	NC3Z_EUNSUPPORTED = 8,
	/* A limit of the format, or one set by the caller, is exceeded. */
	NC3Z_ELIMIT = 9,
	/* The input changed while it was read. */
	NC3Z_ECHANGED = 10,
	/*
	 * Some values lie beyond the end of the original, which is shorter than
	 * its header says.  They were read as 0; all others are right.
	 */
	NC3Z_ETRUNCATED = 11,
	/*
	 * At least one value does not fit the type in memory; all others were
	 * converted.  nc3z_get() says what the misfits become.
	 */
	NC3Z_ERANGE = 12,
	/* Text was requested as numbers, or numbers as text. */
	NC3Z_ECHAR = 13,
	/* A start index, or the last index of a stride, is out of bounds. */
	NC3Z_EINVALCOORDS = 14,
	/* Start plus count exceeds the length of a dimension. */
	NC3Z_EEDGE = 15,
	/* A stride is not between 1 and 2147483646. */
	NC3Z_ESTRIDE = 16,
	/* There is no such dimension, variable, attribute or type. */
	NC3Z_EBADDIM = 17,
	NC3Z_ENOTVAR = 18,
	NC3Z_ENOTATT = 19,
	NC3Z_EBADTYPE = 20,
	/* The older archive given to nc3z_pack() cannot be used; without it. */
	NC3Z_EOLDER = 21,
};

/*
 * The general meaning of a status, such as "archive is damaged": a constant
 * string, never NULL.  If there is a struct nc3z_error, show its text to people
 * instead, as it says what happened.
 */
NC3Z_API const char *nc3z_status_text(int status);

/*
 * Where and why a call failed.  'text' is one line that does not name the file.
 * 'offset' is in bytes from the start of the file that was read or written;
 * 'stream' and 'block' are numbers in the archive.
 */
struct nc3z_error {
	int status;           /* enum nc3z_status */
	int sys_errno;        /* with NC3Z_EIO; 0: not known */
	uint64_t offset;      /* or NC3Z_NO_OFFSET */
	uint32_t stream;      /* or NC3Z_NO_NUMBER */
	uint32_t block;       /* or NC3Z_NO_NUMBER */
	char text[256];       /* ends with a NUL */
	uint64_t is_output;   /* 1: with NC3Z_EIO, the output failed */
	uint64_t reserved[3]; /* 0 */
};

/*
 * The error number of <netcdf.h> for a status, as libnetcdf would return it in
 * the same situation.  For NC3Z_EIO this is the errno in 'err' (which may be
 * NULL), if there is one.  For NC3Z_ETRUNCATED it is NC_NOERR, as libnetcdf
 * returns zeros there.  For an unknown status it is NC_EIO.  nc3z_compat.h and
 * the netcdf-c plug-in return these numbers.
 */
NC3Z_API int nc3z_netcdf_status(int status, const struct nc3z_error *err);

/*
 * Opening
 * =======
 */

/* An open archive or plain classic file; both are used in the same way. */
struct nc3z_file;

/* Where bytes come from; see "Sources". */
struct nc3z_source;

/* Where bytes go; see "Sinks". */
struct nc3z_sink;

#define NC3Z_CACHE_NBYTES_DEFAULT (UINT64_C(64) << 20)
#define NC3Z_CACHE_SHARED UINT64_MAX
#define NC3Z_READAHEAD_NBYTES_DEFAULT (UINT64_C(8) << 20)
#define NC3Z_THREADS_MAX 256u

/*
 * How to open a file.  nc3z_open_options_init() sets all fields; then change
 * any of them except 'options_nbytes'.
 */
struct nc3z_open_options {
	size_t options_nbytes; /* sizeof(struct nc3z_open_options) */
	/*
	 * The maximum size of the cache of decoded blocks, in bytes.  Blocks
	 * that a running call needs are not counted.  Once a quarter is used,
	 * blocks that were decoded ahead and have been read whole make room for
	 * the next ones.  NC3Z_CACHE_SHARED (default): the cache that all such
	 * files of the process share; nc3z_set_cache_nbytes() sets its size.
	 */
	uint64_t cache_nbytes;
	/*
	 * Threads that one large request may use, including the caller's: 1 to
	 * NC3Z_THREADS_MAX.  0 (default): the number in the environment
	 * variable NC3Z_THREADS or, without it, one for each processor.
	 */
	unsigned nthreads;
	/* Return NC3Z_OK in place of NC3Z_ETRUNCATED (default 0). */
	int ignores_truncation;
	/*
	 * The maximum number of bytes that other threads decode ahead (default
	 * 8 MiB; 0: none), for callers that go forward through a variable, the
	 * variables of a record or the original.  These threads start with the
	 * first request that benefits and end when the file is closed.
	 */
	uint64_t readahead_nbytes;
};

NC3Z_API void nc3z_open_options_init_sized(struct nc3z_open_options *options,
					   size_t options_nbytes);

static inline void nc3z_open_options_init(struct nc3z_open_options *options)
{
	nc3z_open_options_init_sized(options, sizeof(*options));
}

/*
 * Sets how many bytes the shared cache may hold, NC3Z_CACHE_NBYTES_DEFAULT at
 * first, and returns the previous size.  Any thread may call it at any time.
 */
NC3Z_API uint64_t nc3z_set_cache_nbytes(uint64_t nbytes);

/*
 * Opens an archive or a plain classic file, by its name: a path, a URL
 * or a member of a tar, as in nc3z_source_open_name().  'options' may be NULL
 * for the defaults and is not used after the call.
 *
 * NC3Z_ENOTCLASSIC if the file is neither; NC3Z_ENOTARCHIVE if it is a part of
 * an archive, which must be joined first; NC3Z_EDAMAGED, NC3Z_EUNSUPPORTED;
 * NC3Z_EINVAL for invalid options, or if 'path' is not a regular file;
 * NC3Z_EIO, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_open(const char *path,
		       const struct nc3z_open_options *options,
		       struct nc3z_file **file_ret, struct nc3z_error *err);

/*
 * Opens a file from a source that can seek (NC3Z_EINVAL otherwise).  On success
 * the file owns the source, reads it from several threads at once, and closes
 * it; on failure the caller still owns it.  Otherwise like nc3z_open().
 */
NC3Z_API int nc3z_open_source(struct nc3z_source *source,
			      const struct nc3z_open_options *options,
			      struct nc3z_file **file_ret,
			      struct nc3z_error *err);

/*
 * Closes the file and frees everything that inquiries returned.  The caller
 * must ensure that no other call on it is in progress and that all its
 * iterators are closed.  NULL is allowed.
 */
NC3Z_API void nc3z_close(struct nc3z_file *file);

/*
 * Inquiring
 * =========
 *
 * Dimensions, variables and attributes are numbered from 0, in the order of the
 * header.  Pointers in the results belong to the file and stay valid until it
 * is closed.
 */

/* Types of values: external types, and types in memory of the same names. */
enum nc3z_type {
	NC3Z_NAT = 0,  /* in memory: like the external type */
	NC3Z_BYTE = 1, /* signed char */
	NC3Z_CHAR = 2, /* char: text */
	NC3Z_SHORT = 3,
	NC3Z_INT = 4,
	NC3Z_FLOAT = 5,
	NC3Z_DOUBLE = 6,
	NC3Z_UBYTE = 7, /* unsigned char; from here on, only CDF-5 files */
	NC3Z_USHORT = 8,
	NC3Z_UINT = 9,
	NC3Z_INT64 = 10, /* long long */
	NC3Z_UINT64 = 11,
};

/* The CDL name of a type, such as "float", a constant string; "" if unknown. */
NC3Z_API const char *nc3z_type_name(int type);

/* Size of a value in bytes, in the file and in memory; 0 if unknown. */
NC3Z_API size_t nc3z_type_nbytes(int type);

/*
 * The default fill value of netCDF for a type, as in memory: nc3z_type_nbytes()
 * bytes, constant, aligned for the type.  NULL if unknown.
 */
NC3Z_API const void *nc3z_type_fill(int type);

/*
 * How many dimensions, variables and global attributes the file has, and the
 * number of its record dimension, -1 if it has none.  Each pointer may be NULL.
 */
NC3Z_API void nc3z_inq(const struct nc3z_file *file, int *ndims_ret,
		       int *nvars_ret, int *natts_ret, int *unlimdimid_ret);

/* The version of the classic format: 1, 2 or 5. */
NC3Z_API int nc3z_inq_format(const struct nc3z_file *file);

/*
 * The reason why libnetcdf refuses to open the original, and what opens it, a
 * constant string; NULL if it does not refuse.  Values can still be read, at
 * the offsets in the header.
 */
NC3Z_API const char *nc3z_inq_refusal(const struct nc3z_file *file);

struct nc3z_dim {
	const char *name;
	/*
	 * In indices.  For the record dimension, the number of records in the
	 * header or, if the header marks it as not known, the number of whole
	 * records in the file.
	 */
	uint64_t length;
	int is_record;
	uint64_t reserved[4]; /* 0 */
};

/* Describes a dimension.  NC3Z_EBADDIM. */
NC3Z_API int nc3z_inq_dim(const struct nc3z_file *file, int dimid,
			  struct nc3z_dim *dim_ret, struct nc3z_error *err);

/* The number of the dimension with this name.  NC3Z_EBADDIM. */
NC3Z_API int nc3z_inq_dimid(const struct nc3z_file *file, const char *name,
			    int *dimid_ret, struct nc3z_error *err);

struct nc3z_var {
	const char *name;
	int type; /* external: enum nc3z_type */
	int ndims;
	const int *dimids;     /* 'ndims', slowest first; NULL for a scalar */
	const uint64_t *shape; /* lengths of these dimensions */
	int natts;
	int is_record;        /* its first dimension is the record dimension */
	uint64_t nelems;      /* number of values */
	uint64_t begin;       /* offset of the first in the original */
	uint64_t reserved[3]; /* 0 */
};

/* Describes a variable.  NC3Z_ENOTVAR. */
NC3Z_API int nc3z_inq_var(const struct nc3z_file *file, int varid,
			  struct nc3z_var *var_ret, struct nc3z_error *err);

/* The number of the variable with this name.  NC3Z_ENOTVAR. */
NC3Z_API int nc3z_inq_varid(const struct nc3z_file *file, const char *name,
			    int *varid_ret, struct nc3z_error *err);

/* Takes the place of a variable's number for attributes of the file itself. */
#define NC3Z_GLOBAL (-1)

struct nc3z_att {
	const char *name;
	int type;             /* external: enum nc3z_type */
	uint64_t nelems;      /* number of values, or of bytes of text */
	int attnum;           /* its number */
	uint64_t reserved[4]; /* 0 */
};

/*
 * Describes an attribute of a variable or, with NC3Z_GLOBAL, of the file, by
 * its name or by its number.  NC3Z_ENOTVAR, NC3Z_ENOTATT.
 */
NC3Z_API int nc3z_inq_att(const struct nc3z_file *file, int varid,
			  const char *name, struct nc3z_att *att_ret,
			  struct nc3z_error *err);
NC3Z_API int nc3z_inq_attnum(const struct nc3z_file *file, int varid,
			     int attnum, struct nc3z_att *att_ret,
			     struct nc3z_error *err);

/* Size of the original, or of the plain file, in bytes. */
NC3Z_API uint64_t nc3z_inq_size(const struct nc3z_file *file);

/*
 * Getting values
 * ==============
 */

/*
 * Reads all values of an attribute, converted to 'memtype', an enum nc3z_type.
 * 'values' has room for nc3z_att.nelems values of that type.  Text gets no NUL
 * at its end.
 *
 * NC3Z_ENOTVAR, NC3Z_ENOTATT; NC3Z_EBADTYPE if 'memtype' is unknown;
 * NC3Z_ECHAR; NC3Z_ERANGE as in nc3z_get().
 */
NC3Z_API int nc3z_get_att(const struct nc3z_file *file, int varid,
			  const char *name, int memtype, void *values,
			  struct nc3z_error *err);

/*
 * Add this to NC3Z_FLOAT or NC3Z_DOUBLE, as the type in memory of nc3z_get()
 * and related functions, to unpack values by the attributes of their variable.
 * Missing values become NaN; all others are multiplied by scale_factor, then
 * add_offset is added, in double, and the result is converted like a double.
 * If either attribute is not a single number, neither is applied.
 *
 * A value is missing, as in netCDF4-python, if it
 * - equals _FillValue; or, without that attribute and unless values have one
 *   byte, the default fill value of netCDF;
 * - equals an element of missing_value;
 * - is outside valid_range or, without that attribute, less than valid_min or
 *   greater than valid_max.
 * These attributes hold packed values.  Text in them is ignored, and so are
 * numbers that an integer type of the variable cannot represent.  With the
 * attribute _Unsigned = "true", integers and these numbers are unsigned.
 *
 * NC3Z_UNPACKED with any other type in memory gives NC3Z_EBADTYPE; with more
 * than 32 missing values, NC3Z_ELIMIT.
 */
#define NC3Z_UNPACKED 0x100

/*
 * A hyperslab.  Each pointer is to an array with one element for each dimension
 * of the variable, slowest first.  'start' is required unless the variable is a
 * scalar; the others may be NULL.
 */
struct nc3z_hyperslab {
	const size_t *start;     /* first index */
	const size_t *count;     /* number of indices; NULL: whole dimensions */
	const ptrdiff_t *stride; /* distance of indices; NULL: 1 */
	/*
	 * Distance in memory, in values, of neighbours along the dimension;
	 * NULL: values are packed, row-major.
	 */
	const ptrdiff_t *imap;
};

/*
 * Reads a hyperslab of a variable (NULL: the whole variable) and converts it to
 * 'memtype': an enum nc3z_type, NC3Z_NAT for the external type, or a type with
 * NC3Z_UNPACKED.  'values' is memory of the caller, aligned for that type, with
 * room for the product of all counts (or as far as 'imap' reaches).  Only the
 * blocks that hold requested values are decoded, each once.
 *
 * If all values were read:
 * - NC3Z_OK.
 * - NC3Z_ERANGE: some values do not fit 'memtype'.  An integer that does not
 *   fit an integer type keeps its low-order bits.  A floating-point number that
 *   does not fit an integer type leaves its place in memory unchanged.  A
 *   double beyond the range of float becomes +-FLT_MAX.  Two cases are not
 *   errors: NaN as an integer, whose value is unspecified, and negative bytes
 *   as unsigned char, except in CDF-5.
 * - NC3Z_ETRUNCATED: values beyond the end of the original are 0.
 *
 * Nothing was read (arguments are checked in the order of libnetcdf):
 * - NC3Z_ENOTVAR, NC3Z_EBADTYPE, NC3Z_ECHAR.
 * - NC3Z_EINVALCOORDS: a start beyond a dimension (a start equal to its length
 *   is valid if the count is 0), or no start.
 * - NC3Z_EEDGE, NC3Z_ESTRIDE.
 * - NC3Z_ELIMIT: the variable is larger than any original can be.
 *
 * If 'values' is undefined:
 * - NC3Z_EDAMAGED, NC3Z_EUNSUPPORTED: for a block of this request, which *err
 *   names.  Requests that need other blocks succeed.
 * - NC3Z_EIO, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_get(struct nc3z_file *file, int varid,
		      const struct nc3z_hyperslab *hyperslab, int memtype,
		      void *values, struct nc3z_error *err);

/*
 * The calls of netCDF by name, nc_get_var() and so on.  Each form uses the
 * fields of 'hyperslab' that its call has, and ignores the others:
 * NC3Z_FORM_VAR uses none, NC3Z_FORM_VAR1 'start', NC3Z_FORM_VARA also 'count',
 * NC3Z_FORM_VARS also 'stride', and NC3Z_FORM_VARM also 'imap'.
 */
enum nc3z_form {
	NC3Z_FORM_VAR = 0,
	NC3Z_FORM_VAR1 = 1,
	NC3Z_FORM_VARA = 2,
	NC3Z_FORM_VARS = 3,
	NC3Z_FORM_VARM = 4,
};

/*
 * Like nc3z_get(), which derives the form from the pointers in 'hyperslab'.
 * The form matters if several arguments are invalid, because each call of
 * libnetcdf checks them in its own order: nc_get_vars() without strides differs
 * from nc_get_vara().  'hyperslab' may be NULL.  NC3Z_EINVAL for an unknown
 * form.
 */
NC3Z_API int nc3z_get_form(struct nc3z_file *file, int varid,
			   enum nc3z_form form,
			   const struct nc3z_hyperslab *hyperslab, int memtype,
			   void *values, struct nc3z_error *err);

/*
 * netCDF's calls: nc3z_get() with these fields of a hyperslab, and
 * nc3z_get_var1() with the indices of one value.
 */
static inline int nc3z_get_varm(struct nc3z_file *file, int varid,
				const size_t *start, const size_t *count,
				const ptrdiff_t *stride, const ptrdiff_t *imap,
				int memtype, void *values,
				struct nc3z_error *err)
{
	struct nc3z_hyperslab hyperslab;

	hyperslab.start = start;
	hyperslab.count = count;
	hyperslab.stride = stride;
	hyperslab.imap = imap;
	return nc3z_get(file, varid, &hyperslab, memtype, values, err);
}

static inline int nc3z_get_vars(struct nc3z_file *file, int varid,
				const size_t *start, const size_t *count,
				const ptrdiff_t *stride, int memtype,
				void *values, struct nc3z_error *err)
{
	return nc3z_get_varm(file, varid, start, count, stride, NULL, memtype,
			     values, err);
}

static inline int nc3z_get_vara(struct nc3z_file *file, int varid,
				const size_t *start, const size_t *count,
				int memtype, void *values,
				struct nc3z_error *err)
{
	return nc3z_get_varm(file, varid, start, count, NULL, NULL, memtype,
			     values, err);
}

static inline int nc3z_get_var1(struct nc3z_file *file, int varid,
				const size_t *index, int memtype, void *value,
				struct nc3z_error *err)
{
	struct nc3z_hyperslab hyperslab = { index, NULL, NULL, NULL };

	return nc3z_get_form(file, varid, NC3Z_FORM_VAR1, &hyperslab, memtype,
			     value, err);
}

static inline int nc3z_get_var(struct nc3z_file *file, int varid, int memtype,
			       void *values, struct nc3z_error *err)
{
	return nc3z_get(file, varid, NULL, memtype, values, err);
}

/*
 * The same with a C type in the name in place of 'memtype', as in netCDF:
 *
 *   nc3z_get_var_double(file, varid, values, err)
 *   nc3z_get_var1_double(file, varid, index, value, err)
 *   nc3z_get_vara_double(file, varid, start, count, values, err)
 *   nc3z_get_vars_double(file, varid, start, count, stride, values, err)
 *   nc3z_get_varm_double(file, varid, start, count, stride, imap, values, err)
 */
#define NC3Z_GETTERS(name, ctype, memtype) \
	static inline int nc3z_get_varm_##name( \
		struct nc3z_file *file, int varid, const size_t *start, \
		const size_t *count, const ptrdiff_t *stride, \
		const ptrdiff_t *imap, ctype *values, struct nc3z_error *err) \
	{ \
		return nc3z_get_varm(file, varid, start, count, stride, imap, \
				     memtype, values, err); \
	} \
\
	static inline int nc3z_get_vars_##name( \
		struct nc3z_file *file, int varid, const size_t *start, \
		const size_t *count, const ptrdiff_t *stride, ctype *values, \
		struct nc3z_error *err) \
	{ \
		return nc3z_get_vars(file, varid, start, count, stride, \
				     memtype, values, err); \
	} \
\
	static inline int nc3z_get_vara_##name( \
		struct nc3z_file *file, int varid, const size_t *start, \
		const size_t *count, ctype *values, struct nc3z_error *err) \
	{ \
		return nc3z_get_vara(file, varid, start, count, memtype, \
				     values, err); \
	} \
\
	static inline int nc3z_get_var1_##name(struct nc3z_file *file, \
					       int varid, const size_t *index, \
					       ctype *value, \
					       struct nc3z_error *err) \
	{ \
		return nc3z_get_var1(file, varid, index, memtype, value, err); \
	} \
\
	static inline int nc3z_get_var_##name(struct nc3z_file *file, \
					      int varid, ctype *values, \
					      struct nc3z_error *err) \
	{ \
		return nc3z_get_var(file, varid, memtype, values, err); \
	}

NC3Z_GETTERS(text, char, NC3Z_CHAR)
NC3Z_GETTERS(schar, signed char, NC3Z_BYTE)
NC3Z_GETTERS(uchar, unsigned char, NC3Z_UBYTE)
NC3Z_GETTERS(short, short, NC3Z_SHORT)
NC3Z_GETTERS(ushort, unsigned short, NC3Z_USHORT)
NC3Z_GETTERS(int, int, NC3Z_INT)
NC3Z_GETTERS(uint, unsigned int, NC3Z_UINT)
NC3Z_GETTERS(long, long, sizeof(long) == sizeof(int) ? NC3Z_INT : NC3Z_INT64)
NC3Z_GETTERS(float, float, NC3Z_FLOAT)
NC3Z_GETTERS(double, double, NC3Z_DOUBLE)
NC3Z_GETTERS(longlong, long long, NC3Z_INT64)
NC3Z_GETTERS(ulonglong, unsigned long long, NC3Z_UINT64)

#undef NC3Z_GETTERS

/*
 * Iterating
 * =========
 *
 * Reads a variable, or several variables of one shape in step, box by box.
 * This is for programs that work through more values than fit into memory.
 *
 *	nc3z_iterator_open(&var, 1, NULL, NULL, &iterator, &err);
 *	while ((status = nc3z_iterator_next(iterator, &box, &err)) ==
 *	       NC3Z_OK && box.nelems > 0)
 *		use(box.values[0], box.nelems);
 *	nc3z_iterator_close(iterator);
 *
 * Several iterators may read one file at once, while other calls use it, too.
 * An iterator does not use the cache of the file.  It keeps blocks that it will
 * need again, as far as its memory allows.
 */
struct nc3z_iterator;

/* A variable to be read, and the type in memory as in nc3z_get(). */
struct nc3z_iterator_var {
	struct nc3z_file *file; /* must stay open longer than the iterator */
	int varid;
	int memtype;
};

#define NC3Z_ITERATOR_MEMORY_DEFAULT (UINT64_C(64) << 20)

/* How to iterate; initialize with nc3z_iterator_options_init(). */
struct nc3z_iterator_options {
	size_t options_nbytes; /* sizeof(struct nc3z_iterator_options) */
	/*
	 * Lengths of a box, in values, one for each dimension.  A length that
	 * exceeds the hyperslab is cut to it.  NULL (default): the library
	 * takes boxes along the blocks, as large as memory allows, so that each
	 * block is decoded only once if possible.
	 */
	const size_t *box;
	/*
	 * Memory for the values of all variables and for blocks that are kept
	 * (default 64 MiB).  In addition, each thread needs the block that it
	 * is decoding, and each block that is read for one filling of this
	 * memory takes 40 bytes.
	 */
	uint64_t max_memory_nbytes;
};

NC3Z_API void
nc3z_iterator_options_init_sized(struct nc3z_iterator_options *options,
				 size_t options_nbytes);

static inline void
nc3z_iterator_options_init(struct nc3z_iterator_options *options)
{
	nc3z_iterator_options_init_sized(options, sizeof(*options));
}

/*
 * Starts an iteration over a hyperslab of 'nvars' variables of one shape, which
 * may be in different files.  'hyperslab' may be NULL for all values, 'options'
 * for the defaults.  Nothing is read yet, and all arguments are copied.
 *
 * NC3Z_EINVAL for invalid options, different shapes, an imap, no variable, or a
 * box length of 0; NC3Z_ELIMIT if a box does not fit the memory, or for more
 * than 32 dimensions; what nc3z_get() returns for its arguments; NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_iterator_open(const struct nc3z_iterator_var *vars,
				size_t nvars,
				const struct nc3z_hyperslab *hyperslab,
				const struct nc3z_iterator_options *options,
				struct nc3z_iterator **iterator_ret,
				struct nc3z_error *err);

/*
 * A box of values.  Its arrays belong to the iterator and are valid until the
 * next call of nc3z_iterator_next() or nc3z_iterator_close(); the caller may
 * change the values.
 */
struct nc3z_box {
	uint64_t number; /* from 0 */
	size_t nelems; /* values of each variable; 0: there are no more boxes */
	/* For each dimension, the first index and the number of indices. */
	const size_t *start;
	const size_t *count;
	void *const *values;  /* of each variable, row-major */
	uint64_t reserved[4]; /* 0 */
};

/*
 * Reads the next box.  After the last one it returns NC3Z_OK and a box whose
 * 'nelems' is 0.  Boxes come in row-major order, the last dimension fastest,
 * and hold each value of the hyperslab once.  Boxes at its edges may be
 * shorter, and so may the first box along a dimension if the library chose the
 * lengths.
 *
 * Returns what nc3z_get() returns.  NC3Z_ERANGE and NC3Z_ETRUNCATED concern all
 * boxes that were read together with this one.  Any other failure concerns this
 * box alone: its values are undefined, and the next call returns the box after
 * it.
 */
NC3Z_API int nc3z_iterator_next(struct nc3z_iterator *iterator,
				struct nc3z_box *box_ret,
				struct nc3z_error *err);

/* The cost of an iteration. */
struct nc3z_iterator_plan {
	uint64_t nboxes;
	const size_t *box;        /* lengths of the largest; do not free */
	uint64_t nblocks;         /* with the values; 0 for plain files */
	uint64_t nblocks_decoded; /* each counted as often as it is decoded */
	uint64_t memory_nbytes;   /* for values; the rest is for blocks */
	uint64_t reserved[4];     /* 0 */
};

/*
 * Computes the cost of the whole iteration, at any time, without reading
 * blocks.  Damaged blocks can add decodings.  NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_iterator_inq(struct nc3z_iterator *iterator,
			       struct nc3z_iterator_plan *plan_ret,
			       struct nc3z_error *err);

/* Frees the iterator and its boxes.  NULL is allowed. */
NC3Z_API void nc3z_iterator_close(struct nc3z_iterator *iterator);

/*
 * How an archive is stored
 * ========================
 *
 * One call for each level: nc3z_inq_summary() for the archive,
 * nc3z_inq_storage() for a variable, nc3z_inq_stream() for a stream,
 * nc3z_inq_block() for a block.  All return NC3Z_ENOTARCHIVE for plain files.
 * nc3z_decode_record() decodes a block that was fetched without this library.
 */

/* An archive as a whole. */
struct nc3z_summary {
	uint64_t original_nbytes;
	uint64_t archive_nbytes;
	uint64_t nblocks;
	uint32_t nstreams;
	uint16_t format_major;
	uint16_t format_minor;
	unsigned char sha256[32]; /* of the original */
	/* Only of jobs: decodings of blocks beyond the first of each. */
	uint64_t nrepeats;
	uint64_t ncopied;     /* blocks copied from an older archive */
	uint64_t reserved[3]; /* 0 */
};

/* Describes the archive.  NC3Z_ENOTARCHIVE. */
NC3Z_API int nc3z_inq_summary(const struct nc3z_file *file,
			      struct nc3z_summary *summary_ret,
			      struct nc3z_error *err);

/*
 * The same for a source, which must be able to seek (NC3Z_EINVAL otherwise).
 * It reads only the end of the archive, so that lists of many archives are
 * fast.  Other errors are as in nc3z_restore().
 */
NC3Z_API int nc3z_summarize(struct nc3z_source *in,
			    struct nc3z_summary *summary_ret,
			    struct nc3z_error *err);

/* The maximum number of dimensions of a chunked variable. */
#define NC3Z_CHUNK_DIMS_MAX 32

/* Where a variable is stored. */
struct nc3z_storage {
	uint32_t stream;       /* NC3Z_NO_NUMBER: in no stream of its own */
	int is_shared;         /* other variables are in that stream, too */
	uint32_t block_nbytes; /* raw bytes of a full block */
	uint64_t nblocks;      /* of the stream */
	/* Lengths of a full chunk, in values; 0 dimensions: not chunked. */
	uint32_t nchunk_dims;
	uint32_t chunk_lengths[NC3Z_CHUNK_DIMS_MAX];
	uint64_t reserved[4]; /* 0 */
};

/* Describes where a variable is stored.  NC3Z_ENOTVAR, NC3Z_ENOTARCHIVE. */
NC3Z_API int nc3z_inq_storage(const struct nc3z_file *file, int varid,
			      struct nc3z_storage *storage_ret,
			      struct nc3z_error *err);

/*
 * Codecs, by their number in the format.  Context coding takes the place of
 * filters and codec for integers with noise.  It is read, but not written any
 * more: options take one of the other codecs.
 */
enum nc3z_codec {
	NC3Z_CODEC_STORE = 0,
	NC3Z_CODEC_DEFLATE = 1,
	NC3Z_CODEC_BZIP2 = 2,
	NC3Z_CODEC_ZSTD = 3,
	NC3Z_CODEC_CONTEXT = 4,
	NC3Z_CODEC_LZMA = 5,
};

/*
 * The name of the codec with a number ("zstd", a constant string; NULL if there
 * is none), and the number of the codec with a name (-1 if there is none).
 * Numbers ascend from 0 without a gap.
 */
NC3Z_API const char *nc3z_codec_name(int codec);
NC3Z_API int nc3z_codec_by_name(const char *name);

/* Filters, by their number in the format. */
enum nc3z_filter {
	NC3Z_FILTER_ORDER = 1,
	NC3Z_FILTER_DELTA = 2, /* parameter: the stride, in elements */
	NC3Z_FILTER_ZIGZAG = 3,
	NC3Z_FILTER_SHUFFLE = 4,
	NC3Z_FILTER_BITSHUFFLE = 5,
	NC3Z_FILTER_EXTRAPOLATE = 6, /* takes the deltas after it */
	/* Splitting steps: 256 plus their number. */
	NC3Z_FILTER_CONSTANT = 257,
	NC3Z_FILTER_DROP = 258,
	/* Parameters: the divisor, the factor; UINT32_MAX if that is less. */
	NC3Z_FILTER_FRACTION = 259,
	NC3Z_FILTER_PALETTE = 260,
	NC3Z_FILTER_MULTIPLE = 261,
	NC3Z_FILTER_REPEAT = 262, /* parameter: the first distance */
};

#define NC3Z_CODING_STEPS_MAX 16

/*
 * How a block is encoded: 'nsteps' filters (enum nc3z_filter) in the order of
 * encoding, each with its parameter or 0, then the codec: an enum nc3z_codec,
 * or NC3Z_NO_NUMBER if no bytes are left for it.
 */
struct nc3z_coding {
	uint32_t codec;
	uint32_t nsteps;
	uint32_t filters[NC3Z_CODING_STEPS_MAX];
	uint32_t parameters[NC3Z_CODING_STEPS_MAX];
};

/*
 * Writes a coding as text, "order delta(1) zigzag shuffle zstd", to 'text',
 * memory of 'text_nbytes' bytes.  Like snprintf(), it cuts off what does not
 * fit, ends with a NUL, and returns the length of the whole text.
 */
NC3Z_API size_t nc3z_coding_text(const struct nc3z_coding *coding, char *text,
				 size_t text_nbytes);

struct nc3z_stream_info {
	uint32_t
		nvars; /* variables in it; 0: bytes that have no other stream */
	int varid;     /* the first of these variables, or NC3Z_GLOBAL */
	uint32_t block_nbytes; /* raw bytes of a full block */
	uint32_t ncodings;     /* different codings of its blocks, up to 64 */
	uint64_t nblocks;
	uint64_t original_nbytes;
	uint64_t stored_nbytes;    /* block records: headers and payloads */
	struct nc3z_coding coding; /* the most frequent one */
	uint64_t reserved[4];      /* 0 */
};

/*
 * Describes a stream, by its number below nc3z_summary.nstreams.  Reads the
 * header of each of its block records, not the payloads.
 *
 * NC3Z_EINVAL if there is no such stream; NC3Z_ENOTARCHIVE; NC3Z_EDAMAGED,
 * NC3Z_EUNSUPPORTED, NC3Z_EIO, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_inq_stream(struct nc3z_file *file, uint32_t stream,
			     struct nc3z_stream_info *info_ret,
			     struct nc3z_error *err);

/* The record of a block, or of the earlier block that it equals. */
struct nc3z_block {
	uint64_t offset;        /* of its record, in the archive */
	uint32_t record_nbytes; /* header and payload */
	uint32_t raw_nbytes;
	uint32_t raw_crc;   /* CRC-32 of the raw bytes */
	uint32_t of_stream; /* whose block the record is */
	uint64_t of_block;
	struct nc3z_coding coding;
	uint64_t reserved[4]; /* 0 */
};

/*
 * Describes a block of a stream, by its number from 0.  Reads and checks its
 * record but does not decode it.
 *
 * NC3Z_EINVAL if there is no such block; NC3Z_ENOTARCHIVE; NC3Z_EDAMAGED,
 * NC3Z_EUNSUPPORTED, NC3Z_EIO, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_inq_block(struct nc3z_file *file, uint32_t stream,
			    uint64_t block, struct nc3z_block *block_ret,
			    struct nc3z_error *err);

/* Which values a block holds. */
struct nc3z_block_range {
	int varid;      /* the first variable in it, or NC3Z_GLOBAL: none */
	uint32_t nvars; /* of its stream */
	/* 0: not known, because several variables share the stream. */
	int ndims;
	/* The box from 'first' to 'last'; 0: all between in row-major order. */
	int is_box;
	uint64_t first[NC3Z_CHUNK_DIMS_MAX];
	uint64_t last[NC3Z_CHUNK_DIMS_MAX];
	uint64_t reserved[4]; /* 0 */
};

/*
 * Says which values a block of a stream holds, without reading it: for messages
 * about a block that struct nc3z_error names.  NC3Z_EINVAL if there is no such
 * block; NC3Z_ENOTARCHIVE.
 */
NC3Z_API int nc3z_inq_block_range(const struct nc3z_file *file, uint32_t stream,
				  uint64_t block,
				  struct nc3z_block_range *range_ret,
				  struct nc3z_error *err);

/* A block record: a block as an archive stores it, header and payload. */
struct nc3z_record {
	uint64_t offset;        /* in the archive, or NC3Z_NO_OFFSET */
	uint64_t block;         /* its number in the stream */
	uint32_t stream;        /* its number in the archive */
	uint32_t record_nbytes; /* header and payload */
	uint32_t raw_nbytes;    /* decoded */
	uint32_t raw_crc;       /* CRC-32 of the raw bytes */
	int is_duplicate;       /* the record belongs to an equal block */
	uint64_t reserved[4];   /* 0 */
};

/*
 * Says where the record of a block is in the archive, for callers that fetch it
 * themselves.  Reads at most the segment of the index with this block, and
 * keeps it.  If the archive is inside a tar, the offset is counted from the
 * start of the archive.  If the block equals one before it, its record is the
 * record of that block, and nc3z_decode_record() gives the numbers of that
 * block.
 *
 * NC3Z_EINVAL if there is no such block; NC3Z_ENOTARCHIVE; NC3Z_EDAMAGED,
 * NC3Z_EIO, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_inq_record(struct nc3z_file *file, uint32_t stream,
			     uint64_t block, struct nc3z_record *record_ret,
			     struct nc3z_error *err);

/*
 * Decodes one block record without its archive.  'record' begins with the
 * record and has 'record_nbytes' bytes, at least as many as nc3z_inq_record()
 * says; any bytes after the record are ignored.  Writes the raw bytes to 'raw',
 * which has room for 'raw_nbytes' bytes, leaves the rest of that memory
 * unchanged, and describes the record in '*record_ret' (which may be NULL),
 * with NC3Z_NO_OFFSET.  Verifies all checks of the record, but not that it
 * belongs to any archive.
 *
 * Any number of threads may call this function at once.  Whatever 'record'
 * says, it allocates no more than a small multiple of 'raw_nbytes' bytes.
 *
 * NC3Z_EDAMAGED if the record is damaged, cut off, or not a record at all;
 * NC3Z_EUNSUPPORTED; NC3Z_ELIMIT if the block has more than 'raw_nbytes' bytes;
 * NC3Z_ENOMEM.  On failure the offset in *err is relative to the record, and
 * 'raw' is undefined.
 */
NC3Z_API int nc3z_decode_record(const void *record, size_t record_nbytes,
				void *raw, size_t raw_nbytes,
				struct nc3z_record *record_ret,
				struct nc3z_error *err);

/* What the block cache has done since the file was opened. */
struct nc3z_cache_stats {
	uint64_t nblocks_decoded;
	uint64_t nblocks_found; /* requests that found their block decoded */
	uint64_t nblocks_held;
	uint64_t nbytes_held;
	uint64_t reserved[4]; /* 0 */
};

/* Any thread may call it at any time. */
NC3Z_API void nc3z_inq_cache(struct nc3z_file *file,
			     struct nc3z_cache_stats *stats_ret);

/*
 * Packing
 * =======
 */

#define NC3Z_LEVEL_DEFAULT 5
#define NC3Z_LEVEL_MAX 9
#define NC3Z_BLOCK_NBYTES_MIN (UINT32_C(1) << 12)
#define NC3Z_BLOCK_NBYTES_MAX (UINT32_C(1) << 26)
#define NC3Z_MAX_MEMORY_DEFAULT (UINT64_C(256) << 20)

/*
 * Called from time to time, in the thread that started the job, with the number
 * of bytes of the original and of the archive that are done.
 */
typedef void nc3z_progress_fn(void *context, uint64_t original_nbytes,
			      uint64_t archive_nbytes);

/* How to pack; initialize with nc3z_pack_options_init(). */
struct nc3z_pack_options {
	size_t options_nbytes; /* sizeof(struct nc3z_pack_options) */
	/*
	 * 1 to NC3Z_THREADS_MAX; 0 (default): one for each processor.  The
	 * archive does not depend on it.
	 */
	unsigned nthreads;
	int level; /* 0 (store) to 9 (smallest); default 5 */
	int codec; /* enum nc3z_codec except context; default zstd */
	/*
	 * Raw bytes of a block, NC3Z_BLOCK_NBYTES_MIN to _MAX; 0 (default):
	 * 65,536 values, but at least 128 KiB, and 1 MiB of text.  With chunks,
	 * level 9 takes 1 MiB.  Without chunks, it first reads the first 16 MiB
	 * of the original, and takes these sizes, 1 MiB or 4 MiB, whichever
	 * compresses them best.  It may also combine variables of an original
	 * of up to 4 MiB.
	 */
	uint32_t block_nbytes;
	/*
	 * 'nchunks' strings that say which variables are cut into chunks, and
	 * how: --chunks in nc3compress(1) explains their syntax.  Default: no
	 * chunks, values in the order of the file.
	 */
	const char *const *chunks;
	size_t nchunks;
	/*
	 * Memory for chunks (default 256 MiB).  One row of chunks along the
	 * first dimension, of all record variables together, is in memory at a
	 * time.  Keywords of 'chunks' choose lengths that fit.  If lengths that
	 * were given do not, parts of a source that can seek are read again;
	 * the archive is the same.
	 */
	uint64_t max_memory_nbytes;
	void *context; /* passed to the functions below, which may be NULL */
	/*
	 * Called, in the thread that started the job, with one line for each
	 * oddity of the input that is kept as it is.
	 */
	void (*warn)(void *context, const char *text);
	nc3z_progress_fn *progress;
	/*
	 * NULL (default), or a number that another thread or a signal handler
	 * sets to a value other than 0 to stop packing.  Packing then ends
	 * within about a second, with NC3Z_EIO and sys_errno ECANCELED.
	 */
	const int *stop;
	/*
	 * NULL (default), or an archive of an older state of the file, which
	 * can seek and stays the caller's.  Blocks that packing would make
	 * again are copied from it; with the same options and version, the
	 * archive is the same.
	 *
	 * Archives do not say with which options and by which version they were
	 * made.  So some blocks of each variable are encoded in any case, and
	 * nc3z_pack() fails with NC3Z_EOLDER if these are not as they are in
	 * the older archive, or if that is damaged: discard 'out', and pack
	 * again without it.  With other options that change few blocks, the
	 * archive may have blocks that packing would not make; its contents are
	 * right.
	 */
	struct nc3z_source *older;
	/*
	 * Not 0: also fail with NC3Z_EOLDER unless the file, whose size must be
	 * known, has every byte of the older original.  Its number of records
	 * may differ.
	 */
	uint64_t older_is_kept;
};

NC3Z_API void nc3z_pack_options_init_sized(struct nc3z_pack_options *options,
					   size_t options_nbytes);

static inline void nc3z_pack_options_init(struct nc3z_pack_options *options)
{
	nc3z_pack_options_init_sized(options, sizeof(*options));
}

/*
 * Packs a netCDF classic file into an archive, in one pass over 'in' unless
 * chunks need more memory than allowed.  Does not commit 'out'.  'options' may
 * be NULL for the defaults, 'summary_ret' may be NULL.
 *
 * NC3Z_ENOTCLASSIC, with offset and reason; NC3Z_EINVAL for invalid options;
 * NC3Z_ELIMIT for an original of 2^63-1 bytes or more, a header or plan beyond
 * the limits of the format, or chunks that need more memory than allowed and a
 * source that cannot seek; NC3Z_ECHANGED if the source has changed: its size,
 * its time of modification or, with the same links and permissions, its time of
 * change; NC3Z_EDAMAGED if a source of nc3z_source_unpack() is damaged, with
 * offset 0 if not even its first eight bytes could be unpacked; NC3Z_EIO,
 * NC3Z_ENOMEM.  On failure, discard the contents of 'out'.
 */
NC3Z_API int nc3z_pack(struct nc3z_source *in, struct nc3z_sink *out,
		       const struct nc3z_pack_options *options,
		       struct nc3z_summary *summary_ret,
		       struct nc3z_error *err);

/*
 * Restoring and verifying
 * =======================
 */

/* How to restore or verify; initialize with nc3z_restore_options_init(). */
struct nc3z_restore_options {
	size_t options_nbytes; /* sizeof(struct nc3z_restore_options) */
	unsigned nthreads;     /* as in struct nc3z_pack_options */
	/* Memory for chunks that are being put together (default 256 MiB). */
	uint64_t max_memory_nbytes;
	/*
	 * Larger originals are refused with NC3Z_ELIMIT, before anything is
	 * written if the source can seek; 0 (default): no limit.
	 */
	uint64_t max_original_nbytes;
	void *context; /* passed to the functions below, which may be NULL */
	/*
	 * Called before the first block is decoded, with one line, if some
	 * blocks must be decoded several times to keep to 'max_memory_nbytes'.
	 */
	void (*note)(void *context, const char *text);
	nc3z_progress_fn *progress;
};

NC3Z_API void
nc3z_restore_options_init_sized(struct nc3z_restore_options *options,
				size_t options_nbytes);

static inline void
nc3z_restore_options_init(struct nc3z_restore_options *options)
{
	nc3z_restore_options_init_sized(options, sizeof(*options));
}

/*
 * Restores the original, byte for byte, checking every checksum on the way and
 * the SHA-256 at the end.  Does not commit 'out'.  'options' may be NULL for
 * the defaults, 'summary_ret' may be NULL.  If 'in' is a member of a tar, a
 * file gets its time of modification and, of the permissions that 'out' was
 * opened with, those of the member.
 *
 * This takes one pass over 'in'.  If chunks need more memory than allowed, a
 * sink with a path is written out of order, still in one pass.  For other
 * sinks, and for verifying, some blocks are then decoded several times, and the
 * source must be able to seek.
 *
 * NC3Z_ENOTARCHIVE, NC3Z_EDAMAGED, NC3Z_EUNSUPPORTED; NC3Z_ELIMIT if chunks
 * need more memory than allowed and neither way is possible, or if the original
 * is too large; NC3Z_EINVAL for invalid options; NC3Z_EIO, NC3Z_ENOMEM.  After
 * a failure, the bytes already written to a sink without a path are the start
 * of the original.
 */
NC3Z_API int nc3z_restore(struct nc3z_source *in, struct nc3z_sink *out,
			  const struct nc3z_restore_options *options,
			  struct nc3z_summary *summary_ret,
			  struct nc3z_error *err);

/*
 * Restores without an output: NC3Z_OK proves that nc3z_restore() will produce
 * the original.
 */
NC3Z_API int nc3z_verify(struct nc3z_source *in,
			 const struct nc3z_restore_options *options,
			 struct nc3z_summary *summary_ret,
			 struct nc3z_error *err);

/*
 * Checks an archive without decoding it, as fast as it can be read, in one
 * thread: the CRC-32 of all stored bytes, the order and lengths of all records,
 * and whether index, header copy, catalogue and trailer agree with them.  This
 * finds all damage done after the archive was written.  Unlike nc3z_verify(),
 * it does not prove that the blocks decode to the original.  Errors are as
 * in nc3z_restore().
 */
NC3Z_API int nc3z_verify_quick(struct nc3z_source *in,
			       const struct nc3z_restore_options *options,
			       struct nc3z_summary *summary_ret,
			       struct nc3z_error *err);

/*
 * Converting
 * ==========
 */

/* The cost of converting an archive. */
struct nc3z_conversion {
	uint64_t original_nbytes;
	uint64_t nblocks;        /* to be read */
	uint64_t ndecodings;     /* of all these blocks together */
	uint64_t most_decodings; /* of one of these blocks */
	uint64_t nblocks_written;
	/*
	 * For open chunks of both archives together and, if not all chunks of
	 * the new one fit, for one block that is read again.
	 */
	uint64_t memory_nbytes;
	uint64_t once_nbytes; /* memory for decoding each block once */
	uint64_t reserved[4]; /* 0 */
};

/*
 * Converts an archive into another one of the same original, with other chunks
 * or none, or another level, codec or block size, without a classic file in
 * between.  Does not commit 'out'.
 *
 * The archive is the one that nc3z_pack() would write from the original with
 * these options, except for two defaults: without 'chunks', variables keep
 * their chunks, and then 'block_nbytes' 0 keeps the block size if it is a power
 * of two.  The string "linear" in 'chunks' removes chunks.  'options' may be
 * NULL for the default level and codec and the same layout.  Chunks of 'in' get
 * the part of 'max_memory_nbytes' that chunks of 'out' leave, but at least an
 * additional eighth of it.  If memory is short, blocks are decoded several
 * times.  'conversion_ret' and 'summary_ret' may be NULL.
 *
 * 'in' must be able to seek, is read by several threads at once, and still
 * belongs to the caller.
 *
 * NC3Z_OK means that the decoded bytes have the SHA-256 of the original.
 * NC3Z_ENOTARCHIVE, NC3Z_EDAMAGED, NC3Z_EUNSUPPORTED for 'in'; NC3Z_EINVAL for
 * invalid options or an input that cannot seek; NC3Z_ELIMIT as in nc3z_pack(),
 * but because of memory only if one chunk of 'out' and one block of 'in' do not
 * fit; NC3Z_ECHANGED, NC3Z_EIO, NC3Z_ENOMEM.  On failure, discard the contents
 * of 'out'.
 */
NC3Z_API int nc3z_convert(struct nc3z_source *in, struct nc3z_sink *out,
			  const struct nc3z_pack_options *options,
			  struct nc3z_conversion *conversion_ret,
			  struct nc3z_summary *summary_ret,
			  struct nc3z_error *err);

/*
 * Salvaging
 * =========
 */

#define NC3Z_SALVAGE_INPUTS_MAX 64u

/* How to salvage; initialize with nc3z_salvage_options_init(). */
struct nc3z_salvage_options {
	size_t options_nbytes; /* sizeof(struct nc3z_salvage_options) */
	/*
	 * As in struct nc3z_pack_options; with 1, hashing has no thread of its
	 * own.
	 */
	unsigned nthreads;
	/*
	 * Which archive to salvage if the inputs hold several: its number, from
	 * 1, in the order of their offsets; 0 (default): the one with the most
	 * bytes left.
	 */
	unsigned archive;
	/*
	 * Larger originals are refused with NC3Z_ELIMIT.  0 (default): 1 GiB
	 * plus 64 times the raw bytes of the blocks that are left, because a
	 * small archive can claim any size.
	 */
	uint64_t max_original_nbytes;
	uint64_t max_memory_nbytes; /* for open blocks; default 256 MiB */
	void *context;              /* passed to 'progress' */
	nc3z_progress_fn *progress; /* may be NULL */
};

NC3Z_API void
nc3z_salvage_options_init_sized(struct nc3z_salvage_options *options,
				size_t options_nbytes);

static inline void
nc3z_salvage_options_init(struct nc3z_salvage_options *options)
{
	nc3z_salvage_options_init_sized(options, sizeof(*options));
}

/* Where the plan, which says what blocks hold, was found. */
enum nc3z_salvage_plan {
	NC3Z_SALVAGE_PLAN_SECTION = 1,   /* in its place */
	NC3Z_SALVAGE_PLAN_CATALOGUE = 2, /* in the copy at the end */
	/* Before the blocks, but not proven, as the first block is lost. */
	NC3Z_SALVAGE_PLAN_BY_PLACE = 3,
	NC3Z_SALVAGE_PLAN_COMPUTED = 4, /* from the header, and proven */
};

/*
 * Something that was lost and filled.  Values of a variable: all from index
 * 'first' to index 'last' in row-major order or, if 'is_box', all in the box
 * between them.  If 'varid' is NC3Z_GLOBAL and 'name' is "", bytes that belong
 * to no variable.
 */
struct nc3z_loss {
	int varid;
	const char *name;
	int is_box;
	int ndims;
	const uint64_t *first; /* 'ndims' indices */
	const uint64_t *last;
	uint64_t offset; /* in the original; NC3Z_NO_OFFSET for boxes */
	uint64_t nbytes;
	uint64_t reserved[4]; /* 0 */
};

/* Result of a salvage.  All pointers belong to the report. */
struct nc3z_salvage_report {
	struct nc3z_summary summary; /* of the new archive */
	int is_whole; /* nothing is lost, as the SHA-256 proves */
	/* Whether size and SHA-256 of the packed original are known. */
	int has_original_sha256;
	unsigned char original_sha256[32];
	uint64_t nblocks_kept; /* copied as they were */
	uint64_t nblocks_made; /* with something filled, or moved */
	uint64_t nbytes_lost;  /* of the original */
	size_t source;         /* input, from 0, with most of the archive */
	uint64_t offset;       /* where the archive begins in that input */
	unsigned nothers;      /* archives in the inputs that were left out */
	int plan_from;         /* enum nc3z_salvage_plan */
	int header_is_copy;    /* the header's blocks are lost */
	size_t nlosses;
	const struct nc3z_loss *losses;
	uint64_t nlosses_unlisted; /* beyond the first 10,000 */
};

/*
 * Rebuilds an archive from its remains in 'nin' inputs (1 to
 * NC3Z_SALVAGE_INPUTS_MAX) that can seek: damaged copies of one archive, its
 * first part, or disk images that contain it.  Blocks are found by their own
 * marks and checks.  'out' gets an intact archive: blocks that are left are
 * copied; lost values become the fill value of their variable; other lost bytes
 * become zeros.  If nothing is lost, it is the archive that was packed.  Does
 * not commit 'out'.  'options' and 'report_ret' may be NULL; free the report
 * with nc3z_salvage_report_free().
 *
 * NC3Z_OK, even if something is lost.  NC3Z_ENOTARCHIVE if the inputs have no
 * block of an archive; NC3Z_EDAMAGED if the plan or the header of the original
 * is lost, or if all blocks exist but do not belong to one original;
 * NC3Z_EINVAL for invalid options, and for inputs that cannot seek or are not
 * copies of one archive; NC3Z_ELIMIT; NC3Z_EIO, NC3Z_ENOMEM.  On failure,
 * discard the contents of 'out'.
 */
NC3Z_API int nc3z_salvage(struct nc3z_source *const *in, size_t nin,
			  struct nc3z_sink *out,
			  const struct nc3z_salvage_options *options,
			  struct nc3z_salvage_report **report_ret,
			  struct nc3z_error *err);

/* NULL is allowed. */
NC3Z_API void nc3z_salvage_report_free(struct nc3z_salvage_report *report);

/*
 * Sources
 * =======
 *
 * Where bytes come from.  Only one call may use a source at a time;
 * nc3z_open_source() and nc3z_convert() alone read it from several threads.  A
 * source can be used again after the call if it can seek.
 */

/*
 * Opens a source by its name, for reading at any offset:
 * - a regular file, by its path;
 * - an object on a server (http://, https:// or s3://bucket/key), without
 *   copying it; nc3z-remote(7) lists the settings;
 * - a member of a tar, TAR//MEMBER (see "Tars").
 *
 * The first and the last bytes of an object are fetched at once.  Others are
 * fetched in ranges, several at the same time, when they are announced (see
 * struct nc3z_callbacks) or read.  'flags' is 0 or NC3Z_URL_STREAM: one request
 * from the first byte to the last, for nc3z_restore() and other calls that go
 * through an archive in order; seeking back costs further requests.  Files
 * ignore the flag.
 *
 * Errors, here or when the source is read: NC3Z_EIO, for objects with sys_errno
 * ENOENT if there is no such object, EACCES if access is denied (or there is no
 * such object and the server does not say so), EBUSY if the server is
 * overloaded, ETIMEDOUT if it does not answer, or another one; NC3Z_ECHANGED if
 * the object changed; NC3Z_EUNSUPPORTED if URLs are off (NC3Z_REMOTE) or
 * libnc3z-remote cannot be loaded, and for a compressed tar; NC3Z_ENOTARCHIVE
 * if the file is not a tar, NC3Z_EDAMAGED if the tar is damaged; NC3Z_EINVAL
 * for a path that is not a regular file, an invalid URL or flag; NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_source_open_name(const char *name, unsigned flags,
				   struct nc3z_source **source_ret,
				   struct nc3z_error *err);
#define NC3Z_URL_STREAM 1u

/*
 * Whether a name starts with the scheme of such a URL, in lower case or
 * capitals.  Nothing is fetched.
 */
NC3Z_API int nc3z_is_url(const char *name);

/*
 * Copies a name in a form that is safe to show: a URL of any scheme without
 * user, password, query and fragment, any other name unchanged.  If the host of
 * a URL cannot be told from a password, only the scheme is copied.  'text' has
 * room for 'text_nbytes' bytes; a longer name is cut off, and it ends with a
 * NUL.
 */
NC3Z_API void nc3z_url_text(const char *name, char *text, size_t text_nbytes);

/*
 * Reads from a file descriptor (file, pipe or socket), from its current
 * position to its end.  The descriptor stays the caller's and must stay open.
 * NC3Z_EIO, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_source_open_fd(int fd, struct nc3z_source **source_ret,
				 struct nc3z_error *err);

/* The bytes from 'offset' to 'offset' + 'nbytes' - 1 of a source. */
struct nc3z_range {
	uint64_t offset;
	uint64_t nbytes;
};

/* User-supplied I/O callbacks; set fields that are not used to 0. */
struct nc3z_callbacks {
	size_t callbacks_nbytes; /* sizeof(struct nc3z_callbacks) */
	void *context;           /* passed to the functions */
	uint64_t size;           /* in bytes */
	/*
	 * Reads up to 'nbytes' bytes at 'offset', fewer only at the end, sets
	 * '*nbytes_ret', and returns 0 or an errno.  Runs in several threads at
	 * once if the source is given to nc3z_open_source() or nc3z_convert().
	 */
	int (*read_at)(void *context, uint64_t offset, void *data,
		       size_t nbytes, size_t *nbytes_ret);
	/* Called when the source is closed; may be NULL. */
	void (*close)(void *context);
	/*
	 * Announces which bytes will be read, so that a slow source can fetch
	 * several ranges at the same time; must not wait for them; may be NULL.
	 * Runs in several threads at once, like 'read_at'.  Each range is worth
	 * one fetch.  Ranges do not overlap, and come in the order in which
	 * they will be read.  Together they may exceed memory; one longer than
	 * 16 MiB is read from its first byte to its last.  Each announced byte
	 * is read at most once, except that up to 16 bytes before the last byte
	 * read may be read again.  Some announced bytes are not read at all:
	 * bytes that lie between others, and bytes that a failed call no longer
	 * needs.  Bytes that were not announced may be read, too.
	 */
	void (*announce)(void *context, const struct nc3z_range *ranges,
			 size_t nranges);
	/*
	 * Called at the end of a call that has read everything; may be NULL.
	 * Returns 0, ESTALE if the bytes have changed since the source was
	 * opened (NC3Z_ECHANGED), or another errno.
	 */
	int (*check_unchanged)(void *context);
};

/*
 * Reads through callbacks, which are copied.  NC3Z_EINVAL without 'read_at' or
 * with an invalid size; NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_source_open_callbacks(const struct nc3z_callbacks *callbacks,
					struct nc3z_source **source_ret,
					struct nc3z_error *err);

/*
 * Reads from memory, which stays the caller's and must not change while the
 * source is open.  NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_source_open_memory(const void *data, size_t data_nbytes,
				     struct nc3z_source **source_ret,
				     struct nc3z_error *err);

/*
 * If the source is a gzip, bzip2, zstd or xz file, replaces '*source' by one
 * that decompresses it as it is read and verifies the checks of its format.
 * Closing the new source closes the old one.  '*format_ret' is the name of the
 * format, a constant string; or NULL if '*source' is not such a file and stays
 * as it is, at its first byte.
 *
 * NC3Z_EIO, NC3Z_ENOMEM.  Damage inside is found when it is read, as
 * NC3Z_EDAMAGED.
 */
NC3Z_API int nc3z_source_unpack(struct nc3z_source **source,
				const char **format_ret,
				struct nc3z_error *err);

/* Closes a source and frees it.  NULL is allowed. */
NC3Z_API void nc3z_source_close(struct nc3z_source *source);

/*
 * Tars
 * ====
 *
 * Archives inside a tar that is not compressed are read in place, from files
 * and from servers.  Their names have two parts, the tar and the member, as in
 * data/2001.tar//jan/sst.nc.nc3z.  All functions that take the name of a file
 * for reading take such names, too.
 *
 * nc3compress(1) says which members can be read, and describes the index that
 * makes them quick to find.
 */

/*
 * Splits a name of two parts.  Returns the name of the tar and sets
 * '*member_ret' to the name of the member; free both with free().  The query of
 * an HTTP URL goes to the tar, and escapes in the member's part become the
 * bytes that they stand for.  Returns NULL, and sets '*member_ret' to NULL, if
 * the name has only one part or if out of memory.  A name has one part if it is
 * without ".tar//", ".tgz//" and so on, or if a file of this name exists.  One
 * slash is enough where that tar is a file, because many programs make one
 * slash of two.
 */
NC3Z_API char *nc3z_tar_split(const char *name, char **member_ret);

/*
 * Sinks
 * =====
 *
 * Where bytes go.  One call uses a sink at a time.  A file that is written to a
 * path is invisible until nc3z_sink_commit(); closing the sink without a commit
 * leaves no trace.  A sink takes the output of one job; a second one gets
 * NC3Z_EINVAL.
 */

/* Flags of nc3z_sink_open_path(). */
#define NC3Z_SINK_REPLACE 1u /* commit replaces an existing file */
#define NC3Z_SINK_SPARSE 2u  /* runs of zeros become holes */
#define NC3Z_SINK_PRIVATE 4u /* only 'mode' counts, no default ACL */

/*
 * Opens a temporary file in the directory of 'path', which gets that name at
 * commit, with permission bits 'mode' (the umask does not apply).  NC3Z_EEXIST
 * if 'path' exists and NC3Z_SINK_REPLACE is not given, if it is not a regular
 * file, or if it is a link to something else; NC3Z_EINVAL for unknown flags;
 * NC3Z_EIO, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_sink_open_path(const char *path, unsigned flags,
				 unsigned mode, struct nc3z_sink **sink_ret,
				 struct nc3z_error *err);

/*
 * At commit, gives the file the permissions (without the setuid, setgid and
 * sticky bits), times and, as far as the system allows, owner and extended
 * attributes of the open file 'fd', and its access control list or none.  If
 * the group cannot be set, the group gets the permissions of others.  With
 * NC3Z_SINK_PRIVATE permissions, owner and list are not taken over.  The
 * descriptor stays the caller's and must stay open until the commit.
 * NC3Z_EINVAL for sinks that have no path, NC3Z_EIO.
 */
NC3Z_API int nc3z_sink_copy_attributes(struct nc3z_sink *sink, int fd,
				       struct nc3z_error *err);

/*
 * Appends to a file descriptor, which stays the caller's and must stay open.
 * NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_sink_open_fd(int fd, struct nc3z_sink **sink_ret,
			       struct nc3z_error *err);

/*
 * Collects up to 'max_nbytes' bytes in memory; writing more fails with
 * NC3Z_ELIMIT.  NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_sink_open_memory(size_t max_nbytes,
				   struct nc3z_sink **sink_ret,
				   struct nc3z_error *err);

/*
 * The bytes of a memory sink, which belong to it and are valid until it is
 * written to or closed.  NULL and 0 for other sinks.
 */
NC3Z_API const void *nc3z_sink_memory(const struct nc3z_sink *sink,
				      size_t *data_nbytes_ret);

/*
 * Commits the output: syncs the file to disk, renames it into place, and syncs
 * the directory.  After NC3Z_EEXIST or NC3Z_ECHANGED no file has a new name;
 * after NC3Z_EIO the file may have its name if only the directory could not be
 * synced.  Other sinks have nothing to do.
 */
NC3Z_API int nc3z_sink_commit(struct nc3z_sink *sink, struct nc3z_error *err);

/*
 * Closes a sink and discards a file that was not committed.  NULL is allowed.
 */
NC3Z_API void nc3z_sink_close(struct nc3z_sink *sink);

/*
 * How this interface grows
 * ========================
 *
 * A program linked with one version of the shared library runs with every later
 * version that has the same NC3Z_VERSION_MAJOR, which is the number in the name
 * of the library.  Within a major version, functions are not removed and keep
 * their arguments, constants keep their values, and structs keep their fields.
 * The following may be added:
 *
 * - Functions, and values of enums.
 * - Fields at the end of option structs and of struct nc3z_callbacks.  Their
 *   first field is their size as the caller knows it.  The struct of an older
 *   caller is shorter: fields that it lacks have their defaults.  The struct of
 *   a newer caller is longer.  If all fields that the library does not know are
 *   0, as the _init functions set them, it is accepted.  Otherwise it is
 *   refused with NC3Z_EINVAL and a text about it.
 * - Fields in place of 'reserved' words at the end of structs that the library
 *   fills, whose size never changes.  The library sets reserved words to 0, so
 *   a newer caller finds 0 in a field that an older library does not know.
 * - Fields at the end of struct nc3z_salvage_report, which the library
 *   allocates.
 *
 * struct nc3z_hyperslab, nc3z_iterator_var, nc3z_range and
 * nc3z_coding never change.
 */

#ifdef __cplusplus
}
#endif

#endif
