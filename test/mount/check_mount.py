#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mounts directories with nc3mount and looks at them as any program does.

usage: check_mount.py --bin DIR TESTDATA

TESTDATA is a directory of classic files.  Skipped (77) where nothing can be
mounted; test_*.c test the same without a mount.
"""

import argparse
import errno
import mmap
import os
from pathlib import Path
import random
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import traceback

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "robust"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tar"))
from tools import classic_file, expect  # noqa: E402
import tars  # noqa: E402

PAGE = 4096
# Against hanging; nothing is near it, on a loaded machine either.
SECONDS_MAX = 240
CAP_SYS_ADMIN = 21


class Stage:
    """A directory to mount, where to mount it, and the originals besides."""

    def __init__(self, bindir, testdata):
        self.bin, self.testdata = bindir, testdata
        self.base = Path(tempfile.mkdtemp(prefix="nc3z-mount-"))
        self.dir = self.base / "dir"
        # a name of its own, to tell processes apart by it
        self.at = self.base / self.base.name
        self.originals = self.base / "originals"
        for path in (self.dir, self.at, self.originals):
            path.mkdir()
        self.process, self.log = None, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            subprocess.run(["umount", "-l", self.at], check=False,
                           capture_output=True)
            self.process.kill()
            self.process.wait()
        if self.log:
            self.log.close()
        shutil.rmtree(self.base)

    def pack(self, name, records=3, length=20000, seed=1, options=()):
        """An archive of the directory; its original, which lies besides."""
        original = self.originals / name
        original.parent.mkdir(parents=True, exist_ok=True)
        classic_file(original, records, length, seed)
        self.pack_file(original, name, options)
        return original

    def pack_file(self, original, name, options=()):
        """Packs a file into the directory."""
        archive = self.dir / (name + ".nc3z")
        archive.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([self.bin / "nc3compress", "-qf", *options, "-o",
                        archive, original], check=True)

    def run(self, *args):
        """Runs nc3mount to its end."""
        return subprocess.run([self.bin / "nc3mount", *map(str, args)],
                              cwd=self.base, capture_output=True, text=True,
                              check=False,
                              timeout=SECONDS_MAX)

    def mount(self, *options):
        """Mounts the directory, in the foreground."""
        # pylint: disable=consider-using-with
        self.log = open(self.base / "log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [self.bin / "nc3mount", "-f", *options, self.dir, self.at],
            stdin=subprocess.DEVNULL, stderr=self.log)
        wait_for(lambda: is_mounted(self.at) or self.process.poll() is not None)
        expect(self.process.poll() is None, "not mounted:", self.messages())

    def messages(self):
        """What nc3mount has said."""
        return (self.base / "log").read_text(encoding="utf-8")

    def unmount(self):
        """Unmounts; nc3mount ends, and well."""
        subprocess.run(["fusermount3", "-u", self.at], check=True)
        expect(self.process.wait(SECONDS_MAX) == 0, self.process.returncode,
               self.messages())


def is_mounted(path):
    """Whether something is mounted there; asks nobody who might be ending."""
    mounts = Path("/proc/self/mounts").read_text(encoding="utf-8")
    return f" {path} " in mounts


def wait_for(condition):
    """Waits until a condition holds."""
    end = time.monotonic() + SECONDS_MAX
    while not condition():
        expect(time.monotonic() < end, "waited too long")
        time.sleep(0.02)


def error_of(function, *args):
    """The errno with which a call fails, 0 if it does not."""
    try:
        function(*args)
    except OSError as error:
        return error.errno
    return 0


def names_of(directory):
    """What a directory shows."""
    return sorted(os.listdir(directory))


def test_identity(stage):
    """All test data, byte for byte, with size, time and permissions."""
    shutil.copytree(stage.testdata, stage.dir / "data")
    subprocess.run([stage.bin / "nc3compress", "-rq", "--rm",
                    stage.dir / "data"], check=False, capture_output=True)
    # those that could not be packed pass through
    originals = sorted(stage.testdata.glob("*.nc"))
    npacked = 0
    stage.mount()
    expect(names_of(stage.at / "data") == names_of(stage.testdata))
    for original in originals:
        shown = stage.at / "data" / original.name
        source = stage.dir / "data" / original.name
        if not source.exists():
            source = source.with_name(source.name + ".nc3z")
            npacked += 1
        expect(shown.read_bytes() == original.read_bytes(), original.name)
        of_shown, of_source = shown.stat(), source.stat()
        expect(of_shown.st_size == original.stat().st_size, original.name)
        expect(of_shown.st_mtime_ns == of_source.st_mtime_ns, original.name)
        expect(of_shown.st_mode == of_source.st_mode & ~0o222, original.name)
        expect(of_shown.st_uid == of_source.st_uid, original.name)
        expect(of_shown.st_ino == of_source.st_ino, original.name)
    expect(npacked > 50, "few test data were packed")
    stage.unmount()
    expect(stage.messages() == "", stage.messages())
    return f"{npacked} archives of {len(originals)} files"


def read_at_random(path, original, seed, wrong):
    """Reads parts of a file, as one of several threads."""
    dice = random.Random(seed)
    fd = os.open(path, os.O_RDONLY)
    for _ in range(60):
        offset = dice.randrange(len(original) + 1000)
        nbytes = dice.choice((1, 10, 3000, 70000, 2_000_000))
        if os.pread(fd, nbytes, offset) != original[offset:offset + nbytes]:
            wrong.append(f"{path}: {nbytes} bytes at {offset}")
    os.close(fd)


def test_concurrent_reads(stage):
    """Threads read parts of files, while little memory is allowed."""
    originals = [stage.pack(f"{i}.nc", 10, 20000 + i, i,
                            ["--chunks", "time/4,x/3000"] if i == 2 else [])
                 for i in range(3)]
    stage.mount("--max-open=2", "--max-memory=1M", "-T4")
    wrong, threads = [], []
    for i in range(9):
        original = originals[i % 3]
        threads.append(threading.Thread(
            target=read_at_random, args=(stage.at / original.name,
                                         original.read_bytes(), i, wrong)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    expect(not wrong, wrong[:3])
    with open(stage.at / "0.nc", "rb") as file, \
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        expect(view[:] == originals[0].read_bytes(), "mapped")
    stage.unmount()


def test_damage(stage):
    """Pages of a damaged block fail, all others do not; it is said once."""
    original = stage.pack("x.nc", 6, options=["-b", "64K"]).read_bytes()
    archive = stage.dir / "x.nc.nc3z"
    with open(archive, "r+b") as file:
        file.seek(archive.stat().st_size // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))
    stage.mount()
    bad = []
    fd = os.open(stage.at / "x.nc", os.O_RDONLY)
    for offset in range(0, len(original), PAGE):
        try:
            expect(os.pread(fd, PAGE, offset) ==
                   original[offset:offset + PAGE], "wrong bytes at", offset)
        except OSError as error:
            expect(error.errno == errno.EIO, error)
            bad.append(offset // PAGE)
    # a second reader is told so, too
    expect(error_of(os.pread, fd, PAGE, bad[0] * PAGE) == errno.EIO)
    os.close(fd)
    expect(1 <= len(bad) <= 65536 // PAGE + 2, bad)
    expect(bad[-1] - bad[0] + 1 == len(bad), bad)
    lines = stage.messages().splitlines()
    expect(len(lines) == 1 and "x.nc.nc3z: " in lines[0] and
           " is damaged" in lines[0], lines)
    stage.unmount()
    return f"{len(bad)} of {-(-len(original) // PAGE)} pages"


def test_cut(stage):
    """An archive without its end is there by name, and cannot be opened."""
    stage.pack("x.nc")
    os.truncate(stage.dir / "x.nc.nc3z", 5000)
    stage.mount()
    expect(names_of(stage.at) == ["x.nc"])
    for _ in range(20):
        expect(error_of(os.stat, stage.at / "x.nc") == errno.EIO)
    expect(len(stage.messages().splitlines()) == 1, stage.messages())
    stage.unmount()


def test_not_looked_at(stage):
    """What cannot be looked at, as on a disk that fails, hides nothing else."""
    stage.pack("x.nc")
    original = stage.pack("y.nc")
    os.truncate(stage.dir / "x.nc.nc3z", 5000)
    stage.mount()
    over = stage.base / "over"
    over.mkdir()
    with subprocess.Popen([stage.bin / "nc3mount", "-f", stage.at, over],
                          stdin=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: is_mounted(over) or process.poll() is not None)
            expect(names_of(over) == ["x.nc", "y.nc"], names_of(over))
            expect(error_of(os.stat, over / "x.nc") == errno.EIO)
            expect((over / "y.nc").read_bytes() == original.read_bytes())
        finally:
            subprocess.run(["fusermount3", "-u", over], check=True)
            process.wait(SECONDS_MAX)
    stage.unmount()


def test_replaced(stage):
    """A new archive under an old name; who reads the old one goes on."""
    old = stage.pack("x.nc", 3, seed=1).read_bytes()
    new = stage.pack("y.nc", 4, seed=2).read_bytes()
    stage.mount()
    fd = os.open(stage.at / "x.nc", os.O_RDONLY)
    expect(os.pread(fd, 1000, 0) == old[:1000])
    os.rename(stage.dir / "y.nc.nc3z", stage.dir / "x.nc.nc3z")
    expect((stage.at / "x.nc").read_bytes() == new, "new bytes, at once")
    expect(os.pread(fd, len(old) + 1, 0) == old, "old bytes")
    expect(os.fstat(fd).st_size == len(old), "old size")
    os.close(fd)
    wait_for(lambda: (stage.at / "x.nc").stat().st_size == len(new))
    # in place: what the kernel does not know yet, nobody knows any more
    fd = os.open(stage.at / "x.nc", os.O_RDONLY)
    stage.pack("z.nc", 5, seed=3)
    (stage.dir / "x.nc.nc3z").write_bytes(
        (stage.dir / "z.nc.nc3z").read_bytes())
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    expect(error_of(os.pread, fd, 1000, len(new) - 1000) == errno.EIO)
    expect((stage.at / "x.nc").read_bytes() ==
           (stage.at / "z.nc").read_bytes(), "written in place")
    os.close(fd)
    os.unlink(stage.dir / "x.nc.nc3z")
    wait_for(lambda: error_of(os.stat, stage.at / "x.nc") == errno.ENOENT)
    stage.unmount()


def test_plain_files(stage):
    """What is no archive passes through; collisions; what grows."""
    original = stage.pack("x.nc")
    stage.pack("both.nc")
    for name in ("plain.nc", "both.nc"):
        shutil.copy(original, stage.dir / name)
    (stage.dir / "no.nc3z").write_text("no archive")
    (stage.dir / "new\nline").write_text("odd")
    (stage.dir / "sub").mkdir()
    (stage.dir / "script").write_text("#!/bin/sh\necho run\n")
    (stage.dir / "script").chmod(0o755)
    os.symlink("x.nc.nc3z", stage.dir / "last.nc.nc3z")
    stage.mount()
    expect(names_of(stage.at) ==
           ["both.nc", "both.nc.nc3z", "last.nc", "new\nline", "no.nc3z",
            "plain.nc", "script", "sub", "x.nc"], names_of(stage.at))
    for name in ("plain.nc", "both.nc", "x.nc", "last.nc"):
        expect((stage.at / name).read_bytes() == original.read_bytes(), name)
    for name in ("both.nc.nc3z", "no.nc3z", "new\nline"):
        expect((stage.at / name).read_bytes() ==
               (stage.dir / name).read_bytes(), name)
    expect(subprocess.check_output([stage.at / "script"]) == b"run\n")
    with open(stage.dir / "no.nc3z", "a", encoding="ascii") as file:
        file.write(" yet")
    wait_for(lambda: (stage.at / "no.nc3z").read_text() == "no archive yet")
    stage.unmount()
    stage.mount("--archives-only")
    expect(names_of(stage.at) == ["both.nc", "last.nc", "sub", "x.nc"],
           names_of(stage.at))
    expect(error_of(os.stat, stage.at / "plain.nc") == errno.ENOENT)
    stage.unmount()
    stage.mount("-o", "archives-only,suffix=.x")
    expect(names_of(stage.at) == ["last.nc.nc3z", "sub"], names_of(stage.at))
    stage.unmount()


def test_no_writing(stage):
    """Nothing can be written, and nothing is."""
    stage.pack("x.nc")
    (stage.dir / "plain").write_text("plain")
    before = sorted((path.name, path.stat().st_mtime_ns, path.stat().st_mode)
                    for path in stage.dir.iterdir())
    stage.mount("-o", "rw")
    for name in ("x.nc", "plain"):
        path = stage.at / name
        for call in ((os.open, path, os.O_RDWR), (os.truncate, path, 1),
                     (os.unlink, path), (os.chmod, path, 0o777),
                     (os.rename, path, stage.at / "other"),
                     (os.utime, path), (os.link, path, stage.at / "other"),
                     (os.mkdir, stage.at / "new")):
            expect(error_of(*call) == errno.EROFS, call)
    stage.unmount()
    expect(before == sorted(
        (path.name, path.stat().st_mtime_ns, path.stat().st_mode)
        for path in stage.dir.iterdir()), "something was written")


def test_unmounting(stage):
    """With files open, by signals, and lazily."""
    original = stage.pack("x.nc").read_bytes()
    stage.mount()
    fd = os.open(stage.at / "x.nc", os.O_RDONLY)
    busy = subprocess.run(["fusermount3", "-u", stage.at], check=False,
                          capture_output=True)
    expect(busy.returncode != 0, "unmounted while a file was open")
    subprocess.run(["fusermount3", "-uz", stage.at], check=True)
    expect(not is_mounted(stage.at) and names_of(stage.at) == [])
    expect(os.pread(fd, len(original), 0) == original, "after unmounting")
    expect(stage.process.poll() is None, "ended too early")
    os.close(fd)
    expect(stage.process.wait(SECONDS_MAX) == 0, stage.process.returncode)
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        stage.mount()
        fd = os.open(stage.at / "x.nc", os.O_RDONLY)
        stage.process.send_signal(number)
        expect(stage.process.wait(SECONDS_MAX) == 0, number,
               stage.process.returncode, stage.messages())
        expect(not is_mounted(stage.at), "still mounted after", number)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        expect(error_of(os.pread, fd, 1, 5000) != 0)
        error_of(os.close, fd)


def process_at(directory):
    """The process that has mounted a directory by a relative name."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        words = b""
        try:
            words = path.read_bytes().split(b"\0")
            where = os.readlink(path.parent / "exe")
        except OSError:
            continue
        if words[1:] == [b"dir", os.fsencode(directory), b""] and \
                where.endswith("/nc3mount"):
            return int(path.parent.name)
    return None


