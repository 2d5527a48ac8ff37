# SPDX-License-Identifier: MIT
"""Checks references to exact netCDF-4 files; see checks.py."""

import json
import pathlib
import random
import subprocess
import warnings
import zlib

import nc3z
from checks_zarr import open_references, unlike
from common import (
    BIN, GRID, SAMPLE, TESTDATA, attempt, expect, raises, real_files)
from nc3z._exact import TRAILER

# Files whose bytes are of two variables.
OVERLAPPING = ["cdf1-fixed-variables-overlapping.nc",
               "cdf1-begin-inside-header.nc"]


def convert(name, *options):
    """The netCDF-4 file of a classic one, or None."""
    made = pathlib.Path(pathlib.Path(name).stem + ".nc4").resolve()
    done = subprocess.run([BIN / "nc3convert", "-fq", "--to=netcdf4", *options,
                           "-o", made, TESTDATA / name], check=False,
                          stderr=subprocess.DEVNULL)
    return made if done.returncode in (0, 3) else None


def has_hdf5():
    """Whether such files can be made here."""
    return convert(GRID) is not None


def check_exact_is_the_same(xarray, fsspec, zarr, numcodecs):
    """References give what the classic file gives, without a codec of ours."""
    del fsspec, zarr, numcodecs
    if not has_hdf5():
        print("skipped: nc3convert makes no netCDF-4 files here")
        return
    warnings.simplefilter("ignore")
    ncompared = 0
    for file in SAMPLE + ["cdf1-trailing-zeros.nc"] + real_files():
        for chunks in [], ["--chunks=series"], ["-0"]:
            wanted = attempt(xarray.open_dataset, str(TESTDATA / file),
                             engine="nc3z", decode_cf=False)
            made = convert(file, *chunks)
            if made is None or isinstance(wanted, type):
                continue
            refs = nc3z.references(made)
            expect("nc3z" not in json.dumps(refs).replace(str(made), ""), file)
            got = open_references(xarray, refs, decode_cf=False)
            found = unlike(wanted, got)
            expect(found is None, file, chunks, found)
            ncompared += 1
            made.unlink()
    expect(ncompared >= 2 * len(SAMPLE), ncompared)


def check_exact_is_what_others_read(netCDF4, fsspec, zarr, numcodecs):
    """Zarr's values are those of netCDF4; from objects, too."""
    del numcodecs
    made = convert(GRID, "--chunks=balanced") if has_hdf5() else None
    if made is None:
        return
    refs = nc3z.references(made.read_bytes(), "far", variables=None)
    expect({entry[0] for entry in refs["refs"].values()
            if isinstance(entry, list)} == {"far"})
    with open(made, "rb") as file:
        expect(nc3z.references(file, str(made)) == nc3z.references(made))
    # The store of zarr 3 is another one: there xarray compares alone.
    if int(zarr.__version__.split(".", maxsplit=1)[0]) >= 3:
        return
    group = zarr.open(fsspec.get_mapper(
        "reference://", fo=nc3z.references(str(made))), "r")
    with netCDF4.Dataset(made) as file:
        file.set_auto_maskandscale(False)
        expect(set(group) == set(file.variables))
        for name, variable in file.variables.items():
            expect((group[name][...] == variable[...]).all(), name)


def check_exact_refuses():
    """Files that are none, or not whole, by name."""
    made = convert(GRID) if has_hdf5() else None
    if made is None:
        return
    data = made.read_bytes()
    error = raises(nc3z.NotArchiveError, nc3z.references, data[:-1], "x")
    expect("another program has changed" in error.reason, error)
    raises(nc3z.NotArchiveError, nc3z.references, data[:600], "x")
    raises(nc3z.NotClassicError, nc3z.references, b"text" * 90, "x")
    error = raises(nc3z.UnsupportedError, nc3z.references, [made, made])
    expect("cannot be joined here: join their archives" in error.reason, error)
    # The frame and the description come before the trailer.
    for back in 110, 140, 200:
        bad = bytearray(data)
        bad[-back] ^= 4
        raises(nc3z.DamagedError, nc3z.references, bytes(bad), "x")
    for name in OVERLAPPING:
        made = convert(name)
        error = raises(nc3z.UnsupportedError, nc3z.references, made)
        expect("lie over its bytes" in error.reason, error)
        expect(nc3z.references(made, variables=[])["refs"], name)


def check_exact_bears_nonsense():
    """Descriptions whose checksums are right and whose numbers are not."""
    made = convert(GRID, "--chunks=series") if has_hdf5() else None
    if made is None:
        return
    data = made.read_bytes()
    fields = list(TRAILER.unpack(data[-TRAILER.size:]))
    begin = len(data) - TRAILER.size - fields[2]
    description = zlib.decompress(data[begin:-TRAILER.size])
    rng = random.Random(11)
    ndamaged = 0
    for _ in range(400):
        text = bytearray(description)
        for _ in range(rng.randrange(1, 4)):
            text[rng.randrange(len(text))] = rng.choice(
                (0, 1, 255, rng.randrange(256)))
        stored = zlib.compress(bytes(text))
        fields[2], fields[4] = len(stored), zlib.crc32(stored)
        trailer = TRAILER.pack(*fields)[:-4]
        bad = data[:begin] + stored + trailer + \
            zlib.crc32(trailer).to_bytes(4, "little")
        found = attempt(nc3z.references, bad, url="x")
        expect(isinstance(found, dict) or issubclass(found, nc3z.Error), found)
        ndamaged += found is nc3z.DamagedError
    expect(ndamaged > 100, ndamaged)
