#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an archive has twice: small streams are read and salvaged from whichever
copy is whole, and nothing is read from the copy of another archive. And the
header of a small original is not lost where its archive is cut off.

usage: test_copies.py --bin DIR
"""

import argparse
import io
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "independent"),
                str(HERE.parents[1] / "testdata")]

import classic_writer as classic
from archive import SeekingReader
from classic_writer import Var

RECORDS = 40
TIMES = [0.25 * i * i for i in range(RECORDS)]


def original(first_time=0.0, noise=40000):
    rng = random.Random(7)
    dims = ("time", 0), ("n", noise)
    variables = (
        Var("time", classic.DOUBLE, "time", [first_time] + TIMES[1:]),
        Var("noise", classic.BYTE, "time n", rng.randbytes(RECORDS * noise)))
    return classic.ClassicWriter(1, dims, variables=variables,
                                 records=RECORDS).build()


class Test:
    """An archive, and damaged copies of it."""

    def __init__(self, directory, programs):
        self.directory, self.bin, self.failures = directory, programs, 0
        self.path = directory / "a.nc3z"

    def run(self, *arguments):
        return subprocess.run([self.bin / arguments[0], *arguments[1:]],
                              capture_output=True, check=False)

    def expect(self, right, *what):
        if not right:
            self.failures += 1
            print("FAILED:", *what)

    def pack(self, data):
        (self.directory / "a.nc").write_bytes(data)
        done = self.run("nc3compress", "-f", "-o", self.path,
                        self.directory / "a.nc")
        self.expect(done.returncode == 0, "pack", done.stderr)
        return self.path.read_bytes()

    def status(self, *arguments):
        return self.run("nc3compress", *arguments, self.path).returncode

    def times(self):
        done = self.run("nc3dump", "-B", "--little-endian", "-v", "time",
                        self.path)
        return list(struct.unpack(f"<{len(done.stdout) // 8}d", done.stdout))

    def salvage(self):
        """Exit status, and what came out."""
        out = self.directory / "out.nc3z"
        out.unlink(missing_ok=True)
        done = self.run("nc3salvage", "-o", out, self.path)
        return done.returncode, out.read_bytes() if out.exists() else None

    def damaged(self, what, data):
        """It is found, and the times can be read all the same."""
        self.path.write_bytes(data)
        self.expect(self.status("-t") == 4, what, "-t")
        self.expect(self.run("nc3manifest", "--quick",
                             self.path).returncode == 4, what, "--quick")
        self.expect(self.times() == TIMES, what, "times")


def with_byte_changed(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


def copies_of(data):
    """The section of stream copies."""
    trailer = SeekingReader(io.BytesIO(data)).trailer
    return data[data.index(b"N3SC", trailer.header_copy_offset):
                trailer.catalogue_offset]


def check_large(test):
    """Archives that have copies: each is used where its block is damaged."""
    data, original_bytes = test.pack(original()), original()
    with open(test.path, "rb") as file:
        archive = SeekingReader(file)
        copied = [copy.stream for copy in archive.copies.copies]
        times = [(offset, record) for record, offset in archive.records()
                 if record.stream in copied
                 and archive.plan.streams[record.stream].is_record]
        trailer = archive.trailer
        copies_at = data.index(b"N3SC", trailer.header_copy_offset)
    test.expect(times, "the times are copied")
    test.expect(test.status("-t") == 0, "whole")
    test.expect(test.salvage() == (0, data), "whole: salvage")

    # The blocks of the times: all of them, one after the other.
    hurt = data
    for offset, record in times:
        hurt = with_byte_changed(hurt, offset + record.length)
    test.damaged("blocks", hurt)
    status, out = test.salvage()
    test.expect(status == 0, "blocks: salvage", status)
    test.path.write_bytes(out)
    restored = test.run("nc3compress", "-dc", test.path).stdout
    test.expect(restored == original_bytes, "blocks: what was salvaged")

    # The copies.
    test.damaged("copies", with_byte_changed(data, copies_at + 30))
    status, out = test.salvage()
    test.path.write_bytes(out)
    test.expect(status == 0 and test.status("-t") == 0 and
                test.run("nc3compress", "-dc", test.path).stdout ==
                original_bytes, "copies: what was salvaged")

    # Those of an archive with another time.
    copies = data[copies_at:trailer.catalogue_offset]
    sisters = (copies_of(test.pack(original(first_time=2.0 ** -power)))
               for power in range(1, 30))
    other = next((s for s in sisters if len(s) == len(copies)), None)
    test.expect(other and other != copies, "a sister")
    if other:
        test.damaged("a sister's", data[:copies_at] + other
                     + data[trailer.catalogue_offset:])


def check_cut(test):
    """A small original whose archive is cut off anywhere."""
    data = test.pack(original(noise=2000))
    for share in 0.3, 0.6, 0.9, 0.99:
        test.path.write_bytes(data[:int(len(data) * share)])
        status, out = test.salvage()
        test.expect(status == 3 and out, "cut", share, status)
        test.path.write_bytes(out or b"")
        test.expect(test.status("-t") == 0, "cut: -t", share)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        test = Test(Path(directory), options.bin.resolve())
        check_large(test)
        check_cut(test)
    print(f"{test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
