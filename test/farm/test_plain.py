#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nc3farm with plain processes: all that it does, and all that can happen.

Without --all, what takes a few seconds.
"""

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import time

from common import (SECONDS_MAX, Place, classic_file, descendants, expect,
                    hold, kill, run_held, run_tests)

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--bin", required=True, type=os.path.abspath)
PARSER.add_argument("--all", action="store_true")
PARSER.add_argument("--only", default="")
PARSER.add_argument("--hold", action="store_true")
ARGUMENTS = PARSER.parse_args()
KILLS = int(os.environ.get("NC3Z_KILLS", "20"))


def test_pack_and_again():
    """Packed, collected, and run again without work."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(24, 20000)
        (p.tree / "notes.txt").write_text("no classic file")
        p.plan("--task-bytes=40K")
        expect(len(p.left()) > 3, "one task only")
        p.farm("collect", p.work, status=1)
        p.farm("run", "-j3", p.work)
        p.check_packed()
        state = json.loads(p.farm("status", "--json", p.work).stdout)
        expect(state["files_done"] == 24 and state["tasks_failed"] == [] and
               state["tasks"] == state["tasks_done"], state)
        text = p.farm("status", p.work).stdout
        expect(b"24 of 24 files done" in text, text)
        before = {f: f.stat().st_mtime_ns for f in p.work.rglob("done/*")}
        p.farm("run", p.work)
        expect(before == {f: f.stat().st_mtime_ns
                          for f in p.work.rglob("done/*")}, "done again")
        # Another plan finds all archives, and has the same manifest.
        sums = p.manifest()
        shutil.rmtree(p.work)
        p.plan()
        p.farm("run", p.work)
        expect(p.manifest() == sums, "another manifest")
        lines = (p.work / "done" / "000000").read_text().splitlines()[1:]
        expect({json.loads(line)["result"] for line in lines} == {"found"},
               "packed again")


def test_other_actions():
    """Archives are verified, written anew, put into tars, restored."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(12, 20000)
        for args, options in (((), ("-1",)), (("--verify",), ()),
                              (("--recode",), ("-9",)),
                              (("--rechunk=balanced",), ("-b", "4K"))):
            shutil.rmtree(p.work, ignore_errors=True)
            p.plan("--task-bytes=60K", *args, options=options)
            p.farm("run", "-j2", p.work)
            sums = p.manifest()
            expect(len(sums) == (24 if not args else 12), len(sums), args)
        shutil.rmtree(p.work)
        for name in p.sums:
            os.unlink(name)
        p.plan("--restore", options=())
        p.farm("run", p.work)
        p.check_packed()
        # A damaged archive is a failure with its name, and of it alone.
        shutil.rmtree(p.work)
        bad = next(p.tree.rglob("f1.nc.nc3z"))
        data = bytearray(bad.read_bytes())
        data[len(data) // 2] ^= 1
        bad.write_bytes(data)
        p.plan("--verify", options=())
        done = p.farm("run", p.work, status=1)
        expect(bytes(bad) in done.stderr, done.stderr)
        expect(p.farm("status", "--json", p.work).stdout.count(b"[0]"),
               "failure is not in the status")


def test_parts():
    """A large file in parts has the archive of packing at once."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(3, 10000)
        large = p.tree / "d0" / "large.nc"
        classic_file(large, 3000000, p.rng)
        p.sums[str(large)] = hashlib.sha256(large.read_bytes()).hexdigest()
        p.plan("--split=500K", options=("-3", "--verify"))
        archive = pathlib.Path(f"{large}.nc3z")
        archive.write_text("precious")
        p.farm("run", "-j2", p.work, status=1)
        expect(archive.read_text() == "precious", "replaced")
        archive.unlink()
        p.farm("run", "-j2", p.work)
        p.check_packed()
        p.compress("-3", "-o", p.path / "whole", large)
        expect((p.path / "whole").read_bytes() ==
               pathlib.Path(f"{large}.nc3z").read_bytes(), "other bytes")
        expect(not any((p.work / "parts").iterdir()), "parts are left")


