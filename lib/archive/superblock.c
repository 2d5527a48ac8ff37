/* SPDX-License-Identifier: MIT */
/* The first bytes of an archive (magic, version, CRC), and its identity. */
#include <string.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "base/magic.h"

void superblock_write(uint8_t out[FORMAT_SUPERBLOCK_NBYTES])
{
	memcpy(out, FORMAT_MAGIC, FORMAT_MAGIC_NBYTES);
	store_le16(out + 8, FORMAT_MAJOR);
	store_le16(out + 10, FORMAT_MINOR);
	store_le32(out + 12, crc32_of(out, 12));
}

/* Minor versions only add to those before them. */
int format_version_check(uint16_t major, uint16_t minor, struct nc3z_error *err)
{
	if (major != FORMAT_MAJOR || minor > FORMAT_MINOR)
		return error_set(err, NC3Z_EUNSUPPORTED,
				 "format version %u.%u is not known; this "
				 "library reads up to %u.%u: install a newer "
				 "nc3z",
				 major, minor, FORMAT_MAJOR, FORMAT_MINOR);
	return NC3Z_OK;
}

int archive_refuse_part(const uint8_t magic[FORMAT_MAGIC_NBYTES],
			struct nc3z_error *err)
{
	if (memcmp(magic, FORMAT_PART_MAGIC, FORMAT_MAGIC_NBYTES) != 0)
		return NC3Z_OK;
	return error_set(err, NC3Z_ENOTARCHIVE,
			 "only a part of an nc3z archive: join all of them "
			 "with nc3convert --join");
}

int superblock_check(const uint8_t in[FORMAT_SUPERBLOCK_NBYTES],
		     struct nc3z_error *err)
{
	NC3Z_TRY(archive_refuse_part(in, err));
	if (memcmp(in, FORMAT_MAGIC, FORMAT_MAGIC_NBYTES) != 0)
		return error_set(err, NC3Z_ENOTARCHIVE, "not an nc3z archive");
	if (load_le32(in + 12) != crc32_of(in, 12))
		return error_set_at(err, NC3Z_EDAMAGED, 0,
				    "superblock is damaged: CRC-32 differs");
	return format_version_check(load_le16(in + 8), load_le16(in + 10), err);
}

int archive_refuse_other(struct nc3z_source *source, int status,
			 struct nc3z_error *err)
{
	uint8_t bytes[FORMAT_TRAILER_NBYTES];
	struct archive_trailer trailer;
	uint64_t offset = source->size - FORMAT_TRAILER_NBYTES;

	if (!source->can_seek)
		return status;
	status = source_refuse_kind(source, status, MAGIC_ARCHIVE, err);
	if (status == NC3Z_EDAMAGED)
		return status;
	if (source->size < FORMAT_TRAILER_NBYTES ||
	    source_read_exactly(source, offset, bytes, sizeof(bytes), NULL) !=
		    NC3Z_OK)
		return status;
	/* Where bytes are gone, it is not where it says it is. */
	offset = load_le64(bytes + 32) - FORMAT_TRAILER_NBYTES;
	if (trailer_parse(bytes, offset, &trailer, NULL) != NC3Z_OK)
		return status;
	return error_set_at(err, NC3Z_EDAMAGED, 0,
			    "the first bytes of the archive are damaged or "
			    "missing");
}

int superblock_read(struct nc3z_source *source, struct nc3z_error *err)
{
	uint8_t superblock[FORMAT_SUPERBLOCK_NBYTES] = { 0 };
	size_t got;
	int status, found;

	NC3Z_TRY(source_read_at(source, 0, superblock, sizeof(superblock), &got,
				err));
	if (got < sizeof(superblock) &&
	    memcmp(superblock, FORMAT_MAGIC, FORMAT_MAGIC_NBYTES) == 0)
		return error_set_at(err, NC3Z_EDAMAGED, got,
				    "archive is cut off");
	status = superblock_check(superblock, err);
	if (status != NC3Z_ENOTARCHIVE)
		return status;
	if (source->can_seek)
		return archive_refuse_other(source, status, err);
	found = magic_refuse(superblock, got, MAGIC_ARCHIVE, err);
	return found == NC3Z_OK ? status : found;
}

int archive_identity(const void *plan, size_t plan_nbytes, const void *raw,
		     size_t raw_nbytes,
		     uint8_t identity[FORMAT_IDENTITY_NBYTES],
		     struct nc3z_error *err)
{
	struct sha256 *sha256 = sha256_new();
	uint8_t digest[SHA256_NBYTES];
	int status;

	if (!sha256)
		return error_set_memory(err);
	status = sha256_update(sha256, plan, plan_nbytes, err);
	if (status == NC3Z_OK)
		status = sha256_update(sha256, raw, raw_nbytes, err);
	if (status == NC3Z_OK)
		status = sha256_final(sha256, digest, err);
	if (status == NC3Z_OK)
		memcpy(identity, digest, FORMAT_IDENTITY_NBYTES);
	sha256_free(sha256);
	return status;
}

int archive_check_identity(const uint8_t identity[FORMAT_IDENTITY_NBYTES],
			   const void *plan, size_t plan_nbytes,
			   const void *raw, size_t raw_nbytes,
			   struct nc3z_error *err)
{
	uint8_t found[FORMAT_IDENTITY_NBYTES] = { 0 }; /* for gcc 16 */

	NC3Z_TRY(archive_identity(plan, plan_nbytes, raw, raw_nbytes, found,
				  err));
	if (memcmp(found, identity, sizeof(found)) != 0)
		return error_set(err, NC3Z_EDAMAGED,
				 "plan and first block do not belong "
				 "together");
	return NC3Z_OK;
}
