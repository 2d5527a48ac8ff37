/* SPDX-License-Identifier: MIT */
/* The streams of an archive, for -lv. */
#ifndef NC3Z_TOOLS_COMPRESS_STREAM_LIST_H
#define NC3Z_TOOLS_COMPRESS_STREAM_LIST_H

#include "nc3z.h"

/* So many names are enough to say what is stored together. */
#define STREAM_NAMES_MAX 20

/* Variables that are stored together. */
struct stream_members {
	char *names; /* "lat, lon", the first of them; NULL: none */
	uint32_t nvars;
};

struct stream_list {
	struct nc3z_file *file; /* which the streams are of; NULL: no list */
	struct nc3z_stream_info *list;
	uint32_t count;
	/* By stream, and after them of variables that have none. */
	struct stream_members *members;
};

/*
 * Opens '*source', an archive, and reads all there is to say of its streams.
 * On success '*source' belongs to the list and becomes NULL.  A status of the
 * library.
 */
int stream_list_read(struct stream_list *streams, struct nc3z_source **source,
		     struct nc3z_error *err);
void stream_list_release(struct stream_list *streams);

/*
 * A stream in words: its variable, "(3 variables)" or "(rest)"; the type, the
 * shape ("time, lat = 90"), and the lengths of its chunks ("12, 45"), each ""
 * where there is none; how most blocks are encoded.
 */
struct stream_words {
	char *name;
	const char *type;
	char *shape;
	char *chunks;
	char coding[256];
};

/* Ends the program if memory runs out. */
void stream_words_make(const struct stream_list *streams, uint32_t stream,
		       struct stream_words *words);
void stream_words_release(struct stream_words *words);

#endif
