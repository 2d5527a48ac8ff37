# SPDX-License-Identifier: MIT
"""A file of the library that is open: its handle, and what it answers."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import dataclasses
import os
import threading
import weakref
from ctypes import byref, c_void_p
from typing import Any, Dict, Iterator, List, Optional, cast

import numpy

from . import _fsspec, _library, _sources, _structs as c


def text_of(name: bytes) -> str:
    """A name or text of the file; what is no UTF-8 can be turned back."""
    return name.decode("utf-8", "surrogateescape")


@dataclasses.dataclass(frozen=True)
class CacheInfo:
    """A file and the cache of decoded blocks.

    nblocks_decoded: blocks decoded since the file was opened.
    nblocks_found: blocks found in the cache since then.
    nblocks_held, nbytes_held: blocks of the file in the cache now, and their
        bytes.
    """

    nblocks_decoded: int
    nblocks_found: int
    nblocks_held: int
    nbytes_held: int


# What takes its answers from memory, without reading the source.
IN_MEMORY = ("inq_dim", "inq_var", "inq_attnum", "get_att", "inq_summary",
             "inq_storage", "inq_block_range", "iterator_open")


class _Handle:
    """A struct nc3z_file, closed when nobody has it any more.

    So it outlives the calls that are running when a file is closed."""

    def __init__(self, what: Any, options: c.COpenOptions) -> None:
        library, self.process = _library.load(), os.getpid()
        self._close = library.nc3z_close
        self.pointer = c_void_p()
        self._nused, self._unused = 0, threading.Condition()
        self.source: Optional[_sources.OpenSource] = None
        err = c.CError()
        if _sources.is_name(what):
            if library.nc3z_open(_library.encoded(what), options,
                                 byref(self.pointer), err):
                self.pointer = c_void_p()
                _library.raise_error(what, err)
            return
        source = self.source = _open_object(what)
        if source.run(library.nc3z_open_source, source.pointer, options,
                      byref(self.pointer), err):
            self.pointer = c_void_p()
            try:
                source.raise_error(err)
            finally:
                source.close()
        source.give_away()
        _WITH_SOURCES.add(self)

    def __del__(self, getpid: Any = os.getpid) -> None:
        # A child has no right to what its parent opened.
        if not getattr(self, "pointer", None) or self.process != getpid():
            return
        if self.source is None:
            self._close(self.pointer)
            return
        # The garbage may be collected in a thread of the library that runs
        # Python code for it; closing waits for that thread.
        thread = threading.Thread(target=_close_with, args=(
            self._close, self.pointer, self.source))
        try:
            thread.start()
        except RuntimeError:  # at the end of the process
            self._close(self.pointer)

    @contextlib.contextmanager
    def used(self) -> Iterator[c_void_p]:
        """The pointer for a call, whose end close() waits for."""
        with self._unused:
            if not self.pointer:
                raise ValueError("the file was closed at the end of Python")
            self._nused += 1
        try:
            yield self.pointer
        finally:
            with self._unused:
                self._nused -= 1
                self._unused.notify_all()

    def close(self) -> None:
        """Closes it while Python still runs: no call begins any more, and
        those that are running fail at their next read."""
        if self.process != os.getpid():
            return
        with self._unused:
            pointer, self.pointer = self.pointer, c_void_p()
            if self.source is not None and self._nused:
                self.source.stop(ValueError("Python ends"))
            self._unused.wait_for(lambda: self._nused == 0)
        if pointer:
            self._close(pointer)


def _close_with(close: Any, pointer: c_void_p,
                source: _sources.OpenSource) -> None:
    """Closes a file, then what its source needs."""
    close(pointer)
    source.close()


# Threads of the library that read ahead cannot call Python when that is gone.
_WITH_SOURCES: "weakref.WeakSet[_Handle]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Those still open at the end of the process."""
    for handle in list(_WITH_SOURCES):
        handle.close()


def _open_object(what: Any) -> _sources.OpenSource:
    """Bytes, a file object or a reader of ranges."""
    return _sources.OpenSource(_sources.name_of(what)).open_bounded(
        _sources.needed(what))


