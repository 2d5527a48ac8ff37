# SPDX-License-Identifier: MIT
"""The structures and constants of nc3z.h that are used here.

They are declared once more, as reading a header would need a compiler; the
tests compare each field with those that the compiler sees.
"""

from __future__ import annotations

import ctypes
import operator
from ctypes import POINTER, c_char, c_char_p, c_int, c_size_t, c_ssize_t, \
    c_ubyte, c_uint, c_uint16, c_uint32, c_uint64, c_void_p
from typing import Any

# Statuses that are more to us than a text.
OK = 0
EINVAL = 1
EIO = 2
ENOMEM = 3
EEXIST = 4
ENOTCLASSIC = 5
ENOTARCHIVE = 6
EDAMAGED = 7
EUNSUPPORTED = 8
ELIMIT = 9
ECHANGED = 10
ETRUNCATED = 11
ERANGE = 12
EOLDER = 21

NO_OFFSET = 2 ** 64 - 1
NO_NUMBER = 2 ** 32 - 1
GLOBAL = -1
NAT = 0
CHAR = 2
FLOAT = 5
DOUBLE = 6
UNPACKED = 0x100
SINK_REPLACE = 1
SINK_SPARSE = 2
SINK_PRIVATE = 4
URL_STREAM = 1
CHUNK_DIMS_MAX = 32
BLOCK_NBYTES_MAX = 1 << 26
CODING_STEPS_MAX = 16

# Types by their numbers, as those of numpy.
DTYPES = ("", "i1", "S1", "i2", "i4", "f4", "f8", "u1", "u2", "u4", "i8",
          "u8")

# Structures that the library fills end with room for more.
RESERVED = ("reserved", c_uint64 * 4)

PROGRESS_FN = ctypes.CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)
TEXT_FN = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class CError(ctypes.Structure):
    """struct nc3z_error"""
    _fields_ = [("status", c_int), ("sys_errno", c_int),
                ("offset", c_uint64), ("stream", c_uint32),
                ("block", c_uint32), ("text", c_char * 256),
                ("is_output", c_uint64), ("reserved", c_uint64 * 3)]


class COpenOptions(ctypes.Structure):
    """struct nc3z_open_options"""
    _fields_ = [("options_nbytes", c_size_t), ("cache_nbytes", c_uint64),
                ("nthreads", c_uint), ("ignores_truncation", c_int),
                ("readahead_nbytes", c_uint64)]


class CDim(ctypes.Structure):
    """struct nc3z_dim"""
    _fields_ = [("name", c_char_p), ("length", c_uint64),
                ("is_record", c_int), RESERVED]


class CVar(ctypes.Structure):
    """struct nc3z_var"""
    _fields_ = [("name", c_char_p), ("type", c_int), ("ndims", c_int),
                ("dimids", POINTER(c_int)), ("shape", POINTER(c_uint64)),
                ("natts", c_int), ("is_record", c_int), ("nelems", c_uint64),
                ("begin", c_uint64), ("reserved", c_uint64 * 3)]


class CAtt(ctypes.Structure):
    """struct nc3z_att"""
    _fields_ = [("name", c_char_p), ("type", c_int), ("nelems", c_uint64),
                ("attnum", c_int), RESERVED]


class CHyperslab(ctypes.Structure):
    """struct nc3z_hyperslab"""
    _fields_ = [("start", POINTER(c_size_t)), ("count", POINTER(c_size_t)),
                ("stride", POINTER(c_ssize_t)), ("imap", POINTER(c_ssize_t))]


def hyperslab(runs: Any) -> CHyperslab:
    """Of starts, counts and steps, one for each dimension."""
    found = CHyperslab()
    if runs:
        starts, counts, steps = zip(*runs)
        found.start = (c_size_t * len(starts))(*starts)
        found.count = (c_size_t * len(counts))(*counts)
        found.stride = (c_ssize_t * len(steps))(*steps)
    return found


class CIteratorVar(ctypes.Structure):
    """struct nc3z_iterator_var"""
    _fields_ = [("file", c_void_p), ("varid", c_int), ("memtype", c_int)]


class CIteratorOptions(ctypes.Structure):
    """struct nc3z_iterator_options"""
    _fields_ = [("options_nbytes", c_size_t), ("box", POINTER(c_size_t)),
                ("max_memory_nbytes", c_uint64)]


class CBox(ctypes.Structure):
    """struct nc3z_box"""
    _fields_ = [("number", c_uint64), ("nelems", c_size_t),
                ("start", POINTER(c_size_t)), ("count", POINTER(c_size_t)),
                ("values", POINTER(c_void_p)), RESERVED]


class CSummary(ctypes.Structure):
    """struct nc3z_summary"""
    _fields_ = [("original_nbytes", c_uint64), ("archive_nbytes", c_uint64),
                ("nblocks", c_uint64), ("nstreams", c_uint32),
                ("format_major", c_uint16), ("format_minor", c_uint16),
                ("sha256", c_ubyte * 32), ("nrepeats", c_uint64),
                ("ncopied", c_uint64), ("reserved", c_uint64 * 3)]


class CStorage(ctypes.Structure):
    """struct nc3z_storage"""
    _fields_ = [("stream", c_uint32), ("is_shared", c_int),
                ("block_nbytes", c_uint32), ("nblocks", c_uint64),
                ("nchunk_dims", c_uint32),
                ("chunk_lengths", c_uint32 * CHUNK_DIMS_MAX), RESERVED]


