/* SPDX-License-Identifier: MIT */
#include "remote/answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A part of a line. */
struct text {
	const char *at;
	size_t nbytes;
};

static void trim(struct text *t)
{
	while (t->nbytes > 0 && strchr(" \t\r\n", t->at[t->nbytes - 1]))
		t->nbytes--;
	while (t->nbytes > 0 && (t->at[0] == ' ' || t->at[0] == '\t')) {
		t->at++;
		t->nbytes--;
	}
}

/* Takes a decimal number off the front; false if there is none or too large. */
static bool take_number(struct text *t, uint64_t *number_ret)
{
	uint64_t number = 0;
	size_t n = 0;

	while (n < t->nbytes && t->at[n] >= '0' && t->at[n] <= '9') {
		uint64_t digit = (uint64_t)(t->at[n] - '0');

		if (number > (UINT64_MAX - digit) / 10)
			return false;
		number = 10 * number + digit;
		n++;
	}
	t->at += n;
	t->nbytes -= n;
	*number_ret = number;
	return n > 0;
}

static bool take_char(struct text *t, char c)
{
	if (t->nbytes == 0 || t->at[0] != c)
		return false;
	t->at++;
	t->nbytes--;
	return true;
}

static bool begins(const struct text *t, const char *word)
{
	return t->nbytes >= strlen(word) &&
	       strncasecmp(t->at, word, strlen(word)) == 0;
}

/* "bytes 0-99/1000", "bytes 0-99/" and a star, "bytes " and a star "/1000" */
static bool parse_range(struct answer *a, struct text t)
{
	uint64_t last = 0;
	bool has_range;

	if (!begins(&t, "bytes"))
		return false;
	t.at += strlen("bytes");
	t.nbytes -= strlen("bytes");
	if (!take_char(&t, ' '))
		return false;
	trim(&t);
	has_range = !take_char(&t, '*');
	if (has_range &&
	    (!take_number(&t, &a->begin) || !take_char(&t, '-') ||
	     !take_number(&t, &last) || last < a->begin || last == UINT64_MAX))
		return false;
	if (!take_char(&t, '/'))
		return false;
	a->end = has_range ? last + 1 : 0;
	if (take_char(&t, '*'))
		return has_range && t.nbytes == 0;
	a->is_size_known = take_number(&t, &a->size) && t.nbytes == 0 &&
			   a->end <= a->size;
	a->has_range = has_range;
	return a->is_size_known;
}

static void take_range(struct answer *a, struct text value)
{
	a->is_range_wrong = a->is_range_wrong || a->has_range ||
			    a->is_size_known || !parse_range(a, value);
	a->has_range = !a->is_range_wrong && a->end > 0;
}

static void take_length(struct answer *a, struct text value)
{
	uint64_t length = 0;
	bool ok = take_number(&value, &length) && value.nbytes == 0;

	a->is_length_wrong = a->is_length_wrong || !ok ||
			     (a->has_length && a->length != length);
	a->has_length = true;
	a->length = length;
}

/* A date as Retry-After is rare, and a clock may be wrong: a short wait. */
static void take_wait(struct answer *a, struct text value)
{
	uint64_t seconds;

	if (!take_number(&value, &seconds))
		seconds = 1;
	a->wait = (unsigned)(seconds > ANSWER_WAIT_MAX ? ANSWER_WAIT_MAX :
							 seconds);
}

/* What does not fit is left out: half a name would be another one. */
static void take_text(char *out, size_t out_nbytes, struct text value)
{
	bool fits = value.nbytes < out_nbytes &&
		    !memchr(value.at, '\0', value.nbytes);

	if (fits)
		memcpy(out, value.at, value.nbytes);
	out[fits ? value.nbytes : 0] = '\0';
}

