/* SPDX-License-Identifier: MIT */
#include "remote/transfer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/sizes.h"
#include "base/status.h"
#include "remote/url.h"

/* More of a body that is of no use is not worth keeping a connection. */
#define USELESS_NBYTES_MAX (UINT64_C(64) << 10)

/* What a piece still lacks. */
static struct asked what_to_ask(const struct piece *p)
{
	struct asked asked = {
		.kind = ASK_RANGE,
		.begin = piece_got(p),
		.end = p->end,
	};

	if (p->is_suffix && !p->is_placed)
		asked = (struct asked){ ASK_SUFFIX, 0, p->end - p->begin };
	else if (p->end == UINT64_MAX)
		asked.kind = ASK_FROM;
	return asked;
}

/* The first answer says what the object is. */
static void learn_identity(struct remote_object *o, const struct answer *a)
{
	bool is_whole = a->status == 200;

	if (o->identity.is_known)
		return;
	o->identity.is_known = true;
	o->identity.size = is_whole ? a->length : a->size;
	memcpy(o->identity.etag, a->etag, sizeof(a->etag));
	memcpy(o->identity.modified, a->modified, sizeof(a->modified));
}

static void place(struct transfer *t)
{
	struct piece *p = t->piece;
	struct remote_object *o = p->object;
	const struct answer *a = &t->answer;

	learn_identity(o, a);
	t->at = t->verdict == ANSWER_WHOLE ? 0 : a->begin;
	/* A whole object is more than was asked for. */
	if (t->verdict == ANSWER_WHOLE) {
		p->begin = p->base = 0;
		p->end = o->identity.size;
		p->data.nbytes = 0;
	} else if (!p->is_placed) {
		p->begin = p->base = a->begin;
		p->end = a->end;
	} else {
		p->end = size_min(p->end, o->identity.size);
	}
	p->is_placed = true;
	p->is_stream = p->end - p->begin > PIECE_STREAM_NBYTES;
}

static void judge_transfer(struct transfer *t)
{
	t->is_judged = true;
	t->verdict = answer_judge(&t->answer, &t->asked,
				  &t->piece->object->identity, &t->why);
	if (t->verdict == ANSWER_KEEP || t->verdict == ANSWER_WHOLE) {
		place(t);
		pthread_cond_broadcast(&engine.changed);
	}
}

static size_t on_header(char *line, size_t size, size_t n, void *context)
{
	struct transfer *t = context;

	answer_line(&t->answer, line, size * n);
	return size * n;
}

/* Bytes that tell why there are none. */
static size_t take_text(struct transfer *t, const char *data, size_t nbytes)
{
	size_t n = size_min(nbytes, sizeof(t->text) - 1 - t->text_nbytes);

	memcpy(t->text + t->text_nbytes, data, n);
	t->text_nbytes += n;
	t->text[t->text_nbytes] = '\0';
	return t->answer.status < 300 || t->nbytes > USELESS_NBYTES_MAX ?
		       0 :
		       nbytes;
}

static size_t take_body(struct transfer *t, const char *data, size_t nbytes)
{
	struct piece *p = t->piece;
	uint64_t end = t->verdict == ANSWER_WHOLE ? p->end : t->answer.end;

	if (nbytes > end - t->at) {
		t->verdict = ANSWER_REFUSED;
		t->why = "it sends more than it says";
		return 0;
	}
	if (p->is_stream && p->data.nbytes > STREAM_AHEAD_NBYTES) {
		t->is_paused = true;
		t->nbytes -= nbytes;
		return CURL_WRITEFUNC_PAUSE;
	}
	if (!buffer_append(&p->data, data, nbytes)) {
		t->verdict = ANSWER_REFUSED;
		t->why = "memory ran out";
		return 0;
	}
	t->at += nbytes;
	pthread_cond_broadcast(&engine.changed);
	return nbytes;
}

static size_t on_body(char *data, size_t size, size_t n, void *context)
{
	struct transfer *t = context;
	size_t nbytes = size * n, taken = 0;

	pthread_mutex_lock(&engine.lock);
	t->nbytes += nbytes;
	if (t->piece) {
		if (!t->is_judged)
			judge_transfer(t);
		taken = t->verdict == ANSWER_KEEP ||
					t->verdict == ANSWER_WHOLE ?
				take_body(t, data, nbytes) :
				take_text(t, data, nbytes);
	}
	pthread_mutex_unlock(&engine.lock);
	return taken;
}

static bool add_header(struct transfer *t, const char *line)
{
	struct curl_slist *list = curl_slist_append(t->headers, line);

	if (list)
		t->headers = list;
	return list;
}

/* Lines of s3_headers(). */
static bool add_lines(struct transfer *t, char *lines)
{
	char *rest = lines, *line;
	bool ok = lines;

	while (ok && (line = strtok_r(rest, "\n", &rest)))
		ok = add_header(t, line);
	free(lines);
	return ok;
}

/* What is sent to nobody but the one whom the user named. */
static bool add_credentials(struct transfer *t, const char *range)
{
	const struct remote_object *o = t->piece->object;
	char *origin = url_origin(t->url);
	bool is_origin = origin && strcmp(origin, o->origin) == 0, ok = origin;
	char *user, *password, *colon;

	free(origin);
	if (!is_origin)
		return ok;
	if (o->is_s3)
		return add_lines(t, s3_headers(&o->s3, t->url, range));
	if (!o->userinfo)
		return ok;
	colon = strchr(o->userinfo, ':');
	/* A length of 0 would be that of all of it. */
	user = colon == o->userinfo ?
		       NULL :
		       curl_easy_unescape(
			       t->easy, o->userinfo,
			       colon ? (int)(colon - o->userinfo) : 0, NULL);
	password = colon ? curl_easy_unescape(t->easy, colon + 1, 0, NULL) :
			   NULL;
	curl_easy_setopt(t->easy, CURLOPT_USERNAME, user ? user : "");
	curl_easy_setopt(t->easy, CURLOPT_PASSWORD, password ? password : "");
	curl_free(user);
	curl_free(password);
	return ok;
}

