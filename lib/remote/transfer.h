/* SPDX-License-Identifier: MIT */
/*
 * One request: what is sent, what comes, and what follows from it for the piece
 * that it was made for.
 */
#ifndef NC3Z_REMOTE_TRANSFER_H
#define NC3Z_REMOTE_TRANSFER_H

#include "remote/engine.h"
#include "remote/object.h"

/* A server that sends less on average, in bytes a second, is no help. */
#define TRANSFER_SLOWEST 512

/* What is kept of the text of a failure. */
#define TRANSFER_TEXT_NBYTES 2048

struct transfer {
	struct transfer *next;
	struct piece *piece; /* NULL: nobody wants it any more */
	struct host *host;
	CURL *easy;
	struct curl_slist *headers;
	char *url;
	struct asked asked;
	struct answer answer; /* the thread's own, without the lock */
	unsigned nrenewed;    /* those of the keys that sign it */
	bool is_judged;
	enum verdict verdict;
	const char *why;
	uint64_t at; /* where the next byte of the body belongs */
	uint64_t nbytes;
	bool is_paused;
	char text[TRANSFER_TEXT_NBYTES];
	size_t text_nbytes;
	double begun;
	char curl_text[CURL_ERROR_SIZE];
};

/*
 * With the lock held, by the thread of the engine: begins a request for a piece
 * that waits.  A failure is that of the piece.
 */
void transfer_begin(struct piece *piece);

/* It has ended: the piece is done, waits again, or has failed. */
void transfer_end(struct transfer *transfer, CURLcode code);

/* Takes it out of the engine and frees it. */
void transfer_free(struct transfer *transfer);

/* outcome.c: what follows for the piece */
void outcome(struct transfer *transfer, CURLcode code);

/* The piece has failed for good. */
void outcome_fail(struct piece *piece, int status, int sys_errno,
		  const char *why);

#endif
