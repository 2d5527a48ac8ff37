#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Small archives that ask for much: they are opened in little time and memory,
and what they ask for is refused or served within the limits that the
specification and nc3z.h state."""

import argparse
import hashlib
import os
import pathlib
import random
import resource
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "testdata"), str(ROOT / "test/independent")]

from classic_writer import ClassicWriter, Var  # noqa: E402
from forge import Block, Forge, Repeated, constant  # noqa: E402
from plan import END, NO_VARIABLE  # noqa: E402

MIB = 2**20


class Plan:
    """Contents of a plan, of millions of streams, too."""

    def __init__(self, header, record=(0, 0, 0)):
        self.head = struct.pack("<QQQQ", header, *record)
        self.streams, self.expected = [], (0, 0)

    def member(self, variable, begin, nbytes):
        data = struct.pack("<IQQ", (variable - self.expected[0]) % 2**32,
                           (begin - self.expected[1]) % 2**64, nbytes)
        self.expected = (variable + 1) % 2**32, (begin + nbytes) % 2**64
        return data

    def linear(self, width, block, members, panel=0):
        self.streams.append(
            struct.pack("<BBBBIII", int(panel > 0), 0, width, 0, block, panel,
                        len(members))
            + b"".join(self.member(*m) for m in members))

    def chunked(self, width, dims, member, is_record=False):
        self.streams.append(
            struct.pack("<BBBB", int(is_record), 1, width, len(dims))
            + b"".join(struct.pack("<QI", *dim) for dim in dims)
            + self.member(*member))

    def contents(self):
        return self.head + struct.pack("<I", len(self.streams)) + \
            b"".join(self.streams)


class Hostile(Forge):
    """An archive of any plan, blocks, size and copies; only checksums fit."""

    def __init__(self, plan, blocks, size, header, sha256, copies):
        super().__init__(header, (("header_length", "Q", len(header)),), ())
        self.contents, self.blocks, self.size = plan, blocks, size
        self.sha256, self.copies = sha256, copies

    def section(self, name, mark, contents):
        self.overrides[f"{name}.codec"] = int(len(contents) > 64)
        return super().section(name, mark, contents)

    def plan_contents(self):
        return self.contents

    def stream_copies(self, identity, last):
        return identity + last + self.copies

    def catalogue(self, identity):
        nstreams = struct.unpack("<I", self.contents[32:36])[0]
        lengths = {}
        for block in self.blocks:
            nbytes, count = lengths.get(block.stream, (0, 0))
            lengths[block.stream] = nbytes + len(block.raw), count + 1
        return identity + struct.pack("<Q", self.size) + self.sha256 + \
            struct.pack("<I", nstreams) + b"".join(
                struct.pack("<QI", *lengths.get(stream, (0, 0)))
                for stream in range(nstreams))


def archive(plan, blocks, size, header=b"", sha256=bytes(32),
            copies=bytes(4)):
    return Hostile(plan, blocks, size, header, sha256, copies).build()


def header(numrecs, dims, variables):
    """A CDF-5 header; variables are (name, type, nbytes, begin, dimids)."""
    return ClassicWriter(
        5, [(f"d{i}", length) for i, length in enumerate(dims)],
        variables=[Var(var.decode(), kind, dimids)
                   for var, kind, _, _, dimids in variables],
        records=numrecs, override={
            f"var{i}.vsize": nbytes
            for i, (_, _, nbytes, _, _) in enumerate(variables)}).header(
                [begin for _, _, _, begin, _ in variables])


def with_begin(make):
    """A header whose variables begin right after it."""
    return make(len(make(0)))


def terabytes(size=None):
    """A variable of 2^43 bytes, of which 16 constant blocks are there."""
    head = with_begin(lambda at: header(
        0, [2**43], [(b"v", 1, 2**43, at, [0])]))
    plan = Plan(len(head))
    plan.linear(1, 2**16, [(NO_VARIABLE, 0, len(head))])
    plan.linear(1, 2**26, [(0, len(head), END - len(head))])
    blocks = [Block(0, 0, head)]
    blocks += [Block(1, i, Repeated(b"\7", 2**26))
               for i in range(16)]
    return archive(plan.contents(), blocks,
                   len(head) + 2**30 if size is None else size)


def understated():
    """The same, but the catalogue says that the original has 1000 bytes."""
    return terabytes(1000)


def many_blocks():
    """A variable of 2^40 bytes in all its 16,384 blocks."""
    head = with_begin(lambda at: header(
        0, [2**40], [(b"v", 1, 2**40, at, [0])]))
    plan = Plan(len(head))
    plan.linear(1, 2**16, [(NO_VARIABLE, 0, len(head))])
    plan.linear(1, 2**26, [(0, len(head), END - len(head))])
    blocks = [Block(0, 0, head)]
    blocks += [Block(1, i, Repeated(b"\7", 2**26))
               for i in range(2**14)]
    return archive(plan.contents(), blocks, len(head) + 2**40, head)


def early_blocks():
    """Record chunks of which all come before the first one that is needed."""
    n, length = 40, 2**17
    head = with_begin(lambda at: header(
        length, [0, n], [(b"v", 1, n, at, [0, 1])]))
    plan = Plan(len(head), (len(head), n, 2**64 - 1))
    plan.linear(1, 2**16, [(NO_VARIABLE, 0, len(head))])
    plan.chunked(1, [(0, length), (n, 1)], (0, len(head), n), True)
    blocks = [Block(0, 0, head)]
    blocks += [Block(1, i, Repeated(b"\7", length))
               for i in range(n)]
    return archive(plan.contents(), blocks, len(head) + n * length)


def many_streams():
    """A plan of a million streams."""
    n, head = 2**20, header(0, [], [])
    plan = Plan(len(head))
    plan.linear(1, 2**16, [(NO_VARIABLE, 0, len(head))])
    plan.linear(1, 2**16, [(0, len(head), 1)])
    first = plan.streams.pop()
    plan.linear(1, 2**16, [(1, len(head) + 1, 1)])
    plan.streams[1:] = [first] + plan.streams[1:] * (n - 3)
    plan.expected = n - 2, len(head) + n - 2
    plan.linear(1, 2**16, [(n - 2, len(head) + n - 2, END - len(head) - n + 2)])
    return archive(plan.contents(),
                   [Block(0, 0, head)], len(head))


def many_members():
    """A plan of one stream with three million members."""
    n, head = 3 * MIB, header(0, [], [])
    plan = Plan(len(head))
    plan.linear(1, 2**16, [(NO_VARIABLE, 0, len(head))])
    # As the one before, and one byte long.
    one = struct.pack("<IQQ", 0, 0, 1)
    plan.streams.append(struct.pack("<BBBBIII", 0, 0, 1, 0, 2**16, 0, n)
                        + one * n)
    plan.expected = (n, len(head) + n)
    plan.linear(1, 2**16, [(n, len(head) + n, END - len(head) - n)])
    contents = plan.contents()
    return archive(contents, [Block(0, 0, head)],
                   len(head))


def short_records():
    """Two variables of one byte a record, in blocks of 16 MiB."""
    n = 2**24
    head = with_begin(lambda at: header(
        n, [0], [(b"a", 1, 1, at, [0]), (b"b", 1, 1, at + 1, [0])]))
    plan = Plan(len(head), (len(head), 2, n))
    plan.linear(1, 2**16, [(NO_VARIABLE, 0, len(head)),
                           (NO_VARIABLE, len(head) + 2 * n,
                            END - len(head) - 2 * n)])
    for v in 0, 1:
        plan.linear(1, 2**26, [(v, len(head) + v, 1)], 2**24)
    blocks = [Block(0, 0, head)]
    blocks += [Block(v, 0, Repeated(b"\7", n)) for v in (1, 2)]
    return archive(plan.contents(), blocks, len(head) + 2 * n)


def short_first(order=lambda blocks: blocks):
    """40,000 records of 4096 bytes, of which 4 are one short block, which comes
    first; the size of the original comes last."""
    n, length = 40000, 2**20
    head = with_begin(lambda at: header(
        n, [0, 1, 1023], [(b"v", 5, 4, at, [0, 1]),
                          (b"w", 5, 4092, at + 4, [0, 2])]))
    plan = Plan(len(head), (len(head), 4096, 2**64 - 1))
    plan.linear(1, 2**16, [(NO_VARIABLE, 0, len(head))])
    plan.linear(4, length, [(0, len(head), 4)], length // 4)
    plan.linear(4, length, [(1, len(head) + 4, 4092)], 256)
    blocks = [Block(0, 0, head),
              Block(1, 0, Repeated(b"\7", 4 * n))]
    for i in range(-(-n // 256)):
        records = min(256, n - 256 * i)
        blocks.append(Block(2, i, Repeated(b"\7", 4092 * records)))
    digest = hashlib.sha256(head)
    for _ in range(n // 1000):
        digest.update(b"\7" * 4096000)
    return archive(plan.contents(), order(blocks), len(head) + 4096 * n,
                   sha256=digest.digest())


def short_last():
    """The same, but the block that is needed first comes last: no reader in one
    pass has to hold that much."""
    return short_first(lambda blocks: blocks[:1] + blocks[2:] + blocks[1:2])


def long_copies():
    """Stream copies that stand for more than is allowed, in 2^20 bytes."""
    head = with_begin(lambda at: header(0, [2**21], [(b"v", 1, 2**21, at,
                                                      [0])]))
    plan = Plan(len(head))
    plan.linear(1, 2**16, [(NO_VARIABLE, 0, len(head))])
    plan.linear(1, 2**21, [(0, len(head), 2**21)])
    plan.linear(1, 2**21, [(NO_VARIABLE, len(head) + 2**21,
                            END - len(head) - 2**21)])
    noise = random.Random(1).randbytes(2**21)
    blocks = [Block(0, 0, head),
              Block(1, 0, noise)]
    description = constant(1, b"\7")
    copies = struct.pack("<I", 3)
    for stream in range(3):
        copies += struct.pack("<IIIIH", stream, 2**26, 0, 0,
                              len(description)) + description
    digest = hashlib.sha256(head + noise).digest()
    return archive(plan.contents(), blocks, len(head) + 2**21, head,
                   sha256=digest, copies=copies)


def run(args, directory, limit, seconds):
    """Exit status, message, peak memory in MiB, processor time."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit * MIB, limit * MIB))
    with open(directory / "out", "wb") as out, \
            open(directory / "err", "wb") as err:
        # No threads run.  pylint: disable-next=W1509
        process = subprocess.Popen(args, cwd=directory, stdout=out, stderr=err,
                                   preexec_fn=limits)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, (directory / "err").read_bytes(), \
        usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


