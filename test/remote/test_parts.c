/* SPDX-License-Identifier: MIT */
/*
 * The pure parts of reading URLs: what follows from an answer, URLs, settings,
 * signatures.
 */
#include "check.h"
#include "remote/answer.h"
#include "remote/ini.h"
#include "remote/s3_error.h"
#include "remote/sign.h"
#include "remote/url.h"

/* An answer to something asked, and what follows. */
struct row {
	const char *lines;
	struct asked asked;
	bool is_first; /* nothing is known of the object yet */
	enum verdict verdict;
};

/* The object has 1000 bytes and the ETag "a". */
#define PART "HTTP/1.1 206 Partial Content\r\n"
#define TAG "ETag: \"a\"\r\n"
#define RANGE(text) "Content-Range: bytes " text "\r\n"
#define FRONT \
	{ \
		ASK_RANGE, 0, 100 \
	}
#define TAIL \
	{ \
		ASK_SUFFIX, 0, 100 \
	}
#define MIDDLE \
	{ \
		ASK_RANGE, 200, 300 \
	}
#define ALL \
	{ \
		ASK_FROM, 0, UINT64_MAX \
	}

static const struct row rows[] = {
	{ PART TAG RANGE("0-99/1000"), FRONT, true, ANSWER_KEEP },
	{ PART TAG RANGE("0-99/1000"), FRONT, false, ANSWER_KEEP },
	{ "HTTP/2 206\r\netag: \"a\"\r\ncontent-range: bytes 0-99/1000\r\n",
	  FRONT, false, ANSWER_KEEP },
	{ PART TAG RANGE("200-299/1000"), MIDDLE, false, ANSWER_KEEP },
	/* a part of what was asked for: the rest is asked for again */
	{ PART TAG RANGE("200-249/1000"), MIDDLE, false, ANSWER_KEEP },
	{ PART TAG RANGE("900-999/1000"), TAIL, true, ANSWER_KEEP },
	{ PART TAG RANGE("0-999/1000"), ALL, true, ANSWER_KEEP },
	{ PART TAG RANGE("0-9/10"), FRONT, true, ANSWER_KEEP },
	/* another part */
	{ PART TAG RANGE("201-299/1000"), MIDDLE, false, ANSWER_REFUSED },
	{ PART TAG RANGE("200-300/1000"), MIDDLE, false, ANSWER_REFUSED },
	{ PART TAG RANGE("1-999/1000"), ALL, true, ANSWER_REFUSED },
	/* no part */
	{ PART TAG, FRONT, true, ANSWER_REFUSED },
	{ PART TAG RANGE("0-99/*"), FRONT, true, ANSWER_REFUSED },
	{ PART TAG RANGE("99-0/1000"), FRONT, true, ANSWER_REFUSED },
	{ PART TAG RANGE("0-1000/1000"), FRONT, true, ANSWER_REFUSED },
	{ PART TAG RANGE("0-99/1000x"), FRONT, true, ANSWER_REFUSED },
	{ PART TAG RANGE("0-99"), FRONT, true, ANSWER_REFUSED },
	{ PART TAG RANGE("-99/1000"), FRONT, true, ANSWER_REFUSED },
	{ PART TAG RANGE("0-18446744073709551615/1000"), FRONT, true,
	  ANSWER_REFUSED },
	{ PART TAG RANGE("0-99/99999999999999999999"), FRONT, true,
	  ANSWER_REFUSED },
	{ PART TAG "Content-Range: lines 0-99/1000\r\n", FRONT, true,
	  ANSWER_REFUSED },
	{ PART TAG RANGE("0-99/1000") RANGE("0-99/1000"), FRONT, true,
	  ANSWER_REFUSED },
	/* two lengths */
	{ PART TAG RANGE("0-99/1000") "Content-Length: 100\r\n", FRONT, true,
	  ANSWER_KEEP },
	{ PART TAG RANGE("0-99/1000") "Content-Length: 99\r\n", FRONT, true,
	  ANSWER_REFUSED },
	{ PART TAG RANGE("0-99/1000") "Content-Length: 1e2\r\n", FRONT, true,
	  ANSWER_REFUSED },
	/* encoded, or several */
	{ PART TAG RANGE("0-99/1000") "Content-Encoding: gzip\r\n", FRONT, true,
	  ANSWER_REFUSED },
	{ PART TAG RANGE("0-99/1000") "Content-Encoding: identity\r\n", FRONT,
	  true, ANSWER_KEEP },
	{ PART TAG RANGE("0-99/1000") "Content-Type: multipart/byteranges\r\n",
	  FRONT, true, ANSWER_REFUSED },
	/* another object */
	{ PART "ETag: \"b\"\r\n" RANGE("0-99/1000"), FRONT, false,
	  ANSWER_CHANGED },
	{ PART RANGE("0-99/1000"), FRONT, false, ANSWER_CHANGED },
	{ PART TAG RANGE("0-99/1001"), FRONT, false, ANSWER_CHANGED },
	{ PART TAG "Last-Modified: Tue\r\n" RANGE("0-99/1000"), FRONT, false,
	  ANSWER_CHANGED },
	{ "HTTP/1.1 412 Precondition Failed\r\n", FRONT, false,
	  ANSWER_CHANGED },
	{ "HTTP/1.1 416 No\r\nContent-Range: bytes */50\r\n", MIDDLE, false,
	  ANSWER_CHANGED },
	/* all of it */
	{ "HTTP/1.1 200 OK\r\n" TAG "Content-Length: 1000\r\n", FRONT, false,
	  ANSWER_WHOLE },
	{ "HTTP/1.1 200 OK\r\n" TAG "Content-Length: 1048576\r\n", FRONT, true,
	  ANSWER_WHOLE },
	{ "HTTP/1.1 200 OK\r\n" TAG "Content-Length: 1048577\r\n", FRONT, true,
	  ANSWER_REFUSED },
	{ "HTTP/1.1 200 OK\r\n" TAG "Content-Length: 1048577\r\n", ALL, true,
	  ANSWER_WHOLE },
	{ "HTTP/1.1 200 OK\r\n" TAG, ALL, true, ANSWER_REFUSED },
	{ "HTTP/1.1 200 OK\r\n" TAG "Content-Length: 1001\r\n", FRONT, false,
	  ANSWER_CHANGED },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Encoding: gzip\r\n",
	  FRONT, true, ANSWER_REFUSED },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", FRONT, true,
	  ANSWER_EMPTY },
	{ "HTTP/1.1 416 No\r\nContent-Range: bytes */0\r\n", FRONT, true,
	  ANSWER_EMPTY },
	/* a part that ends after the object */
	{ "HTTP/1.1 416 No\r\nContent-Range: bytes */50\r\n", FRONT, true,
	  ANSWER_SHORTER },
	{ "HTTP/1.1 416 No\r\nContent-Range: bytes */100\r\n", FRONT, true,
	  ANSWER_REFUSED },
	{ "HTTP/1.1 416 No\r\nContent-Range: bytes */50\r\n", FRONT, false,
	  ANSWER_CHANGED },
	{ "HTTP/1.1 416 No\r\nContent-Range: bytes */1000\r\n",
	  { ASK_RANGE, 900, 1100 },
	  false,
	  ANSWER_SHORTER },
	{ "HTTP/1.1 416 No\r\n", FRONT, true, ANSWER_REFUSED },
	/* no ranges from the end: everything, another part, or a refusal */
	{ "HTTP/1.1 200 OK\r\n" TAG "Content-Length: 1048577\r\n", TAIL, true,
	  ANSWER_NO_SUFFIX },
	{ "HTTP/1.1 200 OK\r\n" TAG, TAIL, true, ANSWER_NO_SUFFIX },
	{ PART TAG RANGE("0-100/1000"), TAIL, true, ANSWER_NO_SUFFIX },
	{ PART TAG RANGE("899-999/1000"), TAIL, true, ANSWER_NO_SUFFIX },
	{ PART TAG RANGE("900-998/1000"), TAIL, true, ANSWER_NO_SUFFIX },
	{ PART TAG "Content-Type: multipart/byteranges\r\n", TAIL, true,
	  ANSWER_NO_SUFFIX },
	{ "HTTP/1.1 405 No\r\n", TAIL, true, ANSWER_NO_SUFFIX },
	{ "HTTP/1.1 501 No\r\n", TAIL, true, ANSWER_NO_SUFFIX },
	{ "HTTP/1.1 405 No\r\n", FRONT, true, ANSWER_REFUSED },
	{ "HTTP/1.1 200 OK\r\n" TAG "Content-Length: 1048577\r\n", TAIL, false,
	  ANSWER_CHANGED },
	{ "HTTP/1.1 416 No\r\nContent-Range: bytes */1000\r\n", TAIL, true,
	  ANSWER_NO_SUFFIX },
	{ "HTTP/1.1 400 Bad Request\r\n", TAIL, true, ANSWER_NO_SUFFIX },
	{ "HTTP/1.1 400 Bad Request\r\n", FRONT, true, ANSWER_REFUSED },
	/* the rest */
	{ "HTTP/1.1 302 Found\r\nLocation: /x\r\n", FRONT, true,
	  ANSWER_REDIRECT },
	{ "HTTP/1.1 302 Found\r\n", FRONT, true, ANSWER_REFUSED },
	{ "HTTP/1.1 400 Bad\r\nx-amz-bucket-region: eu-west-9\r\n", FRONT, true,
	  ANSWER_REGION },
	{ "HTTP/1.1 301 Moved\r\nx-amz-bucket-region: eu-west-9\r\n"
	  "Location: /x\r\n",
	  FRONT, true, ANSWER_REGION },
	{ "HTTP/1.1 401 No\r\n", FRONT, true, ANSWER_DENIED },
	{ "HTTP/1.1 403 No\r\n", FRONT, true, ANSWER_DENIED },
	{ "HTTP/1.1 404 No\r\n", FRONT, true, ANSWER_MISSING },
	{ "HTTP/1.1 410 Gone\r\n", FRONT, true, ANSWER_MISSING },
	{ "HTTP/1.1 408 Slow\r\n", FRONT, true, ANSWER_AGAIN },
	{ "HTTP/1.1 429 Many\r\n", FRONT, true, ANSWER_AGAIN },
	{ "HTTP/1.1 500 No\r\n", FRONT, true, ANSWER_AGAIN },
	{ "HTTP/1.1 503 No\r\n", FRONT, true, ANSWER_AGAIN },
	{ "HTTP/1.1 204 Nothing\r\n", FRONT, true, ANSWER_REFUSED },
	{ "HTTP/1.1 abc\r\n", FRONT, true, ANSWER_REFUSED },
	{ "nothing\r\n", FRONT, true, ANSWER_REFUSED },
};

