/* SPDX-License-Identifier: MIT */
/*
 * What the environment and the files of AWS's tools say.  A setting that cannot
 * be honoured is an error, or, where a request may do without keys, the reason
 * that is given when it is denied.
 */
#define _GNU_SOURCE /* asprintf() */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/status.h"
#include "remote/ini.h"
#include "remote/s3.h"

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

/* NULL: none was chosen. */
static const char *chosen_profile(void)
{
	const char *name = setting("AWS_PROFILE");

	return name ? name : setting("AWS_DEFAULT_PROFILE");
}

static const char *profile(void)
{
	const char *name = chosen_profile();

	return name ? name : "default";
}

/* Its section in ~/.aws/config, from malloc(). */
static char *section_in_config(void)
{
	char *section = NULL;
	int n = strcmp(profile(), "default") == 0 ?
			asprintf(&section, "default") :
			asprintf(&section, "profile %s", profile());

	return n < 0 ? NULL : section;
}

/* A value of the profile in ~/.aws/config; from malloc(). */
static char *find_in_config(const char *group, const char *name)
{
	char *text = read_settings("AWS_CONFIG_FILE", "config"), *value = NULL;
	char *section = section_in_config();

	if (text && section)
		value = ini_find(text, section, group, name);
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

void s3_release_keys(struct s3_object *o)
{
	free_secret(o->keys.id);
	free_secret(o->keys.secret);
	free_secret(o->keys.token);
	o->keys = (struct sign_keys){ NULL, NULL, NULL };
	o->has_keys = false;
}

static char *copy_text(const char *text)
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

static bool is_true(const char *value)
{
	return value &&
	       (strcasecmp(value, "yes") == 0 ||
		strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0);
}

static bool is_unsigned(void)
{
	return is_true(setting("AWS_NO_SIGN_REQUEST"));
}

/* How else AWS's tools come by keys, with the name of what says so. */
static bool find_other_way(char *why, size_t nbytes)
{
	static const char *const variables[] = {
		"AWS_WEB_IDENTITY_TOKEN_FILE",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI"
	};
	static const char *const names[] = { "credential_process",
					     "sso_session", "sso_start_url",
					     "role_arn" };
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *value = find_in_config(NULL, names[i]);

		if (value && !found)
			found = names[i];
		free(value);
	}
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (setting(variables[i]) && !found)
			found = variables[i];
	if (found)
		snprintf(why, nbytes,
			 "%s is for AWS's tools (eval \"$(aws configure "
			 "export-credentials --format env)\")",
			 found);
	return found;
}

static void say_no_keys(struct s3_object *o)
{
	char *why = o->no_keys;
	const size_t n = sizeof(o->no_keys);

	if (o->keys.id && *o->keys.id && !o->keys.secret)
		snprintf(why, n, "an access key is set, but not its secret");
	else if (o->keys.id && *o->keys.id)
		snprintf(why, n, "a key has more than one line");
	else if (!find_other_way(why, n))
		snprintf(why, n,
			 "neither profile '%.40s' nor AWS_ACCESS_KEY_ID "
			 "has a key",
			 profile());
}

void s3_read_keys(struct s3_object *o)
{
	s3_release_keys(o);
	if (is_unsigned()) {
		snprintf(o->no_keys, sizeof(o->no_keys),
			 "AWS_NO_SIGN_REQUEST is set");
		return;
	}
	if (setting("AWS_ACCESS_KEY_ID")) {
		o->keys.id = copy_text(setting("AWS_ACCESS_KEY_ID"));
		o->keys.secret = copy_text(setting("AWS_SECRET_ACCESS_KEY"));
		o->keys.token = copy_text(setting("AWS_SESSION_TOKEN"));
	} else {
		take_keys_of_files(o);
	}
	o->has_keys = o->keys.id && o->keys.secret && *o->keys.id &&
		      is_one_line(o->keys.id) && is_one_line(o->keys.token);
	if (!o->has_keys)
		say_no_keys(o);
}

