# SPDX-License-Identifier: MIT
"""Checks packing, restoring, verifying and salvaging; see checks.py."""

import errno
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import threading
import unittest.mock
import warnings

import numpy

import nc3z
from common import (
    BIN, GRID, SAMPLE, TESTDATA, damaged, expect, noted, pack, raises,
    real_files, run_python)


class StopHere(Exception):
    """What a progress function raises."""


def check_pack_is_that_of_the_program():
    """The same archives as nc3compress, from any source, to any target."""
    for name in SAMPLE + real_files()[:6]:
        original = TESTDATA / name
        wanted = pack(name).read_bytes()
        # Without a size, records that the header does not count are a tail.
        in_order = subprocess.run([BIN / "nc3compress", "-cq"], check=False,
                                  input=original.read_bytes(),
                                  stdout=subprocess.PIPE).stdout
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", nc3z.InputWarning)
            summary = nc3z.pack(original, "mine.nc3z", overwrite=True,
                                nthreads=2)
            expect(pathlib.Path("mine.nc3z").read_bytes() == wanted, name)
            data = original.read_bytes()
            for source, result in (
                    (data, wanted), (bytearray(data), wanted),
                    (io.BytesIO(data), wanted), (open(original, "rb"), wanted),
                    (gzip.compress(data, 1), in_order)):
                target = io.BytesIO()
                nc3z.pack(source, target)
                expect(target.getvalue() == result, name, type(source))
        expect(summary.original_nbytes == len(data)
               and summary.archive_nbytes == len(wanted)
               and summary.sha256 == hashlib.sha256(data).hexdigest()
               and summary.ratio == len(data) / len(wanted), summary)
        back = io.BytesIO()
        expect(nc3z.restore(wanted, back).sha256 == summary.sha256)
        expect(back.getvalue() == data, name)
        for quick in True, False:
            expect(nc3z.verify("mine.nc3z", quick=quick) == summary, name)


def check_update():
    """An archive of fewer records is brought up to date, another one stays."""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "corpus"))
    from check_grown import Header, long_file
    data, how = long_file(30), {"block_nbytes": 4096, "level": 1}
    path, archive = pathlib.Path("g.nc"), pathlib.Path("g.nc.nc3z")
    path.write_bytes(data)
    wanted = nc3z.pack(path, "fresh.nc3z", **how)
    path.write_bytes(Header(data).cut(20))
    expect(nc3z.pack(path, update=True, **how).ncopied == 0)
    path.write_bytes(data)
    summary = nc3z.pack(path, update=True, **how)
    expect(0 < summary.ncopied < summary.nblocks == wanted.nblocks, summary)
    expect(archive.read_bytes() == pathlib.Path("fresh.nc3z").read_bytes())
    path.write_bytes(data[:-1] + b"?")
    nc3z.pack(path, "other.nc3z", **how)
    path.write_bytes(data)
    error = raises(nc3z.ExistsError, nc3z.pack, path, update=True, **how,
                   progress=lambda *_: os.replace(
                       shutil.copy("other.nc3z", "new"), archive))
    expect("changed meanwhile" in str(error), error)
    expect(archive.read_bytes() == pathlib.Path("other.nc3z").read_bytes())
    shutil.copy("fresh.nc3z", archive)
    path.write_bytes(data[:-1] + b"?")
    for options in how, {**how, "level": 2}:
        error = raises(nc3z.ExistsError, nc3z.pack, path, update=True,
                       **options)
        expect("g.nc" in str(error), error)
    expect(archive.read_bytes() == pathlib.Path("fresh.nc3z").read_bytes())
    how["level"] = 5
    expect(nc3z.pack(path, update=True, overwrite=True, **how).ncopied == 0)
    nc3z.pack(path, "fresh.nc3z", overwrite=True, **how)
    expect(archive.read_bytes() == pathlib.Path("fresh.nc3z").read_bytes())


