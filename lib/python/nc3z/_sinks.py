# SPDX-License-Identifier: MIT
"""Where bytes go: paths and file objects, as struct nc3z_sink.

A path gets its file when the job is done and the file is on disk.
"""

from __future__ import annotations

import os
import threading
from ctypes import byref, c_void_p
from typing import Any, BinaryIO, Optional, Union

from . import _library, _sources, _structs as c

Target = Union[_library.Name, BinaryIO]
PERMISSIONS = 0o666
_UMASK_LOCK = threading.Lock()


def _permissions() -> int:
    """Those of a new file of this process."""
    with _UMASK_LOCK:
        mask = os.umask(0o077)
        os.umask(mask)
    return PERMISSIONS & ~mask


class OpenSink:
    """A struct nc3z_sink, and what it needs as long as it is open."""

    def __init__(self, target: Target, *, flags: int = 0,
                 like_fd: Optional[int] = None) -> None:
        self.name, self.pointer = _sources.name_of(target), c_void_p()
        self._end: Optional[int] = None
        self._thread: Optional[threading.Thread] = None
        self._failure: Optional[BaseException] = None
        try:
            if _sources.is_name(target):
                self._open_path(target, flags, like_fd)
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
                   like_fd: Optional[int]) -> None:
        if _library.is_url(path):
            raise ValueError(f"{self.name}: URLs cannot be written")
        err, library = c.CError(), _library.load()
        self._check(library.nc3z_sink_open_path(
            os.fsencode(path), flags, _permissions(), byref(self.pointer),
            err), err)
        if like_fd is not None:
            self._check(library.nc3z_sink_copy_attributes(
                self.pointer, like_fd, err), err)

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
                        file.write(part)
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

    def raise_if(self, status: int) -> None:
        """The same, if a job has failed: perhaps for that reason."""
        if status:
            self.close()
            self.raise_failure()

    def commit(self) -> None:
        """Gives the file its name; hands the rest to the file object."""
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
