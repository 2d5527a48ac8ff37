/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "parallel/workers.h"

/* A call that ends when as many threads are in it as are awaited. */
struct meeting {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned nawaited;
	unsigned nthere;
	unsigned nleft;
};

static void meet(void *context)
{
	struct meeting *m = context;

	pthread_mutex_lock(&m->lock);
	m->nthere++;
	pthread_cond_broadcast(&m->changed);
	while (m->nthere < m->nawaited)
		pthread_cond_wait(&m->changed, &m->lock);
	m->nleft++;
	pthread_mutex_unlock(&m->lock);
}

static struct meeting meeting_of(unsigned nawaited)
{
	return (struct meeting){
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
		.nawaited = nawaited,
	};
}

/* All that are wanted come, again and again, and have gone when it returns. */
static void test_helpers(void)
{
	struct workers *w = workers_new(3, NULL, NULL);

	REQUIRE(w != NULL);
	for (unsigned n = 0; n <= 3; n++)
		for (unsigned round = 0; round < 20; round++) {
			struct meeting m = meeting_of(n + 1);

			workers_run(w, n, meet, &m);
			CHECK_EQ_U64(m.nleft, n + 1);
		}
	workers_free(w);
}

/* Whether all who came had gone when each call returned; no NULL if so. */
static void *run_two(void *context)
{
	struct workers *w = context;
	bool is_good = true;

	for (unsigned round = 0; round < 50; round++) {
		/* Whether anybody comes depends on the other calls. */
		struct meeting m = meeting_of(1);

		workers_run(w, 2, meet, &m);
		is_good = is_good && m.nleft >= 1 && m.nleft <= 3 &&
			  m.nleft == m.nthere;
	}
	return is_good ? w : NULL;
}

/* Several calls share the threads. */
static void test_several_calls(void)
{
	struct workers *w = workers_new(2, NULL, NULL);
	pthread_t threads[4];

	REQUIRE(w != NULL);
	for (unsigned i = 0; i < 4; i++)
		REQUIRE(pthread_create(&threads[i], NULL, run_two, w) == 0);
	for (unsigned i = 0; i < 4; i++) {
		void *result;

		pthread_join(threads[i], &result);
		CHECK(result != NULL);
	}
	workers_free(w);
}

/* Without threads a call runs alone, and nothing runs in the background. */
static void test_none(void)
{
	struct workers *w = workers_new(0, meet, NULL);
	struct meeting m = meeting_of(1);

	REQUIRE(w != NULL);
	workers_run(w, 3, meet, &m);
	CHECK_EQ_U64(m.nleft, 1);
	CHECK(!workers_ask(w));
	workers_free(w);
	workers_run(NULL, 3, meet, &m);
	CHECK_EQ_U64(m.nleft, 2);
	workers_free(NULL);
}

/* Each time of asking is one call, and a call is helped with meanwhile. */
static void test_background(void)
{
	struct meeting m = meeting_of(1), call = meeting_of(2);
	struct workers *w = workers_new(2, meet, &m);

	REQUIRE(w != NULL);
	for (unsigned i = 0; i < 100; i++)
		CHECK(workers_ask(w));
	workers_run(w, 1, meet, &call);
	CHECK_EQ_U64(call.nleft, 2);
	pthread_mutex_lock(&m.lock);
	while (m.nthere < 100)
		pthread_cond_wait(&m.changed, &m.lock);
	pthread_mutex_unlock(&m.lock);
	workers_free(w);
	CHECK_EQ_U64(m.nleft, 100);
}

/* A child has no threads; calls run, and closing does not wait for anybody. */
static void test_fork(void)
{
	struct meeting m = meeting_of(2);
	struct workers *w = workers_new(1, meet, &m);
	int status;
	pid_t child;

	REQUIRE(w != NULL);
	workers_run(w, 1, meet, &m);
	child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		struct meeting alone = meeting_of(1);

		workers_run(w, 1, meet, &alone);
		if (alone.nleft != 1 || workers_ask(w))
			_exit(1);
		workers_free(w);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	workers_free(w);
}

int main(void)
{
	RUN(test_helpers);
	RUN(test_several_calls);
	RUN(test_none);
	RUN(test_background);
	RUN(test_fork);
	return check_report();
}
