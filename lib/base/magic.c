/* SPDX-License-Identifier: MIT */
#include "base/magic.h"

#include <string.h>

#include "base/status.h"

static const struct {
	const char *name;
	const char *bytes;
	size_t nbytes;
} compressors[] = {
	{ "gzip", "\x1f\x8b", 2 },
	{ "bzip2", "BZh", 3 },
	{ "zstd", "\x28\xb5\x2f\xfd", 4 },
	{ "xz", "\xfd\x37zXZ", 6 },
};

/* Frames of zstd that hold no data of the file: pzstd begins with one. */
static bool is_skippable_frame(const uint8_t *data, size_t nbytes)
{
	return nbytes >= 4 && (data[0] & 0xf0) == 0x50 &&
	       memcmp(data + 1, "\x2a\x4d\x18", 3) == 0;
}

const char *magic_compressor(const uint8_t *data, size_t nbytes)
{
	for (size_t i = 0; i < sizeof(compressors) / sizeof(*compressors); i++)
		if (nbytes >= compressors[i].nbytes &&
		    memcmp(data, compressors[i].bytes, compressors[i].nbytes) ==
			    0)
			return compressors[i].name;
	return is_skippable_frame(data, nbytes) ? "zstd" : NULL;
}

#define HTML_ADVICE "a server sent it in place of the file: download it again"

#define FIRST_ADVICE "unpack it first"
#define CLASSIC_ADVICE "nc3compress makes one of it"
#define EXACT_ADVICE "nc3convert --to=classic restores its classic file"

#define KIND(bytes, ...) \
	{ \
		bytes, sizeof(bytes) - 1, __VA_ARGS__ \
	}

/* In lower case, for letters in a file may be of any. */
static const struct kind {
	const char *bytes;
	size_t nbytes;
	const char *what;
	const char *advice;
} kinds[] = {
	KIND("cdf\1", "a classic file", CLASSIC_ADVICE),
	KIND("cdf\2", "a classic file", CLASSIC_ADVICE),
	KIND("cdf\5", "a classic file", CLASSIC_ADVICE),
	KIND("\x89nc3z\r\n\x1a", "an nc3z archive",
	     "nc3compress -d restores it"),
	KIND("pk\3\4", "a zip file", FIRST_ADVICE),
	KIND("070701", "a cpio archive", FIRST_ADVICE),
	KIND("070702", "a cpio archive", FIRST_ADVICE),
	KIND("070707", "a cpio archive", FIRST_ADVICE),
	KIND("\x1f\x9d", "a file of compress(1)",
	     "unpack it with gunzip first"),
	KIND("7z\xbc\xaf\x27\x1c", "a 7z file", FIRST_ADVICE),
	KIND("grib", "a GRIB file", "cdo and GDAL convert it to netCDF"),
	KIND("\x0e\3\x13\1", "an HDF4 file", "h4tonccf converts it to netCDF"),
	KIND("<!doctype html", "an HTML page", HTML_ADVICE),
	KIND("<html", "an HTML page", HTML_ADVICE),
	KIND("<?xml", "an XML page", HTML_ADVICE),
	KIND("version https://git-lfs", "a pointer of Git LFS",
	     "\"git lfs pull\" fetches the file"),
	KIND("netcdf ", "CDL text", "ncgen makes a netCDF file of it"),
	KIND("dataset {", "an answer of OPeNDAP", "ask for the file itself"),
	KIND("\0\5\x16\7", "attributes of a file on macOS",
	     "the data are in the file "
	     "whose name does not begin with \"._\""),
	KIND("\x89hdf\r\n\x1a\n", "a netCDF-4/HDF5 file",
	     "it has a compression of its own; ncdump and h5dump read it"),
	KIND("\x89hdf\r\r\n", "a damaged netCDF-4/HDF5 file",
	     MAGIC_TEXT_MODE_ADVICE),
};

static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
}

static bool begins_with(const uint8_t *data, size_t nbytes, const char *bytes,
			size_t bytes_nbytes)
{
	size_t i = 0;

	while (i < bytes_nbytes && i < nbytes &&
	       lower(data[i]) == (unsigned char)bytes[i])
		i++;
	return i == bytes_nbytes;
}

static const struct kind *kind_of(const uint8_t *data, size_t nbytes)
{
	size_t at = 0;

	/* A page may come after a mark of UTF-8 and blanks. */
	if (begins_with(data, nbytes, "\xef\xbb\xbf", 3))
		at = 3;
	while (at < nbytes && (data[at] == ' ' || data[at] == '\t' ||
			       data[at] == '\r' || data[at] == '\n'))
		at++;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t from = kinds[i].bytes[0] == '<' ? at : 0;

		if (begins_with(data + from, nbytes - from, kinds[i].bytes,
				kinds[i].nbytes))
			return &kinds[i];
	}
	return NULL;
}

/* As many bytes as is_classic() looks at. */
#define CLASSIC_NBYTES 16

/* Magic, and the tag of the first list after the number of records. */
static bool is_classic(const uint8_t *data)
{
	const uint8_t *tag = data + (data[3] == 5 ? 12 : 8);

	return memcmp(data, "CDF", 3) == 0 &&
	       (data[3] == 1 || data[3] == 2 || data[3] == 5) &&
	       memcmp(tag, "\0\0", 3) == 0 && (tag[3] == 0 || tag[3] == 0xa);
}

