"""Files that the library does not open by itself: it reads them by callbacks.

They are those of fsspec, by a URL with storage_options or by one of a scheme
that the library does not know, and objects of Python that can seek and read.

What the library announces goes to fsspec in a few calls of cat_ranges(), each
of which fetches its ranges at the same time where the file system can; reading
then waits for what has not come yet.
"""

import atexit
import collections
import contextlib
import ctypes
import errno
import io
import os
import pickle
import re
import threading
import weakref

from . import _library

# Longer ranges are fetched in pieces; so much with one call, and so much may be
# held for each file.
PIECE_NBYTES = 8 << 20
BATCH_NBYTES = 16 << 20
HELD_NBYTES = 32 << 20
NTHREADS = 4

# File systems that cannot fetch several things at once may not be used by
# several threads either: the files of "memory" have one position for all.
_one_at_a_time = threading.RLock()

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(://|::)")


class CRange(ctypes.Structure):
    """struct nc3z_range"""
    _fields_ = [("offset", ctypes.c_uint64), ("nbytes", ctypes.c_uint64)]


READ_AT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64,
                           ctypes.c_void_p, ctypes.c_size_t,
                           ctypes.POINTER(ctypes.c_size_t))
CLOSE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
ANNOUNCE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(CRange),
                            ctypes.c_size_t)
CHECK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class CCallbacks(ctypes.Structure):
    """struct nc3z_callbacks"""
    _fields_ = [("callbacks_nbytes", ctypes.c_size_t),
                ("context", ctypes.c_void_p), ("size", ctypes.c_uint64),
                ("read_at", READ_AT), ("close", CLOSE),
                ("announce", ANNOUNCE), ("check_unchanged", CHECK)]


class Place:
    """Where a file is that Python reads; can be pickled if what it has can."""

    def __init__(self, name, options=None, fs=None, path=None, file=None):
        self.name, self._options = name, options
        self._fs, self._path, self._file = fs, path, file
        self._process = os.getpid()

    def __str__(self):
        return self.name

    # xarray keeps files by what they were opened with.
    def _key(self):
        return (self.name, repr(self._options), self._path,
                id(self._file) if self._file else None,
                hash(self._fs) if self._fs else None)

    def __eq__(self, other):
        return isinstance(other, Place) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def connect(self):
        """A source for one open file."""
        if self._file:
            return Source(_ObjectReader(self._file))
        if self._fs:
            if self._process != os.getpid():
                _forget_threads()
                self._fs = pickle.loads(pickle.dumps(self._fs))
                self._process = os.getpid()
            return Source(_Reader(self._fs, self._path))
        import fsspec
        _forget_threads()
        return Source(_Reader(*fsspec.core.url_to_fs(
            self._url(), **self._options)))

    def _url(self):
        if os.environ.get("NC3Z_REMOTE") == "off":
            raise PermissionError(errno.EACCES, "NC3Z_REMOTE=off: no URL is "
                                  "read", shown(self.name))
        return self.name


def place_of(name, storage_options=None):
    """The place of what the library does not open by itself, or None."""
    if isinstance(name, Place):
        return name
    if getattr(name, "fs", None) and getattr(name, "path", None) and \
            not getattr(name, "compression", None):
        return _place_in(name.fs, name.path)
    if hasattr(name, "read") and hasattr(name, "seek"):
        text = getattr(name, "name", None)
        return Place(text if isinstance(text, str) else repr(name), file=name)
    text = os.fsdecode(name)
    if storage_options is None and (_library.is_url(text) or
                                    not _SCHEME.match(text)):
        return None
    return Place(text, dict(storage_options or {}))


def _place_in(fs, path):
    return Place(fs.unstrip_protocol(path), fs=fs, path=path)


def shown(name):
    """A name as it may be shown: a URL without user and query."""
    if isinstance(name, str) and _SCHEME.match(name):
        return re.sub(r"://[^/@]*@", "://", re.split("[?#]", name)[0])
    return _library.shown(name)


def first_bytes(file, nbytes):
    """Of an object that can seek, which then is where it was; None: it is none.
    """
    if not (hasattr(file, "read") and hasattr(file, "seek")):
        return None
    before = file.tell()
    try:
        file.seek(0)
        data = file.read(nbytes)
    finally:
        file.seek(before)
    return data


