# SPDX-License-Identifier: MIT
"""A test double of zarr 3, which Debian 12 does not have.

It has what nc3z uses of that package's published interface, version 3.1: the
abstract classes zarr.abc.store.Store and zarr.abc.codec.BytesBytesCodec with
their abstract methods and constructors, requests for parts of values, and the
buffers that are passed.  Nothing is read with it but by checks_zarr3.py, which
goes through metadata as the specifications of both formats say.
"""

__version__ = "3.1.0+double"
