# SPDX-License-Identifier: MIT
"""Checks what files are read from, and the cache; see checks.py."""

import filecmp
import io
import os
import pathlib
import pickle
import tarfile

import numpy

import nc3z
from common import (
    GRID, TESTDATA, RangeServer, check_threads, expect, in_child, noted, pack,
    raises, run_python, serve)
from nc3z import _classic

# Of the variable in the archive that is larger than its cache.
SHAPE = (300, 60, 80)


class WholeServer(RangeServer):
    """A server that knows no ranges."""

    requests, has_ranges = [], False


class Ranges:
    """A reader of ranges that counts."""

    def __init__(self, data):
        self.data, self.size, self.name = data, len(data), "counted"
        self.nreads, self.announced = 0, []

    def read_range(self, offset, nbytes):
        """Bytes."""
        self.nreads += 1
        return self.data[offset:offset + nbytes]

    def announce(self, ranges):
        """Notes them."""
        self.announced += ranges


def check_sources():
    """Bytes, file objects and readers of ranges are as good as a path."""
    archive = pack(GRID, "-b", "4K")
    data = archive.read_bytes()
    wanted = nc3z.File(archive)["sst"][...]
    ranges = Ranges(data)
    for source in data, bytearray(data), memoryview(data), io.BytesIO(data), \
            open(archive, "rb"), ranges, str(archive):
        with nc3z.File(source) as file:
            expect(numpy.array_equal(file["sst"][...], wanted), source)
    expect(ranges.nreads and ranges.announced, vars(ranges))
    expect("counted" in repr(nc3z.File(ranges)))
    again = pickle.loads(pickle.dumps(nc3z.File(data)))
    expect(numpy.array_equal(again["sst"][3], wanted[3]))
    raises(TypeError, pickle.dumps, nc3z.File(io.BytesIO(data)))
    raises(TypeError, nc3z.File, 7)
    raises(nc3z.NotClassicError, nc3z.File, b"no such file")
    raises(TypeError, nc3z.File, io.StringIO("text"))


class Place:
    """Gives a reader each time, as what is on a server would."""

    def __init__(self, data):
        self.data = data

    def connect(self):
        """A reader."""
        return Ranges(self.data)


def check_places():
    """What connects anew goes to other processes, by pickle and fork."""
    place = Place(pack(GRID, "-b", "4K").read_bytes())
    file = nc3z.File(place)
    wanted = file["sst"][...]
    again = pickle.loads(pickle.dumps(file))
    expect(numpy.array_equal(again["sst"][...], wanted))
    in_child(lambda: expect(numpy.array_equal(file["sst"][...], wanted)))


def make_tar(name):
    """A tar with an archive, a hard link to it and a symbolic one."""
    with tarfile.open(name, "w") as tar:
        tar.add(pack(GRID), "a.nc.nc3z")
        for link, kind in (("d/b", tarfile.LNKTYPE), ("s", tarfile.SYMTYPE)):
            member = tarfile.TarInfo(link + ".nc.nc3z")
            member.type, member.linkname = kind, "a.nc.nc3z"
            tar.addfile(member)
    return os.path.abspath(name)


def check_tar_members():
    """A member of a tar, by its name and by that of a hard link to it."""
    make_tar("links.tar")
    wanted = nc3z.File(TESTDATA / GRID)["sst"][...]
    for name in "a.nc.nc3z", "d/b.nc.nc3z":
        got = nc3z.File("links.tar//" + name)["sst"][...]
        expect(numpy.array_equal(got, wanted), name)
    error = raises(nc3z.UnsupportedError, nc3z.File, "links.tar//s.nc.nc3z")
    expect("is a symbolic link" in error.reason, error)
    name = "links.tar//a.nc.nc3z"
    expect(nc3z.restore(name, "member.nc").sha256 == nc3z.verify(name).sha256)
    expect(filecmp.cmp("member.nc", TESTDATA / GRID, shallow=False))
    nc3z.salvage(name, "again.nc3z")
    for job in nc3z.restore, nc3z.pack:
        expect("a target is needed" in str(raises(TypeError, job, name)), job)


def check_fsspec_tar(fsspec):
    """A member of a tar that fsspec reads."""
    make_tar("m.tar")
    with fsspec.open("memory://m.tar", "wb") as file:
        file.write(pathlib.Path("m.tar").read_bytes())
    wanted = nc3z.File(TESTDATA / GRID)["sst"].raw()[...]
    with nc3z.File("memory://m.tar//a.nc.nc3z", raw=True) as file:
        expect(numpy.array_equal(file["sst"][...], wanted))


def check_sources_fail():
    """What Python code raises is raised by the call that needed it."""
    class Fails(Ranges):
        """Fails when told to."""
        failure = None

        def read_range(self, offset, nbytes):
            if self.failure:
                raise self.failure
            return super().read_range(offset, nbytes)
    ranges = Fails(large_archive()[0])
    with nc3z.File(ranges, cache_nbytes=0) as file:
        ranges.failure = KeyError("gone")
        expect(raises(KeyError, file["v"].__getitem__, 150)
               is ranges.failure)
        ranges.failure = None
        expect(file["v"][150].size == 4800)
    short = Ranges(ranges.data)
    short.size += 10
    raises(OSError, nc3z.File, short)


