/* SPDX-License-Identifier: MIT */
#include "remote/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/sizes.h"
#include "base/status.h"
#include "remote/object.h"
#include "remote/transfer.h"

#define NO_TIME 1e18

/* Why exit handlers and threads beside them read nothing any more. */
#define ENDED "nothing is read while the program ends"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pid_t owner; /* the process that the thread is in */

/* What pieces that run or wait to be read take, or will take. */
static uint64_t memory_in_use(void)
{
	uint64_t nbytes = 0;

	for (struct remote_object *o = engine.objects; o; o = o->next)
		for (struct piece *p = o->pieces; p; p = p->next)
			if (p->state == PIECE_RUNNING || p->state == PIECE_DONE)
				nbytes += piece_memory(p);
	return nbytes;
}

/* A tail whose server does not count from the end. */
static bool find_place(struct piece *p)
{
	const struct identity *i = &p->object->identity;
	uint64_t nbytes = p->end - p->begin;

	if (p->is_placed || p->is_suffix)
		return true;
	if (!i->is_known)
		return false;
	p->end = i->size;
	p->begin = i->size - size_min(nbytes, i->size);
	p->base = p->tried_at = p->begin;
	p->is_placed = true;
	if (i->size > 0)
		return true;
	/* There is no byte to ask for. */
	p->state = PIECE_DONE;
	pthread_cond_broadcast(&engine.changed);
	return false;
}

/* The time at which a piece may begin; NO_TIME: that depends on others. */
static double ready_at(struct piece *p, bool is_urgent)
{
	struct remote_object *o = p->object;
	struct host *h;

	if (p->state != PIECE_WAITING || (p->nwaiters > 0) != is_urgent ||
	    !find_place(p))
		return NO_TIME;
	if (!o->host)
		o->host = engine_host(o->origin);
	/* A redirect leads to a server that nothing is known of. */
	h = p->url ? NULL : o->host;
	if (h && h->nrunning >= ENGINE_STREAMS_MAX)
		return NO_TIME;
	return h && h->not_before > p->not_before ? h->not_before :
						    p->not_before;
}

/*
 * Begins what can begin, and returns when there is more.  What a reader waits
 * for does not wait for memory.
 */
static double begin_pieces(bool is_urgent)
{
	uint64_t used = memory_in_use();
	double now = engine_time(), next = NO_TIME;

	for (struct remote_object *o = engine.objects; o; o = o->next)
		for (struct piece *p = o->pieces; p; p = p->next) {
			double at = ready_at(p, is_urgent);

			if (!is_urgent && used > 0 &&
			    used + piece_memory(p) >
				    engine.settings.memory_nbytes)
				continue;
			if (at > now) {
				next = at < next ? at : next;
				continue;
			}
			transfer_begin(p);
			used += piece_memory(p);
		}
	return next;
}

/* Streams whose reader has caught up; transfers that nobody wants. */
static void tend_transfers(void)
{
	struct transfer *t = engine.transfers, *next;

	for (; t; t = next) {
		next = t->next;
		if (!t->piece) {
			transfer_free(t);
		} else if (t->is_paused &&
			   t->piece->data.nbytes < STREAM_AHEAD_NBYTES / 2) {
			t->is_paused = false;
			pthread_mutex_unlock(&engine.lock);
			curl_easy_pause(t->easy, CURLPAUSE_CONT);
			pthread_mutex_lock(&engine.lock);
			next = engine.transfers;
		}
	}
}

/* Whether there was one. */
static bool end_transfers(void)
{
	bool was_one = false;
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(engine.multi, &left))) {
		struct transfer *t = NULL;
		CURLcode code = message->data.result;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE,
				  (char **)&t);
		transfer_end(t, code);
		transfer_free(t);
		was_one = true;
	}
	return was_one;
}

/*
 * Lets libcurl work until something happens, at most until 'next'.  While the
 * process forks the thread is not in there.
 */
static void run_curl(double next)
{
	double wait = next - engine_time();
	int ms = wait > 1 ? 1000 : wait < 0 ? 0 : (int)(1000 * wait) + 1;
	int nrunning;

	engine.is_in_curl = true;
	pthread_mutex_unlock(&engine.lock);
	curl_multi_perform(engine.multi, &nrunning);
	pthread_mutex_lock(&engine.lock);
	tend_transfers();
	if (!end_transfers() && !engine.quits && !engine.forks) {
		pthread_mutex_unlock(&engine.lock);
		curl_multi_poll(engine.multi, NULL, 0, ms, NULL);
		pthread_mutex_lock(&engine.lock);
	}
	engine.is_in_curl = false;
	pthread_cond_broadcast(&engine.parked);
}

/* For threads that read while the process ends: nothing more will come. */
static void fail_pieces(void)
{
	for (struct remote_object *o = engine.objects; o; o = o->next)
		for (struct piece *p = o->pieces; p; p = p->next)
			if (p->state == PIECE_WAITING ||
			    p->state == PIECE_RUNNING)
				outcome_fail(p, NC3Z_EIO, 0, ENDED);
}

static void *loop_work(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&engine.lock);
	while (!engine.quits) {
		double next = NO_TIME, other = NO_TIME;

		if (!engine.forks) {
			next = begin_pieces(true);
			other = begin_pieces(false);
		}
		next = other < next ? other : next;
		if (!engine.forks && (engine.transfers || next < NO_TIME))
			run_curl(next);
		else
			pthread_cond_wait(&engine.work, &engine.lock);
	}
	while (engine.transfers)
		transfer_free(engine.transfers);
	fail_pieces();
	pthread_mutex_unlock(&engine.lock);
	return NULL;
}

