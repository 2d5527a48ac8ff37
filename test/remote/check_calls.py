#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""netCDF's calls for C and Fortran, with a URL where they take a path.

The programs of test/compat make every call of netCDF; what they print for a URL
must be what they print for the file."""

from pathlib import Path
import subprocess
import sys

from far_site import clean_environment, expect, main, SECONDS_MAX

TESTDATA = Path(__file__).resolve().parents[2] / "testdata" / "classic"
FILES = ["cdf1-all-types.nc", "cdf5-all-types.nc", "cdf2-float-records.nc",
         "cdf1-utf8-names.nc", "cdf1-truncated-inside-record.nc"]
PROGRAMS = []


def run(site, program, name):
    """What a program prints, without the name of the file."""
    done = subprocess.run([program, name, "7", "20"], check=False,
                          stdin=subprocess.DEVNULL, timeout=SECONDS_MAX,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          cwd=site.here, env=clean_environment(site.base, {}))
    expect(done.returncode == 0, program, name, done.stdout[-300:])
    text = done.stdout.replace(str(name).encode(), b"FILE")
    # some print how long it is instead
    return text.replace(b" %d\n" % len(str(name)), b" LENGTH\n")


def serve(site, name):
    """The archive and the original, in the directory that is served."""
    path = site.directory / name
    path.write_bytes((TESTDATA / name).read_bytes())
    site.run("nc3compress", "-kq", path, status=None)
    return [path.with_name(name + ".nc3z"), path]


def check_calls(site):
    """The same from both, for archives and classic files."""
    expect(PROGRAMS, "no programs")
    for name in FILES:
        for near in serve(site, name):
            for program in PROGRAMS:
                site.forget()
                far = run(site, program, f"{site.plain}/ok/{near.name}")
                expect(site.notes, program, "asked nobody")
                wanted = run(site, program, near)
                expect(far.splitlines() == wanted.splitlines(),
                       program, near.name, next(
                           ((a, b) for a, b in zip(far.splitlines(),
                                                   wanted.splitlines())
                            if a != b), "lengths"))
                expect(far.count(b"\n") > 20, program, far[:500])


def check_failures(site):
    """What cannot be had is a status of netCDF's, and no more."""
    for program in PROGRAMS:
        for url in f"{site.plain}/ok/none.nc.nc3z", "http://127.0.0.1:9/x.nc":
            done = subprocess.run(
                [program, url, "7", "20"], check=False, timeout=SECONDS_MAX,
                stdin=subprocess.DEVNULL, capture_output=True,
                env=clean_environment(site.base, {}))
            expect(done.returncode >= 0, program, url, done.returncode)
            expect(b"open: 0 " not in done.stdout, program, done.stdout[:300])


if __name__ == "__main__":
    at = sys.argv.index("--programs")
    PROGRAMS += [Path(p).resolve() for p in sys.argv[at + 1:]]
    del sys.argv[at:]
    main(__doc__, [check_calls, check_failures])
