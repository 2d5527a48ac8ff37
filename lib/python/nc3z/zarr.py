# SPDX-License-Identifier: MIT
"""Archives for Zarr: a store, and the codec of references.

    zarr.open_group(nc3z.zarr.Store("x.nc.nc3z"), mode="r")
    xarray.open_zarr(nc3z.zarr.Store("x.nc.nc3z"))

Store fits the version of zarr that is installed, 2 or 3.  With zarr 2, or
without zarr, it is also a mapping of keys to bytes.  Importing this module also
registers the codec with numcodecs, which finds it by itself if this package is
installed.
"""

from __future__ import annotations

import importlib
import importlib.util


def _is_zarr3() -> bool:
    """Whether zarr is there, and version 3 or later."""
    try:
        return importlib.util.find_spec("zarr.abc.store") is not None
    except ImportError:
        return False


Store = importlib.import_module(
    "nc3z._zarr3_store" if _is_zarr3() else "nc3z._zarr2_store").Store
Store.__module__ = __name__

try:
    importlib.import_module("nc3z._numcodecs")
except ImportError:
    pass

__all__ = ["Store"]
