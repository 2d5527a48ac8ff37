#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks nc3z_netcdf.inc against the netcdf.inc that is installed.

usage: check_fortran.py --fc COMPILER --calls CALLS.f... --ours INC --theirs INC
                        --library LIBNC3ZF.a

Each constant must print the same with both, in fixed and in free form; each
function must have the same type in both, be in the library, which must have no
other but the subroutines of netCDF-2, and all be called by the programs that
compare results.
"""

import argparse
from pathlib import Path
import re
import subprocess
import sys
import tempfile

CONSTANT = re.compile(r"(\w+) *= *[^,()=\n]+(?=[,)])")
FUNCTIONS = re.compile(r"^ +external +(.*)", re.M)
TYPES = re.compile(r"^ +(integer|logical|character\*80) +(.*)", re.M)


def types_of(text):
    """What names are declared as."""
    return {name: what for what, names in TYPES.findall(text)
            for name in re.findall(r"\w+", names.partition("!")[0])}


def program(inc, names):
    """A program in either form that prints constants."""
    lines = ["      program names", "      implicit none",
             f"      include '{inc.name}'"]
    lines += [f"      write (*, *) {name}" for name in names]
    return "\n".join(lines + ["      end", ""])


def printed(args, inc, names, form):
    """What such a program prints."""
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "names.f"
        source.write_text(program(inc, names), encoding="ascii")
        # nothing of what is declared gets called, so nothing is linked
        subprocess.run([args.fc, f"-f{form}-form", "-std=legacy", "-I",
                        inc.parent, source, "-o", Path(directory) / "names"],
                       check=True)
        return subprocess.run([Path(directory) / "names"], check=True,
                              stdout=subprocess.PIPE).stdout.splitlines()


def in_library(library):
    """The functions of the library, without their underscores."""
    symbols = subprocess.run(["nm", "--defined-only", library], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    return {name[:-1] for name in
            re.findall(r" T (n(?:f_|c(?!3z))\w+_)$", symbols, re.M)}


def main():
    """Compares the names; prints what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fc", required=True)
    for name in ("--ours", "--theirs", "--library"):
        parser.add_argument(name, required=True, type=Path)
    parser.add_argument("--calls", required=True, type=Path, nargs="+")
    args = parser.parse_args()
    ours, theirs, *calls = (path.read_text(encoding="utf-8").lower() for path
                            in (args.ours, args.theirs, *args.calls))
    calls = "\n".join(calls)
    constants = CONSTANT.findall(ours)
    functions = set(", ".join(FUNCTIONS.findall(ours)).split(", "))
    if len(constants) < 190 or len(functions) < 95:
        sys.exit(f"{args.ours}:1: {len(constants)} constants, "
                 f"{len(functions)} functions found")

    wrong = []
    wanted = printed(args, args.theirs, constants, "fixed")
    for form in ("fixed", "free"):
        got = printed(args, args.ours, constants, form)
        wrong += [f"{name} in {form} form: {b}, not {a}" for name, a, b in
                  zip(constants, wanted, got, strict=True) if a != b]
    types = types_of(theirs)
    for name, what in types_of(ours).items():
        if types.get(name) != what:
            wrong.append(f"{name} is {what}, not {types.get(name)}")
    subroutines = {name for name in in_library(args.library)
                   if re.search(rf"\bcall {name}\(", calls)}
    wrong += [f"{name}: not both declared and in the library"
              for name in functions ^ (in_library(args.library) - subroutines)]
    # itself, or by what it is passed to
    wrong += [f"{name}: not called" for name in functions
              if not re.search(rf"\b{name}[(,]", calls)]
    print("\n".join(sorted(wrong)
                    + [f"{len(constants)} constants, {len(functions)} "
                       f"functions, {len(wrong)} wrong"]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
