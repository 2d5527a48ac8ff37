#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests run_cases.py: cases that must pass, fail or be skipped do so."""

import os
from pathlib import Path
import subprocess
import sys
import tempfile
import unittest

RUNNER = Path(__file__).resolve().parent / "run_cases.py"
ROOT = os.geteuid() == 0

GOOD = {
    "output": "run hello\nstdout\nhello\nend\n",
    "stderr": "run-sh echo a; echo b >&2; exit 3\nexit 3\nstdout\na\nend\n"
              "stderr\nb\nend\n",
    "matches": "run-sh echo one two\nstdout-matches ^one\n"
               "stdout-matches two$\n",
    "quotes": "run printf '%s\\n' 'a  b'\nstdout\na  b\nend\n",
    "stdin": "text in\n\\end\nend\nrun cat\nstdin in\nstdout\n\\end\nend\n",
    "no_stdin": "run cat\nexit 0\n",
    "copy": "file x from testdata/x.bin\nrun cp x .y\nfiles x .y\nsame x .y\n"
            "same x testdata/x.bin\nexists x\nmissing z\n",
    "directories": "run-sh mkdir d; : >d/f\nfiles d/ d/f\n",
    "mode": "run-sh : >f; chmod 640 f\nmode f 0640\n",
    "umask": "run-sh : >f\nmode f 0644\n",
    "comment": "# nothing\n\n  run true\n  exit 0\n",
    "signal": "run-sh kill -9 $$\nexit -9\n",
}

# case -> what its report must contain
BAD = {
    "status": ("run false\nexit 0\n", "exit status 1, expected 0"),
    "default_status": ("run false\nfiles\n", "exit status 1"),
    "output": ("run-sh echo a\nstdout\nb\nend\n", "-b\n+a"),
    "default_stdout": ("run-sh echo a\nexit 0\n", "+a"),
    "default_stderr": ("run-sh echo a >&2\nexit 0\n", "+a"),
    "newline": ("run printf a\nstdout\na\nend\n", "end of the last line"),
    "binary": ("run printf '\\377'\nstdout\n\\xff\nend\n", "stdout"),
    "matches": ("run-sh echo a\nstdout-matches ^b\n", "does not match ^b"),
    "second_match": ("run-sh echo a\nstdout-matches a\nstdout-matches c\n",
                     "does not match c"),
    "same": ("run-sh echo a >a; echo b >b\nsame a b\n", "a and b differ"),
    "same_missing": ("run true\nsame a b\n", "no such file: a"),
    "exists": ("run true\nexists f\n", "f is missing"),
    "missing": ("run-sh : >f\nmissing f\n", "f is there"),
    "files": ("run-sh : >.f\nfiles\n", "+.f"),
    "files_fewer": ("run true\nfiles f\n", "-f"),
    "mode": ("run-sh : >f; chmod 600 f\nmode f 0644\n", "0600"),
    "no_command": ("run no-such-command\nexit 0\n", "no-such-command"),
    "no_testdata": ("file x from testdata/none\nrun true\nexit 0\n",
                    "no such file"),
    "later": ("run true\nexit 0\nrun false\n", ":3: run false"),
    "unknown": ("run true\nexit 0\nexpect 1\n", ":3: unknown directive"),
    "no_check": ("run true\n", "checks nothing"),
    "no_run": ("text f\nend\nexists f\n", "runs nothing"),
    "no_end": ("run true\nstdout\na\n", 'without "end"'),
    "no_number": ("run true\nexit one\n", "needs a number"),
    "twice": ("run true\nexit 0\nexit 1\n", "a second exit"),
    "both": ("run true\nstdout\nend\nstdout-matches a\n",
             "stdout and stdout-matches"),
    "not_of_a_run": ("run true\nfiles\nexit 0\n", "without a run above it"),
    "words": ("run true\nsame a\n", "wrong number of words"),
    "quote": ("run 'a\nexit 0\n", "quotation"),
    "regex": ("run true\nstdout-matches (\n", ":2: "),
    "empty": ("", "runs nothing"),
}


class RunCases(unittest.TestCase):
    """Each test writes cases to a directory and runs the runner on it."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.top = Path(directory.name)
        for name in ("bin", "testdata", "cases"):
            (self.top / name).mkdir()
        hello = self.top / "bin" / "hello"
        hello.write_text("#!/bin/sh\necho hello\n")
        hello.chmod(0o755)
        (self.top / "testdata" / "x.bin").write_bytes(bytes(range(256)))

    def run_cases(self, cases, *options):
        """Runs cases given as name -> text; returns status and output."""
        for name, text in cases.items():
            (self.top / "cases" / f"{name}.case").write_text(text)
        done = subprocess.run(
            [sys.executable, RUNNER, "--bin", self.top / "bin",
             "--testdata", self.top / "testdata", *options,
             self.top / "cases"], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_good(self):
        """All good cases pass."""
        status, output = self.run_cases(GOOD)
        self.assertEqual(
            output.splitlines()[-1],
            f"{len(GOOD)} passed, 0 failed, 0 skipped", output)
        self.assertEqual(status, 0)

    def test_bad(self):
        """Each bad case fails, and the report says why."""
        for name, (text, why) in BAD.items():
            with self.subTest(name):
                status, output = self.run_cases({"case": text})
                self.assertEqual(status, 1, output)
                self.assertIn(why, output)
                self.assertEqual(output.splitlines()[-1],
                                 "0 passed, 1 failed, 0 skipped")

    def test_one_bad_of_many(self):
        """One failure fails the whole, and the others still run."""
        status, output = self.run_cases(
            {"a": "run false\nexit 0\n", "b": "run true\nexit 0\n"})
        self.assertEqual(status, 1)
        self.assertIn("1 passed, 1 failed, 0 skipped", output)

    def test_skip(self):
        """A case for the other kind of user is skipped, not run."""
        skip = "skip-if-root" if ROOT else "skip-unless-root"
        stay = "skip-unless-root" if ROOT else "skip-if-root"
        status, output = self.run_cases({"a": f"{skip}\nrun false\nexit 0\n"})
        self.assertEqual(status, 77)
        self.assertIn("0 passed, 0 failed, 1 skipped", output)
        status, output = self.run_cases({"a": f"{stay}\nrun false\nexit 0\n"})
        self.assertEqual(status, 1, output)

    def test_only(self):
        """--only chooses by name; no case at all is a failure."""
        cases = {"a": "run false\nexit 0\n", "b": "run true\nexit 0\n"}
        status, output = self.run_cases(cases, "--only", "b")
        self.assertEqual(status, 0, output)
        self.assertIn("1 passed, 0 failed, 0 skipped", output)
        status, _ = self.run_cases(cases, "--only", "c")
        self.assertEqual(status, 1)


if __name__ == "__main__":
    unittest.main()
