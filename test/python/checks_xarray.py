# SPDX-License-Identifier: MIT
"""Checks what xarray, dask and netCDF4 make of archives; see checks.py."""

import io
import itertools
import os
import pathlib
import pickle
import random
import shutil
import subprocess
import sys
import tarfile
import threading
import warnings

import numpy

import nc3z
from common import (
    BIN, GRID, SAMPLE, TESTDATA, attempt, damaged, difference, expect, pack,
    raises, real_files, serve)
from checks_sources import Ranges, make_tar


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


def bytes_read():
    """That this process has read so far, by any call."""
    with open("/proc/self/io", encoding="ascii") as file:
        return int(file.read().split()[1])


def check_xarray_opens(xarray, netCDF4):
    """The engine takes archives and leaves the rest to others."""
    del netCDF4
    engine = xarray.backends.plugins.list_engines()["nc3z"]
    archive = pack(GRID)
    named = shutil.copy(archive, "with-another-name.nc")
    for path in archive, str(archive), named:
        expect(engine.guess_can_open(path), path)
    for other in TESTDATA / GRID, TESTDATA / "bad-empty.nc", 7, b"\x89NC3Z", \
            io.BytesIO(b"CDF\1"):
        expect(not engine.guess_can_open(other), other)
    with open(archive, "rb") as file:
        expect(engine.guess_can_open(file) and file.tell() == 0)
        expect(xarray.open_dataset(file)["sst"].shape == (24, 30, 60))
    expect(engine.guess_can_open(archive.read_bytes()))
    # Buffered, it would read a block of the file system, or megabytes.
    first, before = bytes_read(), bytes_read()
    engine.guess_can_open(archive)
    expect(abs(bytes_read() - before - (before - first) - 8) < 8)
    expect(xarray.open_dataset(named).identical(xarray.open_dataset(archive)))
    raises(FileNotFoundError, xarray.open_dataset, "not-there.nc3z")
    # What is only called an archive: an error of ours, not a list of engines.
    for name, data in ("garbage.nc3z", b"garbage"), ("empty.nc3z", b""):
        pathlib.Path(name).write_bytes(data)
        error = raises(nc3z.NotClassicError, xarray.open_dataset, name)
        expect(name in str(error), error)
    shutil.copy(TESTDATA / GRID, "plain.nc3z")
    expect(not engine.guess_can_open("plain.nc3z"))
    dataset = xarray.open_dataset(TESTDATA / GRID, engine="nc3z")
    expect(difference(xarray.open_dataset(TESTDATA / GRID), dataset) is None)
    for group in None, "", "/":
        expect(xarray.open_dataset(archive, group=group, lock=False)
               .identical(dataset))
    raises(OSError, xarray.open_dataset, archive, group="no such")
    expect(list(engine.open_groups_as_dict(archive)) == ["/"])
    if hasattr(xarray, "open_datatree") and hasattr(xarray, "DataTree"):
        expect(xarray.open_datatree(archive).to_dataset().identical(dataset))
    else:
        raises(NotImplementedError, engine.open_datatree, archive)
    few = xarray.open_dataset(archive, drop_variables=["sst"], nthreads=1,
                              cache_nbytes=0)
    expect(list(few.variables) == ["time"])
    raises(TypeError, xarray.open_dataset, archive, no_such=1)


def check_xarray_is_lazy(xarray):
    """Opening reads no values; each reading only its own."""
    archive = pack(GRID, "-b", "16K")
    archive.write_bytes(damaged(archive.read_bytes()))
    dataset = xarray.open_dataset(archive)
    expect(numpy.isfinite(dataset["sst"][0, ::2]).all())
    raises(nc3z.Error, dataset["sst"].load)
    outer = dataset["sst"].isel(time=[1, 0, 1], lat=[3, 29])
    expect(outer.shape == (3, 2, 60) and numpy.isfinite(outer).all())


def check_xarray_negative_steps(xarray):
    """Steps of both signs, one after the other and beside vectors and points,
    give what numpy gives."""
    data = xarray.open_dataset(pack(GRID), cache=False)["sst"]
    wanted, rng = nc3z.File(pack(GRID))["sst"].raw()[...], random.Random(1)
    steps = (None, 2, -1, -2, -3, -4, -50)
    for a, b in itertools.product(steps, repeat=2):
        keys = [slice(rng.choice((None, 1, -2)), rng.choice((None, -1)), step)
                for step in (a, b)]
        expect(numpy.array_equal(data[keys[0]][keys[1]],
                                 wanted[keys[0]][keys[1]]), keys)
        expect(numpy.array_equal(data[keys[0], [3, 1, 3], keys[1]],
                                 wanted[keys[0], :, keys[1]][:, [3, 1, 3]]),
               keys)
    points = {"lat": ("p", [7, 0, 7]), "lon": ("p", [3, -1, 59])}
    expect(numpy.array_equal(data.isel(time=slice(None, None, -3), **points),
                             wanted[::-3, [7, 0, 7], [3, -1, 59]]))


