#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attributes, holes, links, directories, many files, several processes."""

import json
import os
import shutil
import sys

from tools import classic_file, digest, expect, run_tests


def test_stale_temporary(bench):
    classic_file(bench.path("x.nc"), 2)
    stale = bench.path(".x.nc.nc3z.nc3z-tmp")
    stale.write_bytes(b"left behind")
    expect(bench.run("x.nc").returncode == 0)
    expect(not stale.exists(), "a stale temporary file is still there")


def test_attributes(bench):
    source = bench.path("x.nc")
    classic_file(source, 2)
    os.chmod(source, 0o640)
    os.utime(source, ns=(10**18, 10**18 + 123456789))
    has_xattr = True
    try:
        os.setxattr(source, "user.origin", b"buoy 7")
    except OSError:
        has_xattr = False
    for args, name in ((["x.nc"], "x.nc.nc3z"),
                       (["-d", "-o", "y.nc", "x.nc.nc3z"], "y.nc")):
        expect(bench.run(*args).returncode == 0, args)
        made = os.stat(bench.path(name))
        expect(made.st_mode & 0o777 == 0o640, name, oct(made.st_mode))
        expect(made.st_mtime_ns == 10**18 + 123456789, name, "time")
        if has_xattr:
            expect(os.getxattr(bench.path(name), "user.origin") == b"buoy 7",
                   name, "extended attribute")
    return None if has_xattr else "ok, without extended attributes"


def test_sparse(bench):
    source = bench.path("x.nc")
    classic_file(source, 4)
    with open(source, "ab") as f:
        f.write(bytes(20 << 20))
        f.write(b"end")
        f.write(bytes(9 << 20))
    # The zeros are records that the header does not count: a warning.
    expect(bench.run("x.nc").returncode == 3)
    expect(bench.run("-d", "--sparse", "-o", "y.nc", "x.nc.nc3z").returncode
           == 0)
    expect(digest(bench.path("y.nc")) == digest(source), "differs")
    expect(os.stat(bench.path("y.nc")).st_blocks * 512 < 4 << 20,
           "no holes in a file of zeros")


def test_removal(bench):
    source = bench.path("x.nc")
    classic_file(source, 2)
    os.link(source, bench.path("other"))
    expect(bench.run("--rm", "x.nc").returncode == 1, "other links")
    expect(source.exists() and not bench.path("x.nc.nc3z").exists())
    expect(bench.run("--rm=all", "x.nc").returncode == 0)
    expect(not source.exists())
    os.symlink("other", source)
    expect(bench.run("--rm", "-f", "-d", "x.nc.nc3z").returncode == 0)
    expect(not bench.path("x.nc.nc3z").exists())
    expect(not source.is_symlink(), "a link was written through")
    expect(digest(source) == digest(bench.path("other")))
    expect(bench.run("-o", "x.nc", "-f", "x.nc").returncode == 1,
           "output over its input")
    expect(digest(source) == digest(bench.path("other")))


def test_several_at_once(bench):
    """Processes with one output: one of them makes it, or the last one; with
    --rm the others find it."""
    source, archive = bench.path("x.nc"), bench.path("x.nc.nc3z")
    classic_file(source, 6)
    original, data = digest(source), source.read_bytes()
    expect(bench.run("x.nc").returncode == 0)
    packed = archive.read_bytes()
    for args in ([], ["-f"], ["--rm"], ["--rm", "-f"], ["-d"], ["-d", "-f"],
                 ["-d", "--rm"], ["-d", "--rm", "-f"]):
        for path in source, archive:
            path.unlink(missing_ok=True)
        if "-d" in args:
            archive.write_bytes(packed)
        else:
            source.write_bytes(data)
        name = "x.nc.nc3z" if "-d" in args else "x.nc"
        processes = [bench.start("-T1", *args, name) for _ in range(4)]
        messages = [process.communicate()[1] for process in processes]
        codes = [process.returncode for process in processes]
        what = args, codes, messages
        expect(set(codes) <= {0, 1} and 0 in codes, *what)
        expect({"-f", "--rm"} & {*args} or codes.count(0) == 1, *what)
        expect(all(bool(m) == bool(c) for m, c in zip(messages, codes)),
               *what)
        left = {"x.nc", "x.nc.nc3z"} - ({name} if "--rm" in args else set())
        expect(set(bench.names()) == left, bench.names(), *what)
        expect(not source.exists() or digest(source) == original, *what)
        expect(not archive.exists() or archive.read_bytes() == packed, *what)


def test_read_only_directory(bench):
    """Nothing is made, and nothing is removed."""
    directory = bench.path("dir")
    directory.mkdir()
    classic_file(directory / "x.nc", 1, length=100)
    expect(bench.run("-o", "dir/y.nc3z", "dir/x.nc").returncode == 0)
    os.chmod(directory, 0o555)
    try:
        (directory / "probe").touch()
        (directory / "probe").unlink()
        return "skipped: this user may write everywhere"
    except PermissionError:
        pass
    for args in (["dir/x.nc"], ["--rm", "dir/x.nc"],
                 ["-d", "-f", "-o", "dir/x.nc", "dir/y.nc3z"]):
        result = bench.run(*args)
        expect(result.returncode == 1, args, result.returncode)
        expect(b"Permission denied" in result.stderr, args, result.stderr)
    # The output lies elsewhere, the input cannot be removed.
    result = bench.run("--rm", "-o", "x.nc3z", "dir/x.nc")
    expect(result.returncode == 1 and b"cannot remove" in result.stderr,
           result.stderr)
    expect(bench.path("x.nc3z").exists())
    expect(sorted(os.listdir(directory)) == ["x.nc", "y.nc3z"])
    os.chmod(directory, 0o755)
    return None


def test_many_files(bench):
    classic_file(bench.path("one.nc"), 1, length=300)
    for name in "a", "a/b", "c":
        bench.path(name).mkdir()
        for i in range(100):
            shutil.copy(bench.path("one.nc"), bench.path(f"{name}/{i}.nc"))
    bench.path("a/notes.txt").write_text("not a classic file")
    bench.path("a/bad.nc").write_bytes(b"CDF\1cut")
    result = bench.run("-r", "a", "c")
    expect(result.returncode == 1, result.returncode)
    expect(result.stderr.count(b"\n") == 2 and b"a/bad.nc" in result.stderr,
           result.stderr)
    expect(not bench.path("a/notes.txt.nc3z").exists())
    bench.path("a/bad.nc").unlink()
    expect(bench.run("-t", "-r", "a", "c").returncode == 0)
    listed = json.loads(bench.run("-l", "--json", "-r", "a", "c").stdout)
    names = [entry["name"] for entry in listed["archives"]]
    expect(len(names) == 300 and names == sorted(names), len(names))
    for path in bench.directory.glob("[ac]/**/*.nc"):
        path.unlink()
    expect(bench.run("-r", "-d", "--rm", "a", "c").returncode == 0)
    left = list(bench.directory.glob("**/*.nc3z"))
    expect(not left, left)
    wanted = digest(bench.path("one.nc"))
    made = list(bench.directory.glob("[ac]/**/*.nc"))
    expect(len(made) == 300 and all(digest(p) == wanted for p in made))


if __name__ == "__main__":
    sys.exit(run_tests(test_stale_temporary, test_attributes, test_sparse,
                       test_removal, test_several_at_once,
                       test_read_only_directory, test_many_files))
