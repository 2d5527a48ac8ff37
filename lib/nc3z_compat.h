/* SPDX-License-Identifier: MIT */
/*
 * The reading calls of netCDF-3, as <netcdf.h> declares them, for archives of
 * nc3z and for plain classic files (CDF-1, CDF-2, CDF-5).
 *
 * To port a program that reads, include this header in place of <netcdf.h> and
 * link with -lnc3z in place of -lnetcdf.  To leave its sources untouched, put
 * the directory nc3z, beside this header, first on the include path: it holds a
 * drop-in <netcdf.h>.  If files of a program pass netCDF IDs to each other,
 * port all of them.
 *
 * Arguments, values, the order of checks and error numbers are as in libnetcdf
 * 4.9.0 for classic files, with these exceptions:
 *
 * - There are no calls that write: nc_create(), nc_def_...(), nc_put_...(); the
 *   compiler says so.  Opening with NC_WRITE fails with NC_EPERM.
 * - A damaged archive gives NC_EIO in calls that need the damaged part.  An
 *   archive of a later format gives NC_ENOTBUILT.  Values beyond a limit of
 *   nc3z give NC_EVARSIZE.
 * - An unreadable header gives NC_ENOTNC, even where libnetcdf has another
 *   number or carries on with zeros; so does a header with types of another
 *   version of the format, which libnetcdf can open but not read.
 * - Values beyond the end of a truncated file are zeros, even where libnetcdf
 *   repeats the contents of its buffer, and when reading from memory.
 * - If the header leaves the number of records open, the number of whole
 *   records is used.
 * - Names are compared byte by byte; libnetcdf first composes the requested
 *   name (Unicode NFC).  Names longer than NC_MAX_NAME are cut off.
 * - nc_inq_var_fill() gives NC_EBADTYPE if the attribute _FillValue is larger
 *   than a value of the variable, and does not write past the caller's memory.
 * - The getters of strings give NC_EBADTYPE, or NC_ECHAR for text, without
 *   checking coordinates and counts first.
 * - If values do not fit (NC_ERANGE), some builds of later versions of
 *   libnetcdf give fill values.
 * - IDs are arbitrary numbers, where those of libnetcdf are small multiples of
 *   65536; the ID of a closed file is not reused soon.
 * - netCDF-4 files are not supported.  URLs are read as nc3z_open() reads them.
 *
 * Reasons.  If the environment variable NC3Z_COMPAT_VERBOSE is set to anything,
 * a call that cannot open a file or get values also prints a line on standard
 * error that says why: "nc3z: FILE: variable NAME: ...", with the block if one
 * is damaged.  This needs no change of the program, and works for Fortran.
 *
 * Threads.  Any number of threads may make these calls at once, on one file or
 * several; only nc_close() and nc_sync() need the file to themselves.  Finding
 * the file of an ID takes no lock.  Each reason is printed as a whole, by the
 * thread whose call fails; the environment must not be changed meanwhile.
 */
#ifndef NC3Z_COMPAT_H
#define NC3Z_COMPAT_H

#ifdef _NETCDF_
#error "include nc3z_compat.h in place of netcdf.h, or before it"
#else

/* Include guards of netcdf.h and netcdf_mem.h. */
#define _NETCDF_
#define NETCDF_MEM_H 1

#include <errno.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef NC3Z_API
#if defined(__GNUC__)
#define NC3Z_API __attribute__((visibility("default")))
#else
#define NC3Z_API
#endif
#endif

/* C89 has no standard keyword for this. */
#if defined(__GNUC__)
#define NC3Z_INLINE static __inline__ __attribute__((unused))
#else
#define NC3Z_INLINE static inline
#endif

/* Types of values. */
typedef int nc_type;

#define NC_NAT 0
#define NC_BYTE 1
#define NC_CHAR 2
#define NC_SHORT 3
#define NC_INT 4
#define NC_FLOAT 5
#define NC_DOUBLE 6
#define NC_UBYTE 7
#define NC_USHORT 8
#define NC_UINT 9
#define NC_INT64 10
#define NC_UINT64 11
#define NC_STRING 12
#define NC_LONG NC_INT
#define NC_MAX_ATOMIC_TYPE NC_STRING
/* User-defined types, which classic files do not have. */
#define NC_VLEN 13
#define NC_OPAQUE 14
#define NC_ENUM 15
#define NC_COMPOUND 16
#define NC_FIRSTUSERTYPEID 32

/* Default fill values. */
#define NC_FILL_BYTE ((signed char)-127)
#define NC_FILL_CHAR ((char)0)
#define NC_FILL_SHORT ((short)-32767)
#define NC_FILL_INT (-2147483647)
#define NC_FILL_FLOAT (9.9692099683868690e+36f)
#define NC_FILL_DOUBLE (9.9692099683868690e+36)
#define NC_FILL_UBYTE (255)
#define NC_FILL_USHORT (65535)
#define NC_FILL_UINT (4294967295U)
#define NC_FILL_INT64 ((long long)-9223372036854775806LL)
#define NC_FILL_UINT64 ((unsigned long long)18446744073709551614ULL)
#define NC_FILL_STRING ((char *)"")
#define _FillValue "_FillValue"
#define NC_FillValue "_FillValue"
#define NC_FILL 0
#define NC_NOFILL 0x100

