#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs nc3view and asks it what a browser asks, and what it must not answer.

usage: check_view.py --bin DIR TESTDATA
"""

import argparse
import base64
import contextlib
import functools
import hashlib
import http.client
import http.server
import os
from pathlib import Path
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

SECONDS_MAX = 60
failed = []


def expect(condition, what):
    """Notes what is not so."""
    if not condition:
        failed.append(what)
        print(f"not so: {what}")


class Viewer:
    """A running nc3view."""

    def __init__(self, program, *arguments, ssh=False, browser="false",
                 user=None, **more):
        environment = {**os.environ, "BROWSER": browser, **more}
        environment.pop("SSH_CONNECTION", None)
        if ssh:
            environment["SSH_CONNECTION"] = "192.0.2.1 1 192.0.2.2 22"
        self.process = subprocess.Popen(
            [program, *arguments], stdout=subprocess.PIPE, env=environment,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            user=user)
        self.address = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.address)
        self.port = parts.port
        self.token = parts.path.split("/")[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.communicate(timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()

    def raw(self, name):
        """The answer to a request for a file."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=SECONDS_MAX)
        connection.request("GET", f"/{self.token}/data/{name}",
                           headers={"Host": f"localhost:{self.port}"})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer

    def ask(self, path, method="GET", **headers):
        """Status, headers and contents of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=SECONDS_MAX)
        headers.setdefault("Host", f"localhost:{self.port}")
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, answer.headers, data

    def data(self, name, **rest):
        """The same of a file."""
        return self.ask(f"/{self.token}/data/{name}", **rest)


def listening_addresses(port):
    """Local addresses, as Linux writes them, that listen at a port."""
    found = []
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(name).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                address, number = fields[1].split(":")
                if int(number, 16) == port and fields[3] == "0A":
                    found.append(address)
    return found


def check_one_file(program, page, archive):
    """Ranges, and nothing but that file."""
    data = archive.read_bytes()
    with Viewer(program, "--page", page, "-n", archive) as v:
        expect(v.address.endswith(
            f"/viewer.html?url=/{v.token}/data/{archive.name}"),
            "the address shows the file")
        expect(len(v.token) >= 20, "the token is long")
        expect(listening_addresses(v.port) in (["0100007F"], []),
               "it listens on 127.0.0.1 alone")
        status, headers, got = v.data(archive.name)
        expect((status, got) == (200, data), "the whole file")
        expect(headers["Accept-Ranges"] == "bytes", "says that it has ranges")
        mark = headers["ETag"]
        status, headers, got = v.data(archive.name, method="HEAD")
        expect((status, got, headers["Content-Length"]) ==
               (200, b"", str(len(data))), "HEAD")
        for text, first, last in (("bytes=0-9", 0, 9), ("bytes=5-5", 5, 5),
                                  ("bytes=10-", 10, len(data) - 1),
                                  ("bytes=-7", len(data) - 7, len(data) - 1),
                                  ("bytes=3-99999999", 3, len(data) - 1)):
            status, headers, got = v.data(archive.name, Range=text)
            expect((status, got) == (206, data[first:last + 1]), text)
            expect(headers["Content-Range"] ==
                   f"bytes {first}-{last}/{len(data)}", f"range of {text}")
            expect(headers["ETag"] == mark, "the same mark")
        status, headers, _ = v.data(archive.name, Range="bytes=999999999-")
        expect((status, headers["Content-Range"]) ==
               (416, f"bytes */{len(data)}"), "beyond the end")
        for name in ("secret.txt", "../" + archive.name, "", "other.nc",
                     "%2e%2e/" + archive.name, "/etc/passwd", "a%00b"):
            expect(v.data(name)[0] == 404, f"not to be seen: {name}")
        path = f"/{v.token}/data/{archive.name}"
        expect(v.ask(path.replace(v.token, "x"))[0] == 404, "wrong token")
        expect(v.ask(path.replace(v.token, ""))[0] == 404, "no token")
        expect(v.ask(path, Host="attacker.example")[0] == 404,
               "a name of others that leads here")
        expect(v.ask(f"/{v.token}/list/")[0] == 404, "no list of one file")
        expect(v.ask(f"/{v.token}/viewer.html")[2] == page.read_bytes(),
               "the page")
        expect(v.ask(f"/{v.token}/coast.js")[0] == 200, "coast.js")
        expect(v.ask(path, method="POST")[0] == 501, "nothing is written")
        v.process.send_signal(signal.SIGINT)
        expect(v.process.wait(SECONDS_MAX) == 0, "ends at Ctrl-C with 0")


def check_directory(program, page, archive, place):
    """Lists archives, all the way down, and nothing else."""
    (place / "below").mkdir()
    shutil.copy(archive, place / "below" / "b#1 ü.nc.nc3z")
    shutil.copy(archive, place / "<script>alert(1).nc3z")
    (place / "none").mkdir()
    outside = place.parent / "outside.nc3z"
    shutil.copy(archive, outside)
    (place / "link.nc3z").symlink_to(outside)
    (place / "up").symlink_to(place.parent)
    with Viewer(program, "--page", page, "-n", place) as v:
        expect(v.address.endswith(f"/{v.token}/list/"), "begins with a list")
        status, headers, got = v.ask(f"/{v.token}/list/")
        text = got.decode()
        expect(status == 200 and f">{archive.name}</a>" in text, "the archive")
        expect("&lt;script&gt;" in text and "<script>" not in text,
               "names are text")
        expect("default-src 'none'" in headers["Content-Security-Policy"],
               "a policy")
        expect("secret" not in text and 'href="up/' not in text,
               "files of other kinds and links to directories")
        status, _, got = v.ask(f"/{v.token}/list/below/")
        link = re.search(r'href="([^"]*url=[^"]*)"', got.decode())
        expect(status == 200 and link, "a list below")
        url = urllib.parse.parse_qs(
            urllib.parse.urlsplit(link[1].replace("&amp;", "&")).query)["url"]
        expect(v.ask(url[0])[2] == archive.read_bytes(),
               "the address in the list leads to the file")
        expect(b"no archives here" not in got and
               v.ask(f"/{v.token}/list/none/")[0] == 200, "an empty one")
        for name in ("secret.txt", "link.nc3z", "up/outside.nc3z",
                     "../outside.nc3z", "below"):
            expect(v.data(urllib.parse.quote(name))[0] == 404,
                   f"not to be seen: {name}")
        got = v.ask(f"/{v.token}/list/?q=%23")[2].decode()
        expect(got.count("url=") == 1 and "below/b#1" in got and
               f"list=/{v.token}/list/below/" in got, "a search below")
        got = v.ask(f"/{v.token}/list/?q=%22%3E%3Cscript%3E")[2].decode()
        expect("<script>" not in got and "no archives" in got,
               "the word is text")
        for name in ("outside", "secret", "link"):
            expect("url=" not in v.ask(
                f"/{v.token}/list/?q={name}")[2].decode(), f"a search: {name}")
        for name in ("../", "up/", "/", "missing/"):
            expect(v.ask(f"/{v.token}/list/{name}")[0] == 404,
                   f"not to be listed: {name}")


def check_odd_names(program, page, archive, base):
    """One name, or one entry that cannot be looked at, hides no other."""
    place, private = base / "odd", base / "private"
    place.mkdir()
    private.mkdir()
    shutil.copy(archive, place / "good.nc3z")
    names = [b"\xff.nc3z", b"a\nb.nc3z", b"http:x.nc3z", b"n" * 250 + b".nc3z"]
    for name in names:
        shutil.copy(archive, os.fsencode(place) + b"/" + name)
    (place / os.fsdecode(b"below-\xfe")).mkdir()
    (place / "javascript:0").mkdir()
    (place / "circle").symlink_to("circle")
    (place / "denied.nc3z").symlink_to(private / "x" / "y")
    outside = base / "elsewhere.nc3z"
    shutil.copy(archive, outside)
    (place / "elsewhere.nc3z").symlink_to(outside)
    private.chmod(0)
    user = None
    if os.getuid() == 0:
        # Who may not go where the program is.
        user, program = 65534, shutil.copy(program, base)
        for directory in base, place:
            directory.chmod(0o755)
    with Viewer(program, "--page", page, "-n", place, user=user,
                HOME="/nonexistent") as v:
        status, _, got = v.ask(f"/{v.token}/list/")
        text = got.decode()
        expect(status == 200 and ">good.nc3z</a>" in text, "the good one")
        urls = re.findall(r'url=([^"&]*)', text)
        expect(len(urls) == 1 + len(names), f"all archives: {urls}")
        for url in urls:
            expect(v.ask(urllib.parse.unquote(url))[2] == archive.read_bytes(),
                   f"{url} leads to the file")
        expect("elsewhere" not in text and "denied" not in text,
               "links that lead nowhere")
        below = re.findall(r'href="(\./[^"]*)"', text)
        expect(len(below) == 2 and all(
            v.ask(f"/{v.token}/list/{href[2:]}")[0] == 200 for href in below),
            f"directories: {below}")
    private.chmod(0o700)


def check_browser(program, page, archive, base):
    """The address is in no command line, and its file is nobody else's."""
    said, home = base / "said", base / "home"
    home.mkdir()
    browser = base / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >{said}.new\n'
                       f"mv {said}.new {said}\n")
    browser.chmod(0o755)
    with Viewer(program, "--page", page, archive, browser=f"{browser} %s",
                HOME=str(home)) as v:
        for _ in range(SECONDS_MAX * 20):
            if said.exists():
                break
            time.sleep(0.05)
        argument = said.read_text().strip()
        expect(v.token not in argument and argument.startswith("file://"),
               f"the browser got {argument}")
        file = Path(urllib.parse.unquote(urllib.parse.urlsplit(argument).path))
        text = file.read_text("utf-8").replace("&amp;", "&")
        expect(f"url={v.address}" in text,
               "the file leads to the address")
        expect((file.stat().st_mode | file.parent.stat().st_mode) & 0o77 == 0,
               "the file is private")
        v.process.send_signal(signal.SIGTERM)
        v.process.wait(SECONDS_MAX)
        expect(not list(home.iterdir()), "it is gone")


