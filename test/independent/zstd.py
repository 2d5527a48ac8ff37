# SPDX-License-Identifier: MIT
"""One zstd frame, by the C library: Python 3.11 has no zstd of its own.
Where there is no library, by Python alone."""

import functools

import zstd_frame
from fields import Damaged, must

try:
    import ctypes
    import ctypes.util
except ImportError:
    ctypes = None

MAGIC = b"\x28\xb5\x2f\xfd"

@functools.cache
def _load():
    """The library, loaded when it is first needed; None if there is none."""
    try:
        library = ctypes.CDLL(
            ctypes.util.find_library("zstd") or "libzstd.so.1")
    except (AttributeError, OSError):
        return None
    size, data = ctypes.c_size_t, ctypes.c_char_p
    for name, result, *arguments in (
            ("ZSTD_decompress", size, data, size, data, size),
            ("ZSTD_findFrameCompressedSize", size, data, size),
            ("ZSTD_getFrameContentSize", ctypes.c_uint64, data, size),
            ("ZSTD_compress", size, data, size, data, size, ctypes.c_int),
            ("ZSTD_compressBound", size, size),
            ("ZSTD_isError", ctypes.c_uint, size)):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def compress(data, level=1):
    """A frame that states its length."""
    library = _load()
    frame = ctypes.create_string_buffer(
        library.ZSTD_compressBound(len(data)))
    size = library.ZSTD_compress(frame, len(frame), data, len(data), level)
    if library.ZSTD_isError(size):
        raise ValueError("zstd cannot compress")
    return frame.raw[:size]


def decompress_up_to(stored, most):
    """Exactly one frame that states and gives at most so many bytes."""
    must(stored[:4] == MAGIC, "not a zstd frame")
    library = _load()
    length = library.ZSTD_getFrameContentSize(stored, len(stored)) \
        if library else zstd_frame.read_head(stored)[0]
    must(length <= most, "a zstd frame that is too long, or does not say")
    return decompress(stored, length)


def decompress(stored, length):
    """Exactly one frame that states and gives exactly length bytes (7.3)."""
    library = _load()
    must(stored[:4] == MAGIC, "not a zstd frame")
    if not library:
        return zstd_frame.decompress(stored, length)
    zstd_frame.read_head(stored)
    size = library.ZSTD_findFrameCompressedSize(stored, len(stored))
    must(not library.ZSTD_isError(size) and size == len(stored),
         "not exactly one zstd frame")
    must(library.ZSTD_getFrameContentSize(stored, len(stored)) == length,
         "a zstd frame that states another length")
    raw = ctypes.create_string_buffer(length)
    result = library.ZSTD_decompress(raw, length, stored, len(stored))
    if library.ZSTD_isError(result) or result != length:
        raise Damaged("a zstd frame that cannot be decoded")
    return raw.raw