/* Minimum and maximum values of types. */
#define NC_MAX_BYTE 127
#define NC_MIN_BYTE (-NC_MAX_BYTE - 1)
#define NC_MAX_CHAR 255
#define NC_MAX_SHORT 32767
#define NC_MIN_SHORT (-NC_MAX_SHORT - 1)
#define NC_MAX_INT 2147483647
#define NC_MIN_INT (-NC_MAX_INT - 1)
#define NC_MAX_FLOAT 3.402823466e+38f
#define NC_MIN_FLOAT (-NC_MAX_FLOAT)
#define NC_MAX_DOUBLE 1.7976931348623157e+308
#define NC_MIN_DOUBLE (-NC_MAX_DOUBLE)
#define NC_MAX_UBYTE NC_MAX_CHAR
#define NC_MAX_USHORT 65535U
#define NC_MAX_UINT 4294967295U
#define NC_MAX_INT64 (9223372036854775807LL)
#define NC_MIN_INT64 (-9223372036854775807LL - 1)
#define NC_MAX_UINT64 (18446744073709551615ULL)

/* Modes of nc_open(); all but NC_WRITE and NC_INMEMORY are accepted. */
#define NC_NOWRITE 0x0000
#define NC_WRITE 0x0001
#define NC_CLOBBER 0x0000
#define NC_NOCLOBBER 0x0004
#define NC_DISKLESS 0x0008
#define NC_MMAP 0x0010
#define NC_64BIT_DATA 0x0020
#define NC_UDF0 0x0040
#define NC_UDF1 0x0080
#define NC_CDF5 NC_64BIT_DATA
#define NC_CLASSIC_MODEL 0x0100
#define NC_64BIT_OFFSET 0x0200
#define NC_LOCK 0x0400
#define NC_SHARE 0x0800
#define NC_NETCDF4 0x1000
#define NC_MPIIO 0x2000
#define NC_MPIPOSIX NC_MPIIO
#define NC_PNETCDF (NC_MPIIO)
#define NC_PERSIST 0x4000
#define NC_INMEMORY 0x8000
#define NC_UDF2 0x10000
#define NC_NOATTCREORD 0x20000
#define NC_NODIMSCALE_ATTACH 0x40000
#define NC_UDF3 0x80000
#define NC_UDF4 0x100000
#define NC_UDF5 0x200000
#define NC_UDF6 0x400000
#define NC_UDF7 0x800000
#define NC_UDF8 0x1000000
#define NC_UDF9 0x2000000
#define NC_MAX_UDF_FORMATS 10
#define NC_MAX_MAGIC_NUMBER_LEN 8
/* For nc_open_memio(), which does not exist here. */
#define NC_MEMIO_LOCKED 1

/* Results of nc_inq_format(); only 1, 2 and 5 occur. */
#define NC_FORMAT_CLASSIC (1)
#define NC_FORMAT_64BIT_OFFSET (2)
#define NC_FORMAT_64BIT (NC_FORMAT_64BIT_OFFSET)
#define NC_FORMAT_NETCDF4 (3)
#define NC_FORMAT_NETCDF4_CLASSIC (4)
#define NC_FORMAT_64BIT_DATA (5)
#define NC_FORMAT_CDF5 NC_FORMAT_64BIT_DATA
#define NC_FORMAT_ALL \
	(NC_64BIT_OFFSET | NC_64BIT_DATA | NC_CLASSIC_MODEL | NC_NETCDF4 | \
	 NC_UDF0 | NC_UDF1)

/* Results of nc_inq_format_extended(); only the first occurs. */
#define NC_FORMATX_NC3 (1)
#define NC_FORMATX_NC_HDF5 (2)
#define NC_FORMATX_NC4 NC_FORMATX_NC_HDF5
#define NC_FORMATX_NC_HDF4 (3)
#define NC_FORMATX_PNETCDF (4)
#define NC_FORMATX_DAP2 (5)
#define NC_FORMATX_DAP4 (6)
#define NC_FORMATX_UDF0 (8)
#define NC_FORMATX_UDF1 (9)
#define NC_FORMATX_NCZARR (10)
#define NC_FORMATX_ZARR NC_FORMATX_NCZARR
#define NC_FORMATX_UDF2 (11)
#define NC_FORMATX_UDF3 (12)
#define NC_FORMATX_UDF4 (13)
#define NC_FORMATX_UDF5 (14)
#define NC_FORMATX_UDF6 (15)
#define NC_FORMATX_UDF7 (16)
#define NC_FORMATX_UDF8 (17)
#define NC_FORMATX_UDF9 (18)
#define NC_FORMATX_UNDEFINED (0)
#define NC_HAVE_INQ_FORMAT_EXTENDED
/* Their old names. */
#define NC_FORMAT_NC3 NC_FORMATX_NC3
#define NC_FORMAT_NC_HDF5 NC_FORMATX_NC_HDF5
#define NC_FORMAT_NC4 NC_FORMATX_NC4
#define NC_FORMAT_NC_HDF4 NC_FORMATX_NC_HDF4
#define NC_FORMAT_PNETCDF NC_FORMATX_PNETCDF
#define NC_FORMAT_DAP2 NC_FORMATX_DAP2
#define NC_FORMAT_DAP4 NC_FORMATX_DAP4
#define NC_FORMAT_UNDEFINED NC_FORMATX_UNDEFINED

