# SPDX-License-Identifier: MIT
"""Buffers in the memory of the processor."""

import types

import numpy


class Buffer:
    """Bytes, as an array of them."""

    def __init__(self, array):
        self._array = array

    @classmethod
    def from_bytes(cls, data):
        """A view of bytes."""
        return cls(numpy.frombuffer(data, "B"))

    def as_numpy_array(self):
        """The array."""
        return self._array

    def to_bytes(self):
        """A copy."""
        return self._array.tobytes()


def default_buffer_prototype():
    """What says which buffers are wanted."""
    return types.SimpleNamespace(buffer=Buffer)
