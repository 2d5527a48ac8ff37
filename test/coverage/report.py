#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which lines of lib/ and tools/ the tests ran, from what a build with
--coverage has left.

    report.py BUILD [--lines] [--least PERCENT]

Prints a table of files; with --lines also the numbers of the lines that were
not run.  Fails if fewer than PERCENT of the lines of one of the two were.
"""

import argparse
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEASURED = "lib", "tools"


def count_lines(build):
    """{file: {line: how often}}, of all objects together."""
    counts = {}
    notes = sorted(str(p.resolve()) for name in MEASURED
                   for p in (build / name).rglob("*.gcno"))
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["gcov", "--json-format", "--preserve-paths", *notes],
                       cwd=directory, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        for path in pathlib.Path(directory).glob("*.gcov.json.gz"):
            with gzip.open(path) as f:
                data = json.load(f)
            for file in data["files"]:
                add_file(counts, file, data["current_working_directory"])
    return counts


def add_file(counts, file, directory):
    path = (pathlib.Path(directory) / file["file"]).resolve()
    if ROOT not in path.parents:
        return
    path = path.relative_to(ROOT)
    if path.parts[0] not in MEASURED:
        return
    lines = counts.setdefault(path, {})
    for line in file["lines"]:
        number = line["line_number"]
        lines[number] = max(lines.get(number, 0), line["count"])


def ranges(numbers):
    """1, 2, 3, 7 as "1-3 7"."""
    runs = []
    for n in numbers:
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return " ".join(f"{a}-{b}" if a < b else str(a) for a, b in runs)


def show(name, counts, options):
    """The table of one directory, and whether enough of it was run."""
    ran, known = 0, 0
    for path, lines in sorted(counts.items()):
        if path.parts[0] != name:
            continue
        missed = sorted(n for n, count in lines.items() if count == 0)
        ran += len(lines) - len(missed)
        known += len(lines)
        print(f"{path!s:40} {len(lines):5} lines "
              f"{100 * (1 - len(missed) / len(lines)):6.1f} %"
              + (f"  {ranges(missed)}" if options.lines and missed else ""))
    if not known:
        sys.exit(f"no figures of {name}/: were the tests run?")
    print(f"{name + '/':40} {known:5} lines {100 * ran / known:6.1f} %")
    return 100 * ran >= options.least * known


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--least", type=float, default=0)
    options = parser.parse_args()
    counts = count_lines(options.build)
    enough = [show(name, counts, options) for name in MEASURED]
    return 0 if all(enough) else 1


if __name__ == "__main__":
    sys.exit(main())
