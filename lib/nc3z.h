/*
 * nc3z: netCDF classic files in a compressed, checked, directly readable
 * archive.  On top of it, nc3z_compat.h has the reading calls of netCDF.
 *
 * Every function that can fail returns an enum nc3z_status and takes a
 * 'struct nc3z_error *' which may be NULL.  The error is filled where the
 * failure is known and left alone on success.  The library never prints, never
 * exits, and keeps no state between calls but what hangs on a handle.
 *
 * Sizes and offsets of files are uint64_t bytes, sizes in memory size_t bytes.
 *
 * In this order: statuses and errors; reading values; iterators; archives as
 * they describe themselves; packing, restoring, converting, salvaging; sources
 * and sinks.
 */
#ifndef NC3Z_H
#define NC3Z_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NC3Z_VERSION_MAJOR 0
#define NC3Z_VERSION_MINOR 1
#define NC3Z_VERSION_PATCH 0
#define NC3Z_VERSION "0.1.0"

/* For #if, and to compare with nc3z_version_number(): 1002003 is 1.2.3. */
#define NC3Z_VERSION_NUMBER \
	(NC3Z_VERSION_MAJOR * 1000000 + NC3Z_VERSION_MINOR * 1000 + \
	 NC3Z_VERSION_PATCH)

#if defined(__GNUC__)
#define NC3Z_API __attribute__((visibility("default")))
#else
#define NC3Z_API
#endif

/*
 * The version of the library that the program runs with, which may be newer or
 * older than this header: "0.1.0", a constant.
 */
NC3Z_API const char *nc3z_version(void);

/* The same as a number, like NC3Z_VERSION_NUMBER. */
NC3Z_API unsigned long nc3z_version_number(void);

/*
 * How this interface grows.  A program that was linked with one version of the
 * library runs with every later one that has the same NC3Z_VERSION_MAJOR, which
 * is the number in the name of the shared library: no function goes away or
 * changes its arguments, no constant its value, no struct its fields.  What may
 * be added:
 *
 * - Functions, and values of enums.
 * - Fields at the end of a struct of options (and nc3z_callbacks), whose first
 *   field is its size as the caller knows it.  From an older caller such a
 *   struct is shorter: what it lacks has its default.  From a newer caller it
 *   is longer: the library takes it if all that it does not know is 0, which is
 *   what the _init functions make of it, and refuses it with NC3Z_EINVAL
 *   otherwise.
 * - Fields in place of 'reserved' words of the structs that the library fills.
 *   Their size never changes.  The library sets reserved words to 0: that is
 *   what a newer caller finds there if the library is older.
 * - Fields at the end of struct nc3z_salvage_report, which the library
 *   allocates.
 *
 * struct nc3z_hyperslab, nc3z_iterator_var, nc3z_range and nc3z_coding stay as
 * they are.
 */

/* "Not known" in a field of struct nc3z_error. */
#define NC3Z_NO_OFFSET UINT64_MAX
#define NC3Z_NO_NUMBER UINT32_MAX

/*
 * What a call came to.  The families do not mix: a caller's mistake, a failing
 * system, a file of another kind, a damaged archive, an archive that needs a
 * newer reader.
 */
enum nc3z_status {
	/* All is well. */
	NC3Z_OK = 0,

	/* An argument is out of its range; nothing was done. */
	NC3Z_EINVAL = 1,

	/* The system failed to read or write; sys_errno says how. */
	NC3Z_EIO = 2,

	/* Memory ran out; handles stay usable. */
	NC3Z_ENOMEM = 3,

	/* The output is there already and replacing it was not asked for. */
	NC3Z_EEXIST = 4,

	/* The input has no netCDF classic header that can be read. */
	NC3Z_ENOTCLASSIC = 5,

	/* The input is not an nc3z archive. */
	NC3Z_ENOTARCHIVE = 6,

	/* The archive is damaged or was cut off; the text says where. */
	NC3Z_EDAMAGED = 7,

	/*
	 * The archive is whole but uses something this version does not know:
	 * a later format, codec, filter or layout.
	 */
	NC3Z_EUNSUPPORTED = 8,

	/* A stated limit of the format, or the caller's, would be passed. */
	NC3Z_ELIMIT = 9,

	/* The input is not what it was when reading it began. */
	NC3Z_ECHANGED = 10,

	/*
	 * Values lie beyond the end of the original, which is shorter than its
	 * header says: they were given as 0, all others are right.
	 */
	NC3Z_ETRUNCATED = 11,

	/*
	 * At least one value does not fit the type asked for; all others were
	 * converted.  See nc3z_get() for what the misfits hold.
	 */
	NC3Z_ERANGE = 12,

	/* Text was asked for as numbers, or numbers as text. */
	NC3Z_ECHAR = 13,

	/* A start index, or the last index of a stride, is out of bounds. */
	NC3Z_EINVALCOORDS = 14,

	/* Start plus count passes the length of a dimension. */
	NC3Z_EEDGE = 15,

	/* A stride is less than 1. */
	NC3Z_ESTRIDE = 16,

	/* There is no such dimension, variable, attribute or type. */
	NC3Z_EBADDIM = 17,
	NC3Z_ENOTVAR = 18,
	NC3Z_ENOTATT = 19,
	NC3Z_EBADTYPE = 20,
};

/* A constant sentence for a status; never NULL, not to be freed. */
NC3Z_API const char *nc3z_status_text(int status);

/*
 * Where and why a call failed.  'text' is one line without the name of the
 * file; 'offset' is in bytes from the start of the file that was read or
 * written, 'stream' and 'block' are those of the format.
 */
struct nc3z_error {
	int status;
	int sys_errno;
	uint64_t offset;
	uint32_t stream;
	uint32_t block;
	char text[256];
	uint64_t reserved[4]; /* 0 */
};

struct nc3z_source;
struct nc3z_sink;

/*
 * Reading values: the questions and answers of netCDF, for archives and for
 * plain classic files alike.
 *
 * Dimensions, variables and attributes have the numbers of the header, from 0.
 * Pointers that inquiries give belong to the file and stay valid until it is
 * closed.  Everything but closing may be called on one file by any number of
 * threads at once.  A failure leaves the file usable.
 */
struct nc3z_file;

