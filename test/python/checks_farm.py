# SPDX-License-Identifier: MIT
"""Checks a cluster of workers, one of which is killed; see checks.py.

Runs where all is asked for (NC3Z_INTEROP=all), as such a cluster takes long to
start.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys

import numpy

from common import GRID, expect, pack

FARM = """
import os, signal, sys
import dask, distributed, numpy, xarray

def read(dataset, index, flag):
    # The first worker that comes to the middle dies, once.
    if index == 12:
        try:
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
        except FileExistsError:
            pass
    return dataset["sst"][index].values

def main():
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=2, processes=True, host="127.0.0.1",
        dashboard_address="127.0.0.1:0")
    with cluster, distributed.Client(cluster) as client:
        data = xarray.open_mfdataset(sys.argv[2:], combine="nested",
                                     concat_dim="time", chunks={"time": 5})
        whole = data["sst"].mean("time").compute()
        one = xarray.open_dataset(sys.argv[2])
        flag = os.path.abspath("killed")
        parts = [client.submit(read, one, i, flag, pure=False)
                 for i in range(24)]
        again = numpy.mean([part.result(200) for part in parts], axis=0)
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
    expect(status == 0, pathlib.Path("farm.log").read_text("utf-8")[-2000:])
    wanted = xarray.open_dataset(archives[0])["sst"].mean("time").values
    expect(numpy.allclose(numpy.load("farm.npy"), wanted, rtol=1e-5,
                          equal_nan=True))
