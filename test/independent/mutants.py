#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mutants of archives with right checksums: who accepts them agrees on them.

usage: mutants.py --bin DIR [--count N] [--first SEED]

An archive is changed in some bytes; then every CRC-32, and at times those of
the raw bytes, the identity and the SHA-256, are made right again, so that the
change gets past them. nc3compress, from a file and from a pipe, decode.py and
one_pass.py must all refuse the mutant, or all restore the same bytes. Prints
how many came how far.
"""

import argparse
import hashlib
import io
import random
import signal
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTDATA = HERE.parents[1] / "testdata"
sys.path[:0] = [str(HERE), str(TESTDATA)]

import block as blocks
import broken_context
import forge
from archive import SeekingReader
from fields import Refused
from one_pass import OnePassReader
from random_blocks import Maker

# Longer originals are a limit of all readers.
MOST = 1 << 21
SECONDS = 20
LIMIT = "limit"


class Structure:
    """The pieces of an archive, as far as its lengths make sense."""

    def __init__(self, data):
        self.data, self.sections, self.records = data, {}, []
        self.index = self.trailer = None
        at = self.section(16, b"N3PL")
        while at is not None and data[at:at + 4] in (b"N3BK", b"N3DU"):
            at = self.record(at)
        if at is None or data[at:at + 4] != b"N3IX":
            return
        count = self.u64(at + 4)
        end = at + 16 + 20 * count + 4 * -(-count // 4096)
        if end > len(data):
            return
        self.index, at = (at, count), end
        for mark in b"N3HC", b"N3SC", b"N3CT":
            if at is not None and data[at:at + 4] == mark:
                at = self.section(at, mark)
        if at is not None and len(data) - at == 64:
            self.trailer = at

    def u16(self, at):
        return struct.unpack_from("<H", self.data, at)[0]

    def u32(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def u64(self, at):
        return struct.unpack_from("<Q", self.data, at)[0]

    def section(self, at, mark):
        if at + 24 > len(self.data) \
                or at + 24 + self.u32(at + 12) > len(self.data):
            return None
        self.sections[mark] = at
        return at + 24 + self.u32(at + 12)

    def record(self, at):
        if self.data[at:at + 4] == b"N3DU":
            self.records.append((at, 44, 0))
            return at + 44 if at + 44 <= len(self.data) else None
        if at + 46 > len(self.data):
            return None
        h, payload = self.u16(at + 4), self.u32(at + 22)
        if h < 46 or at + h + payload > len(self.data):
            return None
        self.records.append((at, h, payload))
        return at + h + payload

    def contents(self, mark):
        at = self.sections[mark]
        stored = bytes(self.data[at + 24:at + 24 + self.u32(at + 12)])
        if self.data[at + 4] != 1:
            return stored
        try:
            return zlib.decompressobj().decompress(stored, MOST)
        except zlib.error:
            return b""

    def places(self, rng):
        """Where to change it: anywhere, but seldom in long payloads."""
        at, h, payload = rng.choice(self.records)
        choices = [(0, 40), (16, 16 + 24 + self.u32(28)), (at, at + h),
                   (at, at + h), (at + h, at + h + max(min(payload, 64), 1)),
                   (at + h, at + h + max(payload, 1)),
                   (self.index[0], self.index[0] + 16 + 20 * self.index[1]),
                   (self.trailer, self.trailer + 64)]
        choices += [(begin, begin + 24 + min(self.u32(begin + 12), 400))
                    for begin in self.sections.values()]
        begin, end = rng.choice(choices)
        return rng.randrange(begin, min(end, len(self.data)))


def crc(data):
    return struct.pack("<I", zlib.crc32(data))


def raw_of(data, at, h, _payload):
    """The raw bytes of a block record, None if it does not decode."""
    if data[at:at + 4] == blocks.DUPLICATE:
        return None
    record = blocks.Record(h, *struct.unpack_from("<IIIIIII", data, at + 6),
                           b"", bytes(data[at + 42:at + h - 4]), 0)
    record.raw_crc = None
    if not 1 <= record.raw_length <= 1 << 21:
        return None
    try:
        description = blocks.read_description(
            record.description, record.raw_length, record.payload_length)
        stored, begin = {}, at + h
        for part in description.parts:
            stored[part.role] = bytes(data[begin:begin + part.stored_length])
            begin += part.stored_length
        raw = blocks.join(description, stored)
    except Refused:
        return None
    return raw if len(raw) == record.raw_length else None


def repair(data, deep):
    """Makes checksums right; deep: also those of decoded bytes."""
    data[12:16] = crc(data[:12])
    s = Structure(data)
    raws = [raw_of(data, *record) if deep or number == 0 else None
            for number, record in enumerate(s.records)]
    identity = None
    if deep and raws and raws[0] is not None:
        identity = hashlib.sha256(s.contents(b"N3PL") + raws[0]).digest()[:8]
    if b"N3PL" in s.sections:
        mend_section(s, b"N3PL")
    previous = bytes(data[36:40])
    entries = {}
    for (at, h, payload), raw in zip(s.records, raws):
        if data[at:at + 4] == blocks.DUPLICATE:
            previous = mend_duplicate(s, at, entries, previous,
                                      identity if deep else None)
            continue
        if deep and raw is not None:
            data[at + 18:at + 22] = crc(raw)
        if identity:
            data[at + 34:at + 42] = identity
        data[at + 26:at + 30] = crc(data[at + h:at + h + payload])
        data[at + 30:at + 34] = previous
        data[at + h - 4:at + h] = previous = crc(data[at:at + h - 4])
        entries[s.u32(at + 6), s.u32(at + 10)] = \
            previous + bytes(data[at + 18:at + 22])
    if s.index:
        mend_index(s, [entries[key] for key in sorted(entries)], previous)
    for mark, place in (b"N3SC", 0), (b"N3CT", 0):
        if mark in s.sections:
            at = s.sections[mark]
            if identity and data[at + 4] == 0 and s.u32(at + 12) >= 12:
                data[at + 24 + place:at + 32 + place] = identity
                if mark == b"N3SC":
                    data[at + 32:at + 36] = previous
            mend_section(s, mark)
    if b"N3HC" in s.sections:
        mend_section(s, b"N3HC")
    if s.trailer:
        if identity:
            data[s.trailer + 48:s.trailer + 56] = identity
        data[s.trailer + 56:s.trailer + 60] = previous
        data[s.trailer + 60:] = crc(data[s.trailer:s.trailer + 60])
    return s


def mend_section(s, mark):
    at = s.sections[mark]
    stored = s.data[at + 24:at + 24 + s.u32(at + 12)]
    s.data[at + 16:at + 20] = crc(stored)
    s.data[at + 20:at + 24] = crc(s.data[at:at + 20])


def mend_duplicate(s, at, entries, previous, identity):
    """The record's new CRC; with an identity it is of the block it names."""
    other = entries.get((s.u32(at + 12), s.u32(at + 16)))
    if identity and other:
        s.data[at + 24:at + 28] = other[4:]
        s.data[at + 32:at + 40] = identity
    s.data[at + 28:at + 32] = previous
    s.data[at + 40:at + 44] = crc(s.data[at:at + 40])
    entries[s.u32(at + 4), s.u32(at + 8)] = other or bytes(8)
    return bytes(s.data[at + 40:at + 44])


