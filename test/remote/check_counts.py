#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many requests, and which: they are exact."""

from far_site import expect, main

FRONT, TAIL = "bytes=0-16383", "bytes=-65536"


def reads(site, name, start, count):
    """The requests of opening and of a get, apart."""
    site.forget()
    site.run("remote_reader", "get", f"{site.plain}/ok/{name}.nc3z",
             site.directory / f"{name}.nc3z", "0", start, count)
    asked = site.ranges()
    expect(sorted(asked[:2]) == sorted([FRONT, TAIL]), "opening", asked)
    return asked[2:]


def check_linear(site):
    """A map is one range; so is a series, of all blocks."""
    site.make("lin.nc", (64, 90, 180), "--block-size=64K")
    expect(len(reads(site, "lin.nc", "21,0,0", "1,90,180")) == 1, "map")
    expect(len(reads(site, "lin.nc", "0,45,100", "64,1,1")) == 1, "series")
    expect(len(reads(site, "lin.nc", "0,0,0", "64,90,180")) == 1, "all")


def check_chunked(site):
    """4 x 3 x 3 chunks: one range for each row of neighbours."""
    site.make("tiled.nc", (64, 90, 180), "--chunks=v:16,30,60")
    expect(len(reads(site, "tiled.nc", "21,0,0", "1,90,180")) == 1, "map")
    expect(len(reads(site, "tiled.nc", "0,45,100", "64,1,1")) == 4, "series")
    expect(len(reads(site, "tiled.nc", "10,20,30", "30,40,40")) == 6, "box")


def check_header(site):
    """Two requests at the same time, and no more."""
    site.run("nc3dump", "-h", f"{site.plain}/ok/lin.nc.nc3z")
    expect(sorted(site.ranges()) == sorted([FRONT, TAIL]), site.ranges())


def check_small(site):
    """All of it comes with front and tail."""
    site.make("small.nc", (1, 10, 10))
    site.run("nc3dump", f"{site.plain}/ok/small.nc.nc3z")
    expect(len(site.ranges()) == 2, site.ranges())


def check_large_index(site):
    """More segments than the tail has: one more request for a map."""
    site.make("many.nc", (300, 90, 180), "--block-size=4K")
    expect(len(reads(site, "many.nc", "21,0,0", "1,90,180")) == 2, "map")
    expect(len(reads(site, "many.nc", "280,0,0", "1,90,180")) == 1, "last")


def check_streams(site):
    """Whatever needs all of an archive is one request."""
    for command in (["nc3compress", "-t"], ["nc3compress", "-dc"],
                    ["nc3manifest"], ["nc3manifest", "--quick"]):
        site.forget()
        site.run(*command, f"{site.plain}/ok/tiled.nc.nc3z")
        expect(site.ranges() == ["bytes=0-"], command, site.ranges())
    site.forget()
    site.run("nc3compress", "-l", f"{site.plain}/ok/tiled.nc.nc3z")
    expect(len(site.ranges()) == 2, site.ranges())
    site.forget()
    site.run("nc3compress", "-lv", f"{site.plain}/ok/tiled.nc.nc3z")
    expect(len(site.ranges()) == 3, site.ranges())


def check_long_stream(site):
    """More than is held in memory at a time."""
    original = site.directory / "many.nc"
    done = site.run("nc3compress", "-dc", f"{site.plain}/ok/many.nc.nc3z")
    expect(done.stdout == original.read_bytes(), "restored")
    expect(site.ranges() == ["bytes=0-"], site.ranges())


def check_plain(site):
    """A classic file is read in blocks, likewise."""
    site.run("remote_reader", "get", f"{site.plain}/ok/lin.nc",
             site.directory / "lin.nc", "0", "21,0,0", "1,90,180")
    asked = site.ranges()
    expect(len(asked) == 3 and FRONT in asked and TAIL in asked, asked)


def check_shared(site):
    """Who has read enough does not take from others what they announced."""
    site.run("remote_reader", "shared", f"{site.plain}/ok/lin.nc.nc3z",
             site.directory / "lin.nc.nc3z")
    expect(site.ranges()[-2:] == ["bytes=100000-119999",
                                  "bytes=110000-159999"], site.ranges())


def check_connections(site):
    """Never more than eight to a server."""
    site.run("remote_reader", "threads", f"{site.plain}/slow=5/tiled.nc.nc3z",
             site.directory / "tiled.nc.nc3z")
    expect(1 < site.most_open <= 8, site.most_open, "connections")


if __name__ == "__main__":
    main(__doc__, [check_linear, check_chunked, check_header, check_small,
                   check_large_index, check_streams, check_long_stream,
                   check_plain, check_shared, check_connections])