static void take_header(struct answer *a, struct text name, struct text value)
{
	const struct {
		const char *name;
		char *out;
		size_t nbytes;
	} texts[] = {
		{ "etag", a->etag, sizeof(a->etag) },
		{ "last-modified", a->modified, sizeof(a->modified) },
		{ "x-amz-bucket-region", a->region, sizeof(a->region) },
		{ "location", a->location, sizeof(a->location) },
	};
	const char *known[] = { "content-range", "content-length",
				"content-encoding", "content-type",
				"retry-after" };
	size_t i = 0, n = sizeof(known) / sizeof(known[0]);

	for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
		if (name.nbytes == strlen(texts[k].name) &&
		    begins(&name, texts[k].name))
			take_text(texts[k].out, texts[k].nbytes, value);
	while (i < n &&
	       (name.nbytes != strlen(known[i]) || !begins(&name, known[i])))
		i++;
	if (i == 0)
		take_range(a, value);
	else if (i == 1)
		take_length(a, value);
	else if (i == 2)
		a->is_encoded = value.nbytes > 0 &&
				(value.nbytes != strlen("identity") ||
				 !begins(&value, "identity"));
	else if (i == 3)
		a->is_multipart = begins(&value, "multipart/");
	else if (i == 4)
		take_wait(a, value);
}

/* "HTTP/1.1 206 Partial Content", "HTTP/2 206" */
static void take_status(struct answer *a, struct text line)
{
	const char *space = memchr(line.at, ' ', line.nbytes);
	uint64_t status = 0;

	memset(a, 0, sizeof(*a));
	if (!space)
		return;
	line.nbytes -= (size_t)(space - line.at);
	line.at = space;
	trim(&line);
	if (take_number(&line, &status) && status >= 100 && status <= 999)
		a->status = (int)status;
}

void answer_line(struct answer *answer, const char *line, size_t nbytes)
{
	struct text name = { line, nbytes }, value;
	const char *colon;

	if (begins(&name, "HTTP/")) {
		take_status(answer, name);
		return;
	}
	colon = memchr(line, ':', nbytes);
	if (!colon)
		return;
	name.nbytes = (size_t)(colon - line);
	value.at = colon + 1;
	value.nbytes = nbytes - name.nbytes - 1;
	trim(&value);
	take_header(answer, name, value);
}

void asked_text(const struct asked *asked, char text[ASKED_TEXT_NBYTES])
{
	if (asked->kind == ASK_SUFFIX)
		snprintf(text, ASKED_TEXT_NBYTES, "bytes=-%" PRIu64,
			 asked->end);
	else if (asked->kind == ASK_FROM)
		snprintf(text, ASKED_TEXT_NBYTES, "bytes=%" PRIu64 "-",
			 asked->begin);
	else
		snprintf(text, ASKED_TEXT_NBYTES, "bytes=%" PRIu64 "-%" PRIu64,
			 asked->begin, asked->end - 1);
}

bool etag_is_strong(const char *etag)
{
	return etag[0] == '"';
}

#define OTHER_ETAG \
	": its ETag differs (NC3Z_REMOTE_ETAG=off if servers that share " \
	"the name disagree)"

/* Whether the object is the one of the first answer. */
static bool is_same(const struct answer *a, uint64_t size,
		    const struct identity *first, const char **why_ret)
{
	bool has_dates = a->modified[0] != '\0' && first->modified[0] != '\0';

	if (!first->is_known)
		return true;
	if (size != first->size ||
	    (has_dates && strcmp(a->modified, first->modified) != 0))
		return false;
	if (first->ignores_etag || strcmp(a->etag, first->etag) == 0)
		return true;
	*why_ret = OTHER_ETAG;
	return false;
}

/* Whether the range is what was asked for, or the first part of it. */
static bool is_asked(const struct answer *a, const struct asked *asked)
{
	if (asked->kind == ASK_SUFFIX)
		return a->end == a->size &&
		       a->begin == (a->size > asked->end ?
					    a->size - asked->end :
					    0);
	return a->begin == asked->begin &&
	       (asked->kind == ASK_FROM || a->end <= asked->end);
}

#define ENCODED "it encodes what it sends (Content-Encoding)"
#define NO_DATE "it sends no Last-Modified, which NC3Z_REMOTE_ETAG=off needs"
#define NO_RANGES \
	"it does not support range requests: put the file on one that does " \
	"(nearly all do for plain files: Apache, nginx, S3), or download it"

