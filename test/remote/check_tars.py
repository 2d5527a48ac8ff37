#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Archives in tars by URL, and how many requests they take."""

import os
from pathlib import Path
import shutil
import subprocess
import sys

from far_site import SECONDS_MAX, clean_environment, expect, main

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tar"))
import tars  # noqa: E402

SOURCES = Path(__file__).resolve().parents[2] / "lib" / "python"
SHAPE = (16, 90, 180)  # 1 MB
N = 30


def make(site, name, index=None, n=N):
    """A tar of archives that differ, and one of their originals."""
    original = site.make("a.nc", SHAPE, "-f")
    data = (site.directory / "a.nc.nc3z").read_bytes()
    small = site.make("b.nc", (1, 10, 10), "-f")
    others = (site.directory / "b.nc.nc3z").read_bytes()
    members = [(f"m/{i}.nc.nc3z", data if i == 7 else others)
               for i in range(n)]
    tars.make(site.directory / name, members, index=index)
    return original.read_bytes(), small.read_bytes()


def url(site, name, member="m/7.nc.nc3z", mode="ok"):
    """Of a member."""
    return f"{site.plain}/{mode}/{name}//{member}"


def check_indexed(site):
    """Front and tail of the tar, then front and tail of the member."""
    original, _ = make(site, "i.tar", index=True)
    site.forget()
    site.run("nc3dump", "-h", url(site, "i.tar"))
    expect(len(site.notes) == 4, site.ranges())
    expect(sum(note["sent"] for note in site.notes) < 200000, site.notes)
    site.forget()
    done = site.run("nc3compress", "-dc", url(site, "i.tar"))
    expect(done.stdout == original, "restored")
    expect(len(site.notes) == 3, site.ranges())


def check_late_end(site):
    """The front of a member, which is read twice, is counted once."""
    original, _ = make(site, "i.tar", index=True)
    site.forget()
    done = site.run("nc3compress", "-dc", url(site, "i.tar", mode="late=1024"))
    expect(done.stdout == original, "restored")
    expect(len(site.notes) == 3, site.ranges())


def check_large_index(site):
    """An index that is longer than the front is one request more."""
    make(site, "l.tar", index=True, n=1500)
    site.forget()
    site.run("nc3dump", "-h", url(site, "l.tar"))
    expect(len(site.notes) == 5, site.ranges())


def check_walked(site):
    """Without an index headers of small members come many at once."""
    _, small = make(site, "w.tar")
    site.forget()
    done = site.run("nc3compress", "-dc",
                    url(site, "w.tar", f"m/{N - 1}.nc.nc3z"))
    expect(done.stdout == small, "restored")
    expect(len(site.notes) < 10, len(site.notes))


def check_whole(site):
    """All members of a tar: what it takes is bounded."""
    original, small = make(site, "i.tar", index=True)
    site.forget()
    site.run("nc3compress", "-t", f"{site.plain}/ok/i.tar?key=SECRET")
    expect(len(site.notes) <= 2 + N, len(site.notes))
    expect(site.most_open <= 8, site.most_open)
    site.run("nc3compress", "-d", f"{site.plain}/ok/i.tar")
    expect((site.here / "m" / "7.nc").read_bytes() == original, "restored")
    expect((site.here / "m" / "8.nc").read_bytes() == small, "restored")


def check_links(site):
    """A hard link, before the place where the tar is cut off, or after END."""
    for index in None, True:
        original, _ = make(site, "h.tar", index=index)
        path = site.directory / "h.tar"
        tars.add(path, tars.link("h.nc.nc3z", "m/7.nc.nc3z"))
        tars.append(path, [("late.nc.nc3z", b"x" * 5000)])
        if not index:
            data = path.read_bytes()
            path.write_bytes(data[:data.rindex(b"x" * 4000)])
        site.forget()
        done = site.run("nc3compress", "-dc", url(site, "h.tar", "h.nc.nc3z"))
        expect(done.stdout == original, "restored")
        expect(not index or len(site.notes) <= 5, site.ranges())
        done = site.run("nc3dump", url(site, "h.tar", "none.nc.nc3z"),
                        status=None)
        expect(index or b"cut off" in done.stderr, done.stderr)


