#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each source file says its licence in one line, as SPDX has it.

usage: check_spdx.py [--fix]

All other files, and the copyright of all, are in .reuse/dep5; "reuse lint",
where it is installed, has to agree.  With --fix, lines that are missing are
put at the top of their files, after "#!".
"""

import argparse
from pathlib import Path
import shutil
import subprocess
import sys

from check_text import project_files

ROOT = Path(__file__).resolve().parents[2]
TAG = "-".join(["SPDX", "License", "Identifier: MIT"])  # not of this line
# Comments by the ends of names; of other files only scripts have a line.
STYLES = {
    "/* {} */": (".c", ".h", ".cc", ".ts", ".tsx", ".mjs", ".css"),
    "# {}": (".py", ".sh", ".cmake", "CMakeLists.txt"),
    "! {}": (".f90",),
}


def line_of(path):
    """The line that a file should have, None if it needs none."""
    if "corpus" in path.parts or "testdata" in path.parts[:-1]:
        return None
    for style, ends in STYLES.items():
        if path.name.endswith(ends):
            return style.format(TAG)
    with open(path, "rb") as file:
        if file.read(2) == b"#!":
            return f"# {TAG}"
    return None


def fixed(text, line):
    """The text with the line at its top."""
    first, newline, rest = text.partition("\n")
    if first.startswith("#!"):
        return first + newline + line + "\n" + rest
    return line + "\n" + text


def lint():
    """What "reuse lint" has against the project, "" if nothing."""
    if not shutil.which("reuse"):
        print("skipped: reuse is not installed")
        return ""
    done = subprocess.run(["reuse", "--root", ROOT, "lint"],
                          capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout[-3000:]


def main():
    """Checks, or puts in what is missing."""
    parser = argparse.ArgumentParser(
        description="Checks that source files say their licence.")
    parser.add_argument("--fix", action="store_true",
                        help="put in lines that are missing")
    args = parser.parse_args()
    count, wrong = 0, []
    for path in project_files():
        if not path.is_file() or path.is_symlink():
            continue
        line = line_of(path)
        if line is None:
            continue
        count += 1
        text = path.read_text(encoding="utf-8")
        if line in text.split("\n", 6)[:6]:
            continue
        if args.fix:
            path.write_text(fixed(text, line), encoding="utf-8")
        wrong.append(str(path.relative_to(ROOT)))
    if args.fix:
        print(f"{count} source files, {len(wrong)} got a line")
        return
    print(f"{count} source files, {len(wrong)} without a licence")
    if (ROOT / "LICENSE").read_bytes() != \
            (ROOT / "LICENSES/MIT.txt").read_bytes():
        wrong.append("LICENSES/MIT.txt: is not LICENSE; so")
    problem = lint()
    if wrong or problem:
        sys.exit("\n".join(f"{name}:1: no {TAG}" for name in wrong) + problem
                 + "\ncheck_spdx.py --fix puts lines in")


if __name__ == "__main__":
    main()