static enum verdict judge_part(const struct answer *a,
			       const struct asked *asked,
			       const struct identity *first,
			       const char **why_ret)
{
	if (a->is_encoded)
		*why_ret = ENCODED;
	else if (a->is_multipart)
		*why_ret = "it sends several parts, but one was requested";
	else if (first->ignores_etag && a->modified[0] == '\0')
		*why_ret = NO_DATE;
	else if (a->is_range_wrong)
		*why_ret = "its Content-Range makes no sense";
	else if (!a->has_range)
		*why_ret = "it does not say which part it sends";
	else if (!a->is_size_known)
		*why_ret = "it does not say how long the object is";
	else if (a->is_length_wrong ||
		 (a->has_length && a->length != a->end - a->begin))
		*why_ret = "it gives two different lengths";
	else if (!is_same(a, a->size, first, why_ret))
		return ANSWER_CHANGED;
	else if (!is_asked(a, asked))
		*why_ret = "it sends another part than the requested one";
	else
		return ANSWER_KEEP;
	return ANSWER_REFUSED;
}

/* A server that does not know ranges sends everything. */
static enum verdict judge_whole(const struct answer *a,
				const struct asked *asked,
				const struct identity *first,
				const char **why_ret)
{
	if (a->is_encoded)
		*why_ret = ENCODED;
	else if (a->is_multipart || !a->has_length || a->is_length_wrong)
		*why_ret = NO_RANGES;
	else if (first->ignores_etag && a->modified[0] == '\0')
		*why_ret = NO_DATE;
	if (**why_ret)
		return ANSWER_REFUSED;
	if (!is_same(a, a->length, first, why_ret))
		return ANSWER_CHANGED;
	if (a->length == 0)
		return ANSWER_EMPTY;
	if (a->length <= ANSWER_WHOLE_NBYTES_MAX ||
	    (asked->kind == ASK_FROM && asked->begin == 0))
		return ANSWER_WHOLE;
	*why_ret = NO_RANGES;
	return ANSWER_REFUSED;
}

static enum verdict judge_unsatisfied(const struct answer *a,
				      const struct asked *asked,
				      const struct identity *first,
				      const char **why_ret)
{
	if (a->is_size_known && a->size == 0 && !first->is_known)
		return ANSWER_EMPTY;
	if (asked->kind == ASK_RANGE && a->is_size_known &&
	    asked->begin < a->size && asked->end > a->size &&
	    (!first->is_known || a->size == first->size))
		return ANSWER_SHORTER;
	if (first->is_known && asked->kind != ASK_SUFFIX)
		return ANSWER_CHANGED;
	*why_ret = "it has no such part";
	return ANSWER_REFUSED;
}

static enum verdict judge_answer(const struct answer *a,
				 const struct asked *asked,
				 const struct identity *identity,
				 const char **why_ret)
{
	if (a->region[0] &&
	    (a->status == 400 || a->status == 301 || a->status == 307))
		return ANSWER_REGION;
	switch (a->status) {
	case 200:
		return judge_whole(a, asked, identity, why_ret);
	case 206:
		return judge_part(a, asked, identity, why_ret);
	case 301:
	case 302:
	case 303:
	case 307:
	case 308:
		if (a->location[0])
			return ANSWER_REDIRECT;
		*why_ret = "it redirects to nowhere";
		return ANSWER_REFUSED;
	case 401:
	case 403:
	case 407:
		return ANSWER_DENIED;
	case 404:
	case 410:
		return ANSWER_MISSING;
	case 408:
	case 429:
	case 500:
	case 502:
	case 503:
	case 504:
		return ANSWER_AGAIN;
	case 412:
		*why_ret = OTHER_ETAG;
		return ANSWER_CHANGED;
	case 416:
		return judge_unsatisfied(a, asked, identity, why_ret);
	default:
		break;
	}
	*why_ret = "the answer does not match the request";
	return ANSWER_REFUSED;
}

enum verdict answer_judge(const struct answer *answer,
			  const struct asked *asked,
			  const struct identity *identity, const char **why_ret)
{
	enum verdict verdict;

	*why_ret = "";
	verdict = judge_answer(answer, asked, identity, why_ret);
	return verdict == ANSWER_REFUSED && asked->kind == ASK_SUFFIX ?
		       ANSWER_NO_SUFFIX :
		       verdict;
}
