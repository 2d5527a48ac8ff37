/* SPDX-License-Identifier: MIT */
/* Errors of S3, and of servers that speak like it.  A pure function. */
#ifndef NC3Z_REMOTE_S3_ERROR_H
#define NC3Z_REMOTE_S3_ERROR_H

enum s3_error_kind {
	S3_ERROR_FINAL,
	S3_ERROR_AGAIN,   /* later */
	S3_ERROR_EXPIRED, /* the keys, which may have been renewed */
};

struct s3_error {
	const char *code;
	const char *meaning;
	enum s3_error_kind kind;
};

/*
 * The error that the body of an answer names; NULL if it names none that is
 * known.  Nothing of the body goes into messages, as it may repeat keys: these
 * have the code and the meaning from here.
 */
const struct s3_error *s3_error_find(const char *body);

#endif
