#include "compress/passed.h"

#include <pthread.h>
#include <stddef.h>

#include "compress/files.h"
#include "common/message.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t npassed, nsuspect; /* under the lock */

/* Whether a file has the name of a netCDF file. */
static bool is_named_netcdf(const char *path)
{
	static const char *const suffixes[] = {
		".nc",    ".cdf",    ".netcdf",  ".nc.gz",  ".cdf.gz",
		".nc.xz", ".nc.bz2", ".cdf.bz2", ".nc.zst", ".nc.Z",
	};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (file_has_suffix(path, suffixes[i]))
			return true;
	return false;
}

void passed_over(const struct settings *settings, const char *path,
		 bool is_file, const char *reason)
{
	pthread_mutex_lock(&lock);
	npassed++;
	nsuspect += is_file && is_named_netcdf(path);
	pthread_mutex_unlock(&lock);
	if (settings->verbose)
		message_note(path, "skipped: %s", reason);
}

void passed_summarize(const struct settings *settings)
{
	if (settings->verbose && npassed > 0)
		message_note(NULL, "%zu file%s in directories skipped", npassed,
			     npassed == 1 ? "" : "s");
	else if (nsuspect > 0 && !settings->quiet)
		message_note(NULL,
			     "%zu file%s named like netCDF skipped; -v shows "
			     "which and why",
			     nsuspect, nsuspect == 1 ? "" : "s");
}
