/* SPDX-License-Identifier: MIT */
/*
 * What the programs of the project call beside nc3z.h.  This header is not
 * installed and promises nothing: the programs are linked with the library's
 * objects.  A function that others ask for moves to nc3z.h.  Errors, results
 * and threads are as nc3z.h says, but a pointer must not be NULL unless its
 * function allows it: nobody looks.
 */
#ifndef NC3Z_TOOLS_H
#define NC3Z_TOOLS_H

#include <time.h>

#include "nc3z.h"

/*
 * Processors and estimates
 * ========================
 */

/*
 * The number of processors that this process may use, at most NC3Z_THREADS_MAX:
 * those that it is bound to (sched_setaffinity(2)), or fewer if the limits of
 * its control groups (cgroups(7), versions 1 and 2) give it the time of fewer.
 * Where a number of threads of 0 means one for each processor, this is the
 * number.
 */
unsigned nc3z_count_processors(void);

/* The estimated result of packing. */
struct nc3z_estimate {
	uint64_t original_nbytes; /* 0: not known yet */
	uint64_t archive_nbytes;  /* estimated; 0: nothing was encoded */
	uint64_t nblocks;
	uint64_t nblocks_encoded; /* of these, for the estimate */
	double seconds;           /* of one processor, estimated */
	/*
	 * Of the highest level, unless the file was packed: bytes of the blocks
	 * that were encoded, and those that they would have at the default
	 * level, which takes a small part of the time.
	 */
	uint64_t stored_nbytes;
	uint64_t default_nbytes;
	uint64_t reserved[2]; /* 0 */
};

/*
 * Estimates the archive that nc3z_pack() would make with these options, and the
 * time.  A small file, or one whose source cannot seek, is packed, and the
 * result discarded.  Of a larger file, some evenly spaced blocks are read and
 * encoded, at least one, until 'max_seconds' of the processor are over, and
 * changes to the file go unnoticed.  If that is 0, only the header is read.
 * Returns what nc3z_pack() returns; ignores 'nthreads' and the functions of the
 * options.
 */
int nc3z_estimate(struct nc3z_source *in,
		  const struct nc3z_pack_options *options, double max_seconds,
		  struct nc3z_estimate *estimate_ret, struct nc3z_error *err);

/*
 * What nc3z_inq_refusal() says, with the variable that is at fault; 0 if
 * libnetcdf does not refuse the original.
 */
#define NC3Z_REFUSAL_NBYTES 320
int nc3z_inq_refusal_text(const struct nc3z_file *file, char *text,
			  size_t text_nbytes);

/*
 * Packing in parts
 * ================
 *
 * For a file so large that one machine would pack it too slowly, or that hours
 * of packing must not be lost: its parts are packed on any number of machines,
 * in any order, and then joined.  The archive is byte for byte the one that
 * nc3z_pack() writes.
 */

/* The maximum number of parts of a file. */
#define NC3Z_PARTS_MAX 512u

/* A part of a file. */
struct nc3z_part {
	/* 1 to 'count'; both 0: the SHA-256 of the file, and no blocks. */
	unsigned number;
	unsigned count;
	/*
	 * The file's time of modification, in seconds since 1970 and
	 * nanoseconds: parts with different times are not joined.
	 */
	int64_t mtime_s;
	uint32_t mtime_ns;
};

/*
 * Packs part 'part->number' of a file, whose source must be able to seek.
 * Parts have about the same number of bytes of the file.  In addition, a part
 * reads earlier bytes again: those of blocks that are open where it begins, and
 * of up to 16 blocks of each variable.  Does not commit 'out'.  In
 * '*summary_ret', which may be NULL, 'original_nbytes' is the size of the file,
 * and 'sha256' is 0.
 *
 * NC3Z_EINVAL for a part that does not exist, or a source that cannot seek;
 * otherwise what nc3z_pack() returns.  On failure, discard the contents of
 * 'out'.
 */
int nc3z_pack_part(struct nc3z_source *in, struct nc3z_sink *out,
		   const struct nc3z_pack_options *options,
		   const struct nc3z_part *part,
		   struct nc3z_summary *summary_ret, struct nc3z_error *err);

