/* SPDX-License-Identifier: MIT */
/* The header of netCDF's calls must compile in C++ of 1998, alone. */
#include "nc3z_compat.h"

int main()
{
	size_t index[1] = { 0 };
	float value = 0;
	int ncid = -1;

	if (nc_open("no such file", NC_NOWRITE, &ncid) != ENOENT)
		return 1;
	return nc_get_var1_float(ncid, 0, index, &value) != NC_EBADID;
}
