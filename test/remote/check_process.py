#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Processes: no network code without a URL, threads, fork, the end."""

import os
import subprocess

from far_site import clean_environment, expect, main

NAME = "a.nc"


def near(site):
    """The same archive here."""
    return site.directory / f"{NAME}.nc3z"


def far(site, mode="ok"):
    """And there."""
    return f"{site.plain}/{mode}/{NAME}.nc3z"


def check_maps(site):
    """libcurl is loaded with the first URL, and not before."""
    site.make(NAME, (32, 90, 180), "--chunks=v:4,30,60")
    site.run("remote_reader", "maps", far(site), near(site))


def check_found(site):
    """Programs find libnc3z-remote beside themselves, also by PATH."""
    path = f"{site.bin}:{os.environ['PATH']}"
    done = subprocess.run(["nc3dump", "-h", far(site)], timeout=60,
                          capture_output=True, check=False, cwd="/",
                          stdin=subprocess.DEVNULL, env=clean_environment(
                              site.base, {"PATH": path}))
    expect(done.returncode == 0, done.stderr)


def check_threads(site):
    """Eight of them read one file."""
    site.run("remote_reader", "threads", far(site), near(site))
    site.run("remote_reader", "threads", far(site, "cut=6"), near(site))


def check_many(site):
    """A thousand archives of a server that are open at once."""
    site.make("small.nc", (1, 10, 10))
    site.run("remote_reader", "many", f"{site.plain}/ok/small.nc.nc3z",
             site.directory / "small.nc.nc3z")
    # and the one that the program opens in any case
    expect(len({note["path"] for note in site.notes}) == 1001, "objects")
    expect(len(site.notes) <= 2002, len(site.notes), "requests")
    expect(1 < site.most_open <= 8, site.most_open, "connections")


def check_fork(site):
    """Parent and child read, each with handles and connections of its own."""
    if "thread" in os.environ.get("NC3Z_SANITIZE", ""):
        print("skipped: the thread sanitizer does not go through fork()")
        return
    for _ in range(3):
        site.run("remote_reader", "fork", far(site), near(site))


def check_end(site):
    """A program that ends while bytes are on their way ends well."""
    for mode in "ok", "slow=300":
        done = site.run("remote_reader", "leave", far(site, mode), near(site))
        expect(not done.stderr, done.stderr)


if __name__ == "__main__":
    main(__doc__, [check_maps, check_found, check_threads, check_many,
                   check_fork, check_end])