def test_background(stage):
    """Mounted when the command returns; gone when it is unmounted."""
    original = stage.pack("x.nc")
    name = os.path.relpath(stage.at, stage.base)
    for by_signal in False, True:
        done = stage.run("dir", f"./{name}")
        expect(done.returncode == 0 and done.stderr == "", done)
        expect((stage.at / "x.nc").read_bytes() == original.read_bytes())
        process = process_at(f"./{name}")
        expect(process, "no process in the background")
        if by_signal:
            os.kill(process, signal.SIGTERM)
        else:
            subprocess.run(["fusermount3", "-u", stage.at], check=True)
        wait_for(lambda: not is_mounted(stage.at))
        wait_for(lambda: not process_at(f"./{name}"))


def test_closed_descriptors(stage):
    """The directory's descriptor is none of the standard streams."""
    original = stage.pack("x.nc")
    for closed in "<&-", ">&-", "2>&-", "<&- >&- 2>&-":
        done = subprocess.run(
            ["sh", "-c", f'"$0" dir "$1" {closed}', stage.bin / "nc3mount",
             stage.at], cwd=stage.base, check=False, timeout=SECONDS_MAX)
        expect(done.returncode == 0, closed, done)
        expect((stage.at / "x.nc").read_bytes() == original.read_bytes(),
               closed)
        subprocess.run(["fusermount3", "-u", stage.at], check=True)
        wait_for(lambda: not is_mounted(stage.at))


