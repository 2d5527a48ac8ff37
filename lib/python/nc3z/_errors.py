# SPDX-License-Identifier: MIT
"""Exceptions by family, and how they come from struct nc3z_error."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any, Dict, Optional, Tuple, Type, Union

from . import _structs as c

Range = Tuple[slice, ...]


class Error(OSError):
    """The base class of all errors of nc3z.

    path: the file.
    reason: one line of text.
    status: a number of enum nc3z_status in nc3z.h.

    The others are None if they are not known:

    offset: the place of the error, in bytes from the start of the file.
    stream, block: numbers in the archive.
    variable: the name of the variable that was read.
    range: the requested hyperslab, one slice for each dimension.
    """

    # What catches an error may raise it again with another text alone.
    def __init__(self, path: str, reason: str = "", status: int = 0,
                 offset: Optional[int] = None, stream: Optional[int] = None,
                 block: Optional[int] = None, variable: Optional[str] = None,
                 range: Optional[Range] = None) -> None:
        super().__init__(f"{path}: {reason}" if path and reason
                         else path or reason)
        self.path, self.reason, self.status = path, reason, status
        self.offset, self.stream, self.block = offset, stream, block
        self.variable, self.range = variable, range

    def __reduce__(self) -> Tuple[Any, ...]:
        # Workers of dask hand it on; slices cannot be pickled everywhere.
        found = None if self.range is None else tuple(
            (part.start, part.stop, part.step) for part in self.range)
        return _again, (type(self), (
            self.path, self.reason, self.status, self.offset, self.stream,
            self.block, self.variable), found)


def _again(kind: Any, arguments: Tuple[Any, ...],
           parts: Optional[Tuple[Tuple[int, ...], ...]]) -> Error:
    """The exception that was pickled."""
    found = None if parts is None else tuple(slice(*part) for part in parts)
    error: Error = kind(*arguments, found)
    return error


class DamagedError(Error):
    """The archive is damaged or cut off; see nc3z.salvage()."""


class UnsupportedError(Error):
    """The archive is intact, but needs a newer version of nc3z."""


class NotArchiveError(Error):
    """The file is not an archive of nc3z."""


class NotClassicError(Error):
    """The file has no header of netCDF classic."""


class LimitError(Error):
    """A limit of the format, or a limit that the caller set, is exceeded."""


class ChangedError(Error):
    """The input changed while it was read."""


class InvalidError(Error, ValueError):
    """An argument is invalid; nothing was done."""


class ExistsError(Error, FileExistsError):
    """The output exists, and 'overwrite' was not given; or 'update' cannot be
    done."""


class NoLibraryError(ImportError):
    """libnc3z cannot be loaded."""


class TruncationWarning(UserWarning):
    """Values lie beyond the end of a truncated original; they read as 0."""


class InputWarning(UserWarning):
    """Something odd in a packed file, which the archive keeps, or an encoding
    that has no effect."""


class PerformanceWarning(UserWarning):
    """The same blocks are decoded again and again; the text says what to do."""


FAMILIES: Dict[int, Type[Error]] = {
    c.EINVAL: InvalidError,
    c.EEXIST: ExistsError,
    c.ENOTCLASSIC: NotClassicError,
    c.ENOTARCHIVE: NotArchiveError,
    c.EDAMAGED: DamagedError,
    c.EUNSUPPORTED: UnsupportedError,
    c.ELIMIT: LimitError,
    c.ECHANGED: ChangedError,
    c.EOLDER: ExistsError,
}

PUBLIC = (Error, NoLibraryError, TruncationWarning, InputWarning,
          PerformanceWarning) + tuple(dict.fromkeys(FAMILIES.values()))

# So they print as users know them.
for _kind in PUBLIC:
    _kind.__module__ = "nc3z"


HERE = os.path.dirname(__file__) + os.sep


def warn(text: str, kind: Type[Warning]) -> None:
    """A warning at the line of the caller of this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_code.co_filename.startswith(HERE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


def from_c(path: str, err: c.CError, *, is_remote: bool = False,
           variable: Optional[str] = None,
           range: Optional[Range] = None) -> Union[MemoryError, OSError]:
    """The exception for a filled CError."""
    text = err.text.decode("utf-8", "replace")
    if err.status == c.ENOMEM:
        return MemoryError(f"{path}: out of memory")
    if err.status == c.EIO and err.sys_errno:
        reason = text if is_remote else os.strerror(err.sys_errno)
        return OSError(err.sys_errno, reason, path)
    return FAMILIES.get(err.status, Error)(
        path, text, err.status,
        None if err.offset == c.NO_OFFSET else err.offset,
        None if err.stream == c.NO_NUMBER else err.stream,
        None if err.block == c.NO_NUMBER else err.block, variable, range)
