#!/usr/bin/env python3
"""Processes: no network code without a URL, threads, fork, the end."""

import os

from far_site import expect, main

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


def check_threads(site):
    """Eight of them read one file."""
    site.run("remote_reader", "threads", far(site), near(site))
    site.run("remote_reader", "threads", far(site, "cut=6"), near(site))


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
    main(__doc__, [check_maps, check_threads, check_fork, check_end])
