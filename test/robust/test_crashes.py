#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Power cuts: whatever may be left on disk has the whole file or a whole
archive, and the next run goes on from there.

Each operation is run once, its system calls are recorded, and each state that
a power cut may leave (crash_states.py has the rules) is made in a directory.
There each file with a final name must be whole, none may be missing that the
operation promises to keep, and the next run must come to a good end.

As the negative control the same recordings without their fsync() calls, of
files or of directories, must leave states in which something is lost.

NC3Z_CRASHES=all takes every state, otherwise some of them.  --table FILE
appends the rows of the table in format-spec/nc3z-rationale.md.
"""

import argparse
import errno
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

from crash_states import NoTrace, SyncAll, SyncDirectory, SyncFile, \
    read_directory, record
from tools import Bench, classic_file, expect

TAKES_ALL = os.environ.get("NC3Z_CRASHES") == "all"
TEMPORARY = ".nc3z-tmp"


class Operation:
    """Something that the programs do.

    before   what is there: name -> bytes, all of it on disk
    after    names that are there when all went well, besides those in 'keeps'
    needs    pairs of bytes and names: in each state one of the names is there
             and has these bytes, or is an archive of them
    loses    which calls, left out, must lead to losses
    stdout   the file that a shell makes of standard output
    is_named the system has no files without a name
    is_blind the directory may be written to, but not opened
    inject   what strace is to do to calls
    """

    def __init__(self, name, args, before, after, needs, loses=(), **more):
        self.name, self.args, self.before = name, args, before
        self.after, self.needs, self.loses = set(after), needs, loses
        self.stdout = more.get("stdout")
        self.is_named = more.get("is_named", False)
        self.is_blind = more.get("is_blind", False)
        self.inject = more.get("inject", ())


def make_operations(lab):
    """One row each."""
    plain, other = lab.plain, lab.other
    source = {"x.nc": plain}
    packed = {"x.nc.nc3z": lab.pack(plain)}
    old = {"x.nc.nc3z": lab.pack(plain, "-1", "--codec", "deflate")}
    damaged = bytearray(packed["x.nc.nc3z"])
    damaged[len(damaged) // 2] ^= 1
    damaged = bytes(damaged)
    many = {f"y/{i}.nc.nc3z": packed["x.nc.nc3z"] for i in range(9)}
    archive, restored = ["x.nc.nc3z"], ["x.nc"]
    pair = plain, ("x.nc", "x.nc.nc3z")
    file, directory = SyncFile, SyncDirectory
    no_link = "link,linkat:error=EPERM"
    return [
        Operation("pack --rm", ["--rm", "x.nc"], source, archive, [pair],
                  [file, directory]),
        Operation("pack --rm, named temporary", ["--rm", "x.nc"], source,
                  archive, [pair], [file, directory], is_named=True),
        Operation("pack --rm, named temporary, no links", ["--rm", "x.nc"],
                  source, archive, [pair], [file, directory], is_named=True,
                  inject=[no_link]),
        Operation("pack --rm, directory that cannot be opened",
                  ["--rm", "x.nc"], source, archive, [pair], [file],
                  is_blind=True),
        Operation("pack --rm -r, two files", ["--rm", "-r", "."],
                  {"a/x.nc": plain, "b/y.nc": other},
                  ["a/x.nc.nc3z", "b/y.nc.nc3z"],
                  [(plain, ("a/x.nc", "a/x.nc.nc3z")),
                   (other, ("b/y.nc", "b/y.nc.nc3z"))],
                  [file, directory]),
        Operation("pack --rm -o in another directory",
                  ["--rm", "-o", "out/x.nc.nc3z", "in/x.nc"],
                  {"in/x.nc": plain, "out/readme": b"-"},
                  ["out/x.nc.nc3z", "out/readme"],
                  [(plain, ("in/x.nc", "out/x.nc.nc3z"))], [file, directory]),
        Operation("pack --rm -f over an archive", ["--rm", "-f", "x.nc"],
                  {**source, **old}, archive, [pair, (plain, archive)],
                  [file]),
        Operation("pack -f over an archive, named temporary",
                  ["-f", "x.nc"], {**source, **old}, [*restored, *archive],
                  [(plain, restored), (plain, archive)], [file],
                  is_named=True),
        Operation("restore --rm", ["-d", "--rm", "x.nc.nc3z"], packed,
                  restored, [pair], [file, directory]),
        Operation("restore --rm -f over another file",
                  ["-d", "--rm", "-f", "x.nc.nc3z"], {**packed, "x.nc": other},
                  restored, [pair], [file, directory]),
        Operation("restore --rm --sparse, named temporary",
                  ["-d", "--rm", "--sparse", "x.nc.nc3z"], packed, restored,
                  [pair], [file, directory], is_named=True),
        Operation("--rechunk -f", ["--rechunk", "time/1,x/350", "-f",
                                   "x.nc.nc3z"], packed, archive,
                  [(plain, archive)], [file]),
        Operation("--rechunk -f, named temporary",
                  ["--rechunk", "time/1,x/350", "-f", "x.nc.nc3z"], packed,
                  archive, [(plain, archive)], [file], is_named=True),
        Operation("--recode -f", ["--recode", "-9", "-f", "x.nc.nc3z"],
                  packed, archive, [(plain, archive)], [file]),
        Operation("--salvage", ["--salvage", "-o", "s.nc3z", "damaged"],
                  {"damaged": damaged}, ["damaged", "s.nc3z"],
                  [(damaged, ["damaged"])], [file]),
        Operation("--salvage, named temporary",
                  ["--salvage", "-o", "s.nc3z", "damaged"],
                  {"damaged": damaged}, ["damaged", "s.nc3z"],
                  [(damaged, ["damaged"])], [file], is_named=True),
        Operation("--manifest > FILE", ["--manifest", "-r", "y"], many,
                  [*many, "SHA256SUMS"], [(plain, [name]) for name in many],
                  stdout="SHA256SUMS"),
    ]


class Lab:
    """Where states are made and judged."""

    def __init__(self, bench, options):
        self.program = (options.bin / "nc3compress").resolve()
        self.library = options.library.resolve()
        self.directory, self.where = bench.path("state"), bench.path("run")
        self.scratch = bench.path("scratch")
        self.scratch.mkdir()
        self.verdicts = {}
        classic_file(self.scratch / "x.nc", 2, length=700)
        self.plain = (self.scratch / "x.nc").read_bytes()
        classic_file(self.scratch / "y.nc", 1, length=400, seed=2)
        self.other = (self.scratch / "y.nc").read_bytes()

    def run(self, *args, directory=None, stdout=subprocess.PIPE):
        return subprocess.run([self.program, "-T1", *args], check=False,
                              cwd=directory or self.scratch, stdout=stdout,
                              stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)

    def pack(self, data, *options):
        (self.scratch / "p").write_bytes(data)
        done = self.run("-c", *options, "p")
        expect(done.returncode == 0, done.stderr)
        return done.stdout

    def fill(self, directory, files):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        for name, data in files.items():
            (directory / name).parent.mkdir(exist_ok=True)
            (directory / name).write_bytes(data)

    def record(self, op):
        if not op.is_blind:
            return self.record_with(op)
        # The call that opens it is found by letting each call of open() fail.
        for number in range(20):
            try:
                found = self.record_with(op, f"open {number} {errno.EACCES}")
            except AssertionError:
                continue
            if not any(isinstance(change, SyncDirectory)
                       for change in found[0].changes):
                return found
        raise AssertionError(f"{op.name}: no such call was found")

    def record_with(self, op, fault=None):
        self.fill(self.where, op.before)
        # Leak detection does not work under a tracer.
        names = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") +
                 ":detect_leaks=0"}
        if op.is_named or fault:
            names["LD_PRELOAD"] = str(self.library)
        if op.is_named:
            names["NC3Z_FAULT_NAMED"] = "1"
        if fault:
            names["NC3Z_FAULT"] = fault
        recording, code, said = record(
            [self.program, "-T1", *op.args], self.where, op.stdout,
            [f"{key}={value}" for key, value in names.items()], op.inject)
        # A salvaged archive that is not whole is told by 3.
        expect(code == (3 if "--salvage" in op.args else 0), op.name, said)
        good = read_directory(self.where)
        expect(set(good) == op.after, op.name, "left", sorted(good))
        return recording, good

    def restored(self, path, archive):
        """What the archive at that path restores to, None if it is not whole;
        the programs are asked once for the same bytes."""
        key = hashlib.sha256(archive).digest()
        if key not in self.verdicts:
            test, back = self.run("-t", path), self.run("-d", "-c", path)
            self.verdicts[key] = back.stdout if \
                test.returncode == back.returncode == 0 else None
        return self.verdicts[key]


class Trial:
    """The states of one operation."""

    def __init__(self, lab, op):
        self.lab, self.op = lab, op
        self.recording, self.good = lab.record(op)
        self.originals = {name: self.find_original(name)
                          for name in {**self.good, **op.before}
                          if name.endswith(".nc3z")}

    def find_original(self, archive):
        """What an archive of this name is to restore to."""
        known = {**self.op.before, **self.good}
        if archive[:-len(".nc3z")] in known:
            return known[archive[:-len(".nc3z")]]
        return self.lab.restored(self.lab.where / archive,
                                 self.good[archive])

    def is_whole(self, name, data):
        """A file with a final name: as before or as after, nothing else."""
        op, lab = self.op, self.lab
        if name == op.stdout:
            return True
        if name in self.originals:
            restored = lab.restored(lab.directory / name, data)
            if restored is None or restored != self.originals[name]:
                return False
        return data in (op.before.get(name), self.good.get(name))

    def loss(self, state):
        """What is lost or not whole in a state, or None."""
        for name, data in state.items():
            if not name.endswith(TEMPORARY) and not self.is_whole(name, data):
                return f"{name} is not whole"
        for data, names in self.op.needs:
            if not any(self.has(state, name, data) for name in names):
                return "none is there of " + ", ".join(names)
        return None

    def has(self, state, name, data):
        """Whether a file of a state has these bytes, or is an archive of
        them."""
        return name in state and data in (
            state[name], name in self.originals and
            self.lab.restored(self.lab.directory / name, state[name]))

    def go_on(self, *more):
        """The next run."""
        op, directory = self.op, self.lab.directory
        if not op.stdout:
            return self.lab.run(*more, *op.args, directory=directory)
        with open(directory / op.stdout, "wb") as out:
            return self.lab.run(*more, *op.args, directory=directory,
                                stdout=out)

    def is_done(self):
        left = read_directory(self.lab.directory)
        return left == self.good

    def check_manifest(self):
        """What a power cut left of a list never makes a good file bad."""
        op, directory = self.op, self.lab.directory
        if op.stdout and (directory / op.stdout).exists():
            done = self.lab.run("--check-manifest", op.stdout,
                                directory=directory)
            expect(b"FAILED" not in done.stdout, "a good file is called bad:",
                   done.stdout, done.stderr)

    def check(self, state):
        """One state; whether the next run had to be told -f, as both files
        were there, whole."""
        lab = self.lab
        lab.fill(lab.directory, state)
        loss = self.loss(state)
        expect(loss is None, loss)
        if self.is_done():
            return False
        self.check_manifest()
        done = self.go_on()
        if self.is_done():
            return False
        expect(b"output already exists" in done.stderr, "the next run:",
               done.returncode, done.stderr,
               sorted(read_directory(lab.directory)))
        done = self.go_on("-f")
        expect(self.is_done(), "the next run with -f:", done.stderr,
               sorted(read_directory(lab.directory)))
        return True

    def states(self):
        """All, or a sample of those that differ in temporary files alone."""
        step = 1 if TAKES_ALL else 7
        seen = set()
        for number, state in enumerate(self.recording.states()):
            key = frozenset((name, None if name.endswith(TEMPORARY) else data)
                            for name, data in state.items())
            if number % step == 0 or key not in seen:
                yield state
            seen.add(key)

    def run(self):
        """(states, of them with -f, what was wrong)."""
        nstates = nforced = 0
        wrong = []
        for state in self.states():
            nstates += 1
            try:
                nforced += self.check(state)
            except AssertionError as error:
                wrong.append(f"{self.op.name}: {describe(state)}: {error}")
        return nstates, nforced, wrong

    def control(self, kind):
        """Without its calls of a kind the run must lose something."""
        for state in self.recording.without(kind, SyncAll).states():
            self.lab.fill(self.lab.directory, state)
            loss = self.loss(state)
            if loss:
                return f"{describe(state)}: {loss}"
        return None


def describe(state):
    return "{" + ", ".join(f"{name}: {len(data)} bytes"
                           for name, data in sorted(state.items())) + "}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--library", required=True, type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    total, wrong, rows = 0, [], []
    with Bench(options.bin / "nc3compress") as bench:
        lab = Lab(bench, options)
        for op in make_operations(lab):
            trial = Trial(lab, op)
            nstates, nforced, bad = trial.run()
            for kind in op.loses:
                if not trial.control(kind):
                    bad.append(f"{op.name}: without {kind.__name__} nothing "
                               "is lost: this test cannot fail")
            total += nstates
            wrong += bad
            rows.append(f"| {op.name} | {trial.recording.ncalls} | "
                        f"{len(trial.recording.changes)} | {nstates} | "
                        f"{nforced} | {len(bad) or 'none'} |")
            print(rows[-1], flush=True)
    print(f"{total} states checked", *wrong[:50], sep="\n")
    if options.table:
        options.table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except NoTrace as error:
        print(f"skipped: nothing can be traced here: {error}")
        sys.exit(77)