def test_compressed():
    """The original of a compressed file has a name of its own."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(1, 20000)
        (name,) = p.sums
        subprocess.run(["gzip", name], check=True)
        done = p.farm("plan", p.tree, p.work, status=1)
        expect(b"0 files" in done.stdout and
               f"one: 1, the first is {name}.gz; name" in done.stderr.decode(),
               done.stdout, done.stderr)
        shutil.rmtree(p.work)
        p.plan(paths=[name + ".gz"])
        p.farm("run", p.work)
        text = p.farm("collect", p.work).stdout.decode()
        expect(f"{p.sums[name]}  {name}\n" in text, text)
        (p.path / "sums").write_text(text)
        done = p.compress("--check-manifest", p.path / "sums")
        expect(done.returncode == 0, done.stdout, done.stderr)


def test_bundle():
    """Archives in tars of a wanted size, whole, and in the order read."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(12, 20000)
        p.compress("-1qr", p.tree)
        p.plan("--bundle=60K", f"--output-dir={p.path / 'tars'}", options=())
        p.farm("run", "-j2", p.work)
        tars = sorted((p.path / "tars").iterdir())
        expect(len(tars) > 1, "one tar")
        names = []
        for path in tars:
            expect(path.stat().st_size < 90000, path.stat().st_size)
            with tarfile.open(path) as tar:
                members = tar.getmembers()
                expect(members[0].name == ".nc3z-index" and
                       members[-1].name == "SHA256SUMS", members)
                index = tar.extractfile(members[0]).read().split(b"\n")
                for line, m in zip(index[1:], members[1:]):
                    expect(line == b"%d %d %s" % (
                        m.offset_data - m.offset, m.size, os.fsencode(m.name)), line)
                directory = p.path / "out"
                tar.extractall(directory)
            done = subprocess.run(["sha256sum", "--quiet", "-c",
                                   "SHA256SUMS"], cwd=directory, check=False)
            expect(done.returncode == 0, "sums in", path)
            names += [m.name for m in members[1:-1]]
        expect(len(names) == 12 and len(set(names)) == 12, names)
        for name in names:
            expect((directory / name).read_bytes() ==
                   (p.tree / name).read_bytes(), name)
        # The archives are checked where they are.
        sums = p.path / "sums"
        sums.write_bytes(p.farm("collect", p.work).stdout)
        done = p.compress("--check-manifest", sums)
        expect(done.returncode == 0 and done.stdout.count(b": OK\n") == 12,
               done.stdout, done.stderr)
        # A member is read where it is.
        inside = f"{tars[0]}//{names[0]}"
        if p.compress("-t", inside).returncode == 0:
            print("  read in place")


