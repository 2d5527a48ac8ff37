#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares zstd frames decoded by Python alone with what the library packed:
data of many kinds at many levels.  Damaged ones are refused, or give the same
as by the library.
"""

import os
import random

import zstd
import zstd_frame
from fields import Damaged

NFRAMES = int(os.environ.get("NC3Z_FRAMES", "60"))
SEED = int(os.environ.get("NC3Z_SEED", "0")) or random.randrange(1, 10**6)
LENGTHS = 0, 1, 5, 50, 500, 3000, 20000, 140000, 300000
DAMAGED_MOST = 3000
TREE_OF_257_SYMBOLS = bytes.fromhex("0f10f0ec8c0100000000ceedbda54c01")


def kinds(rng, n):
    """Bytes as they come out of filters, and some that do not."""
    words = [rng.randbytes(rng.randrange(1, 12)) for _ in range(300)]
    yield rng.randbytes(n)
    yield bytes(n)
    yield bytes(rng.randrange(4) for _ in range(n))
    yield bytes(min(255, int(rng.expovariate(0.05))) for _ in range(n))
    yield b"".join(rng.choice(words) for _ in range(n // 6))
    yield b"".join(i.to_bytes(4, "little") for i in range(n // 4))


def verdict(decode, *given):
    try:
        return decode(*given)
    except Damaged:
        return None


def main():
    rng = random.Random(SEED)
    print(f"seed {SEED} (NC3Z_SEED)", flush=True)
    nbytes = ndamaged = 0
    for i in range(NFRAMES):
        data = list(kinds(rng, LENGTHS[i % len(LENGTHS)]))[i % 6]
        frame = zstd.compress(data, rng.choice((1, 3, 5, 9, 19, -5)))
        assert zstd_frame.decompress(frame, len(data)) == data, i
        nbytes += len(data)
        for _ in range(20 if len(data) <= DAMAGED_MOST else 0):
            bad = bytearray(frame)
            bad[rng.randrange(4, len(bad))] ^= 1 << rng.randrange(8)
            mine = verdict(zstd_frame.decompress, bytes(bad), len(data))
            ndamaged += mine is None
            assert mine in (None, verdict(zstd.decompress, bytes(bad),
                                          len(data))), bad.hex()
    assert verdict(zstd_frame.read_huffman, TREE_OF_257_SYMBOLS) is None
    print(f"{NFRAMES} frames of {nbytes} bytes, "
          f"{ndamaged} damaged ones refused")


if __name__ == "__main__":
    main()
