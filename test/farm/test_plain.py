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
import re
import shutil
import subprocess
import sys
import tarfile
import time

from common import (INT, SECONDS_MAX, ClassicWriter, Place, Var, classic_file,
                    descendants, expect, hold, kill, run_held, run_tests)

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--bin", required=True, type=os.path.abspath)
PARSER.add_argument("--all", action="store_true")
PARSER.add_argument("--only", default="")
PARSER.add_argument("--hold", action="store_true")
ARGUMENTS = PARSER.parse_args()
KILLS = int(os.environ.get("NC3Z_KILLS", "20"))
NOBODY = 65534


def state_of(p):
    done = p.farm("status", "--json", p.work, status=None)
    state = json.loads(done.stdout)
    expect(done.returncode == (state["files_failed"] > 0), done)
    return state


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
        state = state_of(p)
        expect(state["files_done"] == 24 and state["failed"] == [] and
               state["tasks"] == state["tasks_done"], state)
        text = p.farm("status", p.work).stdout
        expect(b"24 of 24 files done" in text, text)
        sums = p.manifest()
        before = {f: f.read_bytes() for f in p.work.rglob("journal/*")}
        p.farm("run", p.work)
        p.farm("work", p.work, 0)
        expect(before == {f: f.read_bytes()
                          for f in p.work.rglob("journal/*")}, "done again")
        # Another plan finds all archives, and has the same manifest.
        p.plan()
        p.farm("run", p.work)
        expect(p.manifest() == sums, "another manifest")
        p.farm("collect", "--read", p.work)
        expect((p.work / "journal/000000").read_bytes().count(
            b'"result": "found"') == 24, "packed again")


def test_grown():
    """Blocks of the archive of a file that has grown are copied, and the
    journal says how many."""
    with Place(ARGUMENTS.bin) as p:
        p.tree.mkdir()
        path, values = p.tree / "g.nc", p.rng.randbytes(40 * 4000)
        for nrecords in 30, 40:
            head = ClassicWriter(dims=(("t", 0), ("x", 1000)),
                                 variables=(Var("v", INT, "t x"),),
                                 records=nrecords).head()
            path.write_bytes(head + values[:nrecords * 4000])
            p.sums = {str(path): hashlib.sha256(path.read_bytes()).hexdigest()}
            p.plan(options=("-1", "-b4K"))
            p.farm("run", p.work)
            p.check_packed()
        line = json.loads(journals(p)[0].read_text().splitlines()[0])
        expect(line["result"] == "packed" and
               0 < line["copied_blocks"] < line["blocks"], line)


def test_words():
    """One file is not "1 files"; only what has not failed is run again."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(1, 9000)
        text = p.plan().stdout
        expect(text.startswith(b"1 file, ") and text.endswith(b", 1 task\n"),
               text)
        done = p.farm("run", p.work, status=5, env={
            **os.environ, "NC3FARM_NC3COMPRESS": "/bin/true"})
        expect(done.stderr == b"nc3farm: still to do: 1 of 1 file: run again"
               b"\n", done.stderr)


def test_progress():
    """Run shows on a terminal how far it is, and the programs do not."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(5, 9000)
        bad = next(p.tree.rglob("f1.nc"))
        bad.write_bytes(b"CDF\x01")
        p.plan("--task-bytes=1")
        slow = p.path / "slow"
        slow.write_text(f'#!/bin/sh\n"{p.bin}/nc3compress" "$@"\n'
                        'status=$?; sleep 1.2; exit $status\n')
        slow.chmod(0o755)
        parent, child = os.openpty()
        run = subprocess.Popen(p.command("run", "-j2", p.work), stderr=child,
                               env={**os.environ,
                                    "NC3FARM_NC3COMPRESS": str(slow)})
        os.close(child)
        shown = b""
        try:
            while data := os.read(parent, 4096):
                shown += data
        except OSError:  # how Linux says that it is closed
            pass
        os.close(parent)
        expect(run.wait(SECONDS_MAX) == 1, shown)
        expect(re.search(rb"\r\033\[K[1-5] of 5 files; [12] tasks? running, "
                         rb"[0-4] waiting\r", shown), shown)
        expect(shown.endswith(b"\033[Knc3farm: 1 of 5 files failed: see "
                              b"nc3farm status\r\n"), shown)
        text = p.farm("status", p.work, status=1).stdout
        expect(b"4 of 5 files done, 1 failed" in text, text)
        p.farm("left", p.work)


def test_removed():
    """Originals that were packed and removed are done."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(8, 9000)
        p.plan("--task-bytes=20K", options=("-1", "--rm"))
        first = p.left()[0]
        p.farm("work", p.work, int(first))
        extra = next(name for name in p.sums if os.path.exists(name))
        data, times = pathlib.Path(extra).read_bytes(), os.stat(extra)
        os.unlink(extra)  # and this one is nowhere
        p.farm("run", p.work, status=1)
        expect(extra.encode() in p.farm("collect", p.work,
                                        status=1).stderr, extra)
        pathlib.Path(extra).write_bytes(data)
        os.utime(extra, ns=(times.st_atime_ns, times.st_mtime_ns))
        p.farm("run", p.work)
        p.farm("collect", p.work)
        expect(not any(map(os.path.exists, p.sums)), "not removed")
        # Now all that there is goes back.
        p.plan("--restore", options=("--rm",))
        p.farm("run", p.work)
        p.farm("collect", p.work)
        for name, sha256 in p.sums.items():
            expect(hashlib.sha256(pathlib.Path(name).read_bytes())
                   .hexdigest() == sha256, name)


def test_removed_links():
    """Hard links fail with --rm, as named files do; --rm=all takes them."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(2, 9000)
        name = next(iter(p.sums))
        link = p.tree / "link.nc"
        os.link(name, link)
        p.sums[str(link)] = p.sums[name]
        p.plan(options=("-1", "--rm"))
        p.farm("run", p.work, status=1)
        state = state_of(p)
        expect({f["name"] for f in state["failed"]} == {name, str(link)} and
               all("--rm=all" in f["why"] for f in state["failed"]), state)
        p.farm("collect", p.work, status=1)
        p.plan(options=("-1", "--rm=all"))
        p.farm("run", p.work)
        p.farm("collect", p.work)
        expect(not any(map(os.path.exists, p.sums)), "not removed")


