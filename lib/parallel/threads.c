/* SPDX-License-Identifier: MIT */
#include "parallel/threads.h"

#include "parallel/processors.h"
#include "nc3z_tools.h"

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

unsigned nc3z_count_processors(void)
{
	return threads_wanted(0);
}
