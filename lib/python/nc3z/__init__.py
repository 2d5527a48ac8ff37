"""Archives of netCDF classic files, read in place.

xarray opens them by itself where this package is installed:

    xarray.open_dataset("x.nc.nc3z")

Without it:

    with nc3z.File("x.nc.nc3z") as file:
        part = file.variables["tos"][0, ::2, 10:20]

and nc3z.netcdf4.Dataset() gives a netCDF4.Dataset.
"""

from ._file import File, Variable
from ._library import Error, TruncationWarning, library_path

__version__ = "0.1.0"
__all__ = ["Error", "File", "TruncationWarning", "Variable", "library_path"]
