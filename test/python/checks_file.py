# SPDX-License-Identifier: MIT
"""Checks nc3z.File and nc3z.Variable; see checks.py."""

import ctypes
import os
import pickle
import random
import re
import subprocess
import sys
import threading
import warnings

import numpy

import nc3z
from common import (
    GRID, HEADER, LAYOUT, TESTDATA, check_threads, expect, index_numpy, pack,
    raises, random_entry)
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
    expect(len(ours) == 20, sorted(ours))
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
    damaged = bytearray(archive.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    archive.write_bytes(damaged)
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
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
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

        child = os.fork()
        if child == 0:
            parent = file._handle
            same = numpy.array_equal(variable[...], whole)
            os._exit(0 if same and file._handle is not parent else 1)
        expect(os.waitpid(child, 0)[1] == 0)


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
        done = subprocess.run([sys.executable, "-c", READ, archive],
                              capture_output=True, check=False, timeout=60)
        expect(done.returncode == 0, done.returncode, done.stderr)


def check_no_library():
    """Without the library, other files are opened as ever."""
    script = ("import nc3z, importlib.util\n"
              "if importlib.util.find_spec('xarray'):\n"
              "    import xarray\n"
              f"    xarray.open_dataset({str(TESTDATA / GRID)!r})\n"
              "try:\n    nc3z.File('x')\n"
              "except ImportError as error:\n    print(error)\n")
    done = subprocess.run([sys.executable, "-c", script], check=True,
                          capture_output=True, text=True,
                          env=dict(os.environ, NC3Z_LIBRARY="/not/there.so"))
    expect("/not/there.so" in done.stdout, done.stdout)