/* Limits and special numbers. */
#define NC_SIZEHINT_DEFAULT 0
#define NC_ALIGN_CHUNK ((size_t)(-1))
#define NC_UNLIMITED 0L
#define NC_GLOBAL -1
#define NC_MAX_DIMS 1024
#define NC_MAX_ATTRS 8192
#define NC_MAX_VARS 8192
#define NC_MAX_NAME 256
#define NC_MAX_HDF4_NAME NC_MAX_NAME
#define NC_MAX_VAR_DIMS 1024

/* Properties that differ in netCDF-4 files only. */
#define NC_ENDIAN_NATIVE 0
#define NC_ENDIAN_LITTLE 1
#define NC_ENDIAN_BIG 2
#define NC_CHUNKED 0
#define NC_CONTIGUOUS 1
#define NC_COMPACT 2
#define NC_UNKNOWN_STORAGE 3
#define NC_VIRTUAL 4
#define NC_NOCHECKSUM 0
#define NC_FLETCHER32 1
#define NC_NOSHUFFLE 0
#define NC_SHUFFLE 1
#define NC_MIN_DEFLATE_LEVEL 0
#define NC_MAX_DEFLATE_LEVEL 9
#define NC_SZIP_EC 4
#define NC_SZIP_NN 32
#define NC_NOQUANTIZE 0
#define NC_QUANTIZE_BITGROOM 1
#define NC_QUANTIZE_GRANULARBR 2
#define NC_QUANTIZE_BITROUND 3
#define NC_QUANTIZE_BITGROOM_ATT_NAME \
	"_QuantizeBitGroomNumberOfSignificantDigits"
#define NC_QUANTIZE_GRANULARBR_ATT_NAME \
	"_QuantizeGranularBitRoundNumberOfSignificantDigits"
#define NC_QUANTIZE_BITROUND_ATT_NAME "_QuantizeBitRoundNumberOfSignificantBits"
#define NC_QUANTIZE_MAX_FLOAT_NSD (7)
#define NC_QUANTIZE_MAX_FLOAT_NSB (23)
#define NC_QUANTIZE_MAX_DOUBLE_NSD (15)
#define NC_QUANTIZE_MAX_DOUBLE_NSB (52)
#define NC_COMPOUND_OFFSET(S, M) (offsetof(S, M))
#define NC_UNDEFINED_ENUM_IDENT "_UNDEFINED"
#define DIM_WITHOUT_VARIABLE \
	"This is a netCDF dimension but not a netCDF variable."
#define NC_TURN_OFF_LOGGING (-1)

/*
 * Error numbers; positive ones are errno values of the system.  Errors that a
 * classic file cannot cause are defined for programs that tell them apart.
 */
