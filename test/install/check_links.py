#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the links of installed documents lead to installed files.

usage: check_links.py DIRECTORY
"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^):\s#]+)(?:#[^):\s]*)?\)")


def main():
    """Checks all documents below the directory."""
    if len(sys.argv) != 2:
        sys.exit("usage: check_links.py DIRECTORY")
    count, wrong = 0, []
    for document in sorted(pathlib.Path(sys.argv[1]).rglob("*.md")):
        for link in LINK.findall(document.read_text(encoding="utf-8")):
            count += 1
            if not (document.parent / link).is_file():
                wrong.append(f"{document}: {link} is not installed")
    if wrong or not count:
        sys.exit("\n".join([*wrong, f"{count} links, {len(wrong)} wrong"]))
    print(f"{count} links lead to installed files")


if __name__ == "__main__":
    main()
