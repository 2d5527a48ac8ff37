# SPDX-License-Identifier: MIT
"""A netCDF classic file that is never written: its bytes, from arrays.

A header in front of values that are asked for when their bytes are read, a
stripe of each variable at a time.  So a dataset is packed without a copy of it
on disk, and in memory there is, beside what the arrays hold themselves, one
stripe for each record variable, or one in all for the others: STRIPE_NBYTES,
or for arrays in chunks one row of these along the first dimension.

The bytes are those that libnetcdf writes, but for some that pad values, in
which it goes by the order in which it gets these.
"""

from __future__ import annotations

import bisect
import itertools
import math
import struct
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, \
    Tuple

import numpy

from . import _structs as c
from ._encodings import rounded
from ._sources import Bounded

STRIPE_NBYTES = 32 << 20

# Tags of lists in the header.
DIMENSIONS, VARIABLES, ATTRIBUTES = 10, 11, 12
# The largest variable of CDF-2 that is not the last, in bytes.
LARGEST_2 = 2 ** 32 - 4
LARGEST_1 = 2 ** 31 - 4

NUMBERS: Dict[numpy.dtype[Any], int] = {
    numpy.dtype(name): number for number, name in enumerate(c.DTYPES) if name}
# As libnetcdf fills by default, by the number of the type.
FILLS = (b"", b"\x81", b"\0", b"\x80\x01", b"\x80\x00\x00\x01",
         b"\x7c\xf0\0\0", b"\x47\x9e\0\0\0\0\0\0", b"\xff", b"\xff\xff",
         b"\xff\xff\xff\xff", b"\x80\0\0\0\0\0\0\x02",
         b"\xff\xff\xff\xff\xff\xff\xff\xfe")

Read = Callable[[Tuple[slice, ...]], Any]


def _padded(data: bytes) -> bytes:
    """With zeros up to the next multiple of four."""
    return data + bytes(-len(data) % 4)


