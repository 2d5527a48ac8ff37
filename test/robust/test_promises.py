#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nothing is lost, nobody reads more than he could, and messages are true:
in what order things happen is decided by a preloaded library, stops.c."""

import argparse
import contextlib
import gzip
import json
import mmap
import os
import pathlib
import pwd
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import time

from tools import classic_file, digest, expect, run_tests
from classic_writer import BYTE, ClassicWriter, Var  # found by tools

parser = argparse.ArgumentParser()
parser.add_argument("--bin", type=pathlib.Path)
parser.add_argument("--library", type=pathlib.Path)
parser.add_argument("--testdata", type=pathlib.Path)
OPTIONS, _ = parser.parse_known_args()
SMALL = OPTIONS.testdata / "classic/cdf1-all-types.nc"
OTHER = OPTIONS.testdata / "classic/cdf2-float-records.nc"
NOBODY = "nobody"


def stopped(bench, at, commands, *args, name=None, named=False, **more):
    """Runs the program, and the commands before a call."""
    env = os.environ | {"LD_PRELOAD": str(OPTIONS.library.resolve()),
                        "NC3Z_STOP": at, "NC3Z_STOP_RUN": commands}
    if name:
        env["NC3Z_STOP_NAME"] = name
    if named:
        env["NC3Z_STOP_NAMED"] = "1"
    return bench.run(*args, env=env, **more)


def shell(bench, text, **more):
    env = os.environ | {"PATH": f"{OPTIONS.bin.resolve()}:{os.environ['PATH']}"}
    return subprocess.run(["sh", "-c", text], cwd=bench.directory, env=env,
                          capture_output=True, check=False, **more)


def copy(bench, *names, of=SMALL):
    for name in names:
        shutil.copy(of, bench.path(name))
    return digest(of)


def inside(bench, name):
    """The digest of an archive's original."""
    result = bench.run("-dc", name)
    expect(result.returncode == 0, name, result.stderr)
    bench.path("inside").write_bytes(result.stdout)
    found = digest(bench.path("inside"))
    bench.path("inside").unlink()
    return found


def expect_failed(result, message, status=1):
    expect(result.returncode == status and message in result.stderr,
           result.returncode, result.stderr)


# Closed descriptors.

CLOSED = ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&-", "<&- 2>&-",
          "<&- >&- 2>&-"]


def test_closed_packing(bench):
    for closed in CLOSED:
        whole = copy(bench, "x.nc")
        result = shell(bench, f"nc3compress -v --rm x.nc {closed}")
        expect(result.returncode == 0, closed, result)
        expect(inside(bench, "x.nc.nc3z") == whole, closed)
        result = shell(bench, f"nc3compress -v -d --rm x.nc.nc3z {closed}")
        expect(result.returncode == 0, closed, result)
        expect(bench.names() == ["x.nc"], bench.names())
        expect(digest(bench.path("x.nc")) == whole, closed)


def test_closed_with_warning(bench):
    bad = OPTIONS.testdata / "classic/cdf1-begin-beyond-end.nc"
    for closed in CLOSED:
        whole = copy(bench, "x.nc", of=bad)
        result = shell(bench, f"nc3compress -f x.nc {closed}")
        expect(result.returncode == 3, closed, result)
        expect(inside(bench, "x.nc.nc3z") == whole, closed)


def test_closed_side_by_side(bench):
    """The message about one file does not get into another one."""
    names = [f"{i}.nc" for i in range(40)]
    whole = copy(bench, *names)
    for name in names[::4]:
        bench.path(name).write_bytes(b"CDF\1" + bytes(6) + b"\xff\xff")
    result = shell(bench, "nc3compress --rm -T4 *.nc >&- 2>&-")
    expect(result.returncode == 1, result)
    for i, name in enumerate(names):
        expect(bench.path(name).exists() == (i % 4 == 0), name)
        expect(i % 4 == 0 or inside(bench, f"{name}.nc3z") == whole, name)


def test_closed_salvage(bench):
    """A long list of losses does not go into the archive."""
    classic_file(bench.path("x.nc"), 300, length=1500)
    bench.run("-b", "4K", "--chunks", "record", "-1", "x.nc")
    data = bytearray(bench.path("x.nc.nc3z").read_bytes())
    for at in range(20000, len(data) - 20000, 9000):
        data[at:at + 16] = bytes(16)
    bench.path("bad").write_bytes(data)
    told = bench.run_other("nc3salvage", "-o", "told.nc3z", "bad")
    expect(told.returncode == 3 and len(told.stdout) > 4096, told)
    for closed in CLOSED:
        result = shell(bench, f"nc3salvage -o s.nc3z bad {closed}")
        is_told = ">&-" not in closed.replace("2>&-", "")
        expect(result.returncode == (3 if is_told else 1), closed, result)
        expect(bench.path("s.nc3z").exists() == is_told, closed)
        if is_told:
            expect(digest(bench.path("s.nc3z")) ==
                   digest(bench.path("told.nc3z")), closed)
            bench.path("s.nc3z").unlink()


def test_closed_other_programs(bench):
    """They have something in these places, so that files get others."""
    copy(bench, "x.nc")
    bench.run("x.nc")
    # Not with sanitizers, whose libraries are not in other programs.
    can_preload = shell(bench, "nc3run sh -c :").returncode == 0
    for closed in CLOSED:
        result = shell(bench, f"nc3dump -h x.nc.nc3z {closed}")
        has_output = ">&-" not in closed.replace("2>&-", "")
        expect(result.returncode == (0 if has_output else 1), closed, result)
        result = shell(bench, "nc3run sh -c 'for i in 0 1 2; do test -e "
                       f"/proc/$$/fd/$i || exit 9; done' {closed}")
        expect(result.returncode == 0 or not can_preload, closed, result)


# Two inputs and one output.

def test_output_spelled_twice(bench):
    for first, second in (("./x.nc", "x.nc.gz"), ("d/../x.nc", "x.nc.gz"),
                          ("link/x.nc", "x.nc.gz")):
        shutil.rmtree(bench.directory)
        bench.path("d").mkdir(parents=True)
        bench.path("link").symlink_to(".")
        whole = copy(bench, "x.nc")
        bench.path("x.nc.gz").write_bytes(gzip.compress(OTHER.read_bytes()))
        for options in (["-f", "--rm"], ["-f", "--rm=all", "-T1"]):
            result = bench.run(*options, first, second)
            expect(result.returncode != 0, options, result.returncode)
            expect(bench.path("x.nc.gz").exists(), "packed and lost")
            if bench.path("x.nc").exists():
                expect(digest(bench.path("x.nc")) == whole)
            else:
                expect(inside(bench, "x.nc.nc3z") == whole)


