#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""More that servers and networks do: each is got over or has a message."""

import re
import socket
import subprocess
import time

from far_site import clean_environment, expect, Handler, main, Server

NAME = "a.nc"


def span_of(handler, data):
    """First byte and end of what was asked for."""
    first, last = re.match(r"bytes=(\d*)-(\d*)$",
                           handler.headers["Range"]).groups()
    if not first:
        return len(data) - int(last), len(data)
    return int(first), min(len(data), int(last or len(data)) + 1)


def times_of(handler, what):
    """How many requests have been the same in this."""
    with handler.server.site.lock:
        return sum(note[what] == handler.note[what]
                   for note in handler.server.site.notes)


def answer(handler, data, first, end, etag, **more):
    """A part, as it should be."""
    handler.reply(206, data[first:end], ETag=etag,
                  Content_Range=f"bytes {first}-{end - 1}/{len(data)}", **more)


def drop(handler, number, nth, data, etag):
    """No status: the connection ends."""
    if nth <= number:
        handler.note["status"] = 0
        handler.close_connection = True
        return
    answer(handler, data, *span_of(handler, data), etag)


def short(handler, number, _, data, etag):
    """At most so many bytes of what was asked for, and it says so."""
    first, end = span_of(handler, data)
    if not handler.headers["Range"].startswith("bytes=-"):
        end = min(end, first + number)
    answer(handler, data, first, end, etag)


def early(handler, number, _, data, etag):
    """Each answer ends after so many bytes."""
    first, end = span_of(handler, data)
    handler.note["status"] = 206
    handler.send_response(206)
    for name, value in (("Content-Range", f"bytes {first}-{end - 1}/"
                         f"{len(data)}"), ("ETag", etag),
                        ("Content-Length", end - first)):
        handler.send_header(name, str(value))
    handler.end_headers()
    handler.wfile.write(data[first:min(end, first + number)])
    handler.close_connection = True


def leased(handler, number, nth, _, __):
    """Redirects to what is good for one request, which ends early."""
    handler.reply(302, Location=f"/lease={number}/{NAME}.nc3z?SECRET={nth}")


def lease(handler, number, _, data, etag):
    """Where it leads."""
    if times_of(handler, "path") > 1:
        handler.reply(403)
        return
    early(handler, number, None, data, etag)


def silent(handler, *_):
    """No answer."""
    time.sleep(20)
    handler.close_connection = True


def surplus(handler, _, __, data, etag):
    """More bytes than it says, of any length."""
    first, end = span_of(handler, data)
    handler.reply(206, data[first:end] + b"x" * 100, Content_Length=None,
                  Content_Range=f"bytes {first}-{end - 1}/{len(data)}",
                  ETag=etag, Connection="close")
    handler.close_connection = True


def suffix(handler, number, _, data, etag):
    """Ranges from the end are not understood, in several ways."""
    if not handler.headers["Range"].startswith("bytes=-"):
        answer(handler, data, *span_of(handler, data), etag)
    elif number == 200:
        handler.reply(200, data, ETag=etag)
    elif number == 206:  # takes "bytes=-N" for "bytes=0-N"
        n = int(handler.headers["Range"][len("bytes=-"):])
        answer(handler, data, 0, n + 1, etag)
    else:
        handler.reply(number, b"no")


def strict(handler, _, __, data, etag):
    """Has no part that ends after the object."""
    last = re.match(r"bytes=(\d*)-(\d*)$", handler.headers["Range"]).groups()
    if last[0] and int(last[1] or 0) >= len(data) or \
            not last[0] and int(last[1]) > len(data):
        handler.reply(416, Content_Range=f"bytes */{len(data)}")
        return
    answer(handler, data, *span_of(handler, data), etag)


