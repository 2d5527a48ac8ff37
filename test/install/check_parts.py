#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the parts that are products of their own beside an installed nc3z.

usage: check_parts.py --cmake CMAKE --build DIR --prefix PREFIX [--fortran]

Installs the build and moves it, as check_install.py does, and takes the parts
away there.  Each is built in a copy of its directory alone, as a stranger
would, installed where nc3z is, and used.  The Python package is built by pip in
check_install.py.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile

from check_install import (
    HERE, Moved, check_find_package, check_fortran, output_of)

ROOT = HERE.parents[1]
# What is installed of each, by patterns.
PARTS = {
    "lib/fortran": ("lib/**/libnc3zf.a", "lib/**/nc3zf.pc",
                    "lib/**/nc3z-fortran*.cmake", "include/*.inc",
                    "include/nc3z/*.inc", "include/nc3z/*.mod"),
    "tools/farm": ("bin/nc3farm", "share/nc3z/nc3farm/*.py",
                   "share/man/man1/nc3farm.1", "share/**/*nc3farm*"),
}


def files_of(moved, part):
    """The files of a part, below the prefix."""
    return {path for pattern in PARTS[part]
            for path in moved.prefix.glob(pattern) if not path.is_dir()}


def build(moved, cmake, part):
    """Takes the part away, and makes it again from its directory alone."""
    wanted = files_of(moved, part)
    for path in wanted:
        path.unlink()
    source = moved.work / "alone" / pathlib.Path(part).name
    shutil.copytree(ROOT / part, source)
    made = moved.work / "made" / source.name
    output_of(cmake, "-S", source, "-B", made,
              f"-DCMAKE_PREFIX_PATH={moved.prefix}",
              f"-DCMAKE_INSTALL_PREFIX={moved.prefix}")
    output_of(cmake, "--build", made)
    output_of(cmake, "--install", made)
    found = files_of(moved, part)
    if not wanted or found != wanted:
        sys.exit(f"{part}: missing or more: "
                 f"{' '.join(map(str, sorted(wanted ^ found)))}")


def check_farm(moved):
    """Packs a file by a plan."""
    farm, files = moved.prefix / "bin/nc3farm", moved.work / "files"
    files.mkdir()
    shutil.copy(moved.work / "x.nc", files)
    output_of(farm, "plan", files, moved.work / "plan")
    output_of(farm, "run", moved.work / "plan")
    if not (files / "x.nc.nc3z").is_file():
        sys.exit("nc3farm has packed nothing")


def main():
    """Installs, moves, and makes the parts."""
    parser = argparse.ArgumentParser(
        description="Builds parts beside an installed nc3z.")
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--fortran", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        moved = Moved(args, pathlib.Path(work).resolve())
        build(moved, args.cmake, "tools/farm")
        check_farm(moved)
        if args.fortran:
            build(moved, args.cmake, "lib/fortran")
            check_fortran(moved)
            check_find_package(moved, args.cmake, True)
    print("nc3farm", "and libnc3zf" * args.fortran, "are made alone")


if __name__ == "__main__":
    main()
