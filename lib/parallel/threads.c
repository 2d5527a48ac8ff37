#include "parallel/threads.h"

#include <unistd.h>

int threads_check(unsigned wanted, struct nc3z_error *err)
{
	if (wanted <= NC3Z_THREADS_MAX)
		return NC3Z_OK;
	return error_set(err, NC3Z_EINVAL, "%u threads are more than %u",
			 wanted, NC3Z_THREADS_MAX);
}

unsigned threads_wanted(unsigned wanted)
{
	long nprocessors = 1;

	if (wanted == 0) {
		nprocessors = sysconf(_SC_NPROCESSORS_ONLN);
		wanted = nprocessors > 0 ? (unsigned)nprocessors : 1;
	}
	return wanted < NC3Z_THREADS_MAX ? wanted : NC3Z_THREADS_MAX;
}
