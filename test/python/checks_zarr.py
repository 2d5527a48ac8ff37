# SPDX-License-Identifier: MIT
"""Checks references to archives, their codec, and the store for zarr 2; see
checks.py."""

import base64
import json
import math
import pathlib
import pickle
import random
import re
import subprocess
import warnings

import numpy

import nc3z
from common import (
    GRID, SAMPLE, TESTDATA, RangeServer, attempt, damaged, expect, pack,
    raises, real_files, run_python, serve)
from checks_zarr3 import has_zarr3
from nc3z import _codec

# Blocks that end with the variable, that are followed by other bytes, and
# those of one record each.
SHAPES = {"bytes": ("i1", (181, 361)), "planes": ("i1", (3, 181, 361)),
          "long": ("f4", (9, 150, 210)), "wide": ("f8", (2, 4, 90, 180))}
# Blocks with parts of two planes, of whole variables and of records.
ODD = {"odd": ("f4", (3, 5, 301, 310)), "many": ("f4", (7, 9, 100, 100)),
       "end": ("i1", (7, 501, 333))}


def plain(value):
    """An attribute as JSON gives it back; numpy's bytes end before NULs."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.tolist()
    return value.decode("latin-1") if isinstance(value, bytes) else value


def unlike(wanted, got):
    """What differs between an archive's dataset and that of Zarr, or None."""
    if set(wanted.variables) != set(got.variables):
        return "names"
    if str(plain_all(wanted.attrs)) != str(plain_all(got.attrs)):
        return "attributes"
    for name, a in wanted.variables.items():
        b = got.variables[name]
        if a.dims != b.dims or a.shape != b.shape or \
                a.dtype != b.dtype.newbyteorder("="):
            return f"{name}: form"
        if str(plain_all(a.attrs)) != str(plain_all(b.attrs)):
            return f"{name}: attributes {a.attrs} and {b.attrs}"
        if a.values.tobytes() != b.values.astype(a.dtype).tobytes():
            return f"{name}: values"
    return None


def plain_all(attrs):
    """Attributes in an order of their own, as Zarr keeps none."""
    return {name: plain(attrs[name]) for name in sorted(attrs)}


def open_references(xarray, refs, **options):
    """A dataset from references, after they were text."""
    storage = {"fo": json.loads(json.dumps(refs))}
    if has_zarr3():
        storage["remote_options"] = {"asynchronous": True}
    return xarray.open_dataset("reference://", engine="zarr",
                               storage_options=storage, **options)


def read_both(xarray, archive, how, **options):
    """The datasets of an archive and of Zarr, or why there is none."""
    if how == "store":
        return xarray.open_dataset(nc3z.zarr.Store(archive), engine="zarr",
                                   **options)
    refs = nc3z.references(archive, inline_nbytes=how)
    return open_references(xarray, refs, **options)


def check_zarr_is_the_same(xarray, fsspec, zarr):
    """References and store give what archives give, of all kinds of files."""
    del fsspec, zarr
    warnings.simplefilter("ignore")
    ncompared = 0
    for file in SAMPLE + real_files():
        for chunks in [], ["--chunks", "series"]:
            archive = pack(file, *chunks)
            expect(archive, file)
            for how in "store", 0, 8192:
                wanted = attempt(xarray.open_dataset, archive, engine="nc3z",
                                 decode_cf=False)
                if isinstance(wanted, type):
                    continue
                got = attempt(read_both, xarray, archive=archive,
                              how=how, decode_cf=False)
                if got is nc3z.UnsupportedError:
                    continue
                expect(not isinstance(got, type), file, chunks, how, got)
                found = unlike(wanted, got)
                expect(found is None, file, chunks, how, found)
                ncompared += 1
            archive.unlink()
    expect(ncompared >= 5 * len(SAMPLE), ncompared)


def make_shapes(xarray, name, shapes=None, **options):
    """An archive of the variables of SHAPES, or of others."""
    rng = numpy.random.default_rng(3)
    variables = {}
    for key, (kind, shape) in (shapes or SHAPES).items():
        values = rng.integers(-3, 4, shape).cumsum(-1)
        dims = [f"{key}{k}" for k in range(len(shape))]
        variables[key] = dims, values.astype(kind)
        if len(shape) > 2:
            # The same in each record.
            variables["of_records_" + key] = ["t"] + dims[1:], \
                values.astype(kind)[[0] * 9] + 1
    data = xarray.Dataset(variables)
    data.encoding["unlimited_dims"] = {"t"}
    nc3z.pack(data, name, overwrite=True, **options)
    return data


