/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* asprintf() */
#include "remote/sign.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "remote/url.h"

#define HASH_NBYTES 32
#define HEX_NBYTES (2 * HASH_NBYTES + 1)

/* The SHA-256 of nothing: requests have no body. */
#define EMPTY_SHA256 \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void to_hex(const unsigned char hash[HASH_NBYTES], char text[HEX_NBYTES])
{
	for (size_t i = 0; i < HASH_NBYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", hash[i]);
}

static bool sha256(const char *text, char hex[HEX_NBYTES])
{
	unsigned char hash[HASH_NBYTES];

	if (!EVP_Digest(text, strlen(text), hash, NULL, EVP_sha256(), NULL))
		return false;
	to_hex(hash, hex);
	return true;
}

static bool hmac(const void *key, size_t key_nbytes, const char *text,
		 unsigned char out[HASH_NBYTES])
{
	return HMAC(EVP_sha256(), key, (int)key_nbytes,
		    (const unsigned char *)text, strlen(text), out, NULL);
}

void sign_time(long long unix_time, char text[SIGN_TIME_NBYTES])
{
	time_t seconds = (time_t)unix_time;
	struct tm tm;

	memset(text, '0', SIGN_TIME_NBYTES);
	text[SIGN_TIME_NBYTES - 1] = '\0';
	if (gmtime_r(&seconds, &tm))
		strftime(text, SIGN_TIME_NBYTES, "%Y%m%dT%H%M%SZ", &tm);
}

/* A parameter of the query, as name and value of the canonical form. */
static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Parameters in ascending order, each with a '='; from malloc(). */
static char *canonical_query(const char *query)
{
	size_t n = 1, count = 0, length = strlen(query);
	char *copy = strdup(query), *out = calloc(1, 2 * length + 2);
	char **list, *rest = copy, *item;

	for (const char *at = query; *at; at++)
		n += *at == '&';
	list = calloc(n, sizeof(*list));
	while (copy && list && (item = strtok_r(rest, "&", &rest)))
		list[count++] = item;
	if (list)
		qsort(list, count, sizeof(*list), by_text);
	for (size_t i = 0; out && i < count; i++) {
		strcat(out, i > 0 ? "&" : "");
		strcat(out, list[i]);
		strcat(out, strchr(list[i], '=') ? "" : "=");
	}
	if (!copy || !list) {
		free(out);
		out = NULL;
	}
	free(list);
	free(copy);
	return out;
}

/* The headers that are signed beside the host, in their order. */
struct signed_headers {
	char *lines; /* "name:value\n" */
	char *names; /* "name;name" */
};

static bool list_headers(const struct sign_request *r,
			 const struct sign_keys *keys, struct signed_headers *h)
{
	const char *token = keys->token;
	struct url_parts p;
	int n;

	url_split(r->url, &p);
	n = asprintf(&h->lines,
		     "host:%.*s\nrange:%s\nx-amz-content-sha256:%s\n"
		     "x-amz-date:%s\n%s%s%s%s",
		     (int)p.host_nbytes, p.host, r->range, EMPTY_SHA256,
		     r->time,
		     r->requester_pays ? "x-amz-request-payer:requester\n" : "",
		     token ? "x-amz-security-token:" : "", token ? token : "",
		     token ? "\n" : "");
	if (n < 0)
		h->lines = NULL;
	n = asprintf(&h->names,
		     "host;range;x-amz-content-sha256;x-amz-date%s%s",
		     r->requester_pays ? ";x-amz-request-payer" : "",
		     token ? ";x-amz-security-token" : "");
	if (n < 0)
		h->names = NULL;
	return h->lines && h->names;
}

static char *canonical_request(const struct sign_request *r,
			       const struct signed_headers *h)
{
	struct url_parts p;
	const char *query;
	char *sorted, *text = NULL;

	url_split(r->url, &p);
	query = p.path[p.path_nbytes] == '?' ? p.path + p.path_nbytes + 1 : "";
	sorted = canonical_query(query);
	if (sorted &&
	    asprintf(&text, "GET\n%.*s\n%s\n%s\n%s\n%s", (int)p.path_nbytes,
		     p.path, sorted, h->lines, h->names, EMPTY_SHA256) < 0)
		text = NULL;
	free(sorted);
	return text;
}

/* HMAC after HMAC: date, region, service, "aws4_request", then the text. */
static bool sign_text(const struct sign_request *r,
		      const struct sign_keys *keys, const char *text,
		      char hex[HEX_NBYTES])
{
	unsigned char hash[HASH_NBYTES], next[HASH_NBYTES];
	char date[9], *first = NULL;
	const char *steps[] = { r->region, "s3", "aws4_request", text };
	bool ok;

	snprintf(date, sizeof(date), "%.8s", r->time);
	if (asprintf(&first, "AWS4%s", keys->secret) < 0)
		return false;
	ok = hmac(first, strlen(first), date, hash);
	for (size_t i = 0; ok && i < 4; i++) {
		ok = hmac(hash, sizeof(hash), steps[i], next);
		memcpy(hash, next, sizeof(hash));
	}
	to_hex(hash, hex);
	OPENSSL_cleanse(first, strlen(first));
	free(first);
	return ok;
}

/* "Authorization: ..." for a canonical request. */
static char *authorization(const struct sign_request *r,
			   const struct sign_keys *keys, const char *request,
			   const char *names)
{
	char hash[HEX_NBYTES], signature[HEX_NBYTES];
	char *text = NULL, *line = NULL;

	if (!sha256(request, hash) ||
	    asprintf(&text, "AWS4-HMAC-SHA256\n%s\n%.8s/%s/s3/aws4_request\n%s",
		     r->time, r->time, r->region, hash) < 0)
		return NULL;
	if (sign_text(r, keys, text, signature) &&
	    asprintf(&line,
		     "Authorization: AWS4-HMAC-SHA256 "
		     "Credential=%s/%.8s/%s/s3/aws4_request,"
		     "SignedHeaders=%s,Signature=%s\n",
		     keys->id, r->time, r->region, names, signature) < 0)
		line = NULL;
	free(text);
	return line;
}

static char *unsigned_headers(const struct sign_request *r)
{
	return strdup(r->requester_pays ? "x-amz-request-payer: requester\n" :
					  "");
}

char *sign_headers(const struct sign_request *request,
		   const struct sign_keys *keys)
{
	struct signed_headers h = { NULL, NULL };
	char *canonical = NULL, *line = NULL, *all = NULL;

	if (!keys)
		return unsigned_headers(request);
	if (list_headers(request, keys, &h))
		canonical = canonical_request(request, &h);
	if (canonical)
		line = authorization(request, keys, canonical, h.names);
	if (line &&
	    asprintf(&all,
		     "%sx-amz-content-sha256: %s\nx-amz-date: %s\n%s%s%s%s",
		     line, EMPTY_SHA256, request->time,
		     request->requester_pays ?
			     "x-amz-request-payer: requester\n" :
			     "",
		     keys->token ? "x-amz-security-token: " : "",
		     keys->token ? keys->token : "",
		     keys->token ? "\n" : "") < 0)
		all = NULL;
	free(line);
	free(canonical);
	free(h.lines);
	free(h.names);
	return all;
}
