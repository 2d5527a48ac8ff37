/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 of bytes that come in order, computed on a thread of its own while
 * the caller goes on; or, as the serial twin, at once.
 */
#ifndef NC3Z_PARALLEL_HASHER_H
#define NC3Z_PARALLEL_HASHER_H

#include <stdbool.h>

#include "base/checksum.h"

struct hasher;

/* Returns NC3Z_OK, NC3Z_ENOMEM.  Without a thread, hashes at once. */
int hasher_new(bool has_thread, struct hasher **hasher_ret,
	       struct nc3z_error *err);

/*
 * Room for the next bytes, HASHER_BUFFER_NBYTES of them: waits until a buffer
 * is free.  The buffer stays readable by the caller until the next call.
 */
#define HASHER_BUFFER_NBYTES ((size_t)1 << 17)
uint8_t *hasher_buffer(struct hasher *hasher);

/* Hashes the first 'nbytes' bytes of the buffer that was handed out last. */
int hasher_put(struct hasher *hasher, size_t nbytes, struct nc3z_error *err);

/* Waits for all bytes and gives the digest. */
int hasher_end(struct hasher *hasher, uint8_t digest[SHA256_NBYTES],
	       struct nc3z_error *err);

/* NULL is allowed. */
void hasher_free(struct hasher *hasher);

#endif
