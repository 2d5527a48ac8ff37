# SPDX-License-Identifier: MIT
"""Prints what files have as netCDF4 shows it.

usage: read_netcdf4.py FILE...
"""

import sys
import warnings

import netCDF4
import numpy

warnings.simplefilter("ignore")


def show(dataset):
    """Prints dimensions, variables, attributes, and hashes of the values."""
    dataset.set_auto_maskandscale(False)
    print(dataset.data_model, dataset.disk_format, dataset.file_format)
    print({k: len(v) for k, v in dataset.dimensions.items()})
    print({k: str(dataset.getncattr(k)) for k in dataset.ncattrs()})
    for name, v in dataset.variables.items():
        print(name, v.dtype, v.shape, v.chunking(), v.filters(), v.endian(),
              {k: str(v.getncattr(k)) for k in v.ncattrs()})
        if v.size > 5000000:
            continue
        for step in None, 2, -1:
            part = tuple(slice(None, None, step) for _ in v.shape)
            print(hash(numpy.asarray(v[part]).tobytes()))


for path in sys.argv[1:]:
    try:
        show(netCDF4.Dataset(path))
    except Exception as error:
        print(type(error), str(error).partition(":")[0])
