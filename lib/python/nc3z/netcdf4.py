# SPDX-License-Identifier: MIT
"""The package netCDF4, with archives as one more format.

The plug-in of nc3z is registered with the libnetcdf of netCDF4, in this
process.  Nothing has to be preloaded.  From then on, all code that uses this
libnetcdf reads archives: xarray with engine="netcdf4", for example.
"""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any

from . import _errors, _library, _structs as c
from ._sources import SUFFIX, has_magic, is_name


@functools.lru_cache(maxsize=None)
def register() -> None:
    """Makes netCDF4.Dataset() open archives in this process.

    Call it before other threads use netCDF4.  Raises ImportError if netCDF4
    or the plug-in is missing, or if netCDF4's libnetcdf is too old."""
    import netCDF4
    plugin = ctypes.CDLL(_library.plugin_path())
    # The copy of libnetcdf that this module is linked with is the one meant.
    inner = getattr(netCDF4, "_netCDF4")
    module = os.fsencode(inner.__file__)
    status = plugin.nc3z_netcdf_register(module)
    if status:
        raise ImportError("the libnetcdf of netCDF4 cannot be made to read "
                          "archives (needs netcdf-c 4.7.1 or later, built "
                          f"with netCDF-4): error {status}")


def _refuse_url(path: Any) -> None:
    """An error for the URL of an archive, which libnetcdf takes for one of
    OPeNDAP, unless the plug-in is preloaded."""
    if is_name(path) and _library.is_url(path) and \
            os.fsdecode(path).partition("?")[0].endswith(SUFFIX) and \
            _library.PLUGIN not in os.environ.get("LD_PRELOAD", ""):
        raise _errors.UnsupportedError(
            _library.shown(path), "netCDF4 cannot read archives by URL here; "
            "use nc3z.File(url) or xarray.open_dataset(url, engine=\"nc3z\")" +
            ("" if _library.why_no_urls() else
             ", or start the program with nc3run"), c.EUNSUPPORTED)


def Dataset(path: Any, mode: str = "r", **options: Any) -> Any:
    """A netCDF4.Dataset of an archive, or of any other file.

    Archives are read-only.  Opening one for writing, or creating a file whose
    name ends in .nc3z, raises ValueError.  A URL that ends in .nc3z raises
    UnsupportedError, unless the program runs under nc3run.
    """
    import netCDF4
    _refuse_url(path)
    register()
    if mode[:1] not in ("r", "") or "+" in mode:
        if os.fsdecode(path).endswith(SUFFIX) or has_magic(path):
            raise ValueError(
                f"{os.fsdecode(path)}: an archive cannot be written by "
                "netCDF4; write a classic file, then nc3z.pack(it) makes the "
                "archive")
    return netCDF4.Dataset(path, mode, **options)  # type: ignore[arg-type]
