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
writes the rows of the table in LOG.md.
"""

import argparse
import errno
import hashlib
import os
import pathlib
import subprocess
import sys

from crash_states import NoTrace, SyncAll, SyncDirectory, SyncFile, \
    read_directory, record
from tools import FARM_DIRECTORIES, FARM_JOURNAL, TEMPORARY, Bench, \
    Bundle, Journal, classic_file, expect, fill, plan_bundle

TAKES_ALL = os.environ.get("NC3Z_CRASHES") == "all"


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
    program  if it is not nc3compress
    unsure   names in 'before' that are not on disk yet, and may be torn
    forced   with which options the next run replaces what is in the way
    are_apart  files were not modified at the same time
    directories  that are there, also without files
    promise  more that holds in each state; it has a method check()
    varies   names whose bytes no two runs have in common; 'promise' looks
             at them
    """

    def __init__(self, name, args, before, after, needs, loses=(), **more):
        self.name, self.args, self.before = name, args, before
        self.after, self.needs, self.loses = set(after), needs, loses
        self.stdout = more.get("stdout")
        self.is_named = more.get("is_named", False)
        self.is_blind = more.get("is_blind", False)
        self.inject = more.get("inject", ())
        self.program = more.get("program", "nc3compress")
        self.unsure = more.get("unsure", ())
        self.forced = more.get("forced", ("-f",))
        self.are_apart = more.get("are_apart", False)
        self.directories = more.get("directories", ())
        self.promise = more.get("promise")
        self.varies = more.get("varies", ())


def part_operations(lab):
    """Files in parts."""
    plain, file = lab.plain, SyncFile
    source = {"x.nc": plain}
    names = [f"x.nc.nc3z.part-{part}" for part in ("1-of-2", "2-of-2",
                                                   "sha256")]
    old, parts = lab.parts(plain, names, "-1"), lab.parts(plain, names)
    archive = {"x.nc.nc3z": lab.pack(plain, "-1")}
    join = ["--join", "-o", "x.nc.nc3z", *names]
    kept = [(data, [name]) for name, data in {**source, **parts}.items()]
    return [
        Operation("--part", ["--part=1/2", "x.nc"], source,
                  ["x.nc", names[0]], [(plain, ["x.nc"])], [file]),
        Operation("--part, named temporary", ["--part=2/2", "x.nc"], source,
                  ["x.nc", names[1]], [(plain, ["x.nc"])], [file],
                  is_named=True),
        Operation("--part -f over a part of other options",
                  ["--part=1/2", "-f", "x.nc"],
                  {**source, names[0]: old[names[0]]}, ["x.nc", names[0]],
                  [(plain, ["x.nc"])], [file]),
        Operation("--part=sha256", ["--part=sha256", "x.nc"], source,
                  ["x.nc", names[2]], [(plain, ["x.nc"])], [file]),
        Operation("--join", join, {**source, **parts},
                  ["x.nc", "x.nc.nc3z", *names], kept, [file],
                  program="nc3convert"),
        Operation("--join, named temporary", join, {**source, **parts},
                  ["x.nc", "x.nc.nc3z", *names], kept, [file], is_named=True,
                  program="nc3convert"),
        Operation("--join -f over an archive", ["-f", *join],
                  {**parts, **archive}, ["x.nc.nc3z", *names],
                  [*kept[1:], (plain, ["x.nc.nc3z"])], [file],
                  program="nc3convert"),
    ]