# What is asked of an archive, the exit statuses that are right, the memory in
# MiB and the processor time in seconds that it may take.
LIST, TEST = ["nc3compress", "-l"], ["nc3compress", "-T1", "-t"]
LIMIT = "--max-size", "1M"
DUMP, VALUE = ["nc3dump", "-h"], ["nc3dump", "-v", "v[1234567]"]
# The program itself; forked, it counts as large as this one.
CHEAP = 60, 1
CASES = (
    (terabytes, LIST, (0,), *CHEAP),
    (terabytes, DUMP, (0,), *CHEAP),
    # One block of 64 MiB.
    (terabytes, VALUE, (0,), 100, 2),
    (terabytes, [*TEST, *LIMIT], (1,), *CHEAP),
    (terabytes, ["nc3compress", "-T1", "-dc", *LIMIT], (1,), *CHEAP),
    # Two blocks of 64 MiB.
    (understated, ["nc3compress", "-T1", "-dc", *LIMIT], (1,), 200, 2),
    (many_blocks, LIST, (0,), *CHEAP),
    (many_blocks, DUMP, (0,), *CHEAP),
    (many_blocks, VALUE, (0,), 100, 2),
    # 40 chunks of 128 KiB, in a tenth of that, and blocks on their way.
    (early_blocks, [*TEST, "--max-memory", "512K"], (4,), 60, 20),
    (early_blocks, DUMP, (0,), *CHEAP),
    # The plan takes less than ten times what it is when it is written.
    (many_streams, LIST, (0,), 200, 3),
    (many_streams, DUMP, (0,), 360, 5),
    (many_streams, TEST, (4,), 360, 5),
    (many_members, LIST, (0,), 200, 3),
    (many_members, DUMP, (0,), 600, 10),
    (many_members, TEST, (4,), 600, 10),
    # SHA-256 is all zeros: found at the end.
    (short_records, TEST, (4,), 100, 10),
    (short_records, LIST, (0,), *CHEAP),
    # A queue of blocks of 1 MiB, not the original of 164 MB.
    (short_first, TEST, (0,), 60, 10),
    # M of section 5.5 is 138 MiB.
    (short_last, TEST, (4,), 220, 10),
    (short_last, ["nc3manifest", "--quick"], (0,), *CHEAP),
    # Values are read from the blocks; the archive is damaged.
    (long_copies, TEST, (4,), 60, 2),
    (long_copies, DUMP, (0,), *CHEAP),
    (long_copies, VALUE, (0,), 60, 2),
)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    options = parser.parse_args()
    sanitized = bool(os.environ.get("NC3Z_SANITIZE"))
    wrong = 0
    with tempfile.TemporaryDirectory() as directory:
        directory, made = pathlib.Path(directory), None
        for make, words, codes, mebibytes, seconds in CASES:
            if sanitized and seconds > 2:
                continue
            if make is not made:
                (directory / "x.nc3z").write_bytes(make())
                made = make
            # Address space is more than memory: stacks, the program.
            code, message, used, took = run(
                [(options.bin / words[0]).resolve(), *words[1:], "x.nc3z"],
                directory, 0 if sanitized else mebibytes + 100,
                seconds * (10 if sanitized else 1))
            good = code in codes and (sanitized or used <= mebibytes) and \
                (code == 0) == (not message)
            wrong += not good
            size = (directory / "x.nc3z").stat().st_size
            print(f"{make.__name__} ({size} bytes), {' '.join(words)}: exit "
                  f"{code}, {used:.0f} MiB, {took:.2f} s"
                  f"{'' if good else ' WRONG'} {message.decode().strip()}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