def test_changed_original():
    """A file that changed after it was planned is listed, and kept."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(8, 9000)
        p.plan(options=("-1", "--rm"))
        changed = next(p.tree.rglob("f1.nc"))
        os.utime(changed, (1, 1))
        gone = next(p.tree.rglob("f5.nc"))
        gone.unlink()
        done = p.farm("run", p.work, status=1)
        expect(b"changed since it was planned" in done.stderr, done.stderr)
        expect(b"No such file" in done.stderr, done.stderr)
        expect(changed.exists(), "removed")
        left = [f for f in p.tree.rglob("*.nc") if f != changed]
        expect(not left, "not removed:", left)
        # Those that are gone because they were packed are done.
        os.utime(changed, ns=(0, json.loads(
            [line for line in (p.work / "tasks" / "000000").read_text()
             .splitlines()[1:] if str(changed) in line][0])[2]))
        done = p.farm("run", p.work, status=1)
        expect(done.stderr.count(b"nc3farm: /") == 1, done.stderr)
        expect(p.farm("collect", p.work, status=1).stdout == b"", "manifest")


def test_read_only():
    """A directory that cannot be written to fails; the others are done."""
    if os.geteuid() == 0 and not shutil.which("chattr"):
        print("  skipped: root writes everywhere")
        return
    with Place(ARGUMENTS.bin) as p:
        p.fill(14, 9000)
        p.plan("--task-bytes=5K")
        directory = p.tree / "d3"
        root = os.geteuid() == 0
        if root and subprocess.run(["chattr", "+i", directory], check=False,
                                   capture_output=True).returncode != 0:
            print("  skipped: no immutable directories here")
            return
        try:
            if not root:
                directory.chmod(0o555)
            p.farm("run", p.work, status=1)
        finally:
            if root:
                subprocess.run(["chattr", "-i", directory], check=True)
            directory.chmod(0o755)
        state = json.loads(p.farm("status", "--json", p.work).stdout)
        expect(state["files_done"] == 12 and len(state["tasks_failed"]) == 2,
               state)
        p.farm("run", p.work)
        p.check_packed()


class Disk:
    """A small disk of its own, where root may mount one."""

    def __init__(self, path, size):
        self.path = path
        path.mkdir()
        self.is_there = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", path],
            check=False, capture_output=True).returncode == 0
        if not self.is_there:
            print("  skipped: nothing can be mounted here")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.is_there:
            subprocess.run(["umount", self.path], check=True)

    def fill(self, nleft):
        """All blocks but so many."""
        room = os.statvfs(self.path)
        with open(self.path / "fill", "wb") as file:
            file.write(bytes((room.f_bavail - nleft) * room.f_bsize))

    def free(self):
        (self.path / "fill").unlink()

    def remount(self, how):
        subprocess.run(["mount", "-o", f"remount,{how}", self.path],
                       check=True)


def test_full_disk():
    """A full disk stops the run after three tasks; then it goes on."""
    with Place(ARGUMENTS.bin) as p:
        with Disk(p.path / "disk", "1500k") as disk:
            if not disk.is_there:
                return
            p.tree = disk.path / "tree"
            p.fill(24, 40000)
            disk.fill(24)
            p.plan("--task-bytes=20K")
            done = p.farm("run", "-j1", p.work, status=1)
            expect(b"disk full in 3 tasks in a row" in done.stderr,
                   done.stderr)
            expect(len(p.left()) > 6, "not stopped")
            disk.free()
            p.farm("run", p.work)
            p.check_packed()


def test_two_at_once():
    """Two runs of one plan do each task once."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(60, 60000)
        p.plan("--task-bytes=60K", options=("-9",))
        runs = [subprocess.Popen(p.command("run", "-j2", p.work),
                                 stderr=subprocess.DEVNULL)
                for _ in range(2)]
        for run in runs:
            expect(run.wait(SECONDS_MAX) in (0, 5), "status", run.returncode)
        p.farm("run", p.work)
        p.check_packed()
        for path in (p.work / "journal").iterdir():
            results = [json.loads(line).get("result")
                       for line in path.read_text().splitlines()]
            expect("found" not in results, "done twice:", path)


def test_two_plans():
    """Two plans of one tree at once: whole archives, each in both."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(40, 60000)
        works = [p.path / "work1", p.path / "work2"]
        for p.work in works:
            p.plan("--task-bytes=200K", options=("-9",))
        runs = [subprocess.Popen(p.command("run", "-j2", work))
                for work in works]
        for run in runs:
            expect(run.wait(SECONDS_MAX) == 0, "status", run.returncode)
        for p.work in works:
            p.check_packed()
        p.work = p.path / "work"


def test_work_full():
    """A full disk below the plan: an error, and then it goes on."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(24, 20000)
        with Disk(p.path / "disk", "600k") as disk:
            if not disk.is_there:
                return
            p.work = disk.path / "work"
            p.plan("--task-bytes=40K")
            for nleft in (0, 1, 3, 5):  # blocks: for claims, for journals
                disk.fill(nleft)
                done = p.farm("run", "-j2", p.work, status=1)
                expect(b"No space left on device" in done.stderr, done.stderr)
                expect(bytes(p.work) in done.stderr, done.stderr)
                expect(p.left(), "done without room")
                for path in p.tree.rglob("*.nc3z"):
                    expect(p.compress("-tq", path).returncode == 0, path)
                disk.free()
            p.farm("run", p.work)
            p.check_packed()


