# SPDX-License-Identifier: MIT
"""Checks nc3z.File and nc3z.Variable; see checks.py."""

import ctypes
import io
import os
import pickle
import random
import re
import subprocess
import threading

import numpy

import nc3z
from common import (
    GRID, HEADER, LAYOUT, TESTDATA, check_threads, damaged, expect, in_child,
    index_numpy, noted, pack, raises, random_entry, run_python)
from nc3z import _indexing, _library, _structs


def check_header():
    """Version, structures and statuses are those of nc3z.h."""
    version = re.search(r'NC3Z_VERSION "(.*)"', HEADER.read_text("utf-8"))[1]
    expect(nc3z.__version__ == version, nc3z.__version__, version)
    expect(_library.SONAME == "libnc3z.so." + version.split(".")[0])
    lines = subprocess.run([LAYOUT], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    ours = {structure.__doc__.split()[1]: structure
            for structure in vars(_structs).values()
            if isinstance(structure, type) and structure.__module__ ==
            "nc3z._structs" and structure.__doc__.startswith("struct ")}
    expect(len(ours) == 23, sorted(ours))
    wanted = {}
    for name, structure in ours.items():
        wanted[name] = [str(ctypes.sizeof(structure))]
        for field, _ in structure._fields_:
            place = getattr(structure, field)
            wanted[f"{name}.{field}"] = [str(place.offset), str(place.size)]
    for name, number in vars(_structs).items():
        if name.isupper() and isinstance(number, int):
            signed = number - 2 ** 64 if number >= 2 ** 63 else number
            wanted["NC3Z_" + name] = [str(signed)]
    # Of the structures that are used here, all fields.
    found = {line.split()[0]: line.split()[1:] for line in lines
             if line.split()[0] in wanted or line.split(".")[0] in ours}
    expect(found == wanted, set(map(str, found.items())) ^
           set(map(str, wanted.items())))


def collect(variable, *args, **options):
    """An array of the values of all blocks, and their number."""
    whole = numpy.ma.masked_all(variable.shape, variable.dtype)
    seen, nblocks = numpy.zeros(variable.shape, int), 0
    for index, values in variable.blocks(*args, **options):
        expect(numpy.array_equal(variable[index], values,
                                 equal_nan=values.dtype.kind == "f"), index)
        whole[index], nblocks = values, nblocks + 1
        seen[index] += 1
    return whole, seen, nblocks


def check_blocks():
    """Blocks of any lengths hold each value once, and decode few blocks."""
    rng = random.Random(8)
    for options in [], ["-b", "4K"], ["--chunks", "time/5,lat/7,lon/11"]:
        archive = pack(GRID, *options)
        for source in archive, TESTDATA / GRID, \
                io.BytesIO(archive.read_bytes()):
            variable = nc3z.File(source)["sst"]
            for each in variable, variable.raw(), variable.unpacked():
                lengths = [rng.randint(3, n + 1) for n in variable.shape]
                got, seen, _ = collect(each, lengths)
                expect((seen == 1).all() and numpy.array_equal(
                    got, each[...], equal_nan=True), options, lengths)
            key = numpy.s_[3:20:2, :, 7:50:3]
            _, seen, _ = collect(variable, {"lat": 4}, select=key)
            wanted = numpy.zeros(variable.shape, int)
            wanted[key] = 1
            expect(numpy.array_equal(seen, wanted), options)
    with nc3z.File(pack(GRID, "-b", "4K"), cache_nbytes=0) as file:
        nblocks = file.info().variables["sst"].nblocks
        before = file.cache_info().nblocks_decoded
        made = list(file["sst"].raw().blocks({"lat": 1, "lon": 1}))
        expect(len(made) == 30 * 60 and nblocks > 20)
        expect(file.cache_info().nblocks_decoded - before == nblocks,
               file.cache_info())
        expect(made[61][0] == (slice(0, 24, 1), slice(1, 2, 1),
                               slice(1, 2, 1)), made[61][0])
        started = file["sst"].blocks([1, -1, None])
        first = next(started)[1]
    # The file stays open for those that have begun.
    expect(len(list(started)) == 23 and first.shape == (1, 30, 60))
    started.close()
    expect(not list(started))


def check_blocks_refuse():
    """Wrong arguments; a damaged block, after which the others come."""
    archive = pack(GRID, "-b", "4K")
    variable = nc3z.File(archive)["sst"]
    for lengths in {"x": 1}, [1, 2], {"time": 0}, [1, 2, -3]:
        raises(ValueError, variable.blocks, lengths)
    for select in 0, [1, 2, 5], numpy.s_[::-1]:
        raises(IndexError, variable.blocks, select=select)
    raises(nc3z.LimitError, variable.blocks, [24, 30, 60],
           max_memory_nbytes=1000)
    expect(not list(variable.blocks(select=numpy.s_[5:5])))
    blocks = nc3z.File(damaged(archive.read_bytes()))["sst"].blocks({"time": 1})
    results = []
    while True:
        try:
            results.append(next(blocks)[0][0].start)
        except nc3z.DamagedError as error:
            expect(error.variable == "sst" and error.block is not None)
            results.append(None)
        except StopIteration:
            break
    expect(len(results) == 24 and 0 < results.count(None) < 4, results)
    for name in "cdf1-zero-records.nc", "cdf1-scalar-variables.nc", \
            "cdf1-truncated-inside-record.nc":
        with noted() as found, nc3z.File(TESTDATA / name, raw=True) as file:
            for each in file.values():
                expect(numpy.array_equal(collect(each)[0], each[...]) or
                       not each.size, name, each)
        expect(bool(found) == ("truncated" in name), name)
    begun = variable.blocks({"time": 1})
    in_child(lambda: next(variable.blocks()))
    in_child(lambda: raises(ValueError, next, begun))


def check_indices():
    """Any index gives what numpy gives, from few hyperslabs and from many."""
    rng = random.Random(7)
    for options in ["-b", "4K"], ["--chunks", "time/5,lat/7,lon/11"]:
        with nc3z.File(pack(GRID, *options)) as file:
            variable = file.variables["sst"]
            whole = variable[...]
            expect(whole.shape == variable.shape == (24, 30, 60))
            for _ in range(150):
                _indexing.HYPERSLABS_MAX = rng.choice([1, 8, 1024])
                key = tuple(random_entry(rng, n) for n in variable.shape)
                wanted, got = index_numpy(whole, key), variable[key]
                expect(wanted.shape == got.shape
                       and wanted.tobytes() == got.tobytes(), key)
            expect((variable[..., 3] == whole[..., 3]).all())
            expect((variable[3] == whole[3]).all())
            expect((variable[::2 ** 70] == whole[::2 ** 70]).all())
            expect((variable[::-2 ** 70] == whole[::-2 ** 70]).all())
            for key in 24, -25, (0, [60]), (0, 0, 0, 0), (..., ...), 0.5, \
                    [True], [[1]], ["a"], "a", None, True, numpy.False_, {}:
                raises(IndexError, variable.__getitem__, key)
            error = raises(IndexError, variable.__getitem__, (0, [60]))
            expect(f"dimension 2 ({variable.dims[1]}): " in str(error), error)


def check_errors():
    """Exceptions say file, place and reason, and travel."""
    raises(FileNotFoundError, nc3z.File, "not-there.nc3z")
    error = raises(nc3z.Error, nc3z.File, TESTDATA / "bad-magic.nc")
    expect("bad-magic.nc: " in str(error) and error.status == 5, error)

    archive = pack(GRID, "-b", "16K")
    archive.write_bytes(damaged(archive.read_bytes()))
    with nc3z.File(archive) as file:
        error = raises(nc3z.Error, file.variables["sst"].__getitem__, ...)
        expect(error.status == 7 and error.block is not None
               and error.offset and error.path == str(archive), vars(error))
        expect("block" in str(error) and str(archive) in str(error), error)
        again = pickle.loads(pickle.dumps(error))
        expect(vars(again) == vars(error) and str(again) == str(error))
        expect(numpy.isfinite(file.variables["sst"][0]).all())
        variable = file.variables["sst"]
    error = raises(ValueError, variable.__getitem__, 0)
    expect("closed" in str(error), error)


def check_truncated():
    """Zeros beyond the end come with a warning."""
    with nc3z.File(pack("cdf1-truncated-inside-record.nc")) as file:
        with noted() as found:
            for variable in file.variables.values():
                expect(variable[...].shape == variable.shape)
    expect(found and all(w.category is nc3z.TruncationWarning for w in found))
    expect(found[0].filename == __file__, found[0].filename)


def check_threads_and_processes():
    """Threads share a file; a child opens it anew."""
    with nc3z.File(pack(GRID, "-b", "4K"), cache_nbytes=10000) as file:
        variable = file.variables["sst"]
        whole = variable[...]
        check_threads(variable, 6, 100)

        def read_again():
            parent = file._handle
            expect(numpy.array_equal(variable[...], whole) and
                   file._handle is not parent)
        in_child(read_again)


READ = """
import io, sys, threading, time, nc3z
file = nc3z.File(io.BytesIO(open(sys.argv[1], "rb").read()), cache_nbytes=0)
begun = threading.Event()
def go():
    try:
        while True:
            for variable in file.values():
                variable[...]
            file.cache_info()
            begun.set()
    except ValueError:
        pass
for _ in range(4):
    threading.Thread(target=go, daemon=True).start()
begun.wait()
"""


def check_closing_while_others_read():
    """Calls come to their end; later ones raise, and nothing crashes."""
    archive = pack(GRID)
    for _ in range(300):
        file, refused = nc3z.File(archive), []

        def ask():
            try:
                while True:
                    file.cache_info()  # pylint: disable=W0640
                    expect(file.nbytes > 0)  # pylint: disable=W0640
            except ValueError as error:
                refused.append(error)  # pylint: disable=W0640
        thread = threading.Thread(target=ask)
        thread.start()
        file.close()
        thread.join()
        expect(len(refused) == 1)
    for _ in range(5):
        run_python(READ, archive)


def check_no_library():
    """Without the library, other files are opened as ever."""
    script = ("import nc3z, importlib.util\n"
              "if importlib.util.find_spec('xarray'):\n"
              "    import xarray\n"
              f"    xarray.open_dataset({str(TESTDATA / GRID)!r})\n"
              "try:\n    nc3z.File('x')\n"
              "except ImportError as error:\n    print(error)\n")
    text = run_python(script, env=dict(os.environ,
                                       NC3Z_LIBRARY="/not/there.so"))
    expect("/not/there.so" in text, text)