/* Before others clean up after themselves at the end of the process. */
static void stop(void)
{
	pthread_mutex_lock(&engine.lock);
	if (!engine.is_running || owner != getpid()) {
		pthread_mutex_unlock(&engine.lock);
		return;
	}
	engine.quits = true;
	pthread_cond_broadcast(&engine.work);
	curl_multi_wakeup(engine.multi);
	pthread_mutex_unlock(&engine.lock);
	pthread_join(engine.thread, NULL);
	engine.is_running = false;
	curl_multi_cleanup(engine.multi);
	curl_share_cleanup(engine.share);
}

static void before_fork(void)
{
	pthread_mutex_lock(&engine.lock);
	engine.forks = true;
	if (engine.is_running)
		curl_multi_wakeup(engine.multi);
	while (engine.is_running && engine.is_in_curl)
		pthread_cond_wait(&engine.parked, &engine.lock);
}

static void after_fork_in_parent(void)
{
	engine.forks = false;
	pthread_cond_broadcast(&engine.work);
	pthread_mutex_unlock(&engine.lock);
}

/* What a child has of its parent's requests, so that it is not lost. */
static struct abandoned {
	CURLM *multi;
	CURLSH *share;
	struct transfer *transfers;
} abandoned;

/*
 * The thread is not here, and connections are the parent's: what libcurl has of
 * them is left alone, and everything is asked for anew.
 */
static void after_fork_in_child(void)
{
	abandoned = (struct abandoned){ engine.multi, engine.share,
					engine.transfers };
	engine.forks = engine.is_running = engine.is_in_curl = false;
	engine.multi = NULL;
	engine.share = NULL;
	engine.transfers = NULL;
	for (struct host *h = engine.hosts; h; h = h->next)
		h->nrunning = 0;
	for (struct remote_object *o = engine.objects; o; o = o->next)
		for (struct piece *p = o->pieces; p; p = p->next) {
			p->nwaiters = 0;
			p->held_by = NULL;
			if (p->state == PIECE_RUNNING)
				p->state = PIECE_WAITING;
		}
	pthread_cond_init(&engine.changed, NULL);
	pthread_cond_init(&engine.work, NULL);
	pthread_cond_init(&engine.parked, NULL);
	pthread_mutex_unlock(&engine.lock);
}

static long number(const char *name, long least, long most, long otherwise)
{
	const char *text = getenv(name);
	char *end;
	long n = text ? strtol(text, &end, 10) : 0;

	return text && *text && *end == '\0' && n >= least && n <= most ?
		       n :
		       otherwise;
}

static void read_settings(void)
{
	struct engine_settings *s = &engine.settings;
	const char *log = getenv("NC3Z_REMOTE_LOG");
	const char *ca = getenv("CURL_CA_BUNDLE");

	s->nconnections = number("NC3Z_REMOTE_CONNECTIONS", 1,
				 ENGINE_CONNECTIONS_MAX,
				 ENGINE_CONNECTIONS_MAX);
	/* A silent server is asked twice. */
	s->stall_seconds = number("NC3Z_REMOTE_TIMEOUT", 1, 7200, 120) / 2;
	if (s->stall_seconds == 0)
		s->stall_seconds = 1;
	s->connect_seconds = s->stall_seconds < 30 ? s->stall_seconds : 30;
	s->memory_nbytes = ENGINE_MEMORY_MAX;
	s->logs = log && strcmp(log, "1") == 0;
	s->ca_file = ca && *ca ? ca : getenv("SSL_CERT_FILE");
	s->ca_directory = getenv("SSL_CERT_DIR");
}

static void begin_process(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
	read_settings();
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
	/* After that of OpenSSL, so that it runs before. */
	atexit(stop);
}

static bool set_up_curl(void)
{
	engine.multi = curl_multi_init();
	engine.share = curl_share_init();
	if (!engine.multi || !engine.share)
		return false;
	curl_share_setopt(engine.share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
	curl_multi_setopt(engine.multi, CURLMOPT_MAX_HOST_CONNECTIONS,
			  engine.settings.nconnections);
	curl_multi_setopt(engine.multi, CURLMOPT_MAX_CONCURRENT_STREAMS,
			  (long)ENGINE_STREAMS_MAX);
	curl_multi_setopt(engine.multi, CURLMOPT_MAXCONNECTS, 32L);
	return true;
}

/* Signals are for the program's own threads. */
static int start_thread(void)
{
	sigset_t all, before;
	int failure;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failure = pthread_create(&engine.thread, NULL, loop_work, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failure;
}

int loop_wake(struct nc3z_error *err)
{
	int failure;

	if (engine.quits)
		return error_set(err, NC3Z_EIO, ENDED);
	if (engine.is_running) {
		pthread_cond_broadcast(&engine.work);
		curl_multi_wakeup(engine.multi);
		return NC3Z_OK;
	}
	pthread_once(&once, begin_process);
	if (engine.quits)
		return error_set(err, NC3Z_EIO, "the program is ending");
	if (!set_up_curl())
		return error_set_memory(err);
	failure = start_thread();
	if (failure != 0)
		return error_set_system(err, failure, "cannot start a thread");
	engine.is_running = true;
	owner = getpid();
	return NC3Z_OK;
}
