/* SPDX-License-Identifier: MIT */
/*
 * Any lines as the headers of a server's answer, to anything that can be asked
 * for: what is kept is what was asked for.
 *
 *	kind 1, begin 2, length 2, whether the object is known 1, then lines
 *
 * The same bytes as a URL, which is then signed, as a key of S3, as a file of
 * settings, and as the body of an error.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "remote/answer.h"
#include "remote/ini.h"
#include "remote/s3_error.h"
#include "remote/sign.h"
#include "remote/url.h"
#include "text_input.h"

static const char *const word_list[] = {
	"HTTP/1.1 206 OK\r\n",
	"HTTP/2 200\n",
	"HTTP/1.1 416 \n",
	"301",
	"503",
	"Content-Range:",
	" bytes 0-99/1000\r\n",
	"bytes */0\n",
	"\r\n",
	"*/",
	"Content-Length: 100\n",
	"18446744073709551615",
	"ETag: \"a\"\n",
	"ETag: W/\"a\"\n",
	"Last-Modified: x\n",
	"Content-Encoding: gzip\n",
	"Content-Type: multipart/\n",
	"Location: //h/\n",
	"Retry-After: 9\n",
	"x-amz-bucket-region: eu\n",
	"http://",
	"https://u:p@[::1]:8/?#",
	"%4",
	"[default]\n",
	"s3 =\n ",
	"region = x\n",
	"<Code>",
	"SlowDown<",
	"RequestTimeout",
};

static const struct text_words words = {
	.list = word_list,
	.count = sizeof(word_list) / sizeof(word_list[0]),
};

static void check_kept(const struct answer *a, const struct asked *asked,
		       const struct identity *first)
{
	FUZZ_CHECK(a->status == 206 && a->begin < a->end && a->end <= a->size);
	FUZZ_CHECK(!a->is_encoded && !a->is_multipart);
	FUZZ_CHECK(!first->is_known || a->size == first->size);
	FUZZ_CHECK(first->ignores_etag ?
			   a->modified[0] != '\0' :
			   !first->is_known ||
				   strcmp(a->etag, first->etag) == 0);
	if (asked->kind == ASK_SUFFIX)
		FUZZ_CHECK(a->end == a->size &&
			   a->end - a->begin <= asked->end);
	else
		FUZZ_CHECK(a->begin == asked->begin && a->end <= asked->end);
	FUZZ_CHECK(!a->has_length || a->length == a->end - a->begin);
}

static void run_answer(struct fuzz_bytes in)
{
	struct asked asked = { .kind = (enum ask_kind)(fuzz_take(&in) % 3) };
	struct identity first = { .size = 1000, .etag = "\"a\"" };
	uint8_t known;
	struct answer *a = calloc(1, sizeof(*a));
	const char *why = NULL;
	enum verdict verdict;
	char *line;

	asked.begin = fuzz_take(&in) * 256u + fuzz_take(&in);
	asked.end = asked.kind == ASK_FROM ? UINT64_MAX :
					     asked.begin + 1 + fuzz_take(&in);
	known = fuzz_take(&in);
	first.is_known = known & 1;
	first.ignores_etag = known & 2;
	while (a && (line = text_take_line(&in))) {
		answer_line(a, line, strlen(line));
		free(line);
	}
	if (!a)
		return;
	verdict = answer_judge(a, &asked, &first, &why);
	FUZZ_CHECK(why != NULL);
	FUZZ_CHECK(verdict != ANSWER_REFUSED || *why);
	FUZZ_CHECK(verdict != ANSWER_REFUSED || asked.kind != ASK_SUFFIX);
	FUZZ_CHECK(verdict != ANSWER_SHORTER ||
		   (asked.begin < a->size && a->size < asked.end));
	if (verdict == ANSWER_KEEP)
		check_kept(a, &asked, &first);
	if (verdict == ANSWER_WHOLE)
		FUZZ_CHECK(a->has_length && a->length > 0 &&
			   (a->length <= ANSWER_WHOLE_NBYTES_MAX ||
			    asked.kind == ASK_FROM));
	FUZZ_CHECK(a->wait <= ANSWER_WAIT_MAX);
	free(a);
}

/* Each line is one header, and the same request has the same ones. */
static void run_sign(const char *clean)
{
	char id[] = "id", secret[] = "k", token[] = "t";
	struct sign_keys keys = { id, secret, token };
	struct sign_request r = {
		.url = clean,
		.range = "bytes=0-9",
		.region = "eu-west-9",
		.time = "20130524T000000Z",
		.requester_pays = strlen(clean) & 1,
	};
	char *lines = sign_headers(&r, &keys);
	char *again = sign_headers(&r, &keys);

	FUZZ_CHECK(lines && again && strcmp(lines, again) == 0);
	FUZZ_CHECK(!strchr(lines, '\r') && !strstr(lines, "\n\n"));
	FUZZ_CHECK(strstr(lines, "Signature="));
	free(lines);
	free(again);
}

/* Any key can be asked for, and stays the path. */
static void run_key(const char *key)
{
	static const char host[] = "https://h/";
	char *path = url_escape_path(key), *clean = NULL, *user = NULL, *url;
	struct url_parts parts;

	FUZZ_CHECK(path || strlen(key) > URL_NBYTES_MAX);
	if (!path)
		return;
	url = calloc(1, sizeof(host) + strlen(path));
	if (url)
		clean = url_clean(strcat(strcpy(url, host), path), &user);
	if (clean) {
		url_split(clean, &parts);
		FUZZ_CHECK(!user && parts.path_nbytes == strlen(path) + 1 &&
			   memcmp(parts.path + 1, path, strlen(path)) == 0);
	}
	free(path);
	free(url);
	free(clean);
	free(user);
}

/* What is found stands in the body. */
static void run_error(const char *body)
{
	const struct s3_error *error = s3_error_find(body);

	FUZZ_CHECK(!error || (strstr(body, error->code) && *error->meaning));
}

/* Clean twice is clean; nothing of it ends a line or names a user. */
static void run_url(const char *text)
{
	char *user = NULL, *more = NULL, *clean = url_clean(text, &user);
	char *again, *origin;

	if (clean) {
		again = url_clean(clean, &more);
		origin = url_origin(clean);
		FUZZ_CHECK(again && strcmp(clean, again) == 0 && !more);
		FUZZ_CHECK(!strpbrk(clean, "\r\n #"));
		FUZZ_CHECK(origin && strncmp(origin, "http", 4) == 0);
		run_sign(clean);
		free(again);
		free(origin);
	}
	free(clean);
	free(user);
}

static void run(const uint8_t *data, size_t nbytes)
{
	char *text = text_copy(data, nbytes), *found;

	run_answer((struct fuzz_bytes){ data, nbytes });
	run_url(text);
	run_key(text);
	run_error(text);
	found = ini_find(text, "default", NULL, "region");
	FUZZ_CHECK(!found || ini_has(text, "default"));
	free(found);
	free(ini_find(text, "default", "s3", "region"));
	free(text);
}

static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	(void)file;
	(void)file_nbytes;
	return text_random(&words, &seed, room);
}

static size_t mutate(struct fuzz_room room, size_t nbytes, uint64_t seed)
{
	return text_mutate(&words, room, nbytes, seed);
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 28,
	.run = run,
	.from_classic = from_classic,
	.mutate = mutate,
};
