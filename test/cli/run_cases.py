#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs command-line cases: test/cli/*.case, small text files.

usage: run_cases.py --bin DIR --testdata DIR [--only NAME]
                    CASES_DIR_OR_FILE...

A case is a list of steps, done in order in a fresh, empty directory, where all
its commands run with DIR of --bin first in PATH, LC_ALL=C and umask 022.
Empty lines and lines that begin with # say nothing.  The steps:

  file NAME from testdata/PATH   copies a file of --testdata
  text NAME                      writes the lines up to "end" to a file
  run COMMAND [ARG]...           runs a command; quotes as in a shell
  run-sh SHELL TEXT              the same through /bin/sh
  same A B                       both files have the same bytes
  exists PATH                    there is such a file or directory
  missing PATH                   there is none
  files [PATH]...                exactly these are in the directory, in any
                                 order, with dotfiles, directories as "name/"
  mode PATH OCTAL                the permissions, such as 0644
  skip-if-root, skip-unless-root skips the whole case

These belong to the run or run-sh above them, in any order:

  stdin PATH                     instead of an empty standard input
  exit N                         the exit status (0); -N for signal N
  stdout, stderr                 exactly the lines up to "end" (nothing)
  stdout-matches REGEX           found in the output; ^ and $ match at lines;
  stderr-matches REGEX           may be repeated, takes the place of the text