def update_operations(lab):
    """What finds outputs that are there."""
    plain, file, directory = lab.plain, SyncFile, SyncDirectory
    source, packed = {"x.nc": plain}, {"x.nc.nc3z": lab.pack(plain)}
    old = {"x.nc.nc3z": lab.pack(plain, "-1", "--codec", "deflate")}
    stale = {"x.nc.nc3z": lab.pack(lab.other)}
    shorter = {"x.nc.nc3z": lab.pack(lab.shorter, "-b4K")}
    cut = {**source, "x.nc.nc3z": lab.pack(plain, "-b4K")}
    both, pair = {**source, **packed}, (plain, ("x.nc", "x.nc.nc3z"))
    kept = [(plain, ["x.nc"])]
    return [
        Operation("--update", ["--update", "x.nc"], source, both, kept,
                  [file]),
        Operation("--update, times are lost", ["--update", "x.nc"], source,
                  both, kept, [file], are_apart=True),
        Operation("--update over the archive of a file that grew",
                  ["--update", "-b4K", "x.nc"], {**source, **shorter}, cut,
                  kept, [file], are_apart=True),
        Operation("--update=replace over a stale archive",
                  ["--update=replace", "x.nc"], {**source, **stale}, both,
                  kept, [file], are_apart=True),
        Operation("--update over an archive of another time, named temporary",
                  ["--update", "x.nc"], {**source, **old}, both,
                  [*kept, (plain, ["x.nc.nc3z"])], [file], are_apart=True,
                  is_named=True),
        Operation("--update --rm", ["--update", "--rm", "x.nc"], source,
                  packed, [pair], [file, directory]),
        Operation("--update --rm, archive found that is not on disk",
                  ["--update", "--rm", "x.nc"], both, packed, [pair],
                  [file, directory], unsure=["x.nc.nc3z"],
                  forced=("-f", "--update=replace")),
        Operation("pack --rm, archive found that is not on disk",
                  ["--rm", "x.nc"], both, packed, [pair], [file, directory],
                  unsure=["x.nc.nc3z"],
                  forced=("-f", "--update=replace")),
        Operation("--update=replace --rm over a stale archive",
                  ["--update=replace", "--rm", "x.nc"], {**source, **stale},
                  packed, [pair], [file, directory], are_apart=True),
        Operation("--update=replace --rm over a stale archive, named temporary",
                  ["--update=replace", "--rm", "x.nc"], {**source, **stale},
                  packed, [pair], [file, directory], are_apart=True,
                  is_named=True),
        Operation("restore --update", ["-d", "--update", "x.nc.nc3z"], packed,
                  both, [(plain, ["x.nc.nc3z"])], [file]),
        Operation("restore --update -f over another file",
                  ["-d", "--update", "-f", "x.nc.nc3z"],
                  {**packed, "x.nc": lab.other}, both,
                  [(plain, ["x.nc.nc3z"])], [file], are_apart=True),
        Operation("restore --update --rm", ["-d", "--update", "--rm",
                                            "x.nc.nc3z"], packed, source,
                  [pair], [file, directory]),
        Operation("restore --rm, file found that is not on disk",
                  ["-d", "--rm", "x.nc.nc3z"], both, source, [pair],
                  [file, directory], unsure=["x.nc"]),
    ]


def netcdf4_operations(lab):
    """What holds a classic file as an archive does, if it can be made here."""
    plain, file, directory = lab.plain, SyncFile, SyncDirectory
    made, other = {"x.nc4": lab.netcdf4(plain)}, {"x.nc": lab.other}
    if not made["x.nc4"]:
        return []
    source, packed = {"x.nc": plain}, {"x.nc.nc3z": lab.pack(plain)}
    pair = plain, ("x.nc", "x.nc.nc3z", "x.nc4")

    def operation(name, args, before, after, **more):
        return Operation(f"nc3convert {name}", [f"--to={args[0]}", *args[1:]],
                         before, after, more.pop("needs", [pair]),
                         [file, directory][:more.pop("nloses", 2)],
                         program="nc3convert", **more)
    return [
        operation("--to=netcdf4 --rm", ["netcdf4", "--rm", "x.nc"], source,
                  made),
        operation("--to=netcdf4 --rm, named temporary",
                  ["netcdf4", "--rm", "x.nc"], source, made, is_named=True),
        operation("--to=netcdf4 --rm of an archive",
                  ["netcdf4", "--rm", "x.nc.nc3z"], packed, made),
        operation("--to=netcdf4 --rm, file found that is not on disk",
                  ["netcdf4", "--rm", "x.nc"], {**source, **made}, made,
                  unsure=["x.nc4"], forced=("-f", "--update=replace")),
        operation("--to=netcdf4 --update=replace over another file's",
                  ["netcdf4", "--update=replace", "x.nc.nc3z"],
                  {**packed, "x.nc4": lab.netcdf4(lab.other)},
                  {**packed, **made}, needs=[(plain, ["x.nc.nc3z"])],
                  nloses=1, are_apart=True),
        operation("--to=nc3z --rm", ["nc3z", "--rm", "x.nc4"], made, packed),
        operation("--to=classic --rm", ["classic", "--rm", "x.nc4"], made,
                  source),
        operation("--to=classic --rm -f over another file",
                  ["classic", "--rm", "-f", "x.nc4"], {**made, **other},
                  source),
    ]