def nodes(handler, number, nth, data, _):
    """Two servers of one name, each with its own ETag."""
    etag, match = f'"{nth % 2}"', handler.headers["If-Match"]
    if number == 412 and match not in (None, etag):
        handler.reply(412)
        return
    answer(handler, data, *span_of(handler, data), etag, Last_Modified=None
           if number == 1 else f"Mon, 01 Jan 2001 00:00:"
           f"{nth if number == 2 else 0:02} GMT")


def packed(handler, _, __, data, etag):
    """The whole, encoded, although that was not asked for."""
    handler.reply(200, data, ETag=etag, Content_Encoding="gzip")


def trickle(handler, _, __, data, etag):
    """A byte now and then."""
    first, end = span_of(handler, data)
    handler.note["status"] = 206
    handler.send_response(206)
    for name, value in (("Content-Range", f"bytes {first}-{end - 1}/"
                         f"{len(data)}"), ("ETag", etag),
                        ("Content-Length", end - first)):
        handler.send_header(name, str(value))
    handler.end_headers()
    try:
        for at in range(first, min(end, first + 80)):
            handler.wfile.write(data[at:at + 1])
            time.sleep(0.1)
    except OSError:
        pass
    handler.close_connection = True


def huge(handler, _, __, data, etag):
    """Headers without end."""
    answer(handler, data, *span_of(handler, data), etag,
           **{f"X_{i}": "x" * 4000 for i in range(1000)})


def twice(handler, _, __, data, etag):
    """Says in two ways which part it is."""
    first, end = span_of(handler, data)
    answer(handler, data, first, end, etag,
           content_range=f"bytes 1-{end - first}/{len(data)}")


def cookie(handler, _, __, data, etag):
    """Asks once, by a redirect to itself, for a cookie that it gives."""
    if "seen=1" not in (handler.headers["Cookie"] or ""):
        handler.reply(302, Location=handler.path, Set_Cookie="seen=1; Path=/")
        return
    answer(handler, data, *span_of(handler, data), etag)


def refuse(handler, _, __, data, etag):
    """Not the range at 100,000, once; that at 300,000 after a while."""
    first, end = span_of(handler, data)
    if first == 100000 and times_of(handler, "range") == 1:
        handler.reply(404)
        return
    time.sleep(first == 300000)
    answer(handler, data, first, end, etag)


Handler.more = {f.__name__: f for f in (
    drop, short, early, leased, lease, silent, surplus, suffix, strict, nodes,
    packed, trickle, huge, twice, cookie, refuse)}


def url(site, mode):
    """The archive, by a user with a password."""
    host = site.plain.replace("://", "://user:SECRET@")
    return f"{host}/{mode}/{NAME}.nc3z?SECRET#SECRET"


def succeeds(site, mode, **environment):
    """The right bytes and values come out."""
    site.forget()
    done = site.run("nc3compress", "-dc", url(site, mode), **environment)
    expect(done.stdout == (site.directory / NAME).read_bytes(), mode)
    site.forget()
    site.run("remote_reader", "get", url(site, mode),
             site.directory / f"{NAME}.nc3z", "0", "0,45,100", "64,1,1",
             **environment)


def fails(site, mode, why, **environment):
    """One line says what and why; nothing is written."""
    site.forget()
    for command in (["nc3dump", "-h"], ["nc3compress", "-d"]):
        done = site.run(*command, url(site, mode), status=1, **environment)
        text = done.stderr.decode()
        expect(f"{site.plain}/{mode}/{NAME}.nc3z: " in text and
               re.search(why, text) and text.count("\n") == 1, mode, text)
        expect(not done.stdout and not list(site.here.iterdir()), mode)
        for first, last in re.findall(r"bytes (\d+) to (\d+)", text):
            expect(int(first) <= int(last), mode, text)


def check_no_answer(site):
    """Connections that end, at first or always."""
    site.make(NAME, (64, 90, 180), "--chunks=v:16,30,60")
    succeeds(site, "drop=2")
    fails(site, "drop=99", "5 times")


