/* SPDX-License-Identifier: MIT */
#include "hdf5/container.h"

hid_t type_in_file(enum classic_type type)
{
	switch (type) {
	case CLASSIC_BYTE:
		return H5T_STD_I8LE;
	case CLASSIC_CHAR:
		return H5T_C_S1;
	case CLASSIC_SHORT:
		return H5T_STD_I16LE;
	case CLASSIC_INT:
		return H5T_STD_I32LE;
	case CLASSIC_FLOAT:
		return H5T_IEEE_F32LE;
	case CLASSIC_DOUBLE:
		return H5T_IEEE_F64LE;
	case CLASSIC_UBYTE:
		return H5T_STD_U8LE;
	case CLASSIC_USHORT:
		return H5T_STD_U16LE;
	case CLASSIC_UINT:
		return H5T_STD_U32LE;
	case CLASSIC_INT64:
		return H5T_STD_I64LE;
	case CLASSIC_UINT64:
		return H5T_STD_U64LE;
	}
	return H5I_INVALID_HID;
}

hid_t type_in_header(enum classic_type type)
{
	switch (type) {
	case CLASSIC_SHORT:
		return H5T_STD_I16BE;
	case CLASSIC_INT:
		return H5T_STD_I32BE;
	case CLASSIC_FLOAT:
		return H5T_IEEE_F32BE;
	case CLASSIC_DOUBLE:
		return H5T_IEEE_F64BE;
	case CLASSIC_USHORT:
		return H5T_STD_U16BE;
	case CLASSIC_UINT:
		return H5T_STD_U32BE;
	case CLASSIC_INT64:
		return H5T_STD_I64BE;
	case CLASSIC_UINT64:
		return H5T_STD_U64BE;
	default:
		return type_in_file(type);
	}
}
