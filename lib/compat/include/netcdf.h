/*
 * What a program finds as <netcdf.h> that is compiled with -I and this folder:
 * the same calls, for archives and classic files, from nc3z.
 */
#include "nc3z_compat.h"
