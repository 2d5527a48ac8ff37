# SPDX-License-Identifier: MIT
"""Values of a classic file as chunks of Zarr: where each is.

A chunk is a record, or whole rows of a variable without records: as many as
divide its length, because Zarr has no smaller chunk at the end.
"""

from __future__ import annotations

import math
from typing import List

from . import _structs as c
from ._blocks import Found, Unfit
from ._open import OpenFile
from ._values import Values
from ._zarr_metadata import Array

# Bytes of a chunk, about; and how many times less is too little.
CHUNK_NBYTES, TOO_SMALL = 4 << 20, 16


def _rows(length: int, row_nbytes: int) -> int:
    """How many rows are in a chunk."""
    small = [n for n in range(1, math.isqrt(length) + 1) if length % n == 0]
    divisors = small + [length // n for n in reversed(small)]
    most = max(n for n in divisors if n == 1 or
               n * row_nbytes <= CHUNK_NBYTES)
    if most * row_nbytes * TOO_SMALL >= CHUNK_NBYTES:
        return most
    return next(n for n in divisors
                if n * row_nbytes * TOO_SMALL >= CHUNK_NBYTES)


def _chunks(variable: Values, is_record: bool) -> List[int]:
    """Lengths of a chunk."""
    lengths = list(variable.shape)
    if is_record:
        lengths[0] = 1
    nbytes = math.prod(lengths) * int(variable._external.itemsize)
    for k in range(int(is_record), len(lengths)):
        if nbytes <= CHUNK_NBYTES:
            break
        row = nbytes // lengths[k]
        lengths[k] = _rows(lengths[k], row)
        nbytes = lengths[k] * row
        if lengths[k] > 1:
            break
    return lengths


class Plain:
    """Where the variables of a classic file are."""

    def __init__(self, file: OpenFile) -> None:
        self._file, self._size = file, file.nbytes
        slots, var = [], c.CVar()
        for varid in range(file._nvars):
            file._call("inq_var", varid, var)
            if var.is_record:
                width = int(c.DTYPES[var.type][1:])
                slots.append(math.prod(var.shape[1:var.ndims]) * width)
        # From one record to the next; of one record variable, records follow
        # each other without padding.
        self._step = slots[0] if len(slots) == 1 else \
            sum(n + -n % 4 for n in slots)

    def references(self, variable: Values, url: str) -> Found:
        """The array, and a reference for each of its chunks, in order."""
        if not variable.shape:
            raise Unfit("it has no dimensions")
        is_record = variable.dims[0] == self._file.unlimited
        if not variable.size:
            return Array(variable, variable.shape, ">"), []
        begin, step = variable._begin, self._step
        nrecords = variable.shape[0] if is_record else 1
        record_nbytes = math.prod(variable.shape[is_record:]) * \
            int(variable._external.itemsize)
        if begin + (nrecords - 1) * step + record_nbytes > self._size:
            raise Unfit("the file ends before its values")
        array = Array(variable, _chunks(variable, is_record), ">")
        nbytes = math.prod(array.chunks) * int(array.dtype.itemsize)
        return array, [[url, begin + record * step + at, nbytes]
                       for record in range(nrecords)
                       for at in range(0, record_nbytes, nbytes)]
