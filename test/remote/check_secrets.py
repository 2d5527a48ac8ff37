#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No user, password, query or fragment of a URL, and no key, in anything that
programs print or write: Site.run() looks for SECRET in the output of each."""

from far_site import expect, main

NAME = "a.nc"
# What is no host may be a part of a password, as may what looks like a port.
BROKEN = ("http://user:SECRET@", "http://user:SECRET@bad host/x.nc.nc3z",
          "http://user:SECRET@h:99999999/x.nc.nc3z",
          "http://user:SECRET/word@h/x.nc.nc3z", "http://h:SECRET?x@SECRET",
          "http://user:SECRET#x@h/x.nc.nc3z", "https://?SECRET",
          "s3://KEY:SECRET@bucket/x.nc.nc3z", "S3://KEY:SECRET@bucket",
          "s3://KEY:SEC/SECRET@bucket/x.nc.nc3z", "ftp://user:SECRET@h/x.nc",
          "gs://user:SECRET@bucket/x.nc.nc3z?SECRET", "HTTPS://user:SECRET@/x")
ACTIONS = (["-d"], ["-d", "-o", "o"], ["-d", "--output-dir=."], ["-dc"],
           ["-t"], ["-tv"], ["-t", "--json"], ["-l"], ["-lv"], ["-l", "--json"],
           ["-k"], ["-c"], ["-o", "o"], ["--update"], ["--rm"],
           ["--dry-run"], ["--dry-run", "--json"],
           ["--part=1/2", "-o", "o"], ["-r", "-t"], ["-r"],
           ["-d", "-f", "--json"],
           ["-t", "-T1", "--max-size=1"])
OTHERS = (["nc3convert"], ["nc3convert", "-o", "o"],
          ["nc3convert", "--chunks=linear", "-o", "o"],
          ["nc3convert", "--join", "-o", "o"], ["nc3manifest"],
          ["nc3manifest", "-c"], ["nc3manifest", "--quick"],
          ["nc3manifest", "--quick", "--json"], ["nc3salvage", "-o", "o"],
          ["nc3salvage", "--json", "-o", "o"])
# Options that take a file, which is a URL here.
OPTIONS = "--output", "--output-dir", "--files0-from", "--journal"


def good(site, scheme, mode="ok"):
    """Of an archive that is there."""
    host = site.plain.partition("://")[2]
    return (f"{scheme}://user:SECRET@{host}/{mode}/{NAME}.nc3z?SECRET=1"
            "#SECRET")


def look(site, *command, status=None):
    """Runs a program; nothing of the secrets is in files either."""
    done = site.run(*command, status=status, NC3Z_REMOTE_TIMEOUT="2")
    for path in site.here.iterdir():
        expect("SECRET" not in path.name and
               b"SECRET" not in path.read_bytes(), *command, "wrote", path)
        path.unlink()
    return done


def check_compress(site):
    """Every action, with what works and what fails, and its journal."""
    site.make(NAME, (4, 9, 18))
    urls = [good(site, "http"), good(site, "HTTP"),
            good(site, "Http", "liar"), good(site, "http", "status=404"),
            good(site, "http", "status=403"), good(site, "http", "tofile"),
            *BROKEN]
    for url in urls:
        for action in ACTIONS:
            look(site, "nc3compress", *action, url)
        for command in OTHERS:
            look(site, *command, url)
        look(site, "nc3compress", "-t", "--journal=J", url)
        look(site, "nc3compress", "-df", "--journal=J", url, url)
        for option in OPTIONS:
            look(site, "nc3compress", "-d", f"{option}={url}",
                 site.directory / f"{NAME}.nc3z")


def check_farm(site):
    """It takes no URLs."""
    if not (site.bin / "nc3farm").exists():
        return
    for url in (*BROKEN, good(site, "http"), good(site, "HTTP")):
        for command in (["plan", url, "w"], ["plan", ".", url], ["run", url],
                        ["work", url, "0"], ["left", url], ["status", url],
                        ["collect", url], ["plan", f"--files0-from={url}", "w"],
                        ["plan", "--bundle=1G", f"--output-dir={url}", ".",
                         "w"]):
            look(site, "nc3farm", *command, status=1)


def check_schemes(site):
    """They may be in capitals."""
    for scheme in "http", "HTTP", "Http":
        done = look(site, "nc3compress", "-dc", good(site, scheme), status=0)
        expect(done.stdout == (site.directory / NAME).read_bytes(), scheme)
        look(site, "nc3dump", "-h", good(site, scheme), status=0)
    done = look(site, "nc3compress", "-t", "S3://bucket", status=1)
    expect(b"s3://bucket/key" in done.stderr, done.stderr)
    for command in ["nc3salvage"], ["nc3convert", "--join"]:
        done = look(site, *command, "-o", "o", good(site, "HTTPS"), status=1)
        expect(b"is a URL" in done.stderr, done.stderr)


def check_others(site):
    """The other programs."""
    for url in (good(site, "http"), good(site, "HTTP"),
                good(site, "http", "status=404"), *BROKEN):
        for options in (["-h"], ["-k"], ["--blocks"], ["--json"],
                        ["-v", "v"], ["-v", "none"]):
            look(site, "nc3dump", *options, url)
        look(site, "nc3run", url)
        for operands in [url, "none"], ["none", url], [f"--urls={url}", "none"]:
            if (site.bin / "nc3mount").exists():
                look(site, "nc3mount", *operands, status=1)


if __name__ == "__main__":
    main(__doc__, [check_compress, check_farm, check_schemes, check_others])
