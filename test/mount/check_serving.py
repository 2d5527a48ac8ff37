#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A web server over a mount gives the originals to who knows no archives.

usage: check_serving.py --bin DIR TESTDATA

nginx, on loopback, for as long as the test runs.  Skipped (77) where it is not
installed or nothing can be mounted, unless NC3Z_SERVERS is "all".
"""

import argparse
import hashlib
import os
from pathlib import Path
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from check_mount import Stage, expect, obstacle, wait_for

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "tar"))
import tars  # noqa: E402

SECONDS_MAX = 120
CONFIGURATION = """
daemon off;
master_process off;
pid {base}/nginx.pid;
error_log {base}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {base}/temporary;
    proxy_temp_path {base}/temporary;
    fastcgi_temp_path {base}/temporary;
    uwsgi_temp_path {base}/temporary;
    scgi_temp_path {base}/temporary;
    sendfile on;
    server {{
        listen 127.0.0.1:{port};
        location /data/ {{ alias {at}/; autoindex on; }}
    }}
}}
"""


class Nginx:
    """The server, of what is mounted."""

    def __init__(self, stage):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/data"
        path = stage.base / "nginx.conf"
        path.write_text(CONFIGURATION.format(base=stage.base, at=stage.at,
                                             port=port))
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            ["nginx", "-p", stage.base, "-e", stage.base / "error.log", "-c",
             path], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # It ends even if the test does not come to that.
        self.timer = threading.Timer(SECONDS_MAX, self.process.kill)
        self.timer.daemon = True
        self.timer.start()
        wait_for(self.answers)

    def answers(self):
        """Whether it is there; fails if it has ended."""
        expect(self.process.poll() is None, "nginx has ended")
        try:
            self.get("/")
            return True
        except (urllib.error.URLError, ConnectionError):
            return False

    def get(self, path, method="GET", **headers):
        """Status, headers and body."""
        request = urllib.request.Request(self.url + path, method=method,
                                         headers=headers)
        with urllib.request.urlopen(request, timeout=SECONDS_MAX) as answer:
            return answer.status, answer.headers, answer.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.timer.cancel()
        self.process.terminate()
        self.process.wait(SECONDS_MAX)


def check_file(server, path, original):
    """Whole, and in ranges, as any client asks for them."""
    data = original.read_bytes()
    status, headers, body = server.get(path)
    expect(status == 200 and hashlib.sha256(body).digest() ==
           hashlib.sha256(data).digest(), path, "whole")
    tag = headers["ETag"]
    status, headers, body = server.get(path, "HEAD")
    expect(int(headers["Content-Length"]) == len(data) and
           headers["Accept-Ranges"] == "bytes" and not body, path, headers)
    dice = random.Random(len(data))
    for _ in range(5):
        first = dice.randrange(len(data))
        last = min(len(data) - 1, first + dice.choice((0, 3, 5000, 300000)))
        status, headers, body = server.get(path, Range=f"bytes={first}-{last}")
        expect(status == 206 and body == data[first:last + 1], path, first,
               last)
        expect(headers["ETag"] == tag, path, "another ETag")
    status, _, body = server.get(path, Range="bytes=-100")
    expect(status == 206 and body == data[-100:], path, "its end")


def check_curl(stage, server, name):
    """curl continues what it has, and its SHA-256 is the one of -l."""
    if not shutil.which("curl"):
        return "no curl"
    original = (stage.originals / name).read_bytes()
    part = stage.base / "part.nc"
    part.write_bytes(original[:len(original) // 3])
    subprocess.run(["curl", "-sfC", "-", "-o", part, f"{server.url}/{name}"],
                   check=True, timeout=SECONDS_MAX)
    manifest = subprocess.run(
        [stage.bin / "nc3manifest",
         stage.dir / f"{name}.nc3z"], check=True, capture_output=True)
    expect(hashlib.sha256(part.read_bytes()).hexdigest() in
           manifest.stdout.decode(), "continued by curl")
    return "curl"


def check_readers(stage, server):
    """Programs with a netCDF reader read what they have fetched."""
    if not shutil.which("ncdump"):
        return "no ncdump"
    fetched = stage.base / "0.nc"
    fetched.write_bytes(server.get("/0.nc")[2])
    outputs = [subprocess.run(["ncdump", path], check=True,
                              capture_output=True).stdout
               for path in (fetched, stage.originals / "0.nc")]
    expect(outputs[0] == outputs[1], "ncdump")
    return "ncdump"


def serve(stage):
    """All of it; what was looked at."""
    originals = {f"{i}.nc": stage.pack(f"{i}.nc", 20, 20000 + i, i,
                                       ["--chunks=time/4,x/3000"]
                                       if i == 2 else [])
                 for i in range(3)}
    tars.make(stage.dir / "t.tar", [
        (f"s/{path.name}", path.read_bytes())
        for path in sorted(stage.dir.glob("*.nc3z"))], index=True)
    shutil.copy(originals["0.nc"], stage.dir / "plain.nc")
    stage.mount()
    with Nginx(stage) as server:
        for name, original in originals.items():
            check_file(server, f"/{name}", original)
            check_file(server, f"/t.tar/s/{name}", original)
        check_file(server, "/plain.nc", originals["0.nc"])
        listing = server.get("/")[2].decode()
        expect('"0.nc"' in listing and ".nc3z" not in listing, listing)
        looked = [check_curl(stage, server, "1.nc"),
                  check_readers(stage, server)]
    expect(stage.messages() == "", stage.messages())
    stage.unmount()
    return ", ".join(looked)


def main():
    """Serves and looks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("testdata", type=Path)
    args = parser.parse_args()
    why = "no nginx" if not shutil.which("nginx") else obstacle()
    if why:
        print(f"skipped: {why}")
        sys.exit(1 if os.environ.get("NC3Z_SERVERS") == "all" and
                 "nginx" in why else 77)
    start = time.monotonic()
    with Stage(args.bin.resolve(), args.testdata.resolve()) as stage:
        print(f"served: {serve(stage)}, {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
