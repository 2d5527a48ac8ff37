# SPDX-License-Identifier: MIT
"""How parts are read from a server that is far away; see bench.py remote."""

import math
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import sheet

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"
SECONDS_MAX = 300
TASKS = {"open": "header", "map": "map", "xarray": "xarray opens",
         "series": "series", "all": "all values"}
COLUMNS = "way", "task", "seconds", "requests", "bytes"
# Lengths of chunks, for all that have any.
CHUNKS = "24,36,72"
# Those of files that hold many chunks; only zarr 3 knows such.
SHARDS = "240,180,360"
# Ways to read: what remote_peer.py calls them, the file, what has to be there.
WAYS = {
    "nc3z": ("nc3z", "sst.chunks.nc3z", "numpy"),
    "nc3z, linear": ("nc3z", "sst.linear.nc3z", "numpy"),
    "nc3z, fsspec": ("nc3z_fsspec", "sst.chunks.nc3z", "aiohttp"),
    "h5netcdf, fsspec": ("h5netcdf", "sst.nc4", "h5netcdf"),
    "zarr, fsspec": ("zarr", "sst.zarr", "zarr"),
    "zarr, shards": ("zarr", "sst.shards.zarr", "zarr.abc.store"),
    "GDAL, /vsicurl": ("gdal", "sst.nc4", "osgeo"),
    "scipy, fsspec, original": ("scipy", "sst.nc", "scipy"),
}
# Those of a libnetcdf that reads by ranges.
NETCDF_WAYS = {
    "netcdf-c, original": ("netcdf_c", "sst.nc", "numpy"),
    "netcdf-c, netCDF-4": ("netcdf_c", "sst.nc4", "numpy"),
}
NGINX = """\
daemon off; master_process off; pid {0}/pid; error_log {0}/error; {1}
events {{ worker_connections 512; }}
http {{
  log_format bytes '$request_method $status $body_bytes_sent';
  access_log {0}/log bytes; client_body_temp_path {0}/b;
  proxy_temp_path {0}/p; fastcgi_temp_path {0}/f; uwsgi_temp_path {0}/u;
  scgi_temp_path {0}/s; sendfile on; keepalive_requests 100000;
  server {{ listen 127.0.0.1:{2}; root {3}; }}
}}
"""


class FarServer:
    """nginx and a relay before it; counts requests and bytes."""

    def __init__(self, directory, www, round_trip_ms):
        self.directory = directory / "nginx"
        self.directory.mkdir()
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        user = "user root;" if os.getuid() == 0 else ""
        (self.directory / "conf").write_text(
            NGINX.format(self.directory, user, port, www), encoding="ascii")
        path = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if not path:
            sys.exit("bench: nginx is not installed")
        # pylint: disable=consider-using-with
        self.processes = [
            subprocess.Popen([path, "-p", self.directory, "-e",
                              self.directory / "error", "-c",
                              self.directory / "conf"]),
            subprocess.Popen([sys.executable, "-B", HERE / "relay.py",
                              str(port), str(round_trip_ms)],
                             stdout=subprocess.PIPE, text=True)]
        port = self.processes[1].stdout.readline().strip()
        self.url = f"http://127.0.0.1:{port}/"
        time.sleep(0.5)

    def forget(self):
        """Counts from 0."""
        os.truncate(self.directory / "log", 0)

    def counts(self):
        """Requests and bytes since then."""
        time.sleep(0.3)
        text = (self.directory / "log").read_text(encoding="ascii")
        lines = text.splitlines()
        return len(lines), sum(int(line.split()[2]) for line in lines)

    def close(self):
        """Ends both."""
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
            process.wait()


def run(*command, **options):
    """Runs a program; what it prints."""
    return subprocess.run([str(word) for word in command], check=True,
                          text=True, stdout=subprocess.PIPE,
                          **options).stdout


