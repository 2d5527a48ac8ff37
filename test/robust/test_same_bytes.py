#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same archive from any number of threads and any kind of input, and the
same file back, from file and pipe to file and pipe."""

import bz2
import gzip
import lzma
import os
import subprocess
import sys

from tools import classic_file, expect, run_tests

# With sanitizers programs take ten times as long.
SANITIZED = bool(os.environ.get("NC3Z_SANITIZE"))
THREADS = (1, 8) if SANITIZED else (1, 2, 8)


def pack(bench, *args, **more):
    result = bench.run("-c", *args, **more)
    expect(result.returncode == 0, args, result.stderr)
    return result.stdout


def through_pipe(bench, data, *args):
    """Data that come in small pieces, at odd moments."""
    with subprocess.Popen([bench.program, *args], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        feeder = subprocess.Popen(
            [sys.executable, "-c",
             "import sys\n"
             "data = sys.stdin.buffer.read()\n"
             "for i in range(0, len(data), 70001):\n"
             "    sys.stdout.buffer.write(data[i:i + 70001])\n"
             "    sys.stdout.flush()\n"],
            stdin=subprocess.PIPE, stdout=process.stdin)
        process.stdin.close()
        feeder.stdin.write(data)
        feeder.stdin.close()
        out = process.stdout.read()
        feeder.wait()
    expect(process.wait() == 0, "failed through a pipe:", args)
    return out


def test_threads_and_inputs(bench):
    source = bench.path("x.nc")
    classic_file(source, 24)
    data = source.read_bytes()
    settings = [], ["-b", "64K"], ["--codec", "deflate"]
    for options in settings[1:2] if SANITIZED else settings:
        expected = pack(bench, "-T1", *options, "x.nc")
        for n in THREADS:
            threads = [f"-T{n}", *options]
            expect(pack(bench, *threads, "x.nc") == expected, threads)
            expect(through_pipe(bench, data, "-c", *threads) == expected,
                   threads, "through a pipe")
            with open(source, "rb") as stdin:
                expect(pack(bench, *threads, stdin=stdin) == expected,
                       threads, "from standard input")
            expect(through_pipe(bench, expected, "-dc", f"-T{n}") == data,
                   threads, "restored through a pipe")


def test_compressed_inputs(bench):
    source = bench.path("x.nc")
    classic_file(source, 20)
    data = source.read_bytes()
    expected = pack(bench, "x.nc")
    half = len(data) // 2
    forms = {
        "gz": gzip.compress(data, 1),
        "bz2": bz2.compress(data, 1),
        "xz": lzma.compress(data, preset=0),
        "members.gz": gzip.compress(data[:half]) + gzip.compress(data[half:]),
        "members.bz2": bz2.compress(data[:half]) + bz2.compress(data[half:]),
        "members.xz": lzma.compress(data[:half]) + lzma.compress(data[half:]),
        "zeros.gz": gzip.compress(data, 1) + bytes(5000),
    }
    for name in [*forms][::3 if SANITIZED else 1]:
        packed = forms[name]
        bench.path(name).write_bytes(packed)
        expect(pack(bench, name) == expected, name)
        expect(through_pipe(bench, packed, "-c") == expected, name, "piped")
        for wrong, why in ((packed[:-9], "cut off"),
                           (packed + b"junk", "bytes after")):
            if name.startswith("zeros"):
                continue
            result = bench.run("-c", input=wrong)
            expect(result.returncode == 4, name, why, result.returncode)
        flipped = bytearray(packed)
        flipped[len(packed) // 3] ^= 16
        expect(bench.run("-c", input=bytes(flipped)).returncode == 4,
               name, "flipped")


if __name__ == "__main__":
    sys.exit(run_tests(test_threads_and_inputs, test_compressed_inputs))