def test_work_read_only():
    """A plan on a disk that cannot be written to: an error, and it goes on."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(6, 20000)
        with Disk(p.path / "disk", "600k") as disk:
            if not disk.is_there:
                return
            p.work = disk.path / "work"
            p.plan()
            disk.remount("ro")
            done = p.farm("run", p.work, status=1)
            expect(b"Read-only file system" in done.stderr, done.stderr)
            expect(not [*p.tree.rglob("*.nc3z")], "packed without a journal")
            p.farm("status", p.work)
            disk.remount("rw")
            p.farm("run", p.work)
            p.check_packed()


def test_changed_parts():
    """A large file changes while its parts are made: it is not joined."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(1, 5000)
        large = p.tree / "d0" / "large.nc"
        classic_file(large, 3000000, p.rng)
        time_ns = large.stat().st_mtime_ns
        p.plan("--split=1M", options=("-3",))
        numbers = [int(n) for n in p.left()]
        join = numbers[-1]
        for n in numbers[:-1]:
            p.farm("work", p.work, n)
        os.utime(large, ns=(0, time_ns + 1))
        done = p.farm("work", p.work, join, status=1)
        done = p.farm("run", p.work, status=1)
        expect(b"changed since it was planned" in done.stderr, done.stderr)
        expect(not os.path.exists(f"{large}.nc3z"), "joined all the same")
        # Bytes that changed between two parts, though the time did not.
        part = sorted((p.work / "parts" / f"{join:06d}").glob("*-of-*"))[-1]
        part.unlink()
        os.unlink(p.work / "done" / f"{int(part.name.split('-')[0]):06d}")
        with open(large, "r+b") as file:
            file.seek(-4, os.SEEK_END)
            file.write(b"\0\1\2\3")
        os.utime(large, ns=(0, time_ns))
        p.farm("run", p.work, status=1)
        expect(not os.path.exists(f"{large}.nc3z"), "joined of two files")


def test_torn_and_stale():
    """A torn line, a claim of a dead process, a claim of another machine."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(6, 9000)
        p.plan("--task-bytes=9K")
        n = p.left()[0].decode()
        (p.work / "journal" / f"{int(n):06d}").write_bytes(b'{"name": "/x')
        (p.work / "claims" / "000000").write_text(json.dumps(
            {"host": os.uname().nodename, "pid": 1 << 22, "start": "1",
             "boot": pathlib.Path("/proc/sys/kernel/random/boot_id")
             .read_text().strip()}))
        (p.work / "claims" / "000001").write_text(
            json.dumps({"host": "elsewhere", "boot": "x", "pid": 1}))
        p.farm("run", p.work, status=5)  # the other machine may live
        expect([int(n) for n in p.left()] == [1], p.left())
        begin = time.monotonic()
        p.farm("work", "--wait", p.work, 1)
        expect(time.monotonic() - begin > 1.5, "taken from one who lives")
        p.farm("run", p.work)
        p.check_packed()


def test_ended():
    """SIGTERM ends a run in order; the next one goes on."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(40, 90000)
        p.plan("--task-bytes=100K", options=("-9",))
        run = subprocess.Popen(p.command("run", "-j2", p.work),
                               stderr=subprocess.DEVNULL)
        while run.poll() is None and not descendants(run.pid):
            time.sleep(0.05)
        run.terminate()
        expect(run.wait(SECONDS_MAX) in (0, 5), "status", run.returncode)
        p.farm("run", p.work)
        p.check_packed()


