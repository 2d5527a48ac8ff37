# SPDX-License-Identifier: MIT
"""What the checks of the Python package have in common.

usage: checks.py BIN LAYOUT TESTDATA
"""

import contextlib
import http.server
import os
import pathlib
import random
import re
import subprocess
import sys
import threading
import warnings

import numpy

from nc3z import _classic

BIN, LAYOUT, TESTDATA = (pathlib.Path(arg) for arg in sys.argv[1:4])
HEADER = pathlib.Path(__file__).resolve().parents[2] / "lib" / "nc3z.h"

# Read through xarray; every kind of file that libnetcdf reads.
SAMPLE = [
    "cdf1-all-types.nc", "cdf2-all-types.nc", "cdf5-all-types.nc",
    "cdf1-attribute-types.nc", "cdf1-char-table.nc", "cdf1-packed-short.nc",
    "cdf1-duplicate-attribute-name.nc", "cdf1-duplicate-variable-name.nc",
    "cdf1-fill-values.nc", "cdf1-float-grid-with-holes.nc",
    "cdf1-lone-record-variable-unpadded-short3.nc", "cdf1-minimal.nc",
    "cdf1-no-variables.nc", "cdf1-truncated-inside-record.nc",
    "cdf1-utf8-names.nc", "cdf1-zero-records.nc", "cdf2-float-records.nc",
    "cdf5-int64-times.nc",
]
REAL_NBYTES_MAX = 700000
REAL_EVERY = 1 if os.environ.get("NC3Z_INTEROP") == "all" else 12
GRID = "cdf2-float-records.nc"


def pack(name, *options):
    """Packs a file into this directory; the archive."""
    original = TESTDATA / name
    archive = pathlib.Path(original.name + ".nc3z").resolve()
    done = subprocess.run([BIN / "nc3compress", "-kfq", *options, "-o",
                           archive, original], check=False,
                          stderr=subprocess.DEVNULL)
    return archive if done.returncode in (0, 3) else None


def expect(condition, *what):
    """Ends the check if a condition does not hold."""
    if not condition:
        raise AssertionError(" ".join(str(word) for word in what))


def raises(kind, function, *args, **options):
    """The exception of that kind that a call raises."""
    try:
        function(*args, **options)
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def make(kind, values, attrs):
    """The bytes of a file with one variable, v(x)."""
    numbers = numpy.array(values, kind)
    data = _classic.ClassicBytes({"x": len(values)}, [_classic.Array(
        "v", ["x"], (len(values),), kind, lambda _: numbers, attrs)],
        version=5)
    return data.read(0, data.size)


