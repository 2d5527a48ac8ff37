#!/usr/bin/env python3
"""Packs and restores sparse files over 2 and 4 GiB with nc3compress.

usage: check_sparse.py --bin DIR [--all]

The files, their archives and the restored files take a few MB on disk; bytes in
holes are not compared.  No program takes as much memory as a file.  Exit
status: 0 all is well, 1 something is not, 77 skipped: with sanitizers
(NC3Z_SANITIZE is set), without room for the files, or where holes in a file
take room.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
import os
from pathlib import Path
import resource
import shutil
import subprocess
import sys
import tempfile

MAKE_SPARSE = Path(__file__).resolve().parents[1] / "data_tools" / \
    "make_sparse.py"
# The first one always, the others with --all.
KINDS = ("offsets-over-4gib-cdf2", "fixed-over-4gib-cdf2",
         "records-over-4gib-cdf5", "cdf1-last-variable-over-2gib")

LEAST_BYTES = 1 << 31
ROOM_BYTES = 256 << 20
FILE_ROOM_BYTES = 4 << 20
PIECE_BYTES = 1 << 20
ARCHIVE_ROOM_BYTES = 8 << 20


class Failed(Exception):
    """Something did not go as it should."""


class NoHoles(Exception):
    """The file system has no sparse files."""


def run(what, *command):
    """Runs a command that must succeed and say nothing; its output."""
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode or done.stderr:
        raise Failed(f"{what}: exit status {done.returncode}: "
                     f"{done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode()


def extents(file):
    """Where there are data in a file, in pieces, and how many bytes."""
    end, at = os.fstat(file.fileno()).st_size, 0
    while at < end:
        try:
            start = os.lseek(file.fileno(), at, os.SEEK_DATA)
        except OSError:  # a hole up to the end
            return
        at = os.lseek(file.fileno(), start, os.SEEK_HOLE)
        for begin in range(start, at, PIECE_BYTES):
            yield begin, min(PIECE_BYTES, at - begin)


def compare(what, restored, original):
    """All data of each are in the other: holes read as zeros."""
    with open(restored, "rb") as a, open(original, "rb") as b:
        for start, nbytes in (*extents(a), *extents(b)):
            if os.pread(a.fileno(), nbytes, start) != \
               os.pread(b.fileno(), nbytes, start):
                raise Failed(f"{what}: restored: differs in the {nbytes} "
                             f"bytes at {start}")


def check(tool, directory, kind):
    """Makes, packs, lists and restores a file; returns its size."""
    original, archive = directory / f"{kind}.nc", directory / f"{kind}.nc.nc3z"
    run(kind, sys.executable, "-B", MAKE_SPARSE, original, kind)
    stat = original.stat()
    if stat.st_blocks * 512 > FILE_ROOM_BYTES:
        raise NoHoles()
    if stat.st_size < LEAST_BYTES:
        raise Failed(f"{kind}: only {stat.st_size} bytes")
    run(kind, tool, original)
    if archive.stat().st_size > ARCHIVE_ROOM_BYTES:
        raise Failed(f"{kind}: archive of {archive.stat().st_size} bytes")
    listed = run(kind, tool, "-l", archive).split("\n")[1].split()
    if listed[0] != str(stat.st_size):
        raise Failed(f"{kind}: {stat.st_size} bytes, listed as {listed[0]}")
    restored = directory / f"{kind}.restored"
    run(kind, tool, "-d", "--sparse", "-o", restored, archive)
    if restored.stat().st_size != stat.st_size:
        raise Failed(f"{kind}: restored: {restored.stat().st_size} bytes")
    if restored.stat().st_blocks * 512 > FILE_ROOM_BYTES:
        raise Failed(f"{kind}: restored without holes")
    compare(kind, restored, original)
    original.unlink()  # its holes are in memory by now
    restored.unlink()
    return stat.st_size


def main():
    """Checks all kinds, two at a time."""
    parser = argparse.ArgumentParser(
        description="Packs and restores sparse files of several GiB.")
    parser.add_argument("--bin", required=True, metavar="DIR",
                        help="directory of the programs")
    parser.add_argument("--all", action="store_true",
                        help="files of all kinds, not of one")
    options = parser.parse_args()
    tool = Path(options.bin).resolve() / "nc3compress"
    kinds = KINDS if options.all else KINDS[:1]

    if os.environ.get("NC3Z_SANITIZE"):
        print("skipped: too slow with sanitizers")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="sparse-") as name:
        if shutil.disk_usage(name).free < ROOM_BYTES:
            print(f"skipped: less than {ROOM_BYTES} bytes of room")
            sys.exit(77)
        try:
            with ThreadPoolExecutor(max_workers=2) as pool:
                sizes = list(pool.map(lambda kind: check(tool, Path(name),
                                                         kind), kinds))
        except NoHoles:
            print("skipped: no sparse files here")
            sys.exit(77)
        except Failed as why:
            print(why)
            sys.exit(1)
    kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if kilobytes << 10 > LEAST_BYTES:
        print(f"{kilobytes} kB of memory")
        sys.exit(1)
    print(f"{len(sizes)} files, {sum(sizes)} bytes: all restored")


if __name__ == "__main__":
    main()