def check_references_of_shapes(xarray, fsspec, zarr, dask):
    """Blocks of all shapes are chunks, whole or cut off; read in any way."""
    del fsspec, zarr
    for options in {}, {"chunks": "series"}, {"block_nbytes": 43200}, \
            {"codec": "lzma"}, \
            {"chunks": ["long0/2,long1/77,long2/130",
                        "wide0/1,wide1/3,wide2/40,wide3/100"]}:
        data = make_shapes(xarray, "shapes.nc3z", level=1, **options)
        if "block_nbytes" in options:  # these blocks have parts of two planes
            data = data.drop_vars("planes")
        refs = nc3z.references("shapes.nc3z", max_inline_nbytes=0,
                               variables=list(data.variables))
        nblocks = nc3z.info("shapes.nc3z").variables
        codec = nblocks["wide"].coding.split()[-1]
        expect(codec == options.get("codec", "zstd"), options, codec)
        for name in data.variables:
            keys = [key for key in refs["refs"] if
                    re.fullmatch(name + r"/[\d.]+", key)]
            expect(len(keys) == nblocks[name].nblocks > 0, name, keys)
        got = open_references(xarray, refs, chunks={})
        expect(got.compute().identical(data), options)
        if not options:  # which finds the codec by itself there
            with dask.config.set(scheduler="processes", num_workers=2):
                expect(got[["wide"]].compute().identical(data[["wide"]]))
        part = got["wide"][1, ::2, 35:50, 90:]
        numpy.testing.assert_array_equal(part, data["wide"][1, ::2, 35:50,
                                                            90:])


