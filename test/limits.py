"""Limits for the programs that tests run.

Time is that of a processor, which a loaded machine does not use up.  What
waits for ever is ended by the time limit that ctest has for each test.
"""

import signal


def limited(seconds):
    """The beginning of a command: it and its children get so much each."""
    return ["prlimit", f"--cpu={seconds}:{seconds + 1}"]


def took_too_long(done):
    """Whether a program ended at that limit."""
    return done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
