/* SPDX-License-Identifier: MIT */
#include "batch/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As many files are written at once as there are threads. */
#define WATCHED_MAX 1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	const char *name; /* NULL: none */
	int dir_fd;
} watched[WATCHED_MAX]; /* under the lock */
static sigset_t signals;
static bool is_expected;
static enum exit_status (*at_end)(void); /* under the lock */

static void *wait_for_signal(void *unused)
{
	enum exit_status status;
	int signal = SIGTERM;
	sigset_t one;

	(void)unused;
	while (sigwait(&signals, &signal) != 0)
		pause(); /* all of them are ignored: nothing to wait for */
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < WATCHED_MAX; i++)
		if (watched[i].name)
			unlinkat(watched[i].dir_fd, watched[i].name, 0);
	status = at_end ? at_end() : EXIT_DONE;
	if (signal == SIGTERM && is_expected)
		_exit((int)exit_worse(EXIT_MORE, status));
	/* End as the signal would have ended us; the lock stays closed. */
	sigemptyset(&one);
	sigaddset(&one, signal);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	raise(signal);
	_exit(1);
}

/* A signal that is ignored (nohup, a job in the background) stays so. */
static void add_signal(int number)
{
	struct sigaction old;

	if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaddset(&signals, number);
}

void signals_at_end(enum exit_status (*end)(void))
{
	pthread_mutex_lock(&lock);
	at_end = end;
	pthread_mutex_unlock(&lock);
}

void signals_start(bool termination_is_expected)
{
	pthread_t thread;

	is_expected = termination_is_expected;
	sigemptyset(&signals);
	add_signal(SIGINT);
	add_signal(SIGTERM);
	add_signal(SIGHUP);
	add_signal(SIGQUIT);
	signal(SIGXFSZ, SIG_IGN);
	/* Somebody wants to write to an input that is about to be removed. */
	signal(SIGIO, SIG_IGN);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	if (pthread_create(&thread, NULL, wait_for_signal, NULL) == 0)
		pthread_detach(thread);
	else
		pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

static void replace(const char *from, int dir_fd, const char *to)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < WATCHED_MAX; i++)
		if (watched[i].name == from) {
			watched[i].name = to;
			watched[i].dir_fd = dir_fd;
			break;
		}
	pthread_mutex_unlock(&lock);
}

void signals_watch(int dir_fd, const char *temporary)
{
	if (temporary)
		replace(NULL, dir_fd, temporary);
}

void signals_unwatch(const char *temporary)
{
	if (temporary)
		replace(temporary, -1, NULL);
}