def make_files(www, times):
    """The same values in every format."""
    classic = www / "sst.nc"
    run(PYTHON, "-B", HERE / "make_access.py", classic,
        "--times", times)
    by_name = "/".join(f"{n},"[:-1] for n in CHUNKS.split(","))
    dims = dict(zip(("time", "lat", "lon"), by_name.split("/")))
    run("nc3compress", "-qfk", "-o", www / "sst.linear.nc3z", classic)
    run("nc3compress", "-qfk", "--chunks", f"sst:{CHUNKS}", "-o",
        www / "sst.chunks.nc3z", classic)
    run("nccopy", "-k", "nc7", "-d5", "-s", "-c",
        ",".join(f"{d}/{n}" for d, n in dims.items()), classic,
        www / "sst.nc4")
    if has_module("zarr"):
        run(PYTHON, "-B", HERE / "remote_peer.py", "make-zarr", classic,
            www / "sst.zarr", CHUNKS)
    if has_module("zarr.abc.store"):
        run(PYTHON, "-B", HERE / "remote_peer.py", "make-zarr", classic,
            www / "sst.shards.zarr", CHUNKS, SHARDS)


def make_large(www, nbytes):
    """An archive of so much, of zeros and times, by a file with holes."""
    record = 4 * 720 * 1440
    n = nbytes // record
    run(PYTHON, "-B", "-c", LARGE, www / "large.nc", n)
    # Blocks that small make its index as long as that of real values.
    run("nc3compress", "-1qf", "-b", "64K", "-o", www / "large.nc3z",
        www / "large.nc")
    (www / "large.nc").unlink()


LARGE = """\
import os, struct, sys
def name(text):
    return struct.pack(">I", len(text)) + text + bytes(-len(text) % 4)
n, record = int(sys.argv[2]), 4 * 720 * 1440
head = b"CDF\\5" + struct.pack(">QIQ", n, 10, 3)
for dim, length in ((b"time", 0), (b"lat", 720), (b"lon", 1440)):
    head += struct.pack(">Q", len(dim)) + dim + bytes(-len(dim) % 4)
    head += struct.pack(">Q", length)
head += bytes(12) + struct.pack(">IQ", 11, 2)
size = len(head) + 2 * (8 + 4 + 8 + 12 + 4 + 8 + 8) + 4 * 8
at = size
for var, dims, kind, nbytes in ((b"sst\\0", (0, 1, 2), 5, record),
                                (b"time", (0,), 6, 8)):
    text = var.rstrip(b"\\0")
    head += struct.pack(">Q", len(text)) + var
    head += struct.pack(f">Q{len(dims)}Q", len(dims), *dims) + bytes(12)
    head += struct.pack(">IQQ", kind, nbytes, at)
    at += record
assert len(head) == size, (len(head), size)
with open(sys.argv[1], "wb") as f:
    f.write(head)
    for i in range(n):
        f.seek(size + i * (record + 8) + record)
        f.write(struct.pack(">d", i))
"""


def has_module(name):
    """Of the system's Python."""
    return subprocess.run([PYTHON, "-c", f"import {name}"], check=False,
                          capture_output=True).returncode == 0


def measure(server, way, task, file, runs):
    """Median seconds, requests, bytes and sum; None if it does not work.

    What takes longer than it may has no end: infinite seconds, no sum.
    """
    package = HERE.parents[1] / "lib" / "python"
    seconds = []
    for _ in range(runs):
        server.forget()
        try:
            done = subprocess.run(
                [PYTHON, "-B", HERE / "remote_peer.py", way, task,
                 server.url + file], check=False, capture_output=True,
                text=True, timeout=SECONDS_MAX,
                env={**os.environ, "PYTHONPATH": str(package)})
        except subprocess.TimeoutExpired:
            return (math.inf, *server.counts(), None)
        if done.returncode:
            return None
        last, total = done.stdout.split()[-2:]
        seconds.append(float(last))
    return (statistics.median(seconds), *server.counts(), total)


def cell(found):
    """Seconds, requests and MB."""
    if not found:
        return f"{'-':>20}"
    seconds = (f"{found[0]:.2f}" if found[0] < math.inf else
               f">{SECONDS_MAX}")
    return f"{seconds:>7} {found[1]:5} {found[2] / 1e6:6.2f}"