def check_references_to_several_blocks(xarray, fsspec, zarr):
    """A chunk of all blocks that it touches."""
    del fsspec, zarr
    for options in {}, {"block_nbytes": 20000}, {"block_nbytes": 150000}:
        data = make_shapes(xarray, "odd.nc3z", ODD, level=1, **options)
        table = nc3z.references("odd.nc3z", max_inline_nbytes=0)
        refs = table["refs"]
        for name in "odd", "of_records_odd", "end":
            array = json.loads(refs[f"{name}/.zarray"])
            expect(array["compressor"]["block_nbytes"] and
                   array["chunks"][0] == 1, name, array)
        got = open_references(xarray, table)
        expect(got.load().identical(data), options)
    # Records of which some are missing, of another variable, or cut off.
    url, offset, nbytes = refs["odd/1.2.0.0"]
    array = json.loads(refs["odd/.zarray"])
    config = dict(array["compressor"])
    config.pop("id")
    with open(url, "rb") as file:
        archive = file.read()
    record = archive[offset:offset + nbytes]
    decoder = _codec.Decoder(**config)
    expect(decoder.decode(record) ==
           data["odd"].values[1, 2].astype(">f4").tobytes())
    for bad in record[:-1], record[1:], record + record, record[:100], b"":
        raises(nc3z.Error, decoder.decode, bad)
    other = refs["many/3.2.0.0"]
    raises(nc3z.Error, decoder.decode, archive[other[1]:sum(other[1:])])
    for changes in {"span_nbytes": 0}, {"span_nbytes": 7}, \
            {"block_nbytes": 1 << 40}, {"block_nbytes": -1}:
        raises(ValueError, _codec.Decoder, **{**config, **changes})
    for changes in {"block_nbytes": config["block_nbytes"] - 4}, \
            {"span_nbytes": config["span_nbytes"] // 3 // 5 * 2}:
        raises(nc3z.Error, _codec.Decoder(**{**config, **changes}).decode,
               record)


def check_references_refuse(xarray):
    """What cannot be referred to is named, or in the references itself."""
    # Blocks of 64 planes, of which seven are one index.
    values = numpy.arange(2100000, dtype="f4").reshape(300, 7, 20, 50)
    data = xarray.Dataset({"odd": (("a", "b", "y", "x"), values),
                           "good": (("y", "x"), values[0, 0])})
    nc3z.pack(data, "odd.nc3z", overwrite=True)
    error = raises(nc3z.UnsupportedError, nc3z.references, "odd.nc3z")
    expect("odd (" in error.reason and "good" not in error.reason and
           "chunks" in error.reason, error)
    refs = nc3z.references("odd.nc3z", variables=["good"])["refs"]
    expect("odd/.zarray" not in refs and "good/0.0" in refs, list(refs))
    refs = nc3z.references("odd.nc3z", max_inline_nbytes=1 << 24)["refs"]
    inside = base64.b64decode(refs["odd/0.0.0.0"].partition(":")[2])
    expect(inside == values.astype(">f4").tobytes())
    nc3z.pack(data, "odd.nc3z", overwrite=True, chunks="balanced")
    expect(isinstance(nc3z.references("odd.nc3z")["refs"]["odd/0.0.0.0"],
                      list))
    # An original that ends early.
    short = TESTDATA / "cdf2-variable-over-4gib-not-last.nc"
    archive = pack(short.name)
    error = raises(nc3z.UnsupportedError, nc3z.references, archive)
    expect("the original ends" in error.reason, error)
    raises(KeyError, nc3z.references, "odd.nc3z", variables=["no"])
    raises(TypeError, nc3z.references, "odd.nc3z", variables="odd")
    raises(ValueError, nc3z.references, "odd.nc3z", zarr_format=1)
    with open("odd.nc3z", "rb") as file:
        raises(TypeError, nc3z.references, file)
        url = nc3z.references(file, "s3://a/b")["refs"]["odd/0.0.0.0"][0]
    expect(url == "s3://a/b", url)
    subprocess.run(["tar", "cf", "some.tar", "odd.nc3z"], check=True)
    error = raises(nc3z.InvalidError, nc3z.references, "some.tar//odd.nc3z")
    expect("tar" in error.reason)
    for name in "cdf1-slash-in-name.nc", "cdf1-rank-40.nc":
        got = attempt(nc3z.references, pack(name))
        expect(got is nc3z.UnsupportedError or isinstance(got, dict), got)
    raises(nc3z.UnsupportedError, nc3z.zarr.Store,
           pack("cdf1-slash-in-name.nc"))


def check_references_to_classic(xarray, fsspec, zarr):
    """To classic files: read without a codec, one by one and joined."""
    del fsspec, zarr
    warnings.simplefilter("ignore")
    ncompared = 0
    for file in SAMPLE + ["cdf1-two-record-variables.nc"]:
        wanted = attempt(xarray.open_dataset, str(TESTDATA / file),
                         engine="nc3z", decode_cf=False)
        refs = attempt(nc3z.references, str(TESTDATA / file), inline_nbytes=0,
                       max_inline_nbytes=0)
        if isinstance(wanted, type) or refs is nc3z.UnsupportedError:
            continue
        expect(isinstance(refs, dict), file, refs)
        expect('"nc3z"' not in json.dumps(refs), file)
        found = unlike(wanted, open_references(xarray, refs, decode_cf=False))
        expect(found is None, file, found)
        ncompared += 1
    expect(ncompared >= len(SAMPLE) - 3, ncompared)
    # Chunks that divide each length, if it has divisors.
    shapes = {"a": ((2, 1000, 300), [1, 1000, 300]),
              "b": ((600011,), [600011]), "c": ((2, 3, 600, 450),
                                                [1, 1, 600, 450]),
              "d": ((3, 750, 1000), [1, 375, 1000])}
    data = xarray.Dataset({
        name: ([f"{name}{k}" for k in range(len(shape))],
               numpy.arange(math.prod(shape), dtype="f8").reshape(shape))
        for name, (shape, _) in shapes.items()})
    data.to_netcdf("classic.nc", format="NETCDF3_64BIT", encoding={
        name: {"_FillValue": None} for name in shapes}, unlimited_dims="d0")
    refs = nc3z.references("classic.nc")
    for name, (_, chunks) in shapes.items():
        found = json.loads(refs["refs"][f"{name}/.zarray"])["chunks"]
        expect(found == chunks, name, found)
    expect(open_references(xarray, refs).load().identical(data))
    parts = []
    for first in 0, 7, 14:
        parts.append(f"part{first}.nc")
        xarray.open_dataset(TESTDATA / GRID, engine="nc3z").isel(
            time=slice(first, first + 7)).to_netcdf(
                parts[-1], format="NETCDF3_64BIT", unlimited_dims="time")
    got = open_references(xarray, nc3z.references(parts[::-1],
                                                  inline_nbytes=0))
    whole = xarray.open_dataset(TESTDATA / GRID, engine="nc3z")
    expect(got["sst"].equals(whole["sst"][:21]))
    # A short file, and one whose header counts records that are not there.
    head = bytearray(pathlib.Path("part0.nc").read_bytes()[:2000])
    head[4:8] = b"\x7f\xff\xff\xff"
    error = raises(nc3z.UnsupportedError, nc3z.references, bytes(head), "x")
    expect("sst (the file ends before its values)" in error.reason, error)


def check_references_to_another_archive(xarray, fsspec, zarr):
    """An archive that was replaced or damaged gives an error, no values."""
    del fsspec, zarr
    make_shapes(xarray, "shapes.nc3z", level=1)
    refs = nc3z.references("shapes.nc3z", inline_nbytes=0)
    make_shapes(xarray, "shapes.nc3z", chunks="series")
    got = open_references(xarray, refs)
    for name in SHAPES:
        raises(nc3z.Error, got[name][-1, -1].load)
    make_shapes(xarray, "shapes.nc3z", level=1)
    offset, nbytes = refs["refs"]["long/1.0.0"][1:]
    archive = pathlib.Path("shapes.nc3z")
    archive.write_bytes(damaged(archive.read_bytes(), offset + nbytes // 2))
    got = open_references(xarray, refs)
    got["long"][1].load()
    error = raises(nc3z.DamagedError, got["long"][2].load)
    expect("damaged" in str(error), error)


def check_references_by_url(xarray, fsspec, zarr, aiohttp, requests):
    """From a server: the bytes of the chunks that are wanted, no others."""
    del fsspec, zarr, aiohttp, requests
    data = make_shapes(xarray, "shapes.nc3z", chunks="balanced")
    with serve() as address:
        url = f"{address}/shapes.nc3z"
        refs = nc3z.references("shapes.nc3z", url)
        got = open_references(xarray, refs)
        RangeServer.requests.clear()
        expect(numpy.array_equal(got["long"][2, 7], data["long"][2, 7]))
        places = [value[1:] for key, value in refs["refs"].items()
                  if key.startswith("long/") and isinstance(value, list)]
        expect(0 < len(RangeServer.requests) < len(places))
        # fsspec joins neighbours.
        for first, last in RangeServer.requests:
            expect(any(first == offset for offset, _ in places) and
                   any(last + 1 == sum(place) for place in places))


def check_codec(xarray, numcodecs):
    """The codec decodes records, and nothing else; numcodecs finds it."""
    data = make_shapes(xarray, "shapes.nc3z")
    refs = nc3z.references("shapes.nc3z", inline_nbytes=0)["refs"]
    config = json.loads(refs["bytes/.zarray"])["compressor"]
    # In a process that knows nothing of nc3z but its entry points.
    run_python("import sys, json, numcodecs; "
               "codec = numcodecs.get_codec(json.loads(sys.argv[1])); "
               "assert type(codec).__name__ == 'Nc3zCodec'",
               json.dumps(config))
    codec = numcodecs.get_codec(config)
    expect(codec.get_config() == config and codec.codec_id == "nc3z")
    expect(pickle.loads(pickle.dumps(codec)) == codec)
    url, offset, nbytes = refs["bytes/0.0"]
    with open(url, "rb") as file:
        file.seek(offset)
        record = file.read(nbytes)
    wanted = data["bytes"].values.tobytes()
    out = numpy.empty(len(wanted), "i1")
    for buffer in record, bytearray(record), memoryview(record), \
            numpy.frombuffer(record, "u1"):
        expect(bytes(codec.decode(buffer)) == wanted)
        codec.decode(buffer, out=out)
        expect(out.tobytes() == wanted)
    raises(NotImplementedError, codec.encode, b"")
    for length in 0, 1, 5, 46, nbytes - 1:
        raises(nc3z.DamagedError, codec.decode, record[:length])
    rng = random.Random(5)
    for _ in range(300):
        bad = bytearray(record)
        bad[rng.randrange(nbytes)] ^= 1 << rng.randrange(8)
        raises(nc3z.DamagedError, codec.decode, bad)
        raises(nc3z.DamagedError, codec.decode, rng.randbytes(80))
    # Metadata of another array, and such as no array has.
    for chunks, shape in ([180, 361], [180, 361]), ([361, 181], [362, 190]), \
            ([1, 361], [0, 361]):
        raises((nc3z.InvalidError, nc3z.LimitError),
               _codec.Decoder(1, chunks, shape).decode, record)
    for arguments in (3, [1], [1]), (1, [0], [1]), (1, [1], [-1]), \
            (1, [1 << 27], [1]), (1, [1, 1], [1]), (1, [], []), \
            (1, [1.5], [1]), (1, [1], [1], 4), (8, [1 << 62], [1]), \
            (1, [1] * 40, [1] * 40):
        raises(ValueError, _codec.Decoder, *arguments)


def check_store(xarray, zarr):
    """A mapping for zarr 2: arrays, keys, threads, other processes."""
    if int(zarr.__version__.split(".")[0]) != 2:
        return
    data = make_shapes(xarray, "shapes.nc3z",
                       chunks=["long0/5,long1/77,long2/210"])
    store = nc3z.zarr.Store("shapes.nc3z")
    group = zarr.open_group(store, mode="r")
    expect(sorted(group.array_keys()) == sorted(data.variables))
    expect(group["long"].chunks == (5, 77, 210), group["long"].chunks)
    for name, variable in data.items():
        expect(numpy.array_equal(group[name][...], variable), name)
        expect(group[name].nchunks_initialized == group[name].nchunks, name)
    expect(numpy.array_equal(group["wide"].oindex[1, [0, 3], 3, ::7],
                             data["wide"].values[1, [0, 3], 3, ::7]))
    keys = list(store)
    expect(len(keys) == len(store) == len(set(keys)))
    for key in keys:
        expect(key in store and len(store[key]) == store.getsize(key), key)
    for key in "", "long", "long/", "long/0.0", "long/0.0.0.0", "long/0.00.0", \
            "long/0.9.0", "long/-1.0.0", "long/c/0/0/0", "no/0", ".zgroup/", \
            "long/0.0.٣", 7:
        expect(key not in store, key)
    raises(KeyError, store.__getitem__, "long/9.9.9")
    expect(sorted(store.listdir()) == sorted(
        [".zgroup", ".zattrs", ".zmetadata", *data.variables]))
    expect(sorted(store.listdir("bytes")) == [".zarray", ".zattrs", "0.0"])
    for call in (lambda: store.update(a=b""), lambda: store.pop(".zattrs"),
                 lambda: zarr.open_group(store, mode="r+").create_group("g")):
        raises((PermissionError, zarr.errors.ReadOnlyError), call)
    # A copy of it has all values.
    copy = {}
    zarr.copy_store(store, copy)
    expect(numpy.array_equal(zarr.open(copy, mode="r")["long"], data["long"]))
    again = pickle.loads(pickle.dumps(store))
    expect(again == store and again["long/0.0.0"] == store["long/0.0.0"])
    few = nc3z.zarr.Store("shapes.nc3z", variables=["wide"])
    expect(list(zarr.open_group(few, mode="r")) == ["wide"])
    raises(KeyError, nc3z.zarr.Store, "shapes.nc3z", variables=["a"])
    with open("shapes.nc3z", "rb") as file:
        expect(len(nc3z.zarr.Store(file.read())) == len(store))
    plain_file = nc3z.zarr.Store(TESTDATA / GRID)
    expect(numpy.array_equal(zarr.open(plain_file, mode="r")["sst"],
                             nc3z.File(TESTDATA / GRID)["sst"][...]))
    with store:
        pass
    raises(ValueError, store.__getitem__, "long/0.0.0")


def check_store_in_dask(xarray, zarr, dask):
    """Threads and processes of dask read the store."""
    del zarr
    data = make_shapes(xarray, "shapes.nc3z", chunks="balanced")
    got = xarray.open_zarr(nc3z.zarr.Store("shapes.nc3z"))
    expect(got.identical(data) and got["long"].chunks is not None)
    expect(got.compute().identical(data))
    with dask.config.set(scheduler="processes", num_workers=2):
        expect(got[["wide"]].compute().identical(data[["wide"]]))