static struct answer parse(const char *lines)
{
	struct answer a = { 0 };

	while (*lines) {
		size_t n = strcspn(lines, "\n") + 1;

		answer_line(&a, lines, n);
		lines += n;
	}
	return a;
}

static void test_verdicts(void)
{
	const struct identity none = { 0 };
	const struct identity known = { .is_known = true,
					.size = 1000,
					.etag = "\"a\"",
					.modified = "Mon" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct answer a = parse(r->lines);
		const char *why = NULL;

		if (!CHECK(answer_judge(&a, &r->asked,
					r->is_first ? &none : &known,
					&why) == r->verdict))
			printf("row %zu: %s", i, r->lines);
		if (r->verdict == ANSWER_REFUSED)
			CHECK(why && *why);
	}
}

/* With NC3Z_REMOTE_ETAG=off, dates tell versions apart. */
static void test_dates(void)
{
	const struct identity known = { .is_known = true,
					.ignores_etag = true,
					.size = 1000,
					.etag = "\"a\"",
					.modified = "Mon" };
	const struct {
		const char *lines;
		enum verdict verdict;
	} answers[] = {
		{ PART
		  "ETag: \"b\"\r\nLast-Modified: Mon\r\n" RANGE("0-99/1000"),
		  ANSWER_KEEP },
		{ PART TAG "Last-Modified: Tue\r\n" RANGE("0-99/1000"),
		  ANSWER_CHANGED },
		{ PART TAG "Last-Modified: Mon\r\n" RANGE("0-99/1001"),
		  ANSWER_CHANGED },
		{ PART TAG RANGE("0-99/1000"), ANSWER_REFUSED },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n",
		  ANSWER_REFUSED },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n"
		  "Last-Modified: Mon\r\n",
		  ANSWER_WHOLE },
	};
	const struct asked asked = FRONT;

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct answer a = parse(answers[i].lines);
		const char *why = NULL;

		if (!CHECK(answer_judge(&a, &asked, &known, &why) ==
			   answers[i].verdict))
			printf("answer %zu\n", i);
	}
}

