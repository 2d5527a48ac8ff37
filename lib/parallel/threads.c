#include "parallel/threads.h"

#include <unistd.h>

#include "nc3z.h"

unsigned threads_wanted(unsigned wanted)
{
	long nprocessors = 1;

	if (wanted == 0) {
		nprocessors = sysconf(_SC_NPROCESSORS_ONLN);
		wanted = nprocessors > 0 ? (unsigned)nprocessors : 1;
	}
	return wanted < NC3Z_THREADS_MAX ? wanted : NC3Z_THREADS_MAX;
}
