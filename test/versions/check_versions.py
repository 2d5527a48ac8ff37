#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Archives of versions of the past are read, those of the future refused.

usage: check_versions.py --bin DIR

- archives of versions 1.0 and 1.1 (testdata/v1_0, v1_1) are restored, checked
  and read by the tools and by the decoders of test/independent (large ones by
  one of them, and none with sanitizers, which look at the tools alone);
- salvage gives them back byte for byte, as the version that they are, and mends
  what is damaged;
- archives of versions that do not exist yet are refused by all tools as
  unsupported, and not as damaged.
"""

import argparse
import hashlib
import io
import lzma
import os
import struct
import subprocess
import sys
import tempfile
import zlib
from math import prod
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTDATA = HERE.parents[1] / "testdata"
sys.path.insert(0, str(HERE.parent / "independent"))

from archive import SeekingReader
from classic import Header
from one_pass import OnePassReader

OLD = {0: TESTDATA / "v1_0", 1: TESTDATA / "v1_1"}
LARGE_BYTES = 1_000_000


class Check:
    def __init__(self, directory):
        self.bin, self.failures, self.count = directory, 0, 0

    def run(self, tool, *arguments, data=None):
        return subprocess.run([self.bin / tool, *map(str, arguments)],
                              input=data, capture_output=True, check=False)

    def expect(self, condition, *what):
        self.count += 1
        if not condition:
            self.failures += 1
            print("FAILED:", *what, flush=True)


def decoded(make_reader, data):
    pieces = []
    make_reader(io.BytesIO(data)).restore(pieces.append)
    return b"".join(pieces)


def read_old(minor):
    """Name, SHA-256 of the archive, length and SHA-256 of the original."""
    for line in (OLD[minor] / "archives.tsv").read_text().splitlines():
        if not line.startswith("#"):
            name, _, *facts = line.split("\t")
            yield name, facts[0], int(facts[1]), facts[2]


def unpacked(path, directory):
    """The archive, or what is inside of one that is kept as .xz."""
    if path.suffix != ".xz":
        return path
    inside = directory / path.stem
    inside.write_bytes(lzma.decompress(path.read_bytes()))
    return inside


def values_of(original, header, variable, shape):
    """The first external bytes of a variable, by the header."""
    runs = header.runs(variable, [0] * len(shape), list(shape),
                       [1] * len(shape))
    return b"".join(original[offset:offset + length]
                    for offset, length in runs)


def check_values(check, path, original):
    header = Header(original)
    for variable in header.variables:
        # Some do not say how many records there are.
        shape = [min(length, 5000) for length in variable.shape]
        if header.records == 2**32 - 1 and variable.is_record:
            shape[0] = 2
        expected = values_of(original, header, variable, shape)
        name = variable.name.decode()
        slab = ",".join(f"0:{length}" for length in shape)
        done = check.run("nc3dump", "-B", "--big-endian", "-v",
                         f"{name}[{slab}]" if slab else name, path)
        check.expect(done.stdout == expected
                     and len(expected) == prod(shape) * variable.width,
                     path.name, name, done.stderr)


def check_salvage(check, path, directory):
    """Whole, and with a sector of zeros in its blocks."""
    data, out = path.read_bytes(), directory / "out.nc3z"
    done = check.run("nc3compress", "-f", "--salvage", "-o", out, path)
    check.expect(done.returncode == 0 and out.read_bytes() == data,
                 path.name, "salvage of the whole", done.stderr)
    if len(data) < 8000:
        return
    hurt = directory / "hurt.nc3z"
    hurt.write_bytes(data[:3000] + bytes(512) + data[3512:])
    done = check.run("nc3compress", "-f", "--salvage", "-o", out, hurt)
    check.expect(done.returncode == 3, path.name, "salvage", done.stderr)
    check.expect(check.run("nc3compress", "-t", out).returncode == 0,
                 path.name, "what was salvaged")
    check.expect(out.read_bytes()[8:12] == data[8:12], path.name,
                 "version of what was salvaged")
    done = check.run("nc3compress", "-f", "--salvage", "-o", out, hurt, path)
    check.expect(done.returncode == 0 and out.read_bytes() == data,
                 path.name, "merged", done.stderr)


def decoders(name, nbytes):
    """Those that read an archive of 'nbytes' of original here."""
    if os.environ.get("NC3Z_SANITIZE"):
        return ()
    if nbytes < LARGE_BYTES:
        return SeekingReader, OnePassReader
    return (SeekingReader if "_" in name else OnePassReader,)


def check_old(check, minor, directory):
    for name, archive_sha256, nbytes, sha256 in read_old(minor):
        path = unpacked(OLD[minor] / name, directory)
        data = path.read_bytes()
        check.expect(struct.unpack_from("<HH", data, 8) == (1, minor), name,
                     "is of another version")
        check.expect(hashlib.sha256(data).hexdigest() == archive_sha256,
                     name, "is not the archive that it was")
        for arguments in ("-t",), ("-t", "--quick"):
            check.expect(check.run("nc3compress", *arguments,
                                   path).returncode == 0, name, arguments)
        originals = {
            "-dc": check.run("nc3compress", "-dc", path).stdout,
            "from a pipe": check.run("nc3compress", "-dc", data=data).stdout,
        }
        for reader in decoders(name, nbytes):
            originals[reader.__name__] = decoded(reader, data)
        for how, original in originals.items():
            check.expect(len(original) == nbytes and hashlib.sha256(
                original).hexdigest() == sha256, name, how)
        check_values(check, path, originals["-dc"])
        check_salvage(check, path, directory)


def with_version(data, major, minor):
    """The archive with another version in superblock and trailer."""
    data = bytearray(data)
    struct.pack_into("<HH", data, 8, major, minor)
    struct.pack_into("<I", data, 12, zlib.crc32(data[:12]))
    end = len(data) - 64
    struct.pack_into("<HH", data, end + 4, major, minor)
    struct.pack_into("<I", data, end + 60, zlib.crc32(data[end:end + 60]))
    return bytes(data)


def check_new(check, directory):
    data = (OLD[1] / "stations.nc3z").read_bytes()
    path = directory / "new.nc3z"
    for major, minor in (1, 3), (1, 9), (2, 0), (2, 1), (0, 2):
        path.write_bytes(with_version(data, major, minor))
        for tool, *arguments in (
                ("nc3compress", "-t"), ("nc3compress", "-t", "--quick"),
                ("nc3compress", "-dc"), ("nc3compress", "-l"),
                ("nc3dump", "-h"), ("nc3compress", "--salvage", "-f", "-o",
                                    directory / "out.nc3z")):
            done = check.run(tool, *arguments, path)
            check.expect(
                done.returncode == 1 and f"version {major}.{minor} is not "
                "known".encode() in done.stderr,
                tool, arguments, (major, minor), done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, type=Path)
    check = Check(parser.parse_args().bin.resolve())
    with tempfile.TemporaryDirectory() as directory:
        for minor in OLD:
            check_old(check, minor, Path(directory))
        check_new(check, Path(directory))
    print(f"{check.count} checks, {check.failures} failures")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
