#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Archives protected by par2: what the manual page promises.

Skipped where there is no par2.
"""

import shutil
import subprocess
import sys

from tools import classic_file, digest, expect, run_tests


def par2(bench, *args):
    return subprocess.run(["par2", *args], cwd=bench.directory, check=False,
                          capture_output=True).returncode


def test_repair(bench):
    """A burst of 4 % is repaired with 5 % of recovery data, not one of 8 %."""
    classic_file(bench.path("x.nc"), 3, length=8000)
    archive = bench.path("x.nc.nc3z")
    expect(bench.run("x.nc").returncode == 0)
    before = digest(archive)
    whole = archive.read_bytes()
    expect(par2(bench, "create", "-q", "-q", "-b400", "-r5", "-n1",
                "x.nc.nc3z") == 0)
    expect(par2(bench, "verify", "-q", "-q", "x.nc.nc3z.par2") == 0)
    for percent, is_repaired in (4, True), (8, False):
        burst = len(whole) * percent // 100
        at = len(whole) // 3
        archive.write_bytes(whole[:at] + bytes(burst) + whole[at + burst:])
        expect(bench.run("-t", "x.nc.nc3z").returncode == 4)
        status = par2(bench, "repair", "-q", "-q", "x.nc.nc3z.par2")
        expect((status == 0) == is_repaired, percent, status)
        expect((digest(archive) == before) == is_repaired, percent)
    # What par2 cannot repair is salvaged.
    done = bench.run_other("nc3salvage", "-o", "saved.nc.nc3z", "x.nc.nc3z")
    expect(done.returncode == 3, done.returncode, done.stderr)
    expect(bench.run("-t", "saved.nc.nc3z").returncode == 0)


if __name__ == "__main__":
    if not shutil.which("par2"):
        print("skipped: no par2")
        sys.exit(77)
    sys.exit(run_tests(test_repair))
