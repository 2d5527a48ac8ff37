# SPDX-License-Identifier: MIT
"""A file as the keys and values of a store of Zarr.

Metadata are made when the file is opened, chunks when they are asked for: those
of the archive, or whole rows of its blocks.  What a store of zarr 2 and one of
zarr 3 have in common.
"""

from __future__ import annotations

import itertools
import json
import math
from typing import Any, Dict, Iterator, List, NoReturn, Optional, Tuple

import numpy

from . import _sources
from ._file import File
from ._zarr_metadata import Array, chosen, documents

# Bytes of a chunk, about, where an archive has none.
CHUNK_NBYTES = 4 << 20


class Keys:
    """Values by key; any number of threads may ask."""

    def __init__(self, source: _sources.Source, *,
                 variables: Optional[List[str]] = None, zarr_format: int = 2,
                 **options: Any) -> None:
        if zarr_format not in (2, 3):
            raise ValueError("zarr_format is 2 or 3")
        self.file = File(source, raw=True, **options)
        self.zarr_format = zarr_format
        self.arrays: Dict[str, Array] = {
            variable.name: Array(variable, variable._chunk_for(CHUNK_NBYTES),
                                 "<")
            for variable in chosen(self.file, variables)}
        self.documents = {key: json.dumps(value).encode() for key, value in
                          documents(self.file, self.arrays,
                                    zarr_format).items()}

    def _find(self, key: str) -> Optional[Tuple[Array, List[int]]]:
        """The array and the place of a chunk, if the key is that of one."""
        mark = "/c" if self.zarr_format == 3 else "/"
        name, found, rest = key.partition(mark)
        array = self.arrays.get(name)
        if array is None or not found:
            return None
        if self.zarr_format == 3:
            words = rest.split("/")[1:] if rest else []
        else:
            words = rest.split(".") if array.shape else []
        if not all(word.isdecimal() and word.isascii() for word in words) or \
                len(words) != len(array.counts):
            return None
        place = [int(word) for word in words]
        # Each chunk has one key.
        if key != f"{name}/{array.key_of(place, self.zarr_format)}" or \
                any(i >= n for i, n in zip(place, array.counts)):
            return None
        return array, place

    def get(self, key: str) -> bytes:
        """A value.  KeyError; what reading raises."""
        document = self.documents.get(key)
        if document is not None:
            return document
        found = self._find(key)
        if found is None:
            raise KeyError(key)
        array, place = found
        slices = tuple(slice(i * n, min((i + 1) * n, length)) for i, n, length
                       in zip(place, array.chunks, array.shape))
        values = numpy.asarray(array.variable[slices if slices else ()])
        if values.shape != array.chunks:
            whole = numpy.zeros(array.chunks, array.dtype)
            whole[tuple(slice(0, n) for n in values.shape)] = values
            values = whole
        return bytes(values.astype(array.dtype, copy=False).tobytes())

    def size_of(self, key: str) -> int:
        """Bytes of a value, which is not read.  KeyError."""
        if key in self.documents:
            return len(self.documents[key])
        found = self._find(key)
        if found is None:
            raise KeyError(key)
        return math.prod(found[0].chunks) * int(found[0].dtype.itemsize)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and (
            key in self.documents or self._find(key) is not None)

    def __len__(self) -> int:
        return len(self.documents) + sum(array.nchunks for array in
                                         self.arrays.values())

    def __iter__(self) -> Iterator[str]:
        yield from self.documents
        for name in self.arrays:
            yield from self._of_chunks(name)

    def _of_chunks(self, name: str) -> Iterator[str]:
        """The keys of the chunks of an array."""
        array = self.arrays[name]
        for place in numpy.ndindex(*array.counts):
            yield f"{name}/{array.key_of(place, self.zarr_format)}"

    def below(self, prefix: str) -> Iterator[str]:
        """What is directly below a key: names, each once."""
        prefix = prefix.strip("/")
        above, name = prefix + "/" if prefix else "", prefix.split("/")[0]
        # Below the root, there are only documents and what has some.
        keys = itertools.chain(self.documents, self._of_chunks(name)
                               if name in self.arrays else ())
        yield from dict.fromkeys(key[len(above):].split("/")[0]
                                 for key in keys if key.startswith(above))


def _again(store: Any, source: Any, options: Any) -> Any:
    """What pickle calls."""
    return store(source, **options)


class Reading:
    """A file as a store of Zarr, read-only: with zarr 2, or without zarr, also
    a mapping of keys to bytes.

    source, options: as for nc3z.File().
    variables: names of the variables in the store; default: all.
    zarr_format: the format of the metadata, 2 or, with zarr 3, 3.

    Arrays have the chunks of the archive or, if it has none, whole rows of
    blocks, about 4 MiB together.  Raises UnsupportedError if Zarr does not
    allow the name of a variable, and the exceptions of File().  Pickling stores
    the path, URL or bytes.  Any number of threads may read.  Attributes become
    JSON, so xarray unpacks to float64, even if scale_factor is float32.
    """

    _keys: Keys
    _arguments: Tuple[Any, Dict[str, Any]]

    def __reduce__(self) -> Tuple[Any, ...]:
        return _again, (type(self), *self._arguments)

    def __repr__(self) -> str:
        return f"<nc3z.zarr.Store of {self._keys.file.shown_path}>"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reading) and \
            self._arguments == other._arguments

    def __hash__(self) -> int:
        return hash(repr(self._arguments))

    def _refuse(self, *_: Any) -> NoReturn:
        """In place of what writes."""
        raise PermissionError("archives are for reading")
