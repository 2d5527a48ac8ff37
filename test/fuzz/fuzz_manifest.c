/* SPDX-License-Identifier: MIT */
/*
 * Any text as a line of nc3manifest's lists: an entry that is found is printed
 * as a line that gives the same entry.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/line.h"
#include "text_input.h"

static const char *const list[] = {
	"0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef",
	"0123456789abcdef0123456789abcdef",
	"SHA256 (",
	"MD5 (",
	"BLAKE2b (",
	") = ",
	" ",
	" *",
	"  ",
	"\\",
	"\\n",
	"\\r",
	"\r",
	"\n",
	"x.nc",
	"a/b.nc.nc3z",
};
static const struct text_words words = { list, sizeof(list) / sizeof(*list) };

/* The line of an entry, to be freed; line_print() has nowhere else to print. */
static char *print(const struct line_entry *entry)
{
	FILE *const saved = stdout;
	char *line = NULL;
	size_t nbytes;

	stdout = open_memstream(&line, &nbytes);
	FUZZ_CHECK(stdout);
	line_print(entry->checksum, entry->kind->nbytes, entry->name,
		   strlen(entry->name));
	FUZZ_CHECK(fclose(stdout) == 0);
	stdout = saved;
	return line;
}

static void run(const uint8_t *data, size_t nbytes)
{
	char *text = text_copy(data, nbytes), *line;
	struct line_entry entry, again;

	if (line_parse(text, &entry)) {
		line = print(&entry);
		FUZZ_CHECK(line_parse(line, &again));
		FUZZ_CHECK(strcmp(again.name, entry.name) == 0);
		FUZZ_CHECK(again.kind->nbytes == entry.kind->nbytes);
		FUZZ_CHECK(memcmp(again.checksum, entry.checksum,
				  entry.kind->nbytes) == 0);
		free(line);
	}
	free(text);
}

static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	uint64_t state = seed + file_nbytes + file[0];
	size_t nbytes = strlen(list[0]);

	memcpy(room.data, list[0], nbytes);
	room.data += nbytes;
	room.nbytes -= nbytes;
	return nbytes + text_random(&words, &state, room);
}

static size_t mutate(struct fuzz_room room, size_t nbytes, uint64_t seed)
{
	return text_mutate(&words, room, nbytes, seed);
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 24,
	.run = run,
	.from_classic = from_classic,
	.mutate = mutate,
};
