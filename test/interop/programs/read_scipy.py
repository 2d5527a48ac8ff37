# SPDX-License-Identifier: MIT
"""Prints what files have as scipy shows it, which reads them by itself.

usage: read_scipy.py FILE...
"""

import sys

import scipy.io


def show(path):
    """Prints dimensions, variables, attributes, and hashes of the values."""
    for mmap in True, False:
        file = scipy.io.netcdf_file(path, mmap=mmap)
        print(file.version_byte, file.dimensions, file._attributes)
        for name, v in file.variables.items():
            print(name, v.typecode(), v.dimensions, v.shape, v._attributes)
            print(hash(v.data.tobytes()))
            del v
        file.close()


for argument in sys.argv[1:]:
    try:
        show(argument)
    except Exception as error:
        print(type(error), str(error).partition(":")[0])
