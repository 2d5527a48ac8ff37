/* SPDX-License-Identifier: MIT */
/*
 * Names of members: TAR//MEMBER.  Many programs make "/" of "//", xarray and
 * pathlib among them.  Below a file there can be nothing else, so TAR/MEMBER is
 * understood where there is that tar.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/file.h"
#include "io/source.h"
#include "nc3z_tools.h"

/* How names of tars end; those of compressed ones are refused later. */
static const char *const endings[] = {
	".tar",    ".tar.gz", ".tgz",     ".tar.bz2", ".tbz2",
	".tar.xz", ".txz",    ".tar.zst", ".tzst",
};

#define NENDINGS (sizeof(endings) / sizeof(endings[0]))

static bool ends_like_tar(const char *name, size_t nbytes)
{
	for (size_t i = 0; i < NENDINGS; i++) {
		size_t n = strlen(endings[i]);

		if (nbytes > n && name[nbytes - n - 1] != '/' &&
		    memcmp(name + nbytes - n, endings[i], n) == 0)
			return true;
	}
	return false;
}

/* Whether there is a file, and not a directory, of so many bytes of a name. */
static bool is_file(const char *name, size_t nbytes)
{
	char *path = strndup(name, nbytes + 1);
	bool found = path && !file_exists(path);

	if (found) {
		path[nbytes] = '\0';
		found = file_exists(path);
	}
	free(path);
	return found;
}

/* The length of the tar's name in a name of two parts; 0: it is none. */
static size_t tar_nbytes(const char *name, size_t nbytes, bool is_path)
{
	for (size_t i = 1; i + 1 < nbytes; i++)
		if (name[i] == '/' && ends_like_tar(name, i) &&
		    (name[i + 1] == '/' ? i + 2 < nbytes :
					  is_path && is_file(name, i)))
			return i;
	return 0;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* In place; an escape of the byte 0 stays as it is. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		int high = *text == '%' ? digit_of(text[1]) : -1;
		int low = high >= 0 ? digit_of(text[2]) : -1;

		if (low >= 0 && high + low > 0) {
			*to++ = (char)(high << 4 | low);
			text += 2;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

char *nc3z_tar_split(const char *name, char **member_ret)
{
	if (!name || !member_ret)
		return NULL;
	/* A key of S3 may have any character. */
	bool is_http = strncasecmp(name, "http", 4) == 0 && nc3z_is_url(name);
	bool is_path = !nc3z_is_url(name);
	size_t end = is_http ? strcspn(name, "?#") : strlen(name);
	size_t n = tar_nbytes(name, end, is_path), begin;
	char *tar;

	*member_ret = NULL;
	if (n == 0 || (is_path && file_exists(name)))
		return NULL;
	begin = n + (name[n + 1] == '/' ? 2 : 1);
	tar = malloc(n + strlen(name + end) + 1);
	if (tar)
		*member_ret = strndup(name + begin, end - begin);
	if (!*member_ret) {
		free(tar);
		return NULL;
	}
	memcpy(tar, name, n);
	strcpy(tar + n, name + end);
	if (is_http)
		unescape(*member_ret);
	return tar;
}

static int open_whole(const char *name, unsigned flags,
		      struct nc3z_source **source_ret, struct nc3z_error *err)
{
	return nc3z_is_url(name) ?
		       nc3z_source_open_url(name, flags, source_ret, err) :
		       nc3z_source_open_path(name, source_ret, err);
}

static int open_member(const char *tar_name, const char *member, unsigned flags,
		       struct nc3z_source **source_ret, struct nc3z_error *err)
{
	struct nc3z_source *source;
	struct nc3z_tar *tar;
	size_t number;
	int status;

	NC3Z_TRY(open_whole(tar_name, 0, &source, err));
	status = nc3z_tar_open(source, &tar, err);
	if (status != NC3Z_OK) {
		nc3z_source_close(source);
		return status;
	}
	status = nc3z_tar_find(tar, member, &number, err);
	if (status == NC3Z_OK)
		status = nc3z_tar_open_member(tar, number, flags, source_ret,
					      err);
	nc3z_tar_close(tar);
	return status;
}

int nc3z_source_open_name(const char *name, unsigned flags,
			  struct nc3z_source **source_ret,
			  struct nc3z_error *err)
{
	char *member, *tar;
	int status;

	NC3Z_NEED(err, name && source_ret);
	if ((flags & ~NC3Z_URL_STREAM) != 0)
		return error_set(err, NC3Z_EINVAL, "unknown flags %#x",
				 flags & ~NC3Z_URL_STREAM);
	tar = nc3z_tar_split(name, &member);
	status = tar ? open_member(tar, member, flags, source_ret, err) :
		       open_whole(name, flags, source_ret, err);
	free(tar);
	free(member);
	return status;
}
