/* SPDX-License-Identifier: MIT */
#ifndef NC3Z_TOOLS_MOUNT_ARCHIVE_BYTES_H
#define NC3Z_TOOLS_MOUNT_ARCHIVE_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of an original that are wanted, and where. */
struct archive_bytes {
	void *data;
	size_t nbytes;
	uint64_t offset;
};

#endif
