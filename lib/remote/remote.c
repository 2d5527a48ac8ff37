/* SPDX-License-Identifier: MIT */
/* Reading objects: what io/remote_room.h promises. */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "base/status.h"
#include "remote/engine.h"
#include "remote/loop.h"
#include "remote/object.h"

static bool is_over(const struct piece *p)
{
	return p->state == PIECE_DONE || p->state == PIECE_FAILED;
}

static int take_failure(struct piece *p, struct nc3z_error *err)
{
	p->is_told = true;
	if (err)
		*err = p->error;
	return p->error.status;
}

/* Pieces that opening waits for. */
struct opening {
	struct piece *front;
	struct piece *tail; /* NULL for a stream */
};

static bool is_opened(const struct opening *o, const struct identity *identity)
{
	if (o->front->state == PIECE_FAILED)
		return true;
	if (!o->tail)
		return identity->is_known;
	return is_over(o->front) && is_over(o->tail);
}

static int fetch_ends(struct remote_object *object,
		      const struct remote_opening *how, struct nc3z_error *err)
{
	struct opening o = { NULL, NULL };

	o.front = piece_add(object, 0,
			    how->is_stream ? UINT64_MAX : how->front_nbytes, 0);
	if (o.front && !how->is_stream) {
		o.tail = piece_add(object, 0, how->tail_nbytes, 0);
		if (o.tail) {
			o.tail->is_suffix = true;
			o.tail->is_placed = false;
			o.tail->nwaiters = 1;
		}
	}
	if (!o.front || (!how->is_stream && !o.tail))
		return error_set_memory(err);
	o.front->nwaiters = 1;
	NC3Z_TRY(loop_wake(err));
	while (!is_opened(&o, &object->identity))
		pthread_cond_wait(&engine.changed, &engine.lock);
	o.front->nwaiters--;
	if (o.tail)
		o.tail->nwaiters--;
	if (o.front->state == PIECE_FAILED)
		return take_failure(o.front, err);
	if (o.tail && o.tail->state == PIECE_FAILED)
		return take_failure(o.tail, err);
	return NC3Z_OK;
}

static int open_object(const char *url, const struct remote_opening *opening,
		       struct remote_object **object_ret, uint64_t *size_ret,
		       struct nc3z_error *err)
{
	struct remote_object *object;
	int status;

	NC3Z_TRY(object_new(url, &object, err));
	pthread_mutex_lock(&engine.lock);
	object_enter(object);
	status = fetch_ends(object, opening, err);
	if (status != NC3Z_OK) {
		object_leave(object);
		object_free(object);
	} else {
		*object_ret = object;
		*size_ret = object->identity.size;
	}
	pthread_mutex_unlock(&engine.lock);
	return status;
}

/* The piece that has a byte, or is to get it. */
static int find_piece(struct remote_object *object, uint64_t offset,
		      uint64_t end, struct piece **piece_ret,
		      struct nc3z_error *err)
{
	struct piece *p = object_find(object, offset);

	if (!p) {
		/* Announced, so that it stays until all of it has been read. */
		p = piece_add(object, offset, object_next(object, offset, end),
			      0);
		if (!p)
			return error_set_memory(err);
	}
	*piece_ret = p;
	p->nwaiters++;
	/* One that waits is urgent now, a stream may have to go on. */
	return is_over(p) ? NC3Z_OK : loop_wake(err);
}

/* Bytes that are read again, such as a header with what follows, count once. */
static void note_read(struct piece *p, uint64_t offset, size_t nbytes)
{
	/* Only its answer tells where a piece begins. */
	if (offset <= p->read_to || offset <= p->begin)
		p->read_to = size_max(p->read_to, offset + nbytes);
}

/* Copies what the piece has of what is wanted, once it has any. */
static int read_piece(struct piece *p, uint64_t offset, uint8_t *data,
		      size_t nbytes, size_t *nbytes_ret, struct nc3z_error *err)
{
	size_t n;

	while (p->state != PIECE_FAILED && p->base <= offset &&
	       piece_got(p) <= offset && p->state != PIECE_DONE) {
		piece_advance(p, offset);
		pthread_cond_wait(&engine.changed, &engine.lock);
		if (p->is_stream && p->held_by)
			NC3Z_TRY(loop_wake(err));
	}
	*nbytes_ret = 0;
	/* Another reader of a stream was faster. */
	if (offset < p->base)
		return NC3Z_OK;
	if (piece_got(p) <= offset)
		return p->state == PIECE_FAILED ?
			       take_failure(p, err) :
			       error_set(err, NC3Z_EIO, "no bytes arrived");
	n = (size_t)size_min(nbytes, piece_got(p) - offset);
	memcpy(data, p->data.data + (offset - p->base), n);
	note_read(p, offset, n);
	piece_advance(p, offset + n);
	*nbytes_ret = n;
	return NC3Z_OK;
}

static int check_unchanged(struct remote_object *object, struct nc3z_error *err)
{
	return object->has_changed ?
		       error_set(err, NC3Z_ECHANGED,
				 "the object changed while it was read%s",
				 object->changed_how) :
		       NC3Z_OK;
}

static int read_at(struct remote_object *object, uint64_t offset, void *data,
		   size_t nbytes, size_t *nbytes_ret, struct nc3z_error *err)
{
	uint64_t size = object->identity.size;
	size_t done = 0, got;
	int status;

	pthread_mutex_lock(&engine.lock);
	nbytes = (size_t)size_min(nbytes, size - size_min(offset, size));
	status = check_unchanged(object, err);
	while (status == NC3Z_OK && done < nbytes) {
		struct piece *p = NULL;

		status = find_piece(object, offset + done, offset + nbytes, &p,
				    err);
		if (status == NC3Z_OK) {
			status = read_piece(p, offset + done,
					    (uint8_t *)data + done,
					    nbytes - done, &got, err);
			done += status == NC3Z_OK ? got : 0;
		}
		if (p) {
			p->nwaiters--;
			piece_settle(p);
		}
	}
	pthread_mutex_unlock(&engine.lock);
	*nbytes_ret = done;
	return status;
}

/* Without memory or a thread nothing is announced: read_at() will say so. */
static uint64_t remote_announce(struct remote_object *object,
				const struct nc3z_range *ranges, size_t nranges)
{
	uint64_t announcement;

	pthread_mutex_lock(&engine.lock);
	announcement = object_announce(object, ranges, nranges);
	loop_wake(NULL);
	pthread_mutex_unlock(&engine.lock);
	return announcement;
}

static void remote_forget(struct remote_object *object, uint64_t announcement)
{
	pthread_mutex_lock(&engine.lock);
	object_forget(object, announcement);
	pthread_mutex_unlock(&engine.lock);
}

static int is_unchanged(struct remote_object *object, struct nc3z_error *err)
{
	int status;

	pthread_mutex_lock(&engine.lock);
	status = check_unchanged(object, err);
	pthread_mutex_unlock(&engine.lock);
	return status;
}

static void close_object(struct remote_object *object)
{
	pthread_mutex_lock(&engine.lock);
	object_leave(object);
	object_free(object);
	pthread_mutex_unlock(&engine.lock);
}

NC3Z_API extern const struct remote_room nc3z_remote_room;

const struct remote_room nc3z_remote_room = {
	.version = REMOTE_ROOM_VERSION,
	.open = open_object,
	.read_at = read_at,
	.announce = remote_announce,
	.forget = remote_forget,
	.check_unchanged = is_unchanged,
	.close = close_object,
};