def test_mounting_over(stage):
    """A directory can be mounted over itself, but not inside of itself."""
    original = stage.pack("sub/x.nc")
    stage.at.rmdir()
    stage.at = stage.dir
    stage.mount()
    expect(names_of(stage.at / "sub") == ["x.nc"])
    expect((stage.at / "sub/x.nc").read_bytes() == original.read_bytes())
    stage.unmount()
    expect(names_of(stage.dir / "sub") == ["x.nc.nc3z"])
    done = stage.run("-f", stage.dir, stage.dir / "sub")
    expect(done.returncode == 1 and "is inside the directory" in done.stderr,
           done)


def test_mounting_twice(stage):
    """What is there already is hidden only if that is wanted."""
    original = stage.pack("x.nc").read_bytes()
    full = stage.base / "full"
    full.mkdir()
    (full / "file").write_bytes(b"")
    stage.mount()
    for source in stage.dir, stage.at:
        done = stage.run(source, stage.at)
        expect(done.returncode == 1 and len(done.stderr.splitlines()) == 1 and
               "nc3mount is already mounted there" in done.stderr, done)
    stage.unmount()
    expect(not is_mounted(stage.at), "twice")
    os.symlink(full, stage.base / "link")
    for at in full, stage.base / "link", f"{full}/.":
        done = stage.run(stage.dir, at)
        expect(done.returncode == 1 and not is_mounted(full) and
               "files in this directory would be hidden" in done.stderr, done)
    stage.at = full
    stage.mount("-o", "nonempty")
    expect((full / "x.nc").read_bytes() == original, names_of(full))
    done = stage.run("-o", "nonempty", stage.dir, full)
    expect(done.returncode == 0, done)
    subprocess.run(["fusermount3", "-u", full], check=True)
    stage.unmount()
    expect(names_of(full) == ["file"], names_of(full))
    # One that has died is not listed, and hides nothing.
    stage.mount("-o", "nonempty")
    stage.process.kill()
    stage.process.wait()
    expect(is_mounted(full), "still there")
    done = stage.run(stage.dir, full)
    expect(done.returncode == 1 and "unmount it first" in done.stderr, done)
    subprocess.run(["fusermount3", "-u", full], check=True)