def check_pipes():
    """Nobody waits for a writer of a pipe that would be refused then."""
    os.mkfifo("pipe.nc.nc3z")
    for function, arguments in (
            (nc3z.pack, ()), (nc3z.restore, ()), (nc3z.salvage, ("new.nc3z",)),
            (nc3z.File, ())):
        error = raises(nc3z.InvalidError, function, "pipe.nc.nc3z",
                       *arguments)
        expect("is " in str(error), error)
    raises(nc3z.ExistsError, nc3z.pack, TESTDATA / GRID, "pipe.nc.nc3z",
           update=True)
    data = pack(GRID).read_bytes()
    thread = threading.Timer(
        0.2, pathlib.Path("pipe.nc.nc3z").write_bytes, (data,))
    thread.start()
    expect(nc3z.verify("pipe.nc.nc3z").archive_nbytes == len(data))
    thread.join()
    os.unlink("pipe.nc.nc3z")


def check_full_disk():
    """What cannot be written is what the error names."""
    script = ("import resource, signal, sys, nc3z\n"
              "sys.dont_write_bytecode = True  # nor half of one\n"
              "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
              "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
              "for function, source in ((nc3z.pack, sys.argv[1]),\n"
              "                         (nc3z.restore, sys.argv[2]),\n"
              "                         (nc3z.salvage, sys.argv[2])):\n"
              "    try:\n        function(source, 'full')\n"
              "    except OSError as error:\n"
              "        print(error.filename, error.errno)\n")
    text = run_python(script, TESTDATA / GRID, pack(GRID))
    expect(text == 3 * f"full {errno.EFBIG}\n", text)
    expect(not os.path.exists("full"))


def check_what_people_see():
    """A summary says what came of it; an odd name of an archive is odd."""
    summary = nc3z.pack(TESTDATA / GRID, "seen.nc3z", overwrite=True)
    expect(re.fullmatch(r"<nc3z.Summary: \d+ kB in \S+ kB, ratio [\d.]+>",
                        repr(summary)), summary)
    with noted() as found:
        nc3z.pack(TESTDATA / GRID, "seen.nc", overwrite=True)
        nc3z.pack(TESTDATA / GRID, "seen.other", overwrite=True)
    expect([(w.category, w.filename) for w in found] ==
           [(nc3z.InputWarning, __file__)], found)
    expect("end its name in .nc3z" in str(found[0].message), found)


def check_pack_options():
    """Options mean what they mean to nc3compress."""
    chunks = {"time": 5, "lat": 7, "lon": 11}
    for options, arguments in (
            (["-1"], {"level": 1}), (["-b", "4K"], {"block_nbytes": 4096}),
            (["--codec=deflate"], {"codec": "deflate"}),
            (["--codec=lzma"], {"codec": "lzma"}), (["-9"], {"level": 9}),
            (["--chunks=series"], {"chunks": "series"}),
            (["--chunks=time/5,lat/7,lon/11"], {"chunks": chunks}),
            (["--chunks=time/5,lat/7,lon/11"],
             {"chunks": ["time/5,lat/7,lon/11"],
              "max_memory_nbytes": 40000}),
            (["--chunks=lat/7,time/"],
             {"chunks": {"lat": numpy.int16(7), "time": -1}})):
        target = io.BytesIO()
        nc3z.pack(TESTDATA / GRID, target, **arguments)
        archive = pack(GRID, *options)
        expect(archive and archive.read_bytes() == target.getvalue(), options)
    for wrong in {"level": 10}, {"codec": "lz4"}, {"chunks": "no such"}, \
            {"nthreads": 1000}, {"nthreads": -1}, {"level": -1}, \
            {"max_memory_nbytes": 2 ** 64 + 1}:
        raises(ValueError, nc3z.pack, TESTDATA / GRID, io.BytesIO(), **wrong)
    for wrong in {"chunks": 3}, {"chunks": True}, {"chunks": (1, 2, 3)}, \
            {"level": "5"}, {"max_memory_nbytes": 1e9}:
        raises(TypeError, nc3z.pack, TESTDATA / GRID, io.BytesIO(), **wrong)
    # A bound below zero must not become one that is none.
    error = raises(ValueError, nc3z.restore, pack(GRID), io.BytesIO(),
                   max_original_nbytes=-1)
    expect("max_original_nbytes" in str(error), error)
    raises(ValueError, nc3z.File, TESTDATA / GRID, cache_nbytes=-1)
    before = nc3z.set_cache_nbytes(1 << 20)
    raises(ValueError, nc3z.set_cache_nbytes, -1)
    raises(TypeError, nc3z.set_cache_nbytes, 2e8)
    expect(nc3z.set_cache_nbytes(before) == 1 << 20)


