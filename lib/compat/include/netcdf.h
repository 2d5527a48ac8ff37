/* SPDX-License-Identifier: MIT */
/*
 * What a program that is compiled with -I and this directory finds as
 * <netcdf.h>: the same calls, for archives and classic files, from nc3z.
 */
#include "nc3z_compat.h"