#define NC_ISSYSERR(err) ((err) > 0)
#define NC_NOERR 0
#define NC2_ERR (-1)
#define NC_SYSERR (-31)
#define NC_EXDR (-32)
#define NC_EBADID (-33)
#define NC_ENFILE (-34)
#define NC_EEXIST (-35)
#define NC_EINVAL (-36)
#define NC_EPERM (-37)
#define NC_ENOTINDEFINE (-38)
#define NC_EINDEFINE (-39)
#define NC_EINVALCOORDS (-40)
#define NC_EMAXDIMS (-41)
#define NC_ENAMEINUSE (-42)
#define NC_ENOTATT (-43)
#define NC_EMAXATTS (-44)
#define NC_EBADTYPE (-45)
#define NC_EBADDIM (-46)
#define NC_EUNLIMPOS (-47)
#define NC_EMAXVARS (-48)
#define NC_ENOTVAR (-49)
#define NC_EGLOBAL (-50)
#define NC_ENOTNC (-51)
#define NC_ESTS (-52)
#define NC_EMAXNAME (-53)
#define NC_EUNLIMIT (-54)
#define NC_ENORECVARS (-55)
#define NC_ECHAR (-56)
#define NC_EEDGE (-57)
#define NC_ESTRIDE (-58)
#define NC_EBADNAME (-59)
#define NC_ERANGE (-60)
#define NC_ENOMEM (-61)
#define NC_EVARSIZE (-62)
#define NC_EDIMSIZE (-63)
#define NC_ETRUNC (-64)
#define NC_EAXISTYPE (-65)
#define NC_EDAP (-66)
#define NC_ECURL (-67)
#define NC_EIO (-68)
#define NC_ENODATA (-69)
#define NC_EDAPSVC (-70)
#define NC_EDAS (-71)
#define NC_EDDS (-72)
#define NC_EDATADDS (-73)
#define NC_EDAPURL (-74)
#define NC_EDAPCONSTRAINT (-75)
#define NC_ETRANSLATION (-76)
#define NC_EACCESS (-77)
#define NC_EAUTH (-78)
#define NC_ENOTFOUND (-90)
#define NC_ECANTREMOVE (-91)
#define NC_EINTERNAL (-92)
#define NC_EPNETCDF (-93)
#define NC_EHDFERR (-101)
#define NC_ECANTREAD (-102)
#define NC_ECANTWRITE (-103)
#define NC_ECANTCREATE (-104)
#define NC_EFILEMETA (-105)
#define NC_EDIMMETA (-106)
#define NC_EATTMETA (-107)
#define NC_EVARMETA (-108)
#define NC_ENOCOMPOUND (-109)
#define NC_EATTEXISTS (-110)
#define NC_ENOTNC4 (-111)
#define NC_ESTRICTNC3 (-112)
#define NC_ENOTNC3 (-113)
#define NC_ENOPAR (-114)
#define NC_EPARINIT (-115)
#define NC_EBADGRPID (-116)
#define NC_EBADTYPID (-117)
#define NC_ETYPDEFINED (-118)
#define NC_EBADFIELD (-119)
#define NC_EBADCLASS (-120)
#define NC_EMAPTYPE (-121)
#define NC_ELATEFILL (-122)
#define NC_ELATEDEF (-123)
#define NC_EDIMSCALE (-124)
#define NC_ENOGRP (-125)
#define NC_ESTORAGE (-126)
#define NC_EBADCHUNK (-127)
#define NC_ENOTBUILT (-128)
#define NC_EDISKLESS (-129)
#define NC_ECANTEXTEND (-130)
#define NC_EMPI (-131)
#define NC_EFILTER (-132)
#define NC_ERCFILE (-133)
#define NC_ENULLPAD (-134)
#define NC_EINMEMORY (-135)
#define NC_ENOFILTER (-136)
#define NC_ENCZARR (-137)
#define NC_ES3 (-138)
#define NC_EEMPTY (-139)
#define NC_EOBJECT (-140)
#define NC_ENOOBJECT (-141)
#define NC_EPLUGIN (-142)
/* From versions after 4.9.0. */
#define NC_ENOTZARR (-143)
#define NC_EZARRMETA (-144)
/* The numbers between belong to netCDF-4. */
#define NC4_FIRST_ERROR (-100)
#define NC4_LAST_ERROR (-144)
/* Other names. */
#define NC_EURL (NC_EDAPURL)
#define NC_ECONSTRAINT (NC_EDAPCONSTRAINT)
#define NC_EDMR NC_EDDS
#define NC_EDATADAP NC_EDATADDS

/*
 * In the library these functions have names of nc3z, so that a program can also
 * link with libnetcdf; the netCDF names are macros.
 */

/* The library. */
#define nc_inq_libvers nc3z_compat_inq_libvers
#define nc_strerror nc3z_compat_strerror

NC3Z_API const char *nc_inq_libvers(void);
NC3Z_API const char *nc_strerror(int status);

/*
 * Files.  nc_sync() reads the header of a plain file again, which may have more
 * records by now.  The memory passed to nc_open_mem() stays the caller's.
 */
#define nc_open nc3z_compat_open
#define nc__open nc3z_compat__open
#define nc_open_mem nc3z_compat_open_mem
#define nc_sync nc3z_compat_sync
#define nc_close nc3z_compat_close
#define nc_abort nc3z_compat_abort
#define nc_inq_path nc3z_compat_inq_path
#define nc_inq_format nc3z_compat_inq_format
#define nc_inq_format_extended nc3z_compat_inq_format_extended
#define nc_inq nc3z_compat_inq
#define nc_inq_ndims nc3z_compat_inq_ndims
#define nc_inq_nvars nc3z_compat_inq_nvars
#define nc_inq_natts nc3z_compat_inq_natts
#define nc_inq_unlimdim nc3z_compat_inq_unlimdim
#define nc_inq_unlimdims nc3z_compat_inq_unlimdims

NC3Z_API int nc_open(const char *path, int mode, int *ncidp);
NC3Z_API int nc__open(const char *path, int mode, size_t *chunksizehintp,
		      int *ncidp);
NC3Z_API int nc_open_mem(const char *path, int mode, size_t size, void *memory,
			 int *ncidp);
NC3Z_API int nc_sync(int ncid);
NC3Z_API int nc_close(int ncid);
NC3Z_API int nc_abort(int ncid);
NC3Z_API int nc_inq_path(int ncid, size_t *pathlen, char *path);
NC3Z_API int nc_inq_format(int ncid, int *formatp);
NC3Z_API int nc_inq_format_extended(int ncid, int *formatp, int *modep);
NC3Z_API int nc_inq(int ncid, int *ndimsp, int *nvarsp, int *nattsp,
		    int *unlimdimidp);
NC3Z_API int nc_inq_ndims(int ncid, int *ndimsp);
NC3Z_API int nc_inq_nvars(int ncid, int *nvarsp);
NC3Z_API int nc_inq_natts(int ncid, int *nattsp);
NC3Z_API int nc_inq_unlimdim(int ncid, int *unlimdimidp);
NC3Z_API int nc_inq_unlimdims(int ncid, int *nunlimdimsp, int *unlimdimidsp);

