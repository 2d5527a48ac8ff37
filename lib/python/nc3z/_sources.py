# SPDX-License-Identifier: MIT
"""Where bytes come from: paths, URLs, bytes, file objects, and what readers
of ranges give, as struct nc3z_source.

Python reads paths for jobs, too, so that an exception in a progress function,
Ctrl-C among them, ends a job soon: the next read fails.
"""

from __future__ import annotations

import ctypes
import errno
import io
import os
import stat
import threading
from ctypes import byref, c_void_p
from typing import Any, BinaryIO, List, Optional, Sequence, Tuple, Union, \
    cast

from . import _calls, _fsspec, _library, _structs as c

try:
    from typing import Protocol
except ImportError:
    Protocol = object  # type: ignore


class RangeReader(Protocol):
    """An object that gives ranges of bytes, such as one on a server.

    'size' is its length in bytes.  read_range() returns 'nbytes' bytes at
    'offset', or fewer if the source ends before.  Several threads call it at
    the same time.  If it raises an exception, the call that needs the bytes
    raises it, too.

    Three members are optional:

    announce(ranges): gets a list of the (offset, nbytes) that will be read
        soon.  It must return at once.
    close(): is called when nothing more will be read.
    name: a text for messages.

    In place of a RangeReader, you can give an object with connect().  Each
    time the file is opened, connect() returns a RangeReader, also in another
    process that got the object by pickle or fork().
    """

    size: int

    def read_range(self, offset: int, nbytes: int) -> Any:
        """Returns bytes, or an object with the buffer protocol."""


Bytes = Union[bytes, bytearray, memoryview]
Source = Union[_library.Name, Bytes, RangeReader, BinaryIO]


class Bounded:
    """Bytes that can be read in any order."""

    size = 0

    def read_into(self, offset: int, view: memoryview) -> int:
        """Fills the view as far as there is something."""
        raise NotImplementedError

    def read(self, offset: int, nbytes: int) -> bytes:
        """So many bytes, or those up to the end."""
        view, done = memoryview(bytearray(nbytes)), 0
        while done < nbytes:
            more = self.read_into(offset + done, view[done:])
            if not more:
                break
            done += more
        return bytes(view[:done])

    def announce(self, ranges: Sequence[Tuple[int, int]]) -> None:
        """What will be read soon."""

    def is_unchanged(self) -> bool:
        """Whether the bytes are still those of the beginning."""
        return True

    def close(self) -> None:
        """Frees what was opened here."""


class PathBytes(Bounded):
    """A regular file."""

    def __init__(self, fd: int) -> None:
        self.fd, self._first = fd, os.fstat(fd)
        self.size = self._first.st_size

    def read_into(self, offset: int, view: memoryview) -> int:
        # Not what is appended meanwhile: that might never end.
        return os.preadv(self.fd, [view[:max(0, self.size - offset)]], offset)

    def is_unchanged(self) -> bool:
        now, first = os.fstat(self.fd), self._first
        if (now.st_size, now.st_mtime_ns) != (first.st_size,
                                              first.st_mtime_ns):
            return False
        # Other links and permissions change that time, too.
        return (now.st_nlink, now.st_mode) != (first.st_nlink, first.st_mode) \
            or now.st_ctime_ns == first.st_ctime_ns

    def close(self) -> None:
        os.close(self.fd)


class MemoryBytes(Bounded):
    """A buffer of the caller's."""

    def __init__(self, data: Bytes) -> None:
        self._data = memoryview(data).cast("B")
        self.size = self._data.nbytes

    def read_into(self, offset: int, view: memoryview) -> int:
        found = self._data[offset:offset + len(view)]
        view[:len(found)] = found
        return len(found)


