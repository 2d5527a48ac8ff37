# SPDX-License-Identifier: MIT
"""Exact netCDF-4 files (format-spec/exact-netcdf4.md) as chunks of Zarr.

Their chunks are shuffled and deflated as numcodecs does it, so that readers of
references need nothing of this package.  The end of the file says where they
are, and has the header of the classic file; HDF5's structures are not read.
"""

from __future__ import annotations

import math
import os
import struct
import zlib
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _errors, _fsspec, _library, _sources, _structs as c
from ._blocks import Reference, Unfit
from ._file import File
from ._values import Values
from ._zarr_metadata import Array

SIGNATURE = b"\x89HDF\r\n\x1a\n"
MAGIC, VERSION = b"\x93nc3z-N4", 1
TRAILER = struct.Struct("<8sIIIIQQ32s32sI")
FRAME_NBYTES = 1 << 20
DESCRIPTION_NBYTES_MORE = 1 << 16
RECORDS, CHUNKED, SHUFFLED, DEFLATED = 1, 2, 4, 8


class Fields:
    """Numbers, one after the other; struct.error at their end."""

    def __init__(self, data: bytes, order: str) -> None:
        self._data, self._order, self._at = data, order, 0

    def take(self, kinds: str) -> Tuple[int, ...]:
        """The next ones, as struct has it."""
        found = struct.unpack_from(self._order + kinds, self._data, self._at)
        self._at += struct.calcsize(self._order + kinds)
        return found

    def number(self, kind: str) -> int:
        """The next one."""
        return self.take(kind)[0]

    def rows(self, kinds: str, count: int) -> List[Tuple[int, ...]]:
        """So many times some."""
        row = struct.Struct(self._order + kinds)
        begin, self._at = self._at, self._at + count * row.size
        if self._at > len(self._data):
            raise struct.error("it is too short")
        return list(row.iter_unpack(self._data[begin:self._at]))


