# SPDX-License-Identifier: MIT
"""libnc3z: where it is, and its functions.

Looked for are, in this order: the file or directory in NC3Z_LIBRARY; the place
that was written down when the package was installed; the package itself; what
the loader finds by name; the library directories beside this Python; and, last,
the directory that nc3run names, if that is in PATH.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import operator
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, \
    c_uint32, c_uint64, c_void_p
from typing import Any, Iterator, List, NoReturn, Optional, Tuple, Union

from . import _errors, _structs as c

SONAME = "libnc3z.so.1"
PLUGIN = "libnc3z-netcdf.so"

Name = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

_ERROR = POINTER(c.CError)
_OUT = POINTER(c_void_p)
_INT = POINTER(c_int)

# What they take; they return a status.
FUNCTIONS = {
    "open": [c_char_p, POINTER(c.COpenOptions), _OUT, _ERROR],
    "open_source": [c_void_p, POINTER(c.COpenOptions), _OUT, _ERROR],
    "inq_format": [c_void_p],
    "inq_dim": [c_void_p, c_int, POINTER(c.CDim), _ERROR],
    "inq_var": [c_void_p, c_int, POINTER(c.CVar), _ERROR],
    "inq_attnum": [c_void_p, c_int, c_int, POINTER(c.CAtt), _ERROR],
    "get_att": [c_void_p, c_int, c_char_p, c_int, c_void_p, _ERROR],
    "get": [c_void_p, c_int, POINTER(c.CHyperslab), c_int, c_void_p, _ERROR],
    "iterator_open": [POINTER(c.CIteratorVar), c_size_t, POINTER(c.CHyperslab),
                      POINTER(c.CIteratorOptions), _OUT, _ERROR],
    "iterator_next": [c_void_p, POINTER(c.CBox), _ERROR],
    "inq_summary": [c_void_p, POINTER(c.CSummary), _ERROR],
    "inq_storage": [c_void_p, c_int, POINTER(c.CStorage), _ERROR],
    "inq_stream": [c_void_p, c_uint32, POINTER(c.CStreamInfo), _ERROR],
    "inq_record": [c_void_p, c_uint32, c_uint64, POINTER(c.CRecord), _ERROR],
    "inq_block_range":
        [c_void_p, c_uint32, c_uint64, POINTER(c.CBlockRange), _ERROR],
    "decode_record": [c_void_p, c_size_t, c_void_p, c_size_t,
                      POINTER(c.CRecord), _ERROR],
    "is_url": [c_char_p],
    "summarize": [c_void_p, POINTER(c.CSummary), _ERROR],
    "codec_by_name": [c_char_p],
    "pack": [c_void_p, c_void_p, POINTER(c.CPackOptions),
             POINTER(c.CSummary), _ERROR],
    "restore": [c_void_p, c_void_p, POINTER(c.CRestoreOptions),
                POINTER(c.CSummary), _ERROR],
    "verify": [c_void_p, POINTER(c.CRestoreOptions), POINTER(c.CSummary),
               _ERROR],
    "verify_quick": [c_void_p, POINTER(c.CRestoreOptions),
                     POINTER(c.CSummary), _ERROR],
    "salvage": [_OUT, c_size_t, c_void_p, POINTER(c.CSalvageOptions),
                POINTER(POINTER(c.CSalvageReport)), _ERROR],
    "source_open_name": [c_char_p, c_uint, _OUT, _ERROR],
    "source_open_fd": [c_int, _OUT, _ERROR],
    "source_open_callbacks": [POINTER(c.CCallbacks), _OUT, _ERROR],
    "source_unpack": [_OUT, POINTER(c_char_p), _ERROR],
    "sink_open_path": [c_char_p, c_uint, c_uint, _OUT, _ERROR],
    "sink_open_fd": [c_int, _OUT, _ERROR],
    "sink_copy_attributes": [c_void_p, c_int, _ERROR],
    "sink_commit": [c_void_p, _ERROR],
}

# Those that return something else, and what.
OTHERS = {
    **{name + "_options_init_sized": ([c_void_p, c_size_t], None) for name in
       ("open", "pack", "restore", "salvage", "iterator")},
    "iterator_close": ([c_void_p], None),
    "close": ([c_void_p], None),
    "inq": ([c_void_p] + 4 * [_INT], None),
    "inq_size": ([c_void_p], c_uint64),
    "inq_cache": ([c_void_p, POINTER(c.CCacheStats)], None),
    "url_text": ([c_char_p, c_char_p, c_size_t], None),
    "source_close": ([c_void_p], None),
    "sink_close": ([c_void_p], None),
    "salvage_report_free": ([POINTER(c.CSalvageReport)], None),
    "coding_text": ([POINTER(c.CCoding), c_char_p, c_size_t], c_size_t),
    "codec_name": ([c_int], c_char_p),
    "tar_split": ([c_char_p, POINTER(c_void_p)], c_void_p),
    "version": ([], c_char_p),
    "set_cache_nbytes": ([c_uint64], c_uint64),
}


def _directories() -> Iterator[str]:
    """Where libraries lie that belong to this Python."""
    try:
        place = importlib.import_module("nc3z._place")
        yield os.path.join(os.path.dirname(__file__), place.LIBRARY_DIR)
    except ImportError:
        pass
    yield os.path.dirname(__file__)


def _candidates() -> Iterator[str]:
    """Where the library may be, the likeliest place first."""
    named = os.environ.get("NC3Z_LIBRARY")
    if named:
        yield os.path.join(named, SONAME) if os.path.isdir(named) else named
        return
    for directory in _directories():
        yield os.path.join(directory, SONAME)
    yield SONAME
    for prefix in dict.fromkeys((sys.prefix, sys.base_prefix, "/usr/local",
                                 os.path.expanduser("~/.local"))):
        yield os.path.join(prefix, "lib", SONAME)
    # That program finds the plug-in; the library is above its directory, or
    # beside it where it was built.
    program = shutil.which("nc3run")
    if program:
        found = subprocess.run([program, "--plugin"], capture_output=True,
                               text=True, stdin=subprocess.DEVNULL,
                               check=False)
        if found.returncode == 0:
            directory = os.path.dirname(found.stdout.rstrip("\n"))
            yield os.path.join(os.path.dirname(directory), SONAME)
            yield os.path.join(directory, SONAME)


def _declare(library: ctypes.CDLL) -> None:
    """Says what the functions take and return."""
    table: List[Tuple[str, Any, Any]] = [
        (name, arguments, c_int) for name, arguments in FUNCTIONS.items()]
    table += [(name, *both) for name, both in OTHERS.items()]
    for name, arguments, result in table:
        function = getattr(library, "nc3z_" + name)
        function.argtypes, function.restype = arguments, result


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """The library.  Raises NoLibraryError, which is an ImportError."""
    tried = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
            _declare(library)
            return library
        except (OSError, AttributeError) as error:
            tried.append(str(error))
    raise _errors.NoLibraryError(
        "libnc3z cannot be loaded; NC3Z_LIBRARY may name its file or "
        "directory; \"python3 -m nc3z\" says more: " +
        "; ".join(dict.fromkeys(tried)))


def version() -> str:
    """The version of the library that was loaded."""
    return str(load().nc3z_version().decode())


def set_cache_nbytes(nbytes: int) -> int:
    """Sets the size of the cache of decoded blocks that all files share.

    The default is 64 MiB.  Files that were opened with 'cache_nbytes' have a
    cache of their own.  Any thread may call this function at any time.
    Returns the size that was set before.
    """
    number = operator.index(nbytes)
    if not 0 <= number < 2 ** 64:
        raise ValueError(f"a cache cannot have {number} bytes")
    return int(load().nc3z_set_cache_nbytes(number))


def encoded(path: Name) -> bytes:
    """A name as the library takes it, with "~" as a shell has it."""
    name = os.fsencode(os.path.expanduser(path))
    if b"\0" in name:
        raise ValueError("embedded null byte in a file name")
    return name


# Between URLs of fsspec; not in the address of a host, http://[::1]/.
_CHAIN = re.compile(rb"::(?=[A-Za-z][A-Za-z0-9+.-]*(?:://|::|$))")


def is_url(path: Name) -> bool:
    """Whether it is a URL, which the library reads from a server."""
    return bool(load().nc3z_is_url(encoded(path)))


def refuse_pipe(path: Name, advice: str) -> None:
    """Raises where a pipe is of no use, whoever writes to it: whoever opened
    it would wait for that."""
    try:
        mode = os.stat(os.path.expanduser(path)).st_mode
    except (OSError, ValueError):
        return
    if stat.S_ISFIFO(mode):
        raise _errors.InvalidError(shown(path), "is a pipe: " + advice,
                                   c.EINVAL)


def tar_parts(path: Name) -> Optional[Tuple[str, str]]:
    """The tar and the member that a name has, TAR//MEMBER; or None."""
    member = c_void_p()
    tar = load().nc3z_tar_split(encoded(path), byref(member))
    free = ctypes.CDLL(None).free
    free.argtypes = [c_void_p]
    try:
        return None if not tar or not member.value else (
            os.fsdecode(ctypes.string_at(tar)),
            os.fsdecode(ctypes.string_at(member.value)))
    finally:
        free(tar)
        free(member)


