#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Twice as many dimensions, variables and attributes are twice the work.

usage: check_linear.py --bin DIRECTORY

Meshes have tens of thousands of each.  Instructions are counted by callgrind.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "testdata"))
# pylint: disable=wrong-import-position
from classic_writer import INT, ClassicWriter, Var

COMMANDS = (("nc3dump",), ("nc3dump", "--json"),
            ("nc3compress", "--list", "--verbose"), ("nc3compress", "--test"),
            ("nc3salvage", "--force", "--output=saved.nc.nc3z"))
COUNT = 1000
RATIO_MAX = 2.3


def make(path, count):
    """As many dimensions, variables and attributes of the file."""
    numbers = range(count)
    path.write_bytes(ClassicWriter(
        dims=[(f"d{i}", 2) for i in numbers],
        atts=[(f"a{i}", INT, [i]) for i in numbers],
        variables=[Var(f"v{i}", INT, [i], [i, i]) for i in numbers]).build())


def count_instructions(command, cwd):
    """What the program and its threads take."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         *command], cwd=cwd, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr.decode()}")
    return int(re.search(rb"Collected : (\d+)", done.stderr)[1])


def main():
    """Counts each program on two files."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, required=True)
    args = parser.parse_args()
    args.bin = args.bin.resolve()
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        sys.exit(77)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="nc3z-linear-") as name:
        base = Path(name)
        for count in (COUNT, 2 * COUNT):
            make(base / f"{count}.nc", count)
            subprocess.run([args.bin / "nc3compress", f"{count}.nc"], cwd=base,
                           check=True)
        for program, *options in COMMANDS:
            one, two = (count_instructions(
                [args.bin / program, *options, f"{count}.nc.nc3z"], base)
                        for count in (COUNT, 2 * COUNT))
            print(f"{two / one:.2f} {program} {' '.join(options)}")
            failed += two > RATIO_MAX * one
    sys.exit(f"{failed} are not linear" if failed else 0)


if __name__ == "__main__":
    main()