class ObjectBytes(Bounded):
    """A file object that can seek, from its first byte to its last."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._lock = file, threading.Lock()
        self._process = os.getpid()
        self.size = file.seek(0, os.SEEK_END)

    def read_into(self, offset: int, view: memoryview) -> int:
        if self._process != os.getpid():
            raise ValueError("a file object of the parent process, whose "
                             "position both would move; open a path here")
        with self._lock:
            self._file.seek(offset)
            found = self._file.read(len(view))
        view[:len(found)] = found
        return len(found)


class RangeBytes(Bounded):
    """What a RangeReader gives."""

    def __init__(self, reader: RangeReader) -> None:
        self._reader, self.size = reader, int(reader.size)

    def read_into(self, offset: int, view: memoryview) -> int:
        nbytes = max(0, min(len(view), self.size - offset))
        if nbytes == 0:
            return 0
        found = memoryview(self._reader.read_range(offset, nbytes)).cast("B")
        if len(found) != nbytes:
            raise OSError(errno.EIO, f"read_range() gave {len(found)} bytes "
                          f"of {nbytes} at {offset}", name_of(self._reader))
        view[:nbytes] = found
        return nbytes

    def announce(self, ranges: Sequence[Tuple[int, int]]) -> None:
        tell = getattr(self._reader, "announce", None)
        if tell:
            tell(ranges)

    def close(self) -> None:
        close = getattr(self._reader, "close", None)
        if close:
            close()


class OpenSource:
    """A struct nc3z_source, and what it needs as long as it is open.

    'size' is in bytes, None if unknown.  'failure' is an exception raised by
    Python code that ran for the library; with one set every read fails.
    """

    def __init__(self, name: str) -> None:
        self.name, self.size = name, cast(Optional[int], None)
        self.pointer = c_void_p()
        self.failure: Optional[BaseException] = None
        self.fd: Optional[int] = None  # for attributes; ours without _bytes
        self.can_seek = False
        self._bytes: Optional[Bounded] = None
        self._kept: List[Any] = []

    def _open(self, function: str, *arguments: Any) -> OpenSource:
        """Calls nc3z_source_FUNCTION()."""
        err = c.CError()
        call = getattr(_library.load(), "nc3z_source_" + function)
        if call(*arguments, byref(self.pointer), err):
            _library.raise_error(self.name, err)
        return self

    def open_bounded(self, found: Bounded) -> OpenSource:
        """Reads through Python."""
        self._bytes, self.size, self.can_seek = found, found.size, True
        callbacks = c.CCallbacks(
            ctypes.sizeof(c.CCallbacks), None, found.size,
            c.READ_AT_FN(self._read_at), c.CLOSE_FN(0),
            c.ANNOUNCE_FN(self._announce), c.CHECK_FN(self._check))
        self._kept.append(callbacks)
        return self._open("open_callbacks", byref(callbacks))

    def open_url(self, url: _library.Name, flags: int) -> OpenSource:
        """Reads from a server, or a member of a tar."""
        self.can_seek = True
        return self._open("open_name", _library.encoded(url), flags)

    def open_fd(self, fd: int) -> OpenSource:
        """Reads a pipe or the like, from here to its end."""
        return self._open("open_fd", fd)

    def open_stream(self, file: Any) -> OpenSource:
        """Reads a file object that cannot seek, by a thread and a pipe."""
        end, begin = os.pipe()
        self.fd = end

        def feed() -> None:
            try:
                with open(begin, "wb") as pipe:
                    while True:
                        part = file.read(1 << 20)
                        if part is None:
                            raise BlockingIOError(
                                errno.EAGAIN, "nothing to read yet")
                        if not part:
                            break
                        pipe.write(part)
            except BrokenPipeError:
                pass
            except BaseException as error:  # raised by the job
                self.failure = error
        thread = threading.Thread(target=feed, daemon=True)
        thread.start()
        self._kept.append(thread)
        return self._open("open_fd", end)

    def unpack(self) -> Optional[str]:
        """Decompresses gzip, bzip2, zstd or xz; its name, if it is that."""
        found, err = ctypes.c_char_p(), c.CError()
        if self.run(_library.load().nc3z_source_unpack, byref(self.pointer),
                    byref(found), err):
            self.raise_error(err)
        if found.value is None:
            return None
        self.size, self.can_seek = None, False
        return os.fsdecode(found.value)

    def run(self, function: Any, *arguments: Any) -> int:
        """Calls a function that reads the source; its status."""
        if self._bytes is None:
            return int(function(*arguments))
        try:
            return int(_calls.run_apart(self.stop, function, *arguments))
        except BaseException as error:
            if self.failure is error:
                self.failure = None
            raise

    def stop(self, failure: BaseException) -> None:
        """Makes the next read fail."""
        self.failure = failure

    def raise_error(self, err: c.CError) -> None:
        """Raises what Python code raised, or what the library says."""
        self.raise_failure()
        _library.raise_error(self.name, err)

    def raise_failure(self) -> None:
        """Raises what Python code raised."""
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure

    def give_away(self) -> c_void_p:
        """The pointer, which somebody else will close."""
        pointer, self.pointer = self.pointer, c_void_p()
        return pointer

    def close(self) -> None:
        """Closes all."""
        if self.pointer:
            _library.load().nc3z_source_close(self.pointer)
            self.pointer = c_void_p()
        if self._bytes:
            self._bytes.close()
            self._bytes = None
        elif self.fd is not None:
            os.close(self.fd)
        self.fd = None

    def __enter__(self) -> OpenSource:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _guard(self, error: BaseException) -> int:
        """Keeps an exception; an errno for the library."""
        self.failure = error
        return getattr(error, "errno", None) or errno.EIO

    def _read_at(self, _: Any, offset: int, data: int, nbytes: int,
                 nbytes_ret: Any) -> int:
        try:
            nbytes_ret[0] = 0
            if self.failure is not None:
                return errno.ECANCELED
            assert self._bytes is not None
            array = (ctypes.c_char * nbytes).from_address(data)
            nbytes_ret[0] = self._bytes.read_into(
                offset, memoryview(array).cast("B"))
            return 0
        except BaseException as error:  # raised by the job
            return self._guard(error)

    def _announce(self, _: Any, ranges: Any, nranges: int) -> None:
        try:
            assert self._bytes is not None
            self._bytes.announce([(ranges[i].offset, ranges[i].nbytes)
                                  for i in range(nranges)])
        except BaseException as error:  # raised by the job
            self._guard(error)

    def _check(self, _: Any) -> int:
        try:
            assert self._bytes is not None
            return 0 if self._bytes.is_unchanged() else errno.ESTALE
        except BaseException as error:  # raised by the job
            return self._guard(error)


MAGIC = b"\x89NC3Z\r\n\x1a"
SUFFIX = ".nc3z"


def first_bytes(path: Any) -> bytes:
    """Of a file; unbuffered, as a parallel file system would fetch a whole
    stripe."""
    _library.refuse_pipe(path, "write what it holds to a file first")
    with open(os.path.expanduser(os.fspath(path)), "rb", buffering=0) as file:
        return file.read(len(MAGIC))


def has_magic(path: Any) -> bool:
    """Whether a path is that of an archive."""
    try:
        return first_bytes(path) == MAGIC
    except (OSError, TypeError, ValueError):
        return False


def is_name(source: Any) -> bool:
    """Whether it is a path or a URL; bytes are content, not a path."""
    return isinstance(source, (str, os.PathLike))


def access_list(file: Union[int, str, bytes]) -> bytes:
    """The access control list of a file; none is empty."""
    try:
        return os.getxattr(file, "system.posix_acl_access")
    except OSError:
        return b""


def permissions_of_tar(source: Any) -> int:
    """Who may not read a tar may not read what comes out of it."""
    parts = _library.tar_parts(source) if is_name(source) and \
        not _library.is_url(source) else None
    if parts is None:
        return 0o666
    found = os.stat(parts[0])
    mode = found.st_mode & 0o666
    if access_list(parts[0]):   # then the mode says nothing of the group
        return mode & 0o600
    if found.st_gid != os.getegid():
        mode = mode & 0o600 | (mode & mode >> 3 & 0o06) * 0o11
    return mode


def name_of(source: Any) -> str:
    """A name for messages."""
    if is_name(source):
        return _library.shown(source)
    name = getattr(source, "name", None)
    if isinstance(name, (str, bytes)):
        return _library.shown(name)
    return f"<{type(source).__name__}>"


def bounded(source: Any) -> Optional[Bounded]:
    """What can be read in any order and is no path; None for other things."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return MemoryBytes(source)
    if hasattr(source, "connect"):
        source = source.connect()
    if hasattr(source, "read_range"):
        return RangeBytes(source)
    if isinstance(source, io.TextIOBase):
        raise TypeError("a file object must be open for bytes, as by "
                        "open(..., \"rb\")")
    if hasattr(source, "read") and hasattr(source, "seek") and \
            getattr(source, "seekable", lambda: True)():
        return ObjectBytes(source)
    return None


