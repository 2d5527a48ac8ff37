"""Checks many files and many processes; see checks.py.

Asked for by name (NC3Z_INTEROP=all), with a thousand files and a killed worker.
"""

import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import numpy

import nc3z
from common import GRID, expect, pack

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
print(go(paths) - first, peak() - before)
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
    done = subprocess.run([sys.executable, "-c", MANY, *paths], check=True,
                          capture_output=True, text=True)
    difference, grown = map(float, done.stdout.split())
    # What xarray and dask keep of each file, and their graphs.
    expect(abs(difference) < 1e-3 and grown < 60 + NFILES / 8, done.stdout)


def check_spawned_processes():
    """Files go to processes that were spawned, and to those forked."""
    file = nc3z.File(pack(GRID))
    wanted = [file["sst"][i].sum() for i in range(6)]
    for method in "spawn", "fork":
        with multiprocessing.get_context(method).Pool(2) as pool:
            got = pool.starmap(read_part, [(file, i) for i in range(6)])
        expect(got == wanted, method)


FARM = """
import os, pathlib, signal, sys, time
import dask, distributed, numpy, xarray

def slow(block, flag):
    # The first worker that comes here dies, once.
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return block + 0
    os.kill(os.getpid(), signal.SIGKILL)

def main():
    dask.config.set({"distributed.worker.daemon": True})
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2,
                                  processes=True, dashboard_address=None,
                                  host="127.0.0.1") as cluster, \\
            distributed.Client(cluster) as client:
        data = xarray.open_mfdataset(sys.argv[2:], combine="nested",
                                     concat_dim="time", chunks={"time": 5})
        whole = data["sst"].mean("time").compute()
        flag = os.path.abspath("killed")
        damaged = data["sst"].data.map_blocks(slow, flag, dtype="f4",
                                              meta=numpy.empty((0, 0, 0),
                                                               "f4"))
        again = damaged.mean(axis=0).compute()
        assert os.path.exists(flag)
        numpy.save(sys.argv[1], numpy.stack([whole.values, again]))

if __name__ == "__main__":
    main()
"""


def check_distributed(xarray, distributed):
    """Workers of a cluster read; one that is killed is made up for."""
    del distributed
    archives = [shutil.copy(pack(GRID, "-b", "4K"), f"farm{i}.nc3z")
                for i in range(4)]
    pathlib.Path("farm.py").write_text(FARM, "utf-8")
    with open("farm.log", "wb") as log:
        process = subprocess.Popen(
            [sys.executable, "farm.py", "farm.npy", *archives], stdout=log,
            stderr=log, start_new_session=True)
        try:
            status = process.wait(300)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    expect(status == 0, pathlib.Path("farm.log").read_text()[-2000:])
    wanted = xarray.open_dataset(archives[0])["sst"].mean("time").values
    expect(numpy.allclose(numpy.load("farm.npy"), wanted, rtol=1e-5,
                          equal_nan=True))