def check_targets():
    """Names that are not given, files that exist, times, permissions."""
    shutil.copy(TESTDATA / GRID, "t.nc")
    os.chmod("t.nc", 0o640)
    os.utime("t.nc", ns=(10 ** 18, 10 ** 18))
    nc3z.pack("t.nc")
    for name in "t.nc.nc3z", "t.nc":
        found = os.stat(name)
        expect(stat.S_IMODE(found.st_mode) == 0o640 and
               found.st_mtime_ns == 10 ** 18, name, found)
        if name == "t.nc.nc3z":
            os.unlink("t.nc")
            nc3z.restore(name)
    with tarfile.open("t.tar", "w") as tar:
        tar.add("t.nc.nc3z")
    nc3z.restore("t.tar//t.nc.nc3z", "u.nc")
    found = os.stat("u.nc")
    expect(stat.S_IMODE(found.st_mode) == 0o640 and
           found.st_mtime_ns == 10 ** 18, found)
    os.chmod("t.tar", 0o600)
    nc3z.restore("t.tar//t.nc.nc3z", "u.nc", overwrite=True)
    expect(stat.S_IMODE(os.stat("u.nc").st_mode) == 0o600)
    os.chmod("t.tar", 0o644)
    with unittest.mock.patch("nc3z._sources.access_list", lambda _: b"list"):
        nc3z.restore("t.tar//t.nc.nc3z", "u.nc", overwrite=True)
    expect(stat.S_IMODE(os.stat("u.nc").st_mode) == 0o600)
    error = raises(FileExistsError, nc3z.pack, "t.nc")
    expect("overwrite=True" in str(error), error)
    error = raises(nc3z.ExistsError, nc3z.restore, "t.nc.nc3z")
    expect(error.path == "t.nc" and error.status == 4, vars(error))
    nc3z.restore("t.nc.nc3z", overwrite=True)
    pathlib.Path("u.nc.gz").write_bytes(
        gzip.compress(pathlib.Path("t.nc").read_bytes()))
    nc3z.pack("u.nc.gz")
    expect(pathlib.Path("u.nc.nc3z").read_bytes() ==
           pathlib.Path("t.nc.nc3z").read_bytes())
    raises(TypeError, nc3z.pack, b"CDF\1")
    raises(TypeError, nc3z.restore, "t.nc")
    raises(TypeError, nc3z.pack, "t.nc", 7)
    raises(TypeError, nc3z.pack, io.StringIO(), io.BytesIO())
    raises(FileNotFoundError, nc3z.pack, "not-there.nc")
    raises(IsADirectoryError, nc3z.pack, ".")
    raises(FileNotFoundError, nc3z.pack, "t.nc", "not/there.nc3z")
    raises(nc3z.NotClassicError, nc3z.pack, TESTDATA / "bad-magic.nc",
           "bad.nc3z")
    error = raises(nc3z.NotClassicError, nc3z.pack, "t.nc.nc3z", "bad.nc3z")
    expect("an nc3z archive, not" in str(error), error)
    raises(nc3z.NotArchiveError, nc3z.verify, "t.nc")
    raises(nc3z.LimitError, nc3z.restore, "t.nc.nc3z", io.BytesIO(),
           max_original_nbytes=1000)
    expect(not os.path.exists("bad.nc3z"))


def check_progress():
    """Bytes done and in all; an exception ends the job, with no output."""
    values = numpy.zeros(3 << 20, "f4")
    from nc3z import _classic
    large = _classic.ClassicBytes(
        {"n": len(values)}, [_classic.Array("v", ["n"], values.shape, "f4",
                                            lambda key: values[key])])
    seen = []
    nc3z.pack(large, "p.nc3z", progress=lambda *now: seen.append(now))
    expect(len(seen) > 2 and seen == sorted(seen) and
           seen[-1] == (large.size, large.size), seen)
    for job in nc3z.restore, nc3z.verify:
        seen.clear()
        target = [io.BytesIO()] if job is nc3z.restore else []
        job("p.nc3z", *target, progress=lambda *now: seen.append(now))
        expect(seen and seen[-1] == (large.size, large.size), job, seen)

    def stop(done, total):
        raise StopHere(done, total)
    raises(StopHere, nc3z.pack, large, "q.nc3z", progress=stop)
    raises(StopHere, nc3z.restore, "p.nc3z", "q.nc", progress=stop)
    raises(StopHere, nc3z.verify, "p.nc3z", progress=stop)
    expect(not os.path.exists("q.nc3z") and not os.path.exists("q.nc"))