class Stored:
    """A variable of the description: where its values are."""

    def __init__(self, fields: Fields) -> None:
        self.width, self.flags, rank, zero, self.begin = fields.take("BBBBQ")
        if zero != 0 or self.flags > 15:
            raise ValueError("a variable has flags that are not known")
        self.lengths = fields.take(f"{rank}Q")
        self.chunks = self.lengths
        self.places: List[Tuple[int, ...]] = []
        if not self.flags & CHUNKED:
            self.places.append((fields.number("Q"),
                                self.width * math.prod(self.lengths)))
            return
        self.chunks = fields.take(f"{rank}Q")
        if not all(1 <= chunk <= max(n, 1)
                   for n, chunk in zip(self.lengths, self.chunks)):
            raise ValueError("a chunk is longer than its dimension")
        nchunks = math.prod(-(-n // chunk) for n, chunk in
                            zip(self.lengths, self.chunks))
        self.places = fields.rows("QI", nchunks)

    def covered(self, size: int, step: int) -> int:
        """How many of the first bytes of the original are its values."""
        if not self.flags & RECORDS:
            nbytes = self.width * math.prod(self.lengths)
            return max(0, min(nbytes, size - self.begin))
        nbytes = self.width * math.prod(self.lengths[1:])
        whole = (size - self.begin - nbytes) // step + 1 if step else 1
        whole = max(0, min(self.lengths[0], whole))
        left = size - self.begin - whole * step
        return whole * nbytes + (max(0, min(nbytes, left))
                                 if whole < self.lengths[0] else 0)


class Header:
    """A RangeReader of the original that has no values."""

    def __init__(self, name: str, head: bytes, size: int) -> None:
        self.name, self.size, self._head = name, size, head

    def read_range(self, offset: int, nbytes: int) -> bytes:
        """What was found, and zeros, which nobody looks at."""
        return self._head[offset:offset + nbytes].ljust(nbytes, b"\0")


class StoredArray(Array):
    """A variable whose chunks are as HDF5 has them."""

    def __init__(self, variable: Values, stored: Stored) -> None:
        super().__init__(variable, stored.chunks, "<")
        self._filters: List[Dict[str, Any]] = []
        if stored.flags & SHUFFLED:
            self._filters.append({"id": "shuffle",
                                  "elementsize": stored.width})
        if stored.flags & DEFLATED:
            self._filters.append({"id": "zlib", "level": 9})

    def metadata2(self) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        array, attributes = super().metadata2()
        array["filters"] = self._filters or None
        return array, attributes

    def metadata3(self) -> Dict[str, Any]:
        array = super().metadata3()
        for each in self._filters:
            options = dict(each)
            array["codecs"].append({"name": "numcodecs." + options.pop("id"),
                                    "configuration": options})
        return array


class Exact:
    """An exact netCDF-4 file: its header as a File, and where values are."""

    def __init__(self, name: str, data: _sources.Bounded) -> None:
        self.name, self._data = name, data
        try:
            self._read()
        except (struct.error, zlib.error, LookupError, ArithmeticError,
                ValueError) as error:
            raise self._damaged(f"the end of this file: {error}") from error

    def _damaged(self, why: str) -> _errors.DamagedError:
        return _errors.DamagedError(self.name, why, c.EDAMAGED)

    def _bytes(self, offset: int, nbytes: int, crc: int) -> bytes:
        """Bytes whose CRC-32 is known."""
        if not 0 <= offset <= self._data.size - nbytes:
            raise self._damaged("the end of this file is inconsistent")
        found = self._data.read(offset, nbytes)
        if len(found) != nbytes or zlib.crc32(found) != crc:
            raise self._damaged("the end of this file has changed")
        return found

    def _read(self) -> None:
        at = self._data.size - TRAILER.size
        trailer = self._data.read(max(at, 0), TRAILER.size).ljust(
            TRAILER.size, b"\0")
        (magic, version, stored, nbytes, crc, hdf5_nbytes, size, _, _,
         own_crc) = TRAILER.unpack(trailer)
        if magic != MAGIC or zlib.crc32(trailer[:-4]) != own_crc:
            raise _errors.NotArchiveError(
                self.name, "a netCDF-4 file that nc3convert has not made, or "
                "that another program has changed: kerchunk makes references "
                "to such files", c.ENOTARCHIVE)
        if version != VERSION:
            raise _errors.UnsupportedError(
                self.name, f"version {version} of exact netCDF-4",
                c.EUNSUPPORTED)
        if nbytes > self._data.size + DESCRIPTION_NBYTES_MORE:
            raise self._damaged("the description is too long")
        text = zlib.decompressobj().decompress(
            self._bytes(at - stored, stored, crc), max(1, nbytes))
        fields = Fields(text, "<")
        _, step, nvariables, nframes = fields.take("QQII")
        variables = [Stored(fields) for _ in range(nvariables)]
        frames = fields.rows("II", nframes)
        places = sorted(place for each in variables for place in each.places)
        places.append((hdf5_nbytes, 0))
        if any(sum(place) > after[0]
               for place, after in zip(places, places[1:])):
            raise self._damaged("chunks overlap, or are not in the HDF5 part")
        rest = size - sum(each.covered(size, step) for each in variables)
        first = min((each.begin for each in variables), default=size)
        head = self._head(frames, hdf5_nbytes, rest, first)
        self.header = Header(self.name, head, size)
        self.stored = {each.begin: each for each in variables
                       if 0 not in each.lengths}

    def _head(self, frames: Sequence[Tuple[int, ...]], at: int, rest: int,
              nbytes: int) -> bytes:
        """The bytes of the original before its first variable."""
        head = bytearray()
        for stored, crc in frames:
            raw = min(FRAME_NBYTES, rest - len(head))
            frame = self._bytes(at, stored, crc)
            head += frame if stored == raw else \
                zlib.decompressobj().decompress(frame, FRAME_NBYTES)
            at += stored
            if len(head) >= nbytes:
                break
        return bytes(head[:nbytes])

    def open(self) -> File:
        """The original's header."""
        return File(self.header, raw=True)

    def references(self, variable: Values, url: str
                   ) -> Tuple[Array, List[Reference]]:
        """A variable's array and its chunks, in order.  Raises Unfit."""
        stored = self.stored.get(variable._begin)
        if not variable.size:
            return Array(variable, variable.shape, "<"), []
        if stored is None or stored.lengths != variable.shape or \
                stored.width != variable._external.itemsize:
            raise Unfit("other parts of the classic file lie over its bytes")
        return StoredArray(variable, stored), [
            [url, offset, nbytes] for offset, nbytes in stored.places]


def open_exact(source: Any, storage_options: Optional[Dict[str, Any]]
               ) -> Optional[Exact]:
    """Reads the end of one; None for what is no HDF5 file."""
    if storage_options is None and _sources.is_name(source) and \
            _library.is_url(source):
        storage_options = {}
    place = _fsspec.place_of(source, storage_options)
    data = _sources.PathBytes(os.open(
        os.path.expanduser(place), os.O_RDONLY | os.O_CLOEXEC)) \
        if _sources.is_name(place) else _sources.needed(place)
    try:
        return Exact(_sources.name_of(source), data) \
            if data.read(0, len(SIGNATURE)) == SIGNATURE else None
    finally:
        data.close()