def test_tars(stage):
    """A tar of archives is a directory; so is one that is mounted itself."""
    original = stage.pack("x.nc").read_bytes()
    data = (stage.dir / "x.nc.nc3z").read_bytes()
    members = [("d/x.nc.nc3z", data), ("d/x.nc", b"another"),
               ("d/y.nc.nc3z", data), ("bad.nc.nc3z", data[:5000]),
               ("README", b"read me"), ("../up", b"?"), ("f", b"file"),
               ("f/g", b"in a directory")]
    tar = stage.dir / "t.tar"
    for index in None, True:
        tars.make(tar, members, index=index)
        tars.make(stage.dir / "other.tar", members[4:])
        stage.mount()
        expect(names_of(stage.at) == ["other.tar", "t.tar", "x.nc"],
               names_of(stage.at))
        expect((stage.at / "other.tar").read_bytes() ==
               (stage.dir / "other.tar").read_bytes(), "passes through")
        top = stage.at / "t.tar"
        expect(stat.S_ISDIR(top.stat().st_mode) and names_of(top) ==
               ["README", "bad.nc", "d", "f", "f~2"], names_of(top))
        expect(names_of(top / "d") == ["x.nc", "x.nc.nc3z", "y.nc"],
               names_of(top / "d"))
        expect((top / "d" / "y.nc").read_bytes() == original, "decoded")
        expect((top / "d" / "x.nc").read_bytes() == b"another", "plain")
        expect((top / "d" / "x.nc.nc3z").read_bytes() == data, "as it is")
        expect((top / "f" / "g").read_bytes() == b"in a directory" and
               (top / "f~2").read_bytes() == b"file", "one name")
        expect(error_of(os.stat, top / "bad.nc") == errno.EIO, "damaged")
        expect(error_of(os.open, top / "d" / "y.nc", os.O_RDWR) ==
               errno.EROFS, "written")
        said = stage.messages()
        expect("t.tar//bad.nc.nc3z: " in said and "../up is not shown" in
               said and len(said.splitlines()) == 3, said)
        # Another tar by the same name is another directory.
        tars.make(stage.dir / "new", members[:1])
        held = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
        with open(top / "d" / "y.nc", "rb") as file:
            os.rename(stage.dir / "new", tar)
            wait_for(lambda: names_of(stage.at / "t.tar") == ["d"])
            expect(file.read() == original, "the old one, to its end")
        expect(stat.S_ISDIR(os.fstat(held).st_mode) and "f~2" in
               os.listdir(held), "the old directory stays one")
        os.close(held)
        stage.unmount()
    tars.make(tar, members[:1], index=True)
    tars.add(tar, tars.link("d/h.nc.nc3z", "d/x.nc.nc3z"),
             tars.link("d/s", "x.nc", tarfile.SYMTYPE),
             tars.link("d/late", "z"))
    tars.append(tar, members[4:5])
    tar.write_bytes(tar.read_bytes()[:tar.read_bytes().rindex(b"read me")])
    stage.mount()
    top = stage.at / "t.tar"
    expect(names_of(top) == ["d"] and names_of(top / "d") == ["h.nc", "x.nc"],
           names_of(top / "d"))
    expect((top / "d" / "h.nc").read_bytes() == original, "a hard link")
    said = stage.messages()
    expect("d/s is not shown: it is a symbolic link" in said and
           "d/late is not shown: it is a hard link" in said and
           "is cut off" in said and len(said.splitlines()) == 3, said)
    stage.unmount()
    # The first header is damaged: only its member is not shown.
    tars.make(tar, [members[4], members[0]])
    damaged = bytearray(tar.read_bytes())
    damaged[9] ^= 1
    tar.write_bytes(damaged)
    stage.mount()
    expect((stage.at / "t.tar" / "d" / "x.nc").read_bytes() == original and
           names_of(stage.at / "t.tar") == ["d"], names_of(stage.at))
    said = stage.messages()
    expect("skipped to the next one, at offset 1024 (offset 0)" in said, said)
    stage.unmount()
    tars.make(tar, members[:1])
    done = subprocess.run([stage.bin / "nc3mount", tar, stage.at], check=True)
    expect(names_of(stage.at / "d") == ["x.nc"], done)
    expect((stage.at / "d" / "x.nc").read_bytes() == original, "alone")
    subprocess.run(["fusermount3", "-u", stage.at], check=True)


