#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nc3farm with Dask: two worker processes, and kill -9 of them."""

import argparse
import os
import subprocess
import sys
import time

from common import SKIP, Place, descendants, expect, kill, run_tests

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--bin", required=True)
ARGUMENTS = PARSER.parse_args()
KILLS = int(os.environ.get("NC3Z_KILLS", "20"))

# What Debian's package has, whatever "python3" is on the path.
PYTHON = "/usr/bin/python3"

# Nothing is done for so long: the workers cannot all have been killed then.
STILL_SECONDS = 90


def start(place):
    """nc3farm with Debian's Python, which has Dask."""
    command = place.command("run", "--dask=local", "-j2", place.work)
    return subprocess.Popen([PYTHON] + command[1:],
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def victims(run):
    """
    Worker processes of Dask, nc3farm in them, nc3compress in that; none while
    these are started.
    """
    found = descendants(run.pid)
    if not any(b"nc3farm work" in command for _, command in found):
        return []
    return [pid for pid, command in found
            if b"spawn_main" in command or b"nc3farm work" in command or
            b"nc3compress" in command]


def run_once(p, kills):
    """Kills up to so many; a run that stands still is ended, too."""
    run = start(p)
    done, left, since = 0, None, time.monotonic()
    while run.poll() is None:
        time.sleep(p.rng.uniform(0.2, 1.5))
        pids = victims(run)
        if pids and done < kills:
            done += kill(p.rng.choice(pids))
        if p.left() != left:
            left, since = p.left(), time.monotonic()
        if time.monotonic() - since > STILL_SECONDS:
            for pid, _ in descendants(run.pid):
                kill(pid)
            kill(run.pid)
    return done


def test_killed():
    done, rounds, begin = 0, 0, time.monotonic()
    with Place(ARGUMENTS.bin) as p:
        while done < KILLS:
            p.fill(100, 160000)
            p.plan("--task-bytes=400K", options=("-9",))
            while p.left():
                done += run_once(p, KILLS - done)
                rounds += 1
                expect(time.monotonic() - begin < 2000, "it does not end")
            p.farm("run", p.work)
            p.check_packed()
    print(f"  {done} killed, {rounds} runs")


if __name__ == "__main__":
    if subprocess.run([PYTHON, "-c", "import distributed"], check=False,
                      capture_output=True).returncode != 0:
        print("no python3-distributed here")
        sys.exit(SKIP)
    sys.exit(run_tests([test_killed]))
