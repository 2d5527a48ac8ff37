#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the manual pages.

usage: check_manuals.py PAGE-OF-THE-LIBRARY

The page nc3z(3), which is made of nc3z.h, declares each function of the library and
has each constant; groff, where it is installed, has no complaint about any page.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check_library(page):
    """Yields what the page of the library lacks."""
    text = page.read_text(encoding="utf-8").replace("\\-", "-")
    header = (ROOT / "lib/nc3z.h").read_text(encoding="utf-8")
    functions = re.findall(r"^NC3Z_API [^;]*?(nc3z_\w+)\(", header, re.M | re.S)
    for name in functions:
        if not re.search(rf"\b{name}\(", text):
            yield f"{page}: no {name}()"
    constants = re.findall(r"^\t(NC3Z_[A-Z0-9_]+) = ", header, re.M)
    for name in constants:
        if not re.search(rf"\b{name}\b", text):
            yield f"{page}: no {name}"
    print(f"{len(functions)} functions, {len(constants)} constants")
    for word in "NC3Z_API", "static inline", "#ifdef", "__attribute__":
        if word in text:
            yield f"{page}: has {word}"


def main():
    """Checks all pages."""
    made = pathlib.Path(sys.argv[1])
    wrong = list(check_library(made))
    pages = [made, *ROOT.glob("tools/*/*.[1-8]")]
    if shutil.which("groff"):
        for page in pages:
            done = subprocess.run(
                ["groff", "-man", "-ww", "-Tutf8", "-K", "utf8", str(page)],
                capture_output=True, text=True, check=False)
            if done.returncode or done.stderr:
                wrong.append(f"{page}: {done.stderr}")
    else:
        print("skipped: groff is not installed")
    print(f"{len(pages)} pages, {len(wrong)} wrong")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