/* Types of values: external ones, and those of C in memory. */
enum nc3z_type {
	NC3Z_NAT = 0,  /* in memory: as the external type */
	NC3Z_BYTE = 1, /* signed char */
	NC3Z_CHAR = 2, /* char: text */
	NC3Z_SHORT = 3,
	NC3Z_INT = 4,
	NC3Z_FLOAT = 5,
	NC3Z_DOUBLE = 6,
	NC3Z_UBYTE = 7, /* unsigned char; this and the next: CDF-5 */
	NC3Z_USHORT = 8,
	NC3Z_UINT = 9,
	NC3Z_INT64 = 10, /* long long */
	NC3Z_UINT64 = 11,
};

/*
 * Added to NC3Z_FLOAT or NC3Z_DOUBLE as the type in memory of nc3z_get() and
 * its like: values are unpacked as their variable's attributes say.  A value
 * that stands for a missing one becomes NaN, all others are multiplied by
 * scale_factor, then add_offset is added, in double, and converted as
 * double is.
 *
 * Missing are, as netCDF4-python has it, values that are equal to _FillValue
 * or, without that attribute and unless they have one byte, to the fill value
 * that netCDF writes by default; equal to an element of missing_value; less
 * than valid_min or greater than valid_max, or outside valid_range, which goes
 * before these two.  All of these are packed values: numbers that an integer
 * type of the variable does not have count for nothing, and so does text.  With
 * _Unsigned = "true", integers and these numbers are taken as unsigned.
 *
 * With it, NC3Z_EBADTYPE stands for other types, NC3Z_ELIMIT for more than 32
 * missing values.
 */
#define NC3Z_UNPACKED 0x100

/* The name of a type in CDL, "float"; "" for a number that is no type. */
NC3Z_API const char *nc3z_type_name(int type);

/* Bytes of a value of a type, 0 for a number that is no type. */
NC3Z_API size_t nc3z_type_nbytes(int type);

/* "The file" in place of a variable, for attributes. */
#define NC3Z_GLOBAL (-1)

#define NC3Z_CACHE_NBYTES_DEFAULT (UINT64_C(64) << 20)
#define NC3Z_CACHE_SHARED UINT64_MAX
#define NC3Z_READAHEAD_NBYTES_DEFAULT (UINT64_C(8) << 20)

/*
 * How to open.  Fill with nc3z_open_options_init().
 *
 * cache_nbytes        bound on the decoded blocks that are kept for later
 * calls;
 *                     blocks that a running call needs come on top.
 * NC3Z_CACHE_SHARED, the default, is the cache that all such
 *                     files of the process share (nc3z_set_cache_nbytes()).
 * nthreads            threads that one large request may use, the caller's
 * among
 *                     them: 1 for no other, 0 for the number in the environment
 *                     variable NC3Z_THREADS or else one for each processor.
 * ignores_truncation  nonzero makes NC3Z_OK of NC3Z_ETRUNCATED.
 * readahead_nbytes    bound on what other threads decode ahead for callers
 * that go forward through a variable or the original; 0 for none.
 *
 * The threads start with the first request that is worth them and end with the
 * file.  A process that was forked has none for files that it inherited.
 */
