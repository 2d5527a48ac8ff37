/* SPDX-License-Identifier: MIT */
/* URLs as they go over the wire.  Pure functions. */
#ifndef NC3Z_REMOTE_URL_H
#define NC3Z_REMOTE_URL_H

#include <stdbool.h>
#include <stddef.h>

#define URL_NBYTES_MAX 8192

/*
 * An http or https URL as it is sent: without fragment and userinfo, and with
 * bytes escaped that no URL may have; '*userinfo_ret' is "user:password" with
 * its escapes, or NULL.  Both from malloc().  NULL if it is no such URL, has no
 * host, or is too long.
 */
char *url_clean(const char *url, char **userinfo_ret);

/*
 * "https://host:port" of a clean URL, in lower case and with the port even if
 * it is the default: who is asked.  From malloc().
 */
char *url_origin(const char *url);

/* Whether a clean URL is https. */
bool url_is_https(const char *url);

/*
 * Bytes of a key of S3 as the path of a URL, from malloc(): everything but
 * unreserved characters and '/' is escaped.
 */
char *url_escape_path(const char *bytes);

/* The parts of a clean URL that a signature covers; they point into it. */
struct url_parts {
	const char *host; /* with the port, unless it is the default */
	size_t host_nbytes;
	const char *path; /* at least "/" */
	size_t path_nbytes;
};

void url_split(const char *url, struct url_parts *parts);

#endif