def mend_index(s, entries, last):
    at, count = s.index
    s.data[at + 12:at + 16] = crc(s.data[at:at + 12])
    for first in range(0, count, 4096):
        begin = at + 16 + first * 20 + first // 4096 * 4
        end = begin + min(4096, count - first) * 20
        for i in range(first, min(first + 4096, count)):
            if i < len(entries):
                place = begin + (i - first) * 20 + 12
                s.data[place:place + 8] = entries[i]
        s.data[end:end + 4] = crc(s.data[begin:end] + last)


class TooLong(Exception):
    pass


def restored(make_reader, data):
    """The original, or the message of the refusal, and what was written."""
    pieces, length = [], 0

    def write(piece):
        nonlocal length
        length += len(piece)
        if length > MOST:
            raise TooLong
        pieces.append(piece)

    def give_up(*_):
        raise TooLong

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(SECONDS)
    try:
        make_reader(io.BytesIO(data)).restore(write)
    except Refused as error:
        return f"{type(error).__name__}: {error}", b"".join(pieces)
    except TooLong:
        return LIMIT, b""
    finally:
        signal.alarm(0)
    return None, b"".join(pieces)


def by_tool(program, path, data):
    """The same by nc3compress, from a file or, with data, from a pipe."""
    done = subprocess.run(
        [program, "-dc", "-T1", "--max-size", str(MOST), *([] if data
                                                           else [path])],
        input=data, capture_output=True, check=False)
    message = done.stderr.decode(errors="replace").strip()
    if done.returncode == 1 and "limit" in message:
        return LIMIT, b""
    if done.returncode in (1, 4):
        return message, b""
    if done.returncode:
        return f"exit status {done.returncode}: BAD", b""
    return None, done.stdout


