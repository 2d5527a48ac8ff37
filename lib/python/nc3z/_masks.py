# SPDX-License-Identifier: MIT
"""Which values of a variable are missing, and what the others stand for.

The rules are those of NC3Z_UNPACKED in nc3z.h, and the arrays those of
netCDF4-python: of numpy.ma, in the type of the file unless values are packed.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List

import numpy

# netCDF's.  Bytes have too few values for one of them to be a missing one.
FILLS = {"i1": -127, "i2": -32767, "i4": -2147483647,
         "i8": -9223372036854775806, "u1": 255, "u2": 65535,
         "u4": 4294967295, "u8": 18446744073709551614,
         "f4": 9.969209968386869e+36, "f8": 9.969209968386869e+36}


def _is_number(value: Any) -> bool:
    """Whether an attribute has numbers, not text."""
    return getattr(value, "dtype", numpy.dtype("S")).kind in "iuf"


def _shown(value: Any) -> str:
    """An attribute in a message."""
    return repr(getattr(value, "tolist", lambda: value)())


def why_not_unpacked(attrs: Dict[str, Any]) -> List[str]:
    """Why values cannot be unpacked: what is wrong with scale_factor and
    add_offset."""
    return [f"{name} is {_shown(attrs[name])}, not one number"
            for name in ("scale_factor", "add_offset") if name in attrs and
            not (_is_number(attrs[name]) and numpy.size(attrs[name]) == 1)]


class Masks:
    """Makes masked arrays of the values of a variable.

    notes: the attributes that have no effect, and why."""

    def __init__(self, attrs: Dict[str, Any], dtype: Any) -> None:
        is_unsigned = str(attrs.get("_Unsigned")) in ("true", "True")
        self._attrs, self._dtype = attrs, \
            numpy.dtype(dtype.str.replace("i", "u")) if is_unsigned else dtype
        self.notes = [f"{why}: values are not unpacked"
                      for why in why_not_unpacked(attrs)]
        self._scale, self._offset = (
            None if self.notes else attrs.get(name)
            for name in ("scale_factor", "add_offset"))
        # As netCDF4: only both change the type where they change no value,
        # but to that of a product, not to that of scale_factor.
        self._type = None
        if self._scale in (None, 1) and self._offset in (None, 0):
            if self._scale is not None and self._offset is not None:
                self._type = numpy.result_type(self._dtype, self._scale.dtype)
            self._scale = self._offset = None
        # What was never written has the fill value of the type in the file.
        default = numpy.atleast_1d(dtype.type(FILLS[dtype.str[1:]]))
        self._fills = self._numbers("_FillValue")[:1]
        self._fill = (self._fills or self._converted(default))[0]
        if self._dtype.itemsize > 1:
            self._fills = [self._fill]
        self._missing = self._numbers("missing_value")
        valid = self._numbers("valid_range")
        if len(valid) != 2:
            valid = [next(iter(self._numbers(name)), None)
                     for name in ("valid_min", "valid_max")]
        self._least, self._most = valid

    def _numbers(self, name: str) -> List[Any]:
        """Those of an attribute that the type has, in that type."""
        value: Any = self._attrs.get(name)
        found = self._converted(numpy.atleast_1d(value)) \
            if _is_number(value) else []
        if value is not None and len(found) < numpy.size(value):
            self.notes.append(
                f"{name} is {_shown(value)}, which {self._dtype} cannot hold: "
                f"{'only a part of it is' if found else 'it is not'} used")
        return found

    def _converted(self, values: Any) -> List[Any]:
        """Those of some numbers that the type has, in that type."""
        dtype = self._dtype
        if dtype.kind == "f":
            with numpy.errstate(over="ignore"):
                found = values.astype(dtype)
            return list(found[numpy.isfinite(found) | ~numpy.isfinite(values)])
        if values.dtype.kind == "i" and values.itemsize == dtype.itemsize:
            return list(values.view(dtype))
        limits = numpy.iinfo(dtype)
        # Numbers of Python compare exactly.
        return [dtype.type(int(number)) for number in values.tolist()
                if math.isfinite(number) and number == int(number) and
                limits.min <= number <= limits.max]

    @staticmethod
    def _equal(values: Any, numbers: List[Any]) -> Any:
        """Where values are one of these numbers."""
        found = numpy.zeros(values.shape, bool)
        for number in numbers:
            found |= numpy.isnan(values) if numpy.isnan(number) \
                else values == number
        return found

    def apply(self, values: Any) -> Any:
        """The masked array of an array as the file has it."""
        values = values.view(self._dtype)
        mask = self._equal(values, self._missing)
        # As netCDF4, the one that is there.
        fill = self._missing[0] if mask.any() else self._fill
        mask |= self._equal(values, self._fills)
        if self._least is not None:
            mask |= values < self._least
        if self._most is not None:
            mask |= values > self._most
        if self._type is not None:
            values = values.astype(self._type)
        if self._scale is not None:
            values = values * self._scale
        if self._offset is not None:
            values = values + self._offset
        make: Any = numpy.ma.masked_array
        return make(values, mask, fill_value=fill)
