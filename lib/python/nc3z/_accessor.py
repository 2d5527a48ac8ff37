# SPDX-License-Identifier: MIT
"""Dataset.nc3z and DataArray.nc3z of xarray: into an archive."""

from __future__ import annotations

import functools
from typing import Any, Iterable, Mapping, Optional

import xarray

from . import _dataset, _jobs


class Accessor:
    """Writes a dataset into an archive: ds.nc3z.to_archive("x.nc.nc3z")."""

    def __init__(self, what: Any) -> None:
        self._what = what

    def __repr__(self) -> str:
        return f"<nc3z: to_archive(path) packs this " \
            f"{type(self._what).__name__}>"

    def to_archive(self, target: Any, *, chunks: _jobs.Chunks = None,
                   format: Optional[str] = None,
                   encoding: Optional[Mapping[str, Any]] = None,
                   unlimited_dims: Optional[Iterable[str]] = None,
                   **options: Any) -> _jobs.Summary:
        """Packs the file that to_netcdf() would write, without writing it.

        target, chunks and **options: as in nc3z.pack().
        format: "NETCDF3_64BIT" (CDF-2), "NETCDF3_CLASSIC" (CDF-1) or
            "NETCDF3_64BIT_DATA" (CDF-5).  The default is CDF-2, or CDF-5 if
            a variable has more than 4 GiB.
        encoding: as in Dataset.to_netcdf().  'least_significant_digit' rounds
            as netCDF4 does, except that values too large for that stay as they
            are.  'significant_digits' and 'quantize_mode' raise ValueError, as
            does any unknown key.  Keys for netCDF-4 alone, such as 'zlib' and
            'chunksizes', have no effect; one InputWarning names them.
        unlimited_dims: as in Dataset.to_netcdf().

        The archive restores to the file that to_netcdf() writes with
        engine="netcdf4" and this format, except padding bytes, which
        to_netcdf() itself does not keep the same.  Only the archive is written
        to disk.  In addition to the dataset itself, memory holds 32 MiB of one
        variable at a time or, for a dask array, one row of its chunks along
        the first dimension.  For variables with the unlimited dimension, it
        holds that much of each one at the same time.  'max_memory_nbytes'
        limits the memory for chunks of the archive; if they need more, dask
        arrays are computed again.

        Raises the exceptions of nc3z.pack(), and ValueError or TypeError if a
        classic file cannot hold the dataset.
        """
        return _jobs.pack(_dataset.as_bytes(self._what, format, encoding,
                                            unlimited_dims),
                          target, chunks=chunks, **options)


@functools.lru_cache(maxsize=None)
def register() -> None:
    """Makes them known to xarray, once."""
    xarray.register_dataset_accessor("nc3z")(Accessor)
    xarray.register_dataarray_accessor("nc3z")(Accessor)
