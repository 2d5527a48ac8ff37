# SPDX-License-Identifier: MIT
"""Limits for the programs that tests run.

Time is that of a processor, which a loaded machine does not use up.  What
waits for ever is ended by the time limit that ctest has for each test.
"""

import resource
import signal
import subprocess


def limited(seconds):
    """The beginning of a command: it and its children get so much each."""
    return ["prlimit", f"--cpu={seconds}:{seconds + 1}"]


def run_limited(seconds, command, directory=None, is_apart=False):
    """Runs a command without input, with such a limit, but without starting
    another program for it; its output has both streams, unless they are to be
    apart."""
    with subprocess.Popen(
            command, cwd=directory, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if is_apart else subprocess.STDOUT
            ) as process:
        resource.prlimit(process.pid, resource.RLIMIT_CPU,
                         (seconds, seconds + 1))
        output, errors = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, output,
                                       errors)


def took_too_long(done):
    """Whether a program ended at that limit."""
    return done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
