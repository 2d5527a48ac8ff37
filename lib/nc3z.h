/*
 * nc3z: netCDF classic files in a compressed, checked, directly readable
 * archive.  This is the only installed header.
 *
 * Every function that can fail returns an enum nc3z_status and takes a
 * 'struct nc3z_error *' which may be NULL.  The error is filled where the
 * failure is known and left alone on success.  The library never prints, never
 * exits, and keeps no state between calls but what hangs on a handle.
 *
 * Sizes and offsets of files are uint64_t bytes, sizes in memory size_t bytes.
 */
#ifndef NC3Z_H
#define NC3Z_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NC3Z_VERSION "0.1.0"

#if defined(__GNUC__)
#define NC3Z_API __attribute__((visibility("default")))
#else
#define NC3Z_API
#endif

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

	/* A stated limit of the format would be passed. */
	NC3Z_ELIMIT = 9,

	/* The input is not what it was when reading it began. */
	NC3Z_ECHANGED = 10,
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
};

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
 * Reads from a file descriptor, from its current position to its end: a file,
 * a pipe, a socket.  The descriptor stays the caller's and must stay open.
 */
NC3Z_API int nc3z_source_open_fd(int fd, struct nc3z_source **source_ret,
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

/* The codecs, by their number in the format. */
enum nc3z_codec {
	NC3Z_CODEC_STORE = 0,
	NC3Z_CODEC_DEFLATE = 1,
	NC3Z_CODEC_BZIP2 = 2,
	NC3Z_CODEC_ZSTD = 3,
};

#define NC3Z_LEVEL_DEFAULT 5
#define NC3Z_LEVEL_MAX 9
#define NC3Z_THREADS_MAX 256u
#define NC3Z_BLOCK_NBYTES_DEFAULT (UINT32_C(1) << 20)
#define NC3Z_BLOCK_NBYTES_MIN (UINT32_C(1) << 12)
#define NC3Z_BLOCK_NBYTES_MAX (UINT32_C(1) << 26)

/*
 * Called now and then, from the caller's thread, with how many bytes of the
 * original and of the archive have been dealt with.
 */
typedef void nc3z_progress_fn(void *context, uint64_t original_nbytes,
			      uint64_t archive_nbytes);

/*
 * How to pack.  Fill with nc3z_pack_options_init(), then change what should
 * differ: 'level' 0 (store) to 9 (smallest), 'codec' an enum nc3z_codec,
 * 'block_nbytes' in the range above, 'nthreads' 1 to NC3Z_THREADS_MAX, or 0 for
 * as many as there are processors; it has no influence on the archive.  'warn'
 * may be NULL; it is called, from the caller's thread, with one line about
 * something odd in the input that is kept as it is.  'progress' may be NULL.
 */
struct nc3z_pack_options {
	size_t options_nbytes;
	unsigned nthreads;
	int level;
	int codec;
	uint32_t block_nbytes;
	void *context; /* of the functions below */
	void (*warn)(void *context, const char *text);
	nc3z_progress_fn *progress;
};

NC3Z_API void nc3z_pack_options_init(struct nc3z_pack_options *options);

/* What an archive holds. */
struct nc3z_summary {
	uint64_t original_nbytes;
	uint64_t archive_nbytes;
	uint64_t nblocks;
	uint32_t nstreams;
	uint16_t format_major;
	uint16_t format_minor;
	unsigned char sha256[32]; /* of the original */
};

/*
 * Packs a netCDF classic file into an archive, in one pass over 'in'.  Does
 * not commit 'out'.  'options' may be NULL for the defaults, 'summary_ret' may
 * be NULL.
 *
 * Returns NC3Z_OK; NC3Z_ENOTCLASSIC with offset and reason; NC3Z_EINVAL for
 * options; NC3Z_ELIMIT for an original of 2^63-1 bytes and over, a header or
 * plan that passes the limits of the format; NC3Z_EIO, NC3Z_ENOMEM.  After a
 * failure what 'out' holds is worthless.
 */
NC3Z_API int nc3z_pack(struct nc3z_source *in, struct nc3z_sink *out,
		       const struct nc3z_pack_options *options,
		       struct nc3z_summary *summary_ret,
		       struct nc3z_error *err);

/*
 * How to restore or verify.  Fill with nc3z_restore_options_init().  'nthreads'
 * is as in struct nc3z_pack_options.
 */
struct nc3z_restore_options {
	size_t options_nbytes;
	unsigned nthreads;
	void *context; /* of 'progress', which may be NULL */
	nc3z_progress_fn *progress;
};

NC3Z_API void nc3z_restore_options_init(struct nc3z_restore_options *options);

/*
 * Restores the original, byte for byte, in one pass over 'in', checking every
 * checksum on the way and the SHA-256 at the end.  Does not commit 'out'.
 * 'options' may be NULL for the defaults, 'summary_ret' may be NULL.
 *
 * Returns NC3Z_OK; NC3Z_ENOTARCHIVE, NC3Z_EDAMAGED, NC3Z_EUNSUPPORTED;
 * NC3Z_EIO, NC3Z_ENOMEM.  Bytes appended to 'out' before a failure are those
 * of the original up to there.
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
 * Reads what an archive says of itself from its tail, without its blocks.
 * 'in' must be able to seek (NC3Z_EINVAL otherwise).  Returns what
 * nc3z_restore() can return.
 */
NC3Z_API int nc3z_summarize(struct nc3z_source *in,
			    struct nc3z_summary *summary_ret,
			    struct nc3z_error *err);

/*
 * What an archive says of one of its streams.  Strings are UTF-8 as far as the
 * original's names are, end with a NUL, and belong to the inspection.
 */
struct nc3z_stream_info {
	/*
	 * The variable, "(3 variables)" for a group of small ones, "(rest)"
	 * for header, padding and whatever belongs to no stream of its own.
	 */
	const char *name;
	const char *type;  /* "float"; "" for groups and rest */
	const char *shape; /* "time, lat = 90"; "" for groups and rest */
	/*
	 * How most of its blocks are encoded: filters with their parameters
	 * in the order of encoding, then the codec.  "" if there are none.
	 */
	const char *coding;
	uint64_t ncodings; /* ways in which its blocks are encoded, up to 64 */
	uint64_t original_nbytes;
	uint64_t stored_nbytes; /* block records, with their headers */
	uint64_t nblocks;
	uint32_t block_nbytes; /* raw bytes of a whole block */
};

struct nc3z_inspection;

/*
 * Looks at every block record of an archive, without its payload.  'in' must be
 * able to seek.  Returns what nc3z_restore() can return.
 */
NC3Z_API int nc3z_inspect(struct nc3z_source *in,
			  struct nc3z_inspection **inspection_ret,
			  struct nc3z_error *err);

/* All streams, an array that belongs to the inspection. */
NC3Z_API const struct nc3z_stream_info *
nc3z_inspection_streams(const struct nc3z_inspection *inspection,
			uint32_t *nstreams_ret);

/* NULL is allowed. */
NC3Z_API void nc3z_inspection_free(struct nc3z_inspection *inspection);

#ifdef __cplusplus
}
#endif

#endif
