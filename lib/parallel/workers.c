/* SPDX-License-Identifier: MIT */
/*
 * Calls that want help stand in a list, each on the stack of its caller.  A
 * call leaves the list when as many threads as it wants are with it, or when it
 * has returned in its own thread; then its caller waits for the others.
 */
#include "parallel/workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "parallel/threads.h"

/* A call that is running; under the lock. */
struct help {
	workers_call_fn *call;
	void *context;
	unsigned nwanted; /* threads that may still join */
	unsigned njoined; /* that are in the call */
	struct help *next;
};

struct workers {
	pthread_mutex_t lock; /* of all below, but for what never changes */
	pthread_cond_t work;  /* for the threads */
	pthread_cond_t left;  /* a call has been left by its last helper */
	workers_background_fn *background; /* does not change */
	void *context;                     /* likewise */
	pid_t process;                     /* likewise: that has the threads */
	unsigned nthreads_max;
	unsigned nthreads; /* started */
	unsigned nidle;
	struct help *first;
	unsigned nasked; /* calls of the background function that are due */
	bool ends;
	pthread_t threads[];
};

struct workers *workers_new(unsigned nthreads,
			    workers_background_fn *background, void *context)
{
	struct workers *w =
		calloc(1, sizeof(*w) + nthreads * sizeof(w->threads[0]));

	if (!w)
		return NULL;
	w->background = background;
	w->context = context;
	w->process = getpid();
	w->nthreads_max = nthreads;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->work, NULL);
	pthread_cond_init(&w->left, NULL);
	return w;
}

bool workers_can_help(const struct workers *workers)
{
	return workers->process == getpid();
}

void workers_free(struct workers *workers)
{
	if (!workers)
		return;
	/* The threads of a parent are not here, and its locks may be held. */
	if (workers_can_help(workers)) {
		pthread_mutex_lock(&workers->lock);
		workers->ends = true;
		pthread_cond_broadcast(&workers->work);
		pthread_mutex_unlock(&workers->lock);
		for (unsigned i = 0; i < workers->nthreads; i++)
			pthread_join(workers->threads[i], NULL);
		pthread_cond_destroy(&workers->left);
		pthread_cond_destroy(&workers->work);
		pthread_mutex_destroy(&workers->lock);
	}
	free(workers);
}

static void take_out(struct workers *w, struct help *help)
{
	struct help **at = &w->first;

	while (*at && *at != help)
		at = &(*at)->next;
	if (*at)
		*at = help->next;
}

/* In a thread, which holds the lock before and after. */
static void join_help(struct workers *w, struct help *help)
{
	help->njoined++;
	if (--help->nwanted == 0)
		take_out(w, help);
	pthread_mutex_unlock(&w->lock);
	help->call(help->context);
	pthread_mutex_lock(&w->lock);
	if (--help->njoined == 0)
		pthread_cond_broadcast(&w->left);
}

static void *stand_by(void *argument)
{
	struct workers *w = argument;

	pthread_mutex_lock(&w->lock);
	while (!w->ends) {
		if (w->first) {
			join_help(w, w->first);
		} else if (w->nasked > 0) {
			w->nasked--;
			pthread_mutex_unlock(&w->lock);
			w->background(w->context);
			pthread_mutex_lock(&w->lock);
		} else {
			w->nidle++;
			pthread_cond_wait(&w->work, &w->lock);
			w->nidle--;
		}
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Sees to it that 'n' threads have nothing else to do, as far as possible. */
static void start(struct workers *w, unsigned n)
{
	for (unsigned nfree = w->nidle;
	     nfree < n && w->nthreads < w->nthreads_max; nfree++) {
		if (!threads_start(&w->threads[w->nthreads], stand_by, w)) {
			/* If no more are to be had, these must do. */
			w->nthreads_max = w->nthreads;
			break;
		}
		w->nthreads++;
	}
}

void workers_run(struct workers *workers, unsigned nhelpers,
		 workers_call_fn *call, void *context)
{
	struct help help = {
		.call = call,
		.context = context,
		.nwanted = nhelpers,
	};

	if (nhelpers == 0 || !workers || !workers_can_help(workers)) {
		call(context);
		return;
	}
	pthread_mutex_lock(&workers->lock);
	start(workers, nhelpers);
	help.next = workers->first;
	workers->first = &help;
	pthread_cond_broadcast(&workers->work);
	pthread_mutex_unlock(&workers->lock);
	call(context);
	pthread_mutex_lock(&workers->lock);
	take_out(workers, &help);
	while (help.njoined > 0)
		pthread_cond_wait(&workers->left, &workers->lock);
	pthread_mutex_unlock(&workers->lock);
}

bool workers_ask(struct workers *workers)
{
	bool has_threads;

	if (!workers_can_help(workers))
		return false;
	pthread_mutex_lock(&workers->lock);
	start(workers, workers->nasked + 1);
	has_threads = workers->nthreads > 0;
	if (has_threads) {
		workers->nasked++;
		pthread_cond_signal(&workers->work);
	}
	pthread_mutex_unlock(&workers->lock);
	return has_threads;
}
