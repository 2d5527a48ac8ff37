/* SPDX-License-Identifier: MIT */
/*
 * Signature version 4 of AWS for a GET without a body.  A pure function.
 */
#ifndef NC3Z_REMOTE_SIGN_H
#define NC3Z_REMOTE_SIGN_H

#include <stdbool.h>
#include <stddef.h>

#define SIGN_TIME_NBYTES 17 /* "20130524T000000Z" */

struct sign_keys {
	char *id;
	char *secret;
	char *token; /* NULL: none */
};

struct sign_request {
	const char *url; /* clean: see url.h */
	const char *range;
	const char *region;
	char time[SIGN_TIME_NBYTES];
	bool requester_pays;
};

/* The time as it stands in a signature. */
void sign_time(long long unix_time, char text[SIGN_TIME_NBYTES]);

/*
 * The header lines, each ended by a newline, that have to be sent beside Host
 * and Range; from malloc().  'keys' NULL is a request that is not signed.  NULL
 * if memory runs out.
 */
char *sign_headers(const struct sign_request *request,
		   const struct sign_keys *keys);

#endif
