# SPDX-License-Identifier: MIT
"""Runs tasks here, and tells how far they are."""

import errno
import json
import os
import signal
import sys
from typing import List

from .check import NOT_YET, Proof, Task, in_processes
from .farm import (ACTIONS, DONE, FAILED, MORE, Farm, complain, counted,
                   environment, manifest_line, plain)
from .work import make_command

SHOWN_MAX = 10
THREADS_MAX = 256        # that the programs take
FULL = tuple(os.strerror(e) for e in (errno.ENOSPC, errno.EDQUOT))


def state_of(farm, number):
    """How far a task is; what has failed, with the reasons."""
    task = Task(farm, number)
    faults = task.faults()
    lines = [task.last[name] for name in task.names if name not in faults]
    failed = [(plain(name), plain(why)) for name, why in faults.items()
              if why != NOT_YET]
    return {"task": number, "left": len(faults), "files_done": len(lines),
            "files_failed": len(failed), "failed": failed[:SHOWN_MAX],
            "original_bytes": sum(x["original_bytes"] or 0 for x in lines),
            "archive_bytes": sum(x["archive_bytes"] or 0 for x in lines),
            "is_full": any(text in why for _, why in failed for text in FULL)}


def states(farm):
    """Of all tasks."""
    return in_processes(lambda n: state_of(farm, n), range(len(farm.tasks)))


class Runner:
    """Processes of this machine, each with a task."""

    def __init__(self):
        self.running, self.is_stopping, self.has_failed = {}, False, False

    def start(self, farm, number, nthreads, seconds):
        """A task in a process of its own, if it is not done meanwhile."""
        actions = []
        if farm.action == "bundle":
            command = [sys.executable, "-S", os.path.realpath(sys.argv[0]),
                       "work", f"-T{nthreads}", farm.work, str(number)]
        else:
            command, fd = make_command(farm, number, nthreads, seconds)
            if not command:
                return
            actions = [(os.POSIX_SPAWN_DUP2, fd, 0)]  # closed there by itself
        pid = os.posix_spawnp(command[0], command, environment(),
                              file_actions=actions)
        if actions:
            os.close(fd)
        self.running[pid] = number
        if self.is_stopping:
            self.stop()

    def stop(self, *_):
        """Begins nothing more, and ends what runs."""
        self.is_stopping = True
        for pid in list(self.running):
            os.kill(pid, signal.SIGTERM)

    def run(self, farm, arguments):
        """Until nothing is left, or it is stopped."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.stop)
        left = [s["task"] for s in states(farm) if s["left"]]
        ncpus = len(os.sched_getaffinity(0))
        count = max(1, min(arguments.jobs or ncpus, len(left)))
        while self.running or (left and not self.is_stopping):
            if left and len(self.running) < count and not self.is_stopping:
                self.start(farm, left.pop(0), min(max(1, ncpus // count),
                                                  THREADS_MAX),
                           arguments.until)
                continue
            pid, status = os.wait()
            number = self.running.pop(pid)
            self.has_failed |= os.waitstatus_to_exitcode(status) == FAILED
            if status and state_of(farm, number)["is_full"]:
                complain("the disk is full: make room, then run again")
                self.is_stopping = True


def run(arguments):
    """What is not done yet, on this machine."""
    farm, runner = Farm(arguments.work), Runner()
    runner.run(farm, arguments)
    found = states(farm)
    nleft, nfailed = (sum(s[key] for s in found)
                      for key in ("left", "files_failed"))
    if nfailed:
        complain(f"{nfailed} of {counted(farm.nfiles, 'file')} failed: see "
                 "nc3farm status")
    if nleft > nfailed:
        complain(f"still to do: {nleft - nfailed} of "
                 f"{counted(farm.nfiles, 'file')}: run again")
    return DONE if not nleft else \
        FAILED if nfailed or runner.has_failed else MORE


def left(arguments):
    """Numbers of tasks, for whatever runs them."""
    farm = Farm(arguments.work)
    runs: List[List[int]] = []
    numbers = [s["task"] for s in states(farm) if s["left"]]
    if not arguments.array:
        print("".join(f"{n}\n" for n in numbers), end="")
        return DONE
    for n in numbers:  # 1, 2, 3, 7 as "1-3,7"
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    print(",".join(f"{a}-{b}" if a < b else f"{a}" for a, b in runs))
    return DONE


def show(failed, count):
    """Some of the files that failed."""
    for name, why in failed[:SHOWN_MAX]:
        complain(f"{name}: {why}")
    if count > SHOWN_MAX:
        complain(f"and {count - SHOWN_MAX} more")


def status(arguments):
    """How far it is."""
    farm = Farm(arguments.work)
    found = states(farm)
    failed = [line for state in found for line in state["failed"]]
    sums = {"action": farm.action, "tasks": len(found),
            "tasks_done": sum(not s["left"] for s in found),
            "files": farm.nfiles}
    for key in ("files_done", "files_failed", "original_bytes",
                "archive_bytes"):
        sums[key] = sum(state[key] for state in found)
    if arguments.json:
        sums["failed"] = [{"name": name, "why": why} for name, why in failed]
        print(json.dumps(sums))
        return DONE
    print(f"{sums['action']}: {sums['tasks_done']} of "
          f"{counted(len(found), 'task')}, {sums['files_done']} of "
          f"{counted(farm.nfiles, 'file')} done, {sums['files_failed']} "
          f"failed; {sums['original_bytes']} bytes of originals, "
          f"{sums['archive_bytes']} of archives", flush=True)
    show(failed, sums["files_failed"])
    return DONE


def collect(arguments):
    """The manifest of all files.  DONE: what ACTIONS promises; except for
    STAY, nothing would be lost if all inputs went."""
    farm, archives, bad = Farm(arguments.work), set(), {}
    for number in range(len(farm.tasks)):
        proof = Proof(farm, number, arguments.read)
        bad.update(proof.bad)
        for name in proof.good:
            archive = proof.archive(name)
            if archive in archives:
                bad[name] = f"{archive} is the archive of two files"
            archives.add(archive)
            for line in proof.sums(name):
                sys.stdout.buffer.write(manifest_line(*line))
    sys.stdout.buffer.flush()
    if not bad:
        complain(ACTIONS[farm.action][3])
        return DONE
    show(sorted(bad.items(), key=lambda both: both[1] == NOT_YET), len(bad))
    complain(f"not done: {len(bad)} of {counted(farm.nfiles, 'file')}")
    return FAILED