/* Dimensions. */
#define nc_inq_dimids nc3z_compat_inq_dimids
#define nc_inq_dimid nc3z_compat_inq_dimid
#define nc_inq_dim nc3z_compat_inq_dim
#define nc_inq_dimname nc3z_compat_inq_dimname
#define nc_inq_dimlen nc3z_compat_inq_dimlen

NC3Z_API int nc_inq_dimids(int ncid, int *ndims, int *dimids,
			   int include_parents);
NC3Z_API int nc_inq_dimid(int ncid, const char *name, int *idp);
NC3Z_API int nc_inq_dim(int ncid, int dimid, char *name, size_t *lenp);
NC3Z_API int nc_inq_dimname(int ncid, int dimid, char *name);
NC3Z_API int nc_inq_dimlen(int ncid, int dimid, size_t *lenp);

/* Variables. */
#define nc_inq_varids nc3z_compat_inq_varids
#define nc_inq_varid nc3z_compat_inq_varid
#define nc_inq_var nc3z_compat_inq_var
#define nc_inq_varname nc3z_compat_inq_varname
#define nc_inq_vartype nc3z_compat_inq_vartype
#define nc_inq_varndims nc3z_compat_inq_varndims
#define nc_inq_vardimid nc3z_compat_inq_vardimid
#define nc_inq_varnatts nc3z_compat_inq_varnatts
#define nc_inq_var_fill nc3z_compat_inq_var_fill

NC3Z_API int nc_inq_varids(int ncid, int *nvars, int *varids);
NC3Z_API int nc_inq_varid(int ncid, const char *name, int *varidp);
NC3Z_API int nc_inq_var(int ncid, int varid, char *name, nc_type *xtypep,
			int *ndimsp, int *dimidsp, int *nattsp);
NC3Z_API int nc_inq_varname(int ncid, int varid, char *name);
NC3Z_API int nc_inq_vartype(int ncid, int varid, nc_type *xtypep);
NC3Z_API int nc_inq_varndims(int ncid, int varid, int *ndimsp);
NC3Z_API int nc_inq_vardimid(int ncid, int varid, int *dimidsp);
NC3Z_API int nc_inq_varnatts(int ncid, int varid, int *nattsp);
NC3Z_API int nc_inq_var_fill(int ncid, int varid, int *no_fill,
			     void *fill_valuep);

/* Attributes. */
#define nc_inq_att nc3z_compat_inq_att
#define nc_inq_attid nc3z_compat_inq_attid
#define nc_inq_atttype nc3z_compat_inq_atttype
#define nc_inq_attlen nc3z_compat_inq_attlen
#define nc_inq_attname nc3z_compat_inq_attname

NC3Z_API int nc_inq_att(int ncid, int varid, const char *name, nc_type *xtypep,
			size_t *lenp);
NC3Z_API int nc_inq_attid(int ncid, int varid, const char *name, int *idp);
NC3Z_API int nc_inq_atttype(int ncid, int varid, const char *name,
			    nc_type *xtypep);
NC3Z_API int nc_inq_attlen(int ncid, int varid, const char *name, size_t *lenp);
NC3Z_API int nc_inq_attname(int ncid, int varid, int attnum, char *name);

/* Types. */
#define nc_inq_type nc3z_compat_inq_type
#define nctypelen nc3z_compat_nctypelen

NC3Z_API int nc_inq_type(int ncid, nc_type xtype, char *name, size_t *size);
NC3Z_API int nctypelen(nc_type datatype);

/*
 * Inquiries of netCDF-4, answered as libnetcdf does for a classic file: one
 * group, no user-defined types, contiguous, not compressed.
 */
#define nc_inq_ncid nc3z_compat_inq_ncid
#define nc_inq_grps nc3z_compat_inq_grps
#define nc_inq_grpname nc3z_compat_inq_grpname
#define nc_inq_grpname_full nc3z_compat_inq_grpname_full
#define nc_inq_grpname_len nc3z_compat_inq_grpname_len
#define nc_inq_grp_parent nc3z_compat_inq_grp_parent
#define nc_inq_grp_ncid nc3z_compat_inq_grp_ncid
#define nc_inq_grp_full_ncid nc3z_compat_inq_grp_full_ncid
#define nc_inq_typeids nc3z_compat_inq_typeids
#define nc_inq_typeid nc3z_compat_inq_typeid
#define nc_inq_user_type nc3z_compat_inq_user_type
#define nc_inq_var_deflate nc3z_compat_inq_var_deflate
#define nc_inq_var_szip nc3z_compat_inq_var_szip
#define nc_inq_var_fletcher32 nc3z_compat_inq_var_fletcher32
#define nc_inq_var_chunking nc3z_compat_inq_var_chunking
#define nc_inq_var_endian nc3z_compat_inq_var_endian
#define nc_free_string nc3z_compat_free_string

NC3Z_API int nc_inq_ncid(int ncid, const char *name, int *grp_ncid);
NC3Z_API int nc_inq_grps(int ncid, int *numgrps, int *ncids);
NC3Z_API int nc_inq_grpname(int ncid, char *name);
NC3Z_API int nc_inq_grpname_full(int ncid, size_t *lenp, char *full_name);
NC3Z_API int nc_inq_grpname_len(int ncid, size_t *lenp);
NC3Z_API int nc_inq_grp_parent(int ncid, int *parent_ncid);
NC3Z_API int nc_inq_grp_ncid(int ncid, const char *grp_name, int *grp_ncid);
NC3Z_API int nc_inq_grp_full_ncid(int ncid, const char *full_name,
				  int *grp_ncid);