static bool add_headers(struct transfer *t)
{
	const struct identity *first = &t->piece->object->identity;
	char range[ASKED_TEXT_NBYTES], line[ANSWER_TAG_NBYTES + 64];

	asked_text(&t->asked, range);
	snprintf(line, sizeof(line), "Range: %s", range);
	if (!add_header(t, line) || !add_header(t, "Accept-Encoding: identity"))
		return false;
	if (first->is_known && !first->ignores_etag &&
	    etag_is_strong(first->etag)) {
		snprintf(line, sizeof(line), "If-Match: %s", first->etag);
		if (!add_header(t, line))
			return false;
	}
	return add_credentials(t, range);
}

static void set_options(struct transfer *t)
{
	const struct engine_settings *s = &engine.settings;
	CURL *e = t->easy;

	curl_easy_setopt(e, CURLOPT_URL, t->url);
	curl_easy_setopt(e, CURLOPT_PRIVATE, t);
	curl_easy_setopt(e, CURLOPT_HTTPHEADER, t->headers);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->curl_text);
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(e, CURLOPT_HTTP_CONTENT_DECODING, 0L);
	curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(e, CURLOPT_USERAGENT, "nc3z/" NC3Z_VERSION);
	curl_easy_setopt(e, CURLOPT_BUFFERSIZE, 256L << 10);
	curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT, s->connect_seconds);
	curl_easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, (long)TRANSFER_SLOWEST);
	curl_easy_setopt(e, CURLOPT_LOW_SPEED_TIME, s->stall_seconds);
	/* One connection has room for many requests where it is HTTP/2. */
	curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
	curl_easy_setopt(e, CURLOPT_PIPEWAIT, 1L);
	curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	curl_easy_setopt(e, CURLOPT_SHARE, engine.share);
	curl_easy_setopt(e, CURLOPT_COOKIEFILE, "");
	if (s->ca_file)
		curl_easy_setopt(e, CURLOPT_CAINFO, s->ca_file);
	if (s->ca_directory)
		curl_easy_setopt(e, CURLOPT_CAPATH, s->ca_directory);
}

static bool prepare(struct transfer *t)
{
	struct piece *p = t->piece;
	const struct remote_object *o = p->object;
	const char *url = p->url        ? p->url :
			  o->redirected ? o->redirected :
					  o->url;
	char *origin = url_origin(url);

	t->url = strdup(url);
	t->host = origin ? engine_host(origin) : NULL;
	free(origin);
	t->easy = curl_easy_init();
	t->asked = what_to_ask(p);
	t->nrenewed = o->nrenewed;
	if (!t->url || !t->host || !t->easy || !add_headers(t))
		return false;
	set_options(t);
	return curl_multi_add_handle(engine.multi, t->easy) == CURLM_OK;
}

void transfer_begin(struct piece *piece)
{
	struct transfer *t = calloc(1, sizeof(*t));

	if (!t) {
		outcome_fail(piece, NC3Z_ENOMEM, 0, "memory ran out");
		return;
	}
	t->piece = piece;
	t->next = engine.transfers;
	engine.transfers = t;
	if (!prepare(t)) {
		t->host = NULL; /* does not count it */
		outcome_fail(piece, NC3Z_ENOMEM, 0, "memory ran out");
		transfer_free(t);
		return;
	}
	t->host->nrunning++;
	t->begun = engine_time();
	piece->held_by = &t->piece;
	piece->state = PIECE_RUNNING;
	piece->tried_at = piece_got(piece);
}

static void log_line(const struct transfer *t, CURLcode code)
{
	char range[ASKED_TEXT_NBYTES];

	if (!engine.settings.logs)
		return;
	asked_text(&t->asked, range);
	fprintf(stderr,
		"nc3z-remote: %.*s %s: %d, %" PRIu64 " bytes, %.0f ms%s%s\n",
		(int)strcspn(t->url, "?"), t->url, range, t->answer.status,
		t->nbytes, 1000 * (engine_time() - t->begun),
		code == CURLE_OK || code == CURLE_WRITE_ERROR ? "" : ", ",
		code == CURLE_OK || code == CURLE_WRITE_ERROR ?
			"" :
			curl_easy_strerror(code));
}

void transfer_end(struct transfer *t, CURLcode code)
{
	log_line(t, code);
	if (!t->piece)
		return;
	t->piece->held_by = NULL;
	if (!t->is_judged && t->answer.status != 0)
		judge_transfer(t);
	outcome(t, code);
	pthread_cond_broadcast(&engine.changed);
}

void transfer_free(struct transfer *t)
{
	struct transfer **at = &engine.transfers;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	if (t->piece)
		t->piece->held_by = NULL;
	if (t->host)
		t->host->nrunning--;
	if (t->easy) {
		curl_multi_remove_handle(engine.multi, t->easy);
		curl_easy_cleanup(t->easy);
	}
	curl_slist_free_all(t->headers);
	free(t->url);
	free(t);
}