/* The reason is the first that applies. */
static void check_why(const char *lines, const char *part)
{
	const struct identity none = { 0 };
	const struct asked asked = FRONT;
	struct answer a = parse(lines);
	const char *why = NULL;

	CHECK(answer_judge(&a, &asked, &none, &why) == ANSWER_REFUSED);
	if (!CHECK(why && strstr(why, part)))
		printf("%s: %s\n", lines, why);
}

static void test_reasons(void)
{
	check_why("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n"
		  "Content-Encoding: gzip\r\n",
		  "Content-Encoding");
	check_why("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n",
		  "Content-Encoding");
	check_why("HTTP/1.1 200 OK\r\n", "does not support range requests");
}

static void check_error(const char *body, const char *code, int kind)
{
	const struct s3_error *error = s3_error_find(body);

	CHECK_STR_EQ(error ? error->code : NULL, code);
	if (error)
		CHECK((int)error->kind == kind);
}

static void test_errors(void)
{
	check_error("<?xml version=\"1.0\"?><Error><Code>ExpiredToken</Code>"
		    "<Message>No</Message></Error>",
		    "ExpiredToken", S3_ERROR_EXPIRED);
	check_error("<Code>SlowDown</Code>", "SlowDown", S3_ERROR_AGAIN);
	check_error("<Code>NoSuchKey</Code>", "NoSuchKey", S3_ERROR_FINAL);
	check_error("<Code>KMS.DisabledException</Code>",
		    "KMS.DisabledException", S3_ERROR_FINAL);
	/* half a code, more than a code, none, one that is not known */
	check_error("<Code>NoSuchKe", NULL, 0);
	check_error("<Code>NoSuchKeys</Code>", NULL, 0);
	check_error("<Code></Code>", NULL, 0);
	check_error("NoSuchKey", NULL, 0);
	check_error("<Code>AKIDSECRET</Code>", NULL, 0);
	check_error("", NULL, 0);
}

