/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* explicit_bzero() */
#include "remote/object.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/sizes.h"
#include "base/status.h"
#include "remote/engine.h"
#include "remote/url.h"

static bool want(struct piece *p, uint64_t announcement)
{
	uint64_t *list = p->announcements;

	/* Several of its ranges may be in one piece. */
	if (p->nannouncements > 0 &&
	    list[p->nannouncements - 1] == announcement)
		return true;
	if (!memory_room(&p->announcements, p->nannouncements, &p->capacity,
			 sizeof(*list)))
		return false;
	p->announcements[p->nannouncements++] = announcement;
	return true;
}

struct piece *piece_add(struct remote_object *object, uint64_t begin,
			uint64_t end, uint64_t announcement)
{
	struct piece *p = calloc(1, sizeof(*p)), **at = &object->pieces;

	if (!p || !want(p, announcement)) {
		free(p);
		return NULL;
	}
	p->object = object;
	p->begin = p->base = p->tried_at = p->read_to = begin;
	p->end = end;
	p->is_placed = true;
	p->is_stream = end - begin > PIECE_STREAM_NBYTES;
	while (*at)
		at = &(*at)->next;
	*at = p;
	return p;
}

void piece_drop(struct piece *piece)
{
	struct piece **at = &piece->object->pieces;

	while (*at != piece)
		at = &(*at)->next;
	*at = piece->next;
	if (piece->held_by) {
		*piece->held_by = NULL;
		curl_multi_wakeup(engine.multi);
	}
	buffer_release(&piece->data);
	free(piece->announcements);
	free(piece->url);
	free(piece);
}

void piece_settle(struct piece *piece)
{
	bool is_read = piece->is_placed && piece->read_to >= piece->end;
	bool is_over = piece->state == PIECE_FAILED ?
			       piece->is_told :
			       is_read && piece->nannouncements <= 1;

	if (piece->nwaiters == 0 && (is_over || piece->nannouncements == 0))
		piece_drop(piece);
}

struct piece *object_find(struct remote_object *object, uint64_t offset)
{
	for (struct piece *p = object->pieces; p; p = p->next)
		if (p->is_placed && offset >= p->base && offset < p->end)
			return p;
	return NULL;
}

uint64_t object_next(const struct remote_object *object, uint64_t offset,
		     uint64_t end)
{
	for (const struct piece *p = object->pieces; p; p = p->next)
		if (p->is_placed && p->base > offset && p->end > p->base)
			end = size_min(end, p->base);
	return end;
}

uint64_t object_announce(struct remote_object *object,
			 const struct nc3z_range *ranges, size_t nranges)
{
	uint64_t announcement = ++object->nannouncements;

	for (size_t i = 0; i < nranges; i++) {
		uint64_t at = ranges[i].offset, end = at + ranges[i].nbytes;

		end = size_min(end, object->identity.size);
		while (at < end) {
			struct piece *p = object_find(object, at);

			if (!p)
				p = piece_add(object, at,
					      object_next(object, at, end),
					      announcement);
			else if (!want(p, announcement))
				p = NULL;
			if (!p)
				return announcement;
			at = p->end;
		}
	}
	return announcement;
}

/* Whether it was wanted by it. */
static bool forget_piece(struct piece *p, uint64_t announcement)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nannouncements; i++)
		if (p->announcements[i] != announcement)
			p->announcements[n++] = p->announcements[i];
	if (n == p->nannouncements)
		return false;
	p->nannouncements = n;
	return true;
}

void object_forget(struct remote_object *object, uint64_t announcement)
{
	struct piece *p = object->pieces, *next;

	for (; p; p = next) {
		next = p->next;
		if (forget_piece(p, announcement))
			piece_settle(p);
	}
}

void piece_advance(struct piece *piece, uint64_t offset)
{
	uint64_t keep = offset - size_min(offset, STREAM_BEHIND_NBYTES);
	size_t n = piece->data.nbytes, drop;

	if (!piece->is_stream || keep <= piece->base)
		return;
	drop = (size_t)size_min(keep - piece->base, n);
	/* Not for each read, as all that stays is moved. */
	if (drop < STREAM_AHEAD_NBYTES / 4 && drop < n)
		return;
	memmove(piece->data.data, piece->data.data + drop, n - drop);
	piece->data.nbytes = n - drop;
	piece->base += drop;
}

static int make_url(struct remote_object *o, const char *url,
		    struct nc3z_error *err)
{
	if (o->is_s3) {
		NC3Z_TRY(s3_init(&o->s3, url, err));
		o->url = s3_url(&o->s3);
	} else {
		o->url = url_clean(url, &o->userinfo);
	}
	if (!o->url)
		return error_set(err, NC3Z_EINVAL,
				 "not a URL with a valid host");
	o->origin = url_origin(o->url);
	return o->origin ? NC3Z_OK : error_set_memory(err);
}

static bool is_off(const char *name)
{
	const char *value = getenv(name);

	return value && strcmp(value, "off") == 0;
}

int object_new(const char *url, struct remote_object **object_ret,
	       struct nc3z_error *err)
{
	struct remote_object *o = calloc(1, sizeof(*o));
	int status;

	if (!o)
		return error_set_memory(err);
	o->changed_how = "";
	o->identity.ignores_etag = is_off("NC3Z_REMOTE_ETAG");
	o->is_s3 = strncasecmp(url, "s3://", 5) == 0;
	status = make_url(o, url, err);
	if (status == NC3Z_OK)
		*object_ret = o;
	else
		object_free(o);
	return status;
}

void object_free(struct remote_object *object)
{
	while (object->pieces)
		piece_drop(object->pieces);
	if (object->is_s3)
		s3_release(&object->s3);
	if (object->userinfo)
		explicit_bzero(object->userinfo, strlen(object->userinfo));
	free(object->url);
	free(object->userinfo);
	free(object->origin);
	free(object->redirected);
	free(object);
}

void object_enter(struct remote_object *object)
{
	object->next = engine.objects;
	engine.objects = object;
}

void object_leave(struct remote_object *object)
{
	struct remote_object **at = &engine.objects;

	while (*at != object)
		at = &(*at)->next;
	*at = object->next;
}

bool object_set_region(struct remote_object *object, const char *region)
{
	char *url, *origin;

	if (!s3_is_region(region))
		return false;
	memcpy(object->s3.region, region, strlen(region) + 1);
	url = s3_url(&object->s3);
	origin = url ? url_origin(url) : NULL;
	if (!origin) {
		free(url);
		return false;
	}
	free(object->url);
	free(object->origin);
	object->url = url;
	object->origin = origin;
	object->host = NULL;
	return true;
}
