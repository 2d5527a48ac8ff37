/* SPDX-License-Identifier: MIT */
/*
 * Objects of S3: where they are, and what has to be sent to get them.  Settings
 * come from the environment and the files of AWS's tools, as those have them.
 */
#ifndef NC3Z_REMOTE_S3_H
#define NC3Z_REMOTE_S3_H

#include "nc3z.h"
#include "remote/sign.h"

struct s3_object {
	char *bucket;
	char *path;     /* the key, escaped */
	char *endpoint; /* "https://host[/prefix]"; NULL: AWS's */
	char region[64];
	bool is_in_host; /* the bucket, with an endpoint */
	bool requester_pays;
	bool has_keys;
	char no_keys[128]; /* why it has none */
	struct sign_keys keys;
};

/* Takes "s3://bucket/key" apart.  NC3Z_EINVAL, NC3Z_ENOMEM. */
int s3_init(struct s3_object *object, const char *url, struct nc3z_error *err);
void s3_release(struct s3_object *object);

/* Whether a name is one of a region: it becomes part of a host's name. */
bool s3_is_region(const char *text);

/* s3_settings.c: NC3Z_EINVAL names a setting that cannot be honoured. */
int s3_read_settings(struct s3_object *object, struct nc3z_error *err);

/* Reads the keys anew, which may have expired. */
void s3_read_keys(struct s3_object *object);
void s3_release_keys(struct s3_object *object);

/* The URL to ask, clean; from malloc(). */
char *s3_url(const struct s3_object *object);

/* Header lines for a request that is made now; from malloc(). */
char *s3_headers(const struct s3_object *object, const char *url,
		 const char *range);

#endif
