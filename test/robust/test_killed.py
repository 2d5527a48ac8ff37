#!/usr/bin/env python3
"""kill -9 at random moments: the data are always there, whole.

The program packs with --rm, or replaces an older archive, or restores, or
converts an archive in its place, and is killed.  Afterwards the source is
there, or its whole archive is; a file with the name of the output is whole; and
the next run leaves no temporary file.  NC3Z_KILLS says how many times each
(100); a run that ends before that does not count.
"""

import os
import random
import signal
import sys
import time

from tools import classic_file, digest, expect, run_tests

KILLS = int(os.environ.get("NC3Z_KILLS", "100"))


def run_time(bench, *args):
    begin = time.monotonic()
    result = bench.run(*args)
    expect(result.returncode == 0, result.stderr)
    return time.monotonic() - begin


def kill_at(bench, seconds, *args):
    """Whether the program was killed before it was done."""
    process = bench.start(*args)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


class Moments:
    """Random moments of a run, about as long as it takes, until it has been
    killed often enough."""

    def __init__(self, seed, longest):
        self.rng, self.longest = random.Random(seed), longest
        self.killed = self.runs = 0

    def kill(self, bench, *args):
        was_killed = kill_at(bench, self.rng.uniform(0, self.longest), *args)
        self.longest *= 1.03 if was_killed else 0.9
        self.killed += was_killed
        self.runs += 1

    def are_left(self):
        expect(self.runs < 10 * KILLS + 100, "never killed in time")
        return self.killed < KILLS

    def __str__(self):
        return f"{self.killed} of {self.runs} runs killed"


def check_archive(bench, original):
    result = bench.run("-d", "-c", "x.nc.nc3z")
    expect(result.returncode == 0, "archive is not whole:", result.stderr)
    bench.path("restored").write_bytes(result.stdout)
    expect(digest(bench.path("restored")) == original, "archive differs")
    bench.path("restored").unlink()


def check_no_temporary(bench):
    left = [n for n in bench.names() if n.endswith("-tmp")]
    expect(not left, "temporary files:", left)


def test_pack_and_remove(bench):
    source, archive = bench.path("x.nc"), bench.path("x.nc.nc3z")
    classic_file(source, 8)
    original, data = digest(source), source.read_bytes()
    moments = Moments(7, run_time(bench, "--rm", "x.nc"))
    archive.unlink()
    source.write_bytes(data)
    packed = 0
    while moments.are_left():
        moments.kill(bench, "--rm", "x.nc")
        if source.exists():
            expect(digest(source) == original, "source differs")
        else:
            expect(archive.exists(), "neither source nor archive")
        if archive.exists():
            packed += 1
            check_archive(bench, original)
            archive.unlink()
        source.write_bytes(data)
        expect(set(bench.names()) <= {"x.nc", ".x.nc.nc3z.nc3z-tmp"},
               bench.names())
    expect(bench.run("--rm", "x.nc").returncode == 0)
    check_no_temporary(bench)
    return f"{moments}, {packed} archives"


def test_replace(bench):
    source, archive = bench.path("x.nc"), bench.path("x.nc.nc3z")
    classic_file(source, 8)
    original = digest(source)
    moments = Moments(8, run_time(bench, "x.nc"))
    while moments.are_left():
        moments.kill(bench, "-f", "x.nc")
        expect(archive.exists(), "the archive that was there is gone")
        check_archive(bench, original)
    expect(bench.run("-f", "x.nc").returncode == 0)
    check_no_temporary(bench)
    return str(moments)


def test_restore_and_remove(bench):
    source, archive = bench.path("x.nc"), bench.path("x.nc.nc3z")
    classic_file(source, 8)
    original = digest(source)
    expect(bench.run("x.nc").returncode == 0)
    data = archive.read_bytes()
    source.unlink()
    moments = Moments(9, run_time(bench, "-d", "x.nc.nc3z"))
    source.unlink()
    while moments.are_left():
        moments.kill(bench, "-d", "--rm", "x.nc.nc3z")
        if source.exists():
            expect(digest(source) == original, "restored file differs")
            source.unlink()
        else:
            expect(archive.exists(), "neither archive nor file")
        archive.write_bytes(data)
    return str(moments)


def test_convert(bench):
    source, archive = bench.path("x.nc"), bench.path("x.nc.nc3z")
    classic_file(source, 40)
    original = digest(source)
    expect(bench.run("x.nc").returncode == 0)
    source.unlink()
    kinds = ["--rechunk", "series", "-f"], ["--recode", "-1", "-f"]
    longest = run_time(bench, *kinds[0], "x.nc.nc3z") * 1.5
    rng, killed = random.Random(10), 0
    for i in range(KILLS // 4):
        killed += kill_at(bench, rng.uniform(0, longest), *kinds[i % 2],
                          "x.nc.nc3z")
        check_archive(bench, original)
    expect(bench.run("--recode", "-f", "x.nc.nc3z").returncode == 0)
    check_no_temporary(bench)
    return f"{killed} of {KILLS // 4} killed"


if __name__ == "__main__":
    sys.exit(run_tests(test_pack_and_remove, test_replace,
                       test_restore_and_remove, test_convert))
