/* SPDX-License-Identifier: MIT */
/*
 * Found as <netcdf.h> if this directory is first on the include path: the same
 * calls, for archives and classic files, from nc3z.
 */
#include "../nc3z_compat.h"
