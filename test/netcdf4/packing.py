#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks how exact netCDF-4 files are packed, by the rules of data centres.

usage: packing.py --bin DIR FILE...

For CMIP7, time has one chunk, and so have its bounds; data has chunks of 4 MiB
or more, or one chunk; and all metadata comes before all values.  Ours has no
byte of anything else from the first value to HDF5's last byte, and no chunk
that netcdf-c's cache does not hold.  The description says where values are;
h5py, if it is there, says it again, and where headers are.
"""

import argparse
import math
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "testdata"))
import exact  # noqa: E402
from classic_writer import (CHAR, DOUBLE, FLOAT, INT, SHORT,  # noqa: E402
                            ClassicWriter, Var)

try:
    import h5py
except ImportError:
    h5py = None

LEAST, MOST = 4 << 20, 16 << 20
# Of all record variables, from where on chunks are smaller.
BAND = 128 << 20


def follow(places, end, what):
    """Places lie one after the other, up to the end."""
    places = sorted(place for place in places if place[1] > 0)
    at = places[0][0] if places else end
    for address, nbytes in places:
        if address != at:
            raise AssertionError(f"{what}: {address - at} bytes before "
                                 f"{address} are no values")
        at = address + nbytes
    if at != end:
        raise AssertionError(f"{what}: {end - at} bytes behind the values")
    return places


def check_chunks(shape, chunks, width, least, what):
    """Large enough, and not too large."""
    nbytes = width * math.prod(chunks)
    one_more = width * math.prod(chunks[1:]) if len(chunks) > 1 else 0
    if math.prod(-(-n // c) for n, c in zip(shape, chunks)) > 1 and \
            nbytes + one_more < least:
        raise AssertionError(f"{what}: chunks {chunks} of {shape} have "
                             f"{nbytes} bytes")
    if nbytes > MOST:
        raise AssertionError(f"{what}: chunks have {nbytes} bytes")


def check_sizes(tail, what):
    """Chunks of all variables."""
    band = sum(v.width * math.prod(v.chunks) for v in tail.variables
               if v.flags & exact.RECORDS)
    for variable in tail.variables:
        if variable.chunks is not None:
            check_chunks(variable.lengths, variable.chunks, variable.width,
                         LEAST if band <= BAND else LEAST // 4, what)


def one_chunk(file, name, what):
    """A variable, if it is there, has one."""
    if name in file and file[name].chunks and \
            file[name].id.get_num_chunks() > 1:
        raise AssertionError(f"{what}: {name} has chunks "
                             f"{file[name].chunks} of {file[name].shape}")


def check_by_hdf5(path, tail, what):
    """The same places, behind all headers; time and its bounds."""
    places, headers = [], []
    with h5py.File(path, "r") as file:
        for name in file:
            dataset = file[name]
            headers.append(h5py.h5o.get_info(dataset.id).addr)
            if dataset.chunks is None:
                if dataset.id.get_offset() is not None:
                    places.append((dataset.id.get_offset(),
                                   dataset.id.get_storage_size()))
                continue
            for i in range(dataset.id.get_num_chunks()):
                chunk = dataset.id.get_chunk_info(i)
                places.append((chunk.byte_offset, chunk.size))
        one_chunk(file, "time", what)
        if "time" in file and "bounds" in file["time"].attrs:
            one_chunk(file, file["time"].attrs["bounds"].decode()
                      if isinstance(file["time"].attrs["bounds"], bytes)
                      else str(file["time"].attrs["bounds"]), what)
    if not set(tail.places()) <= set(places):
        raise AssertionError(f"{what}: HDF5 has values elsewhere")
    places = follow(places, tail.hdf5_nbytes, what)
    if places and headers and max(headers) > places[0][0]:
        raise AssertionError(f"{what}: a header lies behind values")


def make_inputs(work):
    """Files of time series, by what makes them difficult."""
    def write(name, dims, records, variables, atts=()):
        path = work / f"{name}.nc"
        path.write_bytes(ClassicWriter(
            2, dims=dims, records=records, variables=variables,
            atts=atts).build())
        return path

    time = Var("time", DOUBLE, "time", atts=[("bounds", CHAR, "time_bnds")])
    bounds = Var("time_bnds", DOUBLE, "time bnds")
    dims = [("time", 0), ("bnds", 2), ("y", 30), ("x", 40)]
    yield write("many", dims, 1300, [time, bounds, Var("tas", FLOAT,
                                                       "time y x")],
                [("variable_id", CHAR, "tas")]), []
    # As many chunks as nodes of indexes hold, and some more or less.
    for n in (1, 2, 3, 63, 64, 65, 121, 122, 123, 1000, 4100):
        yield (write(f"nodes-{n}", [("time", 0), ("x", 2)], n,
                     [Var("v", SHORT, "time x"), Var("w", INT, "time")]),
               ["--chunks=v:1,2"])
    # Attributes that HDF5 keeps elsewhere.
    yield write("long", [("time", 0), ("x", 5)], 3, [
        Var("v", FLOAT, "time x", atts=[("text", CHAR, "x" * 70000)])]), []
    yield write("variables", [("time", 0), ("x", 5)], 3, [
        Var(f"v{i}", FLOAT, "time x", atts=[("units", CHAR, "K")])
        for i in range(300)]), []


def main():
    """Checks what is given, and what is made."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("paths", type=pathlib.Path, nargs="*")
    args = parser.parse_args()
    count = 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        made = work / "made.nc4"
        inputs = [(path, []) for path in args.paths]
        for path, options in [*inputs, *make_inputs(work)]:
            done = subprocess.run(
                [args.bin / "nc3convert", "-fq", "--to=netcdf4", *options,
                 "-o", made, path], check=False, capture_output=True)
            if b"HDF5" in done.stderr:
                print("skipped: built without HDF5")
                sys.exit(77)
            if done.returncode == 1:
                continue
            what = f"{path.name} {' '.join(options)}"
            tail = exact.Tail(made.read_bytes())
            # Of odd files it does not have all.
            if path.parent == work:
                follow(tail.places(), tail.hdf5_nbytes, what)
            if not options:
                check_sizes(tail, what)
            if h5py:
                check_by_hdf5(made, tail, what)
            count += 1
    if not h5py:
        print("skipped: h5py does not check the same")
    print(f"{count} files")
    if count < 14:
        sys.exit("too few")


if __name__ == "__main__":
    main()
