/* SPDX-License-Identifier: MIT */
/* What the end of a request means for the piece that it was made for. */
#define _DEFAULT_SOURCE /* getentropy() */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sizes.h"
#include "base/status.h"
#include "remote/s3_error.h"
#include "remote/transfer.h"
#include "remote/url.h"

#define NTRIES_MAX 5
#define NSILENT_MAX 2
#define NHOPS_MAX 5
#define FIRST_WAIT 0.2

/* Fewer bytes in an answer are no progress. */
#define SHORT_NBYTES (UINT64_C(4) << 10)

void outcome_fail(struct piece *piece, int status, int sys_errno,
		  const char *why)
{
	const struct remote_object *o = piece->object;
	char place[96] = "";

	/* What is missing; all of it, if the failure came after the last byte.
	 */
	if (piece->is_placed && o->identity.is_known)
		snprintf(place, sizeof(place), "bytes %llu to %llu: ",
			 (unsigned long long)(piece_got(piece) < piece->end ?
						      piece_got(piece) :
						      piece->begin),
			 (unsigned long long)piece->end - 1);
	piece->state = PIECE_FAILED;
	error_set(&piece->error, status, "%s%s", place, why);
	piece->error.sys_errno = sys_errno;
	pthread_cond_broadcast(&engine.changed);
}

static void wait_and_ask_again(struct piece *p, double seconds)
{
	p->state = PIECE_WAITING;
	p->not_before = engine_time() + seconds;
}

/*
 * Between a half and one and a half, so that many processes that failed at the
 * same time, on one computer or on all nodes of a cluster, do not come back
 * together.
 */
static double jitter(void)
{
	uint16_t random;

	if (getentropy(&random, sizeof(random)) != 0)
		random = (uint16_t)((uint64_t)(engine_time() * 1e9) ^
				    (uint64_t)getpid());
	return 0.5 + random / 65536.0;
}

/* Whether another try may do better. */
static bool is_worth_a_try(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_PARTIAL_FILE:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return true;
	default:
		return false;
	}
}

static void fail_again(struct transfer *t, CURLcode code)
{
	struct piece *p = t->piece;
	int status = t->answer.status;
	bool is_busy = status == 429 || status == 503;
	const struct s3_error *error = s3_error_find(t->text);
	const char *text = t->curl_text[0] ? t->curl_text :
					     curl_easy_strerror(code);
	char why[256];

	if (status >= 400)
		snprintf(why, sizeof(why),
			 "the server answers %d%s%s%s%s (tried %u times)",
			 status, error ? " " : "", error ? error->code : "",
			 error ? ": " : "", error ? error->meaning : "",
			 p->ntries);
	else
		snprintf(why, sizeof(why), "%.160s (tried %u times)%s",
			 code == CURLE_OK ? "the server sends too little" :
					    text,
			 p->ntries,
			 code == CURLE_OPERATION_TIMEDOUT ?
				 " (NC3Z_REMOTE_TIMEOUT)" :
				 "");
	outcome_fail(p, NC3Z_EIO,
		     is_busy                          ? EBUSY :
		     code == CURLE_OPERATION_TIMEDOUT ? ETIMEDOUT :
							EIO,
		     why);
}

/*
 * Whether enough came for failures to be counted anew.  A server that is too
 * slow sends something, too.
 */
static bool has_come_on(const struct piece *p, CURLcode code)
{
	uint64_t least = SHORT_NBYTES;

	if (code == CURLE_OPERATION_TIMEDOUT)
		least += TRANSFER_SLOWEST *
			 (uint64_t)engine.settings.stall_seconds;
	return piece_got(p) >= p->tried_at + least;
}

/* What has come stays; the rest is asked for, after a while. */
static void try_again(struct transfer *t, CURLcode code)
{
	struct piece *p = t->piece;
	unsigned asked = t->answer.wait;
	double wait = FIRST_WAIT;

	if (has_come_on(p, code))
		p->ntries = p->nsilent = 0;
	p->nsilent += code == CURLE_OPERATION_TIMEDOUT;
	if (++p->ntries >= NTRIES_MAX || p->nsilent >= NSILENT_MAX) {
		fail_again(t, code);
		return;
	}
	for (unsigned i = 1; i < p->ntries; i++)
		wait *= 2;
	wait *= jitter();
	if (wait < asked)
		wait = asked;
	wait_and_ask_again(p, wait);
	/* All that is asked of this server waits. */
	if ((t->answer.status == 429 || t->answer.status == 503) && t->host)
		t->host->not_before = p->not_before;
}

