#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What servers can do wrong: retried, refused, or got over; never a wrong
value, never a secret in a message, nothing written."""

import os
import re
import subprocess
import threading

from far_site import expect, main

NAME = "a.nc"


def url(site, mode, more=""):
    """The archive, with things in its URL that are nobody's business."""
    host = site.plain.replace("://", "://user:SECRET@")
    return f"{host}/{mode}/{NAME}.nc3z?SECRET=1{more}#SECRET"


def succeeds(site, mode, minimum=0):
    """The right original comes out."""
    site.forget()
    done = site.run("nc3compress", "-dc", url(site, mode))
    expect(done.stdout == (site.directory / NAME).read_bytes(), mode, "bytes")
    expect(len(site.notes) > minimum, mode, site.ranges())
    site.forget()
    site.run("remote_reader", "get", url(site, mode),
             site.directory / f"{NAME}.nc3z", "0", "0,0,0", "64,90,180")
    expect(len(site.notes) > minimum, mode, site.ranges())


def fails(site, mode, pattern, status=1, **environment):
    """A message with the URL, the reason; the exit status; nothing written."""
    site.forget()
    for command in (["nc3dump", "-h"], ["nc3compress", "-d"]):
        done = site.run(*command, url(site, mode), status=status,
                        **environment)
        text = done.stderr.decode()
        expect(re.search(pattern, text), mode, "says", text)
        expect(f"{site.plain}/{mode}/{NAME}.nc3z: " in text, mode, text)
        expect(text.count("\n") == 1, mode, text)
        expect(not done.stdout, mode, done.stdout[:99])
        expect(not list(site.here.iterdir()), mode, "has written something")


def check_well(site):
    """No failure, as the measure of all others."""
    site.make(NAME, (64, 90, 180), "--chunks=v:16,30,60")
    succeeds(site, "ok")
    succeeds(site, "noetag")
    for note in site.notes:
        expect(note["headers"]["Accept-Encoding"] == "identity", note)
        expect("SECRET" not in note["path"].partition("?")[0], note)


def check_retries(site):
    """Failures that pass."""
    for mode in "busy=2", "limit=2", "broken=2", "bad=1":
        succeeds(site, mode, 1)


def check_cut(site):
    """A body that ends early is continued, not begun again."""
    succeeds(site, "cut=3", 3)
    site.forget()
    site.run("nc3compress", "-t", url(site, "cut=2"))
    asked = [int(re.match(r"bytes=(\d+)-", r)[1]) for r in site.ranges()]
    expect(len(asked) == 3 and asked[0] == 0, asked)
    expect(0 < asked[1] < asked[2], asked)
    for note in site.notes[1:]:
        expect(note["headers"].get("If-Match"), "no If-Match", note)


def check_suffix(site):
    """Servers that do not count from the end."""
    succeeds(site, "nosuffix")
    succeeds(site, "nosuffix400")


def check_redirects(site):
    """Five at most; what a redirect leads to is used on."""
    succeeds(site, "redirect=5", 5)
    fails(site, "redirect=6", "redirects without end")
    fails(site, "loop", "redirects without end")
    fails(site, "tofile", "redirects to a URL that is not http or https")
    site.forget()
    site.run("remote_reader", "get", url(site, "redirect=1"),
             site.directory / f"{NAME}.nc3z", "0", "0,45,100", "64,1,1")
    first = [n for n in site.notes if "redirect=1" in n["path"]]
    expect(len(first) == 2, "went back", len(first), "times")


def check_passes(site):
    """Where a redirect leads is good for four requests, then asked anew."""
    site.run("remote_reader", "get",
             f"{site.plain}/topass/{NAME}.nc3z",
             site.directory / f"{NAME}.nc3z", "0", "0,45,100", "64,1,1",
             status=None)
    statuses = [n["status"] for n in site.notes]
    expect(403 in statuses, statuses)
    after = [n["path"] for n in site.notes][statuses.index(403) + 1:]
    expect(any("topass" in path for path in after), after)


def check_other_host(site):
    """Users and passwords are for the host that they were given for."""
    site.run("nc3compress", "-t", url(site, "tohost"))
    notes = [n for n in site.notes if "/auth/" in n["path"]]
    expect(notes and all("Authorization" not in n["headers"]
                         for n in notes), "sent on")
    login = url(site, "login").replace("SECRET@", "pass%20word@")
    login = login.replace("?SECRET=1", "").replace("#SECRET", "")
    site.run("nc3compress", "-t", login)
    bare = site.plain.replace("://", "://:token@")
    site.forget()
    site.run("nc3dump", "-h", f"{bare}/empty/{NAME}.nc3z", status=1)
    expect(site.notes[0]["headers"]["Authorization"] == "Basic OnRva2Vu")
    fails(site, "empty", "the file is empty")
    netrc = site.base / ".netrc"
    netrc.write_text('machine 127.0.0.1 login user password "pass word"\n')
    netrc.chmod(0o600)
    site.run("nc3compress", "-t", f"{site.plain}/login/{NAME}.nc3z")
    netrc.unlink()
    fails(site, "login", r"access denied, or no such object \(401\)")


def check_refusals(site):
    """Answers that cannot be trusted."""
    for mode, why in {
            "gzip": "encodes what it sends",
            "wrong": "another part|makes no sense",
            "unplaced": "does not say which part",
            "sizeless": "does not say how long",
            "multipart": "several parts", "status=204": "204",
            "status=403": r"access denied, or no such object \(403\)",
            "status=404": "there is no such object",
            "status=410": "there is no such object",
            "status=418": "418", "status=301": "redirects to nowhere",
            "bad": r"502 \(tried 5 times\)", "cutalways": "5 times"}.items():
        fails(site, mode, why)
    fails(site, "long", "two different lengths")
    # as long as it is short, a page of a portal is what is there
    fails(site, "portal", "not a netCDF classic file|not an nc3z archive")