def test_two_nights(bench):
    """What the first run packed is not replaced by the second."""
    for rm in "--rm", "--rm=all":
        whole = copy(bench, "x.nc")
        bench.path("x.nc.nc3z").unlink(missing_ok=True)
        bench.path("x.nc.gz").write_bytes(gzip.compress(OTHER.read_bytes()))
        for _ in range(3):
            # With more threads, either may be the first.
            result = bench.run("-rfT1", rm, ".")
            # Of a tree, --rm leaves compressed files alone.
            expect(result.returncode == (rm == "--rm=all"), rm, result)
        expect(bench.names() == ["x.nc.gz", "x.nc.nc3z"], bench.names())
        expect(inside(bench, "x.nc.nc3z") == whole, rm)
    # An archive of the same original is replaced; so is any without --rm.
    copy(bench, "x.nc")
    expect(bench.run("-f", "--rm", "-9", "x.nc").returncode == 0)
    expect(not bench.path("x.nc").exists())
    expect(bench.run("-f", "x.nc.gz").returncode == 0)
    # Nor is something that is no archive.
    copy(bench, "y.nc")
    bench.path("y.nc.nc3z").write_text("notes")
    expect_failed(bench.run("-f", "--rm", "y.nc"), b"--rm replaces only")
    expect(bench.path("y.nc.nc3z").read_text() == "notes")


def test_remove_all(bench):
    """Links and compressed files go with an option of their own."""
    copy(bench, "a.nc")
    bench.path("x.nc.gz").write_bytes(gzip.compress(SMALL.read_bytes()))
    os.link(bench.path("a.nc"), bench.path("b.nc"))
    for _ in range(2):
        expect(bench.run("-rf", "--rm", ".").returncode == 0)
        expect({"a.nc", "b.nc", "x.nc.gz"} <= set(bench.names()))
    result = bench.run("-rf", "--rm=all", ".")
    expect(result.returncode == 0, result)
    expect(bench.names() == ["a.nc.nc3z", "b.nc.nc3z", "x.nc.nc3z"],
           bench.names())


# Inputs that change.

REPAIR = ("touch -r x.nc ref; printf REPAIRED | dd of=x.nc bs=1 seek=1140 "
          "conv=notrunc status=none; touch -r ref x.nc; rm ref")


def test_hidden_change(bench):
    """Written to, and the time set back, as cp -p and rsync -t do."""
    for at in "sync 0", "write 0":
        for options in ([], ["--rm"], ["--rm", "-f"]):
            copy(bench, "x.nc")
            result = stopped(bench, at, REPAIR, *options, "x.nc")
            expect_failed(result, b"changed")
            expect(bench.names() == ["x.nc"], at, options, bench.names())
            expect(b"REPAIRED" in bench.path("x.nc").read_bytes())


def test_change_before_commit(bench):
    """An archive that is outdated gets no name."""
    copy(bench, "x.nc")
    for options in ["--rm"], []:
        result = stopped(bench, "sync 0", "echo more >>x.nc", *options, "x.nc")
        expect_failed(result, b"changed")
        expect(bench.names() == ["x.nc"], bench.names())
    expect(bench.run("--rm", "x.nc").returncode == 0)


def test_links_are_no_change(bench):
    """New names and lost ones have the same bytes."""
    for command in "ln x.nc y.nc", "rm y.nc", "chmod 600 x.nc":
        copy(bench, "x.nc")
        if command.startswith("rm"):
            os.link(bench.path("x.nc"), bench.path("y.nc"))
        result = stopped(bench, "sync 0", command, "x.nc")
        expect(result.returncode == 0, command, result)
        expect(inside(bench, "x.nc.nc3z") == digest(SMALL))
        for name in bench.names():
            bench.path(name).unlink()


def test_removed_while_packed(bench):
    """Then the archive is all that there is."""
    for at in "write 0", "sync 0":
        whole = copy(bench, "x.nc")
        result = stopped(bench, at, "rm x.nc", "x.nc")
        expect_failed(result, b"was removed", 3)
        expect(inside(bench, "x.nc.nc3z") == whole)
        bench.path("x.nc.nc3z").unlink()


def can_lease(path):
    import fcntl
    with open(path, "rb") as f:
        try:
            fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError:
            return False
    return True


def test_open_for_writing(bench):
    copy(bench, "x.nc")
    if not can_lease(bench.path("x.nc")):
        return "skipped: the file system cannot tell who writes"
    with open(bench.path("x.nc"), "r+b") as f:
        expect_failed(bench.run("--rm", "x.nc"), b"open for writing")
        expect(bench.names() == ["x.nc"], bench.names())
        shared = mmap.mmap(f.fileno(), 0)
    expect_failed(bench.run("--rm", "x.nc"), b"open for writing")
    expect(bench.names() == ["x.nc"], bench.names())
    # It does not matter where it stays, and not when it is closed.
    expect(bench.run("x.nc").returncode == 0)
    bench.path("x.nc.nc3z").unlink()
    shared.close()
    expect(bench.run("--rm", "x.nc").returncode == 0)
    return None


# Files that are swapped.

def test_replaced_while_packed(bench):
    """Bytes and attributes are those of one file."""
    for at in "write 0", "sync 0":
        copy(bench, "x.nc", "new.nc")
        os.chmod(bench.path("x.nc"), 0o600)
        os.chmod(bench.path("new.nc"), 0o644)
        result = stopped(bench, at, "mv new.nc x.nc", "x.nc")
        expect_failed(result, b"another file has this name now")
        expect(bench.names() == ["x.nc"], bench.names())
    os.chmod(bench.path("x.nc"), 0o600)
    result = stopped(bench, "write 0", "rm x.nc; umask 0; : >x.nc; rm x.nc",
                     "x.nc")
    expect(result.returncode == 3, result)
    expect(os.stat(bench.path("x.nc.nc3z")).st_mode & 0o777 == 0o600)


def test_link_swapped_in(bench):
    """A name that was a file when the directory was read is no link now."""
    bench.path("tree").mkdir()
    copy(bench, "tree/zz.nc")
    copy(bench, "secret.nc", of=OTHER)
    result = stopped(bench, "open 0", "ln -sf ../secret.nc tree/zz.nc",
                     "-r", "-T1", "tree", name="zz.nc")
    expect_failed(result, b"is a link now")
    expect(os.listdir(bench.path("tree")) == ["zz.nc"])


def test_directory_swapped(bench):
    """Files are read, made and removed in the directory that was read."""
    for options in ["-r"], ["-r", "--rm"]:
        shutil.rmtree(bench.directory)
        for name in "tree/sub", "private":
            bench.path(name).mkdir(parents=True)
        copy(bench, "tree/sub/zz.nc")
        copy(bench, "private/zz.nc", of=OTHER)
        stopped(bench, "open 0", "mv tree/sub moved; ln -s ../private "
                "tree/sub", *options, "-T1", "tree", name="zz.nc")
        expect(os.listdir(bench.path("private")) == ["zz.nc"],
               os.listdir(bench.path("private")))
        expect(digest(bench.path("private/zz.nc")) == digest(OTHER))
    shutil.rmtree(bench.directory)
    bench.path("tree/sub").mkdir(parents=True)
    bench.path("private").mkdir()
    copy(bench, "tree/sub/zz.nc")
    result = stopped(bench, "write 0", "mv tree/sub moved; ln -s ../private "
                     "tree/sub", "-r", "--rm", "-T1", "tree")
    expect(result.returncode == 0, result)
    expect(os.listdir(bench.path("private")) == [])
    expect(os.listdir(bench.path("moved")) == ["zz.nc.nc3z"])


