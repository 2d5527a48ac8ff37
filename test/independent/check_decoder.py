#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares decode.py with the library and the tools.

usage: check_decoder.py --bin DIR [--full] [--blocks]

- archives of the test data, of the files of sample_files.py and, if
  NC3Z_CORPUS names a directory, of files there, are restored by decode.py, each
  block decoded once, from the end, and in one pass without a library for
  zstd, and parts of variables are
  those of nc3dump; together they use all of the format in features.py;
- damaged archives are refused by both;
- archives that break one rule each (broken.py, broken_context.py) are refused
  by both, for the right reason, and nc3dump reads
  no wrong values from them;
- archives with blocks as no writer makes them (random_blocks.py), and of
  originals that end anywhere, are restored by both.

--full takes every corpus file of up to 20 MB, every byte and every case.
--blocks checks blocks as no writer makes them alone.
"""

import argparse
import io
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
TESTDATA = HERE.parents[1] / "testdata"
sys.path[:0] = [str(HERE), str(TESTDATA)]

import block as blocks
import broken
import broken_context
import decode
import features
import forge
import sample_files
import zstd
from archive import SeekingReader
from classic import Header
from fields import Damaged, NotAnArchive, Refused, Unsupported
from one_pass import OnePassReader
from plan import INF
from random_blocks import Maker

SANITIZED = bool(os.environ.get("NC3Z_SANITIZE"))
KINDS = {Damaged: broken.D, Unsupported: broken.U, NotAnArchive: broken.N}
CORPUS_OPTIONS = ([], ["-9"], ["--codec=deflate", "-9"], ["-1", "-b", "16K"],
                  ["--codec=deflate", "-b", "4K"],
                  ["--chunks=auto", "-b", "16K"], ["--chunks=series"])

# What the archives must make use of, all of features.py that the writer makes.
REQUIRED = set("""
bytes behind the elements
bytes of no variable
codec bzip2
codec deflate
codec lzma
codec store
codec zstd
constant
delta across holes
drop
drop and palette
duplicate
duplicate of another stream
end bytes
filter bitshuffle, width 1
filter bitshuffle, width 2
filter bitshuffle, width 4
filter bitshuffle, width 8
filter delta, width 1
filter delta, width 2
filter delta, width 4
filter delta, width 8
filter extrapolate, width 4
filter extrapolate, width 8
filter order, width 4
filter order, width 8
filter shuffle, width 2
filter shuffle, width 4
filter shuffle, width 8
filter zigzag, width 1
filter zigzag, width 2
filter zigzag, width 4
filter zigzag, width 8
fraction
fraction of 4 bytes
fraction of 8 bytes
fraction, width 1
fraction, width 2
fraction, width 4
drop and fraction
multiple
multiple of 2 bytes
multiple of 4 bytes
multiple, width 1
drop and multiple
fixed, linear
fixed, several members
fixed, chunked
header copy
header copy empty
incomplete band
incomplete span
mask with stride
mask without stride
no records
no step
palette
palette, width 1
palette, width 2
panel of several records
part codes
part main
part mask
part places
part table
part values
plan in the catalogue
record, linear
repeat
record, several members
record, chunked
records
records to the end
second delta across holes
several blocks
several segments
stream copies
chunked, rank 2
chunked, rank 3
chunked, rank 4
chunks cut at the edge
""".strip().split("\n"))


class Check:
    """Counts what was compared and what differed."""

    def __init__(self, options, directory):
        self.bin, self.full = Path(options.bin), options.full
        self.directory = Path(directory)
        self.archive = self.directory / "archive.nc3z"
        self.counts, self.failures, self.seen = {}, 0, set()

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def fail(self, *what):
        self.failures += 1
        print("FAILED:", *what, flush=True)

    def every(self, n, cases):
        """All cases in a full run, else each n-th, with sanitizers fewer."""
        cases = list(cases)
        if self.full:
            return cases
        return cases[::n * 6 if SANITIZED else n]

    def tool(self, name, *arguments, data=None):
        return subprocess.run([self.bin / name, *map(str, arguments)],
                              input=data, capture_output=True, check=False)

    def pack(self, path, options):
        """The archive of a file, None if it is refused."""
        self.archive.unlink(missing_ok=True)
        done = self.tool("nc3compress", "-q", "-f", "-T1", *options, "-o",
                         self.archive, path)
        if done.returncode not in (0, 3):
            return None
        return self.archive.read_bytes()


def restored(make_reader, data):
    pieces = []
    make_reader(io.BytesIO(data)).restore(pieces.append)
    return b"".join(pieces)


def verdict(make_reader, data):
    """What decode.py makes of an archive: the original, or a kind."""
    try:
        return restored(make_reader, data)
    except Refused as error:
        return KINDS[type(error)]


def tool_verdict(done):
    """The same of nc3compress."""
    message = done.stderr.decode(errors="replace")
    if done.returncode == 4:
        return broken.D
    if done.returncode == 1 and "not an nc3z archive" in message:
        return broken.N
    if done.returncode == 1 and re.search("unknown|not known", message):
        return broken.U
    return done.stdout if done.returncode == 0 else message


def check_file(check, path, options, rng):
    """An archive of a file, restored both ways and read in parts."""
    data = check.pack(path, options)
    if data is None:
        return
    original = path.read_bytes()
    what = path.name, " ".join(options)
    for make_reader, zstd_library in ((SeekingReader, zstd._load),
                                      (OnePassReader, lambda: None)):
        try:
            with mock.patch.object(blocks, "decode",
                                   wraps=blocks.decode) as decoded, \
                    mock.patch.object(zstd, "_load", zstd_library):
                if restored(make_reader, data) != original:
                    check.fail(*what, make_reader.__name__, "differs")
        except Refused as error:
            check.fail(*what, make_reader.__name__, error)
            return
        check.count("restored")
        archive = SeekingReader(io.BytesIO(data))
        if decoded.call_count != archive.trailer.blocks:
            check.fail(*what, make_reader.__name__, decoded.call_count,
                       "blocks decoded, of", archive.trailer.blocks)
    check.seen |= features.of_archive(archive)
    check_parts(check, archive, what, rng)


def random_part(variable, rng):
    """Start, count and stride of a part that is there."""
    start, count, stride = [], [], []
    for length in variable.shape:
        start.append(rng.randrange(length))
        stride.append(rng.choice((1, 1, 2, 3, 7)))
        most = (length - start[-1] - 1) // stride[-1] + 1
        count.append(rng.randrange(1, min(most, 40) + 1))
    return start, count, stride


def check_parts(check, archive, what, rng):
    """Parts of variables are what nc3dump says."""
    try:
        header = Header(archive.header())
    except Damaged:
        return      # an original with a broken header
    names = [v.name for v in header.variables]
    variables = [v for v in header.variables if 0 not in v.shape
                 and names.count(v.name) == 1
                 and re.fullmatch(rb"[A-Za-z][A-Za-z0-9_]*", v.name)]
    few = min(len(variables), 6 if check.full else 1)
    for variable in rng.sample(variables, few):
        start, count, stride = random_part(variable, rng)
        text = ",".join(f"{s}:{s + (c - 1) * t + 1}:{t}"
                        for s, c, t in zip(start, count, stride))
        name = variable.name.decode()
        done = check.tool("nc3dump", "-B", "--big-endian", "-v",
                          f"{name}[{text}]" if text else name, check.archive)
        try:
            part = b"".join(decode.hyperslab(archive, name, start, count,
                                             stride))
        except Damaged:
            part = None     # the original ends before
        if done.returncode == 0 and part is not None and part != done.stdout:
            check.fail(*what, f"{name}[{text}] differs")
        if part is not None:
            check.count("parts")


def check_files(check):
    rng = random.Random(1)
    for name, (make, option_lists) in sample_files.FILES.items():
        path = check.directory / f"{name}.nc"
        path.write_bytes(make())
        for options in option_lists:
            check_file(check, path, options, rng)
    missing = REQUIRED - check.seen
    if missing:
        check.fail("not met:", "; ".join(sorted(missing)))

    paths = sorted((TESTDATA / "classic").iterdir())
    for path in check.every(3, paths):
        check_file(check, path, [], rng)
    corpus = os.environ.get("NC3Z_CORPUS")
    if not corpus:
        return
    most = 20 << 20 if check.full else 300 << 10
    paths = sorted(path for part in ("real", "edge")
                   for path in (Path(corpus) / part).iterdir()
                   if path.stat().st_size <= most)
    for number, path in enumerate(check.every(6, paths)):
        for options in (CORPUS_OPTIONS if check.full
                        else [CORPUS_OPTIONS[number % 7]]):
            check_file(check, path, options, rng)


def check_damage(check):
    """Flipped bits and cuts in an archive of some thousand bytes."""
    path = check.directory / "stations.nc"
    original = path.read_bytes()
    data = check.pack(path, ["-9", "-b", "16K"])
    rng = random.Random(2)
    for place in check.every(100, range(len(data))):
        changed = bytearray(data)
        changed[place] ^= 1 << rng.randrange(8)
        for what, bad in (("flip", bytes(changed)), ("cut", data[:place])):
            check.archive.write_bytes(bad)
            done = check.tool("nc3compress", "-t", check.archive)
            if done.returncode not in (1, 4):
                check.fail(what, place, "nc3compress finds nothing")
            for make_reader in SeekingReader, OnePassReader:
                if isinstance(verdict(make_reader, bad), bytes):
                    check.fail(what, place, make_reader.__name__)
            check.count("damaged")
    if restored(SeekingReader, data) != original:
        check.fail("the whole archive")


def check_forged(check, what, data, expected):
    """Both readers and both tools say what is expected: an original, or the
    name of a kind."""
    check.archive.write_bytes(data)
    results = [verdict(make_reader, data)
               for make_reader in (SeekingReader, OnePassReader)]
    if isinstance(expected, bytes):
        results.append(tool_verdict(check.tool("nc3compress", "-dc",
                                               check.archive)))
        agree = [result == expected for result in results]
    else:
        results.append(tool_verdict(check.tool("nc3compress", "-t",
                                               check.archive)))
        agree = [isinstance(r, str) and r in expected for r in results]
    if all(agree):
        piped = tool_verdict(check.tool("nc3compress", "-dc", data=data))
        agree.append(piped == expected if isinstance(expected, bytes)
                     else isinstance(piped, str) and piped in expected)
        results.append(piped)
    if not all(agree):
        check.fail(what, [r if isinstance(r, str) else "restored"
                          for r in results])


def dumped(check, name):
    """A variable of the archive as nc3dump has it."""
    return check.tool("nc3dump", "-B", "--big-endian", "-v", name,
                      check.archive)


def check_broken(check):
    right = forge.example()
    for overrides in broken.HINTS:
        check_forged(check, f"hints: {overrides}", right.build(overrides),
                     right.original)
    check_cases(check, right, broken.ALL_CASES)
    check_cases(check, forge.repeated(), broken.DUPLICATE_CASES)
    large = forge.large()
    check_forged(check, "without copies", large.build({"copies_from": 1 << 30}),
                 large.original)
    check_cases(check, large, check.every(4, broken.LARGE_CASES))


def check_cases(check, right, cases):
    check_forged(check, "right", right.build(), right.original)
    values = {name: dumped(check, name).stdout for name in "afrsu"}
    for number, (section, overrides, kind) in enumerate(cases):
        what = f"section {section}: {list(overrides)}, {kind}"
        check_forged(check, what, right.build(overrides), kind)
        check.count("broken")
        # What is not hit may be read, but never comes out wrong.
        name = "afrsu"[number % 5]
        done = dumped(check, name)
        if not (done.returncode in (1, 4)
                or done.returncode == 0 and done.stdout == values[name]):
            check.fail(what, "nc3dump", name, done.returncode)


def check_context(check):
    """Context coding, right and with one rule broken."""
    for what, block in broken_context.RIGHT:
        made = broken_context.among_others(block)
        check_forged(check, f"7.5: {what}", made.build(), made.original)
    for what, block in check.every(3, broken_context.BROKEN):
        made = broken_context.among_others(block)
        check_forged(check, f"7.5: {what}", made.build(), broken.D)
        check.count("broken contexts")


def check_random(check):
    for seed in check.every(3, range(90)):
        rng = random.Random(seed)
        length = rng.choice((64, 72, 100, 1000, 1001, 4004, 10000))
        maker = Maker(rng)
        made = forge.example([maker.block(length) for _ in range(
            4 * rng.randrange(1, 9))], length)
        check_forged(check, f"random blocks {seed}", made.build(),
                     made.original)
        check.count("random")


def check_cut_originals(check):
    whole = len(forge.classic())
    for size in check.every(7, range(280, whole)):
        for records in 3, INF:
            made = forge.example(size=size, records=records)
            check_forged(check, f"cut to {size}, {records} records",
                         made.build(), made.original)
            check.count("cut")


def check_command(check):
    """decode.py as a program."""
    path = check.directory / "stations.nc"
    data = check.pack(path, [])
    program = [sys.executable, "-B", HERE / "decode.py"]
    version = bytearray(data)
    version[10] = 9
    version[12:16] = forge.crc(bytes(version[:12]))
    original = path.read_bytes()
    for arguments, given, status, output in (
            ([check.archive], b"", 0, original),
            ([], data, 0, original),
            (["--stream", check.archive], b"", 0, original),
            (["--variable=pressure", "--start=5,1", "--count=2,2",
              check.archive], b"", 0,
             original[180 + 5 * 24 + 12:][:8]
             + original[180 + 6 * 24 + 12:][:8]),
            ([], data[:-1], 4, None), ([], bytes(version), 5, None),
            ([], b"something else", 6, None), ([], data[:7], 6, None),
            ([], data[:8], 4, None), ([], b"", 6, None),
            (["--describe", "--stream", check.archive], b"", 1, b""),
            (["--variable=none", check.archive], b"", 1, b""),
            ([check.directory / "nowhere"], b"", 1, b"")):
        done = subprocess.run([*program, *arguments], input=given,
                              capture_output=True, check=False)
        if (done.returncode != status
                or output is not None and done.stdout != output):
            check.fail("decode.py", arguments, done.returncode, done.stderr)
        check.count("commands")
    done = subprocess.run([*program, "--describe", check.archive],
                          capture_output=True, check=False)
    if done.returncode or b"\nblock 0.0 at " not in done.stdout:
        check.fail("decode.py --describe", done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--blocks", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        check = Check(options, directory)
        of_blocks = check_context, check_random
        for part in of_blocks if options.blocks else (
                check_files, check_damage, check_broken, *of_blocks,
                check_cut_originals, check_command):
            part(check)
    print(", ".join(f"{what}: {n}" for what, n in check.counts.items()))
    print(f"{check.failures} failures")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
