/* SPDX-License-Identifier: MIT */
#include "base/magic.h"

#include <string.h>

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

#define KIND(bytes, what, advice, is_damaged) \
	{ \
		bytes, sizeof(bytes) - 1, \
		{ \
			what, advice, is_damaged \
		} \
	}

/* In lower case, for letters in a file may be of any. */
static const struct {
	const char *bytes;
	size_t nbytes;
	struct magic_kind kind;
} kinds[] = {
	KIND("pk\3\4", "a zip file", "unpack it first", false),
	KIND("070701", "a cpio archive", "unpack it first", false),
	KIND("070702", "a cpio archive", "unpack it first", false),
	KIND("070707", "a cpio archive", "unpack it first", false),
	KIND("\x1f\x9d", "a file of compress(1)", "unpack it with gunzip first",
	     false),
	KIND("grib", "a GRIB file", "cdo and GDAL convert it to netCDF", false),
	KIND("\x0e\3\x13\1", "an HDF4 file", "h4tonccf converts it to netCDF",
	     false),
	KIND("<!doctype html", "an HTML page", HTML_ADVICE, false),
	KIND("<html", "an HTML page", HTML_ADVICE, false),
	KIND("version https://git-lfs", "a pointer of Git LFS",
	     "\"git lfs pull\" fetches the file", false),
	KIND("\x89nc3z\r\r\n", "damaged archive", MAGIC_TEXT_MODE_ADVICE, true),
	KIND("\x89hdf\r\r\n", "a damaged netCDF-4/HDF5 file",
	     MAGIC_TEXT_MODE_ADVICE, false),
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

const struct magic_kind *magic_kind_of(const uint8_t *data, size_t nbytes)
{
	size_t at = 0;

	/* Of a page, after a mark of UTF-8 and blanks. */
	if (begins_with(data, nbytes, "\xef\xbb\xbf", 3))
		at = 3;
	while (at < nbytes && (data[at] == ' ' || data[at] == '\t' ||
			       data[at] == '\r' || data[at] == '\n'))
		at++;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (begins_with(data + at, nbytes - at, kinds[i].bytes,
				kinds[i].nbytes))
			return &kinds[i].kind;
	return NULL;
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
