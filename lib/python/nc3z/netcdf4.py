"""The package netCDF4, taught to read archives.

Its libnetcdf gets the plug-in of nc3z as one more format, in this process;
nothing has to be preloaded.  Whatever else uses that libnetcdf reads archives
from then on, as xarray with engine="netcdf4" does.
"""

import ctypes
import functools
import os

from . import _library


@functools.lru_cache(maxsize=None)
def register():
    """Makes netCDF4.Dataset() open archives in this process.

    To be called before other threads use netCDF4."""
    import netCDF4
    plugin = ctypes.CDLL(_library.plugin_path())
    # The copy of libnetcdf that this module is linked with is the one meant.
    module = os.fsencode(netCDF4._netCDF4.__file__)
    status = plugin.nc3z_netcdf_register(module)
    if status:
        raise ImportError("the libnetcdf of netCDF4 cannot be taught to read "
                          "archives (needs netcdf-c 4.7.1 or later, built "
                          f"with netCDF-4): error {status}")


def Dataset(path, mode="r", **options):  # pylint: disable=invalid-name
    """A netCDF4.Dataset of an archive, or of any other file."""
    import netCDF4
    register()
    return netCDF4.Dataset(path, mode, **options)
