# SPDX-License-Identifier: MIT
"""Traps of xarray, closed where this package is installed.

ds.to_netcdf("x.nc.nc3z") would write a plain file under the name of an
archive, and xr.open_dataset("x.nc.nc3z", engine="netcdf4") says no more than
"Unknown file format".  xarray has no place where an engine could say something
about either, so its functions that open files for writing, and the one of
netCDF4 for reading, are wrapped, with unchanged results for all other files;
and there is one for to_netcdf(engine="nc3z"), which says what to call.
"""

from __future__ import annotations

import functools
import importlib
import os
from typing import Any, Callable

MAGIC = b"\x89NC3Z\r\n\x1a"
SUFFIX = ".nc3z"


def refuse_to_write(path: Any) -> None:
    """Raises an error for a name that only an archive may have."""
    try:
        name = os.fsdecode(path)
    except TypeError:
        return
    if name.endswith(SUFFIX):
        raise ValueError(
            f"{name}: this would be a plain netCDF file under the name of an "
            "archive; nc3z.pack(dataset, path), or dataset.nc3z.to_archive("
            "path), makes an archive")


def has_magic(path: Any) -> bool:
    """Whether a path is that of an archive."""
    try:
        with open(os.path.expanduser(os.fspath(path)), "rb",
                  buffering=0) as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, TypeError, ValueError):
        return False


def _guard_writing(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def guarded(path: Any, *args: Any, **kwargs: Any) -> Any:
        refuse_to_write(path)
        return function(path, *args, **kwargs)
    return guarded


def _refuse_engine(path: Any, *_: Any, **__: Any) -> Any:
    """to_netcdf(engine="nc3z")."""
    raise ValueError(
        f"{path}: to_netcdf() cannot write archives; nc3z.pack(dataset, "
        "path), or dataset.nc3z.to_archive(path), does")


def _guard_reading(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except OSError as error:
            path = kwargs.get("filename", args[0] if args else None)
            if not has_magic(path):
                raise
            raise OSError(
                error.errno, f"{error.strerror or error}: this is an archive "
                "of nc3z; leave engine=\"netcdf4\" away, or call nc3z."
                "netcdf4.register() before, or run the program by nc3run",
                os.fspath(path)) from error
    return guarded


def _guard_netcdf4() -> None:
    """Where xarray's engine "netcdf4" calls netCDF4."""
    from xarray.backends.netCDF4_ import NetCDF4DataStore
    original = NetCDF4DataStore.open
    setattr(NetCDF4DataStore, "open",
            classmethod(lambda _, *args, **kwargs:
                        _guard_reading(original)(*args, **kwargs)))


@functools.lru_cache(maxsize=None)
def install() -> None:
    """Wraps them, once; what another version lacks stays as it is."""
    for module in "xarray.backends.api", "xarray.backends.writers":
        try:
            stores = importlib.import_module(module).WRITEABLE_STORES
        except (ImportError, AttributeError):
            continue
        for engine, function in list(stores.items()):
            stores[engine] = _guard_writing(function)
        stores["nc3z"] = _refuse_engine
    try:
        _guard_netcdf4()
    except (ImportError, AttributeError):
        pass