def journal_operations(lab):
    """Lines about inputs that go."""
    plain, other, packed = lab.plain, lab.other, lab.pack(lab.plain)
    file, directory = SyncFile, SyncDirectory
    lines = b'{"name": "before", "result": "packed", "status": 0}\n'
    two = {"a/x.nc": plain, "b/y.nc": other}
    return [
        Operation("pack --rm --journal", ["--rm", "--journal=j", "x.nc"],
                  {"x.nc": plain}, ["x.nc.nc3z", "j"],
                  [(plain, ("x.nc", "x.nc.nc3z"))], [file, directory],
                  promise=Journal("j", ["x.nc"]), varies=["j"]),
        Operation("pack --rm -r --journal in a directory of its own, two files",
                  ["--rm", "--update", "-r", "--journal=log/j", "a", "b"],
                  {**two, "log/readme": b"-"},
                  ["a/x.nc.nc3z", "b/y.nc.nc3z", "log/j", "log/readme"],
                  [(plain, ("a/x.nc", "a/x.nc.nc3z")),
                   (other, ("b/y.nc", "b/y.nc.nc3z"))], [file, directory],
                  promise=Journal("log/j", two), varies=["log/j"]),
        Operation("pack --rm --journal that has lines, archive found",
                  ["--rm", "--journal=log/j", "x.nc"],
                  {"x.nc": plain, "x.nc.nc3z": packed, "log/j": lines},
                  ["x.nc.nc3z", "log/j"], [(plain, ("x.nc", "x.nc.nc3z"))],
                  [file], unsure=["x.nc.nc3z"],
                  forced=("-f", "--update=replace"),
                  promise=Journal("log/j", ["x.nc"], lines),
                  varies=["log/j"]),
    ]


def directory_operations(lab):
    """Outputs in directories that are made."""
    two = {"in/a/b/x.nc": lab.plain, "in/y.nc": lab.other}
    return [
        Operation("pack --rm -r --output-dir",
                  ["--rm", "-r", "--update", "--output-dir=out", "in"], two,
                  ["out/a/b/x.nc.nc3z", "out/y.nc.nc3z"],
                  [(lab.plain, ("in/a/b/x.nc", "out/a/b/x.nc.nc3z")),
                   (lab.other, ("in/y.nc", "out/y.nc.nc3z"))],
                  [SyncFile, SyncDirectory], directories=["in/a/b"]),
    ]