def test_other_actions():
    """Archives are verified, written anew, restored."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(12, 20000)
        for args, options in (((), ("-1",)), (("--verify",), ()),
                              (("--convert",), ("-9", "--chunks=balanced"))):
            p.plan("--task-bytes=60K", *args, options=options)
            p.farm("run", "-j2", p.work)
            expect(len(p.manifest()) == 24, args)
        for name in p.sums:
            os.unlink(name)
        p.plan("--restore", options=())
        p.farm("run", p.work)
        p.check_packed()
        # What was restored and then edited is not what was restored.
        with open(next(p.tree.rglob("f5.nc")), "ab") as file:
            file.write(b"more")
        p.farm("collect", p.work, status=1)
        # A damaged archive is a failure with its name, and of it alone.
        bad = next(p.tree.rglob("f1.nc.nc3z"))
        data = bytearray(bad.read_bytes())
        data[len(data) // 2] ^= 1
        bad.write_bytes(data)
        p.plan("--verify", options=())
        done = p.farm("run", p.work, status=1)
        expect(bytes(bad) in done.stderr.replace(b"/./", b"/"), done.stderr)
        expect([f["name"] for f in state_of(p)["failed"]] == [str(bad)],
               state_of(p))


def test_compressed():
    """The original of a compressed file has a name of its own."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(1, 20000)
        (name,) = p.sums
        subprocess.run(["gzip", name], check=True)
        done = p.farm("plan", p.tree, p.work, status=1)
        expect(f"out: 1, the first is {name}.gz; if" in done.stderr.decode(),
               done.stderr)
        p.plan(paths=[name + ".gz"])
        p.farm("run", p.work)
        text = p.farm("collect", "--read", p.work).stdout.decode()
        expect(f"{p.sums[name]}  {name}\n" in text, text)
        (p.path / "sums").write_text(text)
        done = p.program("nc3manifest", "-c", p.path / "sums")
        expect(done.returncode == 0, done.stdout, done.stderr)


def test_outputs():
    """Each file is in a plan once, and no two files have one output."""
    with Place(ARGUMENTS.bin) as p:
        for name in "jan", "feb":
            (p.tree / name).mkdir(parents=True)
            classic_file(p.tree / name / "sst.nc", 9000, p.rng)
        link = p.path / "link"
        link.symlink_to(p.tree)
        name = p.tree / "jan" / "sst.nc"
        p.plan(paths=[p.tree, name, link / "jan" / "sst.nc"])
        expect(state_of(p)["files"] == 2, "one file twice")
        p.farm("run", p.work)
        p.farm("collect", p.work)
        work = p.path / "other"
        for args in (), ("--restore",):
            done = p.farm("plan", *args, p.tree, work, "--",
                          f"--output-dir={p.path / 'out'}", status=1)
            expect(b"both become" in done.stderr, done.stderr)
        shutil.copy(name, p.path / "sst.nc")
        subprocess.run(["gzip", "-k", p.path / "sst.nc"], check=True)
        done = p.farm("plan", p.path / "sst.nc", p.path / "sst.nc.gz", work,
                      status=1)
        expect(b"both become" in done.stderr, done.stderr)
        # A suffix and a directory of the outputs are those of the plan.
        p.plan(paths=[name], options=("-qS", ".foo", "--output-dir",
                                      p.path / "out"))
        p.farm("run", p.work)
        text = p.farm("collect", p.work).stdout
        expect((p.path / "out" / "sst.nc.foo").exists() and
               b"out/sst.nc.foo" in text, text)


def swap(_, names):
    """The archive of another original."""
    shutil.copy2(f"{names[1]}.nc3z", f"{names[0]}.nc3z")


def forge(p, names):
    """The line of another file, and its archive."""
    swap(p, names)
    for path in p.work.rglob("journal/*"):
        for line in path.read_text().splitlines():
            if f'"{names[1]}"' in line:
                with open(path, "a", encoding="utf-8") as file:
                    file.write(line.replace(names[1], names[0]) + "\n")


def invent(_, names):
    """A line of what never was."""
    os.unlink(f"{names[0]}.nc3z")
    os.unlink(names[0])


