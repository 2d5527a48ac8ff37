# SPDX-License-Identifier: MIT
"""Prints what files have as xarray shows it.

usage: read_xarray.py ENGINE CHUNKS FILE...

ENGINE "any" is none; with CHUNKS not 0, arrays are dask's, with so many indices
of the first dimension in a chunk.
"""

import sys
import warnings

import xarray

warnings.simplefilter("ignore")


def show(path, engine, nchunk):
    """Prints variables, attributes, means, and hashes of the values."""
    chunks = None
    options = {} if engine == "any" else {"engine": engine}
    with xarray.open_dataset(path, decode_times=False, **options) as dataset:
        if nchunk:
            first = {v.dims[0] for v in dataset.variables.values() if v.dims}
            chunks = {name: nchunk for name in first}
    dataset = xarray.open_dataset(path, decode_times=False, chunks=chunks,
                                  **options)
    print(dataset.attrs)
    for name, v in dataset.variables.items():
        print(name, v.dtype, v.dims, v.shape, v.chunks, v.attrs)
        if v.size > 5000000:
            continue
        print(hash(v.values.tobytes()))
        if v.dims and v.dtype.kind == "f":
            print(v.mean(v.dims[0]).values.tobytes().hex()[:64])


for argument in sys.argv[3:]:
    try:
        show(argument, sys.argv[1], int(sys.argv[2]))
    except Exception as error:
        print(type(error), str(error).partition(":")[0])
