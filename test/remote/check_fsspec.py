#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python package with file systems of fsspec, and objects that can seek.

Runs itself once more with the Python of the system, which has the packages."""

import importlib.util
import io
import os
from pathlib import Path
import pickle
import shutil
import subprocess
import sys

from check_secrets import BROKEN
from far_site import clean_environment, expect, main, Site

NAME = "a.nc"
PYTHON = "/usr/bin/python3"
SOURCES = Path(__file__).resolve().parents[2] / "lib" / "python"
MODULES = "numpy", "fsspec", "aiohttp"


def near(site):
    """The archive here, and its bytes."""
    path = site.directory / f"{NAME}.nc3z"
    if not path.exists():
        site.make(NAME, (64, 90, 180), "--chunks=v:16,30,60")
    return path, path.read_bytes()


def url(site, mode="ok"):
    """The archive there."""
    near(site)
    return f"{site.plain}/{mode}/{NAME}.nc3z"


def wanted(site):
    """All values."""
    return nc3z.File(near(site)[0]).variables["v"][:]


def equal(site, file, *key):
    """Whether these are the values."""
    key = key or (slice(None),)
    return numpy.array_equal(file.variables["v"][key], wanted(site)[key])


def in_memory(site):
    """The archive in fsspec's file system of that name."""
    memory = fsspec.filesystem("memory")
    memory.pipe("/far/a.nc.nc3z", near(site)[1])
    return memory


def raises(kind, function, *args, **options):
    """The exception of a call."""
    try:
        function(*args, **options)
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def check_counts(site):
    """What fsspec asks for the length, front and tail, and announced ranges."""
    begin = ["bytes=0-16383", f"bytes={len(near(site)[1]) - 65536}-"
             f"{len(near(site)[1]) - 1}"]
    for key, n in (((21,), 1), ((slice(None), 45, 100), 4),
                   ((slice(10, 40), slice(20, 60), slice(30, 70)), 6)):
        site.forget()
        file = nc3z.File(url(site), storage_options={})
        asked = [a for a in site.ranges() if a]
        expect(sorted(asked) == begin, "opening", asked)
        expect(len(site.notes) == 3, site.ranges())
        expect(equal(site, file, *key), key)
        expect(len(site.notes) == 3 + n, key, site.ranges()[3:])


def check_concurrent(site):
    """Ranges that were announced are fetched at the same time."""
    file = nc3z.File(url(site, "slow=50"), storage_options={})
    site.forget()
    expect(equal(site, file, slice(None), 45, 100))
    expect(site.most_open >= 4, site.most_open, "connections")


def check_objects(site):
    """Whatever can seek and read, and what fsspec opens."""
    memory = in_memory(site)
    with open(near(site)[0], "rb") as plain:
        for what in (memory.open("/far/a.nc.nc3z"),
                     fsspec.open("memory://far/a.nc.nc3z"),
                     io.BytesIO(near(site)[1]), plain, fsspec.open(url(site)),
                     fsspec.open(url(site)).open()):
            expect(equal(site, nc3z.File(what)), what)
    for name in ("memory://far/a.nc.nc3z", f"simplecache::{url(site)}",
                 f"file://{near(site)[0]}"):
        file = nc3z.File(name)
        # A file of this machine is opened by its path.
        expect(equal(site, file) and
               name.removeprefix("file://") in repr(file), name, file)


def check_many_readers(site):
    """Threads of the library and of Python, and more than is held at a time."""
    site.make("big.nc", (60, 90, 180), "--block-size=64K")
    big = site.directory / "big.nc.nc3z"
    for held in _fsspec.HELD_NBYTES, 2 << 20:
        _fsspec.HELD_NBYTES = held
        _fsspec.BATCH_NBYTES = held // 4
        _fsspec.PIECE_NBYTES = held // 8
        file = nc3z.File(f"{site.plain}/ok/big.nc.nc3z", storage_options={},
                         nthreads=4, cache_nbytes=0)
        values = nc3z.File(big).variables["v"]
        with ThreadPoolExecutor(8) as pool:
            same = pool.map(lambda i, file=file, values=values:
                            numpy.array_equal(file["v"][i::8], values[i::8]),
                            range(8))
            expect(all(same), held)
        reader = file._handle.source._bytes._reader
        expect(reader.nbytes_held <= held, reader.nbytes_held)


