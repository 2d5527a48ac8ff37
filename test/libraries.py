# SPDX-License-Identifier: MIT
"""The libraries that the tests meet, which are not the same everywhere."""

import ctypes
import ctypes.util
import pathlib
import shutil
import subprocess

# Debian 12's.  Documents show what these make; others make other bytes.
SHOWN = {"libdeflate": "1.14", "liblzma": "5.4.1", "libzstd": "1.5.4"}
TESTDATA = pathlib.Path(__file__).resolve().parents[1] / "testdata" / "classic"


def pack_as_shown():
    """Whether archives made here have the bytes that documents show."""
    if not shutil.which("pkg-config"):
        return False
    done = subprocess.run(["pkg-config", "--modversion", *SHOWN], text=True,
                          capture_output=True, check=False)
    return done.stdout.split() == list(SHOWN.values())


def netcdf_fills():
    """Whether libnetcdf gives the fill value for a number that does not fit,
    as 4.9.3 does if it was built so."""
    netcdf = ctypes.CDLL(ctypes.util.find_library("netcdf"))
    ncid, value = ctypes.c_int(), ctypes.c_byte()
    path = bytes(TESTDATA / "cdf1-all-types.nc")
    if netcdf.nc_open(path, 0, ctypes.byref(ncid)):
        raise OSError(f"libnetcdf does not open {path!r}")
    # A short, 9279, whose low-order byte is 63.
    netcdf.nc_get_var1_schar(ncid, 2, (ctypes.c_size_t * 1)(),
                             ctypes.byref(value))
    netcdf.nc_close(ncid)
    return value.value != 63