def test_no_output(stage):
    """A view of an archive is no restored file, though it has its bytes."""
    stage.pack("x.nc")
    stage.mount()
    archive = stage.dir / "x.nc.nc3z"
    work, other = stage.base / "work", stage.base / "other"
    other.mkdir()
    farm = [sys.executable, "-B", stage.bin / "nc3farm"]
    subprocess.run([*farm, "plan", "--restore", archive, work, "--",
                    f"--output-dir={other}"], check=True, capture_output=True)
    subprocess.run([*farm, "run", work], check=True)
    subprocess.run([*farm, "collect", work], check=True, capture_output=True)
    # It comes in the place of the file that was restored.
    shutil.rmtree(other)
    other.symlink_to(stage.at)
    done = subprocess.run([*farm, "collect", work], capture_output=True,
                          text=True, check=False)
    expect(done.returncode == 1 and "mount of nc3mount" in done.stderr, done)
    stage.unmount()


def test_usage(stage):
    """What cannot be mounted is said."""
    cut = stage.base / "cut"
    cut.write_text("http://127.0.0.1:9/x.nc.nc3z\nhttp://127.0.0.1:9/y.nc")
    stage.pack("x.nc")
    archive, full = stage.dir / "x.nc.nc3z", stage.base / "full"
    full.mkdir()
    (full / "x").write_bytes(b"")
    for args, status, text in (
            ((), 2, "and a mount point are needed"),
            ((stage.dir,), 2, "and a mount point are needed"),
            (("http://h/x.nc.nc3z",), 2, "and a mount point are needed"),
            ((stage.dir, stage.dir, stage.at), 2,
             "and a mount point are needed"),
            (("--urls=x", stage.dir, stage.at), 2,
             "and a mount point are needed"),
            (("--urls=absent", stage.at), 1, "cannot open"),
            ((f"--urls={cut}", stage.at), 1, "may be cut off"),
            (("http://h/", stage.at), 1, "does not give a file name"),
            (("/dev/null", stage.at), 1, "neither a directory nor a tar"),
            (("--max-open=0", stage.dir, stage.at), 2, "not between 1"),
            (("--max-memory=x", stage.dir, stage.at), 2, "not a number"),
            (("-T", "0", stage.dir, stage.at), 2, "not between 1"),
            (("-S", "a/b", stage.dir, stage.at), 2, "not a suffix"),
            (("-o", "max-open=0", stage.dir, stage.at), 2, "not between"),
            (("-o", "absurd,x=3", stage.dir, stage.at), 2,
             "nc3mount: unknown option: -o absurd,x=3\n"),
            ((archive, stage.at), 1, "is an archive: mount the directory"),
            ((stage.dir, full), 1, "files in this directory would be hidden"),
            ((stage.dir, full / "x"), 1, "it is not a directory"),
            ((full / "missing", full), 1, "cannot open"),
            (("--absurd", stage.dir, stage.at), 2, "unknown option"),
            ((stage.base / "absent", stage.at), 1, "cannot open"),
            ((stage.dir, stage.base / "absent"), 1, "cannot mount there"),
            (("--completion=tcsh",), 2, "no completion for tcsh")):
        done = stage.run(*args)
        expect(done.returncode == status and text in done.stderr and
               all(line.startswith("nc3mount: ")
                   for line in done.stderr.splitlines()), args, done)
        expect(not is_mounted(stage.at), args)
    expect(stage.run("--version").stdout.startswith("nc3mount "))
    expect("--archives-only" in stage.run("--help").stdout)