def check_xarray(site):
    """The engine: URLs with storage_options, objects, workers."""
    if not importlib.util.find_spec("xarray"):
        print("skipped: no xarray")
        return
    import xarray
    from nc3z.xarray_backend import Nc3zBackendEntrypoint as engine
    in_memory(site)
    here = xarray.open_dataset(near(site)[0], engine=engine)
    for what, options in ((url(site), {"storage_options": {}}),
                          (url(site), {}), ("memory://far/a.nc.nc3z", {}),
                          (io.BytesIO(near(site)[1]), {}),
                          (fsspec.open(url(site)).open(), {})):
        dataset = xarray.open_dataset(what, engine=engine, **options)
        expect(dataset.identical(here), what, options)
        again = pickle.loads(pickle.dumps(xarray.open_dataset(
            what, engine=engine, **options)))
        expect(again.identical(here), "again", what, options)
    site.forget()
    xarray.open_dataset(url(site), engine=engine, storage_options={})
    expect(len(site.notes) == 3, site.ranges())
    site.forget()
    xarray.open_dataset(url(site), engine=engine)
    expect(len(site.notes) == 2, site.ranges())
    expect(engine().guess_can_open(io.BytesIO(near(site)[1])), "not taken")
    expect(not engine().guess_can_open(io.BytesIO(b"CDF\1")), "taken")
    expect(len(site.notes) == 2, "guessing asked")


def check_fork(site):
    """A child of a process that has read reads, too."""
    file = nc3z.File(url(site), storage_options={})
    expect(equal(site, file, 3))
    script = os.fork()
    if script == 0:
        signal.alarm(30)
        try:
            same = equal(site, file, 5) and equal(site, nc3z.File(
                fsspec.open(url(site))), 7)
            os._exit(0 if same else 1)
        except BaseException:  # pylint: disable=broad-except
            traceback.print_exc()
            os._exit(2)
    expect(os.waitpid(script, 0)[1] == 0, "child")
    expect(equal(site, file, 9))


def check_failures(site):
    """Failures are exceptions with the name, without secrets in it."""
    query = "?" + "secret".upper()  # lines of this file are in tracebacks
    for mode, kind in (("status=404", FileNotFoundError),
                       ("noranges", OSError), ("cutalways", OSError),
                       ("shrink=3", (OSError, nc3z.Error))):
        def read(mode=mode):
            file = nc3z.File(url(site, mode) + query, storage_options={})
            expect(file["v"][:].size)
        error = raises(kind, read)
        expect(NAME in str(error), error)
        expect("SECRET" not in "".join(traceback.format_exception(error)),
               mode)
    error = raises(OSError, nc3z.File, url(site, "noranges"),
                   storage_options={})
    expect("does not support range requests" in str(error), error)
    in_memory(site).pipe("/far/short.nc3z", near(site)[1][:-100])
    raises(nc3z.Error, nc3z.File, "memory://far/short.nc3z")
    raises(FileNotFoundError, nc3z.File, "memory://far/none.nc3z")
    raises(ValueError, nc3z.File, "no-such-scheme://far/none.nc3z")
    os.environ["NC3Z_REMOTE"] = "off"
    site.forget()
    try:
        raises(PermissionError, nc3z.File, url(site), storage_options={})
        expect(not site.notes, "asked somebody")
    finally:
        del os.environ["NC3Z_REMOTE"]


ALONE = """
import importlib.util
import sys
import nc3z
url, path, expected = sys.argv[1:]
assert nc3z._library.why_no_urls()
assert nc3z.File(url)["v"][:].tobytes() == nc3z.File(path)["v"][:].tobytes()
assert nc3z.info(url).ratio == nc3z.info(path).ratio
assert nc3z.verify(url) == nc3z.verify(path)
assert nc3z.restore(url, "far.nc") == nc3z.restore(path, "near.nc")
packed = nc3z.pack(url.replace(".nc3z", ""), "again.nc3z")
assert packed.sha256 == nc3z.verify(path).sha256
if importlib.util.find_spec("xarray"):
    import xarray
    from nc3z.xarray_backend import Nc3zBackendEntrypoint as engine
    with xarray.open_dataset(url, engine=engine) as dataset:
        assert dataset.equals(xarray.open_dataset(path, engine=engine))
sys.modules["fsspec"] = None
try:
    nc3z.File(url)
except nc3z.UnsupportedError as error:
    assert expected in str(error) and "SECRET" not in str(error), error
else:
    sys.exit("read without fsspec")
"""