def needed(source: Any) -> Bounded:
    """The same; TypeError for other things."""
    found = bounded(source)
    if found is None:
        raise TypeError("expected a path, a URL, bytes, a file object that "
                        "can seek or an object with read_range(), not "
                        f"{type(source)}")
    return found


def _open_path(source: OpenSource, path: Any) -> OpenSource:
    """A path of any kind of file."""
    try:
        fd = os.open(os.path.expanduser(path), os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        error.filename = _library.shown(path)
        raise
    source.fd = fd
    mode = os.fstat(fd).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR),
                                os.fsdecode(path))
    if stat.S_ISREG(mode):
        return source.open_bounded(PathBytes(fd))
    return source.open_fd(fd)


def _descriptor(what: Any) -> Optional[int]:
    """Of an open file, whose permissions an output gets; None for others."""
    try:
        return int(what.fileno())
    except (AttributeError, OSError):
        return None


def open_source(what: Source, flags: int = 0) -> OpenSource:
    """Opens what a caller of this package gave."""
    if is_name(what):
        what = _fsspec.place_of(what)
    source = OpenSource(name_of(what))
    try:
        if is_name(what):
            name = cast(_library.Name, what)
            if _library.is_url(name) or _library.tar_parts(name):
                return source.open_url(name, flags)
            return _open_path(source, name)
        found = bounded(what)
        if found is not None:
            source.fd = _descriptor(what)
            return source.open_bounded(found)
        if hasattr(what, "read"):
            return source.open_stream(what)
        raise TypeError("expected a path, a URL, bytes, a file object or an "
                        f"object with read_range(), not {type(what)}")
    except BaseException:
        source.close()
        raise


def open_seeking(what: Source) -> OpenSource:
    """The same for what is read in any order."""
    if is_name(what):
        _library.refuse_pipe(cast(_library.Name, what),
                             "write what it holds to a file first")
    return open_source(what)