def check_progress(site):
    """Only failures without a byte between them are counted; and what was
    done once to get there may be done again."""
    succeeds(site, "early=300000")
    fails(site, "early=1000", "5 times")
    done = site.run("nc3compress", "-dc", url(site, "leased=300000"))
    expect(done.stdout == (site.directory / NAME).read_bytes(), "leased")


def check_silent(site):
    """The setting is a bound: the server is asked twice."""
    begin = time.monotonic()
    site.run("nc3dump", "-h", url(site, "silent"), status=1,
             NC3Z_REMOTE_TIMEOUT="4")
    seconds = time.monotonic() - begin
    expect(3 < seconds < 8, seconds)
    done = site.run("nc3compress", "-t", url(site, "silent"), status=1,
                    NC3Z_REMOTE_TIMEOUT="2")
    expect(b" (tried 2 times) (NC3Z_REMOTE_TIMEOUT)" in done.stderr,
           done.stderr)


def check_surplus(site):
    """The message has a range that is one."""
    fails(site, "surplus", "bytes .*sends more than it says")


def check_ends(site):
    """Ranges from the end, and over the end."""
    for status in 200, 206, 400, 405, 416, 501:
        succeeds(site, f"suffix={status}")
    site.make("tiny.nc", (1, 10, 10))
    for command in ["nc3dump", "-h"], ["nc3compress", "-t"]:
        site.run(*command, f"{site.plain}/strict/tiny.nc.nc3z")
    succeeds(site, "strict")


def check_nodes(site):
    """Servers of one name with different ETags: versions are told apart by
    date if that is wished, never by nothing."""
    get = ["remote_reader", "get"]
    rest = [site.directory / f"{NAME}.nc3z", "0", "0,0,0", "64,90,180"]
    for mode in "nodes", "nodes=412":
        site.forget()
        done = site.run(*get, url(site, mode), *rest, status=1)
        expect(b"changed while it was read: its ETag differs "
               b"(NC3Z_REMOTE_ETAG=off" in done.stderr, done.stderr)
        succeeds(site, mode, NC3Z_REMOTE_ETAG="off")
        expect(all("If-Match" not in note["headers"] for note in site.notes),
               "If-Match")
    fails(site, "nodes=1", "no Last-Modified", NC3Z_REMOTE_ETAG="off")
    site.forget()
    done = site.run(*get, url(site, "nodes=2"), *rest, status=1,
                    NC3Z_REMOTE_ETAG="off")
    expect(b"changed while it was read" in done.stderr and
           b"ETag" not in done.stderr, done.stderr)


def check_packed(site):
    """The reason is the encoding, with a part or with the whole."""
    fails(site, "packed", r"encodes what it sends \(Content-Encoding\)")


def check_waits(site):
    """Processes that fail together do not come back together."""
    programs = [subprocess.Popen(
        [site.bin / "nc3compress", "-t",
         f"{site.plain}/status=500/{NAME}.nc3z?{i}"],
        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=clean_environment(site.base, {})) for i in range(8)]
    for program in programs:
        expect(program.wait(60) == 1, program.returncode)
    waits = []
    for i in range(len(programs)):
        times = [note["time"] for note in site.notes
                 if note["path"].endswith(f"?{i}")]
        expect(len(times) == 5, times)
        waits.append(times[4] - times[3])
    expect(max(waits) - min(waits) > 0.2, waits)


def check_statuses(site):
    """Those that pass are tried five times; others once.  Only requests of
    this status count: the server may take up the last one of the run before
    when that run is over."""
    for status, n in ((408, 10), (429, 10), (500, 10), (502, 10), (503, 10),
                      (504, 10), (400, 2), (404, 2), (405, 2), (501, 2)):
        site.forget()
        site.run("nc3dump", "-h", url(site, f"status={status}"), status=1)
        count = site.counts.get(f"/status={status}/{NAME}.nc3z", 0)
        expect(count <= n, status, count)
        expect(n < 10 or count >= 5, status, count)


