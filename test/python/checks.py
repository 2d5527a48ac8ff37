"""Checks the Python package that is in the search path.

usage: checks.py BIN LAYOUT TESTDATA

For use by check_python.py, in a directory of its own.  Every function whose
name begins with "check_" is a check; one with parameters named like modules
runs only where these are installed.
"""

import importlib
import inspect
import os
import pathlib
import pickle
import random
import re
import shutil
import subprocess
import sys
import threading
import warnings

import numpy

import nc3z
from nc3z import _indexing, _library, _source

BIN, LAYOUT, TESTDATA = (pathlib.Path(arg) for arg in sys.argv[1:4])
HEADER = pathlib.Path(__file__).resolve().parents[2] / "lib" / "nc3z.h"

# Read through xarray; every kind of file that libnetcdf reads.
SAMPLE = [
    "cdf1-all-types.nc", "cdf2-all-types.nc", "cdf5-all-types.nc",
    "cdf1-attribute-types.nc", "cdf1-char-table.nc", "cdf1-packed-short.nc",
    "cdf1-duplicate-attribute-name.nc", "cdf1-duplicate-variable-name.nc",
    "cdf1-fill-values.nc", "cdf1-float-grid-with-holes.nc",
    "cdf1-lone-record-variable-unpadded-short3.nc", "cdf1-minimal.nc",
    "cdf1-no-variables.nc", "cdf1-truncated-inside-record.nc",
    "cdf1-utf8-names.nc", "cdf1-zero-records.nc", "cdf2-float-records.nc",
    "cdf5-int64-times.nc",
]
REAL_NBYTES_MAX = 700000
REAL_EVERY = 1 if os.environ.get("NC3Z_INTEROP") == "all" else 12
GRID = "cdf2-float-records.nc"


def pack(name, *options):
    """Packs a file into this directory; the archive."""
    original = TESTDATA / name
    archive = pathlib.Path(original.name + ".nc3z").resolve()
    done = subprocess.run([BIN / "nc3compress", "-kfq", *options, "-o",
                           archive, original], check=False,
                          stderr=subprocess.DEVNULL)
    return archive if done.returncode in (0, 3) else None


def expect(condition, *what):
    """Ends the check if a condition does not hold."""
    if not condition:
        raise AssertionError(" ".join(str(word) for word in what))


