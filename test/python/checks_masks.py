# SPDX-License-Identifier: MIT
"""Checks what values nc3z.Variable gives: masked, raw, unpacked; see checks.py.
"""

import pathlib
import pickle
import warnings

import numpy

import nc3z
from common import (
    HEADER, SAMPLE, TESTDATA, expect, make, noted, pack, raises, real_files)
from nc3z._values import PACKING

FLOAT = numpy.float32
FILL = 9.969209968386869e+36
MANUAL = HEADER.parents[1] / "doc" / "python.md"


def ints(*numbers, kind="i2"):
    """Numbers of an attribute."""
    return numpy.array(numbers, kind)


# What doc/python.md says of differences from netCDF4; type, values, and
# attributes of a variable.
CASES = [
    ("", "f4", [1, 2, FILL, 4], {}),
    ("", "u8", [1, 18446744073709551614, 3, 4], {}),
    ("", "i4", [1, 2, 3, -2147483647], {"_FillValue": numpy.int32(2)}),
    ("", "i2", [1, 2, 3, 4], {"_FillValue": 2.0}),
    ("", "i2", [1, 2, 3, 4], {"_FillValue": b"2"}),
    ("", "i2", [1, 2, 3, 4], {"_FillValue": numpy.int32(70000)}),
    ("", "f8", [1, 2, numpy.nan, 4], {"_FillValue": numpy.nan}),
    ("", "f8", [1, 2, numpy.nan, 4], {"valid_min": 2.0}),
    ("", "f4", [1, 2, 3, 4], {"missing_value": FLOAT([2, 3])}),
    ("", "f4", [1, numpy.nan, 3, 4], {"missing_value": FLOAT(numpy.nan)}),
    ("", "i2", [1, 2, 3, 4], {"_FillValue": ints(1), "missing_value": ints(4)}),
    ("", "f4", [1, 2, FILL, 4], {"missing_value": FLOAT(2)}),
    ("", "f4", [1, 2, 3, 4], {"scale_factor": 1.0}),
    ("", "f4", [1, 2, 3, 4], {"add_offset": 0.0}),
    ("", "f4", [1, 2, 3, 4], {"scale_factor": 1.0, "add_offset": 0.0}),
    ("", "i2", [1, 2, 3, 4], {"missing_value": 2.0}),
    ("", "i2", [1, 2, 3, 4], {"missing_value": 2.5}),
    ("", "i2", [1, 2, 3, 4], {"missing_value": numpy.nan}),
    ("", "i2", [1, 2, 3, 4], {"missing_value": numpy.int32(65538)}),
    ("", "i2", [1, 2, 3, 4], {"missing_value": "2"}),
    ("", "i2", [1, 2, 3, 4], {"valid_range": ints(2, 3)}),
    ("", "i2", [1, 2, 3, 4], {"valid_range": "2 3"}),
    ("", "i2", [1, 2, 3, 4], {"valid_range": numpy.array([1.5, 3.5])}),
    ("", "i2", [1, 2, 3, 4], {
        "valid_range": ints(2, 3, 4), "valid_max": ints(3)}),
    ("", "f8", [1, 2, 3, 4], {"valid_min": 2.0}),
    ("", "i2", [1, 2, 3, 4], {"valid_min": "2"}),
    ("", "i2", [1, 2, -32767, 4], {"scale_factor": 0.1, "add_offset": 10.0}),
    ("", "i2", [1, 2, 3, 4], {"_FillValue": ints(2),
                              "scale_factor": FLOAT(0.5)}),
    ("", "i4", [1, 2, 3, 4], {"valid_max": ints(3, kind="i4"),
                              "add_offset": FLOAT(0.5)}),
    ("", "f4", [1.5, 2, 3, 4], {"scale_factor": ints(2),
                                "add_offset": ints(1)}),
    ("", "i1", [1, -2, -1, 4], {
        "_FillValue": numpy.int8(-1), "_Unsigned": "true",
        "scale_factor": FLOAT(2)}),
    ("", "i2", [1, -2, -1, 4], {"_Unsigned": "true",
                                "valid_range": ints(2, -2)}),
    ("", "i2", [1, -2, -1, 4], {"_Unsigned": "True"}),
    ("", "u2", [1, 2, 65535, 4], {"_Unsigned": "false"}),
    ("", "f4", [1, numpy.inf, -numpy.inf, 4], {"scale_factor": FLOAT(2)}),
    ("", "i2", [1, 2, 3, 4], {"scale_factor": "abc", "add_offset": 1.0}),
    ("", "i2", [1, 2, 3, 4], {"scale_factor": numpy.array([2.0, 3.0])}),
    ("", "i2", [1, 2, 3, 4], {"scale_factor": 2.0,
                              "add_offset": numpy.array([])}),
    ("", "i2", [1, 2, 3, 4], {"units": b"\xb0C", "note": b"a\0b"}),
    ("text like \"0.5\" is none", "i2", [1, 2, 3, 4], {"scale_factor": "0.5"}),
    ("keep all digits", "f4", [1.5, 2, 3, 4], {
        "scale_factor": ints(1), "add_offset": ints(0)}),
    ("keep all digits", "f8", [1e300, 2, 3, 4], {
        "scale_factor": FLOAT(1), "add_offset": FLOAT(0)}),
    ("keep all digits", "i4", [123456789, 2, 3, 4], {
        "scale_factor": FLOAT(1), "add_offset": FLOAT(0)}),
    ("netCDF4 1.6.3", "i2", [1, -2, -1, 4], {"_Unsigned": "false"}),
    ("netCDF4 1.6.3", "i2", [1, -2, -1, 4], {"_Unsigned": ints(1)}),
    ("Bytes have no default", "i1", [1, -127, 3, 4], {}),
    ("Bytes have no default", "u1", [1, 255, 3, 4], {"units": "m"}),
    ("Text stays", "S1", [b"a", b"b", b"c", b"d"], {"_Encoding": "utf-8"}),
    ("Text stays", "S1", [b"a", b"\xe9", b"c", b"d"], {"_Encoding": "utf-8"}),
    ("Text stays", "S1", [b"a", b"\0", b"c", b"d"], {"_FillValue": b"a"}),
    ("Text stays", "S1", [b"a", b"\0", b"c", b"d"], {"scale_factor": 2.0}),
    ("rounded", "f4", [1, 0.1, 3, 4], {"missing_value": 0.1}),
    ("only those", "i2", [1, 2, 3, 4], {
        "missing_value": numpy.array([2, 2.5])}),
    ("the first counts", "i2", [1, 2, 3, 4], {"_FillValue": ints(2, 3)}),
    ("the first counts", "i2", [1, 2, 3, 4], {"valid_min": ints(2, 3)}),
    ("not in UTF-8", "i2", [1, 2, 3, 4], {"\udcb0C": "m"}),
]


