# SPDX-License-Identifier: MIT
"""Runs tasks here, and tells how far they are."""

import contextlib
import errno
import json
import os
import signal
import sys
from typing import List

from .check import NOT_YET, Proof, Task, in_processes, read_journal
from .farm import (ACTIONS, DONE, FAILED, MORE, Failure, Farm, complain,
                   counted, environment, manifest_line, plain)
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

    def __init__(self, farm, arguments):
        found = states(farm)
        self.farm, self.until = farm, arguments.until
        self.left = [s["task"] for s in found if s["left"]]
        self.ndone = sum(s["files_done"] for s in found)
        ncpus = len(os.sched_getaffinity(0))
        self.count = max(1, min(arguments.jobs or ncpus, len(self.left)))
        self.nthreads = min(max(1, ncpus // self.count), THREADS_MAX)
        self.running, self.is_stopping, self.has_failed = {}, False, False

    def start(self, number):
        """A task in a process of its own, if it is not done meanwhile."""
        actions = []
        if self.farm.action == "bundle":
            command = [sys.executable, "-S", os.path.realpath(sys.argv[0]),
                       "work", f"-T{self.nthreads}", self.farm.work,
                       str(number)]
        else:
            command, fd = make_command(self.farm, number, self.nthreads,
                                       self.until)
            if not command:
                return
            actions = [(os.POSIX_SPAWN_DUP2, fd, 0)]  # closed there by itself
        begin = self.noted(number)
        pid = os.posix_spawnp(command[0], command, environment(),
                              file_actions=actions)
        if actions:
            os.close(fd)
        self.running[pid] = number, begin
        if self.is_stopping:
            self.stop()

    def stop(self, *_):
        """Begins nothing more, and ends what runs."""
        self.is_stopping = True
        for pid in list(self.running):
            with contextlib.suppress(ProcessLookupError):  # just ended
                os.kill(pid, signal.SIGTERM)

    def noted(self, number):
        """How many lines a journal has for files."""
        return read_journal(self.farm.path("journal", number)).count(
            b'{"name": ')

    def show(self, *_):
        """A line on the terminal, as the programs have one."""
        with contextlib.suppress(Failure, OSError):  # the tasks go on
            ndone = self.ndone + sum(self.noted(number) - begin
                                     for number, begin
                                     in self.running.values())
            print(f"\r\033[K{ndone} of {counted(self.farm.nfiles, 'file')}; "
                  f"{counted(len(self.running), 'task')} running, "
                  f"{len(self.left)} waiting", end="\r", file=sys.stderr,
                  flush=True)

    def wait(self):
        """For one of them to end."""
        pid, status = os.wait()
        number, begin = self.running.pop(pid)
        self.ndone += self.noted(number) - begin
        self.has_failed |= os.waitstatus_to_exitcode(status) == FAILED
        if status and state_of(self.farm, number)["is_full"]:
            complain("the disk is full: make room, then run again")
            self.is_stopping = True

    def run(self):
        """Until nothing is left, or it is stopped."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.stop)
        if sys.stderr.isatty():
            signal.signal(signal.SIGALRM, self.show)
            signal.setitimer(signal.ITIMER_REAL, 1, 1)
        while self.running or (self.left and not self.is_stopping):
            if self.left and len(self.running) < self.count and \
                    not self.is_stopping:
                self.start(self.left.pop(0))
            else:
                self.wait()
        signal.setitimer(signal.ITIMER_REAL, 0)
        if sys.stderr.isatty():
            print("\033[K", end="", file=sys.stderr, flush=True)


def run(arguments):
    """What is not done yet, on this machine."""
    farm = Farm(arguments.work)
    runner = Runner(farm, arguments)
    runner.run()
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
        return FAILED if sums["files_failed"] else DONE
    print(f"{sums['action']}: {sums['tasks_done']} of "
          f"{counted(len(found), 'task')}, {sums['files_done']} of "
          f"{counted(farm.nfiles, 'file')} done, {sums['files_failed']} "
          f"failed; {sums['original_bytes']} bytes of originals, "
          f"{sums['archive_bytes']} of archives", flush=True)
    show(failed, sums["files_failed"])
    return FAILED if failed else DONE


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
