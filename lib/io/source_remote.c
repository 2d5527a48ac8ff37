/* SPDX-License-Identifier: MIT */
/* Objects that a URL names, by libnc3z-remote. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/sizes.h"
#include "io/remote_load.h"
#include "io/source.h"
#include "nc3z_tools.h"

static const char *const schemes[] = { "http://", "https://", "s3://" };

int nc3z_is_url(const char *name)
{
	if (!name)
		return 0;
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (strncasecmp(name, schemes[i], strlen(schemes[i])) == 0)
			return 1;
	return 0;
}

/* The length of "scheme://" at the front of any URL; 0: there is none. */
static size_t scheme_nbytes(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");

	return n > 0 && strncmp(name + n, "://", 3) == 0 ? n + 3 : 0;
}

/* Whether "host" or "host:port" may stand before a path; [::1] has colons. */
static bool is_host(const char *text, size_t nbytes)
{
	const char *bracket = memchr(text, ']', nbytes);
	size_t at = bracket ? (size_t)(bracket - text) : 0;
	const char *colon = memchr(text + at, ':', nbytes - at);

	return !colon || strspn(colon + 1, "0123456789") >=
				 nbytes - (size_t)(colon + 1 - text);
}

void nc3z_url_text(const char *name, char *text, size_t text_nbytes)
{
	if (!name || !text)
		return;

	size_t begin = scheme_nbytes(name), end = strlen(name), user = 0;
	const char *after = name + begin;
	size_t authority = strcspn(after, "/?#");

	for (size_t i = 0; begin > 0 && i < authority; i++)
		if (after[i] == '@')
			user = i + 1;
	/* A key of S3 may have any character. */
	if (begin > 0 && strncasecmp(name, "s3:", 3) != 0)
		end = begin + strcspn(after, "?#");
	/* "http://user:pass/word@host": where the password ends is unclear. */
	if (begin > 0 && !is_host(after + user, authority - user))
		end = begin + user;
	snprintf(text, text_nbytes, "%.*s%.*s", (int)size_min(begin, INT_MAX),
		 name, (int)size_min(end - begin - user, INT_MAX),
		 after + user);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct remote_room *room;
static char why_not[160]; /* there is no room */

static void load_remote(void)
{
	room = remote_load(why_not, sizeof(why_not));
}

static int find_room(struct nc3z_error *err)
{
	const char *setting = getenv("NC3Z_REMOTE");

	if (setting && strcmp(setting, "off") == 0)
		return error_set(err, NC3Z_EUNSUPPORTED,
				 "reading URLs is switched off by "
				 "NC3Z_REMOTE=off: unset it");
	pthread_once(&once, load_remote);
	return room ? NC3Z_OK :
		      error_set(err, NC3Z_EUNSUPPORTED, "%s", why_not);
}

struct remote_source {
	struct nc3z_source base;
	struct remote_object *object;
};

static struct remote_object *object_of(struct nc3z_source *source)
{
	return ((struct remote_source *)source)->object;
}

static int remote_read_at(struct nc3z_source *source, uint64_t offset,
			  void *data, size_t nbytes, size_t *nbytes_ret,
			  struct nc3z_error *err)
{
	return room->read_at(object_of(source), offset, data, nbytes,
			     nbytes_ret, err);
}

static int remote_check_unchanged(struct nc3z_source *source,
				  struct nc3z_error *err)
{
	return room->check_unchanged(object_of(source), err);
}

static uint64_t remote_announce(struct nc3z_source *source,
				const struct nc3z_range *ranges, size_t nranges)
{
	return room->announce(object_of(source), ranges, nranges);
}

static void remote_forget(struct nc3z_source *source, uint64_t announcement)
{
	room->forget(object_of(source), announcement);
}

static void remote_close(struct nc3z_source *source)
{
	room->close(object_of(source));
	free(source);
}

static const struct source_ops remote_ops = {
	.read_at = remote_read_at,
	.check_unchanged = remote_check_unchanged,
	.close = remote_close,
	.announce = remote_announce,
	.forget = remote_forget,
};

int nc3z_source_open_url(const char *url, unsigned flags,
			 struct nc3z_source **source_ret,
			 struct nc3z_error *err)
{
	const struct remote_opening opening = {
		.is_stream = flags & NC3Z_URL_STREAM,
		.front_nbytes = SOURCE_FRONT_NBYTES,
		.tail_nbytes = SOURCE_TAIL_NBYTES,
	};
	struct remote_source *s;
	int status;

	if (!nc3z_is_url(url) || (flags & ~NC3Z_URL_STREAM) != 0)
		return error_set(err, NC3Z_EINVAL,
				 "not an http://, https:// or s3:// URL, or an "
				 "unknown flag");
	NC3Z_TRY(find_room(err));
	s = calloc(1, sizeof(*s));
	if (!s)
		return error_set_memory(err);
	s->base.ops = &remote_ops;
	s->base.can_seek = true;
	status = room->open(url, &opening, &s->object, &s->base.size, err);
	if (status == NC3Z_OK)
		*source_ret = &s->base;
	else
		free(s);
	return status;
}
