/* SPDX-License-Identifier: MIT */
#include "base/magic.h"

#include <stdbool.h>
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