/*
 * A server may send less than it is asked for.  What comes whole, and is not
 * next to nothing, is no failure.
 */
static void ask_for_rest(struct transfer *t, CURLcode code)
{
	struct piece *p = t->piece;

	if (code != CURLE_OK || !has_come_on(p, code)) {
		try_again(t, code);
		return;
	}
	p->ntries = p->nsilent = 0;
	wait_and_ask_again(p, 0);
}

/* The address that a redirect gives, clean, from malloc(); NULL: none. */
static char *resolve(const char *from, const char *location)
{
	CURLU *u = curl_url();
	char *url = NULL, *clean = NULL, *userinfo = NULL;

	if (u && curl_url_set(u, CURLUPART_URL, from, 0) == CURLUE_OK &&
	    curl_url_set(u, CURLUPART_URL, location, CURLU_URLENCODE) ==
		    CURLUE_OK &&
	    curl_url_get(u, CURLUPART_URL, &url, 0) == CURLUE_OK)
		clean = url_clean(url, &userinfo);
	free(userinfo);
	curl_free(url);
	curl_url_cleanup(u);
	return clean;
}

static void follow(struct transfer *t)
{
	struct piece *p = t->piece;
	char *url = resolve(t->url, t->answer.location);

	if (!url) {
		outcome_fail(p, NC3Z_EIO, EIO,
			     "the server redirects to a URL that is not http "
			     "or https");
	} else if (url_is_https(t->url) && !url_is_https(url)) {
		outcome_fail(p, NC3Z_EIO, EIO,
			     "the server redirects from https to http");
	} else if (++p->nhops > NHOPS_MAX) {
		outcome_fail(p, NC3Z_EIO, ELOOP,
			     "the server redirects without end");
	} else {
		free(p->url);
		p->url = url;
		wait_and_ask_again(p, 0);
		return;
	}
	free(url);
}

/*
 * Keys that have expired are read anew, once until bytes come.  Another piece
 * may have done that while this one was on its way.
 */
static bool renew_keys(const struct transfer *t)
{
	struct remote_object *o = t->piece->object;

	if (!o->is_s3)
		return false;
	if (t->nrenewed == o->nrenewed) {
		if (o->tried_keys)
			return false;
		o->tried_keys = true;
		s3_read_keys(&o->s3);
		o->nrenewed++;
	}
	wait_and_ask_again(t->piece, 0);
	return true;
}

/* What the user may have to set. */
static void put_advice(const struct s3_object *s3, char *text, size_t nbytes)
{
	if (!s3->has_keys)
		snprintf(text, nbytes, "; the request was not signed: %s",
			 s3->no_keys);
	else if (!s3->requester_pays)
		snprintf(text, nbytes,
			 "; if its readers pay for requests, set "
			 "AWS_REQUEST_PAYER=requester");
}

static void deny(struct transfer *t)
{
	struct piece *p = t->piece;
	struct remote_object *o = p->object;
	const struct s3_error *error = s3_error_find(t->text);
	char why[400], advice[256] = "";

	/* Where a redirect led is often good for some minutes only. */
	if (!p->went_back && o->redirected) {
		p->went_back = true;
		free(o->redirected);
		o->redirected = NULL;
		o->host = NULL;
		free(p->url);
		p->url = NULL;
		p->nhops = 0;
		wait_and_ask_again(p, 0);
		return;
	}
	if (error && error->kind == S3_ERROR_EXPIRED && renew_keys(t))
		return;
	if (o->is_s3 && (!error || strcmp(error->code, "AccessDenied") == 0))
		put_advice(&o->s3, advice, sizeof(advice));
	snprintf(why, sizeof(why), "%s (%d%s%s)%s",
		 error ? error->meaning : "access denied, or no such object",
		 t->answer.status, error ? " " : "", error ? error->code : "",
		 advice);
	outcome_fail(p, NC3Z_EIO, EACCES, why);
}

static void miss(struct transfer *t)
{
	const struct s3_error *error = s3_error_find(t->text);
	char why[200];

	if (error)
		snprintf(why, sizeof(why), "%s (%d %s)", error->meaning,
			 t->answer.status, error->code);
	outcome_fail(t->piece, NC3Z_EIO, ENOENT,
		     error ? why : "there is no such object");
}

