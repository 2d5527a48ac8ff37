/* SPDX-License-Identifier: MIT */
/*
 * Whether an archive that is there may be replaced: it may be all that is left
 * of its original, unless the input has every byte of that.
 *
 * A file that grew has them: records were appended, and their number in the
 * header is another one.  So the SHA-256 in the archive is that of as many
 * bytes of the input, with the number of records that the archive has.
 */
#include "batch/job_older.h"

#include <errno.h>
#include <string.h>

#include "batch/job_input.h"

/* Where a header has the number of records: in 4 bytes, in CDF-5 in 8. */
#define NUMRECS_OFFSET 4

/* The beginning of the input, as it was. */
struct older {
	struct nc3z_source *source;
	uint64_t nbytes;
	unsigned char numrecs[8];
	size_t numrecs_nbytes; /* 0: as it is now */
};

/* Puts the number of records where it is among bytes that were read. */
static void put_numrecs(const struct older *older, uint64_t offset,
			unsigned char *data, size_t nbytes)
{
	for (size_t i = 0; i < older->numrecs_nbytes; i++) {
		uint64_t at = NUMRECS_OFFSET + i;

		if (at >= offset && at - offset < nbytes)
			data[at - offset] = older->numrecs[i];
	}
}

static int read_older(void *context, uint64_t offset, void *data, size_t nbytes,
		      size_t *nbytes_ret)
{
	const struct older *older = context;
	uint64_t left = offset < older->nbytes ? older->nbytes - offset : 0;
	struct nc3z_error err;

	if (nbytes > left)
		nbytes = (size_t)left;
	if (nc3z_source_read(older->source, offset, data, nbytes, nbytes_ret,
			     &err) != NC3Z_OK)
		return EIO;
	put_numrecs(older, offset, data, *nbytes_ret);
	return 0;
}

/* The first bytes of an original; how many there are. */
static size_t read_head(struct nc3z_source *archive, void *head, size_t nbytes)
{
	struct nc3z_file *file;
	size_t got = 0;

	if (nc3z_open_source(archive, NULL, &file, NULL) != NC3Z_OK) {
		nc3z_source_close(archive);
		return 0;
	}
	(void)!nc3z_pread(file, head, nbytes, 0, &got, NULL);
	nc3z_close(file);
	return got;
}

static size_t read_netcdf4_head(struct nc3z_source *made, void *head,
				size_t nbytes)
{
	struct nc3z_source *original;
	size_t got = 0;

	if (nc3z_source_open_netcdf4(made, NULL, &original, NULL) == NC3Z_OK) {
		(void)!nc3z_source_read(original, 0, head, nbytes, &got, NULL);
		nc3z_source_close(original);
	}
	nc3z_source_close(made);
	return got;
}

/* The number of records that the archive has; none if it cannot be read. */
static void take_numrecs(struct older *older, int archive_fd)
{
	unsigned char head[NUMRECS_OFFSET + sizeof(older->numrecs)];
	struct nc3z_source *source = NULL;
	size_t nbytes;

	if (nc3z_source_open_fd(archive_fd, &source, NULL) != NC3Z_OK)
		return;
	nbytes = nc3z_source_is_hdf5(source) ?
			 read_netcdf4_head(source, head, sizeof(head)) :
			 read_head(source, head, sizeof(head));
	if (nbytes == sizeof(head)) {
		older->numrecs_nbytes = head[3] == 5 ? 8 : 4;
		memcpy(older->numrecs, head + NUMRECS_OFFSET,
		       older->numrecs_nbytes);
	}
}

static bool has_sha256(struct older *older, const unsigned char sha256[32])
{
	const struct nc3z_callbacks callbacks = {
		.callbacks_nbytes = sizeof(callbacks),
		.context = older,
		.size = older->nbytes,
		.read_at = read_older,
	};
	struct nc3z_source *source;
	unsigned char found[32];
	int status = nc3z_source_open_callbacks(&callbacks, &source, NULL);

	if (status != NC3Z_OK)
		return false;
	status = nc3z_source_sha256(source, found, NULL);
	nc3z_source_close(source);
	return status == NC3Z_OK && memcmp(found, sha256, sizeof(found)) == 0;
}

/* The same of what the input holds. */
static bool is_beginning(struct older *older, struct nc3z_source *input,
			 const struct nc3z_summary *archive)
{
	bool found;

	older->source = input;
	if (!nc3z_source_is_hdf5(input))
		return archive->original_nbytes <= nc3z_source_nbytes(input) &&
		       has_sha256(older, archive->sha256);
	if (nc3z_source_open_netcdf4(input, NULL, &older->source, NULL) !=
	    NC3Z_OK)
		return false;
	found = has_sha256(older, archive->sha256);
	nc3z_source_close(older->source);
	return found;
}

bool job_has_grown_from(struct job *job, int archive_fd,
			const struct nc3z_summary *archive)
{
	struct older older = { .nbytes = archive->original_nbytes };
	struct nc3z_source *input;
	unsigned char sha256[32];
	bool found;

	/* What is compressed is read from its beginning to its end. */
	if (job->packed_as)
		return job_digest_input(job, sha256) == NC3Z_OK &&
		       memcmp(sha256, archive->sha256, sizeof(sha256)) == 0;
	if (archive->original_nbytes == 0 ||
	    nc3z_source_open_fd(job->input.fd, &input, NULL) != NC3Z_OK)
		return false;
	take_numrecs(&older, archive_fd);
	found = is_beginning(&older, input, archive);
	nc3z_source_close(input);
	return found;
}
