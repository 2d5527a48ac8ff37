# SPDX-License-Identifier: MIT
"""Files and their variables, as users see them."""

from __future__ import annotations

import collections.abc
import copy
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy

from . import _errors, _info, _show, _sources, _structs as c
from ._masks import Masks
from ._open import OpenFile
from ._values import Values


class Dimension(int):
    """The length of a dimension.  It has name, size, len() and isunlimited(),
    as netCDF4.Dimension has."""

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
        """True for the record dimension."""
        return self._is_unlimited


class Variable(Values):
    """A variable of a file.  Index it to read values.

    An index can have numbers, slices and vectors; vectors are independent of
    each other.  Values come as netCDF4 gives them, masked and unpacked by their
    attributes; the manual, doc/python.md, lists the differences.  raw() gives
    the numbers in the file, unpacked() gives NaN for missing values.

    name: the name of the variable.
    dtype: the type in the file.
    dims: names of the dimensions, slowest first.
    shape: lengths of the dimensions.
    size: the number of values.
    nbytes: the bytes that all values take in memory.
    attrs: a dict of attributes.  Each one is also an attribute of the Python
        object, unless that name is taken.
    chunks: lengths of a chunk, in values; None if the variable is stored in
        the order of the file.
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
        """The variable with the numbers in the file, neither masked nor
        unpacked, in the byte order of this machine."""
        other = copy.copy(self)
        other._is_masked = False
        return other

    def unpacked(self) -> Variable:
        """The variable with unpacked values.

        Numbers become scale_factor * number + add_offset, and missing ones
        NaN.  The result is float32 if the numbers in the file have at most 16
        bits or are float32, and both attributes are float32 or missing.
        Otherwise it is float64.  Two kinds of variables stay as they are:
        text, and integers without scale_factor, add_offset or missing values.
        """
        other = super().unpacked().raw()
        if other.dtype != self.dtype:
            self._rules()
        return other

    def __getitem__(self, key: Any) -> Any:
        return self._finish(super().__getitem__(key))

    def _finish(self, values: Any) -> Any:
        if not self._is_masked or self.dtype.kind == "S":
            return values
        return self._rules().apply(values)[()]

    def _rules(self) -> Masks:
        """What attributes say of values; warns, once, of what they cannot
        say."""
        if self._masks is None:
            self._masks = Masks(self.attrs, self.dtype)
            for note in self._masks.notes:
                self._warn(note, _errors.InputWarning)
        return self._masks

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None
                  ) -> Any:
        """All values; missing ones are NaN if the type has NaN."""
        if copy is False:
            raise ValueError("values cannot be returned without a copy")
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

    It is a mapping of names to variables (file["sst"][0], "sst" in file,
    list(file), file.items()) and a context manager.

    source: a path; a URL (http, https, s3); the bytes of a file; a file
        object that can seek; an object with read_range(), see RangeReader; a
        file of fsspec, or a URL that fsspec is to read.
    mode: only "r".
    storage_options: options for fsspec.  Given: fsspec reads every URL.  Not
        given: fsspec reads only schemes that the library cannot.
    cache_nbytes: bytes of decoded blocks to keep for this file alone.  Without
        it, all files share a cache (see set_cache_nbytes()).
    nthreads: how many threads one large request may use, 1 to 256.  Without
        it, the number in NC3Z_THREADS, or one for each processor.
    raw, unpacked: give the values of Variable.raw() or Variable.unpacked()
        instead of masked arrays.

    The object has these attributes:

    variables: a dict of names and Variable objects.
    dims: a dict of names and lengths.
    unlimited: the name of the record dimension, or None.
    attrs: a dict of the attributes of the file.
    version: the version of the classic format, 1, 2 or 5.
    is_archive: False for a plain file.

    Raises NotClassicError if the source is neither an archive nor a classic
    file; DamagedError, UnsupportedError or InvalidError; and OSError from the
    system, such as FileNotFoundError.

    Any number of threads may read at the same time.  After fork(), a child
    reopens the file.  Pickling stores the path, URL or bytes.
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
        """How the archive is stored.  Raises NotArchiveError for a plain
        file."""
        return _info.read(self)


def info(source: _sources.Source) -> _info.Info:
    """How an archive is stored: sizes, ratio, codings and chunks.

    source: as for File().

    Reads the headers of all blocks and decodes nothing.  Raises
    NotArchiveError for a plain file, and the exceptions of File().
    """
    with File(source) as file:
        return file.info()
