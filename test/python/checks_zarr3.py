# SPDX-License-Identifier: MIT
"""Checks the store and the codec for zarr 3; see checks.py.

Debian 12 has no zarr 3, and where that is not installed a test double of it is
used, zarr3_double/, which has its published interface and no more.  So that
neither meets another zarr, this runs in a process of its own.
"""

import asyncio
import importlib.metadata
import itertools
import json
import os
import pathlib
import pickle
import subprocess
import sys
import types

import numpy

DOUBLE = pathlib.Path(__file__).resolve().parent / "zarr3_double"


def has_zarr3():
    """Whether the real one is installed."""
    try:
        return int(importlib.metadata.version("zarr").split(".")[0]) >= 3
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return False


def check_zarr3():
    """All of the below."""
    path = [os.environ["PYTHONPATH"]]
    if not has_zarr3():
        print("no zarr 3: a test double in its place")
        path.insert(0, str(DOUBLE))
    subprocess.run([sys.executable, "-B", __file__, *sys.argv[1:]], check=True,
                   env=dict(os.environ, PYTHONPATH=os.pathsep.join(path)))


async def collect(iterator):
    """What an asynchronous iterator gives."""
    return [item async for item in iterator]


def entry_point():
    """The codec as zarr finds it by the entry points of this package."""
    group = [point for point in
             importlib.metadata.distribution("nc3z").entry_points
             if point.group == "zarr.codecs"]
    assert [point.name for point in group] == ["nc3z"], group
    return group[0].load()


def read_array(array, get):
    """All values by metadata of format 3; get() gives a value by its key."""
    shape = array["shape"]
    chunks = array["chunk_grid"]["configuration"]["chunk_shape"]
    kind = {"null_terminated_bytes": "S1"}.get(
        array["data_type"]["name"]) if isinstance(
        array["data_type"], dict) else numpy.dtype(array["data_type"]).str[1:]
    codecs = array["codecs"]
    endian = codecs[0].get("configuration", {}).get("endian", "little")
    assert codecs[0]["name"] == "bytes" and len(codecs) <= 2
    values = numpy.empty(shape, kind)
    for place in itertools.product(*(range(-(-n // chunk)) for n, chunk in
                                     zip(shape, chunks))):
        data = get("/".join(["c", *map(str, place)]))
        for codec in codecs[1:]:
            data = decode(codec, data)
        chunk = numpy.frombuffer(
            data, {"big": ">", "little": "<"}[endian] + kind).reshape(chunks)
        where = tuple(slice(i * n, min((i + 1) * n, length)) for i, n, length
                      in zip(place, chunks, shape))
        values[where] = chunk[tuple(slice(0, part.stop - part.start)
                                    for part in where)]
    return values


def decode(codec, data):
    """By the codec of a name, through the coroutine that zarr calls."""
    from zarr.core.buffer import default_buffer_prototype
    prototype = default_buffer_prototype()
    made = entry_point().from_dict(codec)
    assert made.to_dict() == codec
    chunk = asyncio.run(made.decode([
        (prototype.buffer.from_bytes(data),
         types.SimpleNamespace(prototype=prototype)), (None, None)]))
    assert chunk[1] is None
    return chunk[0].to_bytes()


def refer(refs, name):
    """A function for values by their keys below an array."""
    import base64

    def get(key):
        value = refs[f"{name}/{key}"]
        if isinstance(value, str):
            return base64.b64decode(value.partition("base64:")[2])
        with open(value[0], "rb") as file:
            file.seek(value[1])
            return file.read(value[2])
    return get


def compare(archive, names):
    """References and store of format 3 give what the archive gives."""
    import nc3z
    import nc3z.zarr
    refs = nc3z.references(archive, inline_nbytes=0, zarr_format=3)["refs"]
    store = nc3z.zarr.Store(archive, zarr_format=3)
    with nc3z.File(archive) as file:
        for name in names:
            wanted = file[name][...]
            array = json.loads(refs[f"{name}/zarr.json"])
            assert array["dimension_names"] == list(file[name].dims)
            got = read_array(array, refer(refs, name))
            assert got.tobytes() == wanted.tobytes(), name
            array = json.loads(bytes_of(store, f"{name}/zarr.json"))
            got = read_array(array, lambda key, name=name: bytes_of(
                store, f"{name}/{key}"))
            assert got.tobytes() == wanted.tobytes(), name


def bytes_of(store, key, part=None):
    """A value of a store, or a part of it."""
    found = asyncio.run(store.get(key, byte_range=part))
    return None if found is None else found.to_bytes()


def try_interface(archive):
    """The methods that zarr calls."""
    from zarr.abc import store as abc
    import nc3z.zarr
    store = nc3z.zarr.Store(archive)
    assert isinstance(store, abc.Store) and store.read_only
    assert not store.supports_writes and store.supports_listing
    keys = asyncio.run(collect(store.list()))
    assert ".zgroup" in keys and "sst/0.0.0" in keys, keys
    for key in keys:
        assert asyncio.run(store.exists(key)), key
        assert asyncio.run(store.getsize(key)) == len(bytes_of(store, key))
    assert not asyncio.run(store.exists("no/such")) and \
        bytes_of(store, "no/such") is None
    whole = bytes_of(store, "sst/0.0.0")
    for part, wanted in (
            (abc.RangeByteRequest(5, 9), whole[5:9]),
            (abc.RangeByteRequest(5, 1 << 40), whole[5:]),
            (abc.OffsetByteRequest(len(whole) - 3), whole[-3:]),
            (abc.SuffixByteRequest(7), whole[-7:])):
        assert bytes_of(store, "sst/0.0.0", part) == wanted, part
    from zarr.core.buffer import default_buffer_prototype
    found = asyncio.run(store.get_partial_values(default_buffer_prototype(), [
        ("sst/0.0.0", None), ("no", None),
        ("sst/0.0.0", abc.SuffixByteRequest(1))]))
    assert [part and part.to_bytes() for part in found] == \
        [whole, None, whole[-1:]]
    below = asyncio.run(collect(store.list_dir("sst")))
    assert ".zarray" in below and len(below) == len(set(below)), below
    assert "sst" in asyncio.run(collect(store.list_dir("")))
    assert set(asyncio.run(collect(store.list_prefix("sst/")))) == {
        key for key in keys if key.startswith("sst/")}
    again = pickle.loads(pickle.dumps(store))
    assert again == store and store.with_read_only(True) == store
    for call in (lambda: store.set("a", None), lambda: store.delete("a"),
                 lambda: store.clear(), lambda: store.delete_dir("")):
        try:
            asyncio.run(call())
        except PermissionError:
            continue
        raise AssertionError("was written to")
    with store:
        pass
    assert not again._is_open or again._keys.file.is_open


def main():
    """In a process where zarr is version 3 or its double."""
    import nc3z
    from common import GRID, pack
    for options in [], ["--chunks", "time/5,lat/7,lon/11"], ["-b", "4K"]:
        compare(pack(GRID, *options), ["sst", "time"])
        try_interface(pack(GRID, *options))
    archive = pack("cdf5-all-types.nc")
    with nc3z.File(archive) as file:
        names = list(file)
    assert len(names) > 10
    compare(archive, names)


if __name__ == "__main__":
    main()
