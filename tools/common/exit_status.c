/* SPDX-License-Identifier: MIT */
#include "common/message.h"

enum exit_status exit_worse(enum exit_status a, enum exit_status b)
{
	static const int gravity[] = {
		[EXIT_DONE] = 0,  [EXIT_NOTHING] = 1, [EXIT_WARNED] = 2,
		[EXIT_MORE] = 3,  [EXIT_FAILED] = 4,  [EXIT_DAMAGED] = 5,
		[EXIT_USAGE] = 6,
	};

	return gravity[a] >= gravity[b] ? a : b;
}

enum exit_status exit_of_error(const struct nc3z_error *err)
{
	return err->status == NC3Z_EDAMAGED ? EXIT_DAMAGED : EXIT_FAILED;
}
