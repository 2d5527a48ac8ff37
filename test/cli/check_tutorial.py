#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the examples of doc/tutorial.md and compares what they print.

usage: check_tutorial.py --bin DIR

Each line of a console block that begins with "$ " is run by bash, in a
directory with the data that the tutorial names; it prints what follows there.
Files are packed side by side, so the lines of one command may come in any
order. Seconds and rates depend on the machine, sizes of archives on the
versions of codecs (MASKS); where the codecs are not those of Debian 12, other
numbers need only be close.
"""

import argparse
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test"))
from libraries import pack_as_shown  # noqa: E402

TUTORIAL = ROOT / "doc/tutorial.md"
# Times, then sizes and ratios of archives: in a sentence, a sum and a list.
MASKS = ((r"[\d.]+ s, [\d.]+ MB/s", "... s, ... MB/s"),
         (r"archive \d+ bytes, ratio [\d.]+", "archive ..."),
         (r"archives [\d.]+ MB, ratio [\d.]+", "archives ..."),
         (r"^( +\d+) +\d+ +\d+\.\d\d(?=[ :])", r"\1 ..."))
DATA = "levitus_climatology.cdf", "coads_climatology.cdf"
SKIPPED = 77


def examples(text):
    """Yields commands, each with the lines that follow it."""
    for block in re.findall(r"^```console\n(.*?)^```", text,
                            flags=re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


def comparable(shown):
    """Lines in an order of their own, without what is masked."""
    for pattern, mask in MASKS:
        shown = re.sub(pattern, mask, shown, flags=re.M)
    return sorted(line.rstrip() for line in shown.splitlines())


def are_alike(wanted, got):
    """Whether outputs are the same, or differ as other libraries have it: in
    numbers of bytes, by no more than 2 %."""
    wanted, got = comparable(wanted), comparable(got)
    if wanted == got or pack_as_shown():
        return wanted == got
    wanted, got = (re.split(r"\b(\d+(?:\.\d+)?)\b", "\n".join(lines))
                   for lines in (wanted, got))
    return len(wanted) == len(got) and wanted[::2] == got[::2] and all(
        math.isclose(float(a), float(b), rel_tol=0.02)
        for a, b in zip(wanted[1::2], got[1::2]))


def copy_data(directory):
    """False if the data are not there."""
    if not shutil.which("dpkg"):
        return False
    listed = subprocess.run(["dpkg", "-L", "ferret-datasets"], text=True,
                            capture_output=True, check=False).stdout
    found = {pathlib.Path(line).name: line for line in listed.splitlines()}
    for name in DATA:
        if name not in found:
            return False
        shutil.copy(found[name], directory)
    return True


def run_examples(directory, environment):
    """Returns how many there are, and how many print something else."""
    count = wrong = 0
    for command, shown in examples(TUTORIAL.read_text(encoding="utf-8")):
        done = subprocess.run(["bash", "-c", command], cwd=directory,
                              env=environment, text=True, encoding="utf-8",
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        count += 1
        if not are_alike(shown, done.stdout):
            wrong += 1
            print(f"$ {command}\nprints\n{done.stdout}\nthe tutorial:\n{shown}")
    return count, wrong


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    options = parser.parse_args()
    path = f"{options.bin.resolve()}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory(prefix="nc3z-tutorial-") as directory:
        if not copy_data(directory):
            print("skipped: no ferret-datasets")
            return SKIPPED
        count, wrong = run_examples(directory, {
            **os.environ, "PATH": path, "LC_ALL": "C.UTF-8"})
    print(f"{count} examples, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