def check_names(site):
    """The query goes to the tar; escapes are those of a URL."""
    data = (site.directory / "b.nc.nc3z").read_bytes()
    tars.make(site.directory / "n.tar", [("a b/%?#.nc.nc3z", data)], index=True)
    site.run("nc3dump", "-h", url(site, "n.tar", "a%20b/%25%3f%23.nc.nc3z") +
             "?key=SECRET")
    expect(all(n["path"].endswith("/n.tar?key=SECRET") for n in site.notes),
           site.notes)
    # How nc3z_url_text() shows names is how messages do.
    done = site.run("nc3dump", url(site, "n.tar", "none.nc.nc3z").replace(
        "://", "://user:SECRET@", 1) + "?key=SECRET", status=1)
    expect(b"n.tar//none.nc.nc3z: the tar has no such member" in done.stderr,
           done.stderr)


def check_programs(site):
    """Unchanged programs, and Python, by the names of members."""
    url_of, near = url(site, "i.tar"), f"{site.directory}/i.tar//m/7.nc.nc3z"
    plain = site.directory / "a.nc.nc3z"
    for program, *options in (["ncdump", "-n", "a", "-v", "v"],
                              ["cdo", "-s", "infon", "-seltimestep,2"],
                              ["gdalinfo", "-stats", "--config",
                               "GDAL_PAM_ENABLED", "NO"]):
        if not shutil.which(program):
            print(f"skipped: no {program}")
            continue
        outputs = [run(site, [site.bin / "nc3run", program, *options, name])
                   for name in (url_of, near, plain)]
        lines = [[line for line in text.splitlines() if ".nc" not in line]
                 for text in outputs]
        expect(lines[0] == lines[1] == lines[2] and len(lines[0]) > 1,
               program, lines)
    if run(site, ["/usr/bin/python3", "-c", "import numpy; print(1)"]) == "":
        print("skipped: no numpy")
        return
    shutil.copytree(SOURCES, site.base / "python")
    program = ("import sys, nc3z, numpy\n"
               "a, b, c = [nc3z.File(n) for n in sys.argv[1:]]\n"
               "v = [f.variables['v'][:] for f in (a, b, c)]\n"
               "assert numpy.array_equal(v[0], v[2])\n"
               "assert numpy.array_equal(v[1], v[2])\n"
               "try:\n"
               "    nc3z.File(sys.argv[2] + '.none')\n"
               "except OSError as error:\n"
               "    print(error)\n")
    said = run(site, ["/usr/bin/python3", "-c", program, url_of, near, plain],
               PYTHONPATH=str(site.base / "python"),
               PATH=f"{site.bin}:/usr/bin:/bin")
    expect("No such file" in said, said)


def run(site, command, **environment):
    """What a program prints, "" if it fails."""
    done = subprocess.run(command, capture_output=True, check=False,
                          timeout=SECONDS_MAX, cwd=site.here,
                          stdin=subprocess.DEVNULL,
                          env=clean_environment(site.base, environment))
    return done.stdout.decode() if done.returncode == 0 else ""


def check_failures(site):
    """Clear, and nothing is made."""
    for mode, text in (("status=404", b"no such object"),
                       ("status=403", b"access denied"),
                       ("gzip", b"")):
        for command in ("nc3dump", "-h"), ("nc3compress", "-d"):
            done = site.run(*command, url(site, "i.tar", mode=mode), status=1)
            expect(text in done.stderr, mode, done.stderr)
            expect(site.plain.encode() in done.stderr, done.stderr)
    done = site.run("nc3compress", "-d",
                    f"{site.plain}/status=404/i.tar?SECRET", status=1)
    expect(b"/i.tar: " in done.stderr, done.stderr)
    done = site.run("nc3compress", "-dc",
                    url(site, "i.tar", mode="change=2"), status=1)
    expect(b"changed" in done.stderr, done.stderr)


if __name__ == "__main__":
    main(__doc__, [check_indexed, check_late_end, check_large_index,
                   check_walked, check_whole, check_links, check_names,
                   check_failures] +
         ([] if os.environ.get("NC3Z_SANITIZE") else [check_programs]))