class Attributed:
    """What has attributes: attrs, a dict, and the names that netCDF4 has for
    it.  Each is an attribute of Python, too, where that name is free."""

    _attrs: Optional[Dict[str, Any]]

    @property
    def attrs(self) -> Dict[str, Any]:
        """The attributes as a dict: text, numbers and arrays."""
        assert self._attrs is not None
        return self._attrs

    @property
    def attributes(self) -> Dict[str, Any]:
        """The same as 'attrs'."""
        return self.attrs

    def ncattrs(self) -> List[str]:
        """Names of the attributes, as netCDF4 has it."""
        return list(self.attrs)

    def getncattr(self, name: str) -> Any:
        """An attribute, as netCDF4 has it, or AttributeError."""
        if name not in self.attrs:
            raise AttributeError(f"there is no attribute {name!r}")
        return self.attrs[name]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and "_attrs" in self.__dict__ and \
                name in self.attrs:
            return self.attrs[name]
        raise AttributeError(f"{type(self).__name__} has no attribute "
                             f"{name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        # Attributes are read last.
        if not name.startswith("_") and name not in self.__dict__ and \
                "_attrs" in self.__dict__:
            raise AttributeError(f"{name!r} cannot be set: files are open "
                                 "for reading; nc3z.pack() makes archives")
        super().__setattr__(name, value)

    def __dir__(self) -> List[str]:
        names = [name for name in self.attrs if name.isidentifier()]
        return sorted(set(list(super().__dir__()) + names))


class OpenFile(Attributed):
    """An open file without its variables, which those above put in."""

    variables: Dict[str, Any]

    def __init__(self, source: _sources.Source,
                 storage_options: Optional[Dict[str, Any]],
                 numbers: Dict[str, Optional[int]]) -> None:
        source = _fsspec.place_of(source, storage_options)
        self._source = os.fsdecode(cast(Any, source)) \
            if _sources.is_name(source) else source
        self._options = c.initialized(_library.load(), "open",
                                      c.COpenOptions)
        c.set_numbers(self._options, numbers)
        self._handle: Optional[_Handle] = _Handle(self._source, self._options)
        self.unlimited: Optional[str] = None
        self._dim_names: List[str] = []
        self.dims: Dict[str, int] = {}
        self.variables = {}
        self._read_header()

    def close(self) -> None:
        """Closes the file; calls that are running come to their end."""
        self._handle = None

    @property
    def is_open(self) -> bool:
        """Whether it has not been closed."""
        return self._handle is not None

    @property
    def path(self) -> str:
        """The path or URL; of other sources, a name for messages."""
        return self._source if isinstance(self._source, str) \
            else _sources.name_of(self._source)

    @property
    def shown_path(self) -> str:
        """The same without what a URL has of secrets."""
        return _library.shown(self.path)

    @property
    def nbytes(self) -> int:
        """Size of the original, or of the plain file, in bytes."""
        with self._acquire().used() as pointer:
            return int(_library.load().nc3z_inq_size(pointer))

    def cache_info(self) -> CacheInfo:
        """What the cache of decoded blocks did and does for this file."""
        stats = c.CCacheStats()
        with self._acquire().used() as pointer:
            _library.load().nc3z_inq_cache(pointer, stats)
        return CacheInfo(stats.nblocks_decoded, stats.nblocks_found,
                         stats.nblocks_held, stats.nbytes_held)

    def _acquire(self) -> _Handle:
        """The handle, of this process."""
        handle = self._handle
        if handle is None:
            raise ValueError(f"{self.shown_path}: the file is closed")
        if handle.process != os.getpid():
            handle = self._handle = _Handle(self._source, self._options)
        return handle

    def _call(self, function: str, *arguments: Any) -> int:
        """Calls a function for this file; its status, if it is no error."""
        handle = self._acquire()
        return self._run(handle, function, handle.pointer, *arguments)

    def _run(self, handle: _Handle, function: str, *arguments: Any) -> int:
        """Calls a function that needs the file open."""
        err, call = c.CError(), getattr(_library.load(), "nc3z_" + function)
        with handle.used():
            if handle.source is None or function in IN_MEMORY:
                status = int(call(*arguments, err))
            else:
                status = handle.source.run(call, *arguments, err)
        if status not in (c.OK, c.ETRUNCATED):
            if handle.source is not None:
                handle.source.raise_failure()
            _library.raise_error(self.path, err)
        return status

    def _read_header(self) -> None:
        """Asks for dimensions and attributes."""
        library = _library.load()
        ndims, nvars, natts, unlimited = (ctypes.c_int() for _ in range(4))
        with self._acquire().used() as pointer:
            library.nc3z_inq(pointer, ndims, nvars, natts, unlimited)
            self.version = int(library.nc3z_inq_format(pointer))
            self.is_archive = library.nc3z_inq_summary(
                pointer, c.CSummary(), c.CError()) == c.OK
        self._nvars = nvars.value
        for dimid in range(ndims.value):
            dim = c.CDim()
            self._call("inq_dim", dimid, dim)
            name = text_of(dim.name)
            self._dim_names.append(name)
            self.dims[name] = int(dim.length)
            if dimid == unlimited.value:
                self.unlimited = name
        self._attrs = self._read_attributes(c.GLOBAL, natts.value)

    def _read_attributes(self, varid: int, natts: int) -> Dict[str, Any]:
        """The attributes of a variable, or of the file."""
        found: Dict[str, Any] = {}
        for attnum in range(natts):
            att = c.CAtt()
            self._call("inq_attnum", varid, attnum, att)
            # Of several by one name the first counts, with its type.
            if text_of(att.name) not in found:
                found[text_of(att.name)] = self._read_attribute(varid, att)
        return found

    def _read_attribute(self, varid: int, att: c.CAtt) -> Any:
        """The value of an attribute: text, a number, or an array."""
        if att.type == c.CHAR:
            buffer = ctypes.create_string_buffer(att.nelems + 1)
            self._call("get_att", varid, att.name, c.CHAR, buffer)
            value = buffer.raw[:att.nelems]
            # As netCDF4 gives it.
            if att.name == b"_FillValue":
                return value
            return value.decode("utf-8", "replace").replace("\0", "")
        values: Any = numpy.empty(att.nelems, c.DTYPES[att.type])
        self._call("get_att", varid, att.name, c.NAT, values.ctypes.data)
        return values[0] if len(values) == 1 else values
