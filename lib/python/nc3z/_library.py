"""The calls of libnc3z that are used here, as nc3z.h declares them.

The library is loaded with the first call, not when this is imported: xarray
imports all of its backends whatever file it is to open.
"""

import ctypes
import functools
import os
import pathlib
import shutil
import subprocess

SONAME = "libnc3z.so.0"
PLUGIN = "libnc3z-netcdf.so"

# Statuses that are more to us than a text.
OK = 0
EIO = 2
ENOMEM = 3
ETRUNCATED = 11

NO_OFFSET = 2 ** 64 - 1
NO_NUMBER = 2 ** 32 - 1
GLOBAL = -1
NAT = 0

# Types by their numbers, as those of numpy.
DTYPES = (None, "i1", "S1", "i2", "i4", "f4", "f8", "u1", "u2", "u4", "i8",
          "u8")
CHAR = 2


# Structures that the library fills end with room for more.
RESERVED = ("reserved", ctypes.c_uint64 * 4)


class CError(ctypes.Structure):
    """struct nc3z_error"""
    _fields_ = [("status", ctypes.c_int), ("sys_errno", ctypes.c_int),
                ("offset", ctypes.c_uint64), ("stream", ctypes.c_uint32),
                ("block", ctypes.c_uint32), ("text", ctypes.c_char * 256),
                RESERVED]


class COpenOptions(ctypes.Structure):
    """struct nc3z_open_options"""
    _fields_ = [("options_nbytes", ctypes.c_size_t),
                ("cache_nbytes", ctypes.c_uint64),
                ("nthreads", ctypes.c_uint),
                ("ignores_truncation", ctypes.c_int),
                ("readahead_nbytes", ctypes.c_uint64)]


class CDim(ctypes.Structure):
    """struct nc3z_dim"""
    _fields_ = [("name", ctypes.c_char_p), ("length", ctypes.c_uint64),
                ("is_record", ctypes.c_int), RESERVED]


class CVar(ctypes.Structure):
    """struct nc3z_var"""
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int),
                ("ndims", ctypes.c_int),
                ("dimids", ctypes.POINTER(ctypes.c_int)),
                ("shape", ctypes.POINTER(ctypes.c_uint64)),
                ("natts", ctypes.c_int), ("is_record", ctypes.c_int),
                ("nelems", ctypes.c_uint64), RESERVED]


class CAtt(ctypes.Structure):
    """struct nc3z_att"""
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int),
                ("nelems", ctypes.c_uint64), ("attnum", ctypes.c_int),
                RESERVED]


class CSlab(ctypes.Structure):
    """struct nc3z_hyperslab"""
    _fields_ = [("start", ctypes.POINTER(ctypes.c_size_t)),
                ("count", ctypes.POINTER(ctypes.c_size_t)),
                ("stride", ctypes.POINTER(ctypes.c_ssize_t)),
                ("imap", ctypes.POINTER(ctypes.c_ssize_t))]


class Error(OSError):
    """Why a file could not be read.

    'status' is one of enum nc3z_status, 'path' the file, 'reason' one line;
    'offset' is in bytes from the start of the file, 'stream' and 'block' are
    those of the archive, None where they are not known.
    """

    def __init__(self, path, reason, status, offset=None, stream=None,
                 block=None):
        super().__init__(f"{path}: {reason}")
        self.path, self.reason, self.status = path, reason, status
        self.offset, self.stream, self.block = offset, stream, block

    def __reduce__(self):
        # Workers of dask hand it on.
        return type(self), (self.path, self.reason, self.status, self.offset,
                            self.stream, self.block)


class TruncationWarning(UserWarning):
    """Values lie beyond the end of the original; they were given as 0."""


def is_url(path):
    """Whether it is a URL, which the library reads from a server."""
    return bool(load().nc3z_is_url(os.fsencode(path)))


def shown(path):
    """A name as it may be shown: a URL without user and query."""
    name = os.fsencode(path)
    text = ctypes.create_string_buffer(len(name) + 1)
    load().nc3z_url_text(name, text, ctypes.c_size_t(len(text)))
    return os.fsdecode(text.value)


def raise_error(path, err):
    """Raises what a filled CError says."""
    remote, path = is_url(str(path)), shown(str(path))
    if err.status == ENOMEM:
        raise MemoryError(f"{path}: out of memory")
    if err.status == EIO and err.sys_errno:
        reason = os.strerror(err.sys_errno)
        if remote:
            reason = err.text.decode("utf-8", "replace")
        raise OSError(err.sys_errno, reason, path)
    raise Error(path, err.text.decode("utf-8", "replace"), err.status,
                None if err.offset == NO_OFFSET else err.offset,
                None if err.stream == NO_NUMBER else err.stream,
                None if err.block == NO_NUMBER else err.block)


def _candidates():
    """Where the library may be, the likeliest place first."""
    named = os.environ.get("NC3Z_LIBRARY")
    if named:
        yield named
        return
    try:
        from ._place import LIBRARY_DIR
        yield os.path.join(os.path.dirname(__file__), LIBRARY_DIR, SONAME)
    except ImportError:
        pass
    yield SONAME
    # That program finds the plug-in, and beside it is the library.
    program = shutil.which("nc3run")
    if program:
        found = subprocess.run([program, "--plugin"], capture_output=True,
                               text=True, stdin=subprocess.DEVNULL,
                               check=False)
        if found.returncode == 0:
            directory = os.path.dirname(found.stdout.rstrip("\n"))
            yield os.path.join(directory, SONAME)


def _declare(library):
    """Says what the functions take; all that may fail return a status."""
    pointer, number, out = ctypes.c_void_p, ctypes.c_int, ctypes.POINTER
    error = out(CError)
    text = ctypes.c_char_p
    for name, arguments in {
            "open_options_init_sized": [out(COpenOptions), ctypes.c_size_t],
            "open": [text, out(COpenOptions), out(pointer), error],
            "close": [pointer],
            "inq": [pointer] + 4 * [out(number)],
            "inq_format": [pointer],
            "inq_dim": [pointer, number, out(CDim), error],
            "inq_var": [pointer, number, out(CVar), error],
            "inq_attnum": [pointer, number, number, out(CAtt), error],
            "get_att": [pointer, number, text, number, pointer, error],
            "get": [pointer, number, out(CSlab), number, pointer, error],
    }.items():
        function = getattr(library, "nc3z_" + name)
        function.argtypes = arguments
        function.restype = number
    for name in "open_options_init_sized", "close", "inq":
        getattr(library, "nc3z_" + name).restype = None


@functools.lru_cache(maxsize=None)
def load():
    """The library."""
    tried = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            tried.append(str(error))
            continue
        _declare(library)
        return library
    raise ImportError("libnc3z cannot be loaded; NC3Z_LIBRARY may say where "
                      "it is: " + "; ".join(tried))


class _DlInfo(ctypes.Structure):
    """Dl_info of dladdr()."""
    _fields_ = [("fname", ctypes.c_char_p), ("fbase", ctypes.c_void_p),
                ("sname", ctypes.c_char_p), ("saddr", ctypes.c_void_p)]


def library_path():
    """The file of the library, as it was loaded."""
    info = _DlInfo()
    function = ctypes.cast(load().nc3z_open, ctypes.c_void_p)
    ctypes.CDLL(None).dladdr(function, ctypes.byref(info))
    return os.path.realpath(os.fsdecode(info.fname))


def plugin_path():
    """The plug-in for libnetcdf, which is beside the library."""
    path = pathlib.Path(library_path()).parent / PLUGIN
    if not path.exists():
        raise ImportError(f"there is no {path}")
    return str(path)