/*
 * Joins the parts of a file, in any order: each of them once, and the SHA-256.
 * They must agree in size, time of modification and header of the file, and
 * must have been made with the same options, by the version of the library and
 * of its codecs that joins them.  If the file was changed in between and its
 * time of modification set back, only nc3z_verify() of the archive finds that.
 * Of 'options', which may be NULL, only 'context' and 'progress' are used.
 * Does not commit 'out'.
 *
 * NC3Z_EINVAL for parts that do not belong together, for one that is missing or
 * repeated, and for an input that is not a part; NC3Z_EUNSUPPORTED for parts of
 * another version; NC3Z_EDAMAGED, NC3Z_ELIMIT, NC3Z_ECHANGED, NC3Z_EIO,
 * NC3Z_ENOMEM.  '*input_ret', which may be NULL, is then the input that is at
 * fault, or 'nin' if none is.  On failure, discard the contents of 'out'.
 */
int nc3z_join(struct nc3z_source *const *in, size_t nin, struct nc3z_sink *out,
	      const struct nc3z_pack_options *options, size_t *input_ret,
	      struct nc3z_error *err);

/*
 * Converting
 * ==========
 */

/*
 * The cost of nc3z_convert() with these options, without decoding or writing a
 * block.
 */
int nc3z_plan_conversion(struct nc3z_source *in,
			 const struct nc3z_pack_options *options,
			 struct nc3z_conversion *conversion_ret,
			 struct nc3z_error *err);

/*
 * Exact netCDF-4
 * ==============
 *
 * A netCDF-4 file that every program reads, from which the classic file that it
 * was made of comes back: format-spec/exact-netcdf4.md.
 */

/*
 * Writes a classic file, or the original of an archive, as an exact netCDF-4
 * file; 'in' must be able to seek.  Of 'options' codec and block_nbytes are not
 * used.  Does not commit 'out'; 'summary_ret' may be NULL.  It says where HDF5
 * finds all values, as HDF5 itself says it; whether the original comes back is
 * seen by reading it.
 *
 * NC3Z_EINVAL for a file that netCDF-4 cannot represent; NC3Z_EUNSUPPORTED if
 * libnc3z-hdf5 cannot be loaded; otherwise what nc3z_pack() and nc3z_convert()
 * return.  On failure, discard the contents of 'out'.
 */
int nc3z_write_netcdf4(struct nc3z_source *in, struct nc3z_sink *out,
		       const struct nc3z_pack_options *options,
		       struct nc3z_summary *summary_ret,
		       struct nc3z_error *err);

/* Whether a source begins as HDF5 files do: 1 or 0.  It is not used up. */
int nc3z_source_is_hdf5(struct nc3z_source *in);

/*
 * Opens the original of such a file, to be read in order: the HDF5 part is
 * compared with its SHA-256 before, and the SHA-256 of the original before
 * its last bytes are given.  HDF5 is not needed.  'in' must be able to seek;
 * it stays the caller's, and must stay open.  Of 'options' the threads and
 * both limits are used.
 *
 * Here or when it is read: NC3Z_ENOTARCHIVE for any other file,
 * NC3Z_EDAMAGED, also if another program has changed it; NC3Z_EUNSUPPORTED,
 * NC3Z_ELIMIT, NC3Z_EIO, NC3Z_ENOMEM.
 */
int nc3z_source_open_netcdf4(struct nc3z_source *in,
			     const struct nc3z_restore_options *options,
			     struct nc3z_source **original_ret,
			     struct nc3z_error *err);

/*
 * Restores the original, or with NULL for 'out' only checks that it comes back.
 * Fails like the function above.  Does not commit 'out'; 'summary_ret' may be
 * NULL.
 */
int nc3z_restore_netcdf4(struct nc3z_source *in, struct nc3z_sink *out,
			 const struct nc3z_restore_options *options,
			 struct nc3z_summary *summary_ret,
			 struct nc3z_error *err);

/* What the tail of such a file says; fails like nc3z_source_open_netcdf4(). */
int nc3z_summarize_netcdf4(struct nc3z_source *in,
			   struct nc3z_summary *summary_ret,
			   struct nc3z_error *err);

/*
 * Sources
 * =======
 */