@contextlib.contextmanager
def noted():
    """The list of all warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield found


def damaged(data, place=None):
    """The same bytes, one of them changed: that in the middle."""
    found = bytearray(data)
    found[len(found) // 2 if place is None else place] ^= 1
    return bytes(found)


def run_python(script, *args, **options):
    """What a script prints in a process of its own."""
    done = subprocess.run([sys.executable, "-c", script, *args], check=False,
                          capture_output=True, text=True, timeout=120,
                          **options)
    expect(done.returncode == 0, done.returncode, done.stderr)
    return done.stdout


def in_child(function):
    """Calls it in a child that is forked."""
    child = os.fork()
    if child == 0:
        try:
            function()
            os._exit(0)
        except BaseException:
            os._exit(1)
    expect(os.waitpid(child, 0)[1] == 0, "in a child")


def random_entry(rng, length):
    """An index for one dimension."""
    def bound():
        return rng.choice([None, rng.randint(-length - 2, length + 2)])
    kind = rng.randrange(6)
    if kind == 0 and length:
        return rng.randint(-length, length - 1)
    if kind == 1:
        return [rng.random() < 0.4 for _ in range(length)]
    if kind == 2 and length:
        return numpy.array([rng.randint(-length, length - 1)
                            for _ in range(rng.randrange(2 * length))], int)
    if kind == 3 and length:
        return sorted(rng.sample(range(length), rng.randint(0, length)))
    return slice(bound(), bound(), rng.choice([None, 1, 2, 5, -1, -3]))


def index_numpy(values, key):
    """What numpy gives for an index with vectors that are independent."""
    for axis, entry in reversed(list(enumerate(key))):
        if not isinstance(entry, (int, slice)):
            entry = numpy.asarray(entry)
            entry = entry if entry.dtype == bool else entry.astype(int)
        values = values[(slice(None),) * axis + (entry,)]
    return values


def check_threads(variable, nthreads, nreads):
    """Threads that share a file read what one thread does."""
    whole, wrong = variable[...], []

    def read(seed):
        rng = random.Random(seed)
        for _ in range(nreads):
            key = tuple(random_entry(rng, n) for n in variable.shape)
            if not numpy.array_equal(variable[key], index_numpy(whole, key)):
                wrong.append(key)
    threads = [threading.Thread(target=read, args=[i])
               for i in range(nthreads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not wrong, wrong[:3])


def same(a, b):
    """Whether two values are of one type and equal, NaN to NaN."""
    if isinstance(a, numpy.ndarray) and isinstance(b, numpy.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and (
            all(map(same, a.flat, b.flat)) if a.dtype == object
            else a.tobytes() == b.tobytes())
    return type(a) is type(b) and bool(
        a == b or numpy.isnan(a) and numpy.isnan(b))


def same_dicts(a, b):
    """Whether two dicts have the same entries in the same order."""
    return list(a) == list(b) and all(same(a[key], b[key]) for key in a)


def difference(wanted, got):
    """What differs between two datasets, or None."""
    def places_off(encoding):
        return {key: value for key, value in sorted(encoding.items())
                if key != "source"}
    if list(wanted.variables) != list(got.variables):
        return "names"
    if dict(wanted.sizes) != dict(got.sizes) or \
            not same_dicts(wanted.attrs, got.attrs) or \
            places_off(wanted.encoding) != places_off(got.encoding):
        return "dimensions, attributes or encoding"
    for name, a in wanted.variables.items():
        b = got.variables[name]
        if a.dims != b.dims or a.shape != b.shape or a.dtype != b.dtype:
            return f"{name}: form"
        if not same_dicts(a.attrs, b.attrs):
            return f"{name}: attributes {a.attrs} and {b.attrs}"
        if not same_dicts(places_off(a.encoding), places_off(b.encoding)):
            return f"{name}: encoding {a.encoding} and {b.encoding}"
        if a.size < 1000000 and not same(a.values, b.values):
            return f"{name}: values"
    return None


def attempt(open_dataset, path, **options):
    """A dataset, or the kind of exception that there is instead."""
    try:
        return open_dataset(path, **options)
    except Exception as error:
        return type(error)


def real_files():
    """Some of the files in $NC3Z_CORPUS."""
    corpus = os.environ.get("NC3Z_CORPUS")
    if not corpus:
        print("NC3Z_CORPUS is unset: no files of others")
        return []
    small = sorted(path for part in ("real", "edge")
                   for path in (pathlib.Path(corpus) / part).glob("*")
                   if path.stat().st_size <= REAL_NBYTES_MAX)
    return small[::REAL_EVERY]


class RangeServer(http.server.BaseHTTPRequestHandler):
    """Gives files of this directory, or ranges of them, which it notes."""

    requests, has_ranges = [], True

    def do_GET(self):
        """One range, or everything."""
        path = pathlib.Path(self.path.strip("/"))
        data = path.read_bytes() if path.is_file() else b""
        found = self.has_ranges and re.fullmatch(
            r"bytes=(\d*)-(\d*)", self.headers["Range"] or "")
        if not data:
            self.send_response(404)
        elif found:
            first, last = found.groups()
            if first:
                first, last = int(first), int(last or len(data))
            else:
                first, last = len(data) - int(last), len(data)
            self.requests.append((first, last))
            whole, data = len(data), data[first:last + 1]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-"
                             f"{first + len(data) - 1}/{whole}")
        else:
            self.requests.append((0, len(data)))
            self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        with contextlib.suppress(OSError):  # the client may be gone
            self.end_headers()
            self.wfile.write(data)

    def log_message(self, *_):
        """Nothing to say."""


@contextlib.contextmanager
def serve(handler=RangeServer):
    """The address of a server on loopback."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