def as_other_user(function, *args):
    """The errno of a call made by an unprivileged user."""
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        os._exit(error_of(function, *args))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_other_users(stage):
    """They get in if that is allowed, and read what they may."""
    if os.geteuid() != 0:
        return "skipped: not root"
    stage.base.chmod(0o755)
    stage.pack("open.nc")
    stage.pack("closed.nc")
    (stage.dir / "open.nc.nc3z").chmod(0o644)
    (stage.dir / "closed.nc.nc3z").chmod(0o640)
    stage.mount()
    expect(as_other_user(os.listdir, stage.at) == errno.EACCES)
    stage.unmount()
    stage.mount("-o", "allow_other")
    try:
        os.getxattr(stage.dir, "system.posix_acl_access")
        has_lists = True
    except OSError as error:
        has_lists = error.errno == errno.ENODATA
    expect(("access control lists" in stage.messages()) == has_lists)
    for name, status in (("open.nc", 0), ("closed.nc", errno.EACCES)):
        expect(as_other_user(os.open, stage.at / name, os.O_RDONLY) == status,
               name)
    stage.unmount()
    return None


def test_many(stage):
    """A directory of many archives, listed and listed again."""
    stage.pack("x.nc", 1, 10)
    for i in range(1000):
        shutil.copy(stage.dir / "x.nc.nc3z", stage.dir / f"{i}.nc.nc3z")
    size = (stage.originals / "x.nc").stat().st_size
    stage.mount("--max-open=10")
    for _ in range(2):
        with os.scandir(stage.at) as entries:
            sizes = [entry.stat().st_size for entry in entries
                     if stat.S_ISREG(entry.stat().st_mode)]
        expect(sizes == 1001 * [size], len(sizes))
        time.sleep(1.1)
    stage.unmount()


