# SPDX-License-Identifier: MIT
"""Runs one task."""

import os
import time

from .check import Task
from .farm import DONE, Farm, Usage, command_of, environment, nul_ended


def make_command(farm, number, nthreads, seconds):
    """The command of a task, and what it reads: names that are not done.
    None if all are."""
    names = nul_ended(Task(farm, number).faults())
    if not names:
        return None, None
    command = [*command_of(farm.action), "-q", *farm.options,
               *([f"-T{nthreads}"] if nthreads else []),
               *([f"--until={seconds}"] if seconds else []),
               f"--journal={farm.path('journal', number)}", "--files0-from=-"]
    fd = os.memfd_create("names")
    with open(fd, "wb", closefd=False) as file:
        file.write(names)
    os.lseek(fd, 0, os.SEEK_SET)
    return command, fd


def work(arguments):
    """One task: this process becomes nc3compress or nc3convert."""
    farm, seconds = Farm(arguments.work), arguments.until
    number = arguments.number
    if number is None:
        number = os.environ.get("SLURM_ARRAY_TASK_ID", "")
        if not number.isdecimal():
            raise Usage("name a task, or run this in an array of Slurm")
    end = os.environ.get("SLURM_JOB_END_TIME", "")
    if not seconds and end.isdecimal():  # a job must not be killed
        seconds = max(1, int(end) - int(time.time()) - 60)
    if farm.action == "bundle":
        from .bundle import make
        return make(farm, int(number), arguments.threads)
    command, fd = make_command(farm, int(number), arguments.threads, seconds)
    if command:
        os.dup2(fd, 0)
        os.execvpe(command[0], command, environment())
    return DONE