NC3Z_API int nc_inq_typeids(int ncid, int *ntypes, int *typeids);
NC3Z_API int nc_inq_typeid(int ncid, const char *name, nc_type *typeidp);
NC3Z_API int nc_inq_user_type(int ncid, nc_type xtype, char *name, size_t *size,
			      nc_type *base_nc_typep, size_t *nfieldsp,
			      int *classp);
NC3Z_API int nc_inq_var_deflate(int ncid, int varid, int *shufflep,
				int *deflatep, int *deflate_levelp);
NC3Z_API int nc_inq_var_szip(int ncid, int varid, int *options_maskp,
			     int *pixels_per_blockp);
NC3Z_API int nc_inq_var_fletcher32(int ncid, int varid, int *fletcher32p);
NC3Z_API int nc_inq_var_chunking(int ncid, int varid, int *storagep,
				 size_t *chunksizesp);
NC3Z_API int nc_inq_var_endian(int ncid, int varid, int *endianp);
NC3Z_API int nc_free_string(size_t len, char **data);

/*
 * Values.  The getters of all forms and types call these two functions;
 * 'memtype' is the type in memory, NC_NAT for the external type.
 */
enum nc3z_compat_form {
	NC3Z_COMPAT_VAR,
	NC3Z_COMPAT_VAR1,
	NC3Z_COMPAT_VARA,
	NC3Z_COMPAT_VARS,
	NC3Z_COMPAT_VARM
};

struct nc3z_compat_hyperslab {
	enum nc3z_compat_form form;
	const size_t *start;
	const size_t *count;
	const ptrdiff_t *stride;
	const ptrdiff_t *imap;
};

NC3Z_API int nc3z_compat_get(int ncid, int varid,
			     const struct nc3z_compat_hyperslab *hyperslab,
			     nc_type memtype, void *values);

NC3Z_API int nc3z_compat_get_att(int ncid, int varid, const char *name,
				 nc_type memtype, void *values);

/* The body of each getter. */
#define NC3Z_COMPAT_GET(form_, start_, count_, stride_, imap_, memtype) \
	struct nc3z_compat_hyperslab hyperslab_; \
\
	hyperslab_.form = form_; \
	hyperslab_.start = start_; \
	hyperslab_.count = count_; \
	hyperslab_.stride = stride_; \
	hyperslab_.imap = imap_; \
	return nc3z_compat_get(ncid, varid, &hyperslab_, memtype, ip)

/* The getters of attributes and of variables for one type. */
#define NC3Z_COMPAT_DEFINE(att, var, var1, vara, vars, varm, ctype, memtype) \
	NC3Z_INLINE int att(int ncid, int varid, const char *name, ctype *ip) \
	{ \
		return nc3z_compat_get_att(ncid, varid, name, memtype, ip); \
	} \
\
	NC3Z_INLINE int var(int ncid, int varid, ctype *ip) \
	{ \
		NC3Z_COMPAT_GET(NC3Z_COMPAT_VAR, NULL, NULL, NULL, NULL, \
				memtype); \
	} \
\
	NC3Z_INLINE int var1(int ncid, int varid, const size_t *indexp, \
			     ctype *ip) \
	{ \
		NC3Z_COMPAT_GET(NC3Z_COMPAT_VAR1, indexp, NULL, NULL, NULL, \
				memtype); \
	} \
\
	NC3Z_INLINE int vara(int ncid, int varid, const size_t *startp, \
			     const size_t *countp, ctype *ip) \
	{ \
		NC3Z_COMPAT_GET(NC3Z_COMPAT_VARA, startp, countp, NULL, NULL, \
				memtype); \
	} \
\
	NC3Z_INLINE int vars(int ncid, int varid, const size_t *startp, \
			     const size_t *countp, const ptrdiff_t *stridep, \
			     ctype *ip) \
	{ \
		NC3Z_COMPAT_GET(NC3Z_COMPAT_VARS, startp, countp, stridep, \
				NULL, memtype); \
	} \
\
	NC3Z_INLINE int varm(int ncid, int varid, const size_t *startp, \
			     const size_t *countp, const ptrdiff_t *stridep, \
			     const ptrdiff_t *imapp, ctype *ip) \
	{ \
		NC3Z_COMPAT_GET(NC3Z_COMPAT_VARM, startp, countp, stridep, \
				imapp, memtype); \
	}

/*
 * A call that writes: the compiler says what to do, unless it sees that the
 * call is never made.
 */
#ifndef NC3Z_COMPAT_WRITES
#ifdef __has_attribute
#if __has_attribute(error)
#define NC3Z_COMPAT_WRITES(name, type) \
	int name(type, ...) __attribute__((error( \
		"nc3z only reads; move the calls that write to a source file " \
		"that includes the <netcdf.h> of libnetcdf, and link with " \
		"-lnetcdf, too")));
#endif
#endif
#endif
/* Elsewhere it is not declared. */
#ifndef NC3Z_COMPAT_WRITES
#define NC3Z_COMPAT_WRITES(name, type)
#endif

