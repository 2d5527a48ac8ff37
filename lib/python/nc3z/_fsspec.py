# SPDX-License-Identifier: MIT
"""Files of fsspec: by a URL with storage_options, by one that the library does
not read by itself, and objects that fsspec has opened.

What the library announces goes to fsspec in a few calls of cat_ranges(), each
of which fetches its ranges at the same time where the file system can; reading
then waits for what has not come yet.
"""

from __future__ import annotations

import collections
import contextlib
import errno
import os
import pickle
import re
import threading
from typing import Any, ContextManager, Deque, Dict, List, Optional, \
    Sequence, Tuple

from . import _errors, _library, _structs as c

# Longer ranges are fetched in pieces; so much with one call, and so much may be
# held for each file.
PIECE_NBYTES = 8 << 20
BATCH_NBYTES = 16 << 20
HELD_NBYTES = 32 << 20
NTHREADS = 4

# File systems that cannot fetch several things at once may not be used by
# several threads either: the files of "memory" have one position for all.
_one_at_a_time = threading.RLock()

# What fsspec needs for schemes.
PACKAGES = {"http": "aiohttp requests", "https": "aiohttp requests",
            "s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs",
            "az": "adlfs"}

# What the library takes whole, too, from servers without ranges.
WHOLE_NBYTES = 1 << 20

NO_RANGES = "the server does not support range requests: put the file on " \
    "one that does (nearly all do for plain files: Apache, nginx, S3), or " \
    "download it"

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(://|::)")
_NUMBERS = {FileNotFoundError: errno.ENOENT, PermissionError: errno.EACCES,
            TimeoutError: errno.ETIMEDOUT}


class Place:
    """Where a file is that fsspec reads: connect() gives a RangeReader."""

    def __init__(self, url: str, options: Optional[Dict[str, Any]] = None,
                 fs: Any = None, path: Optional[str] = None) -> None:
        self._url, self._options = url, options
        self._fs, self._path = fs, path
        self._process = os.getpid()

    @property
    def name(self) -> str:
        """For messages: without user and query."""
        return _library.shown(self._url)

    # xarray keeps files by what they were opened with.
    def _key(self) -> Tuple[Any, ...]:
        return (self._url, repr(self._options), self._path,
                hash(self._fs) if self._fs else None)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Place) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _find(self) -> Tuple[Any, str]:
        """The file system and the path in it."""
        try:
            import fsspec
            _forget_threads()
            url, options = self._url, self._options or {}
            parts = _library.tar_parts(url)
            if parts:
                # A member of a tar, as fsspec has it.
                options = {url.partition(":")[0].lower(): options}
                url = f"tar://{parts[1]}::{parts[0]}"
            found: Tuple[Any, str] = fsspec.core.url_to_fs(url, **options)
            return found
        except ImportError as error:
            packages = PACKAGES.get(self._url.partition(":")[0].lower(), "")
            why = _library.why_no_urls() if _library.is_url(self._url) \
                else "the library does not read such URLs"
            raise _errors.UnsupportedError(
                self.name, f"{why}; fsspec does when it is installed: "
                f"pip install fsspec {packages}".rstrip(), c.EUNSUPPORTED
                ) from error

    def connect(self) -> RangesOfFile:
        """A reader for one open file, in this process."""
        if self._fs is None:
            if os.environ.get("NC3Z_REMOTE") == "off":
                raise PermissionError(errno.EACCES, "NC3Z_REMOTE=off: no URL "
                                      "is read", self.name)
            fs, path = self._find()
            return RangesOfFile(self.name, fs, path)
        _forget_threads()
        if self._process != os.getpid():
            self._fs = pickle.loads(pickle.dumps(self._fs))
            self._process = os.getpid()
        return RangesOfFile(self.name, self._fs, self._path)