A line "\\end" inside a text stands for "end".  PATH in same and stdin may
also begin with testdata/.  The default in parentheses is checked too.  A case
with an error in it, without a run or without a check fails.  Exit status: 0
all passed, 1 something failed, 77 every case was skipped.
"""

import argparse
import difflib
import fnmatch
import os
from pathlib import Path
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

TIMEOUT_SECONDS = 120

# directive -> least and most number of words after it (None: the raw text)
STEPS = {"file": (3, 3), "text": (1, 1), "run": (1, None), "run-sh": None,
         "same": (2, 2), "exists": (1, 1), "missing": (1, 1),
         "files": (0, None), "mode": (2, 2),
         "skip-if-root": (0, 0), "skip-unless-root": (0, 0)}
OF_A_RUN = {"stdin": (1, 1), "exit": (1, 1), "stdout": (0, 0),
            "stderr": (0, 0), "stdout-matches": None, "stderr-matches": None}
BLOCKS = {"text", "stdout", "stderr"}
CHECKS = {"exit", "stdout", "stderr", "stdout-matches", "stderr-matches",
          "same", "exists", "missing", "files", "mode"}


class Malformed(Exception):
    """The case is not written as it should be."""


class Failed(Exception):
    """The case did not see what it expects."""


class Skipped(Exception):
    """The case does not apply here."""


class Step:
    """One directive: its line, name, words or text, and for a run its own."""

    def __init__(self, line, name, words, rest):
        self.line, self.name, self.words, self.rest = line, name, words, rest
        self.block = ""
        self.of_run = {}


def split_words(line, name, rest):
    """The words after a directive, their number checked."""
    limits = STEPS.get(name, OF_A_RUN.get(name))
    if limits is None:
        if not rest:
            raise Malformed(f"{line}: {name} needs a text")
        return []
    try:
        words = shlex.split(rest)
    except ValueError as why:
        raise Malformed(f"{line}: {why}") from why
    least, most = limits
    if len(words) < least or (most is not None and len(words) > most):
        raise Malformed(f"{line}: {name}: wrong number of words")
    if name == "file" and words[1] != "from":
        raise Malformed(f"{line}: write: file NAME from testdata/PATH")
    if name == "file" and not words[2].startswith("testdata/"):
        raise Malformed(f"{line}: files come from testdata/")
    if name == "exit" and not re.fullmatch(r"-?\d+", words[0]):
        raise Malformed(f"{line}: exit needs a number")
    if name == "mode" and not re.fullmatch(r"[0-7]+", words[1]):
        raise Malformed(f"{line}: mode needs an octal number")
    return words


def read_block(step, lines, at):
    """The lines up to "end"; returns the index of the line after it."""
    text = []
    while at < len(lines) and lines[at] != "end":
        text.append("end" if lines[at] == "\\end" else lines[at])
        at += 1
    if at == len(lines):
        raise Malformed(f'{step.line}: {step.name} without "end"')
    step.block = "".join(line + "\n" for line in text)
    return at + 1


def attach(run, step):
    """Hangs what belongs to a run on it."""
    if run is None:
        raise Malformed(f"{step.line}: {step.name} without a run above it")
    if step.name.endswith("-matches"):
        try:
            re.compile(step.rest)
        except re.error as why:
            raise Malformed(f"{step.line}: {why}") from why
        run.of_run.setdefault(step.name, []).append(step)
    elif step.name in run.of_run:
        raise Malformed(f"{step.line}: a second {step.name}")
    else:
        run.of_run[step.name] = step
    for stream in ("stdout", "stderr"):
        if stream in run.of_run and stream + "-matches" in run.of_run:
            raise Malformed(f"{step.line}: {stream} and {stream}-matches")


def parse(text):
    """The steps of a case."""
    steps, run, checks, at = [], None, 0, 0
    lines = text.split("\n")
    while at < len(lines):
        line = lines[at].strip()
        at += 1
        if not line or line.startswith("#"):
            continue
        name, _, rest = line.partition(" ")
        if name not in STEPS and name not in OF_A_RUN:
            raise Malformed(f"{at}: unknown directive: {name}")
        step = Step(at, name, split_words(at, name, rest.strip()),
                    rest.strip())
        checks += name in CHECKS
        if name in BLOCKS:
            at = read_block(step, lines, at)
        if name in OF_A_RUN:
            attach(run, step)
            continue
        run = step if name in ("run", "run-sh") else None
        steps.append(step)
    if not any(step.name in ("run", "run-sh") for step in steps):
        raise Malformed("1: the case runs nothing")
    if not checks:
        raise Malformed("1: the case checks nothing")
    return steps


def difference(what, expected, got):
    """A diff of two texts, line by line."""
    lines = difflib.unified_diff(
        expected.splitlines(), got.splitlines(),
        f"{what} expected", f"{what} got", lineterm="", n=2)
    diff = "\n".join(lines)
    if not diff:
        return f"{what}: the end of the last line differs"
    return diff


class Runner:
    """Does the steps of one case in one directory."""

    def __init__(self, directory, bin_dir, testdata):
        self.directory = Path(directory)
        self.testdata = testdata
        self.env = dict(os.environ, LC_ALL="C", TZ="UTC", HOME=str(directory),
                        PATH=f"{bin_dir}{os.pathsep}{os.environ['PATH']}")

    def path(self, name):
        """Where a name of the case is."""
        if name.startswith("testdata/"):
            return self.testdata / name[len("testdata/"):]
        return self.directory / name

    def existing(self, name):
        """The same, of a file that must be there."""
        path = self.path(name)
        if not path.is_file():
            raise Failed(f"no such file: {name}")
        return path

    def do(self, step):
        """Does one step."""
        words = step.words
        if step.name == "file":
            shutil.copyfile(self.existing(words[2]), self.path(words[0]))
        elif step.name == "text":
            self.path(words[0]).write_bytes(step.block.encode())
        elif step.name in ("run", "run-sh"):
            self.run(step)
        elif step.name == "same":
            if self.existing(words[0]).read_bytes() != \
                    self.existing(words[1]).read_bytes():
                raise Failed(f"{words[0]} and {words[1]} differ")
        elif step.name == "exists":
            if not os.path.lexists(self.path(words[0])):
                raise Failed(f"{words[0]} is missing")
        elif step.name == "missing":
            if os.path.lexists(self.path(words[0])):
                raise Failed(f"{words[0]} is there")
        elif step.name == "files":
            self.files(words)
        elif step.name == "mode":
            self.mode(words[0], int(words[1], 8))
        elif (step.name == "skip-if-root") == (os.geteuid() == 0):
            raise Skipped("for root" if os.geteuid() else "not for root")

    def run(self, step):
        """Runs a command and checks all that it left."""
        command = step.words
        if step.name == "run-sh":
            command = ["/bin/sh", "-c", step.rest]
        stdin = os.devnull
        if "stdin" in step.of_run:
            stdin = self.existing(step.of_run["stdin"].words[0])
        status, *output = self.execute(command, stdin)

        wrong = []
        expected = 0
        if "exit" in step.of_run:
            expected = int(step.of_run["exit"].words[0])
        if status != expected:
            wrong.append(f"exit status {status}, expected {expected}")
        for stream, data in zip(("stdout", "stderr"), output):
            self.check_stream(step, stream, data, wrong)
        if wrong:
            raise Failed("\n".join([f"{step.name} {step.rest}"] + wrong))

    def execute(self, command, stdin):
        """Runs a command; its exit status, output and error output."""
        with open(stdin, "rb") as source:
            try:
                child = subprocess.Popen(
                    command, cwd=self.directory, env=self.env, stdin=source,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    start_new_session=True)
            except OSError as why:
                raise Failed(f"{command[0]}: {why.strerror}") from why
        try:
            output = child.communicate(timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired as why:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            raise Failed(f"still running after {TIMEOUT_SECONDS} s: "
                         + " ".join(command)) from why
        return child.returncode, *output

    @staticmethod
    def check_stream(step, stream, data, wrong):
        """Compares an output with the text or patterns expected."""
        got = data.decode("utf-8", "backslashreplace")
        patterns = step.of_run.get(stream + "-matches")
        if patterns is None:
            expected = ""
            if stream in step.of_run:
                expected = step.of_run[stream].block
            if data != expected.encode():
                wrong.append(difference(stream, expected, got))
            return
        for pattern in patterns:
            if not re.search(pattern.rest, got, re.MULTILINE):
                wrong.append(f"{stream} does not match {pattern.rest}\n"
                             f"it is:\n{got}")

    def files(self, expected):
        """Compares what is in the directory with a list."""
        got = []
        for path in self.directory.rglob("*"):
            name = str(path.relative_to(self.directory))
            is_directory = path.is_dir() and not path.is_symlink()
            got.append(name + "/" if is_directory else name)
        if sorted(got) != sorted(expected):
            raise Failed(difference("files", "\n".join(sorted(expected)),
                                    "\n".join(sorted(got))))

    def mode(self, name, expected):
        """Compares the permissions of a file."""
        path = self.path(name)
        if not path.exists():
            raise Failed(f"{name} is missing")
        got = stat.S_IMODE(path.stat().st_mode)
        if got != expected:
            raise Failed(f"mode of {name} is {got:04o}, "
                         f"expected {expected:04o}")


def run_case(path, bin_dir, testdata):
    """Runs one case; returns "passed", "failed" or "skipped"."""
    line = 1
    try:
        steps = parse(path.read_bytes().decode())
        with tempfile.TemporaryDirectory(prefix="case-") as directory:
            runner = Runner(directory, bin_dir, testdata)
            for step in steps:
                line = step.line
                runner.do(step)
    except Malformed as why:
        print(f"FAIL {path.stem}\n{path}:{why}")
        return "failed"
    except Skipped as why:
        print(f"skip {path.stem}: {why}")
        return "skipped"
    except (Failed, OSError, UnicodeError) as why:
        print(f"FAIL {path.stem}\n{path}:{line}: {why}")
        return "failed"
    print(f"pass {path.stem}")
    return "passed"


def find_cases(names, only):
    """The case files that the command line names, in order."""
    cases = []
    for name in names:
        path = Path(name)
        found = sorted(path.glob("*.case")) if path.is_dir() else [path]
        cases += [case for case in found
                  if not only or fnmatch.fnmatch(case.stem, only)]
    if not cases:
        sys.exit("run_cases.py: no cases found")
    return cases


def main():
    """Runs the cases that the command line asks for."""
    parser = argparse.ArgumentParser(
        description="Runs command-line cases.",
        epilog="The syntax of a case is described at the top of this file.")
    parser.add_argument("--bin", required=True, metavar="DIR",
                        help="directory of the programs")
    parser.add_argument("--testdata", required=True, metavar="DIR",
                        help="directory that cases call testdata/")
    parser.add_argument("--only", metavar="NAME",
                        help="run the cases of this name; * and ? work")
    parser.add_argument("cases", nargs="+", metavar="CASES_DIR_OR_FILE")
    args = parser.parse_args()

    os.umask(0o022)
    results = [run_case(case, Path(args.bin).resolve(),
                        Path(args.testdata).resolve())
               for case in find_cases(args.cases, args.only)]
    passed, failed, skipped = (results.count(word) for word in
                               ("passed", "failed", "skipped"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    if failed:
        sys.exit(1)
    sys.exit(0 if passed else 77)


if __name__ == "__main__":
    main()
