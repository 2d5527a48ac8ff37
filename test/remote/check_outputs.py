#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that nc3compress makes of URLs, and those that it does not make."""

import os

from far_site import expect, main

NAME = "out.nc"


def url(site, name=NAME, mode="ok"):
    """Of an archive."""
    return f"{site.plain}/{mode}/{name}.nc3z"


def files(site):
    """What there is where the programs run, and clears it."""
    found = {path.name: path.read_bytes() for path in site.here.iterdir()}
    for path in site.here.iterdir():
        path.unlink()
    return found


def check_restored(site):
    """In the current directory, by the last part of the path alone."""
    original = site.make(NAME, (8, 9, 18)).read_bytes()
    login = url(site).replace("://", "://user:SECRET@") + "?key=SECRET#part"
    for name in url(site), login:
        site.run("nc3compress", "-d", name)
        mode = (site.here / NAME).stat().st_mode & 0o777
        umask = os.umask(0)
        os.umask(umask)
        expect(mode == 0o666 & ~umask, oct(mode))
        expect(files(site) == {NAME: original}, "not restored:", name)
    site.run("nc3compress", "-d", "-o", "other", url(site))
    expect(files(site) == {"other": original}, "not where -o says")


def check_replaced(site):
    """What is there is replaced with -f alone."""
    original = (site.directory / NAME).read_bytes()
    (site.here / NAME).write_bytes(b"mine")
    site.run("nc3compress", "-d", url(site), status=1)
    expect((site.here / NAME).read_bytes() == b"mine", "replaced")
    site.run("nc3compress", "-df", url(site))
    expect(files(site) == {NAME: original}, "not replaced")


def check_same_output(site):
    """Of two inputs with one output the second is refused."""
    original = (site.directory / NAME).read_bytes()
    site.make("near.nc", (2, 9, 18))
    near = (site.directory / "near.nc.nc3z").read_bytes()
    second = f"{site.plain}/slow=1/{NAME}.nc3z"
    for force in [], ["-f"]:
        done = site.run("nc3compress", "-d", "-T1", *force, url(site), second,
                        status=1)
        expect(b"another input has the same output" in done.stderr or
               not force, done.stderr)
        expect(files(site) == {NAME: original}, "two URLs")
        (site.here / f"{NAME}.nc3z").write_bytes(near)
        site.run("nc3compress", "-d", "-T1", *force, url(site),
                 f"{NAME}.nc3z", status=1)
        expect(files(site) == {NAME: original, f"{NAME}.nc3z": near},
               "a URL and a file")


def check_refused(site):
    """What goes with files only asks nobody and writes nothing."""
    for command in (["nc3compress"], ["nc3compress", "-f"],
                    ["nc3compress", "--dry-run"], ["nc3convert"]):
        site.forget()
        done = site.run(*command, url(site), status=1)
        expect(b"a URL can only be restored, tested and listed" in done.stderr,
               command, done.stderr)
        expect(not site.notes, command, "asked somebody")
    for remove in "--rm", "--rm=all":
        done = site.run("nc3compress", "-d", remove, url(site), status=1)
        expect(b"--rm goes from one file to another" in done.stderr,
               done.stderr)
    expect(not files(site), "something was written")
    expect((site.directory / f"{NAME}.nc3z").exists(), "removed")


def check_failed(site):
    """A server that gives up in the middle leaves nothing behind."""
    site.make("large.nc", (64, 90, 180))
    site.run("nc3compress", "-d", url(site, "large.nc", "cutalways"),
             status=1)
    expect(len(site.notes) > 1, site.notes)
    expect(not files(site), "something was left")


if __name__ == "__main__":
    main(__doc__, [check_restored, check_replaced, check_same_output,
                   check_refused, check_failed])
