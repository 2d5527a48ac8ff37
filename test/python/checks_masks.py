# SPDX-License-Identifier: MIT
"""Checks what values nc3z.Variable gives: masked, raw, unpacked; see checks.py.
"""

import pickle
import warnings

import numpy

import nc3z
from common import SAMPLE, TESTDATA, expect, pack, raises, real_files

FLOAT = numpy.float32
# Type, values, and attributes of a variable.
CASES = {
    "default": ("f4", [1, 2, 9.969209968386869e+36, 4], {}),
    "default_long": ("u8", [1, 18446744073709551614, 3, 4], {}),
    "fill": ("i4", [1, 2, 3, -2147483647], {"_FillValue": numpy.int32(2)}),
    "fill_nan": ("f8", [1, 2, numpy.nan, 4], {"_FillValue": numpy.nan}),
    "missing": ("f4", [1, 2, 3, 4], {"missing_value": FLOAT([2, 3])}),
    "missing_nan": ("f4", [1, numpy.nan, 3, 4],
                    {"missing_value": FLOAT(numpy.nan)}),
    "missing_both": ("i2", [1, 2, 3, 4], {
        "_FillValue": numpy.int16(1), "missing_value": numpy.int16(4)}),
    "missing_and_default": ("f4", [1, 2, 9.969209968386869e+36, 4], {
        "missing_value": FLOAT(2)}),
    "scale_of_one": ("f4", [1, 2, 3, 4], {"scale_factor": 1.0}),
    "offset_of_nothing": ("f4", [1, 2, 3, 4], {"add_offset": 0.0}),
    "nothing_packed": ("f4", [1, 2, 3, 4], {
        "scale_factor": 1.0, "add_offset": 0.0}),
    "missing_wide": ("i2", [1, 2, 3, 4], {"missing_value": 2.0}),
    "missing_not": ("i2", [1, 2, 3, 4], {"missing_value": 2.5}),
    "missing_large": ("i2", [1, 2, 3, 4], {
        "missing_value": numpy.int32(65538)}),
    "missing_text": ("i2", [1, 2, 3, 4], {"missing_value": "2"}),
    "range": ("i2", [1, 2, 3, 4], {"valid_range": numpy.int16([2, 3])}),
    "range_long": ("i2", [1, 2, 3, 4], {
        "valid_range": numpy.int16([2, 3, 4]), "valid_max": numpy.int16(3)}),
    "least": ("f8", [1, 2, 3, 4], {"valid_min": 2.0}),
    "packed": ("i2", [1, 2, -32767, 4], {
        "scale_factor": 0.1, "add_offset": 10.0}),
    "packed_fill": ("i2", [1, 2, 3, 4], {
        "_FillValue": numpy.int16(2), "scale_factor": FLOAT(0.5)}),
    "packed_range": ("i4", [1, 2, 3, 4], {
        "valid_max": numpy.int32(3), "add_offset": FLOAT(0.5)}),
    "packed_bytes": ("i1", [1, -2, -1, 4], {
        "_FillValue": numpy.int8(-1), "_Unsigned": "true",
        "scale_factor": FLOAT(2)}),
    "unsigned": ("i2", [1, -2, -1, 4], {
        "_Unsigned": "true", "valid_range": numpy.int16([2, -2])}),
    "unsigned_all": ("i2", [1, -2, -1, 4], {"_Unsigned": "true"}),
    "infinite": ("f4", [1, numpy.inf, -numpy.inf, 4], {
        "scale_factor": FLOAT(2)}),
    "one_value": ("i2", [1, 2, 3, 4], {"_FillValue": numpy.int16(2)}),
}