class Array:
    """A variable: a type, a shape and a function that reads a part.

    'read' gets one slice for each dimension.  'edges', of an array in chunks,
    are the first indices of these along the first dimension.  'digit' is the
    least significant digit that values are rounded to.
    """

    def __init__(self, name: str, dims: Sequence[str], shape: Sequence[int],
                 dtype: Any, read: Read,
                 attrs: Optional[Mapping[str, Any]] = None,
                 edges: Optional[Sequence[int]] = None,
                 digit: Optional[Any] = None) -> None:
        self.name, self.dims, self.shape = name, tuple(dims), tuple(shape)
        self.dtype = numpy.dtype(dtype)
        if self.dtype.newbyteorder("=") not in NUMBERS:
            raise TypeError(f"{name}: netCDF classic has no type for "
                            f"{self.dtype}")
        self.number = NUMBERS[self.dtype.newbyteorder("=")]
        self.attrs, self._read, self._digit = dict(attrs or {}), read, digit
        self._edges = list(edges) if edges and shape else None
        self._depth = 0
        while not self._edges and self._depth < len(self.shape) - 1 and \
                self._row_nbytes() > STRIPE_NBYTES:
            self._depth += 1
        self._at, self._stripe = -1, b""

    @property
    def nbytes(self) -> int:
        """Of all values."""
        return math.prod(self.shape) * int(self.dtype.itemsize)

    def _row_nbytes(self) -> int:
        """Bytes of one index along the dimension that is cut."""
        return math.prod(self.shape[self._depth + 1:]) * \
            int(self.dtype.itemsize)

    def _cut(self, row: int) -> Tuple[int, int]:
        """The stripe, in indices of that dimension, that has this one."""
        length = self.shape[self._depth]
        if self._edges:
            k = bisect.bisect_right(self._edges, row)
            return self._edges[k - 1], (self._edges + [length])[k]
        step = max(1, STRIPE_NBYTES // max(1, self._row_nbytes()))
        return row // step * step, min(row // step * step + step, length)

    def forget(self) -> None:
        """Frees the stripe."""
        self._at, self._stripe = -1, b""

    def bytes_at(self, offset: int) -> memoryview:
        """Values as they are in the file, from a byte to a stripe's end."""
        at = offset - self._at
        if self._at < 0 or not 0 <= at < len(self._stripe):
            self._load(offset)
            at = offset - self._at
        return memoryview(self._stripe)[at:]

    def _load(self, offset: int) -> None:
        """Reads the stripe with a byte."""
        self.forget()
        if not self.shape:
            self._at, self._stripe = 0, self._encode(())
            return
        row_nbytes = self._row_nbytes()
        lead, row = divmod(offset // row_nbytes, self.shape[self._depth])
        first, last = self._cut(row)
        index = numpy.unravel_index(lead, self.shape[:self._depth])
        key = tuple(slice(int(i), int(i) + 1) for i in index) + \
            (slice(first, last),) + \
            (slice(None),) * (len(self.shape) - self._depth - 1)
        self._stripe = self._encode(key)
        self._at = (lead * self.shape[self._depth] + first) * row_nbytes

    def _encode(self, key: Tuple[slice, ...]) -> bytes:
        """Big-endian values; refuses others than were announced, and those
        that do not fit."""
        values = numpy.asarray(self._read(key))
        shape = tuple(part.stop - part.start if part.stop is not None else
                      length for part, length in zip(key, self.shape))
        if values.shape != shape:
            raise ValueError(f"{self.name}: values have the shape "
                             f"{values.shape}, not {shape}")
        wanted = self.dtype.newbyteorder(">")
        encoded = values.astype(wanted, order="C")
        if values.dtype.kind in "iub" and values.dtype != self.dtype and \
                not numpy.array_equal(values, encoded):
            raise ValueError(
                f"{self.name}: values of {values.dtype} do not fit "
                f"{self.dtype}; ds.nc3z.to_archive(..., "
                "format=\"NETCDF3_64BIT_DATA\") keeps their type")
        if self._digit is not None and self.number != c.CHAR:
            encoded = rounded(encoded, self._digit).astype(wanted)
        return bytes(encoded.tobytes())

    @property
    def fill(self) -> bytes:
        """What is between variables."""
        value = self.attrs.get("_FillValue")
        if value is None:
            return FILLS[self.number]
        if isinstance(value, (str, bytes)):
            return (value.encode() if isinstance(value, str) else value)[:1]
        encoded = numpy.asarray(value).astype(self.dtype.newbyteorder(">"))
        return bytes(encoded.tobytes()[:self.dtype.itemsize])


class ClassicBytes(Bounded):
    """The bytes of a classic file with these arrays.

    dims: lengths by name.  record: the name of the unlimited dimension.
    version: 1, 2 or 5.  Attributes are text, bytes, or arrays of one dimension
    with a type in NUMBERS.
    """

    def __init__(self, dims: Mapping[str, int], arrays: Sequence[Array],
                 attrs: Optional[Mapping[str, Any]] = None,
                 record: Optional[str] = None, version: int = 2) -> None:
        self._dims, self._version = dict(dims), version
        self._record, self._attrs = record, dict(attrs or {})
        self._fixed = [array for array in arrays
                       if record is None or record not in array.dims[:1]]
        self._records = [array for array in arrays
                         if array not in self._fixed]
        self._nrecs = dims[record] if record is not None else 0
        if not self._records:
            # as libnetcdf has it: records come with their values
            self._nrecs = 0
        self._arrays = list(arrays)
        self._check_shapes()
        self._lay_out()

    def _check_shapes(self) -> None:
        """Refuses arrays of another shape than their dimensions have."""
        for array in self._arrays:
            for name, length in zip(array.dims, array.shape):
                if self._dims[name] != length:
                    raise ValueError(
                        f"{array.name}: its dimension {name} has {length} "
                        f"elements, and {self._dims[name]} elsewhere: give "
                        "one of the two another name (that of the dimension "
                        "of characters is encoding['char_dim_name'])")

    def _slot(self, array: Array) -> int:
        """Bytes of a variable in the file, or of it in each record."""
        if array in self._records:
            nbytes = math.prod(array.shape[1:]) * int(array.dtype.itemsize)
            if len(self._records) == 1:
                return nbytes
        else:
            nbytes = array.nbytes
        return nbytes + -nbytes % 4

    def _lay_out(self) -> None:
        """Places all variables; makes the header."""
        nheader = len(self._header({array.name: 0 for array in self._arrays}))
        self._begins = list(itertools.accumulate(
            map(self._slot, self._fixed), initial=nheader))
        self._inside = list(itertools.accumulate(
            map(self._slot, self._records), initial=0))
        begins = {array.name: begin
                  for array, begin in zip(self._fixed, self._begins)}
        begins.update((array.name, self._begins[-1] + inside) for
                      array, inside in zip(self._records, self._inside))
        self._check_sizes()
        self._head = self._header(begins)
        self.size = self._begins[-1] + self._nrecs * self._inside[-1]

    def _check_sizes(self) -> None:
        """Refuses what this version of the format has no numbers for."""
        largest = {1: LARGEST_1, 2: LARGEST_2}.get(self._version)
        if largest is None:
            return
        lists = [self._fixed[:-1] if not self._records else self._fixed,
                 self._records]
        for array in itertools.chain(*lists):
            if self._slot(array) > largest:
                raise ValueError(f"{array.name} is too large for CDF-"
                                 f"{self._version}; CDF-5 has no such limit")
        last = max(self._begins[:len(self._fixed)] +
                   ([self._begins[-1] + self._inside[-2]]
                    if self._records else []), default=0)
        if self._version == 1 and last > 2 ** 31 - 1:
            raise ValueError("the file is too large for CDF-1")

    def _number(self, number: int) -> bytes:
        """A count or a length."""
        if self._version == 5:
            return struct.pack(">q", number)
        if not 0 <= number < 2 ** 31:
            raise ValueError(f"CDF-{self._version} has no number {number}; "
                             "CDF-5 has")
        return struct.pack(">i", number)

    def _name(self, name: str) -> bytes:
        data = name.encode("utf-8", "surrogateescape")
        return self._number(len(data)) + _padded(data)

    def _list(self, tag: int, parts: List[bytes]) -> bytes:
        """A list of the header."""
        if not parts:
            return struct.pack(">i", 0) + self._number(0)
        return struct.pack(">i", tag) + self._number(len(parts)) + \
            b"".join(parts)

    def _attribute(self, name: str, value: Any) -> bytes:
        if isinstance(value, str):
            value = value.encode()
        if isinstance(value, bytes):
            number, nelems, data = c.CHAR, len(value), value
        else:
            values = numpy.atleast_1d(value)
            kind = values.dtype.newbyteorder("=")
            number, nelems = NUMBERS[kind], len(values)
            data = values.astype(kind.newbyteorder(">")).tobytes()
        return self._name(name) + struct.pack(">i", number) + \
            self._number(nelems) + _padded(data)

    def _attributes(self, attrs: Mapping[str, Any]) -> bytes:
        return self._list(ATTRIBUTES, [self._attribute(name, value)
                                       for name, value in attrs.items()])

    def _variable(self, array: Array, begin: int) -> bytes:
        numbers = {name: k for k, name in enumerate(self._dims)}
        slot = self._slot(array)
        slot += -slot % 4
        size = struct.pack(">q", slot) if self._version == 5 else \
            struct.pack(">I", min(slot, 2 ** 32 - 1))
        return self._name(array.name) + self._number(len(array.dims)) + \
            b"".join(self._number(numbers[name]) for name in array.dims) + \
            self._attributes(array.attrs) + \
            struct.pack(">i", array.number) + size + \
            struct.pack(">i" if self._version == 1 else ">q", begin)

    def _header(self, begins: Mapping[str, int]) -> bytes:
        """All in front of the values."""
        dims: Dict[str, int] = dict(self._dims)
        if self._record is not None:
            dims[self._record] = 0
        return b"CDF" + bytes([self._version]) + \
            self._number(self._nrecs) + \
            self._list(DIMENSIONS, [self._name(name) + self._number(length)
                                    for name, length in dims.items()]) + \
            self._attributes(self._attrs) + \
            self._list(VARIABLES, [self._variable(array, begins[array.name])
                                   for array in self._arrays])

    def read_into(self, offset: int, view: memoryview) -> int:
        end, done = min(offset + len(view), self.size), 0
        while offset + done < end:
            part = self._part(offset + done)[:end - offset - done]
            view[done:done + len(part)] = part
            done += len(part)
        return done

    def _part(self, offset: int) -> memoryview:
        """At least one byte from an offset on."""
        if offset < len(self._head):
            return memoryview(self._head)[offset:]
        if offset < self._begins[-1]:
            k = bisect.bisect_right(self._begins, offset) - 1
            while self._slot(self._fixed[k]) == 0:
                k -= 1
            if k > 0:
                self._fixed[k - 1].forget()
            array, at = self._fixed[k], offset - self._begins[k]
            nbytes, first = array.nbytes, 0
        else:
            record, at = divmod(offset - self._begins[-1], self._inside[-1])
            k = bisect.bisect_right(self._inside, at) - 1
            array, at = self._records[k], at - self._inside[k]
            nbytes = math.prod(array.shape[1:]) * array.dtype.itemsize
            first = record * nbytes
        if at >= nbytes:
            fill = array.fill * 4
            return memoryview(fill)[:self._slot(array) - at]
        return array.bytes_at(first + at)[:nbytes - at]