def place_of(source: Any, storage_options: Optional[Dict[str, Any]] = None
             ) -> Any:
    """The Place of what fsspec is to read; other sources as they are."""
    if getattr(source, "fs", None) and getattr(source, "path", None) and \
            not getattr(source, "compression", None):
        url = source.fs.unstrip_protocol(source.path)
        return Place(url, fs=source.fs, path=source.path)
    if isinstance(source, str) and storage_options is None and \
            source.startswith("file://") and "::" not in source:
        return source[len("file://"):]
    if isinstance(source, str) and _SCHEME.match(source):
        is_switched_off = os.environ.get("NC3Z_REMOTE") == "off"
        if storage_options is not None or not _library.is_url(source) or \
                not is_switched_off and _library.why_no_urls():
            return Place(source, dict(storage_options or {}))
    if storage_options is not None:
        raise TypeError("storage_options need a URL")
    return source


def _forget_threads() -> None:
    """After a fork, fsspec waits for a thread that is not here any more."""
    from fsspec import asyn
    thread = asyn.iothread[0]
    if thread is not None and not thread.is_alive():
        asyn.reset_lock()


def _told(failure: BaseException, name: str) -> OSError:
    """What fsspec says, without the URL, which may have a password in it."""
    number: Any = getattr(failure, "errno", None) or next(
        (number for kind, number in _NUMBERS.items()
         if isinstance(failure, kind)), errno.EIO)
    status = getattr(failure, "status", None)
    # To fsspec, a file on a server that does not answer is not there.
    refused = getattr(failure.__cause__, "os_error", None)
    if isinstance(refused, OSError):
        return OSError(errno.EIO, "the server cannot be reached: "
                       f"{refused.strerror or refused}", name)
    reason = os.strerror(number) if isinstance(failure, OSError) \
        else type(failure).__name__
    if isinstance(status, int):
        reason += f": the server answers {status}"
    return OSError(number, reason, name)


class _Piece:
    """Bytes that were announced: queued, on their way, here, or failed."""

    def __init__(self, begin: int, end: int) -> None:
        self.begin, self.end = begin, end
        self.data: Optional[bytes] = None
        self.failure: Optional[BaseException] = None
        self.is_queued, self.nread, self.nannounced = True, 0, 1

    def __len__(self) -> int:
        return self.end - self.begin

    @property
    def is_over(self) -> bool:
        """Whether it is here, or will never be."""
        return self.data is not None or self.failure is not None


