/* SPDX-License-Identifier: MIT */
#include "base/options.h"

#include <string.h>

#include "base/sizes.h"
#include "base/status.h"

/* No struct of options will ever be as long: a larger size is garbage. */
#define OPTIONS_NBYTES_MAX 4096

static void put_nbytes(void *options, size_t nbytes)
{
	memcpy(options, &nbytes, sizeof(nbytes));
}

void options_init(void *options, size_t options_nbytes, const void *defaults,
		  size_t defaults_nbytes)
{
	if (!options || options_nbytes < sizeof(size_t))
		return;
	memset(options, 0, options_nbytes);
	memcpy(options, defaults,
	       (size_t)size_min(options_nbytes, defaults_nbytes));
	put_nbytes(options, options_nbytes);
}

static int has_unknown(const unsigned char *options, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (options[i] != 0)
			return 1;
	return 0;
}

int options_copy(void *own, size_t own_nbytes, const void *options,
		 struct nc3z_error *err)
{
	size_t nbytes;

	if (!options)
		return NC3Z_OK;
	memcpy(&nbytes, options, sizeof(nbytes));
	if (nbytes < sizeof(nbytes) || nbytes > OPTIONS_NBYTES_MAX ||
	    nbytes % sizeof(nbytes) != 0)
		return error_set(err, NC3Z_EINVAL,
				 "options have no valid size; were they "
				 "initialized?");
	if (has_unknown(options, own_nbytes, nbytes))
		return error_set(err, NC3Z_EINVAL,
				 "options set something that needs a newer "
				 "libnc3z than " NC3Z_VERSION);
	memcpy(own, options, (size_t)size_min(nbytes, own_nbytes));
	put_nbytes(own, own_nbytes);
	return NC3Z_OK;
}