def farm_operation(lab):
    """The one program besides nc3compress that writes archives: into a tar,
    with an index."""
    archives = {"t/x.nc.nc3z": lab.pack(lab.plain),
                "t/y.nc.nc3z": lab.pack(lab.other)}
    before, tar = plan_bundle(lab.programs / "nc3farm", lab.directory,
                              archives)
    return Operation(
        "nc3farm: a tar with its index", ["work", "w", "0"], before,
        {*before, tar},
        [(data, [name]) for name, data in archives.items()], [SyncFile],
        program="nc3farm", directories=FARM_DIRECTORIES,
        promise=Bundle(tar), varies=[FARM_JOURNAL])


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
        *part_operations(lab), *update_operations(lab),
        *journal_operations(lab), *directory_operations(lab),
        *netcdf4_operations(lab),
        farm_operation(lab),
        Operation("pack --rm", ["--rm", "x.nc"], source, archive, [pair],
                  [file, directory]),
        Operation("pack --rm, named temporary", ["--rm", "x.nc"], source,
                  archive, [pair], [file, directory], is_named=True),
        Operation("pack --rm, named temporary, no links", ["--rm", "x.nc"],
                  source, archive, [pair], [file, directory], is_named=True,
                  inject=[no_link]),
        Operation("pack --rm, named temporary, link() gives EIO",
                  ["--rm", "x.nc"], source, archive, [pair], [file, directory],
                  is_named=True, inject=["link,linkat:error=EIO"]),
        Operation("pack --rm, named temporary, no links and no renameat2()",
                  ["--rm", "x.nc"], source, archive, [pair], [file, directory],
                  is_named=True,
                  inject=[no_link, "renameat2:error=EINVAL"]),
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
        Operation("nc3convert --chunks -f", ["--chunks", "time/1,x/350",
                                             "-f", "x.nc.nc3z"], packed,
                  archive, [(plain, archive)], [file], program="nc3convert"),
        Operation("nc3convert --chunks -f, named temporary",
                  ["--chunks", "time/1,x/350", "-f", "x.nc.nc3z"], packed,
                  archive, [(plain, archive)], [file], is_named=True,
                  program="nc3convert"),
        Operation("nc3convert -f", ["-7", "-f", "x.nc.nc3z"], packed, archive,
                  [(plain, archive)], [file], program="nc3convert"),
        Operation("nc3salvage", ["-o", "s.nc3z", "damaged"],
                  {"damaged": damaged}, ["damaged", "s.nc3z"],
                  [(damaged, ["damaged"])], [file], program="nc3salvage"),
        Operation("nc3salvage, named temporary",
                  ["-o", "s.nc3z", "damaged"],
                  {"damaged": damaged}, ["damaged", "s.nc3z"],
                  [(damaged, ["damaged"])], [file], is_named=True,
                  program="nc3salvage"),
        Operation("nc3manifest > FILE", ["-r", "y"], many,
                  [*many, "SHA256SUMS"], [(plain, [name]) for name in many],
                  stdout="SHA256SUMS", program="nc3manifest"),
    ]


