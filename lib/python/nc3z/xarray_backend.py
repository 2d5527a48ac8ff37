"""How xarray opens archives: the engine "nc3z".

xarray finds it by the entry point of this package and asks guess_can_open()
where no engine is named.  What it then makes of a file is what its engine
"netcdf4" makes of the original.

Datasets go to other processes as a path and the name of open_file(); there
the file is opened anew.  Values are read without any lock.
"""

import os

import numpy
from xarray import Variable
from xarray.backends.common import (
    AbstractDataStore, BackendArray, BackendEntrypoint)
from xarray.backends.file_manager import CachingFileManager
from xarray.backends.store import StoreBackendEntrypoint
from xarray.core import indexing

from . import _library, _source
from ._file import File

MAGIC = b"\x89NC3Z\r\n\x1a"
SUFFIX = ".nc3z"


def open_file(path, mode="r", cache_nbytes=None, nthreads=None):
    """Opens a file or a _source.Place; what workers call."""
    if mode != "r":
        raise ValueError("archives are for reading")
    return File(path, cache_nbytes=cache_nbytes, nthreads=nthreads)


class Nc3zArray(BackendArray):
    """The values of a variable, read when they are asked for."""

    def __init__(self, store, name):
        variable = store.file.variables[name]
        self.store, self.name = store, name
        self.shape, self.dtype = variable.shape, variable.dtype

    def __getitem__(self, key):
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    def _read(self, key):
        while True:
            file = self.store.file
            try:
                return file.variables[self.name][key]
            except ValueError:
                # xarray closes files where it has too many: once more
                if file.is_open:
                    raise


class Nc3zDataStore(AbstractDataStore):
    """A file as xarray sees it."""

    def __init__(self, manager, path):
        self._manager, self._path = manager, path

    @property
    def file(self):
        """The file, opened if it is not."""
        return self._manager.acquire()

    def _open_variable(self, variable):
        attributes = dict(variable.attributes)
        fill = attributes.get("_FillValue")
        if variable.dtype.kind == "S" and fill is not None:
            attributes["_FillValue"] = numpy.bytes_(fill)
        encoding = {"source": _source.shown(str(self._path)),
                    "original_shape": variable.shape,
                    "dtype": variable.dtype}
        if "least_significant_digit" in attributes:
            encoding["least_significant_digit"] = \
                attributes.pop("least_significant_digit")
        array = indexing.LazilyIndexedArray(Nc3zArray(self, variable.name))
        return Variable(variable.dimensions, array, attributes, encoding)

    def get_variables(self):
        """All variables by name."""
        return {name: self._open_variable(variable)
                for name, variable in self.file.variables.items()}

    def get_attrs(self):
        """The attributes of the file."""
        return dict(self.file.attributes)

    def get_dimensions(self):
        """The lengths of the dimensions."""
        return dict(self.file.dimensions)

    def get_encoding(self):
        """What is unlimited."""
        unlimited = self.file.unlimited
        return {"unlimited_dims": set() if unlimited is None else {unlimited}}

    def close(self):
        """Closes the file, until it is asked for again."""
        self._manager.close()


class Nc3zBackendEntrypoint(BackendEntrypoint):
    """The engine, for archives, and by its name for classic files, too."""

    description = "Open archives of netCDF classic files (.nc3z) in Xarray"
    # Where the class itself is given as the engine, xarray does not look.
    open_dataset_parameters = (
        "filename_or_obj", "mask_and_scale", "decode_times",
        "concat_characters", "decode_coords", "drop_variables", "use_cftime",
        "decode_timedelta", "cache_nbytes", "nthreads", "storage_options")

    def guess_can_open(self, filename_or_obj):
        """Whether it is an archive, by its first bytes."""
        first = _source.first_bytes(filename_or_obj, len(MAGIC))
        if first is not None:
            return first == MAGIC
        try:
            path = os.path.expanduser(os.fspath(filename_or_obj))
        except TypeError:
            return False
        # Nothing is fetched to find out.
        if "://" in os.fsdecode(path):
            return os.fsdecode(path).partition("?")[0].endswith(SUFFIX)
        try:
            with open(path, "rb", buffering=0) as file:
                return file.read(len(MAGIC)) == MAGIC
        except (OSError, ValueError):
            # Whoever opens it will say why that cannot be.
            return os.fsdecode(path).endswith(SUFFIX)

    # xarray looks at the names of these parameters: no **kwargs.
    def open_dataset(self, filename_or_obj, *, mask_and_scale=True,
                     decode_times=True, concat_characters=True,
                     decode_coords=True, drop_variables=None, use_cftime=None,
                     decode_timedelta=None, cache_nbytes=None, nthreads=None,
                     storage_options=None):
        """The dataset; nothing is read yet but its header."""
        path = _source.place_of(filename_or_obj, storage_options)
        if path is None:
            path = os.fsdecode(filename_or_obj)
            if not _library.is_url(path):
                path = os.path.abspath(os.path.expanduser(path))
        manager = CachingFileManager(
            open_file, path, mode="r",
            kwargs={"cache_nbytes": cache_nbytes, "nthreads": nthreads})
        store = Nc3zDataStore(manager, path)
        try:
            return StoreBackendEntrypoint().open_dataset(
                store, mask_and_scale=mask_and_scale,
                decode_times=decode_times,
                concat_characters=concat_characters,
                decode_coords=decode_coords, drop_variables=drop_variables,
                use_cftime=use_cftime, decode_timedelta=decode_timedelta)
        except Exception:
            store.close()
            raise
