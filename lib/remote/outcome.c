/* SPDX-License-Identifier: MIT */
/* What the end of a request means for the piece that it was made for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "base/status.h"
#include "remote/transfer.h"
#include "remote/url.h"

#define NTRIES_MAX 5
#define NHOPS_MAX 5
#define FIRST_WAIT 0.2

/* So much between two failures, and the tries are counted anew. */
#define PROGRESS_NBYTES (UINT64_C(1) << 20)

/* As few bytes in an answer that is whole, and it counts as a failure. */
#define SHORT_NBYTES (UINT64_C(4) << 10)

void outcome_fail(struct piece *piece, int status, int sys_errno,
		  const char *why)
{
	const struct remote_object *o = piece->object;
	char place[96] = "";

	if (piece->is_placed && o->identity.is_known)
		snprintf(place, sizeof(place), "bytes %llu to %llu: ",
			 (unsigned long long)piece_got(piece),
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

/* Between a half and one and a half, so that many do not come together. */
static double jitter(void)
{
	static unsigned seed = 1;

	seed = seed * 1103515245u + 12345u;
	return 0.5 + (seed >> 16 & 0x7fff) / 32768.0;
}

/* Text of S3's answer, "<Code>AccessDenied</Code>"; letters only. */
static void find_code(const struct transfer *t, char code[64])
{
	const char *at = strstr(t->text, "<Code>");
	size_t n = 0;

	code[0] = '\0';
	if (!at)
		return;
	at += strlen("<Code>");
	while (n < 63 && ((at[n] >= 'A' && at[n] <= 'Z') ||
			  (at[n] >= 'a' && at[n] <= 'z')))
		n++;
	snprintf(code, 64, "%.*s", (int)n, at);
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
	const char *text = t->curl_text[0] ? t->curl_text :
					     curl_easy_strerror(code);
	char why[256];

	if (status >= 400)
		snprintf(why, sizeof(why), "the server answers %d, %d times",
			 status, NTRIES_MAX);
	else
		snprintf(why, sizeof(why), "%.160s, %d times",
			 code == CURLE_OK ? "the server sends too little" :
					    text,
			 NTRIES_MAX);
	outcome_fail(p, NC3Z_EIO,
		     is_busy                          ? EBUSY :
		     code == CURLE_OPERATION_TIMEDOUT ? ETIMEDOUT :
							EIO,
		     why);
}

/* What has come stays; the rest is asked for, after a while. */
static void try_again(struct transfer *t, CURLcode code)
{
	struct piece *p = t->piece;
	unsigned asked = t->answer.wait;
	double wait = FIRST_WAIT;

	if (piece_got(p) - p->tried_at >= PROGRESS_NBYTES)
		p->ntries = 0;
	if (++p->ntries >= NTRIES_MAX) {
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

	if (code != CURLE_OK || piece_got(p) - p->tried_at < SHORT_NBYTES) {
		try_again(t, code);
		return;
	}
	p->ntries = 0;
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
			     "the server redirects to what is no http or "
			     "https URL");
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

static void deny(struct transfer *t)
{
	struct piece *p = t->piece;
	struct remote_object *o = p->object;
	char code[64], why[200];

	find_code(t, code);
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
	if (o->is_s3 && !o->tried_keys &&
	    (strcmp(code, "ExpiredToken") == 0 ||
	     strcmp(code, "TokenRefreshRequired") == 0)) {
		o->tried_keys = true;
		s3_read_keys(&o->s3);
		wait_and_ask_again(p, 0);
		return;
	}
	snprintf(why, sizeof(why), "not allowed, or not there (%d%s%s)%s",
		 t->answer.status, code[0] ? " " : "", code,
		 strcmp(code, "RequestTimeTooSkewed") == 0 ?
			 ": the clock of this computer is wrong" :
			 "");
	outcome_fail(p, NC3Z_EIO, EACCES, why);
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

static void refuse(struct transfer *t)
{
	char why[200];

	snprintf(why, sizeof(why), "the server answers %d, and %s",
		 t->answer.status, t->why);
	outcome_fail(t->piece, NC3Z_EIO, EIO, why);
}

static void change(struct piece *p)
{
	p->object->has_changed = true;
	outcome_fail(p, NC3Z_ECHANGED, 0,
		     "the object changed while it was read");
}

/* Bytes came: all, or the first of them. */
static void keep(struct transfer *t, CURLcode code)
{
	struct piece *p = t->piece;

	p->state = PIECE_DONE;
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
		keep(t, code);
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
	case ANSWER_DENIED:
		deny(t);
		break;
	case ANSWER_MISSING:
		outcome_fail(p, NC3Z_EIO, ENOENT, "there is no such object");
		break;
	case ANSWER_CHANGED:
		change(p);
		break;
	case ANSWER_REFUSED:
		refuse(t);
		break;
	}
}
