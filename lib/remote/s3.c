/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* asprintf() */
#include "remote/s3.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "remote/ini.h"
#include "remote/url.h"

/* No file of settings is longer. */
#define FILE_NBYTES_MAX ((size_t)1 << 20)

/* A setting of the environment that is there and not empty; else NULL. */
static const char *setting(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* A whole file as a string; NULL if it cannot be read. */
static char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = fd < 0 ? NULL : malloc(FILE_NBYTES_MAX + 1);
	size_t n = 0;
	ssize_t got = 1;

	while (text && got > 0 && n < FILE_NBYTES_MAX) {
		got = read(fd, text + n, FILE_NBYTES_MAX - n);
		n += got > 0 ? (size_t)got : 0;
	}
	if (text)
		text[n] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

/* The file that a variable names, or one in ~/.aws. */
static char *read_settings(const char *variable, const char *name)
{
	const char *path = setting(variable), *home = setting("HOME");
	char *standard = NULL, *text;

	if (path)
		return read_file(path);
	if (!home || asprintf(&standard, "%s/.aws/%s", home, name) < 0)
		return NULL;
	text = read_file(standard);
	free(standard);
	return text;
}

static const char *profile(void)
{
	const char *name = setting("AWS_PROFILE");

	return name ? name : "default";
}

/* A value of the profile in ~/.aws/config; from malloc(). */
static char *find_in_config(const char *group, const char *name)
{
	char *text = read_settings("AWS_CONFIG_FILE", "config"), *value = NULL;
	char *section = NULL;
	int n;

	n = strcmp(profile(), "default") == 0 ?
		    asprintf(&section, "default") :
		    asprintf(&section, "profile %s", profile());
	if (text && n >= 0)
		value = ini_find(text, section, group, name);
	if (n >= 0)
		free(section);
	free(text);
	return value;
}

static void free_secret(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

static void release_keys(struct s3_object *o)
{
	free_secret(o->keys.id);
	free_secret(o->keys.secret);
	free_secret(o->keys.token);
	o->keys = (struct sign_keys){ NULL, NULL, NULL };
	o->has_keys = false;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void take_keys_of_files(struct s3_object *o)
{
	char *text =
		read_settings("AWS_SHARED_CREDENTIALS_FILE", "credentials");

	if (text) {
		o->keys.id =
			ini_find(text, profile(), NULL, "aws_access_key_id");
		o->keys.secret = ini_find(text, profile(), NULL,
					  "aws_secret_access_key");
		o->keys.token =
			ini_find(text, profile(), NULL, "aws_session_token");
	}
	free_secret(text);
	if (o->keys.id)
		return;
	o->keys.id = find_in_config(NULL, "aws_access_key_id");
	o->keys.secret = find_in_config(NULL, "aws_secret_access_key");
	o->keys.token = find_in_config(NULL, "aws_session_token");
}

/* Lines that such a value began would be headers of somebody else's choice. */
static bool is_one_line(const char *text)
{
	return !text || !strpbrk(text, "\r\n");
}

void s3_read_keys(struct s3_object *o)
{
	const char *no_sign = setting("AWS_NO_SIGN_REQUEST");

	release_keys(o);
	if (no_sign &&
	    (strcasecmp(no_sign, "yes") == 0 ||
	     strcasecmp(no_sign, "true") == 0 || strcmp(no_sign, "1") == 0))
		return;
	if (setting("AWS_ACCESS_KEY_ID")) {
		o->keys.id = copy(setting("AWS_ACCESS_KEY_ID"));
		o->keys.secret = copy(setting("AWS_SECRET_ACCESS_KEY"));
		o->keys.token = copy(setting("AWS_SESSION_TOKEN"));
	} else {
		take_keys_of_files(o);
	}
	o->has_keys = o->keys.id && o->keys.secret && *o->keys.id &&
		      is_one_line(o->keys.id) && is_one_line(o->keys.token);
}

bool s3_is_region(const char *text)
{
	size_t n = strlen(text);

	return n > 0 && n < 64 &&
	       n == strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

static void read_region(struct s3_object *o)
{
	const char *region = setting("AWS_REGION");
	char *configured = NULL;

	if (!region)
		region = setting("AWS_DEFAULT_REGION");
	if (!region)
		region = configured = find_in_config(NULL, "region");
	snprintf(o->region, sizeof(o->region), "%s",
		 region && s3_is_region(region) ? region : "us-east-1");
	free(configured);
}

static void read_endpoint(struct s3_object *o)
{
	const char *endpoint = setting("AWS_ENDPOINT_URL_S3");
	const char *in_host = setting("AWS_VIRTUAL_HOSTING");
	char *style = find_in_config("s3", "addressing_style");

	if (!endpoint)
		endpoint = setting("AWS_ENDPOINT_URL");
	o->endpoint = endpoint ? copy(endpoint) :
				 find_in_config(NULL, "endpoint_url");
	o->is_in_host = in_host ? strcasecmp(in_host, "true") == 0 :
				  style && strcmp(style, "virtual") == 0;
	free(style);
}

int s3_init(struct s3_object *o, const char *url, struct nc3z_error *err)
{
	const char *payer = setting("AWS_REQUEST_PAYER"), *key;
	size_t n;

	*o = (struct s3_object){ .bucket = NULL };
	url += strlen("s3://");
	n = strcspn(url, "/");
	key = url + n + (url[n] == '/');
	if (n == 0 || *key == '\0' || strpbrk(url, "\r\n") ||
	    n != strspn(url, "abcdefghijklmnopqrstuvwxyz"
			     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"))
		return error_set(err, NC3Z_EINVAL,
				 "no URL of the form s3://bucket/key");
	o->requester_pays = payer && strcasecmp(payer, "requester") == 0;
	o->bucket = strndup(url, n);
	o->path = url_escape_path(key);
	read_region(o);
	read_endpoint(o);
	s3_read_keys(o);
	if (o->bucket && o->path)
		return NC3Z_OK;
	s3_release(o);
	return error_set_memory(err);
}

void s3_release(struct s3_object *o)
{
	release_keys(o);
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