struct nc3z_open_options {
	size_t options_nbytes;
	uint64_t cache_nbytes;
	unsigned nthreads;
	int ignores_truncation;
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
 * first, and returns the bound before.  Any thread may call it at any time.
 */
NC3Z_API uint64_t nc3z_set_cache_nbytes(uint64_t nbytes);

/*
 * Opens an archive or a plain classic file, by its path or its URL (see
 * nc3z_source_open_url()).  'options' may be NULL for the
 * defaults.
 *
 * Returns NC3Z_OK; NC3Z_ENOTCLASSIC if it is neither; NC3Z_EDAMAGED,
 * NC3Z_EUNSUPPORTED; NC3Z_EINVAL for options; NC3Z_EIO, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_open(const char *path,
		       const struct nc3z_open_options *options,
		       struct nc3z_file **file_ret, struct nc3z_error *err);

/*
 * The same from a source, which must be able to seek (NC3Z_EINVAL otherwise).
 * On success it belongs to the file, which closes it; on failure it stays the
 * caller's.
 */
NC3Z_API int nc3z_open_source(struct nc3z_source *source,
			      const struct nc3z_open_options *options,
			      struct nc3z_file **file_ret,
			      struct nc3z_error *err);

/*
 * No call on the file is running.  NULL is allowed.  Up to 8 MiB of working
 * memory are kept for files that are opened later.
 */
NC3Z_API void nc3z_close(struct nc3z_file *file);

/* What a file has.  Every pointer may be NULL; no record dimension is -1. */
NC3Z_API void nc3z_inq(const struct nc3z_file *file, int *ndims_ret,
		       int *nvars_ret, int *natts_ret, int *unlimdimid_ret);

/* The version of the classic format: 1, 2 or 5. */
NC3Z_API int nc3z_inq_format(const struct nc3z_file *file);

/*
 * Why libnetcdf refuses to open the original, as a constant sentence; NULL if
 * it does not.  Values are read all the same, from where the header says.
 */
NC3Z_API const char *nc3z_inq_refusal(const struct nc3z_file *file);

/*
 * A dimension.  The record dimension is as long as the header says, or, where
 * the header leaves it open, as there are whole records.
 */
struct nc3z_dim {
	const char *name;
	uint64_t length;
	int is_record;
	uint64_t reserved[4]; /* 0 */
};

/* NC3Z_EBADDIM. */
NC3Z_API int nc3z_inq_dim(const struct nc3z_file *file, int dimid,
			  struct nc3z_dim *dim_ret, struct nc3z_error *err);
NC3Z_API int nc3z_inq_dimid(const struct nc3z_file *file, const char *name,
			    int *dimid_ret, struct nc3z_error *err);

struct nc3z_var {
	const char *name;
	int type; /* external: enum nc3z_type */
	int ndims;
	const int *dimids;     /* slowest first; NULL for a scalar */
	const uint64_t *shape; /* lengths of these dimensions */
	int natts;
	int is_record;
	uint64_t nelems;      /* in all */
	uint64_t reserved[4]; /* 0 */
};

/* NC3Z_ENOTVAR. */
NC3Z_API int nc3z_inq_var(const struct nc3z_file *file, int varid,
			  struct nc3z_var *var_ret, struct nc3z_error *err);
NC3Z_API int nc3z_inq_varid(const struct nc3z_file *file, const char *name,
			    int *varid_ret, struct nc3z_error *err);

struct nc3z_att {
	const char *name;
	int type;
	uint64_t nelems;
	int attnum;           /* its number */
	uint64_t reserved[4]; /* 0 */
};

/*
 * An attribute of a variable or of the file (NC3Z_GLOBAL), by its name or by
 * its number.  NC3Z_ENOTVAR, NC3Z_ENOTATT.
 */
NC3Z_API int nc3z_inq_att(const struct nc3z_file *file, int varid,
			  const char *name, struct nc3z_att *att_ret,
			  struct nc3z_error *err);
NC3Z_API int nc3z_inq_attnum(const struct nc3z_file *file, int varid,
			     int attnum, struct nc3z_att *att_ret,
			     struct nc3z_error *err);

/*
 * All values of an attribute, converted to 'memtype' (an enum nc3z_type).  Text
 * gets no NUL.  Returns what nc3z_inq_att() returns, and NC3Z_ECHAR,
 * NC3Z_ERANGE, NC3Z_EBADTYPE.
 */
NC3Z_API int nc3z_get_att(const struct nc3z_file *file, int varid,
			  const char *name, int memtype, void *values,
			  struct nc3z_error *err);

/*
 * A hyperslab: for each dimension of a variable, the first index, the number of
 * indices, the distance between them, and the distance, in values, between
 * their places in memory.  NULL instead of 'count' stands for the lengths of
 * the dimensions, of 'stride' for 1, of 'imap' for values packed row-major; no
 * 'start' for a variable with dimensions is NC3Z_EINVALCOORDS.  A scalar needs
 * none of them.
 */
struct nc3z_hyperslab {
	const size_t *start;
	const size_t *count;
	const ptrdiff_t *stride;
	const ptrdiff_t *imap;
};

/*
 * Reads values of a variable into 'values', memory of the caller that is
 * aligned for 'memtype', converted to that type.  'slab' NULL is the whole
 * variable.  Decodes each block that holds a wanted value once, and no other.
 *
 * Returns NC3Z_OK, with all values read; NC3Z_ERANGE: likewise, but integers
 * that do not fit an integer type have their low-order bits, floating-point
 * numbers that do not fit an integer leave memory as it was, double out of the
 * range of float is +-FLT_MAX (NaN as an integer is no error, its value not
 * specified; byte as unsigned char is checked only in CDF-5);
 * NC3Z_ETRUNCATED: zeros beyond the end of the original.
 *
 * With nothing read: NC3Z_ENOTVAR, NC3Z_EBADTYPE, NC3Z_ECHAR, NC3Z_ESTRIDE,
 * NC3Z_EINVALCOORDS, NC3Z_EEDGE; where several arguments are wrong, what
 * libnetcdf says then.  A start equal to the length is right where count is 0.
 * NC3Z_ELIMIT if the variable is larger than any original can be.
 *
 * With 'values' partly filled: NC3Z_EDAMAGED or NC3Z_EUNSUPPORTED, for the
 * blocks of this request alone, which the error names; NC3Z_EIO, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_get(struct nc3z_file *file, int varid,
		      const struct nc3z_hyperslab *slab, int memtype,
		      void *values, struct nc3z_error *err);

/* One value of a variable; as nc3z_get(). */
NC3Z_API int nc3z_get_var1(struct nc3z_file *file, int varid,
			   const size_t *index, int memtype, void *value,
			   struct nc3z_error *err);

/*
 * Typed wrappers around nc3z_get(): nc3z_get_var_float() and so on for text,
 * schar, uchar, short, ushort, int, uint, long, float, double, longlong and
 * ulonglong, each as get_var, get_var1, get_vara, get_vars and get_varm.
 */
#define NC3Z_DEFINE_GETTERS(suffix, ctype, memtype) \
	static inline int nc3z_get_varm_##suffix( \
		struct nc3z_file *file, int varid, const size_t *start, \
		const size_t *count, const ptrdiff_t *stride, \
		const ptrdiff_t *imap, ctype *values, struct nc3z_error *err) \
	{ \
		struct nc3z_hyperslab slab; \
\
		slab.start = start; \
		slab.count = count; \
		slab.stride = stride; \
		slab.imap = imap; \
		return nc3z_get(file, varid, &slab, memtype, values, err); \
	} \
\
	static inline int nc3z_get_vars_##suffix( \
		struct nc3z_file *file, int varid, const size_t *start, \
		const size_t *count, const ptrdiff_t *stride, ctype *values, \
		struct nc3z_error *err) \
	{ \
		return nc3z_get_varm_##suffix(file, varid, start, count, \
					      stride, NULL, values, err); \
	} \
\
	static inline int nc3z_get_vara_##suffix( \
		struct nc3z_file *file, int varid, const size_t *start, \
		const size_t *count, ctype *values, struct nc3z_error *err) \
	{ \
		return nc3z_get_varm_##suffix(file, varid, start, count, NULL, \
					      NULL, values, err); \
	} \
\
	static inline int nc3z_get_var1_##suffix( \
		struct nc3z_file *file, int varid, const size_t *index, \
		ctype *value, struct nc3z_error *err) \
	{ \
		return nc3z_get_var1(file, varid, index, memtype, value, err); \
	} \
\
	static inline int nc3z_get_var_##suffix(struct nc3z_file *file, \
						int varid, ctype *values, \
						struct nc3z_error *err) \
	{ \
		return nc3z_get(file, varid, NULL, memtype, values, err); \
	}

NC3Z_DEFINE_GETTERS(text, char, NC3Z_CHAR)
NC3Z_DEFINE_GETTERS(schar, signed char, NC3Z_BYTE)
NC3Z_DEFINE_GETTERS(uchar, unsigned char, NC3Z_UBYTE)
NC3Z_DEFINE_GETTERS(short, short, NC3Z_SHORT)
NC3Z_DEFINE_GETTERS(ushort, unsigned short, NC3Z_USHORT)
NC3Z_DEFINE_GETTERS(int, int, NC3Z_INT)
NC3Z_DEFINE_GETTERS(uint, unsigned int, NC3Z_UINT)
NC3Z_DEFINE_GETTERS(long, long,
		    sizeof(long) == sizeof(int) ? NC3Z_INT : NC3Z_INT64)
NC3Z_DEFINE_GETTERS(float, float, NC3Z_FLOAT)
NC3Z_DEFINE_GETTERS(double, double, NC3Z_DOUBLE)
NC3Z_DEFINE_GETTERS(longlong, long long, NC3Z_INT64)
NC3Z_DEFINE_GETTERS(ulonglong, unsigned long long, NC3Z_UINT64)

/*
 * Reading a variable, or several of one shape in step, box by box: for programs
 * that work their way through more values than memory holds.
 *
 * An iterator is used by one thread at a time; any number of them may read one
 * file, beside other calls.  It leaves the file's cache alone: blocks that it
 * will want again it keeps itself, as far as its memory allows.
 */
