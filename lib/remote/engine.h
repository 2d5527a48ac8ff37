/* SPDX-License-Identifier: MIT */
/*
 * What the thread that talks to servers (loop.h), its transfers and those who
 * read have in common: one for the process.
 *
 * The lock is for everything about objects and pieces.  libcurl runs without
 * it, but for the short times in which bytes are handed over.
 */
#ifndef NC3Z_REMOTE_ENGINE_H
#define NC3Z_REMOTE_ENGINE_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct remote_object;
struct transfer;

/* At once: to a host, and in all that waits to be read. */
#define ENGINE_CONNECTIONS_MAX 8
#define ENGINE_STREAMS_MAX 32
#define ENGINE_MEMORY_MAX (UINT64_C(64) << 20)

/* A server, and how long it wants to be left alone. */
struct host {
	struct host *next;
	char *origin;
	double not_before;
	unsigned nrunning;
};

/* Settings, from the environment. */
struct engine_settings {
	long nconnections;
	long stall_seconds;
	long connect_seconds;
	uint64_t memory_nbytes;
	bool logs;
	const char *ca_file;
	const char *ca_directory;
};

struct engine {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* something came, or failed */
	pthread_cond_t work;    /* for the thread */
	pthread_cond_t parked;  /* the thread is not in libcurl */
	bool is_running;
	bool quits, forks, is_in_curl;
	pthread_t thread;
	CURLM *multi;
	CURLSH *share; /* cookies, in memory */
	struct transfer *transfers;
	struct host *hosts;
	struct remote_object *objects;
	struct engine_settings settings;
};

extern struct engine engine;

/* Seconds of a clock that only goes forward. */
double engine_time(void);

/* The server of an origin; NULL if out of memory. */
struct host *engine_host(const char *origin);

#endif