/* Getters whose names end in a type, and what writes that type. */
#define NC3Z_COMPAT_DEFINE_TYPED(suffix, ctype, memtype) \
	NC3Z_COMPAT_WRITES(nc_put_att_##suffix, int) \
	NC3Z_COMPAT_WRITES(nc_put_var_##suffix, int) \
	NC3Z_COMPAT_WRITES(nc_put_var1_##suffix, int) \
	NC3Z_COMPAT_WRITES(nc_put_vara_##suffix, int) \
	NC3Z_COMPAT_WRITES(nc_put_vars_##suffix, int) \
	NC3Z_COMPAT_WRITES(nc_put_varm_##suffix, int) \
	NC3Z_COMPAT_DEFINE(nc_get_att_##suffix, nc_get_var_##suffix, \
			   nc_get_var1_##suffix, nc_get_vara_##suffix, \
			   nc_get_vars_##suffix, nc_get_varm_##suffix, ctype, \
			   memtype)

#define NC3Z_COMPAT_LONG (sizeof(long) == sizeof(int) ? NC_INT : NC_INT64)

NC3Z_COMPAT_DEFINE(nc_get_att, nc_get_var, nc_get_var1, nc_get_vara,
		   nc_get_vars, nc_get_varm, void, NC_NAT)
NC3Z_COMPAT_DEFINE_TYPED(text, char, NC_CHAR)
NC3Z_COMPAT_DEFINE_TYPED(schar, signed char, NC_BYTE)
NC3Z_COMPAT_DEFINE_TYPED(uchar, unsigned char, NC_UBYTE)
NC3Z_COMPAT_DEFINE_TYPED(ubyte, unsigned char, NC_UBYTE)
NC3Z_COMPAT_DEFINE_TYPED(short, short, NC_SHORT)
NC3Z_COMPAT_DEFINE_TYPED(ushort, unsigned short, NC_USHORT)
NC3Z_COMPAT_DEFINE_TYPED(int, int, NC_INT)
NC3Z_COMPAT_DEFINE_TYPED(uint, unsigned int, NC_UINT)
NC3Z_COMPAT_DEFINE_TYPED(long, long, NC3Z_COMPAT_LONG)
NC3Z_COMPAT_DEFINE_TYPED(float, float, NC_FLOAT)
NC3Z_COMPAT_DEFINE_TYPED(double, double, NC_DOUBLE)
NC3Z_COMPAT_DEFINE_TYPED(longlong, long long, NC_INT64)
NC3Z_COMPAT_DEFINE_TYPED(ulonglong, unsigned long long, NC_UINT64)
NC3Z_COMPAT_DEFINE_TYPED(string, char *, NC_STRING)

/*
 * netCDF-2, for programs from before 1997.  On failure a call sets 'ncerr',
 * prints a message to standard error if 'ncopts' has NC_VERBOSE, and exits the
 * program if it has NC_FATAL; otherwise it returns -1.  Both are set initially.
 */
#define FILL_BYTE NC_FILL_BYTE
#define FILL_CHAR NC_FILL_CHAR
#define FILL_SHORT NC_FILL_SHORT
#define FILL_LONG NC_FILL_INT
#define FILL_FLOAT NC_FILL_FLOAT
#define FILL_DOUBLE NC_FILL_DOUBLE
#define MAX_NC_DIMS NC_MAX_DIMS
#define MAX_NC_ATTRS NC_MAX_ATTRS
#define MAX_NC_VARS NC_MAX_VARS
#define MAX_NC_NAME NC_MAX_NAME
#define MAX_VAR_DIMS NC_MAX_VAR_DIMS
#define NC_ENTOOL NC_EMAXNAME
#define NC_FATAL 1
#define NC_VERBOSE 2

typedef int nclong;

#define ncerr nc3z_compat_ncerr
#define ncopts nc3z_compat_ncopts
NC3Z_API extern int ncerr;
NC3Z_API extern int ncopts;

#define nc_advise nc3z_compat_advise
NC3Z_API void nc_advise(const char *routine_name, int err, const char *fmt,
			...);

#define ncopen nc3z_compat_ncopen
#define ncclose nc3z_compat_ncclose
#define ncabort nc3z_compat_ncabort
#define ncsync nc3z_compat_ncsync
#define ncinquire nc3z_compat_ncinquire
#define ncdimid nc3z_compat_ncdimid
#define ncdiminq nc3z_compat_ncdiminq
#define ncvarid nc3z_compat_ncvarid
#define ncvarinq nc3z_compat_ncvarinq
#define ncvarget1 nc3z_compat_ncvarget1
#define ncvarget nc3z_compat_ncvarget
#define ncvargets nc3z_compat_ncvargets
#define ncvargetg nc3z_compat_ncvargetg
#define ncattinq nc3z_compat_ncattinq
#define ncattname nc3z_compat_ncattname
#define ncattget nc3z_compat_ncattget
#define ncrecinq nc3z_compat_ncrecinq
#define ncrecget nc3z_compat_ncrecget

NC3Z_API int ncopen(const char *path, int mode);
NC3Z_API int ncclose(int ncid);
NC3Z_API int ncabort(int ncid);
NC3Z_API int ncsync(int ncid);
NC3Z_API int ncinquire(int ncid, int *ndimsp, int *nvarsp, int *nattsp,
		       int *unlimdimp);
NC3Z_API int ncdimid(int ncid, const char *name);
NC3Z_API int ncdiminq(int ncid, int dimid, char *name, long *lenp);
NC3Z_API int ncvarid(int ncid, const char *name);
NC3Z_API int ncvarinq(int ncid, int varid, char *name, nc_type *xtypep,
		      int *ndimsp, int *dimidsp, int *nattsp);
NC3Z_API int ncvarget1(int ncid, int varid, const long *indexp, void *ip);
NC3Z_API int ncvarget(int ncid, int varid, const long *startp,
		      const long *countp, void *ip);
NC3Z_API int ncvargets(int ncid, int varid, const long *startp,
		       const long *countp, const long *stridep, void *ip);
NC3Z_API int ncvargetg(int ncid, int varid, const long *startp,
		       const long *countp, const long *stridep,
		       const long *imapp, void *ip);
NC3Z_API int ncattinq(int ncid, int varid, const char *name, nc_type *xtypep,
		      int *lenp);
NC3Z_API int ncattname(int ncid, int varid, int attnum, char *name);
NC3Z_API int ncattget(int ncid, int varid, const char *name, void *ip);
NC3Z_API int ncrecinq(int ncid, int *nrecvarsp, int *recvaridsp,
		      long *recsizesp);
NC3Z_API int ncrecget(int ncid, long recnum, void **datap);

/* The other calls that write. */
NC3Z_COMPAT_WRITES(nc_create, const char *)
NC3Z_COMPAT_WRITES(nc__create, const char *)
NC3Z_COMPAT_WRITES(nc_create_mem, const char *)
NC3Z_COMPAT_WRITES(nc_delete, const char *)
NC3Z_COMPAT_WRITES(nc_redef, int)
NC3Z_COMPAT_WRITES(nc_enddef, int)
NC3Z_COMPAT_WRITES(nc__enddef, int)
NC3Z_COMPAT_WRITES(nc_set_fill, int)
NC3Z_COMPAT_WRITES(nc_def_dim, int)
NC3Z_COMPAT_WRITES(nc_rename_dim, int)
NC3Z_COMPAT_WRITES(nc_def_var, int)
NC3Z_COMPAT_WRITES(nc_rename_var, int)
NC3Z_COMPAT_WRITES(nc_copy_var, int)
NC3Z_COMPAT_WRITES(nc_def_var_fill, int)
NC3Z_COMPAT_WRITES(nc_def_var_chunking, int)
NC3Z_COMPAT_WRITES(nc_def_var_deflate, int)
NC3Z_COMPAT_WRITES(nc_def_var_endian, int)
NC3Z_COMPAT_WRITES(nc_def_var_filter, int)
NC3Z_COMPAT_WRITES(nc_def_var_fletcher32, int)
NC3Z_COMPAT_WRITES(nc_def_var_quantize, int)
NC3Z_COMPAT_WRITES(nc_def_var_szip, int)
NC3Z_COMPAT_WRITES(nc_rename_att, int)
NC3Z_COMPAT_WRITES(nc_copy_att, int)
NC3Z_COMPAT_WRITES(nc_del_att, int)
NC3Z_COMPAT_WRITES(nc_def_grp, int)
NC3Z_COMPAT_WRITES(nc_rename_grp, int)
NC3Z_COMPAT_WRITES(nc_put_att, int)
NC3Z_COMPAT_WRITES(nc_put_var, int)
NC3Z_COMPAT_WRITES(nc_put_var1, int)
NC3Z_COMPAT_WRITES(nc_put_vara, int)
NC3Z_COMPAT_WRITES(nc_put_vars, int)
NC3Z_COMPAT_WRITES(nc_put_varm, int)
NC3Z_COMPAT_WRITES(nccreate, const char *)
NC3Z_COMPAT_WRITES(ncredef, int)
NC3Z_COMPAT_WRITES(ncendef, int)
NC3Z_COMPAT_WRITES(ncsetfill, int)
NC3Z_COMPAT_WRITES(ncdimdef, int)
NC3Z_COMPAT_WRITES(ncdimrename, int)
NC3Z_COMPAT_WRITES(ncvardef, int)
NC3Z_COMPAT_WRITES(ncvarrename, int)
NC3Z_COMPAT_WRITES(ncvarput1, int)
NC3Z_COMPAT_WRITES(ncvarput, int)
NC3Z_COMPAT_WRITES(ncvarputs, int)
NC3Z_COMPAT_WRITES(ncvarputg, int)
NC3Z_COMPAT_WRITES(ncvarcopy, int)
NC3Z_COMPAT_WRITES(ncattput, int)
NC3Z_COMPAT_WRITES(ncattcopy, int)
NC3Z_COMPAT_WRITES(ncattrename, int)
NC3Z_COMPAT_WRITES(ncattdel, int)
NC3Z_COMPAT_WRITES(ncrecput, int)

#ifdef __cplusplus
}
#endif

#endif /* _NETCDF_ */
#endif
