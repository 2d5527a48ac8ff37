/* SPDX-License-Identifier: MIT */
#include "parallel/threads.h"

#include "parallel/processors.h"
#include "nc3z_tools.h"

/* Room for callbacks, too, such as those of Python. */
#define STACK_NBYTES ((size_t)2 << 20)

int threads_check(unsigned wanted, struct nc3z_error *err)
{
	if (wanted <= NC3Z_THREADS_MAX)
		return NC3Z_OK;
	return error_set(err, NC3Z_EINVAL, "%u threads are more than %u",
			 wanted, NC3Z_THREADS_MAX);
}

unsigned threads_wanted(unsigned wanted)
{
	if (wanted == 0)
		wanted = processors_count();
	return wanted < NC3Z_THREADS_MAX ? wanted : NC3Z_THREADS_MAX;
}

bool threads_start(pthread_t *thread_ret, void *(*run)(void *), void *argument)
{
	pthread_attr_t attributes;
	bool started;

	if (pthread_attr_init(&attributes) != 0)
		return false;
	started = pthread_attr_setstacksize(&attributes, STACK_NBYTES) == 0 &&
		  pthread_create(thread_ret, &attributes, run, argument) == 0;
	pthread_attr_destroy(&attributes);
	return started;
}

unsigned nc3z_count_processors(void)
{
	return threads_wanted(0);
}
