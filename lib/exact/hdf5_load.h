/* SPDX-License-Identifier: MIT */
/*
 * Loading libnc3z-hdf5: hdf5_load.c, or hdf5_none.c where the library is built
 * without it, as programs that are linked statically are.
 */
#ifndef NC3Z_EXACT_HDF5_LOAD_H
#define NC3Z_EXACT_HDF5_LOAD_H

#include "exact/hdf5_room.h"

/* NC3Z_EUNSUPPORTED with the reason if there is none. */
int hdf5_load(const struct hdf5_room **room_ret, struct nc3z_error *err);

#endif