static void test_lines(void)
{
	struct answer a = parse("HTTP/1.1 100 Continue\r\nETag: \"x\"\r\n"
				"HTTP/1.1 503 Busy\r\nRetry-After: 7\r\n"
				"ETAG :\"no\"\r\n");

	CHECK(a.status == 503 && a.wait == 7 && a.etag[0] == '\0');
	a = parse("HTTP/1.1 503 Busy\r\nRetry-After: 99999\r\n");
	CHECK(a.wait == ANSWER_WAIT_MAX);
	a = parse("HTTP/1.1 503 Busy\r\nRetry-After: Fri, 31 Dec 1999\r\n");
	CHECK(a.wait == 1);
	CHECK(etag_is_strong("\"a\"") && !etag_is_strong("W/\"a\"") &&
	      !etag_is_strong(""));
}

static void test_ranges(void)
{
	const struct asked asked[] = { FRONT, TAIL, ALL };
	const char *const texts[] = { "bytes=0-99", "bytes=-100", "bytes=0-" };
	char text[ASKED_TEXT_NBYTES];

	for (size_t i = 0; i < 3; i++) {
		asked_text(&asked[i], text);
		CHECK_STR_EQ(text, texts[i]);
	}
}

static void check_url(const char *url, const char *clean, const char *userinfo,
		      const char *origin)
{
	char *user = NULL, *found = url_clean(url, &user), *where;

	CHECK_STR_EQ(found, clean);
	CHECK_STR_EQ(user, userinfo);
	where = found ? url_origin(found) : NULL;
	CHECK_STR_EQ(where, origin);
	free(found);
	free(user);
	free(where);
}

