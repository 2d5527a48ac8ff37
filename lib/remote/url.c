/* SPDX-License-Identifier: MIT */
#include "remote/url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char hex[] = "0123456789ABCDEF";

static bool is_hex(char c)
{
	return c != '\0' && strchr("0123456789abcdefABCDEF", c);
}

static bool is_unreserved(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' ||
	       c == '~';
}

/* Characters that may stand in a path or a query as they are. */
static bool may_stand(const char *at)
{
	if (*at == '%')
		return is_hex(at[1]) && is_hex(at[2]);
	return is_unreserved((unsigned char)*at) ||
	       strchr("!$&'()*+,;=:@/?[]", *at);
}

static char *put_escaped(char *out, char c)
{
	*out++ = '%';
	*out++ = hex[(unsigned char)c >> 4];
	*out++ = hex[(unsigned char)c & 15];
	return out;
}

static size_t scheme_nbytes(const char *url)
{
	return strncasecmp(url, "https://", 8) == 0 ? 8 :
	       strncasecmp(url, "http://", 7) == 0  ? 7 :
						      0;
}

bool url_is_https(const char *url)
{
	return scheme_nbytes(url) == 8;
}

static char *copy_bytes(const char *bytes, size_t nbytes)
{
	char *text = malloc(nbytes + 1);

	if (text) {
		memcpy(text, bytes, nbytes);
		text[nbytes] = '\0';
	}
	return text;
}

/* Host and port are letters, digits and a few signs; [::1] for IPv6. */
static bool is_host(const char *host, size_t nbytes)
{
	for (size_t i = 0; i < nbytes; i++)
		if (!is_unreserved((unsigned char)host[i]) &&
		    !strchr(":[]", host[i]))
			return false;
	return nbytes > 0 && host[0] != ':';
}

char *url_clean(const char *url, char **userinfo_ret)
{
	size_t scheme = scheme_nbytes(url), length = strlen(url), user = 0;
	const char *rest = url + scheme;
	size_t authority = strcspn(rest, "/?#");
	char *clean, *out;

	*userinfo_ret = NULL;
	for (size_t i = 0; i < authority; i++)
		if (rest[i] == '@')
			user = i + 1;
	if (scheme == 0 || length > URL_NBYTES_MAX ||
	    !is_host(rest + user, authority - user))
		return NULL;
	clean = malloc(3 * length + 2);
	if (!clean)
		return NULL;
	memcpy(clean, scheme == 8 ? "https://" : "http://", scheme);
	out = clean + scheme;
	memcpy(out, rest + user, authority - user);
	out += authority - user;
	if (rest[authority] != '/')
		*out++ = '/';
	for (const char *at = rest + authority; *at && *at != '#'; at++) {
		if (may_stand(at))
			*out++ = *at;
		else
			out = put_escaped(out, *at);
	}
	*out = '\0';
	/* Escapes count, so that a clean URL is clean when it comes again. */
	if (out - clean > URL_NBYTES_MAX) {
		free(clean);
		return NULL;
	}
	if (user > 0)
		*userinfo_ret = copy_bytes(rest, user - 1);
	return clean;
}

void url_split(const char *url, struct url_parts *parts)
{
	size_t scheme = scheme_nbytes(url), n;
	const char *standard = scheme == 8 ? ":443" : ":80";

	parts->host = url + scheme;
	n = strcspn(parts->host, "/?");
	parts->path = parts->host + n;
	parts->path_nbytes = strcspn(parts->path, "?");
	if (n > strlen(standard) && strncmp(parts->path - strlen(standard),
					    standard, strlen(standard)) == 0)
		n -= strlen(standard);
	parts->host_nbytes = n;
}

char *url_origin(const char *url)
{
	struct url_parts parts;
	bool has_port;
	size_t n;
	char *origin;

	url_split(url, &parts);
	n = parts.host_nbytes;
	has_port = memchr(parts.host, ':', n) && parts.host[n - 1] != ']';
	origin = malloc(n + 32);
	if (!origin)
		return NULL;
	snprintf(origin, n + 32, "%s://%.*s%s",
		 url_is_https(url) ? "https" : "http", (int)n, parts.host,
		 has_port          ? "" :
		 url_is_https(url) ? ":443" :
				     ":80");
	for (char *at = origin; *at; at++)
		if (*at >= 'A' && *at <= 'Z')
			*at = (char)(*at - 'A' + 'a');
	return origin;
}

char *url_escape_path(const char *bytes)
{
	size_t n = strlen(bytes);
	char *path = n > URL_NBYTES_MAX ? NULL : malloc(3 * n + 1), *out = path;

	if (!path)
		return NULL;
	for (; *bytes; bytes++) {
		if (is_unreserved((unsigned char)*bytes) || *bytes == '/')
			*out++ = *bytes;
		else
			out = put_escaped(out, *bytes);
	}
	*out = '\0';
	return path;
}
