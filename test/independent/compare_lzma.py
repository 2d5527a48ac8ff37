#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares lzma2.py with the raw decoder of the C library, by which nc3z reads.

usage: compare_lzma.py [--count N]

Streams of chunks of every kind (forge_lzma.py) must give what they hold; they
are then changed at random, and both must refuse them, or give the same.
"""

import argparse
import ctypes
import ctypes.util
import lzma
import random
import sys

import forge_lzma
import lzma2
from fields import Damaged


class Library:
    """lzma_raw_buffer_decode() of the C library."""

    class Options(ctypes.Structure):
        """The beginning of lzma_options_lzma, and room for the rest."""
        _fields_ = [("dict_size", ctypes.c_uint32),
                    ("rest", ctypes.c_uint8 * 252)]

    class Filter(ctypes.Structure):
        _fields_ = [("id", ctypes.c_uint64), ("options", ctypes.c_void_p)]

    def __init__(self):
        library = ctypes.CDLL(ctypes.util.find_library("lzma")
                              or "liblzma.so.5")
        self.function = library.lzma_raw_buffer_decode
        size = ctypes.POINTER(ctypes.c_size_t)
        self.function.argtypes = [
            ctypes.POINTER(self.Filter), ctypes.c_void_p, ctypes.c_char_p,
            size, ctypes.c_size_t, ctypes.c_char_p, size, ctypes.c_size_t]

    def decompress(self, stored, length):
        """The bytes, or None where the library refuses."""
        given = self.Options(lzma2.options(length)["dict_size"])
        filters = (self.Filter * 2)(
            (lzma.FILTER_LZMA2, ctypes.addressof(given)), (2**64 - 1, None))
        data = ctypes.create_string_buffer(length)
        used, got = ctypes.c_size_t(), ctypes.c_size_t()
        result = self.function(filters, None, stored, ctypes.byref(used),
                               len(stored), data, ctypes.byref(got), length)
        right = (result, used.value, got.value) == (0, len(stored), length)
        return data.raw if right else None


def verdict(stored, length):
    try:
        return lzma2.decompress(stored, length)
    except Damaged:
        return None


def compare(count):
    """Whether both agree on so many mutants."""
    library, counts, failures = Library(), {}, 0
    for seed in range(count):
        make = forge_lzma.RandomStreams(random.Random(seed))
        data = make.data(make.rng.choice((1, 50, 3000, 3000, 70000)))
        stored = make.stream(data)
        length = len(data)
        if verdict(stored, length) != data:
            print(f"seed {seed}: is not restored")
            failures += 1
        stored = make.mutant(stored)
        try:
            if make.rng.random() < 0.5:
                length = sum(c.content_length
                             for c in lzma2.chunks(stored)) or 1
        except Damaged:
            pass
        mine, others = verdict(stored, length), library.decompress(
            stored, length)
        if mine != others:
            print(f"seed {seed}: the readers differ: here",
                  *["refused" if each is None else "decoded"
                    for each in (mine, others)], "in the library")
            failures += 1
        how = "refused" if mine is None else (
            "the same" if mine == data else "decoded to something else")
        counts[how] = counts.get(how, 0) + 1
    print(f"{count} streams, changed:", counts, f"{failures} failures")
    return failures == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=2000)
    return 0 if compare(parser.parse_args().count) else 1


if __name__ == "__main__":
    sys.exit(main())