def check_failed_before(site):
    """What was announced, and failed before it is read, is not asked for
    again when it is read, but the next time."""
    site.forget()
    site.run("remote_reader", "failed", url(site, "refuse"),
             site.directory / f"{NAME}.nc3z")
    expect(site.ranges().count("bytes=100000-100008") == 2, site.ranges())


def check_retry_after(site):
    """The server says when to come again."""
    begin = time.monotonic()
    site.run("nc3dump", "-h", url(site, "busy=2"))
    expect(time.monotonic() - begin >= 1, "was not waited for")


def check_short(site):
    """Less than was asked for: the rest is asked for, at once.  Next to
    nothing is a failure."""
    succeeds(site, "short=30000")
    site.forget()
    site.run("nc3compress", "-dc", url(site, "short=30000"))
    size = (site.directory / f"{NAME}.nc3z").stat().st_size
    expect(len(site.notes) == -(-size // 30000), len(site.notes), size)
    fails(site, "short=1000", r"too little \(tried 5 times\)")


def check_trickle(site):
    """Too slow is as good as not at all, after a bounded time."""
    begin = time.monotonic()
    fails(site, "trickle", "5 times|slow|timed? ?out",
          NC3Z_REMOTE_TIMEOUT="1")
    expect(time.monotonic() - begin < 100, time.monotonic() - begin)


def check_headers(site):
    """Too many of them, and some that contradict each other."""
    fails(site, "huge", "header|5 times|large")
    fails(site, "twice", "which part|makes no sense|another part|two")


def check_cookie(site):
    """Kept in memory for the process."""
    succeeds(site, "cookie")


def check_ipv6(site):
    """An address in brackets."""
    class Server6(Server):
        """On another loopback."""
        address_family = socket.AF_INET6
    try:
        server = Server6(("::1", 0), Handler)
    except OSError as error:
        print("skipped: no IPv6:", error)
        return
    server.site = site
    site.start(server)
    host = f"http://[::1]:{server.server_address[1]}"
    done = site.run("nc3compress", "-dc", f"{host}/ok/{NAME}.nc3z")
    expect(done.stdout == (site.directory / NAME).read_bytes(), "IPv6")


def check_no_descriptors(site):
    """A process that may open no more files says so, and ends."""
    for n in range(3, 14):
        done = subprocess.run(
            # by a shell: the servers here have threads, beside which Python
            # runs nothing safely between fork() and exec()
            ["sh", "-c", f'ulimit -n {n} && exec "$0" "$@"',
             site.bin / "nc3compress", "-dc", f"{site.plain}/ok/{NAME}.nc3z"],
            capture_output=True, timeout=60, check=False, cwd=site.here,
            stdin=subprocess.DEVNULL, env=clean_environment(site.base, {}))
        if done.returncode == 0:
            expect(done.stdout == (site.directory / NAME).read_bytes(), n)
        else:
            expect(done.returncode == 1 and done.stderr and not done.stdout
                   or done.returncode == 127, n, done)


def check_interrupted(site):
    """A program that is stopped while it waits leaves nothing behind."""
    with subprocess.Popen(
            [site.bin / "nc3compress", "-d", url(site, "slow=3000")],
            cwd=site.here, stdin=subprocess.DEVNULL,
            env=clean_environment(site.base, {})) as program:
        time.sleep(0.7)
        program.terminate()
        expect(program.wait(10) == -15, program.returncode)
    expect(not list(site.here.iterdir()), "left something")


if __name__ == "__main__":
    main(__doc__, [check_no_answer, check_progress, check_silent,
                   check_surplus, check_ends, check_nodes, check_packed,
                   check_waits, check_statuses, check_failed_before,
                   check_retry_after, check_short, check_trickle,
                   check_headers, check_cookie, check_ipv6,
                   check_no_descriptors, check_interrupted])
