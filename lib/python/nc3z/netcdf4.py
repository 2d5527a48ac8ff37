# SPDX-License-Identifier: MIT
"""The package netCDF4, with archives as one more format.

The plug-in of nc3z is registered with the libnetcdf of netCDF4, in this
process.  Nothing has to be preloaded.  From then on, all code that uses this
libnetcdf reads archives: xarray with engine="netcdf4", for example.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
from typing import Any

from . import _errors, _library, _structs as c
from ._file import File
from ._sources import SUFFIX, has_magic, is_name, name_of, needed


@functools.lru_cache(maxsize=None)
def _plugin() -> ctypes.CDLL:
    """The plug-in, registered with the libnetcdf of netCDF4."""
    import netCDF4
    plugin = ctypes.CDLL(_library.plugin_path())
    plugin.nc3z_netcdf_path.restype = ctypes.c_void_p
    plugin.nc3z_netcdf_path.argtypes = [ctypes.c_char_p]
    plugin.nc3z_netcdf_done.argtypes = [ctypes.c_void_p]
    # The copy of libnetcdf that this module is linked with is the one meant.
    inner = getattr(netCDF4, "_netCDF4")
    module = os.fsencode(inner.__file__)
    status = plugin.nc3z_netcdf_register(module)
    if status:
        raise ImportError("the libnetcdf of netCDF4 cannot be made to read "
                          "archives (needs netcdf-c 4.7.1 or later, built "
                          f"with netCDF-4): error {status}")
    return plugin


def register() -> None:
    """Makes netCDF4.Dataset() open archives in this process.

    Call it before other threads use netCDF4.  netCDF4 itself then reads
    archives by their paths; Dataset() of this module also in tars and by URL.
    Raises ImportError if netCDF4 or the plug-in is missing, or if netCDF4's
    libnetcdf is too old."""
    _plugin()


def _check_url(path: Any) -> None:
    """An error for the URL of an archive that this library cannot read."""
    if _library.is_url(path) and _library.why_no_urls() and \
            os.fsdecode(path).partition("?")[0].endswith(SUFFIX):
        raise _errors.UnsupportedError(
            _library.shown(path), f"{_library.why_no_urls()}; "
            "nc3z.File(url) and xarray.open_dataset(url, engine=\"nc3z\") use "
            "fsspec", c.EUNSUPPORTED)


def _read_all(source: Any) -> bytes:
    """What is no path."""
    found = needed(source)
    data = found.read(0, found.size)
    found.close()
    if len(data) < found.size:
        raise OSError(errno.EIO, "it is shorter than it was", name_of(source))
    return data


def _open_for_reading(source: Any, mode: str, options: Any) -> Any:
    """A netCDF4.Dataset of whatever can be read."""
    import netCDF4
    plugin = _plugin()
    if not is_name(source):
        return netCDF4.Dataset(name_of(source), mode, **options,
                               memory=_read_all(source))
    _check_url(source)
    path = plugin.nc3z_netcdf_path(_library.encoded(source))
    if not path:
        return netCDF4.Dataset(source, mode, **options)
    try:
        return netCDF4.Dataset(os.fsdecode(ctypes.string_at(path)), mode,
                               **options)
    except OSError:
        # What it is about, and why.
        File(source).close()
        raise
    finally:
        plugin.nc3z_netcdf_done(path)


def Dataset(path: Any, mode: str = "r", **options: Any) -> Any:
    """A netCDF4.Dataset of an archive, or of any other file.

    path: a path or URL, a member of a tar; or bytes, a file object or an
        object with read_range(), which are read into memory as they are.
    options: those of netCDF4.Dataset.

    Archives are read-only.  Opening one for writing, or creating a file whose
    name ends in .nc3z, raises ValueError.  filepath() of a URL or a member of
    a tar begins with /proc/self/fd.
    """
    if mode[:1] in ("r", "") and "+" not in mode:
        return _open_for_reading(path, mode, options)
    import netCDF4
    _plugin()
    if os.fsdecode(path).endswith(SUFFIX) or has_magic(path):
        raise ValueError(
            f"{os.fsdecode(path)}: an archive cannot be written by netCDF4; "
            "write a classic file, then nc3z.pack(it) makes the archive")
    return netCDF4.Dataset(path, mode, **options)
