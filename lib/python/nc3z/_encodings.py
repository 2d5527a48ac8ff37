# SPDX-License-Identifier: MIT
"""Encodings of variables of xarray: which of them a classic file can have.

What xarray itself has done, scale_factor among it, is no longer in them here.
"""

from __future__ import annotations

import difflib
from numbers import Real
from typing import Any, Dict, List, Mapping, Optional

import numpy

from . import _errors

DIGIT = "least_significant_digit"
# Taken, by xarray or here.
TAKEN = ("dtype", "_FillValue", "missing_value", "scale_factor", "add_offset",
         "_Unsigned", "_Encoding", "units", "calendar", "char_dim_name",
         "coordinates", "grid_mapping", DIGIT)
# Of xarray's writers of netCDF-4, and of what they read.
NETCDF4 = ("zlib", "szip", "zstd", "bzip2", "blosc", "complevel", "shuffle",
           "compression", "compression_opts", "fletcher32", "contiguous",
           "chunksizes", "endian", "szip_coding", "szip_pixels_per_block",
           "blosc_shuffle")
ROUNDING = ("significant_digits", "quantize_mode")
# How a variable was read.
READ = ("source", "original_shape", "preferred_chunks")


def suggestion(word: Any, words: Any) -> str:
    """The end of a message about a word that is none of these."""
    near = difflib.get_close_matches(str(word), words, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


class Encodings:
    """Takes what is left of each; warns once of what has no effect."""

    def __init__(self) -> None:
        self._ignored: Dict[str, List[str]] = {}

    def take(self, name: str, variable: Any, is_asked: bool) -> Optional[Any]:
        """The least significant digit of a variable, or None.

        is_asked: the caller gave this encoding; if not, it comes with the
        dataset, and what has no effect is passed over.  ValueError."""
        encoding: Mapping[str, Any] = variable.encoding
        for key in ROUNDING:
            if encoding.get(key) is not None:
                raise ValueError(
                    f"encoding of {name}: {key!r} rounds netCDF-4 files only; "
                    f"round the values before, or give {DIGIT!r}")
        for key in encoding if is_asked else ():
            self._check(name, variable, key)
        digit = encoding.get(DIGIT)
        if digit is not None and (not isinstance(digit, Real) or
                                  not -300 < float(digit) < 300):
            raise ValueError(f"encoding of {name}: {DIGIT!r} must be a "
                             f"number, not {digit!r}")
        return digit

    def _check(self, name: str, variable: Any, key: str) -> None:
        """An encoding that was asked for."""
        if key in ("_FillValue",) + READ + ROUNDING or key == (
                "dtype" if variable.dtype.kind == "S" else DIGIT):
            return
        if key in TAKEN:
            raise ValueError(f"encoding of {name}: {key!r} has no effect on "
                             f"values of type {variable.dtype}")
        if key not in NETCDF4:
            raise ValueError(f"encoding of {name}: {key!r} is not known" +
                             suggestion(key, TAKEN + NETCDF4 + ROUNDING))
        if variable.encoding[key]:
            self._ignored.setdefault(key, []).append(name)

    def warn(self) -> None:
        """Of what has no effect, all at once."""
        if self._ignored:
            _errors.warn(
                "encodings without effect, because netCDF classic has none of "
                "these: " + "; ".join(f"{key} of {', '.join(names)}" for
                                      key, names in self._ignored.items()) +
                ". The archive is compressed by 'level' and cut by 'chunks'",
                _errors.InputWarning)


def rounded(values: Any, digit: Any) -> Any:
    """Numbers rounded as netCDF4 does it, to a multiple of a power of two that
    keeps a decimal digit.

    What is too large for that, such as a fill value, stays; netCDF4 makes
    infinities of it."""
    number = -float(digit)  # digits of unsigned types have no negative
    exponent = numpy.ceil(number) if number > 0 else numpy.floor(number)
    scale = 2.0 ** numpy.ceil(numpy.log2(10.0 ** -exponent))
    if values.dtype.kind != "f" and scale >= 1:
        return values
    with numpy.errstate(over="ignore", invalid="ignore"):
        found = numpy.around(scale * values) / scale
        kept = found.astype(values.dtype)
    return numpy.where(numpy.isfinite(found) & (kept == found), kept, values)
