# SPDX-License-Identifier: MIT
"""A variable of an open file: its form, and its values."""

from __future__ import annotations

import copy
import ctypes
import math
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple, TypeVar

import numpy

from . import _errors, _indexing, _structs as c
from ._boxes import Boxes, Lengths
from ._open import Attributed, OpenFile, text_of

Kind = TypeVar("Kind", bound="Values")

# Attributes that say how values are packed, or which of them are missing.
PACKING = ("scale_factor", "add_offset", "_FillValue", "missing_value",
           "valid_range", "valid_min", "valid_max", "_Unsigned")

# Of a variable that is not in chunks, rows that are read together where many
# hyperslabs touch the same blocks; an eighth of the cache of all files.
STRIPE_NBYTES = 8 << 20
# Chunks for dask where the archive has none.
CHUNK_NBYTES = 32 << 20
# A warning, if so many times more than was asked for was decoded, and each
# block so many times, of a variable of at least so many bytes.
WASTE, TIMES, WASTE_NBYTES = 64, 3, 4 << 20


class Values(Attributed):
    """A variable of an open file."""

    def __init__(self, file: OpenFile, varid: int, var: c.CVar) -> None:
        self._file, self._varid = file, varid
        self._natts, self._begin = int(var.natts), int(var.begin)
        self._storage: Optional[c.CStorage] = None
        self._ndecoded = 0
        self._memtype = c.NAT
        self._external: numpy.dtype[Any] = numpy.dtype(c.DTYPES[var.type])
        self.name = text_of(var.name)
        self.dtype: Any = self._external
        self.dims: Tuple[str, ...] = tuple(
            file._dim_names[var.dimids[i]] for i in range(var.ndims))
        self.shape: Tuple[int, ...] = tuple(int(var.shape[i])
                                            for i in range(var.ndims))
        self._attrs = None

    @property
    def file(self) -> OpenFile:
        """The file of the variable."""
        return self._file

    @property
    def dimensions(self) -> Tuple[str, ...]:
        """The same as 'dims', as netCDF4 has it."""
        return self.dims

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of values."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes that all values take in memory."""
        return self.size * int(self.dtype.itemsize)

    @property
    def attrs(self) -> Dict[str, Any]:
        """The attributes as a dict: text, numbers and arrays."""
        if self._attrs is None:
            self._attrs = self._file._read_attributes(self._varid,
                                                      self._natts)
        return self._attrs

    @property
    def chunks(self) -> Optional[Tuple[int, ...]]:
        """Lengths of a chunk, in values; None if the variable has no
        chunks."""
        found = self._inq_storage()
        if found is None or not found.nchunk_dims:
            return None
        return tuple(found.chunk_lengths[:found.nchunk_dims])

    @property
    def preferred_chunks(self) -> Optional[Tuple[int, ...]]:
        """Lengths, in values, of the parts to read at a time.

        These are the lengths of the chunks or, if the archive has none, of
        whole rows of blocks, as many as fit 32 MiB.  None for plain files.
        """
        found = self._inq_storage()
        if found is None or not self.size or not self.shape:
            return None
        return self._chunk_for(CHUNK_NBYTES)

    def _chunk_for(self, nbytes: int) -> Tuple[int, ...]:
        """The chunks; without such, whole rows of blocks that fit so many
        bytes, but one row at least, and of plain files whole rows."""
        if self.chunks is not None:
            return self.chunks
        found = self._inq_storage()
        block_nbytes = int(found.block_nbytes) if found else 0
        lengths, itemsize = list(self.shape), int(self._external.itemsize)
        row = math.prod(self.shape) * itemsize
        for k, length in enumerate(self.shape):
            row //= max(length, 1)
            if row <= nbytes or k == self.ndim - 1:
                block = max(1, block_nbytes // max(row, 1))
                rows = max(1, nbytes // max(row, 1))
                lengths[k] = max(1, min(length, max(rows // block, 1) * block))
                break
            lengths[k] = 1
        return tuple(lengths)

    def _inq_storage(self) -> Optional[c.CStorage]:
        """How it is stored; None for plain files."""
        if self._storage is None and self._file.is_archive:
            found = c.CStorage()
            self._file._call("inq_storage", self._varid, found)
            self._storage = found
        return self._storage

    def unpacked(self: Kind) -> Kind:
        """One that has the library unpack its values."""
        attrs, other = self.attrs, copy.copy(self)
        is_packed = any(name in attrs for name in PACKING)
        kind = self._external.kind
        if kind == "S" or (kind in "iu" and not is_packed):
            return other
        parts = [attrs[name] for name in ("scale_factor", "add_offset")
                 if name in attrs]
        is_small = kind == "f" and self._external.itemsize == 4 or \
            kind in "iu" and self._external.itemsize <= 2
        if is_small and all(getattr(part, "dtype", None) == "f4"
                            for part in parts):
            other._memtype, other.dtype = c.FLOAT, numpy.dtype("f4")
        else:
            other._memtype, other.dtype = c.DOUBLE, numpy.dtype("f8")
        other._memtype |= c.UNPACKED
        return other

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a scalar has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        for index in range(len(self)):
            yield self[index]

    def __getitem__(self, key: Any) -> Any:
        axes = _indexing.plan(key, self.shape, self.dims)
        values = numpy.empty([axis.nelems for axis in axes], self.dtype)
        if values.size:
            before = self._count_decoded(values)
            for runs, place in _indexing.hyperslabs(axes, self._stripe_rows()):
                self._read(runs, values[place] if runs else values)
            self._look_for_waste(before)
        return _indexing.arrange(values, axes)

    def _stripe_rows(self) -> int:
        """Rows whose blocks are read together; whole chunks of them."""
        if not self.shape:
            return 0
        row = max(1, math.prod(self.shape[1:]) * self._external.itemsize)
        chunks = self.chunks
        step = chunks[0] if chunks else 1
        return max(1, STRIPE_NBYTES // row // step) * step

    def _read(self, runs: Sequence[_indexing.Run], values: Any) -> None:
        """Reads one hyperslab into an array of its shape."""
        wanted = c.hyperslab(runs)
        if not values.flags.c_contiguous:
            nbytes = self.dtype.itemsize
            wanted.imap = (ctypes.c_ssize_t * values.ndim)(
                *(step // nbytes for step in values.strides))
        try:
            status = self._file._call("get", self._varid, wanted, self._memtype,
                                      values.ctypes.data)
        except _errors.Error as error:
            error.variable = self.name
            error.range = tuple(
                slice(start, start + (count - 1) * step + 1, step)
                for start, count, step in runs)
            raise
        self._look_at(status)

    def _look_at(self, status: int) -> None:
        """Warns of a status that is no error."""
        if status == c.ETRUNCATED:
            self._warn("values beyond the end of the original are zeros",
                       _errors.TruncationWarning)

    def _finish(self, values: Any) -> Any:
        """Values as users get them."""
        return values

    def blocks(self, lengths: Lengths = None, *, select: Any = ...,
               max_memory_nbytes: Optional[int] = None) -> Boxes:
        """Iterates over all values, block by block, through little memory.

            for index, values in f["tas"].blocks({"time": -1, "lat": 10}):
                means[index[1:]] = values.mean(0)

        Gives pairs of an index, a tuple of slices, and what the variable has
        there: variable[index].  Blocks come in row-major order, and hold each
        value once; those at the edges are shorter.  Blocks of the archive are
        decoded as few times as the memory allows, whatever the lengths.

        lengths: of a block, in values: for all dimensions, or by name, where
            -1 and dimensions that are not named are whole.  Default: along the
            chunks or blocks of the archive, as large as the memory allows.
        select: an index of slices with positive steps; default: all.
        max_memory_nbytes: default 64 MiB.  Values that were given need their
            own memory.

        Raises LimitError if a block does not fit the memory, ValueError for
        wrong lengths, and the exceptions of reading; after such a one, next()
        gives the block after it.
        """
        return Boxes(self, lengths, select, max_memory_nbytes, self._finish)

    def _warn(self, text: str, kind: Any) -> None:
        """A warning about the variable."""
        _errors.warn(f"{self._file.shown_path}: {self.name}: {text}", kind)

    def _count_decoded(self, values: Any) -> Optional[int]:
        """Blocks decoded so far, if what is asked for may waste some."""
        if values.nbytes * WASTE > self.nbytes or \
                self.nbytes < WASTE_NBYTES or self.ndim < 2 or \
                self.chunks is not None or not self._file.is_archive:
            return None
        return self._file.cache_info().nblocks_decoded

    def _look_for_waste(self, before: Optional[int]) -> None:
        """Warns, once, when all of it has been decoded several times."""
        storage = self._inq_storage()
        if before is None or storage is None or self._ndecoded < 0:
            return
        now = self._file.cache_info().nblocks_decoded - before
        if now * 2 < storage.nblocks:
            return
        self._ndecoded += now
        if self._ndecoded >= TIMES * storage.nblocks:
            self._ndecoded = -1
            nbytes = storage.nblocks * storage.block_nbytes
            self._warn(
                f"all of its {nbytes / 1e6:.0f} MB are decoded for each part "
                "read across the order of the file, as they do not fit the "
                "cache. An archive made with chunks reads such parts fast: "
                "nc3convert --chunks series, or nc3z.pack(..., "
                "chunks=\"series\"); a larger cache may do: nc3z."
                "set_cache_nbytes()", _errors.PerformanceWarning)