def check_no_ranges(site):
    """Small objects are taken whole, large ones only to be restored."""
    site.make("tiny.nc", (1, 10, 10))
    done = site.run("nc3compress", "-dc",
                    f"{site.plain}/noranges/tiny.nc.nc3z")
    expect(done.stdout == (site.directory / "tiny.nc").read_bytes(), "tiny")
    site.run("nc3dump", "-h", f"{site.plain}/noranges/tiny.nc.nc3z")
    done = site.run("nc3compress", "-dc", url(site, "noranges"))
    expect(done.stdout == (site.directory / NAME).read_bytes(), "restored")
    site.forget()
    done = site.run("nc3dump", "-h", url(site, "noranges"), status=1)
    expect(b"does not support range requests" in done.stderr, done.stderr)


def check_changes(site):
    """Bytes of two versions never meet."""
    for mode in ("change=2", "weak=2", "shrink=2", "modified", "mirror"):
        site.forget()
        done = site.run("remote_reader", "get", url(site, mode),
                        site.directory / f"{NAME}.nc3z", "0", "0,0,0",
                        "64,90,180", status=1)
        expect(b"changed while it was read" in done.stderr, mode,
               done.stderr)


def check_liar(site):
    """Wrong bytes are found by the archive's own checks."""
    fails(site, "liar", "zeros where a")


def check_stall(site):
    """A server that falls silent is left after the time that was set."""
    site.forget()
    site.run("nc3compress", "-t", url(site, "stall=1"),
             NC3Z_REMOTE_TIMEOUT="1")
    expect(len(site.notes) == 2, site.ranges())


def check_dead(site):
    """No server, no host, no certificate, no permission to look."""
    dead = "http://127.0.0.1:9/SECRET"
    done = site.run("nc3dump", "-h", dead.replace("SECRET", "x"), status=1)
    expect(b"connect" in done.stderr and b"5 times" in done.stderr,
           done.stderr)
    done = site.run("nc3dump", "-h", f"{site.plain}/ok/{NAME}.nc3z", status=1,
                    NC3Z_REMOTE="off")
    expect(b"NC3Z_REMOTE=off" in done.stderr, done.stderr)
    expect(not site.notes, "was asked")
    done = site.run("nc3dump", "-h", "http://", status=1)
    expect(b"not a URL with a valid host" in done.stderr, done.stderr)


def certificate(site):
    """Made by the openssl program, for loopback; one file with the key."""
    key, cert = site.base / "key.pem", site.base / "cert.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
                    "-keyout", key, "-out", cert, "-days", "2", "-subj",
                    "/CN=localhost", "-addext",
                    "subjectAltName=IP:127.0.0.1,DNS:localhost"],
                   check=True, capture_output=True)
    both = site.base / "both.pem"
    both.write_text(key.read_text() + cert.read_text())
    return cert, both


def check_tls(site):
    """Certificates count; nothing leads from https to http."""
    cert, both = certificate(site)
    secure = site.serve("127.0.0.1", both)
    for variable in "CURL_CA_BUNDLE", "SSL_CERT_FILE":
        done = site.run("nc3compress", "-dc", f"{secure}/ok/{NAME}.nc3z",
                        **{variable: str(cert)})
        expect(done.stdout == (site.directory / NAME).read_bytes(), variable)
    done = site.run("nc3dump", "-h", f"{secure}/ok/{NAME}.nc3z", status=1)
    expect(b"certificate" in done.stderr, done.stderr)
    done = site.run("nc3dump", "-h", f"{secure}/toplain/{NAME}.nc3z",
                    status=1, CURL_CA_BUNDLE=str(cert))
    expect(b"redirects from https to http" in done.stderr, done.stderr)


def check_proxy(site):
    """Proxies as curl has them."""
    site.run("nc3compress", "-t", f"http://far.invalid/ok/{NAME}.nc3z",
             http_proxy=site.plain)
    expect(site.nproxied == 1, site.nproxied)


def check_log(site):
    """A line for each request, without secrets."""
    done = site.run("nc3dump", "-h", url(site, "ok"), NC3Z_REMOTE_LOG="1")
    lines = [line for line in done.stderr.decode().splitlines()
             if line.startswith(f"nc3z-remote: {site.plain}/ok/")]
    expect(len(lines) == 2 and all(" 206, " in line for line in lines), lines)


def check_names(site):
    """Names with anything in them."""
    for name in "a b+c=d.nc", "\u00e9\u4e2d.nc", "50%.nc", "x#y?z.nc":
        source = site.directory / NAME
        (site.directory / f"{name}.nc3z").write_bytes(
            (site.directory / f"{source.name}.nc3z").read_bytes())
        shown = name.replace("%", "%25").replace("#", "%23")
        shown = shown.replace("?", "%3f")
        site.run("nc3compress", "-t", f"{site.plain}/ok/{shown}.nc3z")


def check_threads_and_storms(site):
    """Eight readers while the server is busy now and then."""
    timer = threading.Timer(60, os._exit, (3,))
    timer.start()
    site.run("remote_reader", "threads",
             f"{site.plain}/limit=3/{NAME}.nc3z",
             site.directory / f"{NAME}.nc3z")
    timer.cancel()


if __name__ == "__main__":
    main(__doc__, [check_well, check_retries, check_cut, check_suffix,
                   check_redirects, check_passes, check_other_host,
                   check_refusals, check_no_ranges, check_changes,
                   check_liar, check_stall, check_dead, check_tls,
                   check_proxy, check_log, check_names,
                   check_threads_and_storms])
