# SPDX-License-Identifier: MIT
"""Archives of netCDF classic files: packed, read in place, restored.

xarray opens them by itself where this package is installed:

    xarray.open_dataset("x.nc.nc3z")

Without it:

    with nc3z.File("x.nc.nc3z") as file:
        part = file["tos"][0, ::2, 10:20]

nc3z.netcdf4.Dataset() returns a netCDF4.Dataset, nc3z.zarr.Store() a store of
Zarr, and nc3z.references() references for fsspec.  To make archives:

    nc3z.pack("x.nc")                      # x.nc.nc3z
    nc3z.pack(dataset, "y.nc.nc3z")        # an xarray.Dataset

There are also restore(), verify(), info() and salvage().  "python3 -m nc3z"
prints which library is used and checks that everything works.
"""

import sys as _sys
from importlib import import_module as _import_module, util as _util
from typing import Any as _Any, List as _List

if _util.find_spec("numpy") is None:
    raise ImportError("nc3z needs numpy: apt install python3-numpy, or pip "
                      "install numpy")

# pylint: disable=wrong-import-position
from ._errors import (
    ChangedError, DamagedError, Error, ExistsError, InputWarning,
    InvalidError, LimitError, NoLibraryError, NotArchiveError,
    NotClassicError, PerformanceWarning, TruncationWarning, UnsupportedError)
from ._file import Dimension, File, Variable, info
from ._info import Info, Storage
from ._jobs import (
    Loss, SalvageReport, Summary, pack, restore, salvage, verify)
from ._library import library_path, set_cache_nbytes
from ._open import CacheInfo
from ._references import references
from ._sources import RangeReader

__version__ = "1.0.0"
__all__ = [
    "CacheInfo", "ChangedError", "DamagedError", "Dimension", "Error",
    "ExistsError", "File", "Info", "InputWarning", "InvalidError",
    "LimitError", "Loss", "NoLibraryError", "NotArchiveError",
    "NotClassicError", "PerformanceWarning", "RangeReader", "SalvageReport",
    "Storage", "Summary", "TruncationWarning", "UnsupportedError", "Variable",
    "info", "library_path", "pack", "references", "restore", "salvage",
    "set_cache_nbytes", "verify"]

for _name in "CacheInfo", "Dimension", "File", "Info", "Loss", "RangeReader", \
        "SalvageReport", "Storage", "Summary", "Variable":
    globals()[_name].__module__ = __name__

# Dataset.nc3z is there where xarray is; xarray itself sees to that when it
# opens its first file.
if "xarray" in _sys.modules:
    try:
        from . import xarray_backend as _xarray_backend
    except ImportError:
        pass


# Modules that need other packages, when they are asked for.
_LATE = ("netcdf4", "zarr")


def __dir__() -> _List[str]:
    return sorted({*globals(), *_LATE})


def __getattr__(name: str) -> _Any:
    if name in _LATE:
        return _import_module("nc3z." + name)
    raise AttributeError(f"module 'nc3z' has no attribute {name!r}")
