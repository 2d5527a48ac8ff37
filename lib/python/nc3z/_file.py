# SPDX-License-Identifier: MIT
"""Files and their variables, as users see them."""

from __future__ import annotations

import collections.abc
import copy
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy

from . import _info, _show, _sources, _structs as c
from ._masks import Masks
from ._open import OpenFile
from ._values import Values


class Dimension(int):
    """The length of a dimension, with what netCDF4.Dimension has of it: name,
    size, len() and isunlimited()."""

    name: str
    _is_unlimited: bool

    def __new__(cls, size: int, name: str, is_unlimited: bool) -> Dimension:
        self = super().__new__(cls, size)
        self.name, self._is_unlimited = name, is_unlimited
        return self

    def __getnewargs__(self) -> Tuple[int, str, bool]:  # type: ignore
        return int(self), self.name, self._is_unlimited

    def __len__(self) -> int:
        return int(self)

    @property
    def size(self) -> int:
        """The length, in values."""
        return int(self)

    def isunlimited(self) -> bool:
        """Whether it is the record dimension."""
        return self._is_unlimited


class Variable(Values):
    """A variable of a file; an index gives an array of what it asks for.

    Numbers, slices and vectors are taken as netCDF4 takes them: vectors are
    independent of each other.  Values come as netCDF4 gives them: a masked
    array (numpy.ma), in which missing values are masked (see _FillValue,
    missing_value, valid_range, valid_min and valid_max; without _FillValue
    the fill value of the type, which bytes do not have), and the others
    multiplied by scale_factor, with add_offset added, where there are such
    attributes.  One value is a number, or numpy.ma.masked.  Text is as it is.
    raw() gives the numbers of the file, unpacked() NaN for missing values.

    name, dtype: as expected, the type being that of the file.  dims: names of
    its dimensions, slowest first.  shape: their lengths.  size: the number of
    values.  nbytes: their bytes in memory.  attrs: a dict; each attribute is
    an attribute of Python, too, where that name is free.  chunks: lengths of
    a chunk, in values; None if it is stored in the order of the file.
    """

    _is_masked = True
    _masks: Optional[Masks] = None

    def __repr__(self) -> str:
        return _show.variable_text(self)

    def _repr_html_(self) -> str:
        return _show.variable_html(self)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError as error:
            if not hasattr(numpy.ndarray, name):
                raise
            raise AttributeError(f"{error}; its values have: variable[...]."
                                 f"{name}") from None

    def raw(self) -> Variable:
        """The variable with its values as the file has them, in the byte
        order of this machine: nothing is masked or unpacked."""
        other = copy.copy(self)
        other._is_masked = False
        return other

    def unpacked(self) -> Variable:
        """The variable with its values unpacked.

        Numbers become scale_factor * number + add_offset, missing ones NaN:
        float32 if the file has numbers of at most 16 bits or float32 and both
        attributes are float32 or not there, otherwise float64.  Text stays as
        it is, and so do integers without any attribute that says something
        else.
        """
        return super().unpacked().raw()

    def __getitem__(self, key: Any) -> Any:
        values = super().__getitem__(key)
        if not self._is_masked or self.dtype.kind == "S":
            return values
        if self._masks is None:
            self._masks = Masks(self.attrs, self.dtype)
        return self._masks.apply(values)[()]

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None
                  ) -> Any:
        """All values; missing ones are NaN where the type has that."""
        if copy is False:
            raise ValueError("values cannot be had without a copy")
        values: Any = self[...]
        if hasattr(values, "mask") and values.dtype.kind == "f":
            values = values.filled(numpy.nan)
        return numpy.asarray(values, dtype)


def _open_again(what: Any, options: Dict[str, Any]) -> File:
    """What pickle calls."""
    return File(what, **options)


class _Variables(Dict[str, Variable]):
    """Variables by their names, which an error lists."""

    def __missing__(self, name: str) -> Variable:
        raise KeyError(f"no variable {name!r}; there are " +
                       (", ".join(self) or "none"))


