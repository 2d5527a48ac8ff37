#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads by URL in one way, for bench.py remote; prints seconds and a sum.

  remote_peer.py WAY TASK URL
  remote_peer.py make-zarr CLASSIC STORE CHUNKS [SHARDS]

Modules are loaded before the clock runs.
"""

import importlib
import os
import sys
import time

import numpy

TASKS = {"map": (100, slice(None), slice(None)),
         "series": (slice(None), 90, 180),
         "all": (slice(None),) * 3}


def nc3z(url, task):
    """Archives, with the Python package."""
    import nc3z as module
    if task == "xarray":
        yield from with_xarray(url, engine())
        return
    yield
    file = module.File(url)
    yield file.variables["sst"][TASKS[task]] if task in TASKS else None


def engine():
    """That of the package, which is not installed here."""
    from nc3z.xarray_backend import Nc3zBackendEntrypoint
    return Nc3zBackendEntrypoint


def with_xarray(what, name):
    """Opens a dataset."""
    import xarray
    yield
    xarray.open_dataset(what, engine=name)
    yield None


def nc3z_fsspec(url, task):
    """The same by fsspec."""
    importlib.import_module("fsspec.implementations.http")
    import nc3z as module
    import xarray
    yield
    if task == "xarray":
        xarray.open_dataset(url, engine=engine(), storage_options={})
        yield None
    file = module.File(url, storage_options={})
    yield file.variables["sst"][TASKS[task]] if task in TASKS else None


def h5netcdf(url, task):
    """netCDF-4."""
    import fsspec
    import h5netcdf as module
    import xarray
    yield
    far = fsspec.open(url).open()
    if task == "xarray":
        xarray.open_dataset(far, engine="h5netcdf")
        yield None
    file = module.File(far, "r")
    variable = file["sst"]
    yield variable[TASKS[task]] if task in TASKS else None


def zarr(url, task):
    """A directory of chunks."""
    import xarray
    import zarr as module
    yield
    if task == "xarray":
        xarray.open_zarr(url)
        yield None
    array = module.open_consolidated(url, mode="r")["sst"]
    yield array[TASKS[task]] if task in TASKS else None


def scipy(url, task):
    """The classic original."""
    import fsspec
    import scipy.io
    yield
    file = scipy.io.netcdf_file(fsspec.open(url).open(), mmap=False)
    yield file.variables["sst"][TASKS[task]] if task in TASKS else None


def netcdf_c(url, task):
    """A libnetcdf with byte ranges, by its own calls."""
    import ctypes
    module = ctypes.CDLL(os.environ["NC3Z_BENCH_NETCDF"])
    module.nc_strerror.restype = ctypes.c_char_p

    def call(name, *args):
        status = getattr(module, name)(*args)
        if status:
            raise OSError(module.nc_strerror(status).decode())
    nc, varid = ctypes.c_int(), ctypes.c_int()
    yield
    call("nc_open", f"{url}#mode=bytes".encode(), 0, ctypes.byref(nc))
    call("nc_inq_varid", nc, b"sst", ctypes.byref(varid))
    if task not in TASKS:
        yield None
    length, ids, shape = ctypes.c_size_t(), (ctypes.c_int * 3)(), []
    call("nc_inq_vardimid", nc, varid, ids)
    for dim in ids:
        call("nc_inq_dimlen", nc, dim, ctypes.byref(length))
        shape.append(length.value)
    pick = TASKS[task]
    first = [0 if isinstance(at, slice) else at for at in pick]
    count = [n if isinstance(at, slice) else 1 for at, n in zip(pick, shape)]
    values = numpy.empty(count, "f4")
    call("nc_get_vara_float", nc, varid, (ctypes.c_size_t * 3)(*first),
         (ctypes.c_size_t * 3)(*count), values.ctypes.data_as(ctypes.c_void_p))
    yield values


def gdal(url, task):
    """netCDF-4 through the driver of HDF5, which reads by GDAL itself."""
    from osgeo import gdal as module
    module.UseExceptions()
    yield
    dataset = module.Open(f'HDF5:"/vsicurl/{url}"://sst')
    if task == "map":
        yield dataset.GetRasterBand(TASKS["map"][0] + 1).ReadAsArray()
    elif task == "series":
        yield dataset.ReadAsArray(180, 90, 1, 1)
    elif task == "all":
        yield dataset.ReadAsArray()
    else:
        yield None


def make_zarr(classic, path, *lengths):
    """A group that xarray reads, of the file that make_access.py made."""
    import access_zarr
    import zarr as module
    module.open_group(path, mode="w")
    access_zarr.make(classic, f"{path}/sst", *(
        tuple(map(int, of_one.split(","))) for of_one in lengths))
    module.consolidate_metadata(path)


def main():
    """The command line."""
    if sys.argv[1] == "make-zarr":
        make_zarr(*sys.argv[2:])
        return
    way, task, url = sys.argv[1:4]
    steps = globals()[way](url, task)
    next(steps)
    begin = time.perf_counter()
    values = next(steps)
    seconds = time.perf_counter() - begin
    total = 0.0
    if values is not None:
        values = numpy.asarray(values, "f8")
        total = float(values[numpy.abs(values) < 1e9].sum())
    print(f"{seconds:.3f} {total:.3f}", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
