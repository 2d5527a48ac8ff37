/* SPDX-License-Identifier: MIT */
/*
 * What a server answers, and what follows from it.  Pure functions of hostile
 * bytes: nothing that the answer says is believed before it fits what was asked
 * for and earlier answers.
 */
#ifndef NC3Z_REMOTE_ANSWER_H
#define NC3Z_REMOTE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole object of so many bytes is taken from a server without ranges. */
#define ANSWER_WHOLE_NBYTES_MAX (UINT64_C(1) << 20)

/* The longest wait that a server can ask for, in seconds. */
#define ANSWER_WAIT_MAX 60

#define ANSWER_TAG_NBYTES 256
#define ANSWER_LOCATION_NBYTES 8192

/* What the headers say; zero-initialised no line has come yet. */
struct answer {
	int status;
	bool has_range;
	bool is_range_wrong; /* not to be understood, or there are two */
	bool is_size_known;  /* in the range */
	uint64_t begin, end; /* the range: begin .. end - 1 */
	uint64_t size;       /* of the object */
	bool has_length;
	bool is_length_wrong;
	uint64_t length; /* of the body */
	bool is_encoded;
	bool is_multipart;
	unsigned wait; /* seconds, Retry-After */
	char etag[ANSWER_TAG_NBYTES];
	char modified[64];
	char region[64];
	char location[ANSWER_LOCATION_NBYTES];
};

/*
 * Takes a line of the headers, with or without its end.  A status line begins
 * a new answer.
 */
void answer_line(struct answer *answer, const char *line, size_t nbytes);

enum ask_kind {
	ASK_RANGE,  /* begin .. end - 1 */
	ASK_SUFFIX, /* the last 'end' bytes */
	ASK_FROM,   /* from begin to the end of the object */
};

struct asked {
	enum ask_kind kind;
	uint64_t begin, end;
};

#define ASKED_TEXT_NBYTES 64

/* The value of the header Range. */
void asked_text(const struct asked *asked, char text[ASKED_TEXT_NBYTES]);

/* Facts about the object from the first answer. */
struct identity {
	bool is_known;
	bool ignores_etag; /* the date counts, and has to be there */
	uint64_t size;
	char etag[ANSWER_TAG_NBYTES];
	char modified[64];
};

/* Whether an ETag says that bytes are the same: it is there and not weak. */
bool etag_is_strong(const char *etag);

enum verdict {
	ANSWER_KEEP,      /* the body is from answer->begin on */
	ANSWER_WHOLE,     /* the body is the whole object, a short one */
	ANSWER_EMPTY,     /* the object has no byte */
	ANSWER_AGAIN,     /* later */
	ANSWER_REDIRECT,  /* answer->location */
	ANSWER_REGION,    /* ask in answer->region */
	ANSWER_NO_SUFFIX, /* the server has no ranges from the end */
	ANSWER_SHORTER,   /* ask again, up to answer->size */
	ANSWER_DENIED,
	ANSWER_MISSING,
	ANSWER_CHANGED,
	ANSWER_REFUSED,
};

/*
 * '*why_ret' is a constant phrase; "" where the verdict says it all.  A part
 * from the end is never refused: what the server makes of the same part, asked
 * for by its offset, decides.
 */
enum verdict answer_judge(const struct answer *answer,
			  const struct asked *asked,
			  const struct identity *identity,
			  const char **why_ret);

#endif
