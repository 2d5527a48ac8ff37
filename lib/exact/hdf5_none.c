/* SPDX-License-Identifier: MIT */
#include "exact/hdf5_load.h"

int hdf5_load(const struct hdf5_room **room_ret, struct nc3z_error *err)
{
	*room_ret = NULL;
	return error_set(err, NC3Z_EUNSUPPORTED,
			 "this nc3z was built without HDF5: build it "
			 "where libhdf5 is installed");
}
