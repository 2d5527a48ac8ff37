#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the manual pages.

usage: check_manuals.py PAGES-OF-THE-LIBRARY

The pages in that directory, which are made of nc3z.h, have each constant, and
declare each function of the library, whose name leads to its page; groff and
mandoc, where they are installed, have no complaint about any page.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check_library(made, pages):
    """Yields what the pages of the library lack."""
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    text = text.replace("\\-", "-")
    header = (ROOT / "lib/nc3z.h").read_text(encoding="utf-8")
    functions = re.findall(r"^NC3Z_API [^;]*?(nc3z_\w+)\(", header, re.M | re.S)
    for name in functions:
        page = made / f"{name}.3"
        if not page.exists() or not re.search(
                rf"\b{name}\(",
                page.read_text(encoding="utf-8")):
            yield f"{page}: no {name}()"
    constants = re.findall(r"^\t(NC3Z_[A-Z0-9_]+) = ", header, re.M)
    for name in constants:
        if not re.search(rf"\b{name}\b", text):
            yield f"{made}: no {name}"
    print(f"{len(functions)} functions, {len(constants)} constants")
    for word in "NC3Z_API", "static inline", "#ifdef", "__attribute__":
        if word in text:
            yield f"{made}: has {word}"
    if re.search("^- ", text, re.M):
        yield f"{made}: has a list item that is not marked"
    # What is emphasised in the header is not marked in the page.
    for words in re.findall(r"(?<![\w/])\*\w[\w\s]*\w\*(?!\w)", text):
        yield f"{made}: has {words}"


def complaints(page):
    """Yields those of the programs that format pages.  mandoc's about style are
    left out: it wants short lines where ours end with sentences."""
    for command in (["groff", "-man", "-ww", "-Tutf8", "-K", "utf8"],
                    ["mandoc", "-T", "lint", "-W", "warning"]):
        if not shutil.which(command[0]):
            print(f"skipped: {command[0]} is not installed")
            continue
        done = subprocess.run([*command, str(page)], capture_output=True,
                              text=True, check=False)
        said = done.stderr
        if command[0] == "mandoc":
            said += done.stdout
        if done.returncode or said:
            yield f"{page}: {command[0]}: {said}"


def main():
    """Checks all pages."""
    made = pathlib.Path(sys.argv[1])
    pages = [page for page in made.iterdir() if not page.is_symlink()]
    wrong = list(check_library(made, pages))
    pages += [*ROOT.glob("tools/*/*.[1-8]")]
    for page in pages:
        wrong += complaints(page)
    print(f"{len(pages)} pages, {len(wrong)} wrong")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