def is_packing(run):
    return any(b"nc3compress" in command for _, command in
               descendants(run.pid))


def test_killed():
    """kill -9 of nc3farm and of what it runs, at random."""
    done = 0
    with Place(ARGUMENTS.bin) as p:
        while done < KILLS:
            p.fill(120, 120000)
            p.plan("--task-bytes=150K", options=("-9",))
            while done < KILLS and p.left():
                run = subprocess.Popen(p.command("run", "-j3", p.work),
                                       stderr=subprocess.DEVNULL)
                while done < KILLS and run.poll() is None:
                    if not is_packing(run):
                        time.sleep(0.02)
                        continue
                    time.sleep(p.rng.uniform(0, 0.5))
                    pids = [pid for pid, _ in descendants(run.pid)]
                    done += kill(p.rng.choice(pids + [run.pid]))
                if done == KILLS:
                    kill(run.pid)
                run.wait()
            for _ in range(5):
                if p.farm("run", "-j3", p.work, status=None).returncode == 0:
                    break
            p.check_packed()


def test_executors():
    """GNU parallel, and a pool of Python."""
    for args in (["--executor=concurrent.futures:ProcessPoolExecutor"],
                 ["--parallel"]):
        if args == ["--parallel"] and not shutil.which("parallel"):
            print("  skipped: no GNU parallel")
            continue
        with Place(ARGUMENTS.bin) as p:
            p.fill(12, 20000)
            p.plan("--task-bytes=60K")
            p.farm("run", "-j2", *args, p.work)
            p.check_packed()


def test_refused():
    """What is asked for wrongly."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(2, 5000)
        p.farm("run", p.work, status=1)
        p.farm("plan", p.work, status=1)
        p.farm("plan", "--bundle=1G", p.tree, p.work, status=1)
        p.farm("plan", p.path / "none", p.work, status=1)
        p.farm("plan", "--task-bytes=x", p.tree, p.work, status=2)
        for seconds in "0", "nan":
            p.farm("plan", f"--heartbeat={seconds}", p.tree, p.work, status=2)
        for options in (["--nonsense"], ["-9", "x.nc"], ["-d"], ["-h"]):
            p.farm("plan", p.tree, p.work, "--", *options, status=1)
        p.farm("plan", "--verify", p.tree, p.work, "--", "--rm", status=1)
        p.farm("plan", "--split=1K", p.tree, p.work, "--", "--rm", status=1)
        expect(not p.work.exists(), "a plan all the same")
        p.plan()
        p.farm("plan", p.tree, p.work, status=1)
        p.farm("run", "--executor=nothing:Nowhere", p.work, status=1)
        p.farm("run", "--jobs=-1", p.work, status=2)
        p.farm("run", "--until=0", p.work, status=2)
        p.farm("status", p.work, "--", "x", status=2)


def start_and_hold():
    """A run at work."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(40, 160000)
        p.plan("--task-bytes=400K", options=("-9",))
        with subprocess.Popen(p.command("run", p.work)) as run:
            while not is_packing(run):
                time.sleep(0.02)
            hold()


def test_nothing_is_left():
    """Nothing outlives the tests, though these are killed."""
    commands = run_held(__file__, f"--bin={ARGUMENTS.bin}")
    expect(any("nc3farm" in command for command in commands), commands)


SHORT = [test_pack_and_again, test_parts, test_compressed,
         test_changed_original, test_refused]
LONG = [test_other_actions, test_bundle, test_read_only, test_full_disk,
        test_work_full, test_work_read_only, test_changed_parts,
        test_two_at_once, test_two_plans, test_torn_and_stale, test_ended,
        test_killed, test_executors, test_nothing_is_left]

if __name__ == "__main__":
    if ARGUMENTS.hold:
        sys.exit(run_tests([start_and_hold]))
    tests = SHORT + LONG if ARGUMENTS.all else SHORT
    sys.exit(run_tests([t for t in tests if ARGUMENTS.only in t.__name__]))