class CCoding(ctypes.Structure):
    """struct nc3z_coding"""
    _fields_ = [("codec", c_uint32), ("nsteps", c_uint32),
                ("filters", c_uint32 * CODING_STEPS_MAX),
                ("parameters", c_uint32 * CODING_STEPS_MAX)]


class CStreamInfo(ctypes.Structure):
    """struct nc3z_stream_info"""
    _fields_ = [("nvars", c_uint32), ("varid", c_int),
                ("block_nbytes", c_uint32), ("ncodings", c_uint32),
                ("nblocks", c_uint64), ("original_nbytes", c_uint64),
                ("stored_nbytes", c_uint64), ("coding", CCoding), RESERVED]


class CRecord(ctypes.Structure):
    """struct nc3z_record"""
    _fields_ = [("offset", c_uint64), ("block", c_uint64),
                ("stream", c_uint32), ("record_nbytes", c_uint32),
                ("raw_nbytes", c_uint32), ("raw_crc", c_uint32),
                ("is_duplicate", c_int), RESERVED]


class CBlockRange(ctypes.Structure):
    """struct nc3z_block_range"""
    _fields_ = [("varid", c_int), ("nvars", c_uint32), ("ndims", c_int),
                ("is_box", c_int), ("first", c_uint64 * CHUNK_DIMS_MAX),
                ("last", c_uint64 * CHUNK_DIMS_MAX), RESERVED]


class CCacheStats(ctypes.Structure):
    """struct nc3z_cache_stats"""
    _fields_ = [("nblocks_decoded", c_uint64), ("nblocks_found", c_uint64),
                ("nblocks_held", c_uint64), ("nbytes_held", c_uint64),
                RESERVED]


class CPackOptions(ctypes.Structure):
    """struct nc3z_pack_options"""
    _fields_ = [("options_nbytes", c_size_t), ("nthreads", c_uint),
                ("level", c_int), ("codec", c_int),
                ("block_nbytes", c_uint32), ("chunks", POINTER(c_char_p)),
                ("nchunks", c_size_t), ("max_memory_nbytes", c_uint64),
                ("context", c_void_p), ("warn", TEXT_FN),
                ("progress", PROGRESS_FN), ("stop", POINTER(c_int)),
                ("older", c_void_p), ("older_is_kept", c_uint64)]


class CRestoreOptions(ctypes.Structure):
    """struct nc3z_restore_options"""
    _fields_ = [("options_nbytes", c_size_t), ("nthreads", c_uint),
                ("max_memory_nbytes", c_uint64),
                ("max_original_nbytes", c_uint64), ("context", c_void_p),
                ("note", TEXT_FN), ("progress", PROGRESS_FN)]


class CSalvageOptions(ctypes.Structure):
    """struct nc3z_salvage_options"""
    _fields_ = [("options_nbytes", c_size_t), ("nthreads", c_uint),
                ("archive", c_uint), ("max_original_nbytes", c_uint64),
                ("max_memory_nbytes", c_uint64), ("context", c_void_p),
                ("progress", PROGRESS_FN)]


class CLoss(ctypes.Structure):
    """struct nc3z_loss"""
    _fields_ = [("varid", c_int), ("name", c_char_p), ("is_box", c_int),
                ("ndims", c_int), ("first", POINTER(c_uint64)),
                ("last", POINTER(c_uint64)), ("offset", c_uint64),
                ("nbytes", c_uint64), RESERVED]


class CSalvageReport(ctypes.Structure):
    """struct nc3z_salvage_report"""
    _fields_ = [("summary", CSummary), ("is_whole", c_int),
                ("has_original_sha256", c_int),
                ("original_sha256", c_ubyte * 32),
                ("nblocks_kept", c_uint64), ("nblocks_made", c_uint64),
                ("nbytes_lost", c_uint64), ("source", c_size_t),
                ("offset", c_uint64), ("nothers", c_uint),
                ("plan_from", c_int), ("header_is_copy", c_int),
                ("nlosses", c_size_t), ("losses", POINTER(CLoss)),
                ("nlosses_unlisted", c_uint64)]


class CRange(ctypes.Structure):
    """struct nc3z_range"""
    _fields_ = [("offset", c_uint64), ("nbytes", c_uint64)]


READ_AT_FN = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_void_p, c_size_t,
                              POINTER(c_size_t))
CLOSE_FN = ctypes.CFUNCTYPE(None, c_void_p)
ANNOUNCE_FN = ctypes.CFUNCTYPE(None, c_void_p, POINTER(CRange), c_size_t)
CHECK_FN = ctypes.CFUNCTYPE(c_int, c_void_p)


class CCallbacks(ctypes.Structure):
    """struct nc3z_callbacks"""
    _fields_ = [("callbacks_nbytes", c_size_t), ("context", c_void_p),
                ("size", c_uint64), ("read_at", READ_AT_FN),
                ("close", CLOSE_FN), ("announce", ANNOUNCE_FN),
                ("check_unchanged", CHECK_FN)]


def set_numbers(options: Any, values: Any) -> None:
    """Sets options that were given: numbers that their fields can hold."""
    for name, value in values.items():
        if value is None:
            continue
        number = operator.index(value)
        setattr(options, name, number)
        if number < 0 or getattr(options, name) != number:
            raise ValueError(f"{name}: {number} is out of range")


def initialized(library: Any, name: str, structure: Any) -> Any:
    """Options with their defaults: nc3z_NAME_options_init()."""
    options = structure()
    getattr(library, f"nc3z_{name}_options_init_sized")(
        ctypes.byref(options), ctypes.sizeof(options))
    return options
