# SPDX-License-Identifier: MIT
"""Checks many files and many processes; see checks.py.

Asked for by name (NC3Z_INTEROP=all), with a thousand files.
"""

import multiprocessing
import os
import shutil

import nc3z
from common import GRID, expect, pack, run_python

ALL = os.environ.get("NC3Z_INTEROP") == "all"
NFILES = 1000 if ALL else 40

MANY = """
import resource, sys, warnings
import nc3z, xarray
warnings.simplefilter("ignore")
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
def go(paths):
    data = xarray.open_mfdataset(paths, combine="nested", concat_dim="time",
                                 compat="override", coords="minimal",
                                 data_vars="minimal")
    mean = float(data["sst"].mean())
    data.close()
    return mean
paths = sys.argv[1:]
nc3z.set_cache_nbytes(4 << 20)
first = go(paths[:len(paths) // 10])
before = peak()
print(abs(go(paths) / first - 1), peak() - before)
"""


def read_part(file, index):
    """In another process."""
    return file["sst"][index].sum()


def check_open_mfdataset(xarray, dask):
    """Ten times as many files take hardly more memory."""
    del xarray, dask
    archive = pack(GRID)
    os.mkdir("many")
    paths = [shutil.copy(archive, f"many/{i:04}.nc3z") for i in range(NFILES)]
    text = run_python(MANY, *paths)
    difference, grown = map(float, text.split())
    # What xarray and dask keep of each file, and their graphs.
    expect(difference < 1e-5 and grown < 60 + NFILES / 8, text)


def check_spawned_processes():
    """Files go to processes that were spawned, and to those forked."""
    file = nc3z.File(pack(GRID))
    wanted = [file["sst"][i].sum() for i in range(6)]
    for method in "spawn", "fork":
        with multiprocessing.get_context(method).Pool(2) as pool:
            got = pool.starmap(read_part, [(file, i) for i in range(6)])
        expect(got == wanted, method)
