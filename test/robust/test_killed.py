#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kill -9 and other signals at any call of the system: the data are always
there, whole.

The program packs, restores or converts, and is killed before its n-th call.
Then the source is there, or a whole archive; whatever has a final name is
whole; and the next run comes to the same end as an undisturbed one, and leaves
no temporary file.  This is tried on the file system of temporary files, on a
tmpfs, and through bindfs, which has no files without a name (O_TMPFILE).

NC3Z_KILLS says how often each operation is killed on each of them (12; more
also kill nc3farm on all of them): at each call once, or where that is too often
at the last ones and at evenly spread ones, then at random ones.  NC3Z_SEED is
for those, and is printed.
--log FILE appends a line for each operation, as in LOG.md.
"""

import argparse
import datetime
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile

from tools import FARM_DIRECTORIES, FARM_JOURNAL, TEMPORARY, Bundle, Journal, \
    classic_file, expect, fill, plan_bundle

FEW_KILLS = 12
KILLS = int(os.environ.get("NC3Z_KILLS", FEW_KILLS))
SEED = int(os.environ.get("NC3Z_SEED", "0")) or random.randrange(1, 10**6)
LAST = 7


class Operation:
    """What is there before and after.

    note       what the name has besides the arguments
    program    if it is not nc3compress
    carriers   bytes of which some are there at any time
    are_apart  files were not modified at the same time
    promise    more that holds at any time; it has a method check()
    varies     names whose bytes no two runs have in common
    """

    def __init__(self, args, before, after, **more):
        self.args, self.before, self.after = args, before, after
        self.program = more.get("program", "nc3compress")
        self.name = " ".join(args if self.program == "nc3compress" else
                             [self.program, *args]) + more.get("note", "")
        self.carriers = more.get("carriers")
        self.are_apart = more.get("are_apart", False)
        self.promise = more.get("promise")
        self.varies = more.get("varies", ())

    def is_end(self, files):
        """Whether that is what is to be there in the end."""
        return set(files) == set(self.after) and \
            all(data == self.after[name] for name, data in files.items()
                if name not in self.varies) and \
            not (self.promise and self.promise.check(files))

    def has_both(self, files):
        """Whether source and output are there."""
        return set(files) == {*self.before, *self.after} and len(files) > 1


class Place:
    """A directory to work in, on some file system."""

    def __init__(self, name, directory, programs, library):
        self.name, self.directory = name, pathlib.Path(directory)
        self.programs, self.library = programs, library
        self.is_named = False
        self.count = pathlib.Path(tempfile.mkdtemp(prefix="nc3z-test-"))

    def fill(self, op):
        fill(self.directory, op.before, op.are_apart,
             FARM_DIRECTORIES if op.program == "nc3farm" else ())

    def files(self):
        return {str(entry.relative_to(self.directory)): entry.read_bytes()
                for entry in self.directory.rglob("*") if entry.is_file()}

    def command(self, args, program):
        if program == "nc3farm":
            return [sys.executable, "-B", self.programs / program, *args]
        return [self.programs / program, *args]

    def run(self, *args, fault=None, is_named=False, program="nc3compress"):
        env = dict(os.environ)
        if fault:
            env.update(LD_PRELOAD=str(self.library), NC3Z_FAULT=fault,
                       NC3Z_FAULT_COUNT=str(self.count / "count"))
        if is_named or self.is_named:
            env.update(LD_PRELOAD=str(self.library), NC3Z_FAULT_NAMED="1")
        return subprocess.run(self.command(args, program), cwd=self.directory,
                              env=env, stdin=subprocess.DEVNULL, check=False,
                              capture_output=True)

    def count_calls(self, op):
        """How many calls an undisturbed run makes."""
        self.fill(op)
        done = self.run(*op.args, fault="any -1 KILL", program=op.program)
        expect(done.returncode == 0, op.name, done.stderr)
        expect(op.is_end(self.files()), op.name, sorted(self.files()))
        return int((self.count / "count").read_text(encoding="ascii"))

    def has_unnamed(self):
        try:
            os.close(os.open(self.directory, os.O_TMPFILE | os.O_RDWR))
            return True
        except OSError:
            return False


def part_operations(place, source, archive):
    """Files in parts."""
    names = [f"x.nc.nc3z.part-{part}" for part in ("1-of-2", "2-of-2",
                                                   "sha256")]
    made = {}
    for options in ["-1"], []:
        fill(place.directory, source)
        for part in "1/2", "2/2", "sha256":
            done = place.run(f"--part={part}", *options, "x.nc")
            expect(done.returncode == 0, done.stderr)
        old, made = made, {name: (place.directory / name).read_bytes()
                           for name in names}
    first = {names[0]: made[names[0]]}
    join = ["--join", "-o", "x.nc.nc3z", *names]
    return [
        Operation(["--part=1/2", "x.nc"], source, {**source, **first}),
        Operation(["--part=1/2", "-f", "x.nc"],
                  {**source, names[0]: old[names[0]]}, {**source, **first}),
        Operation(["--part=sha256", "x.nc"], source,
                  {**source, names[2]: made[names[2]]}),
        Operation(join, made, {**made, **archive}, carriers=[*first.values()],
                  program="nc3convert"),
        Operation(["-f", *join],
                  {**made, "x.nc.nc3z": b"another"}, {**made, **archive},
                  carriers=[*first.values()], program="nc3convert"),
    ]


def update_operations(place, source, archive, old):
    """What finds outputs that are there, and lines about inputs that go."""
    stale = {"x.nc.nc3z": place.other}
    before = b'{"name": "before", "result": "packed", "status": 0}\n'
    both = {**source, **archive}
    return [
        Operation(["--update", "x.nc"], source, both),
        Operation(["--update", "x.nc"], {**source, **old}, both,
                  are_apart=True, note=" (stale archive)"),
        Operation(["--update", "-b4K", "x.nc"], {**source, **place.shorter},
                  {**source, **place.cut}, are_apart=True,
                  note=" (file that grew)"),
        Operation(["--update", "--rm", "x.nc"], both, archive),
        Operation(["--update=replace", "--rm", "x.nc"], {**source, **stale},
                  archive, are_apart=True),
        Operation(["-d", "--rm", "x.nc.nc3z"], both, source,
                  note=" (file found)"),
        Operation(["--rm", "-o", "out/y.nc3z", "x.nc"],
                  {**source, "out/y.nc3z": archive["x.nc.nc3z"]},
                  {"out/y.nc3z": archive["x.nc.nc3z"]}),
        Operation(["-d", "--update", "x.nc.nc3z"], archive, both),
        Operation(["-d", "--update", "-f", "x.nc.nc3z"],
                  {**archive, "x.nc": b"another"}, both),
        Operation(["--rm", "--journal=j", "x.nc"], source,
                  {**archive, "j": b""}, promise=Journal("j", ["x.nc"]),
                  varies=["j"]),
        Operation(["-d", "--update", "--rm", "--journal=j", "x.nc.nc3z"],
                  {**archive, "j": before}, {**source, "j": b""},
                  promise=Journal("j", ["x.nc.nc3z"], before), varies=["j"]),
        Operation(["--rm", "--output-dir=out", "x.nc"], source,
                  {"out/x.nc.nc3z": archive["x.nc.nc3z"]}),
    ]


def farm_operation(place, archive):
    """A tar of archives with its index."""
    archives = {f"t/{name}.nc.nc3z": archive["x.nc.nc3z"] for name in "ab"}
    farm = place.programs / "nc3farm"
    before, tar = plan_bundle(farm, place.directory, archives)
    args = ["work", "w", "0"]
    done = place.run(*args, program="nc3farm")
    expect(done.returncode == 0, done.stderr)
    return Operation(args, before,
                     {**before, tar: (place.directory / tar).read_bytes()},
                     program="nc3farm", promise=Bundle(tar),
                     varies=[FARM_JOURNAL])


def make_operations(place):
    """With what they make; and the files that have the data, as such or as
    an archive."""
    classic_file(place.directory / "x.nc", 2, length=3000, seed=2)
    done = place.run("-c", "x.nc")
    expect(done.returncode == 0, done.stderr)
    place.other = done.stdout
    classic_file(place.directory / "x.nc", 2, length=3000)
    place.shorter = {"x.nc.nc3z": place.run("-c", "-b4K", "x.nc").stdout}
    classic_file(place.directory / "x.nc", 3, length=3000)
    source = {"x.nc": (place.directory / "x.nc").read_bytes()}

    def made(*args, program="nc3compress", out="-c"):
        done = place.run(*args, out, program=program)
        expect(done.returncode == 0, args, done.stderr)
        return done.stdout

    archive = {"x.nc.nc3z": made("x.nc")}
    place.cut = {"x.nc.nc3z": made("-b4K", "x.nc")}
    old = {"x.nc.nc3z": made("-1", "--codec", "deflate", "x.nc")}
    tiled = {"x.nc.nc3z": made("--chunks", "time/1,x/500", "x.nc")}
    (place.directory / "x.nc.nc3z").write_bytes(archive["x.nc.nc3z"])
    recoded = {"x.nc.nc3z": made("-7", "x.nc.nc3z", program="nc3convert",
                                out="-o-")}
    carriers = {data for files in (source, archive, old, tiled, recoded)
                for data in files.values()}
    expect(len(carriers) == 5)
    for data in carriers - {source["x.nc"]}:
        (place.directory / "x.nc.nc3z").write_bytes(data)
        expect(made("-d", "x.nc.nc3z") == source["x.nc"])
    return carriers, [
        Operation(["--rm", "x.nc"], source, archive),
        Operation(["--rm", "-f", "x.nc"], {**source, **old}, archive),
        Operation(["-d", "--rm", "x.nc.nc3z"], archive, source),
        Operation(["-d", "--rm", "-f", "x.nc.nc3z"],
                  {**archive, "x.nc": b"another"}, source),
        Operation(["--chunks", "time/1,x/500", "-f", "x.nc.nc3z"], archive,
                  tiled, program="nc3convert"),
        Operation(["-7", "-f", "x.nc.nc3z"], archive, recoded,
                  program="nc3convert"),
        *update_operations(place, source, archive, old),
        *part_operations(place, source, archive),
        *([farm_operation(place, archive)]
          if place.name == "temporary" or KILLS > FEW_KILLS else []),
    ]


class Campaign:
    """One operation in one place, killed again and again."""

    def __init__(self, place, op, carriers):
        self.place, self.op = place, op
        self.carriers = op.carriers or carriers
        self.killed = self.runs = 0
        self.counts = {"finished": 0, "both": 0, "temporary": 0}
        self.wrong = []

    def numbers(self, ncalls, rng):
        """The last calls, where names come and go; then each call, or evenly
        spread ones; then random ones."""
        step = max(1, ncalls // max(1, KILLS - LAST))
        if step > 1:
            yield from range(max(0, ncalls - LAST), ncalls)
        yield from range(SEED % step, ncalls, step)
        for _ in range(10 * KILLS):
            yield rng.randrange(ncalls)

    def check_left(self, what):
        """What a killed run left."""
        op, files = self.op, self.place.files()
        final = {n: d for n, d in files.items() if not n.endswith(TEMPORARY)}
        for name, data in final.items():
            expect(name in op.varies or
                   data in (op.before.get(name), op.after.get(name)), what,
                   name, "is not whole")
        broken = op.promise and op.promise.check(files)
        expect(not broken, what, broken)
        expect(any(data in self.carriers for data in final.values()), what,
               "neither source nor archive:", sorted(files))
        self.counts["finished"] += op.is_end(final)
        self.counts["both"] += op.has_both(final)
        self.counts["temporary"] += len(final) < len(files)
        return final

    def check_next(self, what, final):
        """The next run of the same command; where source and output are there
        it has to be told to replace."""
        place, op = self.place, self.op
        done = place.run(*op.args, program=op.program)
        left = place.files()
        expect(not any(n.endswith(TEMPORARY) for n in left), what,
               "the next run left a temporary file:", sorted(left),
               done.stderr)
        if not op.is_end(left):
            expect(op.has_both(final) and b"already exists" in done.stderr,
                   what, "the next run:", done.returncode, done.stderr)
            done = place.run("-f", *op.args)
            expect(done.returncode == 0 and op.is_end(place.files()), what,
                   "the next run with -f:", done.stderr)

    def kill(self, number):
        place, op = self.place, self.op
        place.fill(op)
        done = place.run(*op.args, fault=f"any {number} KILL",
                         program=op.program)
        self.runs += 1
        if done.returncode != -signal.SIGKILL:
            expect(done.returncode == 0, op.name, done.stderr)
            return
        self.killed += 1
        what = f"{place.name}: {op.name}: killed at call {number}:"
        try:
            self.check_next(what, self.check_left(what))
        except AssertionError as error:
            self.wrong.append(error)

    def run(self):
        op = self.op
        ncalls = self.place.count_calls(op)
        numbers = self.numbers(ncalls, random.Random(f"{SEED} {op.name}"))
        for number in numbers:
            if self.killed == KILLS:
                break
            self.kill(number)
        expect(self.killed == KILLS, op.name, "was killed only", self.killed,
               "times in", self.runs)
        c = self.counts
        return (f"| {self.place.name} | `{op.name}` | {ncalls} | "
                f"{self.killed} | {c['finished']} | {c['both']} | "
                f"{c['temporary']} | {len(self.wrong) or 'none'} |")


SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


def check_signals(place, op):
    """Signals that can be caught: the program ends by them, and takes its
    temporary file with it."""
    for number in SIGNALS:
        # One that whoever started this test ignores would be ignored.
        handler = signal.signal(number, signal.SIG_DFL)
        for call in "read 3", "write 0", "write 4", "attributes 1", "sync 0":
            for is_named in False, True:
                place.fill(op)
                fault = f"{call} {signal.Signals(number).name[3:]}"
                done = place.run(*op.args, fault=fault, is_named=is_named)
                what = op.name, fault, "named" if is_named else "unnamed"
                expect(done.returncode == -number, *what, done.returncode,
                       done.stderr)
                expect(place.files() == op.before, *what,
                       sorted(place.files()))
        signal.signal(number, handler)
    return "signals: ok"


class Places:
    """Makes them, says which cannot be had, and takes them away again."""

    def __init__(self, options):
        self.programs = options.bin.resolve()
        self.library = options.library.resolve()
        self.directories, self.mounts = [], []
        self.wanted = options.places

    def directory(self, where=None):
        directory = tempfile.mkdtemp(prefix="nc3z-test-", dir=where)
        self.directories.append(directory)
        return directory

    def place(self, name, directory):
        place = Place(name, directory, self.programs, self.library)
        self.directories.append(place.count)
        return place

    def tmpfs(self):
        """Where a tmpfs is mounted that may be written to."""
        with open("/proc/mounts", encoding="utf-8") as mounts:
            found = [line.split()[1] for line in mounts
                     if line.split()[2] == "tmpfs"]
        for where in sorted(found, key=lambda path: path != "/dev/shm"):
            if os.access(where, os.W_OK):
                return self.place("tmpfs", self.directory(where))
        print("skipped on tmpfs: none that may be written to")
        return None

    def named(self, why):
        """What stands in for bindfs: calls to O_TMPFILE fail."""
        print("skipped on bindfs, O_TMPFILE fails instead:", why)
        place = self.place("named", self.directory())
        place.is_named = True
        return place

    def bindfs(self):
        if not shutil.which("bindfs"):
            return self.named("not installed")
        at = self.directory()
        done = subprocess.run(["bindfs", self.directory(), at], check=False,
                              capture_output=True, text=True)
        if done.returncode != 0 or not os.path.ismount(at):
            return self.named("FUSE cannot be used here: " +
                              done.stderr.strip())
        self.mounts.append(at)
        place = self.place("bindfs", at)
        expect(not place.has_unnamed(), "bindfs has files without a name")
        return place

    def all(self):
        """Those that are asked for, as far as they can be had."""
        makers = {
            "temporary": lambda: self.place("temporary", self.directory()),
            "tmpfs": self.tmpfs, "bindfs": self.bindfs}
        places = [makers[name]() for name in self.wanted]
        return [place for place in places if place]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for at in self.mounts:
            if subprocess.run(["umount", at], check=False,
                              capture_output=True).returncode != 0:
                subprocess.run(["fusermount3", "-u", at], check=True)
        for directory in self.directories:
            shutil.rmtree(directory)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--library", required=True, type=pathlib.Path)
    parser.add_argument("--log", type=pathlib.Path)
    parser.add_argument("places", nargs="*", help="of these only",
                        default=["temporary", "tmpfs", "bindfs"])
    options = parser.parse_args()
    print(f"seed {SEED}, {KILLS} kills each")
    lines, wrong = [], []
    with Places(options) as places:
        for place in places.all():
            carriers, operations = make_operations(place)
            if place.name == "temporary":
                print(check_signals(place, operations[0]), flush=True)
            for op in operations:
                campaign = Campaign(place, op, carriers)
                lines.append(f"| {datetime.date.today()} | {SEED} "
                             + campaign.run())
                wrong += campaign.wrong
                print(lines[-1], flush=True)
    if not lines:
        print("skipped: nothing was killed")
        return 77
    print(*wrong[:50], sep="\n")
    if options.log:
        with open(options.log, "a", encoding="utf-8") as log:
            log.write("\n".join(lines) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
