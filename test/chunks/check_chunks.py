#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packs files with chunks of many shapes and compares with the originals.

usage: check_chunks.py --bin DIR

Each archive restores to the original, from a file and through pipes, also
where the original ends early; random parts of some variables, read with
nc3dump, are those of the original; and with less memory than chunks need the
archive and what is restored from it are the same.
"""

import argparse
import json
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "testdata"))

from classic_writer import ClassicWriter, Var  # noqa: E402

# name, type, dimensions; t is the record dimension
DIMS = {"t": 0, "z": 7, "y": 23, "x": 41}
NUMRECS = 9
VARS = [("a", 5, "tyx"), ("b", 3, "tzyx"), ("c", 6, "zyx"), ("d", 5, "yx"),
        ("e", 3, "zyx"), ("f", 1, "tyx"), ("g", 6, "t"), ("h", 4, "x")]
SIZES = {1: 1, 3: 2, 4: 4, 5: 4, 6: 8}
CODES = {1: "b", 3: "h", 4: "i", 5: "f", 6: "d"}

SPECS = [
    ["auto"], ["record"], ["series"], ["balanced"],
    ["t/4,z/3,y/10,x/16"], ["t/1,y/23,x/1"], ["t/100,z/7,y/5,x/41"],
    ["a:2,7,40", "b:series", "c:1,23,41", "d:contiguous"],
    ["balanced", "y/6"],
]


# With lengths that do not depend on the memory.
LITTLE_MEMORY = [
    ["t/4,z/3,y/10,x/16"], ["t/100,z/7,y/5,x/41"],
    ["a:2,7,40", "b:5,2,5,9", "c:1,23,41", "f:9,20,20"],
]


def nbytes_of(kind, dims):
    """Bytes of a variable, of one record for a record variable."""
    n = SIZES[kind]
    for dim in dims:
        n *= DIMS[dim] or 1
    return n


def values(rng, kind, count):
    """Values that filters can do something with, and holes."""
    level, out = 0.0, []
    for i in range(count):
        level += rng.choice((-1, 0, 0, 1))
        out.append(-99 if i // 50 % 5 == 4 else level % 100)
    if kind in (1, 3, 4):
        out = [int(v) for v in out]
    return struct.pack(f">{count}{CODES[kind]}", *out)


def make_file(rng):
    """A CDF-2 file with these variables."""
    data = {}
    for is_record in [False] + NUMRECS * [True]:
        for v, kind, d in VARS:
            if (d[0] == "t") == is_record:
                data[v] = data.get(v, b"") + values(
                    rng, kind, nbytes_of(kind, d) // SIZES[kind])
    return ClassicWriter(
        2, tuple(DIMS.items()), records=NUMRECS, variables=[
            Var(v, kind, " ".join(d), data[v], pad=3 * b"\xa5")
            for v, kind, d in VARS]).build()


def random_part(rng, dims):
    """A part of a variable as nc3dump takes it."""
    slices = []
    for dim in dims:
        length = DIMS[dim] or NUMRECS
        start = rng.randrange(length)
        stop = rng.randrange(start + 1, length + 1)
        slices.append(f"{start}:{stop}:{rng.choice((1, 1, 2, 5, 50))}")
    return "[" + ",".join(slices) + "]"


class Checker:
    """Packs with chunks, and looks at what nc3dump says of them."""

    def __init__(self, directory, where):
        self.bin, self.where = Path(directory).resolve(), Path(where)
        self.nchecks, self.wrong = 0, []

    def run(self, program, *args, data=None):
        return subprocess.run([self.bin / program, *args], input=data,
                              cwd=self.where, capture_output=True,
                              check=False)

    def check(self, is_so, what):
        self.nchecks += 1
        if not is_so:
            self.wrong.append(what)

    def check_restored(self, data, what, options):
        """Packed and restored, by files and by pipes."""
        (self.where / "x.nc").write_bytes(data)
        packed = self.run("nc3compress", "-qf", *options, "x.nc")
        self.check(packed.returncode in (0, 3), f"{what}: {packed.stderr}")
        piped = self.run("nc3compress", "-qc", *options, data=data)
        archive = (self.where / "x.nc.nc3z").read_bytes()
        self.check(piped.stdout == archive, f"{what}: a pipe gives another")
        for source in (self.run("nc3compress", "-dc", "x.nc.nc3z"),
                       self.run("nc3compress", "-dc", data=archive)):
            self.check(source.stdout == data and source.returncode == 0,
                       f"{what}: not restored: {source.stderr}")

    def check_parts(self, rng, what):
        """Parts of some variables, each time of others."""
        for v, _, d in rng.sample(VARS, 3):
            part = v + random_part(rng, d)
            ours = self.run("nc3dump", "-B", "-v", part, "x.nc.nc3z")
            plain = self.run("nc3dump", "-B", "-v", part, "x.nc")
            self.check(ours.stdout == plain.stdout and
                       ours.returncode == plain.returncode == 0,
                       f"{what}: {part}: {ours.stderr} {plain.stderr}")


def check_memory(checker, rng, data):
    """The same archive and the same original, with little memory."""
    for spec in LITTLE_MEMORY:
        chunks = [word for s in spec for word in ("--chunks", s)]
        (checker.where / "x.nc").write_bytes(data)
        checker.run("nc3compress", "-qf", *chunks, "x.nc")
        archive = (checker.where / "x.nc.nc3z").read_bytes()
        for _ in range(3):
            memory = ["--max-memory", str(rng.randrange(12000, 90000)),
                      "-T", rng.choice("12")]
            what = " ".join(chunks + memory)
            packed = checker.run("nc3compress", "-qf", "--verify", *chunks,
                                 *memory, "x.nc", "-o", "y.nc3z")
            checker.check((checker.where / "y.nc3z").read_bytes() == archive,
                          f"{what}: another archive: {packed.stderr}")
            restored = checker.run("nc3compress", "-df", *memory, "x.nc.nc3z",
                                   "-o", "y.nc")
            checker.check((checker.where / "y.nc").read_bytes() == data and
                          not restored.stderr,
                          f"{what}: to a file: {restored.stderr}")
            piped = checker.run("nc3compress", "-dc", *memory, "x.nc.nc3z")
            checker.check(piped.stdout == data and piped.returncode == 0,
                          f"{what}: to a pipe: {piped.stderr}")


def check_list(checker):
    """The chunks are there, as many as there must be."""
    checker.run("nc3compress", "-qf", "--chunks", "t/4,z/3,y/10,x/16", "x.nc")
    result = checker.run("nc3compress", "-lv", "--json", "x.nc.nc3z")
    streams = {s["name"]: s for s in
               json.loads(result.stdout)["archives"][0]["stream_list"]}
    for v, chunks, blocks in (("a", "4, 10, 16", 3 * 3 * 3),
                              ("b", "4, 3, 10, 16", 3 * 3 * 3 * 3),
                              ("c", "3, 10, 16", 3 * 3 * 3)):
        found = streams[v]["chunks"], streams[v]["blocks"]
        checker.check(found == (chunks, blocks), f"{v}: {found}")


def check_errors(checker):
    """What is refused, and why."""
    for options, why in (
            (["--chunks", "nosuch/3"], b"nosuch"),
            (["--chunks", "x/0"], b"x/0"),
            (["--chunks", "a:1,2"], b"a"),
            (["--chunks", "t/9,y/23,x/1", "--max-memory", "100"],
             b"memory")):
        result = checker.run("nc3compress", "-f", *options, "x.nc", "-o",
                             "bad.nc3z")
        checker.check(result.returncode == 1 and why in result.stderr and
                      not (checker.where / "bad.nc3z").exists(),
                      f"{options}: {result.returncode} {result.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    options = parser.parse_args()
    rng = random.Random(7)
    whole = make_file(rng)
    with tempfile.TemporaryDirectory() as where:
        checker = Checker(options.bin, where)
        for spec in SPECS:
            chunks = [word for s in spec for word in ("--chunks", s)]
            for block in ("4K", "1M"):
                manner = ["-b", block, *chunks]
                what = " ".join(manner)
                cut = whole[:rng.randrange(len(whole) // 2, len(whole))]
                checker.check_restored(cut, what + ", cut off", manner)
                checker.check_parts(rng, what + ", cut off")
                checker.check_restored(whole, what, manner)
                checker.check_parts(rng, what)
        check_memory(checker, rng, whole)
        check_memory(checker, rng, whole[:rng.randrange(len(whole) // 2,
                                                        len(whole))])
        (checker.where / "x.nc").write_bytes(whole)
        check_list(checker)
        check_errors(checker)
    print(f"{checker.nchecks} checks, {len(checker.wrong)} wrong")
    print("\n".join(checker.wrong[:20]))
    return 1 if checker.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
