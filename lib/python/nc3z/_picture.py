# SPDX-License-Identifier: MIT
"""A small picture of a map of values, as PNG, by the standard library."""

from __future__ import annotations

import base64
import dataclasses
import struct
import zlib
from typing import Any, Optional, Tuple

import numpy

from ._values import Values

# Pixels at most, and of the map in the file, bytes at most.
WIDTH, HEIGHT = 360, 180
MAP_NBYTES_MAX = 64 << 20
LENGTH_MIN = 4
# From low to high; even steps of lightness, for all kinds of sight.
COLOURS = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98),
           (253, 231, 37))


@dataclasses.dataclass(frozen=True)
class Picture:
    """A picture and what it shows: 'index' in the variable, lowest and
    highest colour in units of the variable."""

    png: bytes
    width: int
    height: int
    index: str
    low: float
    high: float

    @property
    def url(self) -> str:
        """For an <img>, without any request."""
        return "data:image/png;base64," + base64.b64encode(self.png).decode()


def _chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of PNG."""
    return struct.pack(">I", len(data)) + kind + data + \
        struct.pack(">I", zlib.crc32(kind + data))


def _palette() -> bytes:
    """The colour for "no value", then 255 from low to high."""
    places = numpy.linspace(0, len(COLOURS) - 1, 255)
    channels = [numpy.interp(places, range(len(COLOURS)),
                             [colour[k] for colour in COLOURS])
                for k in range(3)]
    colours = numpy.stack(channels, axis=1).round().astype("u1")
    return b"\0\0\0" + bytes(colours.tobytes())


def encode(pixels: Any) -> bytes:
    """A PNG of palette numbers, an array of two dimensions; 0 is no value."""
    height, width = pixels.shape
    rows = numpy.zeros((height, width + 1), "u1")
    rows[:, 1:] = pixels
    return b"\x89PNG\r\n\x1a\n" + \
        _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0,
                                    0)) + \
        _chunk(b"PLTE", _palette()) + _chunk(b"tRNS", b"\0") + \
        _chunk(b"IDAT", zlib.compress(rows.tobytes())) + _chunk(b"IEND", b"")


def can_show(variable: Values) -> bool:
    """Whether it has a map of numbers that is quickly read."""
    return variable.ndim >= 2 and variable.size > 0 and \
        variable.dtype.kind in "iuf" and \
        min(variable.shape[-2:]) >= LENGTH_MIN and \
        variable.shape[-1] * variable.shape[-2] * \
        variable.dtype.itemsize <= MAP_NBYTES_MAX


def _is_upside_down(variable: Values) -> bool:
    """Whether the coordinate of its rows grows: then north is last."""
    rows = variable.file.variables.get(variable.dims[-2])
    if rows is None or rows.ndim != 1 or rows.dtype.kind not in "iuf":
        return False
    first, last = rows.unpacked()[[0, len(rows) - 1]]
    return bool(first < last)


def _pixels(values: Any) -> Optional[Tuple[Any, float, float]]:
    """Palette numbers, and the values of the first and the last colour."""
    there = numpy.isfinite(values)
    if not there.any():
        return None
    low, high = (float(numpy.percentile(values[there], p)) for p in (2, 98))
    span = high - low or 1.0
    scaled = numpy.clip((numpy.where(there, values, low) - low) / span, 0, 1)
    return numpy.where(there, 1 + (scaled * 254).round(), 0).astype("u1"), \
        low, high


def of(variable: Values) -> Optional[Picture]:
    """The first map of a variable, thinned out; None if there is nothing."""
    if not can_show(variable):
        return None
    steps = [-(-length // most) for length, most in
             zip(variable.shape[-2:], (HEIGHT, WIDTH))]
    key = (0,) * (variable.ndim - 2) + tuple(slice(None, None, step)
                                             for step in steps)
    found = _pixels(variable.unpacked()[key].astype("f8"))
    if found is None:
        return None
    pixels, low, high = found
    if _is_upside_down(variable):
        pixels = pixels[::-1]
    # Small maps are shown with whole pixels, larger.
    scale = max(1, min(WIDTH // pixels.shape[1], HEIGHT // pixels.shape[0]))
    index = ", ".join(["0"] * (variable.ndim - 2) + [":", ":"])
    return Picture(encode(pixels), pixels.shape[1] * scale,
                   pixels.shape[0] * scale, index, low, high)
