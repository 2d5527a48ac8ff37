#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exact netCDF-4 files that somebody has made wrong, with right checksums.

usage: mutants.py --bin DIR [--mutants N] [--seed S] FILE...

Bytes of descriptions and trailers are changed, and sealed again.  nc3convert
and exact.py, which was written from the specification, both refuse a file or
both restore the same.  Forged files that are small and stand for much are
refused in seconds, within the memory that is allowed.
"""

import argparse
import functools
import hashlib
import json
import os
import pathlib
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import exact  # noqa: E402

SECONDS_MAX = 60
# What a program takes beside --max-memory, with the libraries that it loads.
BESIDE = 96 << 20


def seal(hdf5, frames, description, original_nbytes, sha256):
    """A file of these parts."""
    stored = zlib.compress(bytes(description))
    trailer = exact.TRAILER.pack(
        exact.MAGIC, 1, len(stored), len(description), zlib.crc32(stored),
        len(hdf5), original_nbytes, sha256, hashlib.sha256(hdf5).digest(), 0)
    trailer = trailer[:-4] + struct.pack("<I", zlib.crc32(trailer[:-4]))
    return hdf5 + frames + stored + trailer


def mutants(data, count, dice):
    """The same file with changes."""
    tail = exact.Tail(data)
    stored = data[tail.end:-exact.TRAILER.size]
    whole = zlib.decompress(stored)
    for _ in range(count):
        description = bytearray(whole)
        size = tail.original_nbytes
        for _ in range(dice.choice((1, 1, 2, 4))):
            at = dice.randrange(len(description))
            how = dice.randrange(4)
            if how == 0:
                description[at] ^= 1 << dice.randrange(8)
            elif how == 1:
                description[at] = dice.choice((0, 1, 2, 8, 255))
            elif how == 2:
                n = dice.choice((4, 8, 12))
                other = dice.randrange(len(description))
                part = description[other:other + n]
                description[at:at + len(part)] = part
            else:
                size = max(0, size + dice.choice((-1, 1, 4, -1000)))
        yield seal(data[:tail.hdf5_nbytes], data[tail.hdf5_nbytes:tail.end],
                   description, size, tail.original_sha256)


def bombs():
    """Small files that stand for much, of several kinds."""
    @functools.lru_cache()
    def deflated(nbytes):
        return zlib.compress(bytes(nbytes))

    def forge(variables, numrecs, step, places, raw, rest=bytes(32)):
        block = deflated(raw)
        hdf5 = b"\x89HDF\r\n\x1a\n" + block * places
        frame = zlib.compress(rest) if len(rest) > 64 else rest
        description = bytearray(
            struct.pack("<QQII", numrecs, step, len(variables), 1))
        for i, (begin, lengths, chunks, n, apart) in enumerate(variables):
            description += struct.pack(
                "<BBBBQ", 1, 10 | (numrecs > 0), len(lengths), 0, begin)
            description += struct.pack(f"<{2 * len(lengths)}Q", *lengths,
                                       *chunks)
            for k in range(n):
                at = 8 + (i * n + k) % places * len(block) * apart
                description += struct.pack("<QI", at, len(block))
        description += struct.pack("<II", len(frame), zlib.crc32(frame))
        end = max([len(rest)] + [v[0] for v in variables]) + 1
        return seal(hdf5, frame, description, end, bytes(32))

    # Chunks that are shared, or longer than their dimensions, or both.
    for n in (1, 5, 30):
        for apart in (0, 1):
            yield forge([(32 + i, [1], [1 << 26], 1, apart)
                         for i in range(n)], 0, 0, n, 1 << 26)
            yield forge([(32 + (i << 24), [1 << 24], [1 << 24], 1, apart)
                         for i in range(n)], 0, 0, n, 1 << 24)
    # Records between which others lie: all chunks are needed all the time.
    for n in (2, 8):
        yield forge([(32 + i, [1 << 22], [1 << 22], 1, 1) for i in range(n)],
                    1 << 22, n, n, 1 << 22)
    # Numbers that would size something.
    for number in (1 << 20, 1 << 32, 1 << 62):
        yield forge([(32, [number], [1], 1, 1)], number, 1, 1, 64)
        yield forge([(32, [number, number], [1, 1], 1, 1)], 0, 0, 1, 64)
        yield forge([(32, [1], [1], min(number, 1 << 20), 0)], 0, 0, 1, 64)


def convert(args, directory, files, max_memory):
    """What nc3convert makes of files: name -> status."""
    journal = directory / "journal"
    journal.unlink(missing_ok=True)
    subprocess.run(
        [args.bin / "nc3convert", "--to=classic", "-fq", "-T2",
         f"--max-memory={max_memory}", f"--journal={journal}", *files],
        check=False, capture_output=True, timeout=600)
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    return {line["name"]: line["status"] for line in lines if "name" in line}


def check_mutants(args, original, work):
    """Both readers agree."""
    source = work / original.name
    source.write_bytes(original.read_bytes())
    made = work / "made.nc4"
    done = subprocess.run(
        [args.bin / "nc3convert", "--to=netcdf4", "-fq", "-o", made, source],
        check=False, capture_output=True)
    if b"HDF5" in done.stderr:
        print("skipped: built without HDF5")
        sys.exit(77)
    dice = random.Random(f"{args.seed} {original.name}")
    directory = work / "mutants"
    directory.mkdir()
    wanted = {}
    for i, data in enumerate(mutants(made.read_bytes(), args.mutants, dice)):
        path = directory / f"m{i}.nc4"
        path.write_bytes(data)
        try:
            wanted[str(path)] = exact.restore(data)
        except (exact.Damaged, zlib.error, MemoryError, OverflowError):
            wanted[str(path)] = None
    found = convert(args, directory, list(wanted), "256M")
    for name, restored in wanted.items():
        back = pathlib.Path(name).with_suffix(".nc")
        if found.get(name) not in (0, 1, 4):
            sys.exit(f"{name}: status {found.get(name)}")
        if (found[name] == 0) != (restored is not None) or \
                back.exists() != (restored is not None) or \
                restored is not None and back.read_bytes() != restored:
            kept = pathlib.Path(tempfile.gettempdir()) / "disagreement.nc4"
            kept.write_bytes(pathlib.Path(name).read_bytes())
            sys.exit(f"{original.name}: readers disagree on {kept}: "
                     f"{found[name]}, {restored is not None}")
    for path in directory.iterdir():
        path.unlink()
    directory.rmdir()
    return len(wanted), sum(r is not None for r in wanted.values())


def check_bombs(args, work):
    """Refused, in time and memory."""
    count, slowest, largest = 0, 0, 0
    for i, data in enumerate(bombs()):
        path = work / f"bomb{i}.nc4"
        path.write_bytes(data)
        begin = time.monotonic()
        done = subprocess.run(
            [args.bin / "nc3convert", "--to=classic", "-fq", "-T2",
             "--max-memory=64M", "-o", work / "bomb.nc", path],
            check=False, capture_output=True, timeout=600)
        slowest = max(slowest, time.monotonic() - begin)
        largest = max(largest, resource.getrusage(
            resource.RUSAGE_CHILDREN).ru_maxrss << 10)
        if done.returncode not in (1, 4) or (work / "bomb.nc").exists():
            sys.exit(f"bomb {i}: status {done.returncode}")
        path.unlink()
        count += 1
    if slowest > SECONDS_MAX:
        sys.exit(f"bombs: {slowest:.1f} s")
    # A sanitizer has memory of its own.
    if largest > (64 << 20) + BESIDE and not os.environ.get("NC3Z_SANITIZE"):
        sys.exit(f"bombs: {largest} bytes")
    return count, slowest, largest


def main():
    """Checks mutants of each file, and the bombs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--mutants", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("paths", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    total = right = 0
    # For exact.py, which looks at less than nc3convert before it allocates.
    if not os.environ.get("NC3Z_SANITIZE"):
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        # Before any other child, as their memory is looked at.
        nbombs, slowest, largest = check_bombs(args, work)
        for path in args.paths:
            n, restored = check_mutants(args, path, work)
            total, right = total + n, right + restored
    print(f"{nbombs} bombs: {slowest:.1f} s, {largest >> 20} MiB at most; "
          f"{total} mutants, {right} restored")
    if total == 0:
        sys.exit("nothing was checked")


if __name__ == "__main__":
    main()