class RangesOfFile:
    """A RangeReader of a file of fsspec."""

    def __init__(self, name: str, fs: Any, path: Any) -> None:
        self.name, self._fs, self._path = name, fs, path
        self._is_async = bool(getattr(fs, "async_impl", False))
        try:
            with self._lock():
                size = fs.info(path)["size"]
        except Exception as failure:
            raise _told(failure, name) from None
        if size is None:
            raise OSError(errno.EINVAL, "the server does not say how long it "
                          "is", name)
        self.size = int(size)
        self._changed = threading.Condition()
        self._pieces: List[_Piece] = []
        self._batches: Deque[List[_Piece]] = collections.deque()
        self.nbytes_held = self._nthreads = 0
        self._whole: Optional[bytes] = None

    def _lock(self) -> ContextManager[Any]:
        if self._is_async:
            return contextlib.nullcontext()
        return _one_at_a_time

    def read_range(self, offset: int, nbytes: int) -> bytes:
        """The bytes of a range, fetched now or because it was announced."""
        parts: List[bytes] = []
        end = offset + nbytes
        while offset < end:
            parts.append(self._take(offset, end))
            offset += len(parts[-1])
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def announce(self, ranges: Sequence[Tuple[int, int]]) -> None:
        """Begins to fetch; later ones when there is room."""
        with self._changed:
            for offset, nbytes in ranges:
                self._add(offset, offset + nbytes)
            self._start_threads()

    def _take(self, begin: int, end: int) -> bytes:
        """The first of these bytes: all that one piece has, or all up to it."""
        with self._changed:
            piece = self._find(begin)
            if piece:
                return self._take_from(piece, begin, min(end, piece.end))
            end = min([end] + [p.begin for p in self._pieces
                               if p.begin > begin])
        if self._whole is not None:
            return self._whole[begin:end]
        data: Any = None
        try:
            with self._lock():
                data = self._fs.cat_file(self._path, start=begin, end=end)
        except BaseException as failure:
            data = failure
        return self._exactly(data, begin, end)

    def _find(self, offset: int) -> Optional[_Piece]:
        return next((p for p in self._pieces if p.begin <= offset < p.end),
                    None)

    def _take_from(self, piece: _Piece, begin: int, end: int) -> bytes:
        """Waits for a piece, under the lock."""
        while not piece.is_over:
            if piece.is_queued:
                self._make_room()
            self._changed.wait()
        if piece.data is None:
            self._drop(piece)
            assert piece.failure is not None
            raise piece.failure
        part = piece.data[begin - piece.begin:end - piece.begin]
        piece.nread += len(part)
        nbytes = len(piece) * piece.nannounced
        # The last bytes before a place may be read twice.
        if piece.nread >= 2 * nbytes or \
                piece.nread >= nbytes and end == piece.end:
            self._drop(piece)
        return part

    def _drop(self, piece: _Piece) -> None:
        if piece in self._pieces:
            self._pieces.remove(piece)
            self.nbytes_held -= len(piece)
            self._start_threads()

    def _make_room(self) -> None:
        """For pieces that a reader waits for, by those it has gone past."""
        for piece in list(self._pieces):
            if self._nthreads > 0:
                break
            if piece.is_over:
                self._drop(piece)
        self._start_threads()

    def _add(self, begin: int, end: int) -> None:
        """Pieces for what has none."""
        while begin < end:
            piece = self._find(begin)
            if piece:
                piece.nannounced += 1
                begin = piece.end
                continue
            piece = _Piece(begin, min([end, begin + PIECE_NBYTES] + [
                p.begin for p in self._pieces if p.begin > begin]))
            self._pieces.append(piece)
            if not self._batches or len(piece) > BATCH_NBYTES - sum(
                    map(len, self._batches[-1])):
                self._batches.append([])
            self._batches[-1].append(piece)
            begin = piece.end

    def _start_threads(self) -> None:
        while self._batches and self._nthreads < NTHREADS and \
                self._has_room():
            batch = self._batches.popleft()
            self.nbytes_held += sum(map(len, batch))
            for piece in batch:
                piece.is_queued = False
            self._nthreads += 1
            threading.Thread(target=self._fetch, args=[batch],
                             daemon=True).start()

    def _has_room(self) -> bool:
        nbytes = sum(map(len, self._batches[0]))
        return self.nbytes_held == 0 or \
            self.nbytes_held + nbytes <= HELD_NBYTES

    def _fetch(self, batch: List[_Piece]) -> None:
        """Runs in a thread of its own."""
        try:
            with self._lock():
                found = self._fs.cat_ranges(
                    [self._path] * len(batch), [p.begin for p in batch],
                    [p.end for p in batch])
        except BaseException as failure:  # raised where they are read
            found = [failure] * len(batch)
        with self._changed:
            for piece, data in zip(batch, found):
                try:
                    piece.data = self._exactly(data, piece.begin, piece.end)
                except BaseException as failure:  # likewise
                    piece.failure = failure
            self._nthreads -= 1
            self._start_threads()
            self._changed.notify_all()

    def _exactly(self, data: Any, begin: int, end: int) -> bytes:
        """Servers that know no ranges send everything, others nothing."""
        if isinstance(data, BaseException):
            raise _told(data, self.name) from None
        if len(data) == self.size != end - begin:
            if self.size > WHOLE_NBYTES:
                raise OSError(errno.EIO, NO_RANGES, self.name)
            self._whole = bytes(data)
            return self._whole[begin:end]
        if len(data) != end - begin:
            raise OSError(errno.EIO, f"{len(data)} bytes arrived in "
                          f"place of {end - begin} from offset {begin} on",
                          self.name)
        return bytes(data) if not isinstance(data, bytes) else data