def show_rows(server, options):
    """A line for each way; all must read the same values.  Returns what was
    measured."""
    print(f"{'seconds, requests, MB':24}" +
          "".join(f"{name:>20}" for name in TASKS.values()))
    sums, rows = {}, []
    ways = dict(WAYS)
    if options.netcdf:
        ways.update(NETCDF_WAYS)
        os.environ["NC3Z_BENCH_NETCDF"] = options.netcdf
    for name, (way, file, module) in ways.items():
        if not has_module(module):
            print(f"{name:24} {module} is not installed")
            continue
        row = []
        for task, title in TASKS.items():
            found = None
            if task != "xarray" or way not in ("scipy", "gdal",
                                                   "netcdf_c"):
                found = measure(server, way, task, file, options.runs)
            row.append(cell(found))
            if found:
                rows.append(dict(zip(COLUMNS, (name, title, *found))))
            if found and found[3]:
                sums.setdefault(task, set()).add(found[3])
        print(f"{name:24}" + "".join(row), flush=True)
    for task, found in sums.items():
        if len({round(float(x), 0) for x in found}) > 1:
            print(f"bench: {task}: values differ: {found}")
    return rows


def show_restore(server, options):
    """Restoring an archive, and fetching the original; what was measured."""
    rows = []
    for name, command in {
            "nc3compress -dc": "nc3compress -dc {0}sst.chunks.nc3z",
            "wget of the original": "wget -qO- {0}sst.nc"}.items():
        if not shutil.which(command.split()[0]):
            print(f"{name:24} is not installed")
            continue
        seconds = []
        for _ in range(options.runs):
            server.forget()
            begin = time.perf_counter()
            subprocess.run(command.format(server.url).split(), check=True,
                           stdout=subprocess.DEVNULL)
            seconds.append(time.perf_counter() - begin)
        found = statistics.median(seconds), *server.counts()
        print(f"{name:24}" + cell(found))
        rows.append(dict(zip(COLUMNS, (name, TASKS["all"], *found))))
    return rows


def show_large(server, www, options):
    """What an archive of many blocks takes."""
    make_large(www, int(options.large * 1e9))
    for task in "open", "map", "xarray":
        print(f"{options.large:g} GB, {TASKS[task]:14}" + cell(measure(
            server, "nc3z", task, "large.nc3z", options.runs)), flush=True)


def libnetcdf_with_ranges():
    """The system's libnetcdf if it reads by ranges, which Debian 12's does not.
    """
    text = run("nc-config", "--all")
    return "libnetcdf.so" if re.search(r"byterange\s*->\s*yes", text,
                                       re.I) else None


def bench_remote(options):
    """The command."""
    directory = pathlib.Path(tempfile.mkdtemp(dir=options.dir,
                                           prefix="bench_remote_"))
    www = directory / "www"
    www.mkdir()
    server = None
    options.netcdf = options.netcdf or libnetcdf_with_ranges()
    if not options.netcdf:
        print("libnetcdf here was built without byte ranges (#mode=bytes): "
              "no row; --netcdf=LIBRARY names another")
    try:
        make_files(www, options.times)
        server = FarServer(directory, www, options.round_trip)
        print(f"{options.times} maps of 180 x 360 floats, round trip "
              f"{options.round_trip:g} ms")
        rows = show_rows(server, options)
        rows += show_restore(server, options)
        if options.large > 0:
            show_large(server, www, options)
    finally:
        if server:
            server.close()
        shutil.rmtree(directory)
    sheet.write(options, rows)
    return 0


def add_options(parser):
    """The options of the command."""
    parser.add_argument("--times", type=int, default=730,
                        help="so many maps (730)")
    parser.add_argument("--round-trip", type=float, default=50,
                        help="in milliseconds (50)")
    parser.add_argument("--large", type=float, default=10,
                        help="GB of the large file, 0: none (10)")
    parser.add_argument("--netcdf", metavar="LIBRARY",
                        help="a libnetcdf.so with byte ranges (the system's "
                        "if it has them)")
    parser.add_argument("--runs", type=int, default=1,
                        help="medians of so many (1)")
    sheet.add_option(parser)
    parser.add_argument("--dir", default=os.environ.get("TMPDIR", "/tmp"))
    parser.set_defaults(run=bench_remote)
