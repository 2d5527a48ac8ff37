#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes blocks in context coding (7.5) of random models, and what they hold.

usage: context_blocks.py SEEDS VECTORS

SEEDS is a directory: each of its files is an input of fuzz_context, see
test/context_input.h. VECTORS is a file for test_context: of each input its
length (u32), itself, and its elements (u64 each, 0 for holes).
"""

import random
import struct
import sys
from pathlib import Path

from forge_context import Forged, RandomModels, plain_frame, random_misses

LENGTHS = (16, 17, 31, 40, 64, 100, 150, 300, 700, 1500, 4500)
HOLES = 4


def make_holes(rng, n):
    """None, some, or all but one."""
    kind = rng.randrange(4)
    holes = [[False, rng.random() < 0.5, i // 7 % 3 == 0, True][kind]
             for i in range(n)]
    holes[rng.randrange(n)] = False
    return holes


def make(rng, n):
    """An input, and its elements."""
    code, holes = rng.randrange(4), make_holes(rng, n)
    width = 1 << code
    forged = Forged(RandomModels(rng).model(n, width), holes, width,
                    random_misses(rng))
    frame = []
    stored = forged.stored(lambda model: frame.append(model)
                           or plain_frame(model))
    lanes = stored[4 + len(plain_frame(frame[0])):]
    has_holes = any(holes)
    values = iter(forged.elements)
    return (struct.pack("<BHH", code | HOLES * has_holes, n - 1,
                        len(frame[0]))
            + bytes(holes) * has_holes + frame[0] + lanes,
            [0 if hole else next(values) for hole in holes])


def main():
    seeds, vectors = map(Path, sys.argv[1:])
    seeds.mkdir(parents=True, exist_ok=True)
    with open(vectors, "wb") as out:
        for number in range(20 * len(LENGTHS)):
            n = LENGTHS[number % len(LENGTHS)]
            if n > 1000 and number >= 5 * len(LENGTHS):
                continue
            data, elements = make(random.Random(number), n)
            if number < 3 * len(LENGTHS):
                (seeds / f"{number:03}").write_bytes(data)
            out.write(struct.pack("<I", len(data)) + data
                      + struct.pack(f"<{n}Q", *elements))


if __name__ == "__main__":
    main()
