#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parts of files, joined, are the archives of packing at once: files of
testdata, in 1 to 7 parts with several options; with --all all of them, and
those of NC3Z_CORPUS.  Parts that are killed and made again, too.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import time

from common import SEED, Place, classic_file, expect, kill, run_tests

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--bin", required=True)
PARSER.add_argument("--testdata", required=True)
PARSER.add_argument("--all", action="store_true")
ARGUMENTS = PARSER.parse_args()
OPTIONS = ([], ["-9", "-b4K", "--chunks=balanced"],
           ["-2", "-b4K", "--chunks=series", "--max-memory=200K"],
           ["--portable", "-b8K"])
SAMPLE = 25


def files():
    """What there is to be packed, small files first."""
    found = sorted(pathlib.Path(ARGUMENTS.testdata).rglob("*.nc"))
    if not ARGUMENTS.all:
        return random.Random(SEED).sample(found, SAMPLE)
    corpus = os.environ.get("NC3Z_CORPUS")
    for name in ("real", "edge") if corpus else ():
        found += sorted(p for p in (pathlib.Path(corpus) / name).rglob("*")
                        if p.is_file())
    return found


def join(p, count):
    return p.compress("-q", "--join", "-f", "-o", "joined", "sha256",
                      *(f"part{i}" for i in range(count, 0, -1)))


def check_file(p, path, options, counts):
    """0 if it cannot be packed at all, or the number of joins."""
    whole = p.compress("-qf", *options, "-o", "whole", path)
    if whole.returncode not in (0, 3):
        return 0
    expect(p.compress("-qf", "--part=sha256", "-o", "sha256",
                      path).returncode in (0, 3), path, "sha256")
    for count in counts:
        for i in range(1, count + 1):
            done = p.compress("-qf", *options, f"--part={i}/{count}", "-o",
                              f"part{i}", path)
            expect(done.returncode == whole.returncode, path, done.stderr)
        done = join(p, count)
        expect(done.returncode == 0, path, options, count, done.stderr)
        expect(pathlib.Path("joined").read_bytes() ==
               pathlib.Path("whole").read_bytes(), path, options, count)
    return len(counts)


def test_same_bytes():
    with Place(ARGUMENTS.bin) as p:
        os.chdir(p.path)
        njoins = 0
        for i, path in enumerate(files()):
            for k, options in enumerate(OPTIONS):
                if ARGUMENTS.all:
                    counts = range(1, 8)
                elif (i + k) % 4:
                    continue
                else:
                    counts = [1 + (i + k) % 7]
                njoins += check_file(p, path, options, counts)
        print(f"  {njoins} joins")
        expect(njoins > 10, "hardly any file can be packed")
        os.chdir("/")


def test_killed():
    """Parts that are killed are not there; made again, they join."""
    with Place(ARGUMENTS.bin) as p:
        os.chdir(p.path)
        path = p.path / "x.nc"
        classic_file(path, 6000000, p.rng)
        options, nkilled = ["-9"], 0
        check_file(p, path, options, [4])
        begin = time.monotonic()
        p.compress("-qf", *options, "--part=1/4", "-o", "part1", path)
        seconds = time.monotonic() - begin
        for i in (1, 3):
            part = p.path / f"part{i}"
            before = part.read_bytes()
            part.unlink()
            for _ in range(4):
                run = subprocess.Popen(
                    [p.bin / "nc3compress", "-q", *options,
                     f"--part={i}/4", "-o", part, path])
                time.sleep(p.rng.uniform(0, seconds))
                if run.poll() is None:
                    nkilled += kill(run.pid)
                    run.wait()
                    expect(not part.exists(), "half a part")
                if part.exists():
                    part.unlink()
            done = p.compress("-q", *options, f"--part={i}/4", "-o", part,
                              path)
            expect(done.returncode == 0, done.stderr)
            expect(part.read_bytes() == before, "another part")
        expect(nkilled > 0, "none was killed")
        expect(join(p, 4).returncode == 0, "not joined")
        expect(pathlib.Path("joined").read_bytes() ==
               pathlib.Path("whole").read_bytes(), "other bytes")
        expect(not [f for f in p.path.iterdir() if "tmp" in f.name],
               "temporaries")
        os.chdir("/")


if __name__ == "__main__":
    sys.exit(run_tests([test_same_bytes, test_killed]))