static void test_urls(void)
{
	check_url("http://h/p", "http://h/p", NULL, "http://h:80");
	check_url("HTTPS://H:8443", "https://H:8443/", NULL, "https://h:8443");
	check_url("https://u:p@h/a?b=c#d", "https://h/a?b=c", "u:p",
		  "https://h:443");
	check_url("http://u@x@h/", "http://h/", "u@x", "http://h:80");
	check_url("http://h?q@x", "http://h/?q@x", NULL, "http://h:80");
	check_url("http://[::1]:80/a b", "http://[::1]:80/a%20b", NULL,
		  "http://[::1]:80");
	check_url("http://[::1]/", "http://[::1]/", NULL, "http://[::1]:80");
	check_url("http://h/%41%4g\xc3\xa9\"", "http://h/%41%254g%C3%A9%22",
		  NULL, "http://h:80");
	check_url("http://h/a\r\nX: y", "http://h/a%0D%0AX:%20y", NULL,
		  "http://h:80");
	check_url("http:///etc/passwd", NULL, NULL, NULL);
	check_url("http://h\r\n/", NULL, NULL, NULL);
	check_url("http://:80/", NULL, NULL, NULL);
	check_url("ftp://h/", NULL, NULL, NULL);
	check_url("file:///x", NULL, NULL, NULL);
}

static void check_ini(const char *section, const char *group, const char *name,
		      const char *expected)
{
	static const char text[] =
		"# comment\n[default]\nregion = eu-west-9 \r\n"
		"s3 =\n  addressing_style = virtual\n  region = no\n"
		"[ profile b ]\nregion=us=east\nempty =\n; x = y\nlast = 1";
	char *found = ini_find(text, section, group, name);

	CHECK_STR_EQ(found, expected);
	free(found);
}

static void test_ini(void)
{
	CHECK(ini_has("[a]\n[ profile b ]\nx = 1\n", "profile b"));
	CHECK(!ini_has("[a]\n# [b]\nc = [c]\n[d", "b"));
	CHECK(!ini_has("[a]\nc = [c]\n[d", "c") && !ini_has("[d", "d"));
	check_ini("default", NULL, "region", "eu-west-9");
	check_ini("default", "s3", "addressing_style", "virtual");
	check_ini("default", NULL, "addressing_style", NULL);
	check_ini("profile b", NULL, "region", "us=east");
	check_ini("profile b", NULL, "empty", "");
	check_ini("profile b", NULL, "last", "1");
	check_ini("profile b", NULL, "x", NULL);
	check_ini("profile c", NULL, "region", NULL);
	check_ini("", NULL, "", NULL);
}

/* The example of AWS's documentation, "GET Object". */
static void test_signature(void)
{
	char id[] = "AKIAIOSFODNN7EXAMPLE", token[] = "TOKEN";
	char secret[] = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
	struct sign_keys keys = { id, secret, NULL };
	struct sign_request request = {
		.url = "https://examplebucket.s3.amazonaws.com/test.txt",
		.range = "bytes=0-9",
		.region = "us-east-1",
	};
	char *lines;

	sign_time(1369353600, request.time);
	CHECK_STR_EQ(request.time, "20130524T000000Z");
	lines = sign_headers(&request, &keys);
	CHECK(lines &&
	      strstr(lines, "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f"
			    "0170aba48dd91039c6036bdb41\n"));
	CHECK(lines && !strstr(lines, keys.secret));
	free(lines);
	lines = sign_headers(&request, NULL);
	CHECK_STR_EQ(lines, "");
	free(lines);
	request.requester_pays = true;
	keys.token = token;
	lines = sign_headers(&request, &keys);
	CHECK(lines && strstr(lines, "x-amz-request-payer: requester\n") &&
	      strstr(lines, "x-amz-security-token: TOKEN\n") &&
	      strstr(lines, ";x-amz-request-payer;x-amz-security-token,"));
	free(lines);
}

int main(void)
{
	RUN(test_verdicts);
	RUN(test_dates);
	RUN(test_reasons);
	RUN(test_errors);
	RUN(test_lines);
	RUN(test_ranges);
	RUN(test_urls);
	RUN(test_ini);
	RUN(test_signature);
	return check_report();
}
