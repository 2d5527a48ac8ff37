/* SPDX-License-Identifier: MIT */
/*
 * A source that is far away: what is announced is fetched, what is read without
 * that is fetched, too, and all of it is counted.
 */
#ifndef READ_FAR_H
#define READ_FAR_H

#include <pthread.h>
#include <stdbool.h>

#include "blob.h"
#include "nc3z.h"

struct far {
	const struct blob *bytes;
	pthread_mutex_t lock;
	uint8_t *marks; /* of each byte, enum far_mark */
	/* Since far_reset(): */
	uint64_t nrequests; /* fetches */
	uint64_t nbytes;    /* fetched */
	uint64_t nread;     /* bytes that were read */
	uint64_t nagain;    /* of them, that had been read before */
	uint64_t ntwice;    /* bytes that were fetched twice */
	uint64_t nmissed;   /* fetches that were not announced */
	int changed;        /* what check_unchanged gives */
};

void far_init(struct far *far, const struct blob *bytes);
void far_release(struct far *far);

/* Counts from 0; whatever was fetched is gone. */
void far_reset(struct far *far);

/* Whether this byte was fetched; others may be reading meanwhile. */
bool far_has(struct far *far, uint64_t offset);

/* A source that must not outlive 'far'; NULL after a failed check. */
struct nc3z_source *far_source(struct far *far);

/* The same that never announces. */
struct nc3z_source *far_source_silent(struct far *far);

#endif
