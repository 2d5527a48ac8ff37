# SPDX-License-Identifier: MIT
"""Where bytes go: paths and file objects, as struct nc3z_sink.

A path gets its file when the job is done and the file is on disk.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import threading
from ctypes import byref, c_void_p
from typing import Any, BinaryIO, Optional, Sequence, Tuple, Union, cast

from . import _errors, _fsspec, _library, _sources, _structs as c
from ._sources import SUFFIX

Target = Union[_library.Name, BinaryIO]
PERMISSIONS = 0o666
PACKED = (".gz", ".bz2", ".zst", ".xz")
_UMASK_LOCK = threading.Lock()


def _write_all(file: Any, data: bytes) -> None:
    """A file object without a buffer may write less than it is given."""
    rest = memoryview(data)
    while rest:
        nbytes = file.write(rest)
        if nbytes is None and isinstance(file, io.RawIOBase):
            raise BlockingIOError(errno.EAGAIN, "cannot write now")
        if nbytes is None:
            return
        if not 0 < nbytes <= len(rest):
            raise OSError(f"write() has written {nbytes} of {len(rest)} bytes")
        rest = rest[nbytes:]


def _readers(fd: int) -> Tuple[Any, ...]:
    """What says who may read a file."""
    found = os.fstat(fd)
    return found.st_uid, found.st_gid, found.st_mode, \
        _sources.access_list(fd)


def _state(found: os.stat_result) -> Tuple[int, ...]:
    """What a file does not keep if it is written or replaced."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _permissions() -> int:
    """Those of a new file of this process."""
    with _UMASK_LOCK:
        mask = os.umask(0o077)
        os.umask(mask)
    return PERMISSIONS & ~mask


def _is_at(path: Any, fd: int) -> bool:
    """Whether a path leads to an open file."""
    try:
        return os.path.samestat(os.stat(os.path.expanduser(path)),
                                os.fstat(fd))
    except OSError:
        return False


def _path_of(source: Any, suffix: str = "") -> str:
    """That of a file, beside which there is room for another."""
    found = _fsspec.place_of(source)
    name = os.fsdecode(found) if _sources.is_name(found) else ""
    if len(name) <= len(suffix) or not name.endswith(suffix) or \
            _library.is_url(name) or _library.tar_parts(name):
        raise TypeError("a target is needed: a path or a file object")
    _library.refuse_pipe(name, "name a target, a path or a file object")
    return name


def target_of_packing(source: Any, target: Optional[Target]) -> Target:
    """x.nc.nc3z for x.nc and for x.nc.gz."""
    if target is not None:
        return target
    name = _path_of(source)
    for suffix in PACKED:
        name = name[:-len(suffix)] if name.endswith(suffix) else name
    return name + SUFFIX


def target_of_restoring(source: Any, target: Optional[Target]) -> Target:
    """x.nc for x.nc.nc3z."""
    return _path_of(source, SUFFIX)[:-len(SUFFIX)] if target is None \
        else target


class OpenSink:
    """A struct nc3z_sink, and what it needs as long as it is open.

    A path gets the attributes of the first of the files 'inputs', None being
    one without a descriptor, and is read by nobody who cannot read all;
    without a file, at most these permissions.  'replaced' is a descriptor of
    what is there, which is replaced if it is still that in the end.
    """

    def __init__(self, target: Target, *, flags: int = 0,
                 inputs: Sequence[Optional[int]] = (),
                 permissions: int = PERMISSIONS,
                 replaced: Optional[int] = None) -> None:
        self.permissions = permissions
        self._path, self._replaced = target, None
        if replaced is not None and not flags & c.SINK_REPLACE:
            self._replaced = _state(os.fstat(replaced))
            flags |= c.SINK_REPLACE
        self.name, self.pointer = _sources.name_of(target), c_void_p()
        self._end: Optional[int] = None
        self._thread: Optional[threading.Thread] = None
        self._failure: Optional[BaseException] = None
        try:
            if _sources.is_name(target):
                self._open_path(target, flags, inputs)
            elif hasattr(target, "write"):
                self._open_object(target)
            else:
                raise TypeError("expected a path or a file object to write "
                                f"to, not {type(target)}")
        except BaseException:
            self.close()
            raise

    def _check(self, status: int, err: c.CError) -> None:
        if status == c.EEXIST:
            err.text += b"; overwrite=True replaces it"
        if status:
            _library.raise_error(self.name, err)

    def _open_path(self, path: Any, flags: int,
                   inputs: Sequence[Optional[int]]) -> None:
        if _library.is_url(path):
            raise ValueError(f"{self.name}: URLs cannot be written")
        err, library = c.CError(), _library.load()
        fds, mode = [fd for fd in inputs if fd is not None], \
            _permissions() & self.permissions
        if any(_is_at(path, fd) for fd in fds):
            raise _errors.InvalidError(self.name, "output is the input",
                                       c.EINVAL)
        if fds and (len(fds) < len(inputs) or
                    len({_readers(fd) for fd in fds}) > 1):
            flags, mode = flags | c.SINK_PRIVATE, 0o600
        self._check(library.nc3z_sink_open_path(
            _library.encoded(path), flags, mode, byref(self.pointer),
            err), err)
        if fds:
            self._check(library.nc3z_sink_copy_attributes(
                self.pointer, fds[0], err), err)

    def _open_object(self, file: Any) -> None:
        """A pipe, and a thread that passes on what comes out of it."""
        out, self._end = os.pipe()

        def drain() -> None:
            try:
                with open(out, "rb", buffering=0) as pipe:
                    while True:
                        part = pipe.read(1 << 20)
                        if not part:
                            break
                        _write_all(file, part)
            except BaseException as error:  # raised by the job
                self._failure = error
        self._thread = threading.Thread(target=drain, daemon=True)
        self._thread.start()
        err = c.CError()
        self._check(_library.load().nc3z_sink_open_fd(
            self._end, byref(self.pointer), err), err)

    def raise_failure(self) -> None:
        """Raises what the file object raised."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def raise_if(self, status: int, err: c.CError) -> None:
        """The same, if a job has failed: perhaps for that reason, or because
        the file cannot be written."""
        if status:
            self.close()
            self.raise_failure()
            if err.is_output:
                _library.raise_error(self.name, err)

    def commit(self) -> None:
        """Gives the file its name; hands the rest to the file object."""
        if self._replaced is not None:
            with contextlib.suppress(FileNotFoundError):
                if _state(os.stat(os.path.expanduser(
                        cast(Any, self._path)))) != self._replaced:
                    raise _errors.ExistsError(
                        self.name, "changed meanwhile, and stays as it is: "
                        "try again, or overwrite=True replaces it", c.EEXIST)
        err = c.CError()
        self._check(_library.load().nc3z_sink_commit(self.pointer, err), err)
        self.close()
        self.raise_failure()

    def close(self) -> None:
        """Without commit(), nothing is left of a path."""
        if self.pointer:
            _library.load().nc3z_sink_close(self.pointer)
            self.pointer = c_void_p()
        if self._end is not None:
            os.close(self._end)
            self._end = None
        if self._thread is not None:
            self._thread.join()
            self._thread = None