def test_deep_directories(bench):
    """Deeper than a process may have files open, and a path may be long."""
    path = bench.directory
    here = os.open(path, os.O_RDONLY)
    for _ in range(150):
        os.mkdir("d" * 40, dir_fd=here)
        below = os.open("d" * 40, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    fd = os.open("x.nc", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=here)
    os.write(fd, SMALL.read_bytes())
    os.close(fd)
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
    result = bench.run("-r", "--rm", ".", preexec_fn=limit)
    expect(result.returncode == 0, result)
    expect(os.listdir(here) == ["x.nc.nc3z"], os.listdir(here))
    os.close(here)


# Access control lists.

def access_list(*named):
    """A list in the kernel's form: entries of tag, permissions, ID."""
    entries = [(1, 7, 2**32 - 1), *((2, p, uid) for uid, p in named),
               (4, 5, 2**32 - 1), (16, 7, 2**32 - 1), (32, 5, 2**32 - 1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e)
                                           for e in entries)


def test_default_access_list(bench):
    """Nobody gets to read what he could not."""
    uid = pwd.getpwnam(NOBODY).pw_uid
    try:
        os.setxattr(bench.directory, "system.posix_acl_default",
                    access_list((uid, 6)))
    except OSError:
        return "skipped: no access lists here"
    whole = SMALL.read_bytes()
    has_list = lambda name: "system.posix_acl_access" in os.listxattr(
        bench.path(name))
    bench.path("x.nc").write_bytes(whole)
    os.removexattr(bench.path("x.nc"), "system.posix_acl_access")
    os.chmod(bench.path("x.nc"), 0o640)
    peek = (f"{sys.executable} -c 'import os; print(os.listxattr("
            "\".x.nc.nc3z.nc3z-tmp\"))' >seen; ls -l .x* >>seen")
    result = stopped(bench, "write 0", peek, "x.nc", named=True)
    expect(result.returncode == 0, result)
    expect("acl" not in bench.path("seen").read_text(), "while it is written")
    expect("-rw-------" in bench.path("seen").read_text())
    bench.run("-d", "-o", "y.nc", "x.nc.nc3z")
    data = bytearray(bench.path("x.nc.nc3z").read_bytes())
    bench.path("bad").write_bytes(data[:-100])
    os.removexattr(bench.path("bad"), "system.posix_acl_access")
    os.chmod(bench.path("bad"), 0o640)
    bench.run_other("nc3salvage", "-o", "s.nc3z", "bad")
    for name in "x.nc.nc3z", "y.nc", "s.nc3z":
        expect(not has_list(name), name)
        expect(os.stat(bench.path(name)).st_mode & 0o777 == 0o640, name)
    # One that the input has goes over.
    os.setxattr(bench.path("x.nc"), "system.posix_acl_access",
                access_list((uid, 4)))
    expect(bench.run("-f", "x.nc").returncode == 0)
    expect(os.getxattr(bench.path("x.nc.nc3z"), "system.posix_acl_access") ==
           os.getxattr(bench.path("x.nc"), "system.posix_acl_access"))
    # Of a tar with a list, the group's permissions are others'.
    with tarfile.open(bench.path("x.tar"), "w") as tar:
        tar.add(bench.path("x.nc.nc3z"), "m.nc.nc3z")
    os.setxattr(bench.path("x.tar"), "system.posix_acl_access",
                access_list((uid, 4)))
    expect(bench.run("-d", "-o", "m.nc", "x.tar//m.nc.nc3z").returncode == 0)
    expect(os.stat(bench.path("m.nc")).st_mode & 0o666 == 0o600)
    return None


def test_salvage_is_private(bench):
    """What is saved of a private file is private."""
    copy(bench, "x.nc")
    bench.run("x.nc")
    shutil.copy(bench.path("x.nc.nc3z"), bench.path("y.nc3z"))
    os.chmod(bench.path("x.nc.nc3z"), 0o600)
    os.chmod(bench.path("y.nc3z"), 0o644)
    for inputs, mode in ((["x.nc.nc3z"], 0o600), (["y.nc3z"], 0o644),
                         (["y.nc3z", "x.nc.nc3z"], 0o600)):
        result = bench.run_other("nc3salvage", "-f", "-o", "s.nc3z", *inputs)
        expect(result.returncode == 0, result)
        found = os.stat(bench.path("s.nc3z")).st_mode & 0o777
        expect(found == mode, inputs, oct(found))


# Temporary files.

def as_nobody(bench):
    """Arguments for running as somebody without privileges, or None."""
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam(NOBODY)
    os.chown(bench.directory, nobody.pw_uid, nobody.pw_gid)
    os.chmod(bench.directory, 0o755)
    for name in bench.names():
        os.chown(bench.path(name), nobody.pw_uid, nobody.pw_gid)
    more = {"user": NOBODY, "group": nobody.pw_gid, "extra_groups": []}
    try:
        works = bench.run("-V", **more).returncode == 0
        works = works and os.access(OPTIONS.library, os.R_OK)
    except OSError:
        works = False
    return more if works else None


def test_stale_of_read_only_input(bench):
    """Who was killed left a file that he may not write to any more."""
    copy(bench, "x.nc")
    os.chmod(bench.path("x.nc"), 0o444)
    more = as_nobody(bench)
    if more is None:
        return "skipped: another user cannot run the program here"
    for options in [], ["-f"]:
        result = stopped(bench, "sync 0", "kill -9 $PPID", "x.nc", named=True,
                         **more)
        expect(result.returncode == -signal.SIGKILL, result)
        expect(".x.nc.nc3z.nc3z-tmp" in bench.names(), bench.names())
        result = stopped(bench, "-", ":", *options, "x.nc", named=True, **more)
        expect(result.returncode == 0, options, result)
        expect(bench.names() == ["x.nc", "x.nc.nc3z"], bench.names())
        bench.path("x.nc.nc3z").unlink()
    # What cannot be removed is named.
    bench.path(".x.nc.nc3z.nc3z-tmp").mkdir()
    for options, named in ([], True), (["-f"], True), (["-f"], False):
        result = stopped(bench, "-", ":", *options, "x.nc", named=named,
                         **more)
        expect_failed(result, b".x.nc.nc3z.nc3z-tmp")
    expect(bench.run("x.nc", **more).returncode == 0)
    return None


def test_long_names(bench):
    """Names that begin alike are written side by side."""
    names = ["c" * 210 + f"{i}.nc" for i in range(2)]
    copy(bench, *names)
    program = OPTIONS.bin.resolve() / "nc3compress"
    for options, named in ([], True), (["-f"], True), (["-f"], False):
        # The second one is packed while the first is.
        result = stopped(bench, "sync 0", f"unset NC3Z_STOP; {program} -f "
                         f"{names[1]} || echo no >failed", *options, names[0],
                         named=named)
        expect(result.returncode == 0, options, result)
        expect("failed" not in bench.names(), options, named)
        expect(len(bench.names()) == 4, bench.names())
        for name in names:
            bench.path(f"{name}.nc3z").unlink()
    # One too long is refused before anything is written.
    copy(bench, "c" * 252)
    result = stopped(bench, "write 0", "echo >wrote", "c" * 252)
    expect_failed(result, b"File name too long")
    expect("wrote" not in bench.names(), "written all the same")


def test_quit(bench):
    """The other signal that ends a program at a terminal."""
    copy(bench, "x.nc")
    wait = ("exec >/dev/null 2>&1 </dev/null; kill -QUIT $PPID; "
            "while kill -0 $PPID; do :; done")
    limit = lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    result = stopped(bench, "sync 0", wait, "x.nc", named=True,
                     preexec_fn=limit)
    expect(result.returncode == -signal.SIGQUIT, result)
    expect(bench.names() == ["x.nc"], bench.names())


def test_size_limit(bench):
    """A file that may not be so large is that file's failure."""
    bench.path("a.nc").write_bytes(SMALL.read_bytes() + os.urandom(200000))
    copy(bench, "b.nc")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
    for options in [], ["-T1"], ["--rm"]:
        result = bench.run("-r", "-f", *options, ".", preexec_fn=limit)
        expect_failed(result, b"a.nc: cannot write output: File too large")
        expect(inside(bench, "b.nc.nc3z") == digest(SMALL))
        expect("a.nc" in bench.names())


# Outputs that are none.

def test_output_links(bench):
    copy(bench, "x.nc")
    for target, message in (("/dev/null", b"other than a regular"),
                            ("/proc/self/fd/1", b"standard stream")):
        link = bench.path("n")
        link.symlink_to(target)
        with open(bench.path("stdout"), "wb") as out:
            result = subprocess.run(
                [bench.program, "-f", "-o", "n", "x.nc"], cwd=bench.directory,
                stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE,
                check=False)
        expect_failed(result, message)
        expect(link.is_symlink() and os.readlink(link) == target)
        expect(bench.path("stdout").stat().st_size == 0)
        link.unlink()


def test_salvage_is_told_first(bench):
    """No archive without the list of what is not in it."""
    classic_file(bench.path("x.nc"), 60)
    bench.run("x.nc")
    data = bench.path("x.nc.nc3z").read_bytes()
    bench.path("d").write_bytes(data[:len(data) * 3 // 4])
    for options in "", "--json":
        result = shell(bench, f"nc3salvage {options} -o s.nc3z d "
                       ">/dev/full")
        expect_failed(result, b"No space left")
        expect(not bench.path("s.nc3z").exists(), options)
    result = bench.run_other("nc3salvage", "-o", "s.nc3z", "d")
    expect(result.returncode == 3 and bench.path("s.nc3z").exists(), result)


# What is said.

def test_large_windows(bench):
    data = SMALL.read_bytes()
    for log, status in ((28, 0), (29, 0), (30, 1), (31, 1)):
        packed = subprocess.run(["zstd", "-qc", f"--long={log}"], input=data,
                                stdout=subprocess.PIPE, check=True).stdout
        bench.path("z.nc.zst").write_bytes(packed)
        result = bench.run("-f", "z.nc.zst")
        expect(result.returncode == status, log, result)
        if status == 0:
            expect(inside(bench, "z.nc.nc3z") == digest(SMALL), log)
        else:
            expect(b"more than 512 MiB" in result.stderr, log, result)


def test_long_stride(bench):
    head = ClassicWriter(5, (("n", 2**32),), variables=[
        Var("b", BYTE, "n")]).head()
    bench.path("x.nc").write_bytes(head)
    run = lambda stride: subprocess.run(
        [OPTIONS.bin.resolve() / "nc3dump", "-B", "-v", f"b[::{stride}]",
         "x.nc"], cwd=bench.directory, capture_output=True, check=False)
    result = run(2**31 - 1)
    expect_failed(result, b"stride is not between 1 and 2147483646")
    result = run(2**31 - 2)
    expect(result.returncode == 0 and result.stdout == bytes(3), result)


def header_with(attribute, nctype):
    return ClassicWriter(1, atts=[("a", nctype, attribute)]).head()


def test_dump_forms(bench):
    run = lambda form: subprocess.run(
        [OPTIONS.bin.resolve() / "nc3dump", form, "-h", "x.nc"],
        cwd=bench.directory, capture_output=True, check=False)
    for code, kind in (5, ">f"), (6, ">d"):
        bench.path("x.nc").write_bytes(
            header_with(struct.pack(kind, -0.0), code))
        value = json.loads(run("--json").stdout)["attributes"][0]["value"]
        expect(str(value) in ("-0.0", "[-0.0]"), value)


# Running again: --update, and --rm where an archive is there.

def same_time(bench, name, other):
    """Gives a file the times of another one."""
    found = os.stat(bench.path(other))
    os.utime(bench.path(name), ns=(found.st_mtime_ns, found.st_mtime_ns))


def other_archive(bench, name="x.nc.nc3z"):
    """An archive of another original under the name; its digest."""
    whole = copy(bench, "other.nc", of=OTHER)
    expect(bench.run("-o", "other.nc3z", "other.nc").returncode == 0)
    os.replace(bench.path("other.nc3z"), bench.path(name))
    bench.path("other.nc").unlink()
    return whole


def clear(bench):
    for entry in bench.directory.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def test_update_leaves_what_is_done(bench):
    """It is not written, only its tail and plan are read, the status is 0."""
    whole = copy(bench, "x.nc")
    for options in ["--update"], ["--update", "-f"], ["-r", "--update"]:
        where = "." if "-r" in options else "x.nc"
        bench.run("--update", "x.nc")
        before = os.stat(bench.path("x.nc.nc3z"))
        result = bench.run(*options, where)
        said = b"nc3compress: 1 already done; " if "-r" in options else b""
        expect(result.returncode == 0 and result.stderr.startswith(said) and
               result.stderr.count(b"\n") == ("-r" in options), result)
        expect(os.stat(bench.path("x.nc.nc3z")).st_ino == before.st_ino)
    # Damage before the tail is found by checking, not by this.
    data = bench.path("x.nc.nc3z").read_bytes()
    bench.path("x.nc.nc3z").write_bytes(data[:300] + b"!" + data[301:])
    same_time(bench, "x.nc.nc3z", "x.nc")
    expect(bench.run("--update", "x.nc").returncode == 0)
    expect(bench.path("x.nc.nc3z").read_bytes()[300:301] == b"!")
    # One of another time goes, for it says that it holds this file.
    os.utime(bench.path("x.nc"))
    expect(bench.run("--update", "x.nc").returncode == 0)
    expect(inside(bench, "x.nc.nc3z") == whole)
    expect(bench.names() == ["x.nc", "x.nc.nc3z"], bench.names())


def test_update_keeps_what_may_be_the_last(bench):
    """With --rm or without: an archive whose original the input does not hold
    is replaced when that is asked for."""
    whole = copy(bench, "x.nc")
    bench.run("x.nc")
    cut = bench.path("x.nc.nc3z").read_bytes()[:-1]
    for options in ["--update"], ["--update", "-k"], ["--update", "-f"]:
        bench.path("x.nc.nc3z").write_bytes(cut)
        expect_failed(bench.run(*options, "x.nc"), b"--update=replace", 4)
        expect(bench.path("x.nc.nc3z").read_bytes() == cut, options)
        packed = other_archive(bench)
        same_time(bench, "x.nc.nc3z", "x.nc")
        expect_failed(bench.run(*options, "x.nc"), b"--update=replace")
        expect(inside(bench, "x.nc.nc3z") == packed, options)
    for make in (lambda: bench.path("x.nc.nc3z").write_bytes(cut),
                 lambda: other_archive(bench)):
        make()
        result = bench.run("--update=replace", "x.nc")
        expect(result.returncode == 0, result)
        expect(inside(bench, "x.nc.nc3z") == whole)
        expect(digest(bench.path("x.nc")) == whole)


def grown(bench, name, records, **more):
    classic_file(bench.path(name), records, length=500, **more)
    return digest(bench.path(name))


def test_update_follows_what_grew(bench):
    """Records that were appended: nothing of the archive is lost."""
    for records in 0, 1, 4, 5:
        whole = grown(bench, "x.nc", records)
        result = bench.run("--update", "x.nc")
        expect(result.returncode == 0, records, result)
        expect(inside(bench, "x.nc.nc3z") == whole, records)
    bench.path("x.nc").write_bytes(gzip.compress(
        bench.path("x.nc").read_bytes()))
    result = bench.run("--update", "-o", "x.nc.nc3z", "x.nc")
    expect(result.returncode == 0, result)
    # Not a shorter one, nor one of which any byte but that number differs.
    grown(bench, "x.nc", 4)
    expect_failed(bench.run("--update", "x.nc"), b"--update=replace")
    expect(inside(bench, "x.nc.nc3z") == whole)
    grown(bench, "x.nc", 6)
    longer = bench.path("x.nc").read_bytes()
    for at in 3, 8, 9, 60, len(longer) // 2:
        changed = bytearray(longer)
        changed[at] ^= 1
        bench.path("x.nc").write_bytes(changed)
        result = bench.run("--update", "x.nc")
        expect(result.returncode != 0, at, result)
        expect(inside(bench, "x.nc.nc3z") == whole, at)
    # Nor one whose archive is damaged where the number is.
    archive = bytearray(bench.path("x.nc.nc3z").read_bytes())
    archive[30:len(archive) // 2] = bytes(len(archive) // 2 - 30)
    bench.path("x.nc.nc3z").write_bytes(archive)
    bench.path("x.nc").write_bytes(longer)
    expect_failed(bench.run("--update", "x.nc"), b"--update=replace", 4)
    expect(bench.path("x.nc.nc3z").read_bytes() == archive)


def test_what_grew_and_another(bench):
    """The archive whose blocks are copied is another one in the end, or has
    another name."""
    program = OPTIONS.bin.resolve() / "nc3compress"
    options = "-v", "--update", "-1", "-b4K", "x.nc"
    for command, status, message in (
            ("echo notes >n; mv n x.nc.nc3z", 1, b"not an nc3z archive"),
            ("echo more >>x.nc.nc3z", 4, b"is damaged"),
            (f"{program} {' '.join(options)}", 0, b"already done"),
            ("ln x.nc.nc3z y.nc3z", 0, b"copied"), ("", 0, b"copied")):
        clear(bench)
        before = grown(bench, "x.nc", 20)
        expect(bench.run(*options).returncode == 0)
        os.link(bench.path("x.nc.nc3z"), bench.path("old.nc3z"))
        whole = grown(bench, "x.nc", 24)
        result = stopped(bench, "sync 0", command, *options)
        expect(result.returncode == status and message in result.stderr,
               command, result)
        expect(inside(bench, "x.nc.nc3z") == whole if status == 0 else
               bench.path("x.nc.nc3z").read_bytes()[-5:] in
               (b"otes\n", b"more\n"), command)
        expect("more" in command or inside(bench, "old.nc3z") == before,
               command)


def test_two_processes_and_one_output(bench):
    """The second finds what the first has made, and compares the bytes, for
    size and time are the same."""
    program = OPTIONS.bin.resolve() / "nc3compress"
    for options in ["--update"], [], ["--rm", "--update"], ["--rm"]:
        clear(bench)
        for name in "a", "b", "out":
            bench.path(name).mkdir()
        copy(bench, "a/x.nc")
        data = bytearray(SMALL.read_bytes())
        data[1140] ^= 1
        bench.path("b/x.nc").write_bytes(data)
        same_time(bench, "b/x.nc", "a/x.nc")
        both = {digest(bench.path(name)) for name in ("a/x.nc", "b/x.nc")}
        result = stopped(bench, "sync 0", f"{program} --update "
                         "--output-dir=out b/x.nc", *options,
                         "--output-dir=out", "a/x.nc")
        expect(result.returncode == 1 and b"out/x.nc.nc3z" in result.stderr,
               options, result)
        expect({inside(bench, "out/x.nc.nc3z"),
                digest(bench.path("a/x.nc"))} == both, options)
        # The same file, packed by both, is done.
        if options:
            bench.path("out/x.nc.nc3z").unlink()
            result = stopped(bench, "sync 0", f"{program} --output-dir=out "
                             "a/x.nc", *options, "--output-dir=out", "a/x.nc")
            expect(result.returncode == 0, options, result)


def test_two_runs_that_remove(bench):
    """What the other run packs or restores, and removes, is done."""
    program = OPTIONS.bin.resolve() / "nc3compress"
    for options in ["--rm"], ["--rm", "--update"], ["-d", "--rm"]:
        clear(bench)
        names = [f"{i}.nc" for i in range(60)]
        for name in names:
            whole = copy(bench, name)
        if "-d" in options:
            expect(bench.run("-r", "--rm", ".").returncode == 0)
        runs = [subprocess.Popen([program, "-r", *options, "."],
                                 cwd=bench.directory, stderr=subprocess.PIPE)
                for _ in range(2)]
        said = [run.communicate()[1] for run in runs]
        expect([run.returncode for run in runs] == [0, 0], options, said)
        if "-d" in options:
            expect(bench.names() == sorted(names), bench.names())
            expect({digest(bench.path(name)) for name in names} == {whole})
        else:
            expect(bench.names() == sorted(f"{name}.nc3z" for name in names),
                   bench.names())
            expect({inside(bench, f"{name}.nc3z") for name in names} ==
                   {whole})


# Removing one file because another one is there.

PACK, BACK = ["--rm", "x.nc"], ["-d", "--rm", "x.nc.nc3z"]
AWAY = ["--rm", "-o", "out/y.nc3z", "x.nc"]
HOME = ["-d", "--rm", "-o", "x.nc", "out/y.nc3z"]

# Before the input loses its name, before each look at the other file, and
# before it is removed.
MOMENTS = "rename 0", "open 0", "open 1", "open 2", "unlink 0"


def temporary(bench):
    """Files that were about to be removed, and temporary ones."""
    return [*bench.directory.rglob("*nc3z-tmp")]


def expect_whole(bench, whole, *what):
    """At least one file is left, and all are whole."""
    left = [name for name in ("x.nc", "x.nc.nc3z", "out/y.nc3z")
            if bench.path(name).exists()]
    expect(left and not temporary(bench), *what, left, temporary(bench))
    for name in left:
        expect(whole == (digest(bench.path(name)) if name == "x.nc"
                         else inside(bench, name)), *what, name)
    return left


def expect_nothing_lost(bench, first, second, view="."):
    """While the first run stands still, the second one removes what that
    relies on."""
    for at in MOMENTS:
        clear(bench)
        bench.path("out").mkdir()
        whole = copy(bench, "x.nc")
        archive = "out/y.nc3z" if "-o" in first else "x.nc.nc3z"
        bench.run("-o", archive, "x.nc")
        program = OPTIONS.bin.resolve() / "nc3compress"
        result = stopped(
            bench, at, f"(cd {view} && {program} {' '.join(second)}) "
            ">said 2>&1; echo $? >status", *first,
            name="x.nc" if "-d" in first else pathlib.Path(archive).name)
        what = at, first, second, view, result
        expect(bench.path("status").exists(), *what)
        done = [result.returncode, int(bench.path("status").read_text())]
        # The other run was so quick that it has made the file once more.
        if b"is now called" in result.stderr:
            left, = temporary(bench)
            expect(whole == digest(left) if first[0] == "--rm" else
                   whole == inside(bench, left.relative_to(bench.directory)))
            left.unlink()
        left = expect_whole(bench, whole, *what, done)
        expect(done != [0, 0] or len(left) == 1, *what, left)
        expect(done != [1, 1] or len(left) == 2, *what, left)


def test_two_directions(bench):
    """A run that packs and removes, beside one that restores and removes."""
    for first, second in ((PACK, BACK), (BACK, PACK), (AWAY, HOME),
                          (HOME, AWAY)):
        expect_nothing_lost(bench, first, second)


@contextlib.contextmanager
def view_of(directory):
    """The directory once more, with locks of its own; None without FUSE."""
    with tempfile.TemporaryDirectory(prefix="nc3z-test-") as at:
        made = shutil.which("bindfs") and subprocess.run(
            ["bindfs", directory, at], check=False,
            capture_output=True).returncode == 0
        try:
            yield at if made else None
        finally:
            if made and subprocess.run(["umount", at], check=False,
                                       capture_output=True).returncode != 0:
                subprocess.run(["fusermount3", "-u", at], check=True)


def test_two_views(bench):
    """The same where no lock of the one is seen by the other."""
    with view_of(bench.directory) as view:
        if not view:
            return "skipped: bindfs is missing, or FUSE cannot be used"
        for first, second in (PACK, BACK), (BACK, PACK):
            expect_nothing_lost(bench, first, second, view)
        # A run in the view recovers what is not left: its owner is alive.
        for at in MOMENTS[1:]:
            clear(bench)
            whole = copy(bench, "x.nc")
            bench.run("x.nc")
            program = OPTIONS.bin.resolve() / "nc3compress"
            result = stopped(bench, at, f"cd {view} && {program} -q -r -d "
                             "--rm . >/dev/null", *PACK, name="x.nc.nc3z")
            expect_whole(bench, whole, at, result)
    return None


def test_removal_of_the_killed(bench):
    """The next run gives a file its name back that was about to go; one in
    the same view not while the owner is alive."""
    copy(bench, "x.nc")
    killed = "kill -9 $PPID; sleep 1"
    for at, gone in ("rename 0", False), ("unlink 0", True), ("open 2", True):
        result = stopped(bench, at, killed, *PACK, name="x.nc.nc3z")
        expect(result.returncode == -signal.SIGKILL, at, result)
        expect(bool(temporary(bench)) == gone, at, bench.names())
        expect(bench.path("x.nc").exists() != gone, at)
        result = bench.run("--rm", "x.nc")
        expect(result.returncode == 0, at, result)
        expect(bench.names() == ["x.nc.nc3z"], at, bench.names())
        # So is an output that still has its temporary name, too.
        copy(bench, "x.nc")
        os.link(bench.path("x.nc.nc3z"), bench.path(".x.nc.nc3z.nc3z-tmp"))
        result = bench.run("--rm", "x.nc")
        expect(result.returncode == 0, at, result)
        expect(bench.names() == ["x.nc.nc3z"], bench.names())
        bench.run("-d", "--rm", "x.nc.nc3z")
    # In any directory, and from a list.
    for options, more in ((["-o", "out/x.nc3z", "in/d/x.nc"], {}),
                          (["-r", "--output-dir=out", "in"], {}),
                          (["--files0-from=-"], {"input": b"in/./d/x.nc\0"}),
                          (["--files0-from=-"], {"input": b"in/d/x.nc\0"})):
        clear(bench)
        bench.path("in/d").mkdir(parents=True)
        bench.path("out").mkdir()
        whole = copy(bench, "in/d/x.nc")
        result = stopped(bench, "unlink 0", killed, "--rm", *options, **more)
        expect(result.returncode == -signal.SIGKILL, options, result)
        expect(len(temporary(bench)) == 1, options)
        result = bench.run("--rm", *options, **more)
        expect(result.returncode == 0, options, result)
        expect(not temporary(bench), options, temporary(bench))
        expect(not bench.path("in/d/x.nc").exists(), options)
    # Two that were killed at once; and a name that is another file's by now.
    clear(bench)
    bench.path("a").mkdir()
    copy(bench, "a/x.nc")
    bench.run("a/x.nc")
    bench.path("a/x.nc").rename(
        bench.path("a/.removing-01234567-x.nc.nc3z-tmp"))
    bench.path("a/x.nc.nc3z").rename(
        bench.path("a/.removing-0a0b0c0d-x.nc.nc3z.nc3z-tmp"))
    result = bench.run("-r", "--rm", "a")
    expect(result.returncode == 0, result)
    expect(os.listdir(bench.path("a")) == ["x.nc.nc3z"])
    left = bench.path("a/.removing-01234567-x.nc.nc3z.nc3z-tmp")
    left.write_bytes(b"another")
    result = bench.run("-r", "-d", "--rm", "a")
    expect(b"another x.nc.nc3z now" in result.stderr, result)
    expect(left.read_bytes() == b"another")
    expect(whole == digest(bench.path("a/x.nc")))


def test_name_without_room(bench):
    """A name that is too long to be lengthened is not removed."""
    name = "x" * 230 + ".nc"
    copy(bench, name)
    expect_failed(bench.run("--rm", name), b"too long")
    expect(bench.names() == [name])


def test_update_of_what_is_not_ours(bench):
    """What is in the way and no archive stays."""
    copy(bench, "x.nc")
    bench.path("notes").write_text("notes")
    put = {"file": lambda: bench.path("x.nc.nc3z").write_text("notes"),
           "link": lambda: bench.path("x.nc.nc3z").symlink_to("notes"),
           "directory": lambda: bench.path("x.nc.nc3z").mkdir()}
    for kind, make in put.items():
        make()
        for options in (["--update"], ["--update", "--rm"], ["--rm"],
                        ["--update=replace", "--rm"]):
            result = bench.run(*options, "x.nc")
            expect_failed(result, b"x.nc.nc3z: exists")
            expect(digest(bench.path("x.nc")) == digest(SMALL), kind)
            expect(bench.path("notes").read_text() == "notes", kind)
        if kind == "directory":
            bench.path("x.nc.nc3z").rmdir()
        else:
            bench.path("x.nc.nc3z").unlink()


def test_remove_what_is_packed(bench):
    """Both are read, and only the same bytes let the input go."""
    for options in ["--rm"], ["--rm", "--update"], ["--rm", "--update", "-f"]:
        clear(bench)
        whole = copy(bench, "x.nc")
        expect(bench.run("x.nc").returncode == 0)
        os.utime(bench.path("x.nc"))
        before = os.stat(bench.path("x.nc.nc3z")).st_ino
        result = bench.run(*options, "x.nc")
        expect(result.returncode == 0, options, result)
        expect(bench.names() == ["x.nc.nc3z"], bench.names())
        expect(os.stat(bench.path("x.nc.nc3z")).st_ino == before, options)
        expect(inside(bench, "x.nc.nc3z") == whole)
        # The same the other way round.
        expect(bench.run("-d", "x.nc.nc3z").returncode == 0)
        result = bench.run("-d", *options, "x.nc.nc3z")
        expect(result.returncode == 0, options, result)
        expect(bench.names() == ["x.nc"] and
               digest(bench.path("x.nc")) == whole)


def test_remove_not_what_differs(bench):
    """Whatever is combined, both originals stay, until that is asked for."""
    for options in (["--rm"], ["--rm", "--update"], ["--rm", "-f"],
                    ["--rm", "--update", "-f"], ["--rm=all", "--update"]):
        for same_size in False, True:
            clear(bench)
            whole = copy(bench, "x.nc")
            if same_size:
                data = bytearray(SMALL.read_bytes())
                data[1140] ^= 1
                bench.path("x.nc").write_bytes(data)
                bench.run("x.nc")
                packed = digest(bench.path("x.nc"))
                copy(bench, "x.nc")
            else:
                packed = other_archive(bench)
            same_time(bench, "x.nc.nc3z", "x.nc")
            result = bench.run(*options, "x.nc")
            expect(result.returncode == 1, options, result)
            expect(digest(bench.path("x.nc")) == whole, options)
            expect(inside(bench, "x.nc.nc3z") == packed, options)
            # A file that was restored and edited is somebody's work.
            result = bench.run("-d", "--update", "--rm", "x.nc.nc3z")
            expect(result.returncode == 1, options, result)
            expect(digest(bench.path("x.nc")) == whole, options)
            expect(inside(bench, "x.nc.nc3z") == packed, options)
        result = bench.run("--rm", "--update=replace", "x.nc")
        expect(result.returncode == 0, result)
        expect(bench.names() == ["x.nc.nc3z"], bench.names())
        expect(inside(bench, "x.nc.nc3z") == whole)


def test_remove_not_by_damaged_archive(bench):
    """A tail that is whole is not enough."""
    copy(bench, "x.nc")
    bench.run("x.nc")
    data = bytearray(bench.path("x.nc.nc3z").read_bytes())
    data[300] ^= 255
    bench.path("x.nc.nc3z").write_bytes(data)
    same_time(bench, "x.nc.nc3z", "x.nc")
    for options in ["--rm"], ["--rm", "--update"]:
        expect_failed(bench.run(*options, "x.nc"), b"is damaged", 4)
        expect(digest(bench.path("x.nc")) == digest(SMALL))
    result = bench.run("--rm", "--update=replace", "x.nc")
    expect(result.returncode == 0 and bench.names() == ["x.nc.nc3z"], result)
    expect(inside(bench, "x.nc.nc3z") == digest(SMALL))


def test_changes_while_compared(bench):
    """The input, or the archive, is another one by the time it counts."""
    for command, message in ((REPAIR, b"changed"),
                             ("echo more >>x.nc", b"changed"),
                             ("echo more >>x.nc.nc3z", b"changed"),
                             ("cp x.nc.nc3z y; mv y x.nc.nc3z", b"changed"),
                             ("rm x.nc.nc3z", b"changed"),
                             ("cp x.nc y; mv y x.nc", b"another file has")):
        clear(bench)
        copy(bench, "x.nc")
        bench.run("x.nc")
        result = stopped(bench, "sync 0", command, "--rm", "x.nc")
        expect_failed(result, message)
        expect(bench.path("x.nc").exists(), command)
    clear(bench)
    copy(bench, "x.nc")
    bench.run("x.nc")
    if can_lease(bench.path("x.nc")):
        with open(bench.path("x.nc.nc3z"), "r+b"):
            expect_failed(bench.run("--rm", "x.nc"), b"open for writing")
        with open(bench.path("x.nc"), "r+b"):
            expect_failed(bench.run("--rm", "x.nc"), b"open for writing")
    os.link(bench.path("x.nc"), bench.path("y.nc"))
    expect_failed(bench.run("--rm", "x.nc"), b"other links")
    expect(bench.path("x.nc").exists())


def test_replaced_by_somebody_else(bench):
    """A stale archive is replaced, not what came in its place meanwhile."""
    whole = copy(bench, "x.nc")
    other_archive(bench)
    result = stopped(bench, "sync 0", "echo notes >n; mv n x.nc.nc3z",
                     "--update=replace", "x.nc")
    expect(result.returncode == 1, result)
    expect(bench.path("x.nc.nc3z").read_text() == "notes\n")
    bench.path("x.nc.nc3z").unlink()
    # What another run has made is found, whether there was one before or not.
    for is_stale in False, True:
        bench.run("-o", "fresh", "x.nc")
        if is_stale:
            other_archive(bench)
        result = stopped(bench, "sync 0", "mv fresh x.nc.nc3z",
                         "--update=replace", "-v", "x.nc")
        expect(result.returncode == 0 and b"already done" in result.stderr,
               result)
        expect(inside(bench, "x.nc.nc3z") == whole)
        bench.path("x.nc.nc3z").unlink()


def test_update_restoring(bench):
    whole = copy(bench, "x.nc")
    bench.run("--rm", "x.nc")
    for _ in range(2):
        result = bench.run("-d", "--update", "x.nc.nc3z")
        expect(result.returncode == 0 and not result.stderr, result)
        expect(digest(bench.path("x.nc")) == whole)
    before = os.stat(bench.path("x.nc")).st_ino
    expect(bench.run("-d", "--update", "-f", "x.nc.nc3z").returncode == 0)
    expect(os.stat(bench.path("x.nc")).st_ino == before)
    with open(bench.path("x.nc"), "ab") as f:
        f.write(b"edited")
    expect_failed(bench.run("-d", "--update", "x.nc.nc3z"), b"-f")
    expect(bench.path("x.nc").read_bytes().endswith(b"edited"))
    expect(bench.run("-d", "--update", "-f", "x.nc.nc3z").returncode == 0)
    expect(digest(bench.path("x.nc")) == whole)


def lines_of(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def test_journal_before_removal(bench):
    """No input goes before its line is written, and no data become one."""
    copy(bench, "x.nc", "y.nc")
    result = bench.run("--rm", "--journal=/dev/full", "x.nc")
    expect(result.returncode == 1, result)
    expect(digest(bench.path("x.nc")) == digest(SMALL))
    expect_failed(bench.run("--journal=y.nc", "x.nc"), b"is not a journal")
    expect(digest(bench.path("y.nc")) == digest(SMALL))
    # The line is there when the input is about to go.
    bench.path("x.nc.nc3z").unlink()
    result = stopped(bench, "unlink 0", "cp j seen", "--rm", "--journal=j",
                     "x.nc", name="x.nc")
    expect(result.returncode == 0, result)
    seen = lines_of(bench.path("seen"))
    expect(len(seen) == 1 and seen[0]["result"] == "packed", seen)
    expect(seen[0]["archive_sha256"] == digest(bench.path("x.nc.nc3z")))
    expect(seen[0]["sha256"] == digest(SMALL))
    # A line that was torn does not spoil the next one.
    with open(bench.path("j"), "a", encoding="utf-8") as f:
        f.write('{"name": "torn')
    bench.run("--rm", "--journal=j", "y.nc")
    with open(bench.path("j"), encoding="utf-8") as f:
        text = f.read().splitlines()
    expect(text[2] == '{"name": "torn' and
           json.loads(text[3])["name"] == "y.nc", text)


def test_ended_and_run_again(bench):
    """SIGTERM ends a run that is watched in order; the next one goes on."""
    whole = {}
    for i in range(60):
        classic_file(bench.path(f"{i}.nc"), 4, seed=i)
        whole[f"{i}.nc"] = digest(bench.path(f"{i}.nc"))
    size = lambda: (bench.path("j").stat().st_size
                    if bench.path("j").exists() else 0)
    for _ in range(2):
        before = size()
        run = bench.start("-r", "--rm", "-9", "-T2", "--journal=j", ".")
        while size() == before and run.poll() is None:
            time.sleep(0.001)
        run.terminate()
        _, said = run.communicate()
        expect(run.returncode in (0, 5), run.returncode, said)
        expect(b"left" in said or run.returncode == 0, said)
    result = bench.run("-r", "--rm", "-1", "--update", "--journal=j", ".")
    expect(result.returncode in (0, 6), result)
    lines = lines_of(bench.path("j"))
    done = {pathlib.Path(l["name"]).name: l for l in lines if "name" in l}
    expect(set(done) == set(whole), sorted(set(whole) - set(done)))
    for name, sha256 in whole.items():
        expect(done[name]["sha256"] == sha256, name)
        expect(done[name]["result"] in ("packed", "found"), done[name])
    expect(bench.names() == sorted([f"{n}.nc3z" for n in whole] + ["j"]),
           bench.names())


def test_mirror_is_as_closed(bench):
    """Who cannot enter a directory cannot enter its mirror."""
    bench.path("tree/private/deep").mkdir(parents=True)
    whole = copy(bench, "tree/private/deep/x.nc", "tree/y.nc")
    os.chmod(bench.path("tree/private"), 0o2700)
    os.chmod(bench.path("tree/private/deep"), 0o555)
    result = bench.run("-r", "--output-dir=out", "tree")
    expect(result.returncode == 0, result)
    mode = lambda name: os.stat(bench.path(name)).st_mode & 0o7777
    expect(mode("out") == 0o700, oct(mode("out")))
    expect(mode("out/private") == 0o2700)
    expect(mode("out/private/deep") == 0o755)
    expect(inside(bench, "out/private/deep/x.nc.nc3z") == whole)
    expect(os.listdir(bench.path("tree/private/deep")) == ["x.nc"])
    # Nothing goes through a link.
    bench.path("out/private/deep/x.nc.nc3z").unlink()
    shutil.rmtree(bench.path("out/private"))
    bench.path("elsewhere").mkdir()
    bench.path("out/private").symlink_to("../elsewhere")
    result = bench.run("-r", "--update", "--output-dir=out", "tree")
    expect(result.returncode == 1, result)
    expect(os.listdir(bench.path("elsewhere")) == [])


def test_offline(bench):
    """What is on tape is not opened, unless that is wanted."""
    bench.path("t").mkdir()
    copy(bench, "t/a.nc", "t/tape.nc")
    os.truncate(bench.path("t/tape.nc"), 1 << 25)
    for options, is_opened in ([], False), (["--dry-run"], False), \
            (["--offline"], True):
        result = stopped(bench, "open 0", "touch opened", "-r", "--update",
                         "--journal=j", *options, "t", name="tape.nc")
        # What it holds then looks like records that are not counted.
        expect(result.returncode == (3 if is_opened else 0), result)
        expect(bench.path("opened").exists() == is_opened, options)
        said = b"1 skipped (1 offline)" in result.stderr
        expect(said != is_opened, result)


def main():
    # Ignored where tests run in the background of a shell.
    for number in signal.SIGINT, signal.SIGQUIT:
        signal.signal(number, signal.SIG_DFL)
    tests = [test for name, test in globals().items()
             if name.startswith("test_")]
    return run_tests(*tests)


if __name__ == "__main__":
    sys.exit(main())