bool magic_is_classic(const uint8_t *data, size_t nbytes)
{
	return nbytes >= CLASSIC_NBYTES && is_classic(data);
}

/* Whether it is a classic file whose bytes are reversed in groups. */
static bool is_reversed(const uint8_t *data, size_t group_nbytes)
{
	uint8_t turned[CLASSIC_NBYTES];

	for (size_t i = 0; i < sizeof(turned); i++)
		turned[i] = data[i ^ (group_nbytes - 1)];
	return is_classic(turned);
}

static bool is_archive(const uint8_t *data)
{
	return memcmp(data, "\x89NC3Z\r\n\x1a", 8) == 0;
}

static bool is_zero(const uint8_t *data, size_t nbytes)
{
	return data[0] == 0 && memcmp(data, data + 1, nbytes - 1) == 0;
}

/* A classic file or an archive after other bytes; 0 if there is none. */
static int refuse_late(const uint8_t *data, size_t nbytes,
		       struct nc3z_error *err)
{
	for (size_t at = 1; at + CLASSIC_NBYTES <= nbytes; at++) {
		bool is_ours = is_archive(data + at);

		if (is_ours || is_classic(data + at))
			return error_set(
				err, is_ours ? NC3Z_EDAMAGED : NC3Z_ENOTARCHIVE,
				"%s begins only at offset %zu: \"tail -c "
				"+%zu\" cuts off what is before it",
				is_ours ? "the archive" : "a classic file", at,
				at + 1);
	}
	return 0;
}

/* What takes more than the first bytes; 0 if it is nothing that is known. */
static int refuse_others(const uint8_t *data, size_t nbytes, const char *wanted,
			 struct nc3z_error *err)
{
	if (nbytes < CLASSIC_NBYTES)
		return 0;
	for (size_t n = 2; n <= 4; n += 2)
		if (is_reversed(data, n))
			return error_set(
				err, NC3Z_ENOTARCHIVE,
				"a classic file in which each %zu bytes are "
				"reversed, not %s: \"%s\" puts them right",
				n, wanted,
				n == 2 ? "dd conv=swab" :
					 "objcopy -I binary -O binary "
					 "--reverse-bytes=4");
	if (is_zero(data, nbytes))
		return error_set(err, NC3Z_ENOTARCHIVE,
				 "zeros where %s has its first bytes: they "
				 "never came to the disk, or were not copied: "
				 "copy the file again",
				 wanted);
	return refuse_late(data, nbytes, err);
}

static bool is_tar(const uint8_t *data, size_t nbytes)
{
	return nbytes >= 512 && memcmp(data + 257, "ustar", 5) == 0;
}

bool magic_is_exact(const uint8_t *data, size_t nbytes)
{
	const size_t n = strlen(MAGIC_EXACT_MARK);
	const uint8_t *end = data + nbytes, *at = data;

	while ((size_t)(end - at) >= n) {
		at = memchr(at, MAGIC_EXACT_MARK[0],
			    (size_t)(end - at) - n + 1);
		if (!at)
			return false;
		if (memcmp(at, MAGIC_EXACT_MARK, n) == 0)
			return true;
		at++;
	}
	return false;
}

int magic_refuse(const uint8_t *data, size_t nbytes, const char *wanted,
		 struct nc3z_error *err)
{
	const char *compressor = magic_compressor(data, nbytes);
	const struct kind *kind = kind_of(data, nbytes);

	if (kind && strcmp(kind->what, wanted) == 0)
		return 0;
	if (nbytes == 0)
		return error_set(err, NC3Z_ENOTARCHIVE, "the file is empty");
	/* It begins with the name of a member. */
	if (is_tar(data, nbytes))
		return strcmp(wanted, MAGIC_TAR) == 0 ?
			       0 :
			       error_set(err, NC3Z_ENOTARCHIVE,
					 "a tar, not %s: name a file in it "
					 "(x.tar//FILE), or unpack it first",
					 wanted);
	if (compressor)
		return error_set(err, NC3Z_ENOTARCHIVE,
				 "%s data, not %s: decompress it first%s",
				 compressor, wanted,
				 strcmp(wanted, MAGIC_CLASSIC) == 0 ?
					 "; nc3compress packs it as it is" :
					 "");
	if (begins_with(data, nbytes, "\x89nc3z\r\r\n", 8))
		return error_set(err, NC3Z_EDAMAGED,
				 "damaged archive: " MAGIC_TEXT_MODE_ADVICE);
	if (kind)
		return error_set(err, NC3Z_ENOTARCHIVE, "%s, not %s: %s",
				 kind->what, wanted,
				 magic_is_exact(data, nbytes) ? EXACT_ADVICE :
								kind->advice);
	return refuse_others(data, nbytes, wanted, err);
}

bool magic_is_text_mode(const uint8_t *data, size_t nbytes)
{
	const uint8_t *end = data + nbytes, *at = data;
	size_t nlines = 0;

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		if (at == data || at[-1] != '\r')
			return false;
		at++;
		nlines++;
	}
	return nlines > 0;
}