def raises(kind, function, *args):
    """The exception of that kind that a call raises."""
    try:
        function(*args)
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def check_header():
    """Version, structures and statuses are those of nc3z.h."""
    version = re.search(r'NC3Z_VERSION "(.*)"', HEADER.read_text("utf-8"))[1]
    expect(nc3z.__version__ == version, nc3z.__version__, version)
    expect(_library.SONAME == "libnc3z.so." + version.split(".")[0])
    lines = subprocess.run([LAYOUT], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    ours = {"nc3z_error": _library.CError, "nc3z_dim": _library.CDim,
            "nc3z_open_options": _library.COpenOptions,
            "nc3z_var": _library.CVar, "nc3z_att": _library.CAtt,
            "nc3z_hyperslab": _library.CSlab,
            "nc3z_range": _source.CRange,
            "nc3z_callbacks": _source.CCallbacks}
    wanted = {}
    for name, structure in ours.items():
        wanted[name] = [str(_library.ctypes.sizeof(structure))]
        for field, _ in structure._fields_:
            place = getattr(structure, field)
            wanted[f"{name}.{field}"] = [str(place.offset), str(place.size)]
    for name in ("OK", "EIO", "ENOMEM", "ETRUNCATED", "GLOBAL", "NAT", "CHAR"):
        wanted["NC3Z_" + name] = [str(getattr(_library, name))]
    # Of the structures that are used here, all fields.
    found = {line.split()[0]: line.split()[1:] for line in lines
             if line.split()[0] in wanted or line.split(".")[0] in ours}
    expect(found == wanted, found, wanted)


def random_entry(rng, length):
    """An index for one dimension."""
    def bound():
        return rng.choice([None, rng.randint(-length - 2, length + 2)])
    kind = rng.randrange(6)
    if kind == 0 and length:
        return rng.randint(-length, length - 1)
    if kind == 1:
        return [rng.random() < 0.4 for _ in range(length)]
    if kind == 2 and length:
        return numpy.array([rng.randint(-length, length - 1)
                            for _ in range(rng.randrange(2 * length))], int)
    if kind == 3 and length:
        return sorted(rng.sample(range(length), rng.randint(0, length)))
    return slice(bound(), bound(), rng.choice([None, 1, 2, 5, -1, -3]))


def index_numpy(values, key):
    """What numpy gives for an index with vectors that are independent."""
    for axis, entry in reversed(list(enumerate(key))):
        if not isinstance(entry, (int, slice)):
            entry = numpy.asarray(entry)
            entry = entry if entry.dtype == bool else entry.astype(int)
        values = values[(slice(None),) * axis + (entry,)]
    return values


def check_indices():
    """Any index gives what numpy gives, from few hyperslabs and from many."""
    rng = random.Random(7)
    for options in ["-b", "4K"], ["--chunks", "time/5,lat/7,lon/11"]:
        with nc3z.File(pack(GRID, *options)) as file:
            variable = file.variables["sst"]
            whole = variable[...]
            expect(whole.shape == variable.shape == (24, 30, 60))
            for _ in range(150):
                _indexing.SLABS_MAX = rng.choice([1, 8, 1024])
                key = tuple(random_entry(rng, n) for n in variable.shape)
                wanted, got = index_numpy(whole, key), variable[key]
                expect(wanted.shape == got.shape
                       and wanted.tobytes() == got.tobytes(), key)
            expect((variable[..., 3] == whole[..., 3]).all())
            expect((variable[3] == whole[3]).all())
            for key in 24, -25, (0, [60]), (0, 0, 0, 0), (..., ...), 0.5, \
                    [True], [[1]], ["a"]:
                raises((IndexError, AttributeError), variable.__getitem__, key)


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
                variable[...]
    expect(found and all(w.category is nc3z.TruncationWarning for w in found))
    expect(found[0].filename == __file__, found[0].filename)


def check_threads_and_processes():
    """Threads share a file; a child opens it anew."""
    with nc3z.File(pack(GRID, "-b", "4K"), cache_nbytes=10000) as file:
        variable, wrong = file.variables["sst"], []
        whole = variable[...]

        def read(seed):
            rng = random.Random(seed)
            for _ in range(100):
                key = tuple(random_entry(rng, n) for n in variable.shape)
                if not numpy.array_equal(variable[key],
                                         index_numpy(whole, key)):
                    wrong.append(key)
        threads = [threading.Thread(target=read, args=[i]) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        expect(not wrong, wrong[:3])

        child = os.fork()
        if child == 0:
            parent = file._handle
            same = numpy.array_equal(variable[...], whole)
            os._exit(0 if same and file._handle is not parent else 1)
        expect(os.waitpid(child, 0)[1] == 0)


def same(a, b):
    """Whether two values are of one type and equal, NaN to NaN."""
    if isinstance(a, numpy.ndarray) and isinstance(b, numpy.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and (
            all(map(same, a.flat, b.flat)) if a.dtype == object
            else a.tobytes() == b.tobytes())
    return type(a) is type(b) and bool(a == b or a != a and b != b)


def same_dicts(a, b):
    """Whether two dicts have the same entries in the same order."""
    return list(a) == list(b) and all(same(a[key], b[key]) for key in a)


def difference(wanted, got):
    """What differs between two datasets, or None."""
    def places_off(encoding):
        return {key: value for key, value in sorted(encoding.items())
                if key != "source"}
    if list(wanted.variables) != list(got.variables):
        return "names"
    if dict(wanted.sizes) != dict(got.sizes) or \
            not same_dicts(wanted.attrs, got.attrs) or \
            places_off(wanted.encoding) != places_off(got.encoding):
        return "dimensions, attributes or encoding"
    for name, a in wanted.variables.items():
        b = got.variables[name]
        if a.dims != b.dims or a.shape != b.shape or a.dtype != b.dtype:
            return f"{name}: form"
        if not same_dicts(a.attrs, b.attrs):
            return f"{name}: attributes {a.attrs} and {b.attrs}"
        if not same_dicts(places_off(a.encoding), places_off(b.encoding)):
            return f"{name}: encoding {a.encoding} and {b.encoding}"
        if a.size < 1000000 and not same(a.values, b.values):
            return f"{name}: values"
    return None


def attempt(open_dataset, path, **options):
    """A dataset, or the kind of exception that there is instead."""
    try:
        return open_dataset(path, **options)
    except Exception as error:
        return type(error)


def real_files():
    """Some of the files in $NC3Z_CORPUS."""
    corpus = os.environ.get("NC3Z_CORPUS")
    if not corpus:
        print("NC3Z_CORPUS is unset: no files of others")
        return []
    small = sorted(path for part in ("real", "edge")
                   for path in (pathlib.Path(corpus) / part).glob("*")
                   if path.stat().st_size <= REAL_NBYTES_MAX)
    return small[::REAL_EVERY]


def check_xarray_is_the_same(xarray, netCDF4):
    """With no engine named, datasets are those of the originals."""
    del netCDF4
    warnings.simplefilter("ignore")
    ncompared = 0
    for file in SAMPLE + real_files():
        archive = pack(file)
        expect(archive, file)
        for options in {}, {"decode_cf": False}:
            wanted = attempt(xarray.open_dataset, TESTDATA / file,
                             engine="netcdf4", **options)
            got = attempt(xarray.open_dataset, archive, **options)
            if isinstance(wanted, type) or isinstance(got, type):
                expect(wanted is got, file, options, wanted, got)
                continue
            found = difference(wanted, got)
            expect(found is None, file, options, found)
            ncompared += 1
            wanted.close()
            got.close()
        archive.unlink()
    expect(ncompared >= 2 * len(SAMPLE), ncompared)


def check_xarray_opens(xarray, netCDF4):
    """The engine takes archives and leaves the rest to others."""
    del netCDF4
    engine = xarray.backends.plugins.list_engines()["nc3z"]
    archive = pack(GRID)
    named = shutil.copy(archive, "with-another-name.nc")
    for path in archive, str(archive), named:
        expect(engine.guess_can_open(path), path)
    for other in TESTDATA / GRID, TESTDATA / "bad-empty.nc", 7, b"\x89NC3Z":
        expect(not engine.guess_can_open(other), other)
    with open(archive, "rb") as file:
        expect(engine.guess_can_open(file))
        expect(file.tell() == 0)
    expect(xarray.open_dataset(named).identical(xarray.open_dataset(archive)))
    raises(FileNotFoundError, xarray.open_dataset, "not-there.nc3z")
    dataset = xarray.open_dataset(TESTDATA / GRID, engine="nc3z")
    expect(difference(xarray.open_dataset(TESTDATA / GRID), dataset) is None)
    few = xarray.open_dataset(archive, drop_variables=["sst"], nthreads=1,
                              cache_nbytes=0)
    expect(list(few.variables) == ["time"])
    raises(TypeError, lambda: xarray.open_dataset(archive, no_such=1))


def check_xarray_is_lazy(xarray):
    """Opening reads no values; each reading only its own."""
    archive = pack(GRID, "-b", "16K")
    damaged = bytearray(archive.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    archive.write_bytes(damaged)
    dataset = xarray.open_dataset(archive)
    expect(numpy.isfinite(dataset["sst"][0, ::2]).all())
    raises(nc3z.Error, dataset["sst"].load)
    outer = dataset["sst"].isel(time=[1, 0, 1], lat=[3, 29])
    expect(outer.shape == (3, 2, 60) and numpy.isfinite(outer).all())


def check_xarray_file_cache(xarray):
    """Files that xarray closes on its own are opened again."""
    wanted = xarray.open_dataset(pack(GRID))["sst"].values
    archives = [shutil.copy(pack(GRID), f"{i}.nc3z") for i in range(3)]
    wrong = []

    def read(array):
        for i in range(60):
            if not numpy.array_equal(array[i % 24].values, wanted[i % 24]):
                wrong.append(i)
    with xarray.set_options(file_cache_maxsize=1):
        threads = [threading.Thread(target=read, args=[
            xarray.open_dataset(path, cache=False)["sst"]])
            for path in archives]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    expect(not wrong, wrong)


def check_dask(xarray, dask):
    """Threads and processes of dask get what numpy gets."""
    archives = [shutil.copy(pack(GRID, "-b", "4K"), f"part{i}.nc3z")
                for i in range(2)]
    wanted = xarray.open_dataset(TESTDATA / GRID, engine="nc3z")["sst"]
    wanted = numpy.concatenate([wanted.values] * 2).max(axis=0)
    dataset = xarray.open_mfdataset(archives, combine="nested",
                                    concat_dim="time", chunks={"time": 5})
    expect(pickle.loads(pickle.dumps(dataset)).identical(dataset))
    for scheduler in "synchronous", "threads", "processes":
        with dask.config.set(scheduler=scheduler, num_workers=2):
            got = dataset["sst"].max("time").values
        expect(numpy.array_equal(got, wanted), scheduler)


def check_netcdf4(netCDF4):
    """A netCDF4.Dataset of an archive is that of the original."""
    from nc3z.netcdf4 import Dataset
    archive = pack(GRID)
    raises(OSError, netCDF4.Dataset, archive)
    with Dataset(archive) as got, netCDF4.Dataset(TESTDATA / GRID) as wanted:
        expect(type(got) is netCDF4.Dataset)
        expect(got.data_model == wanted.data_model == "NETCDF3_64BIT_OFFSET")
        expect(list(got.variables) == list(wanted.variables))
        for name, variable in wanted.variables.items():
            for key in ..., slice(None, None, 2), slice(None, None, -3):
                expect(numpy.ma.allequal(variable[key],
                                         got.variables[name][key]), name, key)
    raises(OSError, Dataset, archive, "a")
    netCDF4.Dataset(archive).close()
    Dataset(TESTDATA / GRID).close()


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


def main():
    """Runs all checks."""
    nfailed, nrun = 0, 0
    for name, check in list(globals().items()):
        if not name.startswith("check_"):
            continue
        modules = inspect.signature(check).parameters
        if not all(map(importlib.util.find_spec, modules)):
            continue
        try:
            check(*map(importlib.import_module, modules))
        except Exception as error:
            nfailed += 1
            print(f"{name}: {type(error).__name__}: {error}")
        nrun += 1
    print(f"{nrun} checks, {nfailed} failed; {nc3z.__file__}, "
          f"{nc3z.library_path()}")
    sys.exit(1 if nfailed else 0)


if __name__ == "__main__":
    main()
