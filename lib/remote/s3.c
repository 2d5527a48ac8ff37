/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* asprintf() */
#include "remote/s3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/status.h"
#include "remote/url.h"

bool s3_is_region(const char *text)
{
	size_t n = strlen(text);

	return n > 0 && n < 64 &&
	       n == strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

int s3_init(struct s3_object *o, const char *url, struct nc3z_error *err)
{
	const char *key;
	size_t n;
	int status;

	*o = (struct s3_object){ .bucket = NULL };
	url += strlen("s3://");
	n = strcspn(url, "/");
	key = url + n + (url[n] == '/');
	if (n == 0 || *key == '\0' || strpbrk(url, "\r\n") ||
	    n != strspn(url, "abcdefghijklmnopqrstuvwxyz"
			     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"))
		return error_set(err, NC3Z_EINVAL,
				 "not a URL of the form s3://bucket/key");
	o->bucket = strndup(url, n);
	o->path = url_escape_path(key);
	status = o->bucket && o->path ? s3_read_settings(o, err) :
					error_set_memory(err);
	if (status != NC3Z_OK)
		s3_release(o);
	return status;
}

void s3_release(struct s3_object *o)
{
	s3_release_keys(o);
	free(o->bucket);
	free(o->path);
	free(o->endpoint);
	*o = (struct s3_object){ .bucket = NULL };
}

/* Certificates are for one label before the host: none with dots. */
static bool fits_host(const char *bucket)
{
	return strlen(bucket) ==
	       strspn(bucket, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

static char *url_at_endpoint(const struct s3_object *o)
{
	const char *after = strstr(o->endpoint, "://");
	size_t n = strlen(o->endpoint);
	char *url = NULL;
	int written;

	if (!after)
		return NULL;
	while (n > 0 && o->endpoint[n - 1] == '/')
		n--;
	if (o->is_in_host)
		written = asprintf(&url, "%.*s%s.%.*s/%s",
				   (int)(after + 3 - o->endpoint), o->endpoint,
				   o->bucket,
				   (int)(o->endpoint + n - after - 3),
				   after + 3, o->path);
	else
		written = asprintf(&url, "%.*s/%s/%s", (int)n, o->endpoint,
				   o->bucket, o->path);
	return written < 0 ? NULL : url;
}

char *s3_url(const struct s3_object *o)
{
	char *url = NULL, *clean, *userinfo = NULL;
	int written = 0;

	if (o->endpoint)
		url = url_at_endpoint(o);
	else if (fits_host(o->bucket))
		written = asprintf(&url, "https://%s.s3.%s.amazonaws.com/%s",
				   o->bucket, o->region, o->path);
	else
		written = asprintf(&url, "https://s3.%s.amazonaws.com/%s/%s",
				   o->region, o->bucket, o->path);
	if (written < 0 || !url)
		return NULL;
	clean = url_clean(url, &userinfo);
	free(userinfo);
	free(url);
	return clean;
}

char *s3_headers(const struct s3_object *o, const char *url, const char *range)
{
	struct sign_request request = {
		.url = url,
		.range = range,
		.region = o->region,
		.requester_pays = o->requester_pays,
	};

	sign_time((long long)time(NULL), request.time);
	return sign_headers(&request, o->has_keys ? &o->keys : NULL);
}