/*
 * Opens a regular file for reading.  NC3Z_EINVAL for anything else, NC3Z_EIO,
 * NC3Z_ENOMEM.
 */
int nc3z_source_open_path(const char *path, struct nc3z_source **source_ret,
			  struct nc3z_error *err);

/* Opens an object on a server, as nc3z_source_open_name() does. */
int nc3z_source_open_url(const char *url, unsigned flags,
			 struct nc3z_source **source_ret,
			 struct nc3z_error *err);

/*
 * Opens the bytes written so far to a sink that has a path (NC3Z_EINVAL
 * otherwise), before it is committed.  Close the source before the sink, and do
 * not write to the sink in between.  NC3Z_EIO, NC3Z_ENOMEM.
 */
int nc3z_source_open_sink(struct nc3z_sink *sink,
			  struct nc3z_source **source_ret,
			  struct nc3z_error *err);

/* 1, and its time, if a source is a member of a tar that has one; or 0. */
int nc3z_source_member_time(const struct nc3z_source *source,
			    struct timespec *time_ret);

/* How many bytes a source has, if it can seek; UINT64_MAX otherwise. */
uint64_t nc3z_source_nbytes(const struct nc3z_source *source);

/*
 * Reads bytes at an offset, fewer only at the end.  Several threads may read at
 * once, unless the source cannot seek: then 'offset' is where the last read
 * ended.  NC3Z_EIO, NC3Z_ECHANGED, NC3Z_EDAMAGED, NC3Z_ENOMEM.
 */
int nc3z_source_read(struct nc3z_source *source, uint64_t offset, void *data,
		     size_t nbytes, size_t *nbytes_ret, struct nc3z_error *err);

/*
 * Computes the SHA-256 of all bytes of a source.  A source that cannot seek
 * must not have been read before, and is used up.  NC3Z_EIO, NC3Z_ENOMEM.
 */
int nc3z_source_sha256(struct nc3z_source *source, unsigned char sha256_ret[32],
		       struct nc3z_error *err);

/*
 * Tars
 * ====
 */

struct nc3z_tar;

struct nc3z_tar_member {
	const char *name; /* valid until the tar is closed */
	uint64_t nbytes;
	/* Why it cannot be opened, as "is a symbolic link"; NULL: it can. */
	const char *left_out;
	uint64_t offset; /* where its bytes begin */
};

/*
 * Finds the members of a tar.  The source must be able to seek (NC3Z_EINVAL
 * otherwise); on success the handle owns it, on failure the caller still does.
 * Several threads may use one handle at once, for everything but
 * nc3z_tar_close().
 *
 * NC3Z_ENOTARCHIVE for an empty file; NC3Z_EDAMAGED if the tar is cut off in
 * its first member, or has no header; NC3Z_EUNSUPPORTED for a compressed tar;
 * NC3Z_EIO, NC3Z_ECHANGED, NC3Z_ENOMEM.
 */
int nc3z_tar_open(struct nc3z_source *source, struct nc3z_tar **tar_ret,
		  struct nc3z_error *err);

/*
 * Whether a source is a tar whose first file is an index or an archive: 1 or 0.
 * Looks at 64 members at most.  0 if the source cannot be read.
 */
int nc3z_tar_has_archives(struct nc3z_source *source);

/* Frees the tar; sources of its members may stay open.  NULL is allowed. */
void nc3z_tar_close(struct nc3z_tar *tar);

/* The number of members.  They are numbered from 0, in the order of the tar. */
size_t nc3z_tar_nmembers(const struct nc3z_tar *tar);

/*
 * NC3Z_EDAMAGED if so much is wrong with the tar, NC3Z_OK if it is not; numbers
 * begin at 0.  'err' says where anything but a header is where one should be,
 * and where the next one is; which names are lost; that the tar is cut off, or
 * lacks its end.  More may be wrong after members were opened.
 */
int nc3z_tar_inq_damage(struct nc3z_tar *tar, size_t number,
			struct nc3z_error *err);