struct nc3z_iterator;

/* A variable to be read, as 'memtype': see nc3z_get() and NC3Z_UNPACKED. */
struct nc3z_iterator_var {
	struct nc3z_file *file; /* stays open longer than the iterator */
	int varid;
	int memtype;
};

#define NC3Z_ITERATOR_MEMORY_DEFAULT (UINT64_C(64) << 20)

/*
 * How to go through.  Fill with nc3z_iterator_options_init().  'box' has the
 * lengths of a box, in values, for each dimension of the slab; lengths beyond
 * the slab's are those of the slab.  NULL leaves them to the library, which
 * takes boxes along the blocks, so that each block is decoded once if the
 * memory allows it, and as large as it allows.
 *
 * 'max_memory_nbytes' is for values, of all variables, and for blocks that are
 * kept; beside it each thread has the block that it decodes, and each block
 * that is needed for one filling of the memory costs 40 bytes.
 */
struct nc3z_iterator_options {
	size_t options_nbytes;
	const size_t *box;
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
 * Goes through a slab of 'nvars' variables of one shape, which may be in
 * different files.  'slab' NULL is all of it; it has no imap.  'options' may be
 * NULL for the defaults.  Nothing is read yet; all arguments are copied.
 *
 * Returns NC3Z_OK; what nc3z_get() returns for arguments that are wrong;
 * NC3Z_EINVAL for options, shapes that differ, an imap, no variable, a length
 * of 0; NC3Z_ELIMIT if a box does not fit the memory, or for more than 32
 * dimensions; NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_iterator_open(const struct nc3z_iterator_var *vars,
				size_t nvars, const struct nc3z_hyperslab *slab,
				const struct nc3z_iterator_options *options,
				struct nc3z_iterator **iterator_ret,
				struct nc3z_error *err);

/*
 * A box of values.  Its arrays are the iterator's: values may be changed, and
 * all are valid until the next box is asked for or the iterator is closed.
 */
struct nc3z_box {
	uint64_t number; /* from 0 */
	size_t nelems;   /* 0: there are no more boxes */
	/* For each dimension; indices of the variable, as in a slab. */
	const size_t *start;
	const size_t *count;
	void *const *values;  /* of each variable, row-major */
	uint64_t reserved[4]; /* 0 */
};

/*
 * The next box.  Boxes come in row-major order, the last dimension fastest,
 * and have each value of the slab once; those at its edges may be shorter, and
 * so may the first along a dimension if the library chose the lengths.
 *
 * Returns what nc3z_get() returns.  NC3Z_ERANGE and NC3Z_ETRUNCATED speak of
 * all boxes that were read together, of which this is one.  A failure speaks of
 * this box alone, whose values are not valid then; the next call gives the box
 * behind it.
 */
NC3Z_API int nc3z_iterator_next(struct nc3z_iterator *iterator,
				struct nc3z_box *box_ret,
				struct nc3z_error *err);

/* What going through all boxes comes to. */
struct nc3z_iterator_plan {
	uint64_t nboxes;
	const size_t *box;        /* lengths of the largest box */
	uint64_t nblocks;         /* that hold the values; of plain files 0 */
	uint64_t nblocks_decoded; /* each as often as it will be decoded */
	uint64_t memory_nbytes;   /* for values; the rest is for blocks */
	uint64_t reserved[4];     /* 0 */
};

/*
 * Computed from the plan of the archive, without reading blocks; damage may
 * make more decodes of it.  'box' is the iterator's.  Can be asked for at any
 * time.  NC3Z_OK, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_iterator_inq(struct nc3z_iterator *iterator,
			       struct nc3z_iterator_plan *plan_ret,
			       struct nc3z_error *err);

/* NULL is allowed. */
NC3Z_API void nc3z_iterator_close(struct nc3z_iterator *iterator);

/* Bytes of the original, or of the plain file. */
NC3Z_API uint64_t nc3z_inq_size(const struct nc3z_file *file);

/*
 * Reads bytes of the original as pread() would read them from that file:
 * '*nbytes_ret' is less than 'nbytes' only at its end.  Returns NC3Z_OK and,
 * with 'data' partly filled and '*nbytes_ret' 0, what nc3z_get() returns then.
 */
NC3Z_API int nc3z_pread(struct nc3z_file *file, void *data, size_t nbytes,
			uint64_t offset, size_t *nbytes_ret,
			struct nc3z_error *err);

/* The codecs, by their number in the format. */
enum nc3z_codec {
	NC3Z_CODEC_STORE = 0,
	NC3Z_CODEC_DEFLATE = 1,
	NC3Z_CODEC_BZIP2 = 2,
	NC3Z_CODEC_ZSTD = 3,
};

/* What an archive holds. */
struct nc3z_summary {
	uint64_t original_nbytes;
	uint64_t archive_nbytes;
	uint64_t nblocks;
	uint32_t nstreams;
	uint16_t format_major;
	uint16_t format_minor;
	unsigned char sha256[32]; /* of the original */
	/* Blocks that restoring or verifying decoded a second or later time. */
	uint64_t nrepeats;
	uint64_t reserved[4]; /* 0 */
};

/*
 * What only an archive knows.  NC3Z_ENOTARCHIVE for plain files.
 */
NC3Z_API int nc3z_inq_summary(const struct nc3z_file *file,
			      struct nc3z_summary *summary_ret,
			      struct nc3z_error *err);

/* The most dimensions that a variable in chunks can have. */
#define NC3Z_CHUNK_DIMS_MAX 32

/* How a variable is stored. */
struct nc3z_storage {
	uint32_t stream; /* NC3Z_NO_NUMBER: with the rest, in no one stream */
	int is_shared;   /* with other variables, in a group */
	uint32_t block_nbytes; /* raw bytes of a whole block */
	uint64_t nblocks;      /* of the stream */
	/*
	 * Of chunks: the lengths of a whole one; 0 dimensions if it has none.
	 */
	uint32_t nchunk_dims;
	uint32_t chunk_lengths[NC3Z_CHUNK_DIMS_MAX];
	uint64_t reserved[4]; /* 0 */
};

NC3Z_API int nc3z_inq_storage(const struct nc3z_file *file, int varid,
			      struct nc3z_storage *storage_ret,
			      struct nc3z_error *err);

/* The filters, by their number in the format, as they appear in a coding. */
enum nc3z_filter {
	NC3Z_FILTER_ORDER = 1,
	NC3Z_FILTER_DELTA = 2, /* parameter: the stride, in elements */
	NC3Z_FILTER_ZIGZAG = 3,
	NC3Z_FILTER_SHUFFLE = 4,
	NC3Z_FILTER_BITSHUFFLE = 5,
	NC3Z_FILTER_TRANSPOSE = 6, /* parameter: the row, in elements */
	/* Those that split a block: 256 plus their number. */
	NC3Z_FILTER_CONSTANT = 257,
	NC3Z_FILTER_DROP = 258,
	NC3Z_FILTER_DECIMAL = 259, /* parameter: the number of decimals */
	NC3Z_FILTER_PALETTE = 260,
};

#define NC3Z_CODING_STEPS_MAX 16

/*
 * How a block is encoded: 'nsteps' filters in the order of encoding, each with
 * its parameter (0 if it has none), then the codec: an enum nc3z_codec, or
 * NC3Z_NO_NUMBER if nothing is left for it.
 */
struct nc3z_coding {
	uint32_t codec;
	uint32_t nsteps;
	uint32_t filters[NC3Z_CODING_STEPS_MAX];
	uint32_t parameters[NC3Z_CODING_STEPS_MAX];
};

/*
 * Writes a coding as text, "order delta(1) zigzag shuffle zstd", into 'text',
 * memory of 'text_nbytes' bytes; it is cut off there, with a NUL at its end.
 * Returns the length of the whole text, like snprintf().
 */
NC3Z_API size_t nc3z_coding_text(const struct nc3z_coding *coding, char *text,
				 size_t text_nbytes);

/*
 * A stream: a run of bytes of the original that are stored together, cut into
 * blocks.
 */
struct nc3z_stream_info {
	uint32_t nvars;        /* variables in it; 0: whatever has no stream */
	int varid;             /* the first of these, or NC3Z_GLOBAL */
	uint32_t block_nbytes; /* raw bytes of a whole block */
	uint32_t ncodings;     /* ways its blocks are encoded, up to 64 */
	uint64_t nblocks;
	uint64_t original_nbytes;
	uint64_t stored_nbytes;    /* block records, with their headers */
	struct nc3z_coding coding; /* of most blocks */
	uint64_t reserved[4];      /* 0 */
};

/*
 * Describes a stream, by its number.  Reads the header of each block record,
 * not the payloads.  NC3Z_EINVAL if there is no such stream; NC3Z_ENOTARCHIVE;
 * NC3Z_EDAMAGED, NC3Z_EUNSUPPORTED, NC3Z_EIO, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_inq_stream(struct nc3z_file *file, uint32_t stream,
			     struct nc3z_stream_info *info_ret,
			     struct nc3z_error *err);

/* One block of a stream, as its record and the index say. */
struct nc3z_block {
	uint64_t offset;        /* of its record, in the archive */
	uint32_t record_nbytes; /* with its header */
	uint32_t raw_nbytes;
	uint32_t raw_crc;
	struct nc3z_coding coding;
	uint64_t reserved[4]; /* 0 */
};

/* NC3Z_EINVAL if there is no such block; otherwise as nc3z_get(). */
NC3Z_API int nc3z_inq_block(struct nc3z_file *file, uint32_t stream,
			    uint64_t block, struct nc3z_block *block_ret,
			    struct nc3z_error *err);

/* What the block cache did since the file was opened. */
struct nc3z_cache_stats {
	uint64_t nblocks_decoded;
	uint64_t nblocks_found; /* wanted and there already */
	uint64_t nblocks_held;
	uint64_t nbytes_held;
	uint64_t reserved[4]; /* 0 */
};

NC3Z_API void nc3z_inq_cache(struct nc3z_file *file,
			     struct nc3z_cache_stats *stats_ret);

/*
 * Reads what an archive says of itself from its tail, without its blocks.
 * 'in' must be able to seek (NC3Z_EINVAL otherwise).  Returns what
 * nc3z_restore() can return.
 */
NC3Z_API int nc3z_summarize(struct nc3z_source *in,
			    struct nc3z_summary *summary_ret,
			    struct nc3z_error *err);

#define NC3Z_LEVEL_DEFAULT 5
#define NC3Z_LEVEL_MAX 9
#define NC3Z_THREADS_MAX 256u
#define NC3Z_BLOCK_NBYTES_MIN (UINT32_C(1) << 12)
#define NC3Z_BLOCK_NBYTES_MAX (UINT32_C(1) << 26)
#define NC3Z_MAX_MEMORY_DEFAULT (UINT64_C(256) << 20)

/*
 * Called now and then, from the caller's thread, with how many bytes of the
 * original and of the archive have been dealt with.
 */
typedef void nc3z_progress_fn(void *context, uint64_t original_nbytes,
			      uint64_t archive_nbytes);

/*
 * How to pack.  Fill with nc3z_pack_options_init(), then change what should
 * differ: 'level' 0 (store) to 9 (smallest), 'codec' an enum nc3z_codec,
 * 'block_nbytes' in the range above, or 0 for 65,536 elements (at least 128
 * KiB; 1 MiB of text), 'nthreads' 1 to NC3Z_THREADS_MAX, or 0 for
 * as many as there are processors; it has no influence on the archive.  'warn'
 * may be NULL; it is called, from the caller's thread, with one line about
 * something odd in the input that is kept as it is.  'progress' may be NULL.
 *
 * 'chunks' are 'nchunks' strings that say which variables are cut into chunks,
 * for access across the grain, and how; see --chunks in nc3compress(1) for
 * their syntax.  One row of chunks along the first dimension, of all record
 * variables together, is in memory when a file is packed: at most
 * 'max_memory_nbytes'.  Where that is too little, parts of a source that can
 * seek are read again, and the archive is the same.
 */
struct nc3z_pack_options {
	size_t options_nbytes;
	unsigned nthreads;
	int level;
	int codec;
	uint32_t block_nbytes;
	const char *const *chunks;
	size_t nchunks;
	uint64_t max_memory_nbytes;
	void *context; /* of the functions below */
	void (*warn)(void *context, const char *text);
	nc3z_progress_fn *progress;
};

NC3Z_API void nc3z_pack_options_init_sized(struct nc3z_pack_options *options,
					   size_t options_nbytes);

static inline void nc3z_pack_options_init(struct nc3z_pack_options *options)
{
	nc3z_pack_options_init_sized(options, sizeof(*options));
}

/*
 * Packs a netCDF classic file into an archive, in one pass over 'in' unless
 * chunks need more memory than is allowed.  Does not commit 'out'.  'options'
 * may be NULL for the defaults, 'summary_ret' may be NULL.
 *
 * Returns NC3Z_OK; NC3Z_ENOTCLASSIC with offset and reason; NC3Z_EINVAL for
 * options; NC3Z_ELIMIT for an original of 2^63-1 bytes and over, a header or
 * plan that passes the limits of the format, chunks that need more memory than
 * is allowed of a source that cannot seek; NC3Z_ECHANGED if the source changed;
 * NC3Z_EIO, NC3Z_ENOMEM.  After a failure what 'out' holds is worthless.
 */
NC3Z_API int nc3z_pack(struct nc3z_source *in, struct nc3z_sink *out,
		       const struct nc3z_pack_options *options,
		       struct nc3z_summary *summary_ret,
		       struct nc3z_error *err);

/*
 * How to restore or verify.  Fill with nc3z_restore_options_init().  'nthreads'
 * is as in struct nc3z_pack_options.  'max_memory_nbytes' is for chunks: those
 * that lie side by side are otherwise in memory at the same time.  'note' may
 * be NULL; it is called, before the first block is decoded, with one line that
 * says how many blocks will be decoded again to keep to that.
 *
 * An original of more than 'max_original_nbytes' bytes is NC3Z_ELIMIT; 0 is no
 * limit.  A source that can seek says its size beforehand; of any other, at
 * most so many bytes are restored.
 */
struct nc3z_restore_options {
	size_t options_nbytes;
	unsigned nthreads;
	uint64_t max_memory_nbytes;
	uint64_t max_original_nbytes;
	void *context; /* of the functions, each of which may be NULL */
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
 * the defaults, 'summary_ret' may be NULL.
 *
 * That is one pass over 'in'.  Where chunks take more memory than is allowed, a
 * sink with a path is written at the places where blocks belong, still in one
 * pass; for others, and to verify, blocks are decoded several times, which
 * needs a source that can seek.
 *
 * Returns NC3Z_OK; NC3Z_ENOTARCHIVE, NC3Z_EDAMAGED, NC3Z_EUNSUPPORTED;
 * NC3Z_ELIMIT if chunks take more memory than is allowed and neither way is
 * open, or for an original that is larger than is allowed; NC3Z_EIO,
 * NC3Z_ENOMEM.  What was appended to a sink without a path before a failure is
 * the original up to there.
 */
NC3Z_API int nc3z_restore(struct nc3z_source *in, struct nc3z_sink *out,
			  const struct nc3z_restore_options *options,
			  struct nc3z_summary *summary_ret,
			  struct nc3z_error *err);

/* The same without an output: NC3Z_OK proves that a restore will succeed. */
NC3Z_API int nc3z_verify(struct nc3z_source *in,
			 const struct nc3z_restore_options *options,
			 struct nc3z_summary *summary_ret,
			 struct nc3z_error *err);

/*
 * Checks an archive without decoding it, at the speed of reading: the CRC-32 of
 * all stored bytes, the order and lengths of all records, and that index,
 * header copy, catalogue and trailer agree with them.  Finds every damage that
 * came after the archive was written; what it does not prove is that the blocks
 * decode to the original, as nc3z_verify() does.  'options' may be NULL; it
 * runs in one thread.  Returns what nc3z_restore() can return.
 */
NC3Z_API int nc3z_verify_quick(struct nc3z_source *in,
			       const struct nc3z_restore_options *options,
			       struct nc3z_summary *summary_ret,
			       struct nc3z_error *err);

/*
 * What converting an archive costs.  'memory_nbytes' is what chunks that are
 * open at a time take, of those read and those written together; and a block
 * that is read again, where those that are written do not fit.
 */
struct nc3z_conversion {
	uint64_t original_nbytes;
	uint64_t nblocks;        /* to be read */
	uint64_t ndecodings;     /* of all of them together */
	uint64_t most_decodings; /* of one of them */
	uint64_t nblocks_written;
	uint64_t memory_nbytes;
	uint64_t once_nbytes; /* a 'max_memory_nbytes' for one decoding each */
	uint64_t reserved[4]; /* 0 */
};

/*
 * Converts an archive into another one with the same original: in other chunks
 * or none, with another level, codec, or size of blocks; without a classic file
 * in between.  Does not commit 'out'.
 *
 * 'options' are those of nc3z_pack(), and the bytes written are those that
 * nc3z_pack() would write from the original.  Where there are no 'chunks' the
 * variables keep their chunks; a 'block_nbytes' of 0 is then the block size of
 * the archive (if that is a power of two, else the default).  The chunks
 * "linear" take chunks away.  'options' NULL is the default level, layout kept.
 * Chunks that are read get what is left of 'max_memory_nbytes', and at least an
 * eighth of it besides; where that is little, or those that are written need
 * more than all of it, blocks are decoded several times.  'conversion_ret',
 * which may be NULL, says how often it was.
 *
 * 'in' must be able to seek, and to be read by several threads at once, as in
 * nc3z_open_source(); it stays the caller's.
 *
 * Returns NC3Z_OK: the SHA-256 of what was read is that of the original;
 * NC3Z_ENOTARCHIVE, NC3Z_EDAMAGED, NC3Z_EUNSUPPORTED for 'in'; NC3Z_EINVAL for
 * options or an input that cannot seek; NC3Z_ELIMIT as nc3z_pack(), but of
 * memory only if there is no room for one chunk that is written and one block
 * that is read; NC3Z_ECHANGED, NC3Z_EIO, NC3Z_ENOMEM.  After a failure what
 * 'out' holds is worthless.
 */
NC3Z_API int nc3z_convert(struct nc3z_source *in, struct nc3z_sink *out,
			  const struct nc3z_pack_options *options,
			  struct nc3z_conversion *conversion_ret,
			  struct nc3z_summary *summary_ret,
			  struct nc3z_error *err);

/* What that would cost, without decoding or writing a block. */
NC3Z_API int nc3z_plan_conversion(struct nc3z_source *in,
				  const struct nc3z_pack_options *options,
				  struct nc3z_conversion *conversion_ret,
				  struct nc3z_error *err);

/*
 * How to salvage.  Fill with nc3z_salvage_options_init().  'nthreads' is as in
 * struct nc3z_pack_options; more than one hash and decode at the same time.
 * 'archive' is the number, from 1, of the archive that is wanted where the
 * inputs have several, in the order in which they lie; 0 is the one with most
 * bytes left.  An original of more than 'max_original_nbytes' bytes is
 * NC3Z_ELIMIT; 0 stands for 1 GiB and 64 times what its blocks that are left
 * hold, as a small archive can claim anything.  'max_memory_nbytes' bounds what
 * blocks take that are open at the same time.  'progress' may be NULL.
 */
struct nc3z_salvage_options {
	size_t options_nbytes;
	unsigned nthreads;
	unsigned archive;
	uint64_t max_original_nbytes;
	uint64_t max_memory_nbytes;
	void *context; /* of 'progress' */
	nc3z_progress_fn *progress;
};

NC3Z_API void
nc3z_salvage_options_init_sized(struct nc3z_salvage_options *options,
				size_t options_nbytes);

static inline void
nc3z_salvage_options_init(struct nc3z_salvage_options *options)
{
	nc3z_salvage_options_init_sized(options, sizeof(*options));
}

#define NC3Z_SALVAGE_INPUTS_MAX 64u

/* Where the plan was found, that says what blocks hold. */
enum nc3z_salvage_plan {
	NC3Z_SALVAGE_PLAN_SECTION = 1,   /* in its place */
	NC3Z_SALVAGE_PLAN_CATALOGUE = 2, /* in the copy at the end */
	/* Before the blocks; the first of them, which proves it, is lost. */
	NC3Z_SALVAGE_PLAN_BY_PLACE = 3,
	NC3Z_SALVAGE_PLAN_COMPUTED = 4, /* from the header, and proven */
};

/*
 * Something that is lost and was filled.  Values of a variable: all from index
 * 'first' to index 'last' in row-major order, or, if 'is_box', all in the box
 * between them; 'offset' is that of the first one in the original
 * (NC3Z_NO_OFFSET for boxes).  Or bytes of no variable: 'varid' is NC3Z_GLOBAL
 * then, 'name' is "".
 */
struct nc3z_loss {
	int varid;
	const char *name;
	int is_box;
	int ndims;
	const uint64_t *first;
	const uint64_t *last;
	uint64_t offset;
	uint64_t nbytes;
	uint64_t reserved[4]; /* 0 */
};

/* What a salvage came to.  Pointers belong to the report. */
struct nc3z_salvage_report {
	struct nc3z_summary summary; /* of the new archive */
	/* The original is the one that was packed, by its SHA-256. */
	int is_whole;
	/* Whether size and SHA-256 of that one are known. */
	int has_original_sha256;
	unsigned char original_sha256[32];
	uint64_t nblocks_kept; /* as they were */
	uint64_t nblocks_made; /* with something filled, or moved */
	uint64_t nbytes_lost;  /* of the original */
	size_t source;         /* number of the input with most of it, from 0 */
	uint64_t offset;       /* where it begins in that one */
	unsigned nothers;      /* archives in the inputs that were left out */
	int plan_from;         /* enum nc3z_salvage_plan */
	int header_is_copy;    /* the header's blocks are lost */
	size_t nlosses;
	const struct nc3z_loss *losses;
	uint64_t nlosses_unlisted; /* beyond the first 10000 */
};

/*
 * Rebuilds an archive from what is left of it, in 'nin' inputs that can seek:
 * damaged copies of one archive, its first part, images of disks with anything
 * around it.  Blocks are found by their own marks and checks.  'out' gets a
 * whole archive, with the blocks that are left as they were, and in place of
 * lost values the fill value of their variable, of other lost bytes zeros.  If
 * nothing is lost it is the archive that was packed.  Does not commit 'out'.
 * 'options' and 'report_ret' may be NULL.
 *
 * Returns NC3Z_OK, also if something is lost; NC3Z_ENOTARCHIVE if there is no
 * block of an archive; NC3Z_EDAMAGED if the plan or the header of the original
 * is lost, or all blocks are there but not those of one original;
 * NC3Z_EINVAL for inputs that cannot seek or are not copies of one archive, and
 * for options; NC3Z_ELIMIT; NC3Z_EIO, NC3Z_ENOMEM.  After a failure what 'out'
 * holds is worthless.
 */
NC3Z_API int nc3z_salvage(struct nc3z_source *const *in, size_t nin,
			  struct nc3z_sink *out,
			  const struct nc3z_salvage_options *options,
			  struct nc3z_salvage_report **report_ret,
			  struct nc3z_error *err);

/* NULL is allowed. */
NC3Z_API void nc3z_salvage_report_free(struct nc3z_salvage_report *report);

/*
 * Where bytes come from.  A source is used by one job at a time; closing NULL
 * does nothing.
 */
struct nc3z_source;

/*
 * Opens a regular file for reading; anything else is NC3Z_EINVAL.  NC3Z_EIO and
 * NC3Z_ENOMEM can occur.
 */
NC3Z_API int nc3z_source_open_path(const char *path,
				   struct nc3z_source **source_ret,
				   struct nc3z_error *err);

/*
 * An object on a server, read where it lies: http://, https:// or
 * s3://bucket/key.  Its front and its tail are fetched at once, whatever else
 * is read of it by ranges, several at the same time, when it is read or
 * announced (see struct nc3z_callbacks).  The source can seek, and may be read
 * by several threads at once.  Which settings
 * count is in the README, under "URLs".
 *
 * With NC3Z_URL_STREAM it is fetched by one request from its first byte to its
 * last, for nc3z_restore() and its like; going back costs more requests.
 *
 * What comes is checked against what was asked for, and against the object's
 * size, ETag and date of the beginning, so that bytes of two versions never
 * meet.  Requests that fail are made again, up to five times; after that it is
 * NC3Z_EIO, and sys_errno is ENOENT if there is no such object, EACCES if it is
 * not allowed (or not there), EBUSY if the server is busy, ETIMEDOUT if nothing
 * came for a minute, or another one.  NC3Z_ECHANGED if the object changed;
 * NC3Z_EUNSUPPORTED if libnc3z-remote cannot be loaded or NC3Z_REMOTE=off;
 * NC3Z_EINVAL for URLs or flags; NC3Z_ENOMEM.
 *
 * All sources share one thread, which begins with the first of them.  After
 * fork() sources can be used in both processes.
 */
#define NC3Z_URL_STREAM 1u

NC3Z_API int nc3z_source_open_url(const char *url, unsigned flags,
				  struct nc3z_source **source_ret,
				  struct nc3z_error *err);

/* Whether a name begins as such a URL does. */
NC3Z_API int nc3z_is_url(const char *name);

/*
 * A name as it may be shown: of a URL without user, password, query and
 * fragment; any other as it is.  'text' ends with a NUL, cut off where it is
 * too short.
 */
NC3Z_API void nc3z_url_text(const char *name, char *text, size_t text_nbytes);

/*
 * Reads from a file descriptor, from its current position to its end: a file,
 * a pipe, a socket.  The descriptor stays the caller's and must stay open.
 */
NC3Z_API int nc3z_source_open_fd(int fd, struct nc3z_source **source_ret,
				 struct nc3z_error *err);

/* Bytes 'offset' to 'offset' + 'nbytes' - 1 of a source. */
struct nc3z_range {
	uint64_t offset;
	uint64_t nbytes;
};

/*
 * A caller's own way to bytes.  'read_at' reads up to 'nbytes' bytes from
 * 'offset', fewer only at the end, and returns 0 or an errno.  If the source is
 * given to nc3z_open_source() all functions but 'close' must be able to run in
 * several threads at once.  'close' may be NULL.
 *
 * 'announce' may be NULL.  It is told which bytes will be read, so that a
 * source that answers slowly, such as a server, can fetch several ranges at the
 * same time; it must not wait for them.  Ranges are worth one fetch each, do
 * not overlap, and are in the order in which they will be read; together they
 * can be more than memory holds, and one that is longer than 16 MiB is read
 * from its first byte to its last.  Each announced byte is read once (up to 16
 * bytes before the last that was read, again); some are not read at all, as
 * they lie between others, or as the read that needed them failed.  Whatever
 * was not announced can be read, too.
 *
 * 'check_unchanged' may be NULL.  It is called when a job that read everything
 * is about to end, and returns 0, ESTALE if the bytes are not those of the
 * beginning any more (NC3Z_ECHANGED), or another errno.
 */
struct nc3z_callbacks {
	size_t callbacks_nbytes; /* sizeof(struct nc3z_callbacks) */
	void *context;
	uint64_t size;
	int (*read_at)(void *context, uint64_t offset, void *data,
		       size_t nbytes, size_t *nbytes_ret);
	void (*close)(void *context);
	void (*announce)(void *context, const struct nc3z_range *ranges,
			 size_t nranges);
	int (*check_unchanged)(void *context);
};

/* Reads through callbacks, which are copied. */
NC3Z_API int nc3z_source_open_callbacks(const struct nc3z_callbacks *callbacks,
					struct nc3z_source **source_ret,
					struct nc3z_error *err);

/* Reads from memory, which stays the caller's and must not change. */
NC3Z_API int nc3z_source_open_memory(const void *data, size_t data_nbytes,
				     struct nc3z_source **source_ret,
				     struct nc3z_error *err);

/*
 * Looks whether the source is a gzip, bzip2, zstd or xz file and if so replaces
 * '*source' by one that gives what is inside, decoded as it is read, with the
 * checks of those formats verified; closing the new one closes the old one.
 * '*format_ret' is the name of that format, a constant, or NULL if '*source'
 * stays as it is, from its first byte on.
 *
 * Returns NC3Z_OK, NC3Z_EIO, NC3Z_ENOMEM.  Damage inside is found when it is
 * read: NC3Z_EDAMAGED.
 */
NC3Z_API int nc3z_source_unpack(struct nc3z_source **source,
				const char **format_ret,
				struct nc3z_error *err);

/*
 * The SHA-256 of all bytes of a source.  A source that cannot seek must not
 * have been read before.  NC3Z_EIO, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_source_sha256(struct nc3z_source *source,
				unsigned char sha256_ret[32],
				struct nc3z_error *err);

NC3Z_API void nc3z_source_close(struct nc3z_source *source);

/*
 * Where bytes go.  A sink is used by one job at a time.  Nothing that was
 * written to a path is visible before nc3z_sink_commit(); nc3z_sink_close()
 * without it leaves no trace.  Closing NULL does nothing.
 */
struct nc3z_sink;

/* Flags of nc3z_sink_open_path(). */
#define NC3Z_SINK_REPLACE 1u /* an existing file is replaced, at commit */
#define NC3Z_SINK_SPARSE 2u  /* runs of zeros become holes */

/*
 * Opens a file for writing: a temporary file in the same folder, with
 * permission bits 'mode' (the caller's umask does not apply).  NC3Z_EEXIST if
 * 'path' is there and NC3Z_SINK_REPLACE is not given, or is no file.
 */
NC3Z_API int nc3z_sink_open_path(const char *path, unsigned flags,
				 unsigned mode, struct nc3z_sink **sink_ret,
				 struct nc3z_error *err);

/*
 * The name of the temporary file that is being written, so that a program that
 * gets a signal can remove it; the sink's own.  NULL if it has no name, as on
 * most file systems, and for other sinks.
 */
NC3Z_API const char *nc3z_sink_temporary(const struct nc3z_sink *sink);

/*
 * At commit the file gets permissions, times and, as far as the system allows,
 * owner and extended attributes of the file 'path'.  NC3Z_EINVAL for sinks that
 * have no path, NC3Z_ENOMEM.
 */
NC3Z_API int nc3z_sink_copy_attributes(struct nc3z_sink *sink, const char *path,
				       struct nc3z_error *err);

/*
 * Opens what has been written to a path, before it is committed, for reading
 * back.  To be closed before the sink, which must not be written to meanwhile.
 * NC3Z_EINVAL for sinks that have no path.
 */
NC3Z_API int nc3z_source_open_sink(struct nc3z_sink *sink,
				   struct nc3z_source **source_ret,
				   struct nc3z_error *err);

/* Appends to a file descriptor, which stays the caller's and open. */
NC3Z_API int nc3z_sink_open_fd(int fd, struct nc3z_sink **sink_ret,
			       struct nc3z_error *err);

/* Collects up to 'max_nbytes' bytes in memory; more is NC3Z_ELIMIT. */
NC3Z_API int nc3z_sink_open_memory(size_t max_nbytes,
				   struct nc3z_sink **sink_ret,
				   struct nc3z_error *err);

/*
 * The bytes of a memory sink: the sink's own, valid until it is written to or
 * closed.  NULL and 0 for other sinks.
 */
NC3Z_API const void *nc3z_sink_memory(const struct nc3z_sink *sink,
				      size_t *data_nbytes_ret);

/*
 * Makes what was written last: synchronises the file with the disk, gives it
 * its name, and synchronises the folder.  After NC3Z_EEXIST or NC3Z_ECHANGED
 * nothing bears that name that did not before; after NC3Z_EIO the file may have
 * its name if it was the folder that could not be synchronised.
 */
NC3Z_API int nc3z_sink_commit(struct nc3z_sink *sink, struct nc3z_error *err);

NC3Z_API void nc3z_sink_close(struct nc3z_sink *sink);

#ifdef __cplusplus
}
#endif

#endif
