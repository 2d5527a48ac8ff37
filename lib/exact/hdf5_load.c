/* SPDX-License-Identifier: MIT */
#include "exact/hdf5_load.h"

#include "base/object.h"

int hdf5_load(const struct hdf5_room **room_ret, struct nc3z_error *err)
{
	const struct hdf5_room *room;
	void *handle = object_load(NC3Z_HDF5_LIBRARY);

	if (!handle)
		return error_set(err, NC3Z_EUNSUPPORTED,
				 "making netCDF-4 files needs %s and libhdf5, "
				 "which cannot be loaded: they are missing, or "
				 "the program is statically linked",
				 NC3Z_HDF5_LIBRARY);
	room = object_table(handle, HDF5_ROOM_SYMBOL);
	if (!room || room->version != HDF5_ROOM_VERSION)
		return error_set(err, NC3Z_EUNSUPPORTED,
				 "%s is of another version of nc3z: install "
				 "both of one",
				 NC3Z_HDF5_LIBRARY);
	*room_ret = room;
	return NC3Z_OK;
}
