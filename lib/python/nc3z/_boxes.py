# SPDX-License-Identifier: MIT
"""A variable box by box, with the memory of one filling: blocks()."""

from __future__ import annotations

import ctypes
import os
import threading
from ctypes import byref, c_size_t, c_void_p
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple, \
    Union

import numpy

from . import _errors, _indexing, _library, _structs as c

Lengths = Union[None, Sequence[int], Mapping[str, int]]
Box = Tuple[Tuple[slice, ...], Any]


def _lengths_of(lengths: Lengths, variable: Any) -> Optional[List[int]]:
    """One for each dimension, -1 and None being all of it."""
    if lengths is None:
        return None
    if isinstance(lengths, Mapping):
        for name in lengths:
            if name not in variable.dims:
                raise ValueError(f"{variable.name} has no dimension {name!r}, "
                                 f"only {', '.join(variable.dims)}")
        lengths = [lengths.get(name, -1) for name in variable.dims]
    if len(lengths) != variable.ndim:
        raise ValueError(f"{len(lengths)} lengths for the {variable.ndim} "
                         f"dimensions of {variable.name}")
    found = [max(1, length) if n in (-1, None) else n
             for n, length in zip(lengths, variable.shape)]
    if any(n < 1 for n in found):
        raise ValueError(f"a block cannot have the lengths {tuple(lengths)}")
    return found


def _runs_of(select: Any, variable: Any) -> List[_indexing.Run]:
    """Start, count and step in each dimension."""
    axes = _indexing.plan(select, variable.shape, variable.dims)
    for axis, name in zip(axes, variable.dims):
        if len(axis.runs) > 1 or not isinstance(axis.then, slice) or \
                axis.then != slice(None):
            raise IndexError(f"dimension {name}: 'select' has slices with "
                             "positive steps, nothing else")
    return [axis.runs[0] if axis.runs else (0, 0, 1) for axis in axes]


class Boxes:
    """An iterator over pairs (index, values).

    After an error, the next call of next() gives the block after the damaged
    one."""

    def __init__(self, variable: Any, lengths: Lengths, select: Any,
                 max_memory_nbytes: Optional[int],
                 finish: Callable[[Any], Any]) -> None:
        self._variable, self._finish = variable, finish
        self._iterator: Optional[c_void_p] = None
        self._lock, self._box = threading.Lock(), c.CBox()
        self._runs = _runs_of(select, variable)
        options = c.initialized(_library.load(), "iterator",
                                c.CIteratorOptions)
        c.set_numbers(options, {"max_memory_nbytes": max_memory_nbytes})
        box = _lengths_of(lengths, variable)
        if box:
            options.box = (c_size_t * len(box))(*box)
        iterator = c_void_p()
        self._handle = variable._file._acquire()
        self._call("iterator_open", byref(c.CIteratorVar(
            self._handle.pointer, variable._varid, variable._memtype)), 1,
            c.hyperslab(self._runs), options, byref(iterator))
        self._iterator = iterator

    def _call(self, function: str, *arguments: Any) -> int:
        """Calls a function of the library."""
        try:
            return int(self._variable._file._run(self._handle, function,
                                                 *arguments))
        except _errors.Error as error:
            error.variable = self._variable.name
            raise

    def __iter__(self) -> Boxes:
        return self

    def __next__(self) -> Box:
        with self._lock:
            if self._iterator is None:
                raise StopIteration
            if self._handle.process != os.getpid():
                raise ValueError("blocks() of the parent process: call it "
                                 "here, too")
            self._variable._look_at(self._call(
                "iterator_next", self._iterator, byref(self._box)))
            if not self._box.nelems:
                self.close()
                raise StopIteration
            return self._index(), self._finish(self._values())

    def _index(self) -> Tuple[slice, ...]:
        """Which part of the variable a box is."""
        box, found = self._box, []
        for k, (_, _, step) in enumerate(self._runs):
            start, count = box.start[k], box.count[k]
            found.append(slice(start, start + (count - 1) * step + 1, step))
        return tuple(found)

    def _values(self) -> Any:
        """A copy of those of a box, which are the iterator's."""
        dtype = self._variable.dtype
        data = (ctypes.c_char * (self._box.nelems * dtype.itemsize)
                ).from_address(self._box.values[0])
        return numpy.frombuffer(data, dtype).reshape(
            self._box.count[:len(self._runs)]).copy()

    def close(self) -> None:
        """Frees the memory before the end."""
        iterator, self._iterator = self._iterator, None
        if iterator and self._handle.process == os.getpid():
            try:
                with self._handle.used():
                    _library.load().nc3z_iterator_close(iterator)
            except ValueError:
                pass  # the file was closed at the end of Python

    def __del__(self) -> None:
        if getattr(self, "_iterator", None):
            self.close()