def outcome(netCDF4, data):
    """The values of v, or the exception instead."""
    try:
        pathlib.Path("v.nc").write_bytes(data)
        with netCDF4.Dataset("v.nc") as file:
            return file["v"][...]
    except (TypeError, ValueError, LookupError) as error:
        return error


def is_same(a, b):
    """Whether an array of netCDF4 and one of nc3z are equal in all."""
    if type(a) is not type(b) or a.shape != b.shape or a.dtype != b.dtype:
        return False
    mask = numpy.ma.getmaskarray(a)
    return bool((mask == numpy.ma.getmaskarray(b)).all()) and \
        numpy.ma.filled(a, 0).tobytes() == numpy.ma.filled(b, 0).tobytes()


def compare_library(path, variable):
    """unpacked(), which the library does, has NaN where values are masked."""
    mask = numpy.ma.getmaskarray(variable[...])
    unpacked = variable.unpacked()[...]
    lost = numpy.isnan(numpy.asarray(unpacked, "f8"))
    expect((lost == mask).all() or variable.dtype.kind == "f" and
           numpy.isnan(variable.raw()[...]).any() or
           unpacked.dtype == variable.dtype, path, variable.name)


def compare(netCDF4, path, archive):
    """What netCDF4 masks and unpacks, nc3z does; how many were compared."""
    count = 0
    with netCDF4.Dataset(path) as wanted, nc3z.File(archive) as file, \
            warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, variable in file.items():
            # netCDF has no default fill value for bytes, which netCDF4 does
            # not know.
            if variable.dtype.kind == "S" or variable.dtype.itemsize == 1 \
                    and "_FillValue" not in variable.attrs:
                continue
            a, b = wanted[name][...], variable[...]
            expect(is_same(numpy.ma.asarray(a), numpy.ma.asarray(b)), path,
                   name)
            # netCDF4 fills unsigned values with the signed type's number.
            if numpy.ma.is_masked(a) and a.shape and \
                    "_Unsigned" not in variable.attrs:
                expect(a.filled().tobytes() == b.filled().tobytes(), path,
                       name)
            compare_library(path, variable)
            count += 1
    return count


def check_masks(netCDF4):
    """Masks and unpacked values are those of netCDF4, but for what the manual
    says."""
    manual = MANUAL.read_text("utf-8")
    is_new = tuple(map(int, netCDF4.__version__.split(".")[:3])) >= (1, 6, 3)
    for difference, *case in CASES:
        with nc3z.File(make(*case)) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            same = is_same(outcome(netCDF4, make(*case)), file["v"][...])
            expect(same == (not difference or
                            is_new and difference == "netCDF4 1.6.3"), case)
            expect(difference in manual, difference)
            if case[0] != "S1":
                compare_library(case, file["v"])
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


def check_notes():
    """Attributes without effect get one warning, which names all."""
    odd = {"scale_factor": "not one number", "missing_value": "cannot hold"}
    for _, *case in CASES:
        attrs = case[2]
        with nc3z.File(make(*case)) as file, noted() as notes:
            for each in file["v"], file["v"], file["v"].unpacked():
                expect(each[...].size)
        texts = [str(note.message) for note in notes]
        is_odd = case[0] != "S1" and any(
            isinstance(attrs.get(name), (str, bytes)) for name in PACKING
            if name != "_Unsigned")
        expect(len(texts) == 1 if is_odd else len(texts) < 2, attrs, texts)
        for text in texts:
            name = next(name for name in attrs if f": {name} is" in text)
            expect(text.startswith(f"{file.path}: v: "), text)
            expect(odd.get(name, "") in text, text)


def check_xarray_notes(xarray):
    """Its engine warns of what xarray then cannot unpack."""
    pathlib.Path("x.nc").write_bytes(
        make("i2", [1, 2, 3, 4], {"scale_factor": "0.5"}))
    for options in {}, {"mask_and_scale": False}:
        with noted() as notes:
            xarray.open_dataset("x.nc", engine="nc3z", **options).close()
        expect("x.nc: v: scale_factor is '0.5'" in str(notes[0].message))


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
        raises(ValueError, nc3z.File, file.path, raw=True, unpacked=True)
    with nc3z.File(pack("cdf1-char-table.nc")) as file:
        text = next(v for v in file.values() if v.dtype.kind == "S")
        expect(not isinstance(text[...], numpy.ma.MaskedArray))
