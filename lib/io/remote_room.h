/* SPDX-License-Identifier: MIT */
/*
 * What the library and libnc3z-remote know of each other.  The latter is an
 * object of its own, loaded with the first URL, so that programs that open none
 * carry no network code.
 */
#ifndef NC3Z_IO_REMOTE_ROOM_H
#define NC3Z_IO_REMOTE_ROOM_H

#include <stdbool.h>

#include "nc3z.h"

/* Both must have the same. */
#define REMOTE_ROOM_VERSION 2

/* The name of the table in the object. */
#define REMOTE_ROOM_SYMBOL "nc3z_remote_room"

struct remote_object;

/* What is fetched when an object is opened. */
struct remote_opening {
	/* All of it in one request, to be read from its first byte on. */
	bool is_stream;
	/* Otherwise as many bytes of its front and of its tail. */
	uint64_t front_nbytes;
	uint64_t tail_nbytes;
};

/* All but close() may be called by several threads at once. */
struct remote_room {
	unsigned version;
	int (*open)(const char *url, const struct remote_opening *opening,
		    struct remote_object **object_ret, uint64_t *size_ret,
		    struct nc3z_error *err);
	/* As in struct source_ops. */
	int (*read_at)(struct remote_object *object, uint64_t offset,
		       void *data, size_t nbytes, size_t *nbytes_ret,
		       struct nc3z_error *err);
	uint64_t (*announce)(struct remote_object *object,
			     const struct nc3z_range *ranges, size_t nranges);
	void (*forget)(struct remote_object *object, uint64_t announcement);
	int (*check_unchanged)(struct remote_object *object,
			       struct nc3z_error *err);
	void (*close)(struct remote_object *object);
};

#endif