def check_tqdm(tqdm):
    """progress=True is a bar of tqdm."""
    del tqdm
    import contextlib
    text = io.StringIO()
    with contextlib.redirect_stderr(text):
        nc3z.pack(TESTDATA / GRID, "bar.nc3z", progress=True)
    expect("100%" in text.getvalue() and "packing" in text.getvalue(),
           text.getvalue())


def check_without_tqdm():
    """progress=True says what to install, and nothing is written."""
    with unittest.mock.patch.dict(sys.modules, {"tqdm.auto": None}):
        error = raises(ImportError, nc3z.pack, TESTDATA / GRID, "no-bar.nc3z",
                       progress=True)
    expect("pip install tqdm" in str(error), error)
    expect(not os.path.exists("no-bar.nc3z"))


def check_files_that_fail():
    """What file objects raise is raised, and nothing is left."""
    class Broken(io.RawIOBase):
        """Fails in the middle."""
        def __init__(self, data):
            super().__init__()
            self.data, self.at = data, 0

        def readable(self):
            return True

        def writable(self):
            return True

        def seekable(self):
            return False

        def readinto(self, buffer):
            if self.at > len(self.data) // 2:
                raise StopHere("read")
            part = self.data[self.at:self.at + min(1000, len(buffer))]
            buffer[:len(part)] = part
            self.at += len(part)
            return len(part)

        def write(self, data):
            raise StopHere("write")
    data = (TESTDATA / GRID).read_bytes()
    raises(StopHere, nc3z.pack, Broken(data), "broken.nc3z")
    raises(StopHere, nc3z.pack, data, Broken(b""))
    raises(StopHere, nc3z.restore, pack(GRID), Broken(b""))
    expect(not os.path.exists("broken.nc3z"))


def check_short_writes():
    """A file object without a buffer writes what it can."""
    class Short(io.RawIOBase):
        """Takes 1,000 bytes at a time, and perhaps none after the first."""
        def __init__(self, then):
            super().__init__()
            self.data, self.then = bytearray(), then

        def writable(self):
            return True

        def write(self, data):
            if self.data and self.then is not self:
                return self.then
            part = bytes(data[:1000])
            self.data += part
            return len(part)
    target = Short(None)
    target.then = target
    nc3z.pack(TESTDATA / GRID, target)
    expect(target.data == pack(GRID).read_bytes())
    raises(BlockingIOError, nc3z.pack, TESTDATA / GRID, Short(None))
    raises(OSError, nc3z.restore, pack(GRID), Short(0))


def check_names():
    """A name with a NUL is none, and an input is no output."""
    shutil.copy(pack(GRID), "nul")
    for function in nc3z.File, nc3z.verify, nc3z.references:
        raises(ValueError, function, "nul\0.nc3z")
    raises(ValueError, nc3z.pack, TESTDATA / GRID, "made\0.nc3z")
    expect(not os.path.exists("made"))
    shutil.copy(TESTDATA / GRID, "same.nc")
    os.link("same.nc", "other.nc")
    for function, source, target in (
            (nc3z.pack, "same.nc", "same.nc"),
            (nc3z.pack, "same.nc", "./other.nc"),
            (nc3z.restore, "nul", "nul"), (nc3z.salvage, ["nul"], "nul")):
        error = raises(nc3z.InvalidError, function, source, target,
                       overwrite=True)
        expect("output is the input" in str(error), error)
    expect(pathlib.Path("same.nc").read_bytes()
           == (TESTDATA / GRID).read_bytes())