def sources(rng, program):
    """Archives to be changed: forged ones and such of nc3compress."""
    found = [forge.example().build(), forge.repeated().build()]
    for seed in range(6):
        maker = Maker(random.Random(seed))
        found.append(forge.example(
            [maker.block(1000) for _ in range(4)], 1000).build())
    found += [broken_context.among_others(block).build()
              for _, block in broken_context.RIGHT]
    for size in 300, 350, 570, 590, 599:
        found.append(forge.example(size=size).build())
    for path in sorted((TESTDATA / "classic").iterdir()):
        if rng.random() < 0.3 and path.stat().st_size < 40000:
            done = subprocess.run(
                [program, "-q", "-c", "--codec=store", path],
                capture_output=True, check=False)
            if done.returncode in (0, 3) and len(done.stdout) < 20000:
                found.append(done.stdout)
    return found, forge.large().build()


def mutant(rng, archives, large):
    data = bytearray(large if rng.random() < 0.02 else rng.choice(archives))
    s = Structure(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        place = s.places(rng)
        data[place] = rng.choice((
            data[place] ^ 1 << rng.randrange(8), 0, 1, 255,
            (data[place] + rng.choice((-1, 1))) % 256))
    deep = rng.random() < 0.7
    s = repair(data, deep)
    if not deep:
        return bytes(data)
    message, written = restored(SeekingReader, bytes(data))
    if message == "Damaged: SHA-256 of the original" and b"N3CT" in s.sections:
        at = s.sections[b"N3CT"]
        if data[at + 4] == 0:
            data[at + 40:at + 72] = hashlib.sha256(written).digest()
            mend_section(s, b"N3CT")
    return bytes(data)


def check(data, program, path):
    """Whether all agree, and how it came out."""
    path.write_bytes(data)
    results = {
        "decode.py": restored(SeekingReader, data),
        "one_pass.py": restored(OnePassReader, data),
        "file": by_tool(program, path, None),
        "pipe": by_tool(program, path, data),
    }
    messages = [message for message, _ in results.values()]
    if any("BAD" in (message or "") for message in messages):
        return False, "bad", results
    if LIMIT in messages:
        return True, LIMIT, results
    accepted = [message is None for message in messages]
    if all(accepted):
        same = len({written for _, written in results.values()}) == 1
        return same, "restored", results
    return not any(accepted), "refused", results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    program = (options.bin / "nc3compress").resolve()
    archives, large = sources(random.Random(5), program)
    counts, failures = {}, 0
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "mutant.nc3z"
        for seed in range(options.first, options.first + options.count):
            data = mutant(random.Random(seed), archives, large)
            agree, how, results = check(data, program, path)
            counts[how] = counts.get(how, 0) + 1
            if not agree:
                failures += 1
                print(f"seed {seed}: {how}", {
                    name: (message or "restored", len(written))
                    for name, (message, written) in results.items()})
    print(f"{options.count} mutants of {len(archives) + 1} archives:",
          ", ".join(f"{how} {n}" for how, n in sorted(counts.items())),
          f"; {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