@functools.lru_cache(maxsize=None)
def why_no_urls() -> str:
    """Why this library reads no URLs; empty if it does."""
    source, err = c_void_p(), c.CError()
    # No server has this address, which the part that reads URLs would say.
    status = load().nc3z_source_open_name(b"http://", 0, byref(source), err)
    return str(err.text.decode()) if status == c.EUNSUPPORTED else ""


def shown(path: Name) -> str:
    """A name as it may be shown: URLs without user and query."""
    parts = []
    for part in _CHAIN.split(os.fsencode(path)):
        text = ctypes.create_string_buffer(len(part) + 1)
        load().nc3z_url_text(part, text, len(text))
        parts.append(text.value)
    return os.fsdecode(b"::".join(parts))


def raise_error(path: Name, err: c.CError, **where: Any) -> NoReturn:
    """Raises what a filled CError says."""
    raise _errors.from_c(shown(path), err, is_remote=is_url(path), **where)


class _DlInfo(ctypes.Structure):
    """Dl_info of dladdr()."""
    _fields_ = [("fname", c_char_p), ("fbase", c_void_p),
                ("sname", c_char_p), ("saddr", c_void_p)]


def library_path() -> str:
    """The file of the library, as it was loaded."""
    info = _DlInfo()
    function = ctypes.cast(load().nc3z_open, c_void_p)
    ctypes.CDLL(None).dladdr(function, byref(info))
    return os.path.realpath(os.fsdecode(info.fname or b""))


def plugin_path() -> str:
    """The plug-in for libnetcdf: below the library, or as built beside it."""
    directory = pathlib.Path(library_path()).parent
    for path in directory / "nc3z" / PLUGIN, directory / PLUGIN:
        if path.exists():
            return str(path)
    raise ImportError(f"there is no {directory / 'nc3z' / PLUGIN}")
