#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that "./dev test" runs each test in at least one of its two builds.

usage: check_turns.py GCC_BUILD SANITIZER_BUILD

Tests labelled "again" are left to "./dev test again" in that build, and those
labelled "once" are for gcc alone.  So no test may be left to "again" in one
build if the other one leaves it, too, or does not run it; but for those that
have no other label.  Without tests in GCC_BUILD the check is skipped (77).
"""

import json
from pathlib import Path
import subprocess
import sys


def tests_of(build):
    """The labels of each test, by its name."""
    if not (build / "CTestTestfile.cmake").exists():
        return {}
    listing = subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
        stdout=subprocess.PIPE).stdout
    return {test["name"]: {label for item in test.get("properties", ())
                           if item["name"] == "LABELS"
                           for label in item["value"]}
            for test in json.loads(listing)["tests"]}


def never_first(gcc, sanitizers):
    """The tests that neither build runs before "again"."""
    first = {name for name, labels in gcc.items()
             if "again" not in labels or labels == {"again"}}
    first |= {name for name, labels in sanitizers.items()
              if not labels & {"again", "once"}}
    return sorted((gcc.keys() | sanitizers.keys()) - first)


def main():
    """Compares both builds; returns the exit status."""
    both, one = {"unit"}, {"unit", "again"}
    if never_first({"a": both, "b": one, "c": both, "d": one, "e": one,
                    "f": {"again"}, "g": {"unit", "once"}},
                   {"a": one, "b": both, "c": both, "d": one,
                    "g": {"unit", "once"}}) != ["d", "e"]:
        sys.exit("check_turns.py: finds what is not, or not what is")
    gcc, sanitizers = (tests_of(Path(build)) for build in sys.argv[1:])
    if not gcc:
        print(f"skipped: no tests in {sys.argv[1]}")
        return 77
    wrong = never_first(gcc, sanitizers)
    for name in wrong:
        print(f"{name}: left to \"./dev test again\" in every build that has "
              "it; see run_first() in test/CMakeLists.txt")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
