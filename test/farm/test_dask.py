#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nc3farm with Dask: two worker processes, and kill -9 of them."""

import argparse
import os
import subprocess
import sys
import time

from common import (SECONDS_MAX, SKIP, Place, descendants, expect, hold, kill,
                    run_held, run_tests)

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--bin", required=True, type=os.path.abspath)
PARSER.add_argument("--hold", action="store_true")
ARGUMENTS = PARSER.parse_args()
KILLS = int(os.environ.get("NC3Z_KILLS", "20"))

# What Debian's package has, whatever "python3" is on the path.
PYTHON = "/usr/bin/python3"


# As the manual says, on two workers.
SCRIPT = """
import subprocess, sys
import distributed
if __name__ == "__main__":
    command = sys.argv[1:]
    left = subprocess.check_output(command[:-2] + ["left", command[-1]])
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1,
                                       dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        distributed.wait([client.submit(subprocess.call, command + [n],
                                        pure=False, retries=3)
                          for n in left.decode().split()])
"""


def start(place):
    """A script with Debian's Python, which has Dask."""
    script = place.path / "script.py"
    script.write_text(SCRIPT, "utf-8")
    return subprocess.Popen([PYTHON, script] +
                            place.command("work", place.work),
                            cwd=place.path, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def victims(run):
    """
    Worker processes of Dask, and nc3farm in them, which becomes nc3compress;
    none while these are started.
    """
    found = descendants(run.pid)
    if not any(b"nc3compress" in command for _, command in found):
        return []
    return [pid for pid, command in found
            if b"spawn_main" in command or b"nc3farm work" in command or
            b"nc3compress" in command]


def run_once(p, kills, patience):
    """
    Kills up to so many; a run that does nothing for so many seconds is ended,
    too: its workers may all have been killed.
    """
    run = start(p)
    done, left, since = 0, None, time.monotonic()
    while run.poll() is None:
        time.sleep(p.rng.uniform(0.2, 1.5))
        pids = victims(run)
        if pids and done < kills:
            done += kill(p.rng.choice(pids))
        if p.left() != left:
            left, since = p.left(), time.monotonic()
        if time.monotonic() - since > patience:
            for pid, _ in descendants(run.pid):
                kill(pid)
            kill(run.pid)
    return done


def test_killed():
    done, rounds, begin, patience = 0, 0, time.monotonic(), 30
    with Place(ARGUMENTS.bin) as p:
        while done < KILLS:
            p.fill(100, 160000)
            p.plan("--task-bytes=400K", options=("-9",))
            while p.left():
                before = p.left()
                done += run_once(p, KILLS - done, patience)
                rounds += 1
                if p.left() == before:  # a slow machine may need longer
                    patience *= 2
                expect(time.monotonic() - begin < SECONDS_MAX,
                       "it does not end")
            p.farm("run", p.work)
            p.check_packed()
    print(f"  {done} killed, {rounds} runs")


def start_and_hold():
    """Workers at work."""
    with Place(ARGUMENTS.bin) as p:
        p.fill(40, 160000)
        p.plan("--task-bytes=400K", options=("-9",))
        run = start(p)
        while not victims(run):
            expect(run.poll() is None, "it ended with", run.returncode)
            time.sleep(0.1)
        hold()


def test_nothing_is_left():
    """No worker of Dask outlives the tests, though these are killed."""
    commands = run_held(__file__, f"--bin={ARGUMENTS.bin}")
    expect(any("spawn_main" in command for command in commands), commands)


if __name__ == "__main__":
    if subprocess.run([PYTHON, "-c", "import distributed"], check=False,
                      capture_output=True).returncode != 0:
        print("no python3-distributed here")
        sys.exit(SKIP)
    sys.exit(run_tests([start_and_hold] if ARGUMENTS.hold else
                       [test_nothing_is_left, test_killed]))