def compare(netCDF4, path, archive):
    """What netCDF4 masks and unpacks, nc3z does; how many were compared."""
    count = 0
    with netCDF4.Dataset(path) as wanted, nc3z.File(archive) as file, \
            warnings.catch_warnings():
        # Of numbers that a type does not have, and of what is cut off.
        warnings.simplefilter("ignore")
        for name, variable in file.items():
            # netCDF has no default fill value for bytes, which the netCDF4
            # of Debian 12 does not know.
            if variable.dtype.kind == "S" or variable.dtype.itemsize == 1 \
                    and "_FillValue" not in variable.attrs:
                continue
            a, b = wanted[name][...], variable[...]
            if variable.shape:
                expect(isinstance(b, numpy.ma.MaskedArray), path, name)
            expect(a.shape == b.shape and a.dtype == b.dtype, path, name)
            mask = numpy.ma.getmaskarray(a)
            expect((mask == numpy.ma.getmaskarray(b)).all(), path, name)
            expect(numpy.ma.filled(a, 0).tobytes() ==
                   numpy.ma.filled(b, 0).tobytes(), path, name)
            # netCDF4 fills unsigned values with the signed type's number.
            if mask.any() and a.shape and "_Unsigned" not in variable.attrs:
                expect(numpy.ma.filled(a).tobytes() ==
                       numpy.ma.filled(b).tobytes(), path, name)
            # The library has the same law.
            lost = numpy.isnan(numpy.asarray(variable.unpacked()[...], "f8"))
            expect((lost == mask).all() or variable.dtype.kind == "f" and
                   numpy.isnan(variable.raw()[...]).any() or
                   variable.unpacked().dtype == variable.dtype, path, name)
            count += 1
    return count


def check_masks(netCDF4):
    """Masks and unpacked values are those of netCDF4."""
    with netCDF4.Dataset("cases.nc", "w", format="NETCDF3_64BIT_DATA") as to, \
            warnings.catch_warnings():
        warnings.simplefilter("ignore")
        to.createDimension("x", 4)
        for name, (kind, values, attrs) in CASES.items():
            fill = attrs.get("_FillValue")
            variable = to.createVariable(name, kind, ("x",), fill_value=fill)
            variable.set_auto_maskandscale(False)
            variable.setncatts({key: value for key, value in attrs.items()
                                if key != "_FillValue"})
            variable[:] = numpy.array(values, kind)
    nc3z.pack("cases.nc", "cases.nc.nc3z")
    expect(compare(netCDF4, "cases.nc", "cases.nc.nc3z") == len(CASES))
    count = 0
    for path in [TESTDATA / name for name in SAMPLE] + real_files():
        archive = pack(path)
        try:
            netCDF4.Dataset(path).close()
        except OSError:
            continue
        if archive:
            count += compare(netCDF4, path, archive)
    expect(count > 50, count)


def check_forms():
    """A mean is one of what is there; raw and unpacked by name."""
    with nc3z.File(pack("cdf1-float-grid-with-holes.nc")) as file:
        name = next(name for name, variable in file.items()
                    if numpy.ma.is_masked(variable[...]))
        variable = file[name]
        raw, unpacked = variable.raw()[...], variable.unpacked()[...]
        expect(type(raw) is type(unpacked) is numpy.ndarray)
        there = ~numpy.isnan(unpacked)
        expect(0 < there.sum() < there.size)
        mean = raw[there].mean()
        expect(numpy.isclose(variable[...].mean(), mean))
        expect(not numpy.isclose(raw.mean(), mean))
        expect((variable[...].data == raw).all())
        expect((variable[...].filled() == raw).all())
        # Arrays without masks have NaN.
        for array in numpy.asarray(variable), numpy.array(variable):
            expect((numpy.isnan(array) == ~there).all())
        for place in numpy.ndindex(raw.shape):
            value = variable[place]
            expect(value == raw[place] if there[place]
                   else value is numpy.ma.masked, place)
        error = raises(AttributeError, getattr, variable, "mean")
        expect("variable[...].mean" in str(error), error)
        raises(AttributeError, getattr, variable, "nothing")
        for options in {"raw": True}, {"unpacked": True}:
            with nc3z.File(file.path, **options) as other, \
                    pickle.loads(pickle.dumps(other)) as again:
                for each in other, again:
                    values = each[name][...]
                    expect(not isinstance(values, numpy.ma.MaskedArray))
                    expect(numpy.isnan(values).any() == ("raw" not in options))
        raises(ValueError, lambda: nc3z.File(file.path, raw=True,
                                             unpacked=True))
    with nc3z.File(pack("cdf1-char-table.nc")) as file:
        text = next(v for v in file.values() if v.dtype.kind == "S")
        expect(not isinstance(text[...], numpy.ma.MaskedArray))
