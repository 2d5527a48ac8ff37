/* SPDX-License-Identifier: MIT */
/* Which tars are worth entering. */
#include <string.h>

#include "archive/format.h"
#include "nc3z_tools.h"
#include "tar/tar_index.h"
#include "tar/tar_reader.h"

/* Before the first file there may be directories. */
#define FIRST_MEMBERS_MAX 64
/* If the first header is damaged, another one is looked for before this. */
#define SECOND_HEADER_BEFORE (UINT64_C(1) << 20)

static bool is_archive(struct nc3z_source *source, uint64_t offset)
{
	char first[FORMAT_MAGIC_NBYTES];
	size_t got;

	return source_read_at(source, offset, first, sizeof(first), &got,
			      NULL) == NC3Z_OK &&
	       got == sizeof(first) &&
	       memcmp(first, FORMAT_MAGIC, sizeof(first)) == 0;
}

/* The next entry; false at the end, and where it is too far to look. */
static bool next_entry(struct tar_reader *r, uint64_t *offset,
		       bool *skipped_ret, struct tar_entry *entry)
{
	int status = tar_read_entry(r, *offset, entry, NULL);

	if (status == NC3Z_EDAMAGED && r->resume > 0) {
		*skipped_ret = true;
		*offset = r->resume;
		status = tar_find_header(r, SECOND_HEADER_BEFORE, offset, NULL);
		if (status == NC3Z_OK && *offset < SECOND_HEADER_BEFORE)
			status = tar_read_entry(r, *offset, entry, NULL);
	}
	return status == NC3Z_OK && entry->name;
}

int nc3z_tar_has_archives(struct nc3z_source *source)
{
	struct tar_reader reader;
	struct tar_entry entry;
	uint64_t offset = 0;
	bool found = false, ends = !source->can_seek, skipped = false;

	tar_reader_init(&reader, source);
	for (unsigned i = 0; i < FIRST_MEMBERS_MAX && !ends; i++) {
		ends = !next_entry(&reader, &offset, &skipped, &entry);
		if (ends)
			break;
		offset = entry.next_offset;
		found = entry.kind == TAR_FILE &&
			(strcmp(entry.name, TAR_INDEX_NAME) == 0 ||
			 is_archive(source, entry.offset));
		/* Where one was skipped, the first is not known. */
		ends = found || (entry.kind == TAR_FILE && !skipped);
		tar_entry_release(&entry);
	}
	tar_reader_release(&reader);
	return found;
}
