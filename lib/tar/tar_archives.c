/* SPDX-License-Identifier: MIT */
/* Which tars are worth entering. */
#include <string.h>

#include "archive/format.h"
#include "nc3z_tools.h"
#include "tar/tar_index.h"
#include "tar/tar_reader.h"

/* Before the first file there may be directories. */
#define FIRST_MEMBERS_MAX 64

static bool is_archive(struct nc3z_source *source, uint64_t offset)
{
	char first[FORMAT_MAGIC_NBYTES];
	size_t got;

	return source_read_at(source, offset, first, sizeof(first), &got,
			      NULL) == NC3Z_OK &&
	       got == sizeof(first) &&
	       memcmp(first, FORMAT_MAGIC, sizeof(first)) == 0;
}

int nc3z_tar_has_archives(struct nc3z_source *source)
{
	struct tar_reader reader;
	struct tar_entry entry;
	uint64_t offset = 0;
	bool found = false, ends = !source->can_seek;

	tar_reader_init(&reader, source);
	for (unsigned i = 0; i < FIRST_MEMBERS_MAX && !ends; i++) {
		ends = tar_read_entry(&reader, offset, &entry, NULL) !=
			       NC3Z_OK ||
		       !entry.name;
		if (ends)
			break;
		offset = entry.next_offset;
		ends = entry.kind == TAR_FILE;
		found = ends && (strcmp(entry.name, TAR_INDEX_NAME) == 0 ||
				 is_archive(source, entry.offset));
		tar_entry_release(&entry);
	}
	tar_reader_release(&reader);
	return found;
}