def _forget_threads():
    """After a fork, fsspec waits for a thread that is not here any more."""
    from fsspec import asyn
    thread = asyn.iothread[0]
    if thread is not None and not thread.is_alive():
        asyn.reset_lock()


class _Reader:
    """Ranges of a file of fsspec."""

    can_announce = True

    def __init__(self, fs, path):
        self._fs, self._path = fs, path
        self._is_async = getattr(fs, "async_impl", False)
        with self._lock():
            self.size = fs.info(path)["size"]
        if self.size is None:
            raise OSError(errno.EINVAL, "the server does not say how long it "
                          "is", shown(fs.unstrip_protocol(path)))

    def _lock(self):
        return contextlib.nullcontext() if self._is_async else _one_at_a_time

    def read(self, begin, end):
        """The bytes of one range."""
        with self._lock():
            return self._fs.cat_file(self._path, start=begin, end=end)

    def read_all(self, ranges):
        """The bytes of each, or why they could not be had."""
        begins, ends = map(list, zip(*ranges))
        with self._lock():
            return self._fs.cat_ranges([self._path] * len(begins), begins, ends)


class _ObjectReader:
    """Ranges of an object that can seek and read."""

    can_announce = False

    def __init__(self, file):
        self._file, self._lock = file, threading.Lock()
        self.size = file.seek(0, io.SEEK_END)
        if self.size is None:
            self.size = file.tell()

    def read(self, begin, end):
        """The bytes of one range."""
        parts = []
        with self._lock:
            self._file.seek(begin)
            while begin < end:
                part = self._file.read(end - begin)
                if not part:
                    break
                parts.append(part)
                begin += len(part)
        return b"".join(parts)


class _Piece:
    """Bytes that were announced: queued, on their way, here, or failed."""

    def __init__(self, begin, end):
        self.begin, self.end = begin, end
        self.data = self.failure = None
        self.is_queued, self.nread, self.nannounced = True, 0, 1

    def __len__(self):
        return self.end - self.begin

    @property
    def is_over(self):
        """Whether it is here, or will never be."""
        return self.data is not None or self.failure is not None


