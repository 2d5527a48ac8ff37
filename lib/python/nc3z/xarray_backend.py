# SPDX-License-Identifier: MIT
"""How xarray opens archives: the engine "nc3z", and Dataset.nc3z.

xarray finds it by the entry point of this package and asks guess_can_open()
where no engine is named.  What it then makes of a file is what its engine
"netcdf4" makes of the original.

Datasets go to other processes as a path and the name of open_file(); there
the file is opened anew.  Values are read without any lock.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Mapping, Optional

import numpy
from xarray import Variable
from xarray.backends.common import (
    AbstractDataStore, BackendArray, BackendEntrypoint)
from xarray.backends.file_manager import CachingFileManager
from xarray.backends.store import StoreBackendEntrypoint
from xarray.core import indexing

from . import _accessor, _errors, _fsspec, _library, _sources
from ._file import File
from ._masks import why_not_unpacked
from ._sources import MAGIC, SUFFIX

# Classic files and HDF5, which other engines open whatever their name.
OTHERS = (b"CDF", b"\x89HDF")

_accessor.register()


def open_file(source: Any, mode: str = "r",
              cache_nbytes: Optional[int] = None,
              nthreads: Optional[int] = None) -> File:
    """Opens a file; what workers call."""
    if mode != "r":
        raise ValueError("archives are for reading")
    return File(source, cache_nbytes=cache_nbytes, nthreads=nthreads,
                raw=True)


class Nc3zArray(BackendArray):  # type: ignore[misc]
    """The values of a variable, read when they are asked for."""

    def __init__(self, store: Nc3zDataStore, name: str) -> None:
        variable = store.file.variables[name]
        self.store, self.name = store, name
        self.shape, self.dtype = variable.shape, variable.dtype

    def __getitem__(self, key: Any) -> Any:
        # xarray up to that of Debian 12 splits negative steps wrongly.
        if not isinstance(key, indexing.VectorizedIndexer):
            return self._read(key.tuple)
        # Points; their indices are numbers.
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    def _read(self, key: Any) -> Any:
        while True:
            file = self.store.file
            try:
                return file.variables[self.name][key]
            except ValueError:
                # xarray closes files where it has too many: once more
                if file.is_open:
                    raise


class Nc3zDataStore(AbstractDataStore):  # type: ignore[misc]
    """A file as xarray sees it."""

    def __init__(self, manager: Any, name: str) -> None:
        self._manager, self._name = manager, name

    @property
    def file(self) -> File:
        """The file, opened if it is not."""
        found: File = self._manager.acquire()
        return found

    def _open_variable(self, variable: Any) -> Variable:
        attributes = dict(variable.attrs)
        fill = attributes.get("_FillValue")
        if variable.dtype.kind == "S" and fill is not None:
            attributes["_FillValue"] = numpy.bytes_(fill)
        encoding = {"source": self._name, "original_shape": variable.shape,
                    "dtype": variable.dtype}
        # As its engines "netcdf4" and "zarr" say it: chunks={} follows.
        if variable.chunks:
            encoding["chunksizes"] = variable.chunks
        preferred = variable.preferred_chunks
        if preferred and preferred != variable.shape:
            encoding["preferred_chunks"] = dict(zip(variable.dims,
                                                    preferred))
        if "least_significant_digit" in attributes:
            encoding["least_significant_digit"] = \
                attributes.pop("least_significant_digit")
        for why in why_not_unpacked(attributes):
            variable._warn(f"{why}: xarray cannot unpack this variable; "
                           "mask_and_scale=False opens the file",
                           _errors.InputWarning)
        array = indexing.LazilyIndexedArray(Nc3zArray(self, variable.name))
        return Variable(variable.dims, array, attributes, encoding)

    def get_variables(self) -> Dict[str, Variable]:
        """All variables by name."""
        return {name: self._open_variable(variable)
                for name, variable in self.file.variables.items()}

    def get_attrs(self) -> Mapping[str, Any]:
        """The attributes of the file."""
        return dict(self.file.attrs)

    def get_dimensions(self) -> Mapping[str, int]:
        """The lengths of the dimensions."""
        return dict(self.file.dims)

    def get_encoding(self) -> Mapping[str, Any]:
        """What is unlimited."""
        unlimited = self.file.unlimited
        return {"unlimited_dims": set() if unlimited is None else {unlimited}}

    def close(self) -> None:
        """Closes the file, until it is asked for again."""
        self._manager.close()


def _is_archive(source: Any) -> bool:
    """Whether its first bytes are those of an archive."""
    if not _sources.is_name(source):
        place = source.tell() if hasattr(source, "tell") else None
        try:
            return _sources.needed(source).read(0, len(MAGIC)) == MAGIC
        finally:
            if place is not None:
                source.seek(place)
    path = os.fsdecode(source)
    # Nothing is fetched to find out.
    if "://" in path:
        return path.partition("?")[0].endswith(SUFFIX)
    try:
        found = _sources.first_bytes(source)
        # Of what is only called an archive, xarray would say less than we do.
        return found == MAGIC or path.endswith(SUFFIX) and \
            not found.startswith(OTHERS)
    except (OSError, ValueError):
        # Whoever opens it will say why that cannot be.
        return path.endswith(SUFFIX)


class Nc3zBackendEntrypoint(BackendEntrypoint):  # type: ignore[misc]
    """The engine for archives.  With engine="nc3z", it also opens classic
    files.

    Sources, 'cache_nbytes', 'nthreads' and 'storage_options' are as for
    nc3z.File.  'group' may be None or "/", because classic files have no
    groups.  'lock' is ignored, because none is needed.
    """

    description = "Open archives of netCDF classic files (.nc3z) in Xarray"
    supports_groups = True
    # Where the class itself is given as the engine, xarray does not look.
    open_dataset_parameters = (
        "filename_or_obj", "mask_and_scale", "decode_times",
        "concat_characters", "decode_coords", "drop_variables", "use_cftime",
        "decode_timedelta", "group", "lock", "cache_nbytes", "nthreads",
        "storage_options")

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether it is an archive, by its first bytes."""
        try:
            return _is_archive(filename_or_obj)
        except (TypeError, OSError, ValueError):
            return False

    # xarray looks at the names of these parameters: no **kwargs.
    def open_dataset(self, filename_or_obj: Any, *,
                     mask_and_scale: Any = True, decode_times: Any = True,
                     concat_characters: Any = True, decode_coords: Any = True,
                     drop_variables: Any = None, use_cftime: Any = None,
                     decode_timedelta: Any = None,
                     group: Optional[str] = None, lock: Any = None,
                     cache_nbytes: Optional[int] = None,
                     nthreads: Optional[int] = None,
                     storage_options: Optional[Dict[str, Any]] = None) -> Any:
        """The dataset.  Only the header is read yet."""
        del lock
        if group not in (None, "", "/"):
            raise OSError(f"group not found: {group!r}; classic files have "
                          "no groups")
        source = _fsspec.place_of(filename_or_obj, storage_options)
        if _sources.is_name(source):
            source = os.fsdecode(source)
            if not _library.is_url(source):
                source = os.path.abspath(os.path.expanduser(source))
        manager = CachingFileManager(
            open_file, source, mode="r",
            kwargs={"cache_nbytes": cache_nbytes, "nthreads": nthreads})
        store = Nc3zDataStore(manager, _sources.name_of(source))
        try:
            return StoreBackendEntrypoint().open_dataset(
                store, mask_and_scale=mask_and_scale,
                decode_times=decode_times,
                concat_characters=concat_characters,
                decode_coords=decode_coords, drop_variables=drop_variables,
                use_cftime=use_cftime, decode_timedelta=decode_timedelta)
        except BaseException:
            store.close()
            raise

    def open_groups_as_dict(self, filename_or_obj: Any, **options: Any
                            ) -> Dict[str, Any]:
        """The one group that there is, by its path."""
        return {"/": self.open_dataset(filename_or_obj, **options)}

    def open_datatree(self, filename_or_obj: Any, **options: Any) -> Any:
        """A tree with one node, where xarray has trees."""
        import xarray
        if not hasattr(xarray, "DataTree"):
            raise NotImplementedError(f"xarray {xarray.__version__} has no "
                                      "DataTree")
        return xarray.DataTree.from_dict(
            self.open_groups_as_dict(filename_or_obj, **options))