def check_open_file():
    """An output is read by nobody who cannot read an open input; a path may
    begin with "~"."""
    home = pathlib.Path("home").resolve()
    home.mkdir()
    private = home / "private.nc"
    shutil.copy(TESTDATA / GRID, private)
    private.chmod(0o600)
    before, os.environ["HOME"] = os.environ.get("HOME"), str(home)
    try:
        for name in "open.nc3z", "~/in-home.nc3z":
            with open(private, "rb") as file:
                nc3z.pack(file, name)
        nc3z.restore("~/in-home.nc3z", "~/back.nc")
        expect(nc3z.File("~/in-home.nc3z").is_archive)
    finally:
        if before is not None:
            os.environ["HOME"] = before
    for path in (pathlib.Path("open.nc3z"), home / "in-home.nc3z",
                 home / "back.nc"):
        expect(stat.S_IMODE(path.stat().st_mode) == 0o600, path)
    with open(home / "back.nc", "rb") as file:
        raises(nc3z.InvalidError, nc3z.pack, file, home / "back.nc",
               overwrite=True)


def check_changed_source():
    """A file that changes while it is packed is no archive."""
    shutil.copy(TESTDATA / GRID, "c.nc")

    def change(done, total):
        del done, total
        with open("c.nc", "ab") as file:
            file.write(b"more")
    error = raises(nc3z.ChangedError, nc3z.pack, "c.nc", progress=change)
    expect(error.status == 10 and not os.path.exists("c.nc.nc3z"))


def check_salvage():
    """Losses by variable and indices; whole again from two copies."""
    archive = pack(GRID, "-b", "8K")
    data = archive.read_bytes()
    copies = [damaged(data, place * len(data) // 3) for place in (1, 2)]
    error = raises(nc3z.DamagedError, nc3z.verify, copies[0])
    expect(error.status == 7 and error.offset is not None, vars(error))
    report = nc3z.salvage(copies[0], "saved.nc3z")
    expect(not report.is_whole and report.nbytes_lost > 0, report)
    loss = report.losses[0]
    expect(loss.variable == "sst" and len(loss.first) == len(loss.last) == 3,
           loss)
    expect(nc3z.verify("saved.nc3z").sha256 == report.summary.sha256
           != report.original_sha256)
    whole = io.BytesIO()
    report = nc3z.salvage(copies, whole)
    expect(report.is_whole and not report.losses
           and whole.getvalue() == data)
    # Who could not read one of them cannot read what is saved.
    for i, mode in enumerate((0o600, 0o644)):
        with open(f"copy{i}", "wb") as file:
            file.write(copies[i])
        os.chmod(f"copy{i}", mode)
    for sources, mode in ((["copy0"], 0o600), (["copy1"], 0o644),
                          (["copy1", "copy0"], 0o600),
                          (["copy1", copies[0]], 0o600)):
        nc3z.salvage(sources, "private.nc3z", overwrite=True)
        found = stat.S_IMODE(os.stat("private.nc3z").st_mode)
        expect(found == mode, sources, oct(found))
    raises(nc3z.NotArchiveError, nc3z.salvage, b"nothing", io.BytesIO())
    raises(ValueError, nc3z.salvage, [], io.BytesIO())


def check_oddities():
    """What is odd about a file is said at the line that packs it."""
    with noted() as found:
        nc3z.pack(TESTDATA / "cdf1-truncated-inside-record.nc", "odd.nc3z")
    expect(found and found[0].category is nc3z.InputWarning
           and found[0].filename == __file__, found)


def check_interrupt():
    """Ctrl-C ends a job at once, and leaves nothing."""
    from nc3z import _classic, _jobs, _sources, _structs
    # A sparse file of 8 GB, which takes longer than this check may.
    nelems = 2 ** 31 - 1
    header = _classic.ClassicBytes(
        {"n": nelems}, [_classic.Array("v", ["n"], (nelems,), "f4",
                                       lambda key: None)])
    with open("sparse.nc", "wb") as file:
        file.write(header._head)
        file.truncate(header.size)
    script = ("import os, signal, threading, nc3z\n"
              "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))"
              ".start()\n"
              "try:\n    nc3z.pack('sparse.nc', nthreads=1)\n"
              "except KeyboardInterrupt:\n    print('interrupted')\n")
    text = run_python(script)
    os.unlink("sparse.nc")
    expect(text == "interrupted\n" and
           not [name for name in os.listdir(".") if "sparse" in name],
           text, os.listdir("."))
    # It does not wait for the next read, which may be minutes away.
    options = _structs.CPackOptions()
    job = _jobs._Job(_sources.OpenSource("x"), None, "")
    job.set_options(options, {})
    expect(options.stop.contents.value == 0)
    job._stop(KeyboardInterrupt())
    expect(options.stop.contents.value == 1)