class File(OpenFile, collections.abc.Mapping):  # type: ignore[type-arg]
    """An archive or a plain classic file, open for reading.

    A mapping of names to variables: file["sst"][0], "sst" in file, list(file),
    file.items(); a context manager.

    source: a path; a URL (http, https, s3); the bytes of a file; a file
        object that can seek; an object with read_range(), see RangeReader; a
        file of fsspec, or a URL that fsspec is to read.
    mode: "r", for those who are used to giving one; nothing is written.
    storage_options: for fsspec, which then reads any URL; without it, those
        of schemes that the library does not read.
    cache_nbytes: bytes of decoded blocks to keep for this file alone; without
        it, the cache that all files share (see set_cache_nbytes()).
    nthreads: how many threads one large request may use, 1 to 256; without
        it NC3Z_THREADS says, or one for each processor.
    raw, unpacked: whether variables give what Variable.raw() gives, or
        Variable.unpacked(), and not masked arrays.

    variables: Variable by name.  dims: lengths by name, in values; unlimited:
    the name of the record dimension, or None.  attrs: a dict of attributes.
    version: that of the classic format, 1, 2 or 5.  is_archive: whether it is
    one, not a plain file.

    Raises NotClassicError if it is neither, DamagedError, UnsupportedError,
    InvalidError, OSError of the system, such as FileNotFoundError.

    Any number of threads may read at once.  A child of a process that opened
    a file opens it anew where it reads from it; pickled, it goes by its path,
    URL or bytes.
    """

    def __init__(self, source: _sources.Source, mode: str = "r", *,
                 cache_nbytes: Optional[int] = None,
                 nthreads: Optional[int] = None,
                 raw: bool = False, unpacked: bool = False,
                 storage_options: Optional[Dict[str, Any]] = None) -> None:
        if mode != "r":
            raise ValueError(f"mode {mode!r}: a File is for reading; "
                             "nc3z.pack() makes archives")
        if raw and unpacked:
            raise ValueError("values are either raw or unpacked")
        numbers = {"cache_nbytes": cache_nbytes, "nthreads": nthreads}
        super().__init__(source, storage_options, numbers)
        self._arguments: Dict[str, Any] = {
            **numbers, "raw": raw, "unpacked": unpacked}
        self.variables: Dict[str, Variable] = _Variables()
        for varid in range(self._nvars):
            var = c.CVar()
            self._call("inq_var", varid, var)
            variable = Variable(self, varid, var)
            self.variables[variable.name] = variable.raw() if raw else \
                variable.unpacked() if unpacked else variable

    def __reduce__(self) -> Tuple[Any, ...]:
        if not isinstance(self._source, (str, bytes, bytearray)) and \
                not hasattr(self._source, "read_range") and \
                not hasattr(self._source, "connect"):
            raise TypeError("a file that was opened from a file object "
                            "cannot be pickled; open it by its path")
        if not self.is_open:
            raise ValueError(f"{self.shown_path}: the file is closed")
        return _open_again, (self._source, self._arguments)

    def __repr__(self) -> str:
        return _show.file_text(self)

    def _repr_html_(self) -> str:
        return _show.file_html(self)

    def _ipython_key_completions_(self) -> List[str]:
        return list(self.variables)

    def __getitem__(self, name: str) -> Variable:
        return self.variables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    # Views of a mapping would show all of the file.
    def keys(self) -> Any:
        """Names of the variables."""
        return self.variables.keys()

    def values(self) -> Any:
        """The variables."""
        return self.variables.values()

    def items(self) -> Any:
        """Names and variables."""
        return self.variables.items()

    # Two files are one only if they are the same object, as for h5py.
    __hash__ = object.__hash__
    __eq__ = object.__eq__

    def __bool__(self) -> bool:
        return self.is_open

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def dimensions(self) -> Dict[str, Dimension]:
        """The same as 'dims', as netCDF4 has it."""
        return {name: Dimension(length, name, name == self.unlimited)
                for name, length in self.dims.items()}

    def info(self) -> _info.Info:
        """How it is stored; NotArchiveError for plain files."""
        return _info.read(self)


def info(source: _sources.Source) -> _info.Info:
    """How an archive is stored: sizes, ratio, codings and chunks.

    source: what File() takes.  Nothing is decoded; the headers of all blocks
    are read.  Raises NotArchiveError for plain files, and what File() raises.
    """
    with File(source) as file:
        return file.info()
