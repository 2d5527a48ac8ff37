# SPDX-License-Identifier: MIT
"""What an index means, as the fewest hyperslabs that hold what is wanted.

An index has one entry for each dimension: a number, a slice, or a vector of
numbers or truth values.  Vectors are independent of each other, as in netCDF4
and xarray, not paired as in numpy.  Only what is wanted is read: a vector
becomes runs of equal steps.
"""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any, Iterator, List, Sequence, Tuple, Union

import numpy

Run = Tuple[int, int, int]

# Of more hyperslabs than this, neighbours are read as one.
HYPERSLABS_MAX = 1024


class Axis:
    """One dimension of an index.

    'runs' are (start, count, stride) in ascending order; their values, joined,
    are 'then'-indexed to get what was asked for."""

    def __init__(self, runs: List[Run],
                 then: Union[int, slice, Any] = slice(None)) -> None:
        self.runs, self.then = runs, then

    @property
    def nelems(self) -> int:
        """How many values the runs have."""
        return sum(run[1] for run in self.runs)


def _find_runs(wanted: List[int]) -> List[Run]:
    """The ascending numbers of a list as runs of equal steps."""
    runs: List[Run] = []
    at = 0
    while at < len(wanted):
        end, step = at + 1, 1
        if end < len(wanted):
            step = wanted[end] - wanted[at]
        while end < len(wanted) and wanted[end] - wanted[end - 1] == step:
            end += 1
        runs.append((wanted[at], end - at, step))
        at = end
    return runs


def _vector_axis(entry: Any, length: int) -> Axis:
    """The Axis of a vector."""
    vector = numpy.asarray(entry)
    if vector.ndim != 1:
        raise IndexError("an index has more than one dimension")
    if vector.dtype == bool:
        if len(vector) != length:
            raise IndexError(f"{len(vector)} truth values for a dimension of "
                             f"{length}")
        vector = numpy.flatnonzero(vector)
    elif len(vector) == 0:
        return Axis([])
    elif vector.dtype.kind not in "iu":
        raise IndexError("an index is neither a number nor a slice")
    vector = vector.astype(numpy.int64)
    vector = numpy.where(vector < 0, vector + length, vector)
    if len(vector) and (vector.min() < 0 or vector.max() >= length):
        raise IndexError(f"an index is out of bounds: the length is {length}")
    then: Any
    wanted, then = numpy.unique(vector, return_inverse=True)
    if numpy.array_equal(then, numpy.arange(len(wanted))):
        then = slice(None)
    return Axis(_find_runs(wanted.tolist()), then)


def _axis(entry: Any, length: int) -> Axis:
    """The Axis of one entry."""
    if isinstance(entry, slice):
        wanted = range(*entry.indices(length))
        if not wanted:
            return Axis([])
        # A stride past the end has no effect, and the library has a limit.
        step = abs(wanted.step) if len(wanted) > 1 else 1
        if wanted.step > 0:
            return Axis([(wanted.start, len(wanted), step)])
        return Axis([(wanted[-1], len(wanted), step)], slice(None, None, -1))
    if numpy.ndim(entry):
        return _vector_axis(entry, length)
    try:
        if isinstance(entry, (bool, numpy.bool_)):
            raise TypeError
        number = operator.index(entry)
    except TypeError:
        raise IndexError(
            "an index is a number, a slice, \"...\", or a vector of numbers "
            f"or truth values, not {entry!r}") from None
    if not -length <= number < length:
        raise IndexError(f"index {number} is out of bounds: the length is "
                         f"{length}")
    return Axis([(number % length, 1, 1)], 0)


def _complete(key: Any, rank: int) -> List[Any]:
    """The entries of an index, one for each dimension."""
    entries = list(key) if isinstance(key, tuple) else [key]
    dots = [i for i, entry in enumerate(entries) if entry is Ellipsis]
    if len(dots) > 1 or len(entries) - len(dots) > rank:
        raise IndexError(f"too many indices for {rank} dimensions")
    missing = [slice(None)] * (rank - len(entries) + len(dots))
    at = dots[0] if dots else len(entries)
    return entries[:at] + missing + entries[at + len(dots):]


def _join_runs(axis: Axis) -> Axis:
    """One run in place of many."""
    first = axis.runs[0][0]
    wanted = numpy.concatenate([start + step * numpy.arange(count)
                                for start, count, step in axis.runs])
    nelems = int(wanted[-1]) - first + 1
    return Axis([(first, nelems, 1)], (wanted - first)[axis.then])


def plan(key: Any, shape: Sequence[int], dims: Sequence[str]) -> List[Axis]:
    """The axes of an index into an array with that shape and names of
    dimensions."""
    axes: List[Axis] = []
    for entry in _complete(key, len(shape)):
        at = len(axes)
        try:
            axes.append(_axis(entry, shape[at]))
        except IndexError as error:
            raise IndexError(f"dimension {at + 1} ({dims[at]}): {error}"
                             ) from None
    while math.prod(len(axis.runs) for axis in axes) > HYPERSLABS_MAX:
        most = max(range(len(axes)), key=lambda i: len(axes[i].runs))
        axes[most] = _join_runs(axes[most])
    return axes


def _cut_runs(axis: Axis, nrows: int) -> List[Run]:
    """The runs in pieces that reach over so many rows at most."""
    pieces: List[Run] = []
    for start, count, step in axis.runs:
        most = max(1, nrows // step)
        pieces += [(start + first * step, min(most, count - first), step)
                   for first in range(0, count, most)]
    return pieces


def hyperslabs(axes: List[Axis], nrows: int = 0
          ) -> Iterator[Tuple[List[Run], Tuple[slice, ...]]]:
    """Each hyperslab as a list of runs, with its place in the values read.

    Where there are several, those in the same 'nrows' rows of the first
    dimension come together, so that a cache that holds the blocks of so many
    decodes each of them once; 0: there is no need."""
    all_runs = [axis.runs for axis in axes]
    if nrows and sum(len(runs) > 1 for runs in all_runs[1:]):
        all_runs[0] = _cut_runs(axes[0], nrows)
    placed = []
    for runs in all_runs:
        at, here = 0, []
        for run in runs:
            here.append((run, slice(at, at + run[1])))
            at += run[1]
        placed.append(here)
    for combination in itertools.product(*placed):
        yield ([run for run, _ in combination],
               tuple(place for _, place in combination))


def arrange(values: Any, axes: List[Axis]) -> Any:
    """What was asked for, from the values read."""
    vectors = [i for i, axis in enumerate(axes)
               if isinstance(axis.then, numpy.ndarray)]
    for i in vectors:
        then: Any = axes[i].then
        values = numpy.take(values, then, axis=i)
    return values[tuple(slice(None) if i in vectors else axis.then
                        for i, axis in enumerate(axes))]
