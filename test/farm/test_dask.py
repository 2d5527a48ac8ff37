#!/usr/bin/env python3
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


def start(place):
    """nc3farm with Debian's Python, which has Dask."""
    command = place.command("run", "--dask=local", "-j2", place.work)
    return subprocess.Popen([PYTHON] + command[1:],
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def victims(run):
    """Worker processes of Dask, nc3farm in them, nc3compress in that."""
    return [pid for pid, command in descendants(run.pid)
            if b"spawn_main" in command or b"nc3farm work" in command or
            b"nc3compress" in command]


def test_killed():
    done, rounds = 0, 0
    with Place(ARGUMENTS.bin) as p:
        while done < KILLS:
            p.fill(160, 160000)
            p.plan("--task-bytes=400K", options=("-9",))
            while p.left():
                run = start(p)
                while run.poll() is None:
                    time.sleep(p.rng.uniform(0.2, 1.5))
                    pids = victims(run)
                    if pids and done < KILLS:
                        done += kill(p.rng.choice(pids))
                rounds += 1
                expect(rounds < 60, "it does not end")
            expect(run.returncode == 0, "status", run.returncode)
            p.check_packed()
    print(f"  {done} killed, {rounds} runs")


if __name__ == "__main__":
    if subprocess.run([PYTHON, "-c", "import distributed"], check=False,
                      capture_output=True).returncode != 0:
        print("no python3-distributed here")
        sys.exit(SKIP)
    sys.exit(run_tests([test_killed]))
