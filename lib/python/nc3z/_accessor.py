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
        """Packs what to_netcdf() would write, without writing that.

        target, chunks and **options: as in nc3z.pack().
        format: "NETCDF3_64BIT" (CDF-2), "NETCDF3_CLASSIC" (CDF-1) or
            "NETCDF3_64BIT_DATA" (CDF-5); without it CDF-2 or, for variables
            of more than 4 GiB, CDF-5.
        encoding, unlimited_dims: as in Dataset.to_netcdf().

        The archive restores to the file that to_netcdf() writes with
        engine="netcdf4" and this format, but for bytes that pad values, in
        which that differs from run to run.  Nothing is written to disk but the
        archive.  In memory, beside what the dataset holds, are 32 MiB of one
        variable at a time or, of an array of dask, one row of its chunks
        along the first dimension; of variables along the unlimited dimension
        that much of each.  Chunks take what 'max_memory_nbytes' allows; for
        those that need more, arrays of dask are computed again.

        Raises what nc3z.pack() raises; ValueError and TypeError for what a
        classic file cannot hold.
        """
        return _jobs.pack(_dataset.as_bytes(self._what, format, encoding,
                                            unlimited_dims),
                          target, chunks=chunks, **options)


@functools.lru_cache(maxsize=None)
def register() -> None:
    """Makes them known to xarray, once."""
    xarray.register_dataset_accessor("nc3z")(Accessor)
    xarray.register_dataarray_accessor("nc3z")(Accessor)
