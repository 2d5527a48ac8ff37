#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each call of the system and each allocation fails once, disks are full at
each byte, inputs change under the reader: nothing is lost, nothing half is left
behind, and the program says what went wrong.

The calls fail by a preloaded library, faults.c.  Everything is done with
NC3Z_FAULTS=all, otherwise a sample.
"""

import argparse
import errno
import itertools
import os
import pathlib
import re
import subprocess
import sys

from tools import Bench, classic_file, expect

TEMPORARY = "-tmp"
FILE_LACKS_MEMORY = re.compile(rb"^nc3c\w+: [^:]+: out of memory$",
                               re.MULTILINE)
NEEDS_LESS = b": fewer threads (-T1) need less memory"


class Task:
    """One way to run a program: the files that it finds, those that it must
    leave when all goes well, and what it then prints."""

    def __init__(self, name, args, before, after, stdin=None, stdout=b"",
                 program="nc3compress", named=False):
        self.name, self.args, self.program = name, args, program
        self.before, self.after = before, after
        self.stdin, self.stdout = stdin, stdout
        self.named = named
        # HDF5 does not live without memory.
        self.needs_memory = "--to=netcdf4" in args


class Faults:
    """A directory, a preloaded library, and the figures."""

    def __init__(self, bench, options):
        self.bench, self.library = bench, options.library.resolve()
        self.directory = options.bin.resolve()
        self.done = bench.path("fault-done")
        self.work = bench.path("work")
        self.work.mkdir()
        self.stdin, self.stdout = bench.path("stdin"), bench.path("stdout")
        self.injected, self.survived = {}, {}
        self.wrong = []

    def fill(self, files):
        for entry in self.work.iterdir():
            if entry.name not in files or \
                    entry.read_bytes() != files[entry.name]:
                entry.unlink()
        for name, data in files.items():
            if not (self.work / name).exists():
                (self.work / name).write_bytes(data)

    def run(self, task, fault=None, path=None):
        """Whether the fault happened, the exit status, what was printed."""
        self.fill(task.before)
        self.stdin.write_bytes(task.stdin or b"")
        env = dict(os.environ, LD_PRELOAD=str(self.library))
        if fault:
            env.update(NC3Z_FAULT=fault, NC3Z_FAULT_DONE=str(self.done))
        if path:
            env["NC3Z_FAULT_PATH"] = str(path)
        if task.named:
            env["NC3Z_FAULT_NAMED"] = "1"
        with open(self.stdin, "rb") as stdin, \
                open(self.stdout, "wb") as stdout:
            result = subprocess.run(
                [self.directory / task.program, *task.args], cwd=self.work,
                env=env, stdin=stdin, stdout=stdout,
                stderr=subprocess.PIPE, check=False)
        happened = self.done.exists()
        if happened:
            self.done.unlink()
        return happened, result, self.stdout.read_bytes()

    def names(self):
        return {entry.name: entry.read_bytes()
                for entry in self.work.iterdir()}

    def check(self, task, fault, result, printed):
        """What holds after every run, whatever failed."""
        files, code = self.names(), result.returncode
        what = f"{task.name}, {fault}: exit {code}, {sorted(files)}, " + \
            repr(result.stderr)
        expect(code in (0, 1), what)
        whole = dict(task.before)
        whole.update(task.after)
        for name, data in files.items():
            if name.endswith(TEMPORARY):
                expect(fault.startswith("unlink"), what)
                continue
            expect(data in (whole[name], task.before.get(name)),
                   what, name, "is not whole")
        if code == 0:
            left = {n for n in files if not n.endswith(TEMPORARY)}
            expect(left == set(task.after), what)
            expect(all(files[n] == task.after[n] for n in left), what)
            expect(printed == task.stdout, what, "other output")
            return
        expect(result.stderr.startswith(task.program.encode() + b": ")
               and result.stderr.endswith(b"\n"), what)
        # Where a file is named, a job has failed: then comes what to do.
        if "-q" not in task.args and FILE_LACKS_MEMORY.search(result.stderr):
            expect(NEEDS_LESS in result.stderr, what)
        expect("list" in task.name or task.stdout.startswith(printed), what,
               "wrong output")
        # One that fails is no reason to leave others.
        for name in task.args[-2:] if "two files" in task.name else ():
            expect(name.encode() in result.stderr or name + "4" in files, what)
        # The input goes only when the output is there.
        gone = set(task.before) - set(files)
        expect(not gone or set(task.after) <= set(files), what)

    def inject(self, task, call, how, numbers, may_fail=True):
        """One fault after the other, until there are no more such calls."""
        for number in numbers:
            fault = f"{call} {number} {how}"
            happened, result, printed = self.run(task, fault)
            try:
                self.check(task, fault, result, printed)
                expect(result.returncode == 0 or (happened and may_fail),
                       task.name, fault, result.stderr)
            except AssertionError as e:
                self.wrong.append(e)
            if not happened:
                break
            self.injected[call] = self.injected.get(call, 0) + 1
            if result.returncode == 0:
                self.survived[call] = self.survived.get(call, 0) + 1


def make_tasks(faults):
    """All tasks, with what they make."""
    classic_file(faults.bench.path("x.nc"), 2, length=700)
    plain = faults.bench.path("x.nc").read_bytes()

    def made(*args, program="nc3compress", **files):
        task = Task("made", args, {n.replace("_", "."): d
                                   for n, d in files.items()}, {},
                    program=program)
        _, result, printed = faults.run(task)
        expect(result.returncode == 0, result.stderr)
        return printed

    archive = made("-T1", "-c", "x.nc", x_nc=plain)
    chunked = made("-T1", "-c", "--chunks", "time/2,x/100", "x.nc", x_nc=plain)
    recoded = made("-T1", "-7", "-o-", "x.nc.nc3z", program="nc3convert",
                   x_nc_nc3z=archive)
    old = made("-T1", "-c", "-1", "--codec", "deflate", "x.nc", x_nc=plain)
    expect(len({archive, chunked, recoded, old}) == 4)
    source, packed = {"x.nc": plain}, {"x.nc.nc3z": archive}
    both = {**source, **packed}
    tasks = [
        Task("pack", ["-T1", "x.nc"], source, both),
        Task("pack, named", ["-T1", "x.nc"], source, both, named=True),
        Task("pack, rm", ["-T1", "--rm", "x.nc"], source, packed),
        Task("pack, rm, named, threads", ["-T2", "--rm", "x.nc"], source,
             packed, named=True),
        Task("pack, replace", ["-T1", "-f", "x.nc"],
             {**source, "x.nc.nc3z": old}, both),
        Task("pack, replace, named", ["-T1", "-f", "x.nc"],
             {**source, "x.nc.nc3z": old}, both, named=True),
        Task("pack, chunks", ["-T1", "--chunks", "time/2,x/100", "x.nc"],
             source, {**source, "x.nc.nc3z": chunked}),
        Task("pack, pipes", ["-T1"], {}, {}, plain, archive),
        Task("restore", ["-T1", "-d", "x.nc.nc3z"], packed, both),
        Task("restore, named, sparse", ["-T1", "-d", "--sparse", "x.nc.nc3z"],
             packed, both, named=True),
        Task("restore, rm", ["-T2", "-d", "--rm", "x.nc.nc3z"], packed,
             source),
        Task("restore, chunks", ["-T1", "-d", "-o", "x.nc", "x.nc.nc3z"],
             {"x.nc.nc3z": chunked}, {**source, "x.nc.nc3z": chunked}),
        Task("restore, pipes", ["-T1", "-d"], {}, {}, archive, plain),
        Task("recode", ["-T1", "-7", "-f", "x.nc.nc3z"], packed,
             {"x.nc.nc3z": recoded}, program="nc3convert"),
        Task("rechunk, named", ["-T1", "--chunks", "time/2,x/100", "-f",
                                "x.nc.nc3z"], packed, {"x.nc.nc3z": chunked},
             program="nc3convert", named=True),
        Task("restore, in places", ["-T1", "-d", "--max-memory", "4K", "-o",
                                    "x.nc", "x.nc.nc3z"],
             {"x.nc.nc3z": chunked}, {**source, "x.nc.nc3z": chunked}),
        Task("test, in stripes", ["-T1", "-q", "-t", "--max-memory", "4K",
                                 "x.nc.nc3z"],
             {"x.nc.nc3z": chunked}, {"x.nc.nc3z": chunked}),
        Task("test", ["-T1", "-t", "x.nc.nc3z"], packed, packed),
        Task("list", ["-l", "-v", "x.nc.nc3z"], packed, packed,
             stdout=made("-l", "-v", "x.nc.nc3z", x_nc_nc3z=archive)),
        Task("list, JSON", ["-l", "-v", "--json", "x.nc.nc3z"], packed,
             packed, stdout=made("-l", "-v", "--json", "x.nc.nc3z",
                                 x_nc_nc3z=archive)),
    ]
    for args in (["x.nc.nc3z"], ["--blocks", "x.nc.nc3z"],
                 ["-v", "a[1,0:9]", "x.nc.nc3z"]):
        tasks.append(Task("dump " + " ".join(args), args, packed, packed,
                          program="nc3dump",
                          stdout=made(*args, program="nc3dump",
                                      x_nc_nc3z=archive)))
    return tasks + make_netcdf4_tasks(faults, source)


def make_netcdf4_tasks(faults, source):
    """Exact netCDF-4, if it can be made."""
    two = {**source, "y.nc": source["x.nc"]}
    _, result, _ = faults.run(Task("made", ["--to=netcdf4", "x.nc"], source,
                                   {}, program="nc3convert"))
    if b"HDF5" in result.stderr:
        print("skipped: built without HDF5")
        return []
    expect(result.returncode == 0, result.stderr)
    exact = {"x.nc4": (faults.work / "x.nc4").read_bytes()}
    return [
        Task("to netCDF-4, two files", ["-T1", "--to=netcdf4", "x.nc", "y.nc"],
             two, {**two, **exact, "y.nc4": exact["x.nc4"]},
             program="nc3convert"),
        Task("to netCDF-4, named, rm", ["-T1", "--to=netcdf4", "--rm", "x.nc"],
             source, exact, program="nc3convert", named=True),
        Task("from netCDF-4, rm", ["-T1", "--to=classic", "--rm", "x.nc4"],
             exact, source, program="nc3convert"),
    ]


FULL = ("pack", "pack, replace, named", "pack, pipes", "restore, rm",
        "restore, named, sparse", "to netCDF-4, two files")


def numbers_of(first, takes_all, step):
    """All numbers, or a sample that is another for each task."""
    return itertools.count(0 if takes_all else first % step,
                           1 if takes_all else step)


ERRORS = {
    "read": [errno.EIO], "write": [errno.EIO, errno.ENOSPC],
    "open": [errno.EMFILE, errno.EACCES], "stat": [errno.EIO],
    "sync": [errno.EIO, errno.ENOSPC], "close": [errno.EIO, errno.EINTR],
    "name": [errno.EIO, errno.EPERM, errno.EEXIST], "unlink": [errno.EIO],
    "seek": [errno.EIO], "truncate": [errno.EIO, errno.ENOSPC],
    "attributes": [errno.EIO, errno.EPERM], "lock": [errno.ENOLCK],
}


def test_calls(faults, tasks, takes_all):
    for i, task in enumerate(tasks):
        for k, (call, hows) in enumerate(ERRORS.items()):
            if not takes_all and (i + k) % 6 and not (
                    task.needs_memory and call == "write"):
                continue
            for how in hows if takes_all else hows[:1]:
                faults.inject(task, call, how, itertools.count())
        # Whoever gets no thread goes on without it.
        faults.inject(task, "thread", errno.EAGAIN, itertools.count(), False)
        for call, how in (("read", errno.EINTR), ("read", "short"),
                          ("write", errno.EINTR), ("write", "short")):
            faults.inject(task, call, how, numbers_of(i, takes_all, 12), False)


def test_allocations(faults, tasks, takes_all):
    for i, task in enumerate(tasks):
        if not task.needs_memory:
            faults.inject(task, "alloc", errno.ENOMEM,
                          numbers_of(i, takes_all, 17))


def test_full_disk(faults, tasks, takes_all):
    """Bytes of standard output and of files together."""
    for i, task in enumerate(tasks):
        if task.name in FULL:
            faults.inject(task, "full", errno.ENOSPC,
                          numbers_of(i, takes_all, 997))


def test_changing_input(faults, tasks, takes_all):
    """An input that is not what it was: an error, unless it had been read."""
    for i, task in enumerate(tasks):
        if task.stdin or "two files" in task.name or \
                task.program not in ("nc3compress", "nc3convert"):
            continue
        name = task.args[-1]
        for how in "shrink", "grow", "touch":
            for number in numbers_of(i, takes_all, 12):
                fault = f"read {number} {how}"
                happened, result, _ = faults.run(task, fault,
                                                 faults.work / name)
                if not happened:
                    break
                call = "change"
                faults.injected[call] = faults.injected.get(call, 0) + 1
                try:
                    check_changed(faults, task, fault, result)
                except AssertionError as e:
                    faults.wrong.append(e)


def check_changed(faults, task, fault, result):
    files, name = faults.names(), task.args[-1]
    what = f"{task.name}, {fault}: exit {result.returncode}, " + \
        f"{sorted(files)}, {result.stderr}"
    expect(result.returncode in (0, 1, 4), what)
    expect(name in files, what, "a changed input was removed")
    expect(not any(n.endswith(TEMPORARY) for n in files), what)
    for other, data in files.items():
        if other != name:
            expect(data in (task.after.get(other), task.before.get(other)),
                   what, other, "is not whole")
    if result.returncode == 0:
        faults.survived["change"] = faults.survived.get("change", 0) + 1
        expect(task.args[0] not in ("x.nc",), what)
    else:
        expect(result.stderr.startswith(f"{task.program}: ".encode()), what)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--library", required=True, type=pathlib.Path)
    options = parser.parse_args()
    takes_all = os.environ.get("NC3Z_FAULTS") == "all"
    tests = [test_calls, test_full_disk, test_changing_input]
    # A sanitizer has an allocator of its own.
    if not os.environ.get("NC3Z_SANITIZE"):
        tests.append(test_allocations)
    with Bench(options.bin / "nc3compress") as bench:
        faults = Faults(bench, options)
        tasks = make_tasks(faults)
        for test in tests:
            test(faults, tasks, takes_all)
    for call, count in faults.injected.items():
        print(f"{call}: {count} faults, {faults.survived.get(call, 0)} "
              "without effect, the others reported")
    print(*faults.wrong[:50], sep="\n")
    expect(not faults.wrong, len(faults.wrong), "wrong")
    expect(len(faults.injected) >= 13, faults.injected)


if __name__ == "__main__":
    sys.exit(main())