def check_dask_negative_steps(xarray, dask):
    """The same where a chunk is read for each part."""
    del dask
    archive = pack(GRID, "--chunks", "time/5,lat/7,lon/11")
    data = xarray.open_dataset(archive, chunks={})["sst"]
    wanted = nc3z.File(archive)["sst"].raw()[...]
    for step in -1, -2, -3, -4, -7:
        expect(numpy.array_equal(data[::step, ::step], wanted[::step, ::step]),
               step)


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
        expect(isinstance(got, netCDF4.Dataset))
        expect(got.data_model == wanted.data_model == "NETCDF3_64BIT_OFFSET")
        expect(list(got.variables) == list(wanted.variables))
        for name, variable in wanted.variables.items():
            for key in ..., slice(None, None, 2), slice(None, None, -3):
                expect(numpy.ma.allequal(variable[key],
                                         got.variables[name][key]), name, key)
    raises(ValueError, Dataset, archive, "a")
    with tarfile.open("plain.tar", "w") as tar:
        tar.add(archive, "a.nc.nc3z")
    netCDF4.Dataset(archive).close()
    Dataset(TESTDATA / GRID).close()
    # The error names what was asked for, without the password.
    with serve() as address:
        url = address.replace("//", "//me:secret@") + "/no.nc.nc3z"
        error = raises(OSError, Dataset, url)
    expect("no.nc.nc3z" in str(error) and "secret" not in str(error), error)
    error = raises(FileNotFoundError, Dataset, "plain.tar//no.nc.nc3z")
    expect("plain.tar//no.nc.nc3z" in str(error), error)


def all_sources(tar, address):
    """An archive, and a tar of it, in all ways to name them."""
    archive = pack(GRID)
    data, member = archive.read_bytes(), f"{tar}//d/b.nc.nc3z"
    return {"path": str(archive), "tar": member,
            "relative": "f.tar//a.nc.nc3z", "home": "~/f.tar//a.nc.nc3z",
            "one slash": pathlib.Path(member), "file://": "file://" + member,
            "url": f"{address}/a.nc.nc3z",
            "tar by url": f"{address}/f.tar//d/b.nc.nc3z", "bytes": data,
            "file object": io.BytesIO(data), "ranges": Ranges(data)}


def check_faces(xarray, netCDF4, dask):
    """Every face takes every source: tars, URLs, bytes, file objects."""
    import nc3z.netcdf4
    import nc3z.zarr
    del netCDF4, dask
    tar = make_tar("f.tar")
    wanted = nc3z.File(TESTDATA / GRID)["sst"].raw()[...]

    def same(values, *what):
        expect(numpy.array_equal(values, wanted), *what)

    def by_all(source, kind):
        same(nc3z.File(source)["sst"].raw()[...], kind)
        same(xarray.open_dataset(source, engine="nc3z")["sst"], kind)
        # Of what has a path, xarray asks the system for its time, for chunks.
        if kind in ("path", "file://", "url", "tar by url", "file object"):
            same(xarray.open_dataset(source, engine="nc3z", chunks={})["sst"],
                 kind)
        expect(nc3z.verify(source).nblocks == nc3z.info(source).summary
               .nblocks, kind)
        expect(len(nc3z.zarr.Store(source)["sst/.zarray"]), kind)
        with nc3z.netcdf4.Dataset(source) as dataset:
            dataset.set_auto_mask(False)
            same(dataset["sst"][:], kind)

    shutil.copy(pack(GRID), "a.nc.nc3z")
    home, os.environ["HOME"] = os.environ.get("HOME", ""), os.getcwd()
    with serve() as address:
        sources = all_sources(tar, address)
        for kind, source in sources.items():
            by_all(source, kind)
    os.environ["HOME"] = home
    same(xarray.open_mfdataset([sources["file://"]] * 2, engine="nc3z",
                               combine="nested", concat_dim="time")
         ["sst"][-len(wanted):])
    script = ("import sys, xarray\n"
              "for name in sys.argv[1:]:\n"
              "    d = xarray.open_dataset(name, engine='netcdf4')\n"
              "    print(d['sst'].shape == (24, 30, 60))\n")
    done = subprocess.run([BIN / "nc3run", sys.executable, "-c", script,
                           sources["tar"], sources["relative"]], check=True,
                          capture_output=True, text=True, timeout=60)
    expect(done.stdout == "True\n" * 2, done.stdout)
    raises(TypeError, nc3z.netcdf4.Dataset, 7)


def check_chunks(xarray, dask):
    """chunks={} follows the archive."""
    del dask
    for options, wanted in (["--chunks", "time/5,lat/7,lon/11"],
                            (5, 7, 11)), ([], None):
        data = xarray.open_dataset(pack(GRID, *options), chunks={})["sst"]
        expect(data.encoding.get("chunksizes") == wanted, data.encoding)
        first = tuple(sizes[0] for sizes in data.chunks)
        expect(first == (wanted or data.shape), first)
        wanted = wanted and dict(zip(data.dims, wanted))
        expect(data.encoding.get("preferred_chunks") == wanted,
               data.encoding)
        numpy.testing.assert_array_equal(
            data, xarray.open_dataset(TESTDATA / GRID, engine="nc3z")["sst"])
    # Of a large variable in the order of the file, whole rows of blocks.
    values = numpy.zeros((70, 1024, 1024), "i1")
    xarray.Dataset({"v": (("t", "y", "x"), values)}).nc3z.to_archive(
        "rows.nc3z", level=1)
    variable = nc3z.File("rows.nc3z")["v"]
    expect(variable.preferred_chunks == (32, 1024, 1024) and
           (32 << 20) % variable._inq_storage().block_nbytes == 0,
           variable.preferred_chunks)
    data = xarray.open_dataset("rows.nc3z", chunks={})["v"]
    expect(data.chunks[0] == (32, 32, 6), data.chunks)
