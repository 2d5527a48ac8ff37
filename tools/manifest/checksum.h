/* SPDX-License-Identifier: MIT */
/* The checksums that lists have, by the names and lengths of coreutils. */
#ifndef NC3Z_TOOLS_MANIFEST_CHECKSUM_H
#define NC3Z_TOOLS_MANIFEST_CHECKSUM_H

#include <stddef.h>

#include "nc3z.h"

#define CHECKSUM_NBYTES_MAX 64

struct checksum_kind {
	const char *tag;  /* of lines as "sha256sum --tag" writes them */
	const char *name; /* in JSON */
	size_t nbytes;
};

extern const struct checksum_kind checksum_kinds[];
#define CHECKSUM_SHA256 (&checksum_kinds[0])

/* NULL: none is called so, or has so many bytes and can be without a tag. */
const struct checksum_kind *checksum_by_tag(const char *tag, size_t tag_nbytes);
const struct checksum_kind *checksum_by_length(size_t nbytes);

/*
 * Of all bytes of a source, or of the original that it restores to, which is
 * verified.  Fails as reading and nc3z_restore() do; NC3Z_EUNSUPPORTED where
 * libcrypto does not have this kind.
 */
int checksum_of_source(const struct checksum_kind *kind,
		       struct nc3z_source *source, unsigned char *checksum_ret,
		       struct nc3z_error *err);
int checksum_of_original(const struct checksum_kind *kind,
			 struct nc3z_source *archive,
			 const struct nc3z_restore_options *options,
			 unsigned char *checksum_ret, struct nc3z_error *err);

#endif
