/* SPDX-License-Identifier: MIT */
/*
 * Packed values made plain: what the attributes of a variable say of its
 * values, applied to them.
 *
 * A value that stands for a missing one becomes NaN; all others are multiplied
 * by scale_factor, then add_offset is added, in double.  Missing are values
 *
 * - equal to _FillValue, or, if there is none, to the fill value that netCDF
 *   writes by default, unless the type has one byte;
 * - equal to an element of missing_value;
 * - less than valid_min or greater than valid_max, or outside valid_range,
 *   which goes before these two; all of them speak of packed values.
 *
 * With _Unsigned = "true", integers are taken as unsigned ones of the same
 * width, and so are the numbers in these attributes.  A number that an integer
 * type of the variable does not have, and text, count for nothing.  This is
 * what netCDF4-python does.
 */
#ifndef NC3Z_CLASSIC_UNPACK_ATTRIBUTES_H
#define NC3Z_CLASSIC_UNPACK_ATTRIBUTES_H

#include "classic/header.h"
#include "classic/unpack.h"

/*
 * From the attributes of a variable of numbers.  Returns NC3Z_OK; NC3Z_ELIMIT
 * if there are too many missing values.
 */
int values_unpacking_set(struct values_unpacking *unpacking,
			 const struct classic_var *var, struct nc3z_error *err);

#endif