class Source:
    """The callbacks of one open file, and what is fetched for it."""

    def __init__(self, reader):
        self._reader = reader
        self._changed = threading.Condition()
        self._pieces, self._batches = [], collections.deque()
        self._nheld = self._nthreads = 0
        self.failure, self.is_closed = None, False
        self._callbacks = CCallbacks(
            ctypes.sizeof(CCallbacks), None, reader.size,
            READ_AT(self._read_at), CLOSE(), ANNOUNCE(), CHECK())
        if reader.can_announce:
            self._callbacks.announce = ANNOUNCE(self._announce)

    def open(self, options, file, err):
        """As nc3z_open() does; whoever has the file keeps the source."""
        library, source = _library.load(), ctypes.c_void_p()
        status = library.nc3z_source_open_callbacks(
            ctypes.byref(self._callbacks), ctypes.byref(source),
            ctypes.byref(err))
        if status == _library.OK:
            status = library.nc3z_open_source(
                source, ctypes.byref(options), ctypes.byref(file),
                ctypes.byref(err))
            if status:
                library.nc3z_source_close(source)
        return status

    def take_failure(self):
        """What a call has just failed with, if it was Python."""
        failure, self.failure = self.failure, None
        return failure

    def _read_at(self, _, offset, data, nbytes, nbytes_ret):
        done, end = 0, min(offset + nbytes, self._reader.size)
        try:
            while offset + done < end:
                part = self._take(offset + done, end)
                ctypes.memmove(data + done, part, len(part))
                done += len(part)
        except BaseException as failure:  # none may get into C
            self.failure = failure
            return _errno_of(failure)
        nbytes_ret[0] = done
        return 0

    def _take(self, begin, end):
        """The first of these bytes: all that one piece has, or all up to it."""
        with self._changed:
            piece = self._find(begin)
            if piece:
                return self._take_from(piece, begin, min(end, piece.end))
            end = min([end] + [p.begin for p in self._pieces
                               if p.begin > begin])
        return _exactly(self._reader.read(begin, end), begin, end)

    def _find(self, offset):
        return next((p for p in self._pieces if p.begin <= offset < p.end),
                    None)

    def _take_from(self, piece, begin, end):
        """Waits for a piece, under the lock."""
        while not piece.is_over:
            if piece.is_queued:
                self._make_room()
            self._changed.wait()
        if piece.failure:
            self._drop(piece)
            raise piece.failure
        part = piece.data[begin - piece.begin:end - piece.begin]
        piece.nread += len(part)
        nbytes = len(piece) * piece.nannounced
        # The last bytes before a place may be read twice.
        if piece.nread >= 2 * nbytes or \
                piece.nread >= nbytes and end == piece.end:
            self._drop(piece)
        return part

    def _drop(self, piece):
        if piece in self._pieces:
            self._pieces.remove(piece)
            self._nheld -= len(piece)
            self._start_threads()

    def _make_room(self):
        """For pieces that a reader waits for, by those it has gone past."""
        for piece in list(self._pieces):
            if self._nthreads > 0:
                break
            if piece.is_over:
                self._drop(piece)
        self._start_threads()

    def _announce(self, _, ranges, nranges):
        try:
            with self._changed:
                for i in range(nranges):
                    begin = ranges[i].offset
                    self._add(begin, begin + ranges[i].nbytes)
                self._start_threads()
        except BaseException as failure:  # reading will fail, too
            self.failure = failure

    def _add(self, begin, end):
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
            last = self._batches[-1] if self._batches else None
            if last is None or sum(map(len, last)) + len(piece) > BATCH_NBYTES:
                self._batches.append(last := [])
            last.append(piece)
            begin = piece.end

    def _start_threads(self):
        while self._batches and self._nthreads < NTHREADS and \
                self._has_room():
            batch = self._batches.popleft()
            self._nheld += sum(map(len, batch))
            for piece in batch:
                piece.is_queued = False
            self._nthreads += 1
            threading.Thread(target=self._fetch, args=[batch],
                             daemon=True).start()

    def _has_room(self):
        return self._nheld == 0 or self._nheld + sum(
            map(len, self._batches[0])) <= HELD_NBYTES

    def _fetch(self, batch):
        """Runs in a thread of its own."""
        try:
            found = self._reader.read_all([(p.begin, p.end) for p in batch])
        except BaseException as failure:  # pylint: disable=broad-except
            found = [failure] * len(batch)
        with self._changed:
            for piece, data in zip(batch, found):
                try:
                    piece.data = _exactly(data, piece.begin, piece.end)
                except BaseException as failure:  # pylint: disable=W0718
                    piece.failure = failure
            self._nthreads -= 1
            self._start_threads()
            self._changed.notify_all()


def _exactly(data, begin, end):
    """Servers that know no ranges send everything, others nothing."""
    if isinstance(data, BaseException):
        raise data
    if len(data) != end - begin:
        raise OSError(errno.EIO, f"{len(data)} bytes came where {end - begin} "
                      f"from offset {begin} on were asked for")
    return data


def error_of(place, failure):
    """What is raised in its place: with the name of the file."""
    reason = getattr(failure, "strerror", None) or type(failure).__name__
    return OSError(_errno_of(failure), reason, shown(str(place)))


def _errno_of(failure):
    """As C has it."""
    if isinstance(failure, TimeoutError) or \
            type(failure).__name__ == "FSTimeoutError":
        return errno.ETIMEDOUT
    if isinstance(failure, MemoryError):
        return errno.ENOMEM
    return getattr(failure, "errno", None) or {
        FileNotFoundError: errno.ENOENT,
        PermissionError: errno.EACCES}.get(type(failure), errno.EIO)


# Handles of files with a source, to be closed while Python still runs: threads
# of the library cannot call it after that.
_handles = weakref.WeakSet()


def keep(handle):
    """Has a handle closed at the end of the process, if not before."""
    _handles.add(handle)


@atexit.register
def _close_all():
    for handle in list(_handles):
        handle.close()


def close(function, pointer, source):
    """Closes a file in a thread of its own.

    The garbage collector may have begun in one that the file's reads need."""
    def work():
        function(pointer)
        source.is_closed = True
    threading.Thread(target=work).start()
