#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that all places that say which version this is agree.

usage: check_versions.py [--release]

The header lib/nc3z.h has the version, the first lines of
format-spec/nc3z-format.md that of the format.  With --release also what must
be true on the day of a release: NEWS.md and the changelog for Debian no longer
say that there was none, and all dates are the same.
"""

import argparse
from pathlib import Path
import re
import sys

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = "tools/packaging"


def text_of(name):
    """A file of the project."""
    return (ROOT / name).read_text(encoding="utf-8")


class Check:
    """Compares what files say with what they should."""

    def __init__(self):
        self.wrong = []
        self.count = 0

    def has(self, name, pattern, *expected):
        """The groups of the first match of a pattern are as expected."""
        match = re.search(pattern, text_of(name), re.M)
        self.count += 1
        found = match.groups() if match else None
        if found != expected:
            self.wrong.append(f"{name}:1: {found} in place of {expected}, "
                              f"by {pattern}")


def check_version(check):
    """The version of the programs; returns it."""
    header = text_of("lib/nc3z.h")
    version = re.search(r'^#define NC3Z_VERSION "([0-9.]+)"$', header, re.M)[1]
    for name, number in zip(("MAJOR", "MINOR", "PATCH"), version.split(".")):
        check.has("lib/nc3z.h", rf"^#define NC3Z_VERSION_{name} (\d+)$", number)
    check.has("CITATION.cff", r"^version: (.*)$", version)
    check.has("NEWS.md", r"^## ([0-9.]+) ", version)
    check.has("doc/promises.md", r"^\| nc3z ([0-9.]+) \|", version)
    check.has("lib/python/nc3z/__init__.py", r'^__version__ = "(.*)"$', version)
    check.has("tools/viewer/reader/package.json", r'"version": "(.*)"', version)
    check.has(f"{PACKAGING}/debian/changelog", r"^nc3z \((.*)-\d+\)", version)
    for page in sorted(ROOT.glob("tools/*/*.[1-8]")):
        check.has(page.relative_to(ROOT),
                  r'^\.TH \S+ \d "[0-9-]+" "nc3z ([0-9.]+)"', version)
    return version


def check_soname(check, major):
    """The number of the interface, which is the major version."""
    check.has("lib/python/nc3z/_library.py",
              r'^SONAME = "libnc3z\.so\.(\d+)"$', major)
    check.has("lib/CMakeLists.txt", r"libnc3z-remote\.so\.(\d+)", major)
    check.has("lib/CMakeLists.txt", r"libnc3z-hdf5\.so\.(\d+)", major)
    for room in ("remote", "hdf5"):
        check.has(f"lib/{room}/CMakeLists.txt", r"SUFFIX \.so\.(\d+)", major)
    check.has(f"{PACKAGING}/debian/control", r"^Package: libnc3z(\d+)$", major)
    symbols = text_of(f"{PACKAGING}/debian/libnc3z{major}.symbols")
    for node in re.findall(r"^(NC3Z_[0-9.]+) \{", text_of("lib/nc3z.map"),
                           re.MULTILINE):
        check.count += 1
        if f" (symver){node} " not in symbols:
            check.wrong.append(f"libnc3z{major}.symbols:1: no {node}")
    if not (ROOT / f"{PACKAGING}/debian/libnc3z{major}.install").is_file():
        check.wrong.append(f"{PACKAGING}/debian: no libnc3z{major}.install")


def check_format(check):
    """The version of the format."""
    version = re.search(r"^Version (\d+\.\d+)\.",
                        text_of("format-spec/nc3z-format.md"), re.M)[1]
    check.has("tools/man/nc3z.5", r"^The format is version (\d+\.\d+)\.$",
              version)
    check.has("doc/promises.md",
              r"^\| nc3z [0-9.]+ \| (?:1\.0 to )?(\d+\.\d+) \|", version)
    check.has("format-spec/registration.md", r"^\| version \| (\d+\.\d+);",
              version)


def check_release(check):
    """What a release needs."""
    date = re.search(r'^\.TH NC3Z 7 "([^"]+)"', text_of("tools/man/nc3z.7"),
                     re.M)[1]
    check.has("CITATION.cff", r"^date-released: (.*)$", date)
    check.has("NEWS.md", r"^## [0-9.]+ \((.*)\)$", date)
    check.has(f"{PACKAGING}/debian/changelog", r"^nc3z \(.*\) (\w+);",
              "unstable")


def main():
    """Checks."""
    parser = argparse.ArgumentParser(
        description="Checks that all versions agree.")
    parser.add_argument("--release", action="store_true",
                        help="and that this is a release")
    args = parser.parse_args()
    check = Check()
    version = check_version(check)
    check_soname(check, version.split(".", maxsplit=1)[0])
    check_format(check)
    if args.release:
        check_release(check)
    print(f"{check.count} places, {len(check.wrong)} wrong")
    if check.wrong:
        sys.exit("\n".join(check.wrong))


if __name__ == "__main__":
    main()
