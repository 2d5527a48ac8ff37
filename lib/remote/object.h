/* SPDX-License-Identifier: MIT */
/*
 * Objects that are open, and the pieces of them that are wanted, on their way
 * or here.  Everything is under the lock of the engine (engine.h).
 */
#ifndef NC3Z_REMOTE_OBJECT_H
#define NC3Z_REMOTE_OBJECT_H

#include "base/memory.h"
#include "io/remote_room.h"
#include "remote/answer.h"
#include "remote/s3.h"

/* A longer piece is a stream: read in order, with little of it in memory. */
#define PIECE_STREAM_NBYTES (UINT64_C(16) << 20)

/* How much of a stream is fetched ahead, and how much is kept. */
#define STREAM_AHEAD_NBYTES ((size_t)8 << 20)
#define STREAM_BEHIND_NBYTES ((size_t)4 << 10)

struct host;

enum piece_state {
	PIECE_WAITING, /* for its turn, or for another try */
	PIECE_RUNNING,
	PIECE_DONE,
	PIECE_FAILED,
};

struct piece {
	struct piece *next;
	struct remote_object *object;
	enum piece_state state;
	/*
	 * begin .. end - 1; of a suffix end - begin is its length until the
	 * answer says where it is, of what goes to the end UINT64_MAX.
	 */
	uint64_t begin, end;
	bool is_suffix;
	bool is_placed; /* begin and end are right */
	bool is_stream;
	/* What has come: data.nbytes bytes from 'base' on. */
	uint64_t base;
	struct buffer data;
	uint64_t read_to;  /* all before it was read, once or more */
	unsigned nwaiters; /* threads */
	/*
	 * Numbers of those who want it and have not forgotten it; 0 for one who
	 * reads without announcing.
	 */
	uint64_t *announcements;
	size_t nannouncements, capacity;
	struct piece **held_by; /* by a transfer, if it is running */
	unsigned ntries, nsilent, nhops;
	uint64_t tried_at; /* where the last try began */
	double not_before; /* time of the next one */
	bool went_back;    /* from where a redirect had led */
	char *url;         /* where a redirect leads; NULL: as the object */
	struct nc3z_error error; /* if it has failed */
	bool is_told;            /* to who read it */
};

struct remote_object {
	struct remote_object *next;
	bool is_s3;
	struct s3_object s3;
	char *url;         /* clean: see url.h */
	char *userinfo;    /* NULL: none */
	char *origin;      /* who gets keys and userinfo */
	char *redirected;  /* where the last redirect led; NULL */
	struct host *host; /* who is asked now; NULL: not looked up */
	bool tried_region, tried_keys;
	unsigned nrenewed; /* how often keys were read anew */
	struct identity identity;
	bool has_changed;
	const char *changed_how; /* "": there is nothing to say */
	struct piece *pieces;    /* in the order in which they are wanted */
	uint64_t nannouncements;
};

/* Appends a piece that an announcement wants; NULL if out of memory. */
struct piece *piece_add(struct remote_object *object, uint64_t begin,
			uint64_t end, uint64_t announcement);

/* Takes it out and frees it; what was on its way for it is given up. */
void piece_drop(struct piece *piece);

/*
 * Drops it if nobody wants it any more.  A failure stays until somebody was
 * told, also if it came before anybody read; the next read tries again.
 */
void piece_settle(struct piece *piece);

/* The end of what has come, as an offset in the object. */
static inline uint64_t piece_got(const struct piece *p)
{
	return p->base + p->data.nbytes;
}

/* What of it is, or will be, in memory. */
static inline uint64_t piece_memory(const struct piece *p)
{
	return p->is_stream ? STREAM_AHEAD_NBYTES : p->end - p->begin;
}

/* The piece that has or will have a byte; NULL: none. */
struct piece *object_find(struct remote_object *object, uint64_t offset);

/* Where the first piece after an offset begins, at most 'end'. */
uint64_t object_next(const struct remote_object *object, uint64_t offset,
		     uint64_t end);

/*
 * Wants ranges; those parts that no piece has get one, as far as memory goes.
 * Returns a number for object_forget().
 */
uint64_t object_announce(struct remote_object *object,
			 const struct nc3z_range *ranges, size_t nranges);
void object_forget(struct remote_object *object, uint64_t announcement);

/* Forgets what of a stream lies well before an offset. */
void piece_advance(struct piece *piece, uint64_t offset);

/*
 * An object for a URL, without a request.  NC3Z_EINVAL, NC3Z_ENOMEM.
 */
int object_new(const char *url, struct remote_object **object_ret,
	       struct nc3z_error *err);

/* With all its pieces. */
void object_free(struct remote_object *object);

/* With the lock held: the engine has it, or has it no longer. */
void object_enter(struct remote_object *object);
void object_leave(struct remote_object *object);

/* Where S3 says that it is; false if out of memory. */
bool object_set_region(struct remote_object *object, const char *region);

#endif