static void go_to_region(struct transfer *t)
{
	struct piece *p = t->piece;
	struct remote_object *o = p->object;

	/* Another piece may have been there first. */
	if (o->is_s3 && strcmp(o->s3.region, t->answer.region) == 0 &&
	    o->tried_region && p->nhops++ == 0) {
		wait_and_ask_again(p, 0);
		return;
	}
	if (!o->is_s3 || o->tried_region ||
	    !object_set_region(o, t->answer.region)) {
		outcome_fail(p, NC3Z_EIO, EIO,
			     "the bucket is in another region than the "
			     "server says");
		return;
	}
	o->tried_region = true;
	p->nhops++;
	wait_and_ask_again(p, 0);
}

/* By its offset, as soon as another answer has told the size. */
static void ask_for_tail(struct piece *p)
{
	p->is_suffix = false;
	p->state = PIECE_WAITING;
	p->not_before = 0;
}

/* The body of a failure may say more than its status. */
static void refuse_transfer(struct transfer *t, CURLcode code)
{
	const struct s3_error *error =
		t->answer.status >= 300 ? s3_error_find(t->text) : NULL;
	char why[200];

	if (error && error->kind == S3_ERROR_AGAIN) {
		try_again(t, code);
		return;
	}
	if (error) {
		deny(t);
		return;
	}
	snprintf(why, sizeof(why), "the server answers %d, and %s",
		 t->answer.status, t->why);
	outcome_fail(t->piece, NC3Z_EIO, EIO, why);
}

static void change(struct transfer *t)
{
	struct remote_object *o = t->piece->object;
	char why[256];

	o->has_changed = true;
	o->changed_how = t->why;
	snprintf(why, sizeof(why), "the object changed while it was read%s",
		 t->why);
	outcome_fail(t->piece, NC3Z_ECHANGED, 0, why);
}

/* Some servers have no part of which they have the first bytes only. */
static void shorten(struct transfer *t)
{
	struct piece *p = t->piece;

	if (++p->nhops > NHOPS_MAX) {
		outcome_fail(p, NC3Z_EIO, EIO,
			     "the server does not know how long the object is");
		return;
	}
	p->end = t->answer.size;
	wait_and_ask_again(p, 0);
}

/* Bytes came: all, or the first of them. */
static void keep_piece(struct transfer *t, CURLcode code)
{
	struct piece *p = t->piece;

	p->state = PIECE_DONE;
	/* What was done once to get here may be done again. */
	if (piece_got(p) > p->tried_at) {
		p->nhops = 0;
		p->went_back = p->object->tried_keys = false;
	}
	if (p->url) {
		free(p->object->redirected);
		p->object->redirected = p->url;
		p->object->host = t->host;
		p->url = NULL;
	}
	if (piece_got(p) < p->end)
		ask_for_rest(t, code);
}

static void take_empty(struct transfer *t)
{
	struct piece *p = t->piece;

	p->object->identity.is_known = true;
	p->begin = p->end = p->base = 0;
	p->is_placed = true;
	p->state = PIECE_DONE;
}

void outcome(struct transfer *t, CURLcode code)
{
	struct piece *p = t->piece;

	if (t->answer.status == 0 || !t->is_judged) {
		if (is_worth_a_try(code) || code == CURLE_OK)
			try_again(t, code);
		else
			outcome_fail(p, NC3Z_EIO, EIO,
				     t->curl_text[0] ?
					     t->curl_text :
					     curl_easy_strerror(code));
		return;
	}
	switch (t->verdict) {
	case ANSWER_KEEP:
	case ANSWER_WHOLE:
		keep_piece(t, code);
		break;
	case ANSWER_EMPTY:
		take_empty(t);
		break;
	case ANSWER_AGAIN:
		try_again(t, code);
		break;
	case ANSWER_REDIRECT:
		follow(t);
		break;
	case ANSWER_REGION:
		go_to_region(t);
		break;
	case ANSWER_NO_SUFFIX:
		ask_for_tail(p);
		break;
	case ANSWER_SHORTER:
		shorten(t);
		break;
	case ANSWER_DENIED:
		deny(t);
		break;
	case ANSWER_MISSING:
		miss(t);
		break;
	case ANSWER_CHANGED:
		change(t);
		break;
	case ANSWER_REFUSED:
		refuse_transfer(t, code);
		break;
	}
}