def check_large(program, page, archive, place):
    """Offsets beyond 4 GiB."""
    large = place / "large.nc3z"
    shutil.copy(archive, large)
    with open(large, "r+b") as file:
        file.seek(5 << 30)
        file.write(b"end")
    with Viewer(program, "--page", page, "-n", large) as v:
        offset = 5 << 30
        status, headers, got = v.data(
            large.name, Range=f"bytes={offset}-{offset + 2}")
        expect((status, got) == (206, b"end"), "5 GiB into a file")
        expect(headers["Content-Range"].endswith(f"/{offset + 3}"), "its size")
    large.unlink()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that has ranges, for one file at a time."""

    login = None

    def do_GET(self):
        Quiet.login = self.headers.get("Authorization")
        path = Path(self.translate_path(self.path))
        match = re.fullmatch(r"bytes=(\d+)-(\d+)",
                             self.headers.get("Range", ""))
        if not match or not path.is_file():
            super().do_GET()
            return
        data = path.read_bytes()
        part = data[int(match[1]):int(match[2]) + 1]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {match[1]}-"
                         f"{int(match[1]) + len(part) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(part)))
        self.send_header("ETag", '"mark"')
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *_):
        pass


class NoRanges(http.server.SimpleHTTPRequestHandler):
    """A server that sends whole files."""

    def log_message(self, *_):
        pass


def check_nothing_to_show(program, page, archive, url):
    """URLs that end the program: the message names them and the reason."""
    (archive.parent / "other.txt").write_text("no archive")
    no_ranges = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0),
        functools.partial(NoRanges, directory=str(archive.parent)))
    threading.Thread(target=no_ranges.serve_forever, daemon=True).start()
    other = f"http://127.0.0.1:{no_ranges.server_address[1]}/{archive.name}"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    closed = f"http://127.0.0.1:{port}/x.nc3z"
    try:
        for target, shown, reason in (
                (url + "x", url + "x", "the server answers 404 "),
                (url.replace(archive.name, "other.txt"),
                 url.replace(archive.name, "other.txt"), "neither an nc3z"),
                (other, other, "the server does not support range requests"),
                (closed.replace("//", "//user:SECRET@") + "?SECRET", closed,
                 "cannot be reached: Connection refused")):
            done = subprocess.run(
                [program, "--page", page, "-n", target], capture_output=True,
                text=True, check=False, timeout=SECONDS_MAX,
                stdin=subprocess.DEVNULL)
            expect(done.returncode == 1 and done.stdout == "" and
                   done.stderr.startswith(f"nc3view: {shown}: {reason}"),
                   f"{target}: {done}")
    finally:
        no_ranges.shutdown()
        no_ranges.server_close()


def check_remote(program, page, archive):
    """A file on another server, and no other file of it."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0),
        functools.partial(Quiet, directory=str(archive.parent)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/{archive.name}"
    data = archive.read_bytes()
    try:
        with Viewer(program, "--page", page, "-n", url) as v:
            status, headers, got = v.data(archive.name, Range="bytes=8-99")
            expect((status, got) == (206, data[8:100]), "a range relayed")
            expect(headers["ETag"] == '"mark"' and
                   headers["Content-Range"] == f"bytes 8-99/{len(data)}",
                   "what the other server says of it")
            status, headers, _ = v.data(archive.name, method="HEAD")
            expect((status, headers["Content-Length"]) ==
                   (200, str(len(data))), "HEAD relayed")
            expect(v.data("secret.txt")[0] == 404, "no other file")
        login = url.replace("http://", "HTTP://us%20er:SECRET@")
        with Viewer(program, "--page", page, "-n",
                    login + "?SECRET#SECRET") as v:
            expect(v.data(archive.name)[2] == data, "with a password")
            expect(Quiet.login == "Basic " + base64.b64encode(
                b"us er:SECRET").decode(), "the password")
            expect("SECRET" not in v.address, "it is not shown")
        check_nothing_to_show(program, page, archive, url)
        with Viewer(program, "--page", page, "-n",
                    login + "?SECRET#SECRET") as v:
            archive.rename(archive.with_suffix(".gone"))
            answer = v.raw(archive.name)
            archive.with_suffix(".gone").rename(archive)
            expect(answer.status == 404 and
                   answer.reason.startswith(f"{url}: the server answers 404 "),
                   f"404 relayed: {answer.reason}")
            server.shutdown()
            server.server_close()
            answer = v.raw(archive.name)
            expect((answer.status, answer.reason) == (502, f"{url}: cannot be "
                   "reached: Connection refused"), f"{answer.reason}")
            v.process.terminate()
            expect(v.process.communicate()[1] == "", "a traceback")
    finally:
        server.shutdown()
        server.server_close()


def check_command_line(program, page, archive, place):
    """Messages and statuses."""
    def run(*arguments):
        done = subprocess.run([program, *arguments], capture_output=True,
                              text=True, check=False, timeout=SECONDS_MAX,
                              stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr

    status, out, _ = run("--help")
    expect(status == 0 and "--bind" in out, "--help")
    status, out, _ = run("--version")
    expect(status == 0 and re.fullmatch(r"nc3view \d+\.\d+\.\d+\n", out),
           "--version")
    expect(run()[0] == 2 and run("--what")[0] == 2, "wrong usage")
    status, _, err = run("--page", page, "missing.nc3z")
    expect(status == 1 and "missing.nc3z: no such file" in err, "no file")
    for name in ("http://user:SECRET@", "http://user:SECRET/x",
                 "http://host:SECRET/x?SECRET", "ftp://user:SECRET@h/x",
                 "s3://KEY:SECRET@bucket/x", "https://?SECRET",
                 "http://h/a b?SECRET", "http://user:SECRET@ho\u2100st/x",
                 "http://user:SECRET@[bad/x"):
        status, out, err = run("--page", page, name)
        expect(status == 1 and "SECRET" not in out + err and
               err.count("\n") == 1, name)
    status, _, err = run("--page", page, place / "secret.txt")
    expect(status == 1 and "neither an nc3z archive" in err, "another file")
    status, _, err = run("--page", place / "no.html", archive)
    expect(status == 1 and "no such page" in err, "no page")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, _, err = run("--page", page, "-p",
                             str(taken.getsockname()[1]), archive)
        expect(status == 1 and "cannot listen" in err, "a port that is taken")
    with Viewer(program, "--page", page, archive, ssh=True) as v:
        v.process.stdout.readline()
        line = v.process.stdout.readline()
        expect(f"ssh -L {v.port}:127.0.0.1:{v.port} " in line,
               "the line for ssh")
    with Viewer(program, "--page", page, archive) as v:
        expect("no browser here" in v.process.stderr.readline(),
               "a browser that does not start")


def main():
    """Runs all checks in a directory of their own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("testdata", type=Path)
    args = parser.parse_args()
    program = args.bin / "nc3view"
    classic = sorted(args.testdata.glob("cdf1-all-types.nc"))[0]
    with tempfile.TemporaryDirectory(prefix="nc3z-view-") as name:
        base = Path(name)
        place = base / "place"
        place.mkdir()
        page = base / "viewer.html"
        page.write_text("<!doctype html><title>the page</title>")
        (base / "coast.js").write_text("0")
        archive = place / "x.nc.nc3z"
        subprocess.run([args.bin / "nc3compress", "-k", classic, "-o",
                        archive], check=True)
        (place / "secret.txt").write_text("nobody's business")
        shutil.copy(classic, place / "other.nc")
        before = hashlib.sha256(archive.read_bytes()).hexdigest()
        check_one_file(program, page, archive)
        check_directory(program, page, archive, place)
        check_odd_names(program, page, archive, base)
        check_browser(program, page, archive, base)
        check_large(program, page, archive, place)
        check_remote(program, page, archive)
        check_command_line(program, page, archive, place)
        expect(hashlib.sha256(archive.read_bytes()).hexdigest() == before,
               "the archive is as it was")
    print(f"{len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