# What they print of an original and of what is shown must be the same.
PROGRAMS = (
    ("ncdump", "{}"),
    ("cdo", "-s", "infon", "{}"),
    ("cdo", "-s", "output", "-timmean", "{}"),
    ("gdalinfo", "-norat", "NETCDF:{}:a"),
    ("gmt", "grdinfo", "-C", "{}?a"),
    ("scipy", "from scipy.io import netcdf_file; import sys; "
     "[print(netcdf_file(sys.argv[1], mmap=m).variables['b'][:].sum()) "
     "for m in (False, True)]", "{}"),
)


def output_of(program, *words, directory):
    """What a program prints; None if it is not there or does not work."""
    if program == "scipy":
        command = ["/usr/bin/python3", "-W", "ignore", "-c"]
    elif shutil.which(program):
        command = [program]
    else:
        return None
    done = subprocess.run(
        [*command, *(word.format("x.nc") for word in words)], cwd=directory,
        stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def test_programs(stage):
    """Programs with a netCDF reader of their own, and some without."""
    stage.pack("x.nc", 5, 100)
    stage.mount()
    verdicts = []
    for program in PROGRAMS:
        wanted = output_of(*program, directory=stage.originals)
        if wanted is None:
            verdicts.append(f"{program[0]} skipped")
            continue
        expect(wanted and output_of(*program, directory=stage.at) == wanted,
               program)
        verdicts.append(f"{program[0]} same")
    stage.unmount()
    return ", ".join(dict.fromkeys(verdicts))


def test_no_copy(stage):
    """What is shown does not let the archive go that it is made of."""
    for name in "x.nc", "d/y.nc":
        stage.pack(name)
    stage.mount()
    started = time.monotonic()
    for options in (["--rm"], ["--rm", "--update"], ["--update"],
                    ["--rm", "-f", "--update"]):
        done = subprocess.run(
            [stage.bin / "nc3compress", "-d", "-r", *options,
             f"--output-dir={stage.at}", stage.dir], check=False,
            capture_output=True, text=True)
        expect(done.returncode == 1, options, done)
        expect(done.stderr.count("is not taken for a copy: nc3mount shows") ==
               2, options, done)
    expect(time.monotonic() - started < 5, "there was a wait")
    done = subprocess.run(
        [stage.bin / "nc3convert", "--to=netcdf4", "--rm", "-o",
         stage.at / "x.nc", stage.dir / "x.nc.nc3z"], check=False,
        capture_output=True, text=True)
    expect(done.returncode == 1 and "nc3mount shows" in done.stderr, done)
    stage.unmount()
    expect(sorted(path.name for path in stage.dir.rglob("*.nc3z")) ==
           ["x.nc.nc3z", "y.nc.nc3z"])


TESTS = (test_identity, test_concurrent_reads, test_damage, test_cut,
         test_not_looked_at, test_replaced, test_plain_files, test_no_writing,
         test_no_copy,
         test_unmounting,
         test_background, test_closed_descriptors,
         test_mounting_over, test_mounting_twice, test_tars, test_usage,
         test_other_users,
         test_many, test_programs, test_no_output)


def obstacle():
    """Why nothing can be mounted here; None if it can."""
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as error:
        return f"/dev/fuse: {error.strerror}"
    if not shutil.which("fusermount3"):
        return "no fusermount3"
    status = Path("/proc/self/status").read_text(encoding="ascii")
    rights = int(status.split("CapEff:")[1].split()[0], 16)
    if os.geteuid() == 0 and not rights >> CAP_SYS_ADMIN & 1:
        return "root may not mount here"
    return None


def main():
    """Runs all tests, each on a stage of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("testdata", type=Path)
    parser.add_argument("tests", nargs="*", help="of these names only")
    args = parser.parse_args()
    bindir, testdata = args.bin.resolve(), args.testdata.resolve()
    why = obstacle()
    if why:
        print(f"skipped: nothing can be mounted: {why}")
        sys.exit(77)
    failed = 0
    for test in TESTS:
        if args.tests and test.__name__ not in args.tests:
            continue
        with Stage(bindir, testdata) as stage:
            start = time.monotonic()
            try:
                print(f"{test.__name__}: {test(stage) or 'ok'}, "
                      f"{time.monotonic() - start:.1f} s", flush=True)
            except (AssertionError, subprocess.SubprocessError, OSError):
                traceback.print_exc(file=sys.stdout)
                failed += 1
    print(f"{failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
