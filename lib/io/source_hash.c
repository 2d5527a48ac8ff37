/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 of everything a source has, for those who compare files with lists
 * of checksums.
 */
#include <stdlib.h>

#include "base/checksum.h"
#include "io/source.h"
#include "nc3z_tools.h"

#define STEP_NBYTES ((size_t)1 << 18)

static int hash_all(struct nc3z_source *source, struct sha256 *sha256,
		    uint8_t *data, struct nc3z_error *err)
{
	uint64_t offset = 0;
	size_t got;

	do {
		NC3Z_TRY(source_read_at(source, offset, data, STEP_NBYTES, &got,
					err));
		NC3Z_TRY(sha256_update(sha256, data, got, err));
		offset += got;
	} while (got > 0);
	return NC3Z_OK;
}

int nc3z_source_sha256(struct nc3z_source *source, unsigned char sha256_ret[32],
		       struct nc3z_error *err)
{
	struct sha256 *sha256 = sha256_new();
	uint8_t *data = malloc(STEP_NBYTES);
	int status = error_set_memory(NULL);

	source_announce_all(source);
	if (sha256 && data)
		status = hash_all(source, sha256, data, err);
	else
		error_set_memory(err);
	if (status == NC3Z_OK)
		status = sha256_final(sha256, sha256_ret, err);
	free(data);
	sha256_free(sha256);
	return status;
}