class Lab:
    """Where states are made and judged."""

    def __init__(self, bench, options):
        self.programs = options.bin.resolve()
        self.library = options.library.resolve()
        self.directory = bench.path("state")
        self.scratch = bench.path("scratch")
        self.scratch.mkdir()
        self.verdicts = {}
        classic_file(self.scratch / "x.nc", 2, length=700)
        self.plain = (self.scratch / "x.nc").read_bytes()
        classic_file(self.scratch / "y.nc", 1, length=700)
        self.shorter = (self.scratch / "y.nc").read_bytes()
        classic_file(self.scratch / "y.nc", 1, length=400, seed=2)
        self.other = (self.scratch / "y.nc").read_bytes()

    def command(self, program, args):
        if program == "nc3farm":
            return [sys.executable, "-B", self.programs / program, *args]
        return [self.programs / program, "-T1", *args]

    def run(self, *args, program="nc3compress", directory=None,
            stdout=subprocess.PIPE):
        return subprocess.run(self.command(program, args), check=False,
                              cwd=directory or self.scratch, stdout=stdout,
                              stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)

    def pack(self, data, *options):
        (self.scratch / "p").write_bytes(data)
        done = self.run("-c", *options, "p")
        expect(done.returncode == 0, done.stderr)
        return done.stdout

    def netcdf4(self, data):
        """Exact netCDF-4; None where it cannot be made."""
        (self.scratch / "p").write_bytes(data)
        done = self.run("--to=netcdf4", "-o-", "p", program="nc3convert")
        if b"HDF5" in done.stderr:
            print("skipped: nc3convert --to=netcdf4:", done.stderr)
            return None
        expect(done.returncode == 0, done.stderr)
        return done.stdout

    def parts(self, data, names, *options):
        """The files that --part makes, in parts 1, 2 and sha256."""
        fill(self.directory, {"x.nc": data})
        for part in "1/2", "2/2", "sha256":
            done = self.run(f"--part={part}", *options, "x.nc",
                            directory=self.directory)
            expect(done.returncode == 0, done.stderr)
        return {name: (self.directory / name).read_bytes() for name in names}

    def fill(self, op, files):
        fill(self.directory, files, op.are_apart, op.directories)

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
        self.fill(op, op.before)
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
            self.command(op.program, op.args), self.directory, op.stdout,
            [f"{key}={value}" for key, value in names.items()], op.inject)
        # A salvaged archive that is not whole is told by 3.
        expect(code == (3 if op.program == "nc3salvage" else 0), op.name, said)
        good = read_directory(self.directory)
        expect(set(good) == op.after, op.name, "left", sorted(good))
        return recording.unsure(op.unsure), good

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
                          if name.endswith((".nc3z", ".nc4"))}

    def find_original(self, archive):
        """What an archive of this name is to restore to."""
        known = {**self.op.before, **self.good}
        name = archive[:archive.index(".nc") + len(".nc")]
        if name in known:
            return known[name]
        return self.lab.restored(self.lab.directory / archive,
                                 self.good[archive]) \
            if archive in self.good else None

    def is_whole(self, name, data):
        """A file with a final name: as before or as after, nothing else."""
        op, lab = self.op, self.lab
        if name == op.stdout or name in op.varies or name in op.unsure:
            return True
        if data == op.before.get(name):
            return True
        if name in self.originals and \
                lab.restored(lab.directory / name, data) != \
                self.originals[name]:
            return False
        return data == self.good.get(name)

    def loss(self, state):
        """What is lost or not whole in a state, or None."""
        for name, data in state.items():
            if not name.endswith(TEMPORARY) and not self.is_whole(name, data):
                return f"{name} is not whole"
        for data, names in self.op.needs:
            if not any(self.has(state, name, data) for name in names):
                return "none is there of " + ", ".join(names)
        return self.op.promise.check(state) if self.op.promise else None

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
            return self.lab.run(*op.args, *more, program=op.program,
                                directory=directory)
        with open(directory / op.stdout, "wb") as out:
            return self.lab.run(*op.args, *more, program=op.program,
                                directory=directory, stdout=out)

    def is_done(self):
        left = read_directory(self.lab.directory)
        promise, varies = self.op.promise, self.op.varies
        return set(left) == set(self.good) and \
            all(data == self.good[name] for name, data in left.items()
                if name not in varies) and \
            not (promise and promise.check(left))

    def check_manifest(self):
        """What a power cut left of a list never makes a good file bad."""
        op, directory = self.op, self.lab.directory
        if op.stdout and (directory / op.stdout).exists():
            done = self.lab.run("-c", op.stdout, program="nc3manifest",
                                directory=directory)
            expect(b"FAILED" not in done.stdout, "a good file is called bad:",
                   done.stdout, done.stderr)

    def put_noise_away(self, state):
        """A journal whose first line, which no removal has waited for, became
        the bytes of another file: it is refused, as such a file would be."""
        if not isinstance(self.op.promise, Journal):
            return
        path = self.op.promise.path
        if state.get(path, b"").lstrip(b"\0")[:1] in (b"", b"{", b"\n"):
            return
        done = self.go_on()
        expect(b"is not a journal" in done.stderr, done.stderr)
        (self.lab.directory / path).unlink()

    def check(self, state):
        """One state; whether the next run had to be told -f, as both files
        were there, whole."""
        lab = self.lab
        lab.fill(self.op, state)
        loss = self.loss(state)
        expect(loss is None, loss)
        if self.is_done():
            return False
        self.check_manifest()
        self.put_noise_away(state)
        done = self.go_on()
        if self.is_done():
            return False
        expect(b"output already exists" in done.stderr or
               self.op.unsure and b" exists" in done.stderr, "the next run:",
               done.returncode, done.stderr,
               sorted(read_directory(lab.directory)))
        done = self.go_on(*self.op.forced)
        expect(self.is_done(), "the next run, forced:", done.stderr,
               sorted(read_directory(lab.directory)))
        return True

    def states(self):
        """All, or a sample of those that differ alone in temporary files and
        in such as no two runs have in common."""
        op = self.op
        step = 1 if TAKES_ALL else 41 if op.program == "nc3farm" else 7
        seen = set()
        for number, state in enumerate(self.recording.states()):
            key = frozenset((name, None if name.endswith(TEMPORARY) or
                             name in op.varies else data)
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
            self.lab.fill(self.op, state)
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
    parser.add_argument("--only", default="", help="what names begin with")
    options = parser.parse_args()
    total, wrong, rows = 0, [], []
    with Bench(options.bin / "nc3compress") as bench:
        lab = Lab(bench, options)
        for op in make_operations(lab):
            if not op.name.startswith(options.only):
                continue
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
