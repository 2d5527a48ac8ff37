# SPDX-License-Identifier: MIT
"""Checks the store and the codec for zarr 3, where that is; see checks.py.

Debian 12 has zarr 2, Debian 13 zarr 3."""

import asyncio
import base64
import importlib.metadata
import io
import json
import pickle
import struct

import numpy

import nc3z
import nc3z.zarr
from common import GRID, expect, make, pack, raises


def zarr_version():
    """Major and minor one; zeros without zarr."""
    try:
        words = importlib.metadata.version("zarr").split(".")
        return int(words[0]), int(words[1])
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return 0, 0


def has_zarr3():
    """Whether zarr is there, and version 3 or later."""
    return zarr_version()[0] >= 3


async def collect(iterator):
    """What an asynchronous iterator gives."""
    return [item async for item in iterator]


def bytes_of(store, key, part=None):
    """A value of a store, or a part of it."""
    found = asyncio.run(store.get(key, byte_range=part))
    return None if found is None else found.to_bytes()


def stores_of(zarr, archive):
    """The archive as stores of format 3: ours, and one of references."""
    import fsspec
    refs = nc3z.references(archive, inline_nbytes=0, zarr_format=3)
    files = fsspec.filesystem("reference", fo=refs, asynchronous=True,
                              remote_options={"asynchronous": True})
    return (nc3z.zarr.Store(archive, zarr_format=3),
            zarr.storage.FsspecStore(files, read_only=True, path=""))


def compare(zarr, archive, names):
    """Arrays of format 3 have what the archive has."""
    for store in stores_of(zarr, archive):
        group = zarr.open_group(store, mode="r", zarr_format=3)
        with nc3z.File(archive) as file:
            for name in names:
                wanted = file[name]
                # Characters are no type of format 3 before zarr 3.1.
                if wanted.dtype.kind == "S" and zarr_version() < (3, 1):
                    raises(ValueError, group.__getitem__, name)
                    continue
                array = group[name]
                expect(array.metadata.dimension_names == wanted.dims, name)
                got = array[...]
                expect(got.astype(wanted.dtype).tobytes() ==
                       wanted[...].tobytes(), store, name)


def try_interface(archive):
    """The methods that zarr calls."""
    from zarr.abc import store as abc
    from zarr.core.buffer import default_buffer_prototype
    store = nc3z.zarr.Store(archive)
    expect(isinstance(store, abc.Store) and store.read_only)
    expect(not store.supports_writes and store.supports_listing)
    keys = asyncio.run(collect(store.list()))
    expect(".zgroup" in keys and "sst/0.0.0" in keys, keys)
    for key in keys:
        expect(asyncio.run(store.exists(key)), key)
        expect(asyncio.run(store.getsize(key)) == len(bytes_of(store, key)))
    expect(not asyncio.run(store.exists("no/such")) and
           bytes_of(store, "no/such") is None)
    whole = bytes_of(store, "sst/0.0.0")
    for part, wanted in (
            (abc.RangeByteRequest(5, 9), whole[5:9]),
            (abc.RangeByteRequest(5, 1 << 40), whole[5:]),
            (abc.OffsetByteRequest(len(whole) - 3), whole[-3:]),
            (abc.SuffixByteRequest(7), whole[-7:])):
        expect(bytes_of(store, "sst/0.0.0", part) == wanted, part)
    found = asyncio.run(store.get_partial_values(default_buffer_prototype(), [
        ("sst/0.0.0", None), ("no", None),
        ("sst/0.0.0", abc.SuffixByteRequest(1))]))
    expect([part and part.to_bytes() for part in found] ==
           [whole, None, whole[-1:]])
    below = asyncio.run(collect(store.list_dir("sst")))
    expect(".zarray" in below and len(below) == len(set(below)), below)
    expect("sst" in asyncio.run(collect(store.list_dir(""))))
    expect(set(asyncio.run(collect(store.list_prefix("sst/")))) == {
        key for key in keys if key.startswith("sst/")})
    again = pickle.loads(pickle.dumps(store))
    expect(again == store and store.with_read_only(True) == store)
    for call in (lambda: store.set("a", None), lambda: store.delete("a"),
                 store.clear, lambda: store.delete_dir("")):
        raises(PermissionError, lambda call=call: asyncio.run(call()))
    with store:
        pass
    raises(ValueError, lambda: bytes_of(store, "sst/0.0.0"))


def check_fill_attributes():
    """The text of _FillValue in format 3 is what xarray decodes: a double in
    base64 for floating point, a whole number for integers."""
    for dtype, fill in (
            ("f4", numpy.float32(1e20)), ("f8", numpy.nan), ("f8", -1.5),
            ("f4", numpy.int16(-99)), ("i2", numpy.int16(-32768)),
            ("i4", numpy.float64(7)), ("i4", numpy.nan), ("i2", -0.5),
            ("i2", float("inf")), ("i4", None), ("S1", b"-"), ("f8", None)):
        archive, attrs = io.BytesIO(), {"units": "1"}
        if fill is not None:
            attrs["_FillValue"] = fill
        nc3z.pack(make(dtype, [1], attrs), archive)
        store = nc3z.references(archive.getvalue(), "x", zarr_format=3)
        attributes = json.loads(store["refs"]["v/zarr.json"])["attributes"]
        got = attributes.get("_FillValue")
        if isinstance(fill, bytes):
            expect(base64.b64decode(got) == fill, got)
        elif fill is None or dtype[0] == "i" and fill != fill // 1:
            expect("_FillValue" not in attributes, fill, got)
        elif dtype[0] == "f":
            got = struct.unpack("<d", base64.b64decode(got, validate=True))
            expect(numpy.array_equal(got, [fill], equal_nan=True), got)
        else:
            expect(isinstance(got, int) and got == fill, fill, got)
        expect(attributes["units"] == "1")


def check_zarr3(zarr, fsspec):
    """Values of arrays, and what zarr asks a store."""
    del fsspec
    if not has_zarr3():
        print("skipped: zarr 3, which Debian 13 has (./dev test debian13)")
        return
    for options in [], ["--chunks", "time/5,lat/7,lon/11"], ["-b", "4K"]:
        compare(zarr, pack(GRID, *options), ["sst", "time"])
        try_interface(pack(GRID, *options))
    archive = pack("cdf5-all-types.nc")
    with nc3z.File(archive) as file:
        names = list(file)
    expect(len(names) > 10)
    compare(zarr, archive, names)