def check_library_without_urls(site):
    """What the library cannot read, fsspec reads unasked, or an error says
    what to install."""
    directory = site.directory / "alone"
    directory.mkdir(exist_ok=True)
    shutil.copy(nc3z.library_path(), directory / nc3z._library.SONAME)
    path, _ = near(site)
    done = subprocess.run(
        [sys.executable, "-c", ALONE, url(site) + "?SECRET", path,
         "pip install fsspec aiohttp requests"], check=False, cwd=directory,
        capture_output=True, text=True,
        env=dict(os.environ, NC3Z_LIBRARY=str(directory)))
    expect(done.returncode == 0, done.stderr)


def check_secrets(site):
    """No exception and no text of an object has a password or a query."""
    near(site)
    host = site.plain.partition("://")[2]
    login = f"user:SECRET@{host}"
    for text in (f"http://{login}/ok/{NAME}.nc3z?SECRET",
                 f"HTTP://{login}/ok/{NAME}.nc3z?SECRET#SECRET",
                 f"http://{login}/status=403/{NAME}.nc3z?SECRET",
                 *BROKEN, f"simplecache::http://{login}/none.nc3z?SECRET"):
        for function in (
                lambda url: repr(nc3z.File(url)),
                lambda url: repr(nc3z.File(url, storage_options={})),
                lambda url: str(nc3z.File(url).variables["v"]),
                lambda url: nc3z.File(url).variables["none"],
                nc3z.verify, lambda url: nc3z.restore(url, "out/of/reach"),
                lambda url: nc3z.pack(url, "out.nc3z"),
                lambda url: nc3z.pack("none.nc", url),
                lambda url: nc3z.salvage([url], "out.nc3z")):
            said = ""
            try:
                said = str(function(text))
            except Exception:  # pylint: disable=broad-except
                said = traceback.format_exc()
            expect("SECRET" not in said, text, said)


def check_end(site):
    """Files that are open at the end of the process, or become garbage."""
    script = ("import nc3z, sys, gc\n"
              "for _ in range(4):\n"
              "    f = nc3z.File(sys.argv[1], storage_options={})\n"
              "    f.variables['v'][:3]\n"
              "    f.variables['v'][3:6]\n"
              "    del f; gc.collect()\n"
              "f = nc3z.File(sys.argv[1], storage_options={})\n"
              "for i in range(4): f.variables['v'][i]\n")
    done = subprocess.run([sys.executable, "-c", script, url(site)],
                          timeout=60, check=True, capture_output=True)
    expect(not done.stderr, done.stderr)


def run_with_system_python():
    """The package as it lies in the sources, with the library of the build."""
    missing = [module for module in MODULES if subprocess.run(
        [PYTHON, "-c", f"import {module}"], check=False,
        capture_output=True).returncode] if os.path.exists(PYTHON) else ["all"]
    if missing:
        print("skipped: no Python module", *missing)
        sys.exit(77)
    with Site(sys.argv[sys.argv.index("--bin") + 1]) as site:
        environment = clean_environment(site.base, {
            "PYTHONPATH": str(SOURCES), "INSIDE": "1",
            "PATH": f"{site.bin}:/usr/bin:/bin"})
        sys.exit(subprocess.run([PYTHON, "-uB", *sys.argv], check=False,
                                env=environment).returncode)


if __name__ == "__main__":
    if "INSIDE" not in os.environ:
        run_with_system_python()
    from concurrent.futures import ThreadPoolExecutor
    import signal
    import traceback
    import fsspec
    import numpy
    import nc3z
    from nc3z import _fsspec
    main(__doc__, [check_counts, check_concurrent, check_objects,
                   check_many_readers, check_xarray, check_fork,
                   check_failures, check_library_without_urls, check_secrets,
                   check_end])