def rewrite(_, names):
    """Other bytes, with size and time of before."""
    before = os.stat(names[0])
    with open(names[0], "r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(b"new!")
    os.utime(names[0], ns=(before.st_atime_ns, before.st_mtime_ns))


def change_archive(_, names):
    """As before, and then the archive's status changes, too."""
    rewrite(_, names)
    os.chmod(f"{names[0]}.nc3z", 0o600)


def put_back(_, names):
    """Another file that was there before, with size and time."""
    before = os.stat(names[0])
    with open(names[1], "r+b") as file:
        file.truncate(before.st_size)
    os.utime(names[1], ns=(before.st_atime_ns, before.st_mtime_ns))
    os.rename(names[1], names[0])


def journals(p):
    return sorted((p.work / "journal").iterdir())


def edit_shard(p, names):
    """A name less in the plan."""
    for path in (p.work / "shards").iterdir():
        path.write_bytes(re.sub(rb"[^\0]*/" + os.path.basename(
            names[0]).encode() + rb"\0", b"", path.read_bytes()))


# What is done to a plan whose tasks are done, and whether run mends it.
LIES = (
    ("archive removed", lambda p, n: os.unlink(f"{n[0]}.nc3z"), True),
    ("archive cut off", lambda p, n: os.truncate(f"{n[0]}.nc3z", 100), False),
    ("archive without its end", lambda p, n: pathlib.Path(f"{n[0]}.nc3z")
     .write_bytes(bytes(os.stat(f"{n[0]}.nc3z").st_size)), False),
    ("archive of another", swap, False),
    ("archive and line of another", forge, False),
    ("both removed", invent, False),
    ("original rewritten", rewrite, False),
    ("original rewritten, status of the archive changed", change_archive,
     False),
    ("original put in place of another", put_back, False),
    ("original grown", lambda p, n: open(n[0], "ab").write(b"more"), False),
    ("journal of another task",
     lambda p, n: shutil.copy(journals(p)[0], journals(p)[1]), True),
    ("journal removed", lambda p, n: journals(p)[0].unlink(), True),
    ("journal cut off", lambda p, n: os.truncate(journals(p)[0], 300), True),
    ("journal of zeros",
     lambda p, n: journals(p)[0].write_bytes(bytes(300)), True),
    ("journal of odd lines", lambda p, n: journals(p)[0].write_text(
     f'[1]\n5\n{{"name": 5}}\n{{"name": "{n[0]}", "status": [], "result": '
     f'{{}}, "output_hex": "zz"}}\n'), False),
    ("shard edited", edit_shard, False),
)


def test_lies():
    """Where collect ends with 0, nothing is lost without the originals."""
    with Place(ARGUMENTS.bin) as p:
        for what, lie, is_mended in LIES:
            p.fill(6, 9000)
            # All of one size and one time, so that these tell nothing.
            for name in p.sums:
                classic_file(pathlib.Path(name), 6000, p.rng)
                data = pathlib.Path(name).read_bytes()
                os.utime(name, (10**9, 10**9))
                p.sums[name] = hashlib.sha256(data).hexdigest()
            time.sleep(0.02)  # the clock of the system goes on
            p.plan("--task-bytes=9K")
            p.farm("run", p.work)
            p.farm("collect", p.work)
            names = [n for n in sorted(p.sums) if n.isascii() and " " not in n]
            lie(p, names)
            read = ["--read"] if lie is forge else []
            done = p.farm("collect", *read, p.work, status=None)
            expect(done.returncode == 1, what, "is not found")
            expect(b"Traceback" not in done.stderr, what, done.stderr)
            if is_mended:
                p.farm("run", p.work)
                p.check_packed()


OPENS = """
import os, runpy, sys
sys.addaudithook(lambda event, args: event == "open" and isinstance(
    args[0], (str, bytes)) and os.write(2, b"open " + os.fsencode(args[0]) +
                                        b"\\0"))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def opened(p, *args, status=0):
    """The files of the tree that nc3farm opens itself."""
    done = subprocess.run([sys.executable, "-B", "-c", OPENS,
                           *p.command(*args)[2:]], capture_output=True,
                          check=False, timeout=SECONDS_MAX)
    expect(done.returncode == status, args, done.returncode, done.stderr)
    names = {os.path.basename(part.rpartition(b"open ")[2])
             for part in done.stderr.split(b"\0")}
    return sorted(map(str, (path for path in p.tree.rglob("*.*")
                            if os.fsencode(path.name) in names)))


def pass_time(p, seconds):
    """As if the originals had been packed so many seconds from now."""
    for path in journals(p):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            line["time"] = time.strftime(
                "%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_read_again():
    """Collect reads an original unless it is known to be as it was."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(3, 9000)
        p.plan()
        p.farm("run", p.work)
        names = sorted(p.sums)
        pass_time(p, -100)
        expect(opened(p, "collect", p.work) == names,
               "what had just been written was not read")
        pass_time(p, 100)
        expect(not opened(p, "collect", p.work), "read without need")
        expect(opened(p, "collect", "--read", p.work) == names, "--read")
        os.chmod(names[0], 0o600)
        shutil.copy2(names[1], p.path / "copy")
        os.rename(p.path / "copy", names[1])
        expect(opened(p, "collect", p.work) == names[:2], "not read again")
        # What was only found is no proof.
        p.plan()
        p.farm("run", p.work)
        pass_time(p, 100)
        expect(opened(p, "collect", p.work) == sorted(
            [*names, *(f"{name}.nc3z" for name in names)]), "not read: found")


def test_offline():
    """A plan opens nothing that is on tape, and nothing twice in vain."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(2, 9000)
        names = sorted(p.sums)
        (p.tree / "notes.txt").write_text("no classic file")
        (p.tree / "x.nc4").write_bytes(b"\x89HDF\r\n\x1a\n")
        subprocess.run(["gzip", "-k", names[0]], check=True)
        others = [f"{names[0]}.gz", f"{p.tree}/notes.txt", f"{p.tree}/x.nc4"]
        tape = p.tree / "tape.nc"
        shutil.copy2(names[0], tape)
        os.truncate(tape, 1 << 25)  # a few blocks of the disk
        works = [str(p.path / f"work{i}") for i in range(4)]
        expect(opened(p, "plan", p.tree, works[0]) == sorted(names + others),
               "opened")
        time.sleep(2.1)
        opened(p, "plan", f"--after={works[0]}", p.tree, works[1])
        os.utime(others[1])
        done = p.farm("plan", f"--after={works[1]}", p.tree, works[2])
        said = done.stderr.decode()
        for text in (f"offline files left out: 1, the first is {tape};",
                     f"compressed files left out: 1, the first is {others[0]}"):
            expect(text in said, said)
        expect(done.stdout.startswith(b"2 files, "), done.stdout)
        os.utime(others[1])
        expect(opened(p, "plan", f"--after={works[2]}", p.tree, works[3]) ==
               sorted([*names, others[1]]), "opened again")
        # Who names a file wants it; archives are not looked into.
        p.plan(paths=[tape])
        p.farm("run", p.work)
        p.farm("collect", p.work)
        expect(f"{tape}.nc3z" not in opened(p, "plan", p.tree, p.path / "w"),
               "an archive was opened")


def test_too_long():
    """A path that the system cannot take is left out, and nothing else."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(2, 9000)
        at = os.open(p.tree, os.O_RDONLY)
        for _ in range(21):
            os.mkdir("d" * 200, dir_fd=at)
            above, at = at, os.open("d" * 200, os.O_RDONLY, dir_fd=at)
            os.close(above)
        os.close(os.open("x.nc", os.O_CREAT, dir_fd=at))
        os.close(at)
        done = p.farm("plan", p.tree, p.work, status=3)
        expect(b"too long left out: 1, the first is" in done.stderr and
               done.stdout.startswith(b"2 files, "), done)
        p.farm("run", p.work)


def test_promises():
    """Collect says for each action whether inputs can be removed."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(1, 9000)
        (name,) = p.sums
        bundle = ("--bundle=1G", f"--output-dir={p.path / 'tape'}")
        for args, options, can_go in (
                ((), (), True), (("--verify",), (), False),
                (("--convert",), (), False), (bundle, (), True),
                (("--restore",), ("-f",), True)):
            p.plan(*args, options=options)
            p.farm("run", p.work)
            said = p.farm("collect", p.work).stderr
            expect((b"can be removed" in said) == can_go and
                   (b"only copies" in said) != can_go, args, said)
        # A restored file is read, whatever its size and time.
        rewrite(p, [name])
        said = p.farm("collect", p.work, status=1).stderr
        expect(b"differs" in said and b"removed" not in said, said)


def test_found():
    """An archive that was there is compared with the original."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(1, 9000)
        (name,) = p.sums
        before, data = os.stat(name), pathlib.Path(name).read_bytes()
        classic_file(pathlib.Path(name), 9000, p.rng)
        with open(name, "r+b") as file:
            file.truncate(len(data))
        os.utime(name, ns=(before.st_atime_ns, before.st_mtime_ns))
        p.compress("-q", name)
        pathlib.Path(name).write_bytes(data)
        os.utime(name, ns=(before.st_atime_ns, before.st_mtime_ns))
        p.plan()
        p.farm("run", p.work, status=None)
        p.farm("collect", p.work, status=1)


def test_deleted():
    """A file that is gone does not hide the others."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(8, 9000)
        p.plan()
        gone = next(p.tree.rglob("f1.nc"))
        gone.unlink()
        done = p.farm("run", p.work, status=1)
        expect(b"No such file" in done.stderr, done.stderr)
        done = p.farm("collect", p.work, status=1)
        expect(done.stdout.count(b"\n") == 14 and bytes(gone) in done.stderr,
               done.stdout, done.stderr)


def test_links():
    """No link is followed that comes into a tree after the plan."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(7, 9000)
        victim, moved = p.path / "victim", p.path / "moved"
        listed = p.path / "list"

        def swap_directory():
            (p.tree / "d1").rename(moved)
            shutil.copytree(moved, victim)
            (p.tree / "d1").symlink_to(victim)

        def put_back():
            (p.tree / "d1").unlink()
            moved.rename(p.tree / "d1")
            shutil.rmtree(victim)

        listed.write_bytes(subprocess.run(
            ["find", f"{p.tree}/.", "-name", "*.nc", "-print0"],
            capture_output=True, check=True).stdout)
        for paths in [f"--files0-from={listed}"], [p.tree]:
            p.plan(paths=paths, options=("-1", "--rm"))
            swap_directory()
            done = p.farm("run", p.work, status=1)
            expect(b"directory above it was replaced" in done.stderr,
                   done.stderr)
            expect([path.suffix for path in victim.iterdir()] == [".nc"],
                   *victim.iterdir())
            put_back()
        p.farm("run", p.work)
        p.farm("collect", p.work)
        # Nor does collect look through it, nor a bundle.
        swap_directory()
        p.farm("collect", p.work, status=1)
        put_back()
        p.plan("--bundle=1G", f"--output-dir={p.path / 'tape'}", options=())
        swap_directory()
        p.farm("run", p.work, status=1)
        expect(not list((p.path / "tape").iterdir()), "a tar")


def test_ours():
    """A plan that others may have written is not run."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(2, 9000)
        for path in "", "shards", "journal", "plan.json", "journal/000000":
            p.plan()
            expect((p.work / path).stat().st_mode & 0o077 == 0, path)
            (p.work / path).chmod(0o770)
            p.farm("run", p.work, status=1)
            if os.geteuid() != 0:
                continue
            (p.work / path).chmod(0o700)
            os.chown(p.work / path, NOBODY, NOBODY)
            done = p.farm("run", p.work, status=1)
            expect(b"another user" in done.stderr, done.stderr)
        expect(not [*p.tree.rglob("*.nc3z")], "run all the same")


def test_one_plan():
    """Of several plans in one place, one is made."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(40, 300)
        for _ in range(5):
            shutil.rmtree(p.work, ignore_errors=True)
            plans = [subprocess.Popen(
                p.command("plan", "--task-bytes=1", p.tree / f"d{i}", p.work),
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                for i in range(3)]
            made = [int(plan.communicate()[0].split()[0]) for plan in plans
                    if plan.wait() == 0 or plan.communicate()[0]]
            expect(len(made) == 1, made)
            expect(state_of(p)["files"] == made[0], "a mixture")
        p.farm("plan", p.tree, p.work, status=1)


def check_tar(p, path):
    """Names of archives in a tar, which has an index and sums."""
    expect(path.stat().st_size < 400000, path.stat().st_size)
    directory = p.path / "out"
    with tarfile.open(path) as tar:
        members = tar.getmembers()
        expect(members[0].name == ".nc3z-index" and
               members[1].name == "reader/README" and
               members[-1].name == "SHA256SUMS", members)
        lines = tar.extractfile(members[0]).read().split(b"\n")[1:-1]
        expect(len(lines) == len(members) - 1, lines)
        for line, m in zip(lines, members[1:]):
            expect(line == b"%d %d %s" % (m.offset_data - m.offset, m.size,
                                          os.fsencode(m.name)), line)
        tar.extractall(directory)
    done = subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"],
                          cwd=directory, check=False)
    expect(done.returncode == 0, "sums in", path)
    return [m.name for m in members if m.name.endswith(".nc3z")]


# Python alone: no library, no package, no variable, no C code of zstd.
ALONE = """
import runpy, sys
sys.modules["ctypes"] = None
sys.path.insert(0, "reader")
runpy.run_path("reader/decode.py", run_name="__main__")
"""


def test_bundle():
    """Archives in tars of a wanted size, whole, and in the order read."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(12, 20000)
        p.compress("-9qr", p.tree)
        tape = p.path / "tars"
        p.plan("--bundle=60K", f"--output-dir={tape}", options=())
        p.farm("run", "-j2", p.work)
        tars = sorted(tape.iterdir())
        expect(len(tars) > 1, "one tar")
        names = [name for path in tars for name in check_tar(p, path)]
        expect(len(names) == 12 and len(set(names)) == 12, names)
        for name in names:
            expect((p.path / "out" / name).read_bytes() ==
                   (p.tree / name).read_bytes(), name)
            restored = subprocess.run(
                [sys.executable, "-I", "-S", "-c", ALONE, name], env={},
                cwd=p.path / "out", capture_output=True, check=False)
            original = p.tree / name.removesuffix(".nc3z")
            expect(restored.stdout == original.read_bytes(),
                   restored.stderr)
        # The archives are checked where they are.
        sums = p.path / "sums"
        sums.write_bytes(p.farm("collect", p.work).stdout)
        done = p.program("nc3manifest", "-c", sums)
        expect(done.returncode == 0 and done.stdout.count(b": OK") == 24,
               done.stdout, done.stderr)
        expect(p.compress("-t", *tars).returncode == 0, "not read in place")
        # Without the journal, the tar that is there is found to be this one.
        journals(p)[0].unlink()
        p.farm("run", p.work)
        p.farm("collect", p.work)
        data = tars[0].read_bytes()
        with tarfile.open(tars[0]) as tar:
            end = max(m.offset_data + m.size for m in tar
                      if m.name.endswith(".nc3z"))
        tars[0].write_bytes(data[:end - 99] + bytes(99) + data[end:])
        p.farm("collect", p.work, status=1)
        tars[0].write_bytes(tars[1].read_bytes())
        p.farm("collect", p.work, status=1)
        tars[0].write_bytes(tars[1].read_bytes() + b"more")
        p.farm("run", p.work, status=1)
        expect(tars[0].read_bytes() == tars[1].read_bytes() + b"more",
               "replaced")
        done = p.farm("plan", "--bundle=60K", f"--output-dir={tape}", p.tree,
                      p.path / "work2", status=1)
        expect(b"exists already" in done.stderr, done.stderr)
        expect(not [f for f in tape.iterdir() if "tmp" in f.name], "left")


def test_bundle_names():
    """Names in tars begin at what was named, whatever else is there."""
    with Place(ARGUMENTS.bin) as p:
        name = p.tree / "cmip" / "1998" / "x.nc"
        name.parent.mkdir(parents=True)
        classic_file(name, 9000, p.rng)
        p.compress("-1q", name)
        archive, listed = f"{name}.nc3z", p.path / "list"
        (p.path / "other").mkdir()
        listed.write_bytes(os.fsencode(f"{p.tree}/./cmip/1998/x.nc.nc3z\0"))
        whole = archive.lstrip("/")
        for paths, tar, wanted in (
                ([p.tree], "tree", "cmip/1998/x.nc.nc3z"),
                ([p.tree / "cmip", p.path / "other"], p.path.name,
                 "tree/cmip/1998/x.nc.nc3z"),
                ([archive], "archives", whole),
                ([f"--files0-from={listed}"], "archives", whole)):
            tape = p.path / "tape"
            shutil.rmtree(tape, ignore_errors=True)
            p.plan("--bundle=1G", f"--output-dir={tape}", paths=paths,
                   options=())
            p.farm("run", p.work)
            names = check_tar(p, tape / f"{tar}-0001.tar")
            expect(names == [wanted], paths, names)
            said = p.farm("collect", p.work).stdout.decode()
            expect(f".tar//{wanted}\n" in said, said)


def test_bundle_readers():
    """A tar has no more readers than each of its members."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(3, 9000)
        p.compress("-1qr", p.tree)
        archives = sorted(p.tree.rglob("*.nc3z"))
        tape = p.path / "tape"
        tape.mkdir(0o777)
        for modes, wanted in (((0o600, 0o644, 0o644), 0o600),
                              ((0o640, 0o664, 0o644), 0o640),
                              ((0o644, 0o604, 0o644), 0o604)):
            for path, mode in zip(archives, modes):
                path.chmod(mode)
            # Somebody's link where the tar may be written.
            victim = p.path / "victim"
            victim.write_text("precious")
            for name in "tree-0001.tar.000000.tmp", ".tree-0001.tar.tmp.tar":
                (tape / name).symlink_to(victim)
            p.plan("--bundle=1G", f"--output-dir={tape}", options=())
            p.farm("run", p.work)
            tar = tape / "tree-0001.tar"
            expect(tar.stat().st_mode & 0o777 == wanted, oct(wanted),
                   oct(tar.stat().st_mode))
            with tarfile.open(tar) as file:
                expect([m.mode for m in file if m.name.endswith(".nc3z")] ==
                       list(modes), "modes of members")
            expect(victim.read_text() == "precious", "written through a link")
            for path in tape.iterdir():
                path.unlink()
        if os.geteuid() == 0:  # two owners: who is in the group of neither?
            os.chown(archives[0], NOBODY, NOBODY)
            for path in archives:
                path.chmod(0o640)
            p.plan("--bundle=1G", f"--output-dir={tape}", options=())
            p.farm("run", p.work)
            expect(tar.stat().st_mode & 0o777 == 0o600,
                   oct(tar.stat().st_mode))


def install(p):
    """What a test may change: nc3farm and what it reads, elsewhere."""
    prefix, share = p.path / "prefix", "share/nc3z"
    for name in "nc3farm", "reader":
        shutil.copytree(p.bin.parent / share / name, prefix / share / name)
    (prefix / "bin").mkdir()
    shutil.copy2(p.bin / "nc3farm", prefix / "bin")
    for name in "nc3compress", "nc3manifest":
        (prefix / "bin" / name).symlink_to(p.bin / name)
    p.bin = prefix / "bin"
    return prefix / share


def test_bundle_after_decoding():
    """Bytecode, which Python leaves beside the decoder, is in no bundle."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(3, 9000)
        p.compress("-1qr", p.tree)
        reader = install(p) / "reader"
        subprocess.run([sys.executable, reader / "decode.py", "--help"],
                       env={}, stdout=subprocess.DEVNULL, check=True)
        expect((reader / "__pycache__").is_dir(), "no bytecode")
        tape = p.path / "tape"
        p.plan("--bundle=1G", f"--output-dir={tape}", options=())
        p.farm("run", p.work)
        check_tar(p, tape / "tree-0001.tar")


def test_bundle_others():
    """Files that go into no bundle are counted."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(3, 9000)
        p.compress("-1qr", "--rm", p.tree)
        (p.tree / "notes.txt").write_text("no archive")
        for year in ((), ("1998", "1999")):
            for name in year:
                (p.tree / f"{name}.nc").write_bytes(bytes(1000))
            done = p.farm("plan", "--bundle=1G", f"--output-dir={p.path}/tape",
                          p.tree, p.path / f"work{len(year)}")
            said = "3 files, 2010 bytes, the first is " if year else \
                "1 file, 10 bytes, the first is "
            first = p.tree / ("1998.nc" if year else "notes.txt")
            expect(done.stderr.decode() == "nc3farm: left out, because "
                   f"bundles take archives only: {said}{first}\n",
                   done.stderr)


def test_bundle_failed():
    """A file of a tar that could not be made has failed, until it is."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(1, 9000)
        p.compress("-1qr", p.tree)
        tar = p.path / "tape/tree-0001.tar"
        p.plan("--bundle=1G", f"--output-dir={tar.parent}", options=())
        tar.write_text("somebody's")
        done = p.farm("run", p.work, status=1)
        expect(done.stderr.endswith(
            b"\nnc3farm: 1 of 1 file failed: see nc3farm status\n"),
               done.stderr)
        state = state_of(p)
        expect(state["files_failed"] == 1 and
               all("another file" in f["why"] for f in state["failed"]), state)
        tar.unlink()
        p.farm("run", p.work)
        expect(state_of(p)["files_failed"] == 0, state_of(p))
        p.farm("collect", p.work)


def test_bundle_line_feeds():
    """All names that no index can have are told, and what to do."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(2, 9000)
        p.compress("-1qr", "--rm", p.tree)
        first = next(p.tree.rglob("*.nc3z"))
        for name in "a\nb.nc3z", "c\n.nc3z":
            shutil.copy(first, p.tree / name)
        bundle = ("--bundle=1G", f"--output-dir={p.path / 'tape'}")
        done = p.farm("plan", *bundle, p.tree, p.work, status=1)
        for text in rb"tree/a\nb.nc3z'", rb"tree/c\n.nc3z'", b"rename 2 files":
            expect(text in done.stderr, done.stderr)
        expect(not p.work.exists(), "a plan all the same")
        names = [path for path in p.tree.rglob("*.nc3z")
                 if "\n" not in path.name]
        p.farm("plan", *bundle, *names, p.work)


def test_bundle_damaged():
    """Archives that are no good are told, they alone; they are in no tar."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(14, 9000)
        p.compress("-1qr", p.tree)
        archives = sorted(p.tree.rglob("*.nc3z"))
        tar = p.path / "tape/tree-0001.tar"
        p.plan("--bundle=1G", f"--output-dir={tar.parent}", options=())
        tar.write_text("somebody's")
        p.farm("run", p.work, status=1)  # all of them have failed
        tar.unlink()
        good = {path: path.read_bytes() for path in archives[-3:]}
        flipped, cut, gone = good
        data = bytearray(good[flipped])
        data[len(data) // 2] ^= 1  # the catalogue says nothing of it
        flipped.write_bytes(data)
        cut.write_bytes(good[cut][:-1])
        gone.unlink()
        done = p.farm("run", p.work, status=1)
        state = state_of(p)
        expect(state["files_failed"] == 3, state)
        reasons = {f["name"]: f["why"] for f in state["failed"]}
        said = done.stderr.replace(b"/./", b"/")
        for path, why in (flipped, "CRC-32"), (cut, "cut off"), \
                (gone, "No such file"):
            expect(why in reasons[str(path)], path, reasons)
            expect(bytes(path) in said, path, said)
        expect(b"because of 3 archives" in done.stderr, done.stderr)
        expect(not list(tar.parent.iterdir()), "a tar all the same")
        # They come before the ones that wait for them.
        done = p.farm("collect", p.work, status=1)
        expect(all(bytes(path) in done.stderr for path in good), done.stderr)
        for path, data in good.items():
            path.write_bytes(data)
        p.farm("run", p.work)
        p.farm("collect", p.work)
        expect(len(check_tar(p, tar)) == 14, "not all archives")


def test_bundle_changed():
    """The bytes in a tar are the ones that were checked."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(2, 9000)
        p.compress("-1qr", p.tree)
        changed, other = map(str, sorted(p.tree.rglob("*.nc3z")))
        tape = p.path / "tape"
        p.plan("--bundle=1G", f"--output-dir={tape}", options=())
        slow = p.path / "nc3manifest"
        slow.write_text(f'#!/bin/sh\n"{p.bin}/nc3manifest" "$@"\n'
                        f'printf x | dd of="{changed}" bs=1 seek=300 '
                        'conv=notrunc status=none\n')
        slow.chmod(0o755)
        p.farm("run", p.work, status=1, env={
            **os.environ, "NC3FARM_NC3MANIFEST": str(slow)})
        expect([f["name"] for f in state_of(p)["failed"]] == [changed],
               "blamed", other, state_of(p))
        expect(not list(tape.iterdir()), "a tar all the same")


def test_bundle_ended():
    """SIGTERM ends the checking of archives, too."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(1, 9000)
        p.compress("-1qr", p.tree)
        p.plan("--bundle=1G", f"--output-dir={p.path / 'tape'}", options=())
        endless = p.path / "nc3manifest"
        endless.write_text(f"#!/bin/sh\nexec sleep {SECONDS_MAX}\n")
        endless.chmod(0o755)
        run = subprocess.Popen(p.command("run", p.work), env={
            **os.environ, "NC3FARM_NC3MANIFEST": str(endless)})
        found = []
        while run.poll() is None and not found:
            time.sleep(0.02)
            found = [pid for pid, command in descendants(run.pid)
                     if command.startswith(b"sleep")]
        run.terminate()
        expect(run.wait(SECONDS_MAX) == 5, "status", run.returncode)
        expect(found and not os.path.exists(f"/proc/{found[0]}"), "goes on")
        expect(state_of(p)["files_failed"] == 0, state_of(p))


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
    """A full disk stops the run; then it goes on."""
    with Place(ARGUMENTS.bin) as p, Disk(p.path / "disk", "1500k") as disk:
        if not disk.is_there:
            return
        p.tree = disk.path / "tree"
        p.fill(24, 40000)
        disk.fill(24)
        p.plan("--task-bytes=20K")
        done = p.farm("run", "-j1", p.work, status=1)
        expect(b"the disk is full" in done.stderr, done.stderr)
        expect(len(p.left()) > 6, "not stopped")
        disk.free()
        p.farm("run", p.work)
        p.check_packed()


def test_work_full():
    """No room, or no right to write, below the plan; then it goes on."""
    with Place(ARGUMENTS.bin) as p, Disk(p.path / "disk", "600k") as disk:
        if not disk.is_there:
            return
        p.fill(24, 20000)
        p.work = disk.path / "work"
        p.plan("--task-bytes=40K", options=("-1", "--rm"))
        disk.remount("ro")
        p.farm("run", "-j2", p.work, status=None)
        expect(all(map(os.path.exists, p.sums)), "removed without a journal")
        p.farm("status", p.work)
        disk.remount("rw")
        for nleft in (0, 1, 3):  # blocks for journals
            disk.fill(nleft)
            p.farm("run", "-j2", p.work, status=None)
            for name in p.sums:
                expect(os.path.exists(name) or
                       p.compress("-tq", f"{name}.nc3z").returncode == 0,
                       name)
            disk.free()
        p.farm("run", p.work)
        p.farm("collect", p.work)


def test_at_once():
    """Two runs of one plan, and of two plans of one tree."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(40, 60000)
        works = [p.path / "work1", p.path / "work2"]
        for p.work in works:
            p.plan("--task-bytes=200K", options=("-9",))
        runs = [subprocess.Popen(p.command("run", "-j2", work),
                                 stderr=subprocess.DEVNULL)
                for work in works * 2]
        for run in runs:
            run.wait(SECONDS_MAX)
        for p.work in works:
            p.farm("run", p.work)
            p.check_packed()


def test_ended():
    """SIGTERM ends a run in order; the next one goes on."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(40, 90000)
        p.plan("--task-bytes=100K", options=("-9",))
        run = subprocess.Popen(p.command("run", "-j2", p.work),
                               stderr=subprocess.DEVNULL)
        while run.poll() is None and not is_packing(run):
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
                pids = []
                while done < KILLS and run.poll() is None:
                    if not is_packing(run):
                        time.sleep(0.02)
                        continue
                    time.sleep(p.rng.uniform(0, 0.5))
                    pids = [pid for pid, _ in descendants(run.pid)]
                    done += kill(p.rng.choice(pids + [run.pid]))
                run.kill()
                run.wait()
                for pid in pids:  # they would go on
                    kill(pid)
            for _ in range(5):
                if p.farm("run", "-j3", p.work, status=None).returncode == 0:
                    break
            p.check_packed()


POOL = """
import concurrent.futures, subprocess, sys
with concurrent.futures.ProcessPoolExecutor(2) as pool:
    sys.exit(max(pool.map(subprocess.call,
                          [sys.argv[1:] + [n] for n in sys.stdin.read()
                           .split()])))
"""


def test_executors():
    """GNU parallel, and a pool of Python, as the manual says."""
    for command in (["parallel", "--will-cite", "-j2"],
                    [sys.executable, "-c", POOL]):
        if not shutil.which(command[0]):
            print(f"  skipped: no {command[0]}")
            continue
        with Place(ARGUMENTS.bin) as p:
            p.fill(12, 20000)
            p.plan("--task-bytes=60K")
            done = subprocess.run(command + p.command("work", p.work),
                                  input=b"\n".join(p.left()), check=False)
            expect(done.returncode == 0, command, done.returncode)
            p.check_packed()


def test_refused():
    """What is asked for wrongly."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(2, 5000)
        p.farm("run", p.work, status=1)
        p.farm("plan", p.path / "none", p.work, status=1)
        for args in (["", p.work], [p.tree, ""],  # not this directory
                     ["--bundle=1G", "--output-dir=", p.tree, p.work]):
            done = p.farm("plan", *args, status=1)
            expect(b"an empty name" in done.stderr, args, done.stderr)
        for args in ([p.work], [p.work, "--", "-9"],
                     ["--files0-from=-", p.tree, p.work],
                     ["--bundle=1G", p.tree, p.work],
                     [f"--output-dir={p.path}", p.tree, p.work],
                     ["--bundle=0", p.tree, p.work],
                     ["--bundle=1G", f"--output-dir={p.path}",
                      "--task-bytes=1G", p.tree, p.work],
                     ["--verify", "--restore", p.tree, p.work],
                     ["--task-bytes=x", p.tree, p.work],
                     [p.tree, p.work, "--", "--chunks"]):
            done = p.farm("plan", *args, status=2)
            expect(b"nc3farm" in done.stderr, args, done.stderr)
        for option in ("--nonsense", "x.nc", "-d", "-h", "--older-than=30d",
                       "-c", "--exclude=x", "--journal=j", "--level=99",
                       "-r", "-t", "--version", "--check"):
            done = p.farm("plan", p.tree, p.work, "--", "-9", option, status=2)
            expect(option.encode() in done.stderr, done.stderr)
        for what, option in ((), "--codec=none"), (["--verify"], "--rm"), \
                (["--convert"], "--codec=none"), (["--convert"], "-r"), \
                (["--convert"], "--to=netcdf4"), \
                (["--convert"], f"--output-dir={p.path}"), \
                (["--bundle=1G", f"--output-dir={p.path}"], "-9"):
            p.farm("plan", *what, p.tree, p.work, "--", option, status=2)
        for names, why in (b"/nothing\0" + bytes(p.tree), b"cut off"), \
                (bytes(p.tree) + b"\0\0", b"is empty"):
            (p.path / "list").write_bytes(names)
            done = p.farm("plan", f"--files0-from={p.path / 'list'}", p.work,
                          status=1)
            expect(why in done.stderr, done.stderr)
        expect(not p.work.exists(), "a plan all the same")
        p.plan()
        p.farm("plan", p.tree, p.work, status=1)
        for args in ([], ["pack", p.work], ["run"],
                     ["run", "--jobs=-1", p.work],
                     ["run", "--until=0", p.work], ["run", p.work, "--", "-9"],
                     ["work", p.work], ["work", p.work, "x"],
                     ["work", p.work, 7], ["work", p.work, -1],
                     ["left", p.work, "--json"], ["status", p.work, "x"],
                     ["collect", "--read=1", p.work]):
            p.farm(*args, status=2, env={
                k: v for k, v in os.environ.items()
                if k != "SLURM_ARRAY_TASK_ID"})
        p.farm("work", p.work, status=2, env={
            **os.environ, "SLURM_ARRAY_TASK_ID": "x"})


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


SHORT = [test_pack_and_again, test_grown, test_words, test_progress,
         test_removed, test_removed_links, test_compressed, test_outputs,
         test_found, test_deleted, test_links, test_ours, test_one_plan,
         test_refused, test_lies, test_read_again, test_offline,
         test_too_long, test_promises, test_bundle, test_bundle_names,
         test_bundle_readers, test_bundle_after_decoding, test_bundle_failed,
         test_bundle_damaged,
         test_bundle_line_feeds, test_bundle_changed, test_bundle_ended,
         test_bundle_others]
LONG = [test_other_actions, test_full_disk, test_work_full, test_at_once,
        test_ended, test_killed, test_executors, test_nothing_is_left]

if __name__ == "__main__":
    if ARGUMENTS.hold:
        sys.exit(run_tests([start_and_hold]))
    tests = SHORT + LONG if ARGUMENTS.all else SHORT
    sys.exit(run_tests([t for t in tests if ARGUMENTS.only in t.__name__]))
