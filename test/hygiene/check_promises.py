#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each test that doc/promises.md names exists, and that CI runs it.

usage: check_promises.py BUILD

In the tables under "Tests", names in code are tests of ctest, which may end in
*, or files of test/cli.  CI runs what "./dev test" does, and the labels in
.ci/run.  A test that this build does not have is one of a label that begins its
name.
"""

import fnmatch
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def labels_of_tests(build):
    """The labels of each test by its name."""
    listed = json.loads(subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1"],
        capture_output=True, check=True).stdout)
    return {test["name"]: {label for row in test.get("properties", [])
                           if row["name"] == "LABELS" for label in row["value"]}
            for test in listed["tests"]}


def why_not_run(name, tests, in_turn):
    """Why CI does not run what is called so; None if it does."""
    if name.endswith(".case"):
        there = (ROOT / "test/cli" / name).is_file()
        return None if there else "is no file of test/cli"
    found = fnmatch.filter(tests, name)
    if not found and name.partition("_")[0] not in in_turn:
        return "is no test, and begins with no label of .ci/run"
    for test in found:
        if "again" in tests[test] and not tests[test] & in_turn:
            return f"{test}: ./dev test leaves it out, and .ci/run has no label"
    return None


def main():
    """Says what is promised and not run."""
    tests = labels_of_tests(sys.argv[1])
    listed = re.search(r"^labels=\((.*?)\)", (ROOT / ".ci/run").read_text(),
                       re.M | re.S)
    in_turn = {item.partition(":")[0] for item in listed[1].split()}
    text = (ROOT / "doc/promises.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\|.*\|$", text.partition("\n## Tests\n")[2], re.M)
    names = {name for row in rows
             for name in re.findall(r"`([\w*]+(?:\.case)?)`",
                                    row.split("|")[2])}
    if not names or not tests or not in_turn:
        sys.exit("doc/promises.md, ctest or .ci/run names nothing")
    wrong = [f"doc/promises.md: {name}: {why}" for name in sorted(names)
             if (why := why_not_run(name, tests, in_turn))]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(names)} names in doc/promises.md; CI runs all of them")


if __name__ == "__main__":
    main()
