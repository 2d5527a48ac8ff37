/* SPDX-License-Identifier: MIT */
#include "manifest/checksum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/input.h"

#ifndef NC3Z_FEW_LIBRARIES
#include <openssl/evp.h>
#endif

/* Of equal lengths, the first is meant where there is no tag. */
const struct checksum_kind checksum_kinds[] = {
	{ "SHA256", "sha256", 32 },      { "MD5", "md5", 16 },
	{ "SHA1", "sha1", 20 },          { "SHA224", "sha224", 28 },
	{ "SHA384", "sha384", 48 },      { "SHA512", "sha512", 64 },
	{ "BLAKE2b", "blake2b512", 64 },
};

#define NKINDS (sizeof(checksum_kinds) / sizeof(*checksum_kinds))

const struct checksum_kind *checksum_by_tag(const char *tag, size_t tag_nbytes)
{
	for (size_t i = 0; i < NKINDS; i++)
		if (strlen(checksum_kinds[i].tag) == tag_nbytes &&
		    memcmp(checksum_kinds[i].tag, tag, tag_nbytes) == 0)
			return &checksum_kinds[i];
	return NULL;
}

const struct checksum_kind *checksum_by_length(size_t nbytes)
{
	for (size_t i = 0; i < NKINDS; i++)
		if (checksum_kinds[i].nbytes == nbytes)
			return &checksum_kinds[i];
	return NULL;
}

static int fail_digest(struct nc3z_error *err, int status, const char *tag,
		       const char *text)
{
	*err = (struct nc3z_error){
		.status = status,
		.offset = NC3Z_NO_OFFSET,
	};
	snprintf(err->text, sizeof(err->text), "%s%s", tag, text);
	return status;
}

#ifdef NC3Z_FEW_LIBRARIES

int checksum_of_source(const struct checksum_kind *kind,
		       struct nc3z_source *source, unsigned char *checksum_ret,
		       struct nc3z_error *err)
{
	if (kind == CHECKSUM_SHA256)
		return nc3z_source_sha256(source, checksum_ret, err);
	return fail_digest(
		err, NC3Z_EUNSUPPORTED, kind->tag,
		": this nc3manifest was built without libcrypto, and "
		"knows SHA256 only");
}

int checksum_of_original(const struct checksum_kind *kind,
			 struct nc3z_source *archive,
			 const struct nc3z_restore_options *options,
			 unsigned char *checksum_ret, struct nc3z_error *err)
{
	(void)options;
	return checksum_of_source(kind, archive, checksum_ret, err);
}

#else

#define PIECE_NBYTES ((size_t)1 << 20)

static int take_bytes(void *context, const void *data, size_t nbytes,
		      struct nc3z_error *err)
{
	return EVP_DigestUpdate(context, data, nbytes) == 1 ?
		       NC3Z_OK :
		       fail_digest(err, NC3Z_ENOMEM, "", "out of memory");
}

static int digest_begin(const struct checksum_kind *kind, EVP_MD_CTX **ctx_ret,
			struct nc3z_error *err)
{
	const EVP_MD *md = EVP_get_digestbyname(kind->name);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	if (ctx && md && EVP_DigestInit_ex(ctx, md, NULL) == 1) {
		*ctx_ret = ctx;
		return NC3Z_OK;
	}
	EVP_MD_CTX_free(ctx);
	return fail_digest(
		err, NC3Z_EUNSUPPORTED, kind->tag,
		": the libcrypto of this machine does not compute it");
}

static int digest_end(int status, EVP_MD_CTX *ctx, unsigned char *checksum_ret,
		      struct nc3z_error *err)
{
	if (status == NC3Z_OK &&
	    EVP_DigestFinal_ex(ctx, checksum_ret, NULL) != 1)
		status = fail_digest(err, NC3Z_ENOMEM, "", "out of memory");
	EVP_MD_CTX_free(ctx);
	return status;
}

static int take_source(EVP_MD_CTX *ctx, struct nc3z_source *source,
		       struct nc3z_error *err)
{
	unsigned char *piece = malloc(PIECE_NBYTES);
	uint64_t offset = 0;
	size_t nbytes = 0;
	int status = piece ? NC3Z_OK :
			     fail_digest(err, NC3Z_ENOMEM, "", "out of memory");

	do {
		if (status == NC3Z_OK)
			status = nc3z_source_read(source, offset, piece,
						  PIECE_NBYTES, &nbytes, err);
		if (status == NC3Z_OK)
			status = take_bytes(ctx, piece, nbytes, err);
		offset += nbytes;
	} while (status == NC3Z_OK && nbytes == PIECE_NBYTES);
	free(piece);
	return status;
}

int checksum_of_source(const struct checksum_kind *kind,
		       struct nc3z_source *source, unsigned char *checksum_ret,
		       struct nc3z_error *err)
{
	EVP_MD_CTX *ctx;
	int status;

	if (kind == CHECKSUM_SHA256)
		return nc3z_source_sha256(source, checksum_ret, err);
	status = digest_begin(kind, &ctx, err);
	if (status != NC3Z_OK)
		return status;
	return digest_end(take_source(ctx, source, err), ctx, checksum_ret,
			  err);
}

int checksum_of_original(const struct checksum_kind *kind,
			 struct nc3z_source *archive,
			 const struct nc3z_restore_options *options,
			 unsigned char *checksum_ret, struct nc3z_error *err)
{
	struct nc3z_sink *sink = NULL;
	struct nc3z_summary summary;
	EVP_MD_CTX *ctx;
	int status = digest_begin(kind, &ctx, err);

	if (status != NC3Z_OK)
		return status;
	status = nc3z_sink_open_function(take_bytes, ctx, &sink, err);
	if (status == NC3Z_OK)
		status = input_restore(archive, sink, options, &summary, err);
	nc3z_sink_close(sink);
	return digest_end(status, ctx, checksum_ret, err);
}

#endif