/* Keys of the environment need no profile. */
static int check_profile(struct nc3z_error *err)
{
	char *keys, *config, *section;
	bool is_there;

	if (!chosen_profile() || setting("AWS_ACCESS_KEY_ID") || is_unsigned())
		return NC3Z_OK;
	keys = read_settings("AWS_SHARED_CREDENTIALS_FILE", "credentials");
	config = read_settings("AWS_CONFIG_FILE", "config");
	section = section_in_config();
	is_there = (keys && ini_has(keys, profile())) ||
		   (config && section && ini_has(config, section));
	free_secret(keys);
	free(config);
	free(section);
	return is_there ? NC3Z_OK :
			  error_set(err, NC3Z_EINVAL,
				    "there is no profile '%.40s' (AWS_PROFILE) "
				    "in the files of AWS's tools",
				    profile());
}

static int read_region(struct s3_object *o, struct nc3z_error *err)
{
	const char *from = "AWS_REGION", *region = setting(from);
	char *configured = NULL;
	bool ok;

	if (!region)
		region = setting(from = "AWS_DEFAULT_REGION");
	if (!region) {
		from = "region of the profile";
		region = configured = find_in_config(NULL, "region");
	}
	if (!region || !*region)
		region = "us-east-1";
	ok = s3_is_region(region);
	snprintf(o->region, sizeof(o->region), "%s", ok ? region : "");
	free(configured);
	return ok ? NC3Z_OK :
		    error_set(err, NC3Z_EINVAL, "%s: not the name of a region",
			      from);
}

static int read_endpoint(struct s3_object *o, struct nc3z_error *err)
{
	const char *from = "AWS_ENDPOINT_URL_S3", *endpoint = setting(from);
	const char *in_host = setting("AWS_VIRTUAL_HOSTING");
	char *style = find_in_config("s3", "addressing_style");

	if (!endpoint)
		endpoint = setting(from = "AWS_ENDPOINT_URL");
	if (endpoint) {
		o->endpoint = copy_text(endpoint);
	} else {
		from = "endpoint_url of the profile";
		o->endpoint = find_in_config(NULL, "endpoint_url");
	}
	o->is_in_host = in_host ? is_true(in_host) :
				  style && strcmp(style, "virtual") == 0;
	free(style);
	if (o->endpoint && strncasecmp(o->endpoint, "http://", 7) != 0 &&
	    strncasecmp(o->endpoint, "https://", 8) != 0)
		return error_set(err, NC3Z_EINVAL,
				 "%s has to begin with http:// or https://",
				 from);
	return NC3Z_OK;
}

static int check_switches(struct nc3z_error *err)
{
	static const char *const names[] = { "AWS_NO_SIGN_REQUEST",
					     "AWS_VIRTUAL_HOSTING" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = setting(names[i]);

		if (value && !is_true(value) && strcasecmp(value, "no") != 0 &&
		    strcasecmp(value, "false") != 0 && strcmp(value, "0") != 0)
			return error_set(err, NC3Z_EINVAL,
					 "%s has to be TRUE or FALSE",
					 names[i]);
	}
	return NC3Z_OK;
}

int s3_read_settings(struct s3_object *o, struct nc3z_error *err)
{
	const char *payer = setting("AWS_REQUEST_PAYER");

	o->requester_pays = payer && strcasecmp(payer, "requester") == 0;
	if (payer && !o->requester_pays)
		return error_set(err, NC3Z_EINVAL,
				 "AWS_REQUEST_PAYER has to be \"requester\"");
	NC3Z_TRY(check_switches(err));
	NC3Z_TRY(check_profile(err));
	NC3Z_TRY(read_region(o, err));
	NC3Z_TRY(read_endpoint(o, err));
	s3_read_keys(o);
	return NC3Z_OK;
}