def check_file_object_in_threads():
    """Threads share a file object, which has one position."""
    data = pack(GRID, "-b", "4K").read_bytes()
    with nc3z.File(io.BytesIO(data), cache_nbytes=0) as file:
        check_threads(file["sst"], 4, 30)


def large_archive(**options):
    """Bytes of an archive of noise."""
    values = numpy.random.default_rng(1).random(SHAPE, "f4")
    dims = dict(zip("tyx", SHAPE))
    target = io.BytesIO()
    nc3z.pack(_classic.ClassicBytes(
        dims, [_classic.Array("v", list(dims), SHAPE, "f4",
                              lambda key: values[key])]), target,
        level=1, block_nbytes=1 << 16, **options)
    return target.getvalue(), values


def check_points_decode_once():
    """Series at ten points in one request decode each block once."""
    data, values = large_archive()
    nblocks = nc3z.info(data).variables["v"].nblocks
    rows, columns = [1, 7, 8, 20, 41], [0, 13, 30, 79]
    for cache in 1 << 20, None:
        with nc3z.File(data, cache_nbytes=cache) as file:
            got = file["v"][:, rows, columns]
            expect(numpy.array_equal(got, values[:, rows][:, :, columns]))
            ndecoded = file.cache_info().nblocks_decoded
            # The cache of one MiB holds less than the rows read together.
            expect(cache is not None or ndecoded == nblocks, cache,
                   ndecoded, nblocks)


def check_points_one_by_one():
    """Series read one by one, beyond the cache, lead to one warning."""
    data, values = large_archive()
    with nc3z.File(data, cache_nbytes=1 << 20) as file, noted() as found:
        for i in range(10):
            expect(numpy.array_equal(file["v"][:, i, i], values[:, i, i]))
    found = [w for w in found if w.category is nc3z.PerformanceWarning]
    expect(len(found) == 1 and "nc3convert --chunks" in str(found[0].message)
           and found[0].filename == __file__, found)
    for other, cache in (large_archive()[0], None), \
            (large_archive(chunks="series")[0], 1 << 20):
        with nc3z.File(other, cache_nbytes=cache) as file, noted() as found:
            for i in range(10):
                expect(numpy.array_equal(file["v"][:, i, i], values[:, i, i]))
        expect(not found, found)


def check_one_budget():
    """All files together keep what set_cache_nbytes() allows."""
    data, _ = large_archive()
    before = nc3z.set_cache_nbytes(2 << 20)
    try:
        expect(before == 64 << 20, before)
        files = [nc3z.File(data) for _ in range(8)]
        for file in files:
            for i in range(0, SHAPE[0], 7):
                expect(file["v"][i, ::2, ::2].size)
        held = sum(file.cache_info().nbytes_held for file in files)
        expect(0 < held <= 2 << 20, held)
    finally:
        nc3z.set_cache_nbytes(before)


def check_interrupt_reading():
    """Ctrl-C ends a request that Python reads for; the file stays usable."""
    pathlib.Path("slow.nc3z").write_bytes(large_archive()[0])
    script = ("import io, os, signal, threading, time, nc3z\n"
              "class Slow(io.BytesIO):\n"
              "    wait = 0\n"
              "    def read(self, n=-1):\n"
              "        time.sleep(self.wait)\n"
              "        return super().read(n)\n"
              "slow = Slow(open('slow.nc3z', 'rb').read())\n"
              "file = nc3z.File(slow, cache_nbytes=0)\n"
              "slow.wait = 0.5\n"
              "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))"
              ".start()\n"
              "try:\n    file['v'][...]\n"
              "except KeyboardInterrupt:\n    print('interrupted')\n"
              "slow.wait = 0\n"
              "print(file['v'][...].shape)\n")
    text = run_python(script)
    expect(text == f"interrupted\n{SHAPE}\n", text)


def check_end_of_process():
    """A process ends while threads of the library read ahead by Python."""
    pathlib.Path("ahead.nc3z").write_bytes(large_archive()[0])
    script = ("import gc, io, nc3z\n"
              "data = open('ahead.nc3z', 'rb').read()\n"
              "class Slow(io.BytesIO):\n"
              "    def read(self, n=-1):\n"
              "        gc.collect()\n"
              "        return super().read(n)\n"
              "for i in range(4):\n"
              "    file = nc3z.File(Slow(data), cache_nbytes=1 << 20)\n"
              "    for j in range(0, 40, 10): file['v'][j:j + 10]\n")
    run_python(script)


def check_server_without_ranges(fsspec, aiohttp, requests):
    """Short archives are read whole, once; long ones are refused.  A server
    that is not there is not a file that is not there."""
    del fsspec, aiohttp, requests
    with serve(WholeServer) as address:
        archive = pack(GRID)
        url = f"{address}/{archive.name}"
        with nc3z.File(archive) as wanted, \
                nc3z.File(url, storage_options={}) as file:
            for name, variable in file.items():
                expect(variable.raw()[...].tobytes() ==
                       wanted[name].raw()[...].tobytes(), name)
        # Its length, then all of it.
        expect(len(WholeServer.requests) == 2, WholeServer.requests)
        archive.write_bytes(archive.read_bytes() + bytes(1 << 20))
        error = raises(OSError, nc3z.File, url, storage_options={})
        expect("does not support range requests" in str(error), error)
    error = raises(OSError, nc3z.File, url, storage_options={})
    expect("cannot be reached" in str(error), error)
