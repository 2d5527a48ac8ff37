/* SPDX-License-Identifier: MIT */
#include "restore/options.h"

#include <inttypes.h>

#include "base/options.h"
#include "parallel/threads.h"

void nc3z_restore_options_init_sized(struct nc3z_restore_options *options,
				     size_t options_nbytes)
{
	const struct nc3z_restore_options defaults = {
		.max_memory_nbytes = NC3Z_MAX_MEMORY_DEFAULT,
	};

	options_init(options, options_nbytes, &defaults, sizeof(defaults));
}

int restore_options_copy(struct nc3z_restore_options *own,
			 const struct nc3z_restore_options *options,
			 struct nc3z_error *err)
{
	nc3z_restore_options_init(own);
	NC3Z_TRY(options_copy(own, sizeof(*own), options, err));
	return threads_check(own->nthreads, err);
}

int restore_check_size(const struct nc3z_restore_options *options,
		       uint64_t nbytes, struct nc3z_error *err)
{
	uint64_t max_nbytes = options->max_original_nbytes;

	if (max_nbytes == 0 || nbytes <= max_nbytes)
		return NC3Z_OK;
	return error_set(err, NC3Z_ELIMIT,
			 "original is larger than the limit of %" PRIu64
			 " bytes",
			 max_nbytes);
}
