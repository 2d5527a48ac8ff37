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
import shutil
import subprocess
import sys
import time

from common import SEED, Place, classic_file, expect, kill, run_tests

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--bin", required=True, type=os.path.abspath)
PARSER.add_argument("--testdata", required=True, type=os.path.abspath)
PARSER.add_argument("--all", action="store_true")
ARGUMENTS = PARSER.parse_args()
TESTDATA = pathlib.Path(ARGUMENTS.testdata)
OPTIONS = ([], ["-9", "-b4K", "--chunks=balanced"],
           ["-2", "-b4K", "--chunks=series", "--max-memory=200K"],
           ["--codec=deflate", "-b8K"])
SAMPLE = 25


def files():
    """Classic files that there are."""
    found = sorted(TESTDATA.rglob("*.nc"))
    if not ARGUMENTS.all:
        return random.Random(SEED).sample(
            [p for p in found if not p.name.startswith("bad-")], SAMPLE)
    corpus = os.environ.get("NC3Z_CORPUS")
    for name in ("real", "edge") if corpus else ():
        found += sorted(p for p in (pathlib.Path(corpus) / name).rglob("*")
                        if p.is_file())
    return [p for p in found if p.read_bytes()[:3] == b"CDF"]


def join(p, *parts):
    """In an order that is not that of the parts."""
    return p.program("nc3convert", "-q", "--join", "-f", "-o", "joined",
                 *parts[::-1])


def pack_whole(p, options, names):
    """Those that can be packed, and the status of packing these."""
    p.compress("-qf", *options, *names)
    packed = [n for n in names if os.path.exists(f"{n}.nc3z")]
    done = p.compress("-qf", *options, *packed)
    expect(done.returncode in (0, 3), options, done.stderr)
    return packed, done.returncode


def check_joins(p, options, names, counts):
    """Packed at once, and in each count of parts; how many joins."""
    packed, status = pack_whole(p, options, names)
    for count in counts:
        check_count(p, options, packed, status, count)
    return len(packed) * len(counts)


def check_count(p, options, names, status, count):
    """Parts of all files at a time, then each is joined."""
    numbers = [f"{i}/{count}" for i in range(1, count + 1)]
    for number in numbers:
        done = p.compress("-qf", *options, f"--part={number}", *names)
        expect(done.returncode == status, options, number, done.stderr)
    for name in names:
        parts = [f"{name}.nc3z.part-{n.replace('/', '-of-')}"
                 for n in numbers]
        done = join(p, f"{name}.nc3z.part-sha256", *parts)
        expect(done.returncode == 0, name, options, count, done.stderr)
        expect(pathlib.Path("joined").read_bytes() ==
               pathlib.Path(f"{name}.nc3z").read_bytes(), name, options,
               count)
        for part in parts:
            os.unlink(part)


def test_same_bytes():
    with Place(ARGUMENTS.bin) as p:
        os.chdir(p.path)
        names, njoins = [], 0
        for i, path in enumerate(files()):
            names.append(f"{i:04d}-{path.stem}.nc")
            shutil.copy2(path, names[-1])
        p.compress("-qf", "--part=sha256", *names)
        for k, options in enumerate(OPTIONS):
            if ARGUMENTS.all:
                njoins += check_joins(p, options, names, range(1, 8))
            else:
                njoins += check_joins(p, options, names[k::len(OPTIONS)],
                                      [p.rng.randrange(1, 8)])
        print(f"  {njoins} joins of {len(names)} files")
        expect(njoins > 10, "hardly any file can be packed")
        os.chdir("/")


def test_killed():
    """Parts that are killed are not there; made again, they join."""
    with Place(ARGUMENTS.bin) as p:
        os.chdir(p.path)
        path = p.path / "x.nc"
        classic_file(path, 600000, p.rng)
        options, nkilled = ["-9"], 0
        p.compress("-q", *options, "-o", "whole", path)
        p.compress("-q", "--part=sha256", "-o", "sha256", path)
        parts = ["sha256", "part1", "part2", "part3", "part4"]
        for i in range(1, 5):
            p.compress("-q", *options, f"--part={i}/4", "-o", f"part{i}", path)
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
                    # killed when it was done, but had not ended
                    expect(not part.exists() or part.read_bytes() == before,
                           "half a part")
                else:
                    seconds /= 2
                part.unlink(missing_ok=True)
            done = p.compress("-q", *options, f"--part={i}/4", "-o", part,
                              path)
            expect(done.returncode == 0, done.stderr)
            expect(part.read_bytes() == before, "another part")
        expect(nkilled > 0, "none was killed")
        expect(join(p, *parts).returncode == 0, "not joined")
        expect(pathlib.Path("joined").read_bytes() ==
               pathlib.Path("whole").read_bytes(), "other bytes")
        expect(not [f for f in p.path.iterdir() if "tmp" in f.name],
               "temporaries")
        os.chdir("/")


if __name__ == "__main__":
    sys.exit(run_tests([test_same_bytes, test_killed]))
