/* SPDX-License-Identifier: MIT */
#include "compress/estimates.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "common/message.h"
#include "nc3z_tools.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static struct nc3z_estimate totals;
static unsigned nlisted;

static void print_line(const struct nc3z_estimate *e, const char *name)
{
	if (nlisted == 0)
		printf("%15s %15s %7s %9s  name\n", "original", "estimated",
		       "ratio", "seconds");
	printf("%15" PRIu64 " %15" PRIu64 " %7.2f %9.2f  ", e->original_nbytes,
	       e->archive_nbytes,
	       (double)e->original_nbytes / (double)e->archive_nbytes,
	       e->seconds);
	message_put_text(stdout, name);
	putchar('\n');
}

void estimates_add(const struct settings *settings,
		   const struct nc3z_estimate *estimate, const char *name)
{
	pthread_mutex_lock(&lock);
	totals.original_nbytes += estimate->original_nbytes;
	totals.archive_nbytes += estimate->archive_nbytes;
	totals.seconds += estimate->seconds;
	if (!settings->json && settings->verbose)
		print_line(estimate, name);
	nlisted++;
	pthread_mutex_unlock(&lock);
}

void estimates_end(const struct settings *settings, unsigned nthreads)
{
	double original = (double)totals.original_nbytes;
	double saved = original - (double)totals.archive_nbytes;

	if (settings->json || nlisted == 0)
		return;
	printf("%u file%s, %" PRIu64 " bytes, archives about %" PRIu64
	       " bytes, ratio %.2f: saves %.0f %%\n",
	       nlisted, nlisted == 1 ? "" : "s", totals.original_nbytes,
	       totals.archive_nbytes, original / (double)totals.archive_nbytes,
	       original > 0 ? 100 * saved / original : 0);
	printf("%.1f s of one processor, %.1f s with %u threads, if the disks "
	       "keep up\n",
	       totals.seconds, totals.seconds / nthreads, nthreads);
}
