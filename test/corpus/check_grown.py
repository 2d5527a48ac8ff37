#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that grow: an archive of fewer records is brought up to date, and must
be, byte for byte, what packing the whole file makes.

Each file with records is cut at some numbers of records, packed, and then
grows to what it is.  With the options of the older archive, its blocks are
copied; with others, the file is packed anew.

NC3Z_GROWN=all also takes the real files of NC3Z_CORPUS, ten cuts of each.
"""

import argparse
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "testdata"))

from classic_writer import CHAR, DOUBLE, FLOAT, SHORT, ClassicWriter, Var, \
    encode, sample  # noqa: E402

TAKES_ALL = os.environ.get("NC3Z_GROWN") == "all"
CORPUS = os.environ.get("NC3Z_CORPUS")
# Of files of the corpus.
OPTIONS = [["-1"], ["-5", "-b4K"], ["-9", "-b4K"], ["-5"], ["-9"],
           ["-5", "-b4K", "--chunks=series"], ["-5", "--chunks=balanced"],
           ["-3", "--codec=deflate"]]
# Of a long file: how many records it has, and had.
LONG = [(["-1", "-b4K"], 140, (139, 66)), (["-5", "-b4K"], 140, (100,)),
        (["-5", "-b4K", "-T1"], 66, (65, 64, 9)), (["-9", "-b4K"], 40, (37,)),
        (["-5", "-b4K", "--chunks=time/16"], 140, (100,)),
        (["-4", "-b16K", "--codec=bzip2"], 140, (120,))]
WIDTHS = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}


def rolled(data, nbytes):
    """The same bytes, beginning with others."""
    nbytes %= len(data)
    return data[nbytes:] + data[:nbytes]


def long_file(nrecords, history=b"made"):
    """A file whose streams have blocks of several searches for recipes, with
    -b4K: values of several kinds, some of which come again."""
    names = (("noisy", FLOAT), ("smooth", DOUBLE), ("packed", SHORT),
             ("text", CHAR), ("static", FLOAT), ("zero", FLOAT),
             ("changes", FLOAT))
    values = {name: encode(kind, sample(kind, 1000, 1)) for name, kind in names}
    head = ClassicWriter(
        2, (("time", 0), ("x", 1000)), records=nrecords,
        atts=[("history", CHAR, history)],
        variables=[Var(name, kind, "time x") for name, kind in names] +
        [Var("time", DOUBLE, "time")]).head()
    rng = random.Random(5)
    out = [head]
    for r in range(nrecords):
        noisy = bytearray(rolled(values["noisy"], 4 * r))
        noisy[3::4] = rng.randbytes(1000)
        out += [
            noisy, rolled(values["smooth"], 8 * r),
            rolled(values["packed"], 2 * r), rolled(values["text"], r),
            values["static"], bytes(4000),
            noisy[:2000] * 2 if r % 50 > 20 else bytes(4000),
            struct.pack(">d", r / 4)]
    return b"".join(out)


def short_file(nrecords):
    """A file whose streams have several variables each."""
    head = ClassicWriter(1, (("time", 0), ("x", 20)), records=nrecords,
                         variables=[Var(f"v{i}", SHORT, "time x")
                                    for i in range(9)]).head()
    return head + random.Random(5).randbytes(nrecords * 9 * 40)


class Header:
    """Where the records of a classic file are; 'nbytes' is 0 without any."""

    def __init__(self, data):
        self.data, self.at = data, 4
        self.width = 8 if data[3] == 5 else 4
        self.nrecords = self.number()
        self.number(4)
        lengths = [self.dimension() for _ in range(self.number())]
        self.skip_attributes()
        self.number(4)
        found = [self.variable(lengths) for _ in range(self.number())]
        records = [pair for pair in found if pair]
        self.begin = min((begin for begin, _ in records), default=0)
        self.nbytes = records[0][1] if len(records) == 1 else \
            sum(nbytes + -nbytes % 4 for _, nbytes in records)

    def number(self, width=0):
        width = width or self.width
        self.at += width
        return int.from_bytes(self.data[self.at - width:self.at], "big")

    def skip(self, nbytes):
        self.at += nbytes + -nbytes % 4

    def dimension(self):
        self.skip(self.number())
        return self.number()

    def skip_attributes(self):
        self.number(4)
        for _ in range(self.number()):
            self.skip(self.number())
            width = WIDTHS[self.number(4)]
            self.skip(self.number() * width)

    def variable(self, lengths):
        self.skip(self.number())
        ids = [self.number() for _ in range(self.number())]
        self.skip_attributes()
        nbytes = WIDTHS[self.number(4)]
        self.number()
        begin = self.number(4 if self.data[3] == 1 else 8)
        if not ids or lengths[ids[0]] != 0:
            return None
        for each in ids[1:]:
            nbytes *= lengths[each]
        return begin, nbytes

    def cut(self, nrecords):
        """The file when it had so many records."""
        return self.data[:4] + nrecords.to_bytes(self.width, "big") + \
            self.data[4 + self.width:self.begin + nrecords * self.nbytes]


def expect(condition, *what):
    if not condition:
        print(*what)
        sys.exit(1)


class Lab:
    """A directory with one file, and its archive."""

    def __init__(self, programs, directory):
        self.program = programs / "nc3compress"
        self.directory = pathlib.Path(directory)
        self.file = self.directory / "x.nc"
        self.archive = self.directory / "x.nc.nc3z"
        self.ncopied = self.nblocks = 0

    def pack(self, *options):
        done = subprocess.run([self.program, "-v", *options, self.file],
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)
        expect(done.returncode in (0, 3), self.file, options, done.stderr)
        return done.stderr

    def fresh(self, data, options):
        """What packing makes of it."""
        self.file.write_bytes(data)
        self.pack("-f", *options)
        return self.archive.read_bytes()

    def update(self, before, after, options, fresh):
        """The archive of one state, brought up to date with another."""
        self.fresh(before, options[0])
        self.file.write_bytes(after)
        update = [] if "--update=replace" in options[1] else ["--update"]
        said = self.pack(*options[1], *update)
        expect(self.archive.read_bytes() == fresh, "not as packing makes it",
               options, said)
        found = re.search(r"(\d+) of (\d+) blocks copied", said)
        if found:
            self.ncopied += int(found[1])
            self.nblocks += int(found[2])
        return said


def cuts_of(nrecords, count):
    """So many numbers of records, also odd ones and the last."""
    every = {nrecords * i // (count + 1) for i in range(1, count + 1)}
    return sorted({*every, nrecords - 1} - {0, nrecords})


def check_file(lab, name, data, options, cuts):
    """Grows from each of the cuts, and once with other options."""
    header = Header(data)
    if not header.nbytes or header.nrecords < 2 or \
            len(data) < header.begin + header.nrecords * header.nbytes:
        return
    fresh = lab.fresh(data, options)
    may_differ = "-9" in options or "--chunks=balanced" in options
    for nrecords in cuts or cuts_of(header.nrecords, 10):
        said = lab.update(header.cut(nrecords), data, (options, options),
                          fresh)
        expect((may_differ or "by another version" not in said) and
               "does not have" not in said, name, options, nrecords, said)
    other = ["-2" if options[0] != "-2" else "-3", *options[1:]]
    lab.update(header.cut(header.nrecords - 1), data, (other, options), fresh)


def check_changed(lab):
    """Blocks of a file that has not grown, but whose attributes or values are
    other ones; and of an archive that is damaged."""
    options, data = ["-5", "-b4K"], long_file(80)
    begin = Header(data).begin
    edited = bytearray(data)
    for record in (10, 11, 30, 70):
        edited[begin + record * Header(data).nbytes + 8] ^= 1
    for other in long_file(80, b"made, and changed since"), bytes(edited):
        replacing = [*options, "--update=replace"]
        said = lab.update(data, other, (options, replacing),
                          lab.fresh(other, options))
        expect("copied" in said, said)
    before = Header(data).cut(77)
    fresh = lab.fresh(data, options)
    packed = lab.fresh(before, options)
    for at in range(20000, len(packed), len(packed) // 6):
        damaged = bytearray(packed)
        damaged[at] ^= 1
        lab.file.write_bytes(data)
        lab.archive.write_bytes(damaged)
        lab.pack("--update=replace", *options)
        expect(lab.archive.read_bytes() == fresh, "damage at", at)


def check_other(lab):
    """The archive of what the file does not begin with stays, wherever a byte
    of it is another one."""
    for data, options in ((long_file(24), ["-1", "-b4K", "--chunks=time/16"]),
                          (long_file(24), ["-1"]), (short_file(50), ["-5"])):
        header = Header(data)
        before = header.cut(header.nrecords - 4)
        packed = lab.fresh(before, options)
        for at in (3, 8, header.begin - 1, header.begin, len(before) - 1,
                   *range(len(before) - header.nbytes, len(before),
                          header.nbytes // 5)):
            changed = bytearray(data)
            changed[at] ^= 1
            lab.file.write_bytes(changed)
            done = subprocess.run(
                [lab.program, "-q", "--update", *options, lab.file],
                stdin=subprocess.DEVNULL, capture_output=True, check=False)
            expect(done.returncode == 1 and
                   lab.archive.read_bytes() == packed, options, at, done)


def paths():
    """Those of the corpus."""
    if not CORPUS:
        sys.exit(77)
    yield from sorted((pathlib.Path(CORPUS) / "real").iterdir())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nc3z-test-") as directory:
        lab = Lab(arguments.bin.resolve(), directory)
        for options, nrecords, cuts in LONG:
            check_file(lab, "long", long_file(nrecords), options, cuts)
        check_file(lab, "short", short_file(50), ["-5"], (49, 3, 1))
        check_changed(lab)
        check_other(lab)
        for path in paths() if TAKES_ALL else ():
            data = path.read_bytes()
            for options in OPTIONS if data[:3] == b"CDF" else ():
                check_file(lab, path.name, data, options, None)
    print(f"{lab.ncopied} of {lab.nblocks} blocks copied")
    expect(lab.ncopied > 0, "nothing was copied")


if __name__ == "__main__":
    main()
