# SPDX-License-Identifier: MIT
"""A server on loopback, inside the test that needs it, and what tests share.

Paths are /MODE[=N]/NAME[?query]; the mode says how the server fails.  Every
request is noted.  It ends with the process.
"""

import argparse
import base64
import contextlib
import hashlib
import hmac
import http.server
import os
from pathlib import Path
import random
import re
import shutil
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse

sys.path.append(str(Path(__file__).resolve().parents[2] / "testdata"))

from classic_writer import DOUBLE, FLOAT, ClassicWriter, Var  # noqa: E402

SECONDS_MAX = 120
LATE_SECONDS = 0.3
REGION = "eu-west-9"
KEYS = {"AKIDEXAMPLE": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
        "AKIDNEW": "another/secret+KEY", "AKIDTOKEN": "third"}


def expect(condition, *what):
    """Fails with a message unless the condition holds."""
    if not condition:
        raise AssertionError(" ".join(str(w) for w in what))


def signature(handler, region, date, signed, key_id):
    """Signature version 4, as its description says; not the library's."""
    path, _, query = handler.path.partition("?")
    query = "&".join(sorted(q if "=" in q else q + "="
                            for q in query.split("&") if q))
    lines = "".join(f"{name}:{handler.headers[name].strip()}\n"
                    for name in signed)
    request = "\n".join([handler.command, path, query, lines,
                         ";".join(signed),
                         handler.headers["x-amz-content-sha256"]])
    when = handler.headers["x-amz-date"]
    text = "\n".join(["AWS4-HMAC-SHA256", when,
                      f"{date}/{region}/s3/aws4_request",
                      hashlib.sha256(request.encode()).hexdigest()])
    key = ("AWS4" + KEYS[key_id]).encode()
    for step in (date, region, "s3", "aws4_request"):
        key = hmac.new(key, step.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers as the mode of the path says."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    # Functions of the handler, number, count, data and ETag, by their modes.
    more = {}

    def log_message(self, *_):
        """Nothing is printed."""

    def setup(self):
        super().setup()
        site = self.server.site
        with site.lock:
            site.nopen += 1
            site.most_open = max(site.most_open, site.nopen)

    def finish(self):
        with self.server.site.lock:
            self.server.site.nopen -= 1
        try:
            super().finish()
        except OSError:
            pass

    def reply(self, status, body=b"", cut=None, late=0, **headers):
        """Sends an answer, all of it or its first bytes, the last ones late."""
        self.note["status"], self.note["sent"] = status, len(body)
        self.send_response(status)
        headers.setdefault("Content_Length", len(body))
        for name, value in headers.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        try:
            last = max(0, len(body) - late)
            self.wfile.write(body[:last] if cut is None else body[:cut])
            self.wfile.flush()
            if late:
                time.sleep(LATE_SECONDS)
                self.wfile.write(body[last:])
        except OSError:
            self.close_connection = True
        if cut is not None:
            self.connection.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True

    def do_GET(self):
        """One request."""
        site = self.server.site
        path = self.path
        if path.startswith("http://"):  # as a proxy
            path = "/" + path.split("/", 3)[3]
            site.nproxied += 1
        path, _, query = path.partition("?")
        host = self.headers["Host"]
        if host.startswith("bucket."):
            path = "/s3/bucket" + path
        match = re.match(r"/([a-z0-9]+)(?:=(\d+))?/(.*)$", path)
        self.note = {"path": self.path, "range": self.headers["Range"],
                     "headers": dict(self.headers), "status": 0, "sent": 0,
                     "time": time.monotonic()}
        if not match:
            site.take(self.note)
            self.reply(404)
            return
        mode, number, name = match[1], int(match[2] or 0), match[3]
        nth = site.take(self.note)
        if mode == "s3" and not self.is_signed(name):
            return
        name = urllib.parse.unquote(name)
        name = name.split("/", 1)[1] if mode == "s3" else name
        try:
            data, etag = site.read(name)
        except OSError:
            self.reply(404)
            return
        self.misbehave(mode, number, nth, data, etag, query)

    def is_signed(self, name):
        """Whether a request to S3 is allowed; answers it if not."""
        site = self.server.site
        if name.startswith("public/"):
            if self.headers["Authorization"]:
                self.reply(400, b"<Code>Signed</Code>")
                return False
            return True
        match = re.match(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/s3/"
            r"aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$",
            self.headers["Authorization"] or "")
        code = None
        if not match or match[1] not in KEYS:
            code = "AccessDenied" if not match else "InvalidAccessKeyId"
        elif signature(self, match[3], match[2], match[4].split(";"),
                       match[1]) != match[5]:
            code = "SignatureDoesNotMatch"
        elif not {"host", "range"} <= set(match[4].split(";")):
            code = "SignatureDoesNotMatch"
        elif match[1] in site.expired:
            code = "ExpiredToken"
            site.on_expired()
        elif match[1] == "AKIDTOKEN" and \
                self.headers["x-amz-security-token"] != "TOKEN":
            code = "InvalidToken"
        elif abs(time.time() - time.mktime(time.strptime(
                self.headers["x-amz-date"], "%Y%m%dT%H%M%SZ")) +
                time.timezone) > 900:
            code = "RequestTimeTooSkewed"
        if code:
            self.reply(403, f"<Error><Code>{code}</Code></Error>".encode())
            return False
        if match[3] != REGION:
            self.reply(400, b"<Code>AuthorizationHeaderMalformed</Code>",
                       x_amz_bucket_region=REGION)
            return False
        return True

    def misbehave(self, mode, number, nth, data, etag, query):
        """Failures that come before a range is looked at."""
        name = self.path.rsplit("/", 1)[1]
        site = self.server.site
        statuses = {"busy": 503, "limit": 429, "broken": 500, "bad": 502}
        if mode in self.more:
            self.more[mode](self, number, nth, data, etag)
        elif mode in statuses and (nth <= number or not number):
            self.reply(statuses[mode], b"wait", Retry_After=1 if number and
                       mode == "busy" else None)
        elif mode == "status":
            self.reply(number, b"<html>no</html>")
        elif mode == "redirect" and number:
            self.reply(302, Location=f"/redirect={number - 1}/{name}")
        elif mode == "loop":
            self.reply(302, Location=self.path)
        elif mode == "tofile":
            self.reply(302, Location="file:///etc/passwd")
        elif mode == "toplain":
            self.reply(302, Location=f"{site.plain}/ok/{name}")
        elif mode == "tohost":
            self.reply(302, Location=f"{site.other}/auth/{name}")
        elif mode == "topass" and query != "fresh":
            self.reply(302, Location=f"/pass/{name}?signature={nth}")
        elif mode == "pass" and nth > 4:
            self.reply(403)
        elif mode == "login" and self.headers["Authorization"] != \
                "Basic " + base64.b64encode(b"user:pass word").decode():
            self.reply(401, WWW_Authenticate='Basic realm="x"')
        elif mode == "auth" and self.headers["Authorization"]:
            self.reply(400)
        elif mode == "portal":
            self.reply(200, b"<html>log in</html>", Content_Type="text/html")
        else:
            self.send_range(mode, number, nth, data, etag)

    def send_range(self, mode, number, nth, data, etag):
        """Ranges, and what can be wrong with them."""
        if mode == "empty":
            data = b""
        if mode in ("change", "weak", "shrink") and nth > number:
            data = data[:len(data) // 2] if mode == "shrink" else \
                data[:-1] + b"X"
            etag = '"changed"'
        if mode == "mirror":
            etag = f'"{nth}"'
        if mode in ("weak", "mirror"):
            etag = "W/" + etag
        match = self.headers["If-Match"]
        if match and match != etag:
            expect(not match.startswith("W/"), "weak If-Match")
            self.reply(412)
            return
        size = len(data)
        want = re.match(r"bytes=(\d*)-(\d*)$", self.headers["Range"] or "")
        if not want or mode == "noranges":
            self.reply(200, data, ETag=etag)
            return
        if want[1] == "":
            if mode in ("nosuffix", "nosuffix400"):
                self.reply(416 if mode == "nosuffix" else 400,
                           Content_Range=f"bytes */{size}")
                return
            first, end = max(0, size - int(want[2])), size
        else:
            first = int(want[1])
            end = min(size, int(want[2] or size) + 1)
        if first >= size:
            self.reply(416, Content_Range=f"bytes */{size}")
            return
        self.send_part(mode, number, nth, data, (first, end), etag)

    def send_part(self, mode, number, nth, data, part, etag):
        """The bytes of a range, or others."""
        first, end = part
        body, size, more = data[first:end], len(data), {}
        where = f"bytes {first}-{end - 1}/{size}"
        if mode == "gzip":
            more["Content_Encoding"] = "gzip"
        elif mode == "wrong":
            where = f"bytes {first + 16}-{end + 15}/{size}"
        elif mode == "unplaced":
            where = None
        elif mode == "sizeless":
            where = f"bytes {first}-{end - 1}/*"
        elif mode == "multipart":
            more["Content_Type"], where = "multipart/byteranges", None
        elif mode == "long":
            body += b"x" * 100
        elif mode == "liar":
            body = bytes(len(body))
        elif mode == "modified":
            more["Last_Modified"] = f"Mon, 01 Jan 2001 00:00:{nth:02} GMT"
        if mode in ("noetag", "modified"):
            etag = None
        cut = None
        if mode == "cut" and nth <= number or mode == "cutalways":
            cut = len(body) // 2
        if mode == "stall" and nth <= number:
            self.note["status"] = 206
            self.send_response(206)
            for name, value in (("Content-Range", where), ("ETag", etag),
                                ("Content-Length", len(body))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body[:10])
            self.wfile.flush()
            time.sleep(8)
            self.close_connection = True
            return
        if mode == "slow":
            time.sleep(number / 1000)
        self.reply(206, body, cut=cut, late=number if mode == "late" else 0,
                   Content_Range=where, ETag=etag, **more)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """A thread for each connection."""

    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        """Clients that go away are no news; what fails inside is."""
        kind = sys.exc_info()[0]
        if not issubclass(kind, (OSError, ssl.SSLError)):
            traceback.print_exc()


class Site:
    """A directory and servers of it; requests are noted."""

    def __init__(self, bindir):
        self.bin = Path(bindir).resolve()
        self.base = Path(tempfile.mkdtemp(prefix="nc3z-remote-"))
        self.more = contextlib.ExitStack()  # that ends before the directory
        self.directory = self.base / "directory"
        self.here = self.base / "here"
        self.directory.mkdir()
        self.here.mkdir()
        self.lock = threading.Lock()
        self.notes, self.counts, self.expired = [], {}, set()
        self.held = {}
        self.on_expired = lambda: None
        self.nopen = self.most_open = self.nproxied = 0
        self.plain = self.serve("127.0.0.1")
        self.other = self.plain.replace("127.0.0.1", "localhost")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.more.close()
        shutil.rmtree(self.base)

    def serve(self, host, certificate=None):
        """Starts a server, gives its URL."""
        server = Server((host, 0), Handler)
        server.site = self
        scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket,
                                                server_side=True)
            scheme = "https"
        self.start(server)
        return f"{scheme}://{host}:{server.server_address[1]}"

    @staticmethod
    def start(server):
        """It ends with the process."""
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def take(self, note):
        """Notes a request; how many there were of this path."""
        path = note["path"].partition("?")[0]
        with self.lock:
            self.notes.append(note)
            self.counts[path] = self.counts.get(path, 0) + 1
            return self.counts[path]

    def read(self, name):
        """A file and its ETag; read once, as long as it is the same."""
        path = self.directory / name
        known = (path.stat().st_mtime_ns, path.stat().st_size)
        with self.lock:
            if self.held.get(name, (None,))[0] != known:
                data = path.read_bytes()
                digest = hashlib.md5(data).hexdigest()
                self.held[name] = (known, data, f'"{digest}"')
            return self.held[name][1:]

    def forget(self):
        """Counts from 0."""
        with self.lock:
            self.notes, self.counts = [], {}
            self.most_open = self.nopen

    def ranges(self):
        """What was asked for, since forget()."""
        return [note["range"] for note in self.notes]

    def run(self, *command, status=0, **environment):
        """Runs a program of the build; its output, after checks of it."""
        done = subprocess.run(
            [self.bin / command[0], *command[1:]], cwd=self.here,
            capture_output=True, timeout=SECONDS_MAX, check=False,
            stdin=subprocess.DEVNULL,
            env=clean_environment(self.base, environment))
        text = done.stdout + done.stderr
        expect(status is None or done.returncode == status,
               *command, "ended with", done.returncode, done.stderr.decode())
        for secret in (b"SECRET", *(k.encode() for k in KEYS.values())):
            expect(secret not in text, *command, "shows", secret)
        return done

    def make(self, name, shape, *options, has_times=False):
        """A classic file of noise in a record variable, and its archive."""
        path = self.directory / name
        path.write_bytes(classic_noise(shape, has_times))
        self.run("nc3compress", "-1", *options, path)
        return path


def clean_environment(home, more):
    """The environment, without what could change the results."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("AWS_", "SSL_CERT_", "CURL_CA")) and
                   not name.lower().endswith("_proxy")}
    environment.update(HOME=str(home), NC3Z_REMOTE_TIMEOUT="30",
                       NC3Z_THREADS="4")
    return {**environment, **more}


def classic_noise(shape, has_times=False):
    """float v(time, lat, lon), with a record dimension; and double time(time).
    """
    nrecords, nlat, nlon = shape
    record = 4 * nlat * nlon
    variables = [Var("v", FLOAT, "time lat lon"), Var("time", DOUBLE, "time")]
    head = ClassicWriter(
        2, (("time", 0), ("lat", nlat), ("lon", nlon)), records=nrecords,
        variables=variables[:1 + has_times]).head()
    values = bytearray(random.Random(1).randbytes(nrecords * record))
    values[::4] = bytes(b & 0x3f for b in values[::4])  # no NaN
    if not has_times:
        return head + values
    return head + b"".join(
        values[i * record:(i + 1) * record] + struct.pack(">d", i)
        for i in range(nrecords))


def main(doc, checks):
    """Runs all checks of a file."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--bin", required=True)
    args = parser.parse_args()
    failed = 0
    with Site(args.bin) as site:
        for check in checks:
            try:
                site.forget()
                check(site)
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print(f"{check.__name__}:")
                traceback.print_exc(file=sys.stdout)
    print(f"{len(checks)} checks, {failed} failed")
    sys.exit(1 if failed else 0)