/*
 * Compares the index with the headers of the members that have not been opened:
 * NC3Z_EDAMAGED if it is wrong, so that members may not be those that tar(1)
 * would give, or if headers are damaged.  NC3Z_OK if it is right, or if there
 * is none, or if it was not used because it does not fit the tar.  NC3Z_EIO,
 * NC3Z_ECHANGED, NC3Z_ENOMEM.
 */
int nc3z_tar_check_index(struct nc3z_tar *tar, struct nc3z_error *err);

/*
 * Describes a member.  NC3Z_EINVAL if there is none with that number.  If the
 * index is wrong, the size may change once the member has been opened.
 */
int nc3z_tar_inq_member(struct nc3z_tar *tar, size_t number,
			struct nc3z_tar_member *member_ret,
			struct nc3z_error *err);

/*
 * Finds a member by its name; NC3Z_EIO with sys_errno ENOENT if there is none,
 * NC3Z_EDAMAGED if there is none and the tar is cut off or has damaged headers.
 */
int nc3z_tar_find(struct nc3z_tar *tar, const char *name, size_t *number_ret,
		  struct nc3z_error *err);

/*
 * Opens the contents of a member; 'flags' is as in nc3z_source_open_name().
 * NC3Z_EINVAL if there is no member with that number; NC3Z_EUNSUPPORTED if it
 * cannot be opened; NC3Z_EIO with sys_errno ENOENT if the index is wrong and
 * there is none with that name; otherwise fails like nc3z_tar_open().
 */
int nc3z_tar_open_member(struct nc3z_tar *tar, size_t number, unsigned flags,
			 struct nc3z_source **source_ret,
			 struct nc3z_error *err);

/*
 * Bytes
 * =====
 */

/*
 * Reads bytes of the original as pread() reads them from that file:
 * '*nbytes_ret' is less than 'nbytes' only at its end.  Fails like nc3z_get(),
 * and then sets '*nbytes_ret' to 0 and leaves 'data' undefined.
 */
int nc3z_pread(struct nc3z_file *file, void *data, size_t nbytes,
	       uint64_t offset, size_t *nbytes_ret, struct nc3z_error *err);

/*
 * Sinks
 * =====
 */

/*
 * The same with a path relative to the directory 'directory_fd', as in
 * openat(): the file gets its name there even if the directory is moved.  The
 * descriptor stays the caller's and must stay open until the sink is closed.
 */
int nc3z_sink_open_at(int directory_fd, const char *path, unsigned flags,
		      unsigned mode, struct nc3z_sink **sink_ret,
		      struct nc3z_error *err);

/*
 * The name of the temporary file, relative to where the path is, for a program
 * that removes it when a signal ends it; the string belongs to the sink.  NULL
 * if the file has no name, as on most file systems, and for other sinks.
 */
const char *nc3z_sink_temporary(const struct nc3z_sink *sink);

/*
 * Hands the bytes to a function, in order, which returns NC3Z_OK or, with the
 * error filled in, another status to end the job.  NC3Z_ENOMEM.
 */
typedef int nc3z_take_fn(void *context, const void *data, size_t nbytes,
			 struct nc3z_error *err);
int nc3z_sink_open_function(nc3z_take_fn *take, void *context,
			    struct nc3z_sink **sink_ret,
			    struct nc3z_error *err);

/*
 * Renames a file in a directory, as renameat() has names, without replacing
 * another one.  0, or -1 with errno: EEXIST if there is one.
 */
int nc3z_rename_new(int directory_fd, const char *from, const char *to);

/*
 * Compute the SHA-256 of the bytes while they are written: the first function
 * is called before the first byte, the second after the last one.  NC3Z_EINVAL
 * for calls at other times, and if bytes were written out of order, as
 * nc3z_restore() may do; NC3Z_ENOMEM.
 */
int nc3z_sink_start_sha256(struct nc3z_sink *sink, struct nc3z_error *err);
int nc3z_sink_sha256(struct nc3z_sink *sink, unsigned char sha256_ret[32],
		     struct nc3z_error *err);

/*
 * Does everything that nc3z_sink_commit() does, except for naming the file.  As
 * syncing takes time, a caller can then check its input once more before it
 * commits.  Nothing may be written afterwards.  NC3Z_EIO.
 */
int nc3z_sink_sync(struct nc3z_sink *sink, struct nc3z_error *err);

#endif
