#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the module netcdf against that of netcdf-fortran.

usage: check_module.py --fc COMPILER --calls CALLS.f90 --ours DIR --theirs DIR

Every constant of theirs must be in ours and print the same, and the other way
round; so must every function but those in ABSENT; each must be called by the
program that compares results.
"""

import argparse
import gzip
from pathlib import Path
import re
import subprocess
import sys
import tempfile

# What writes, and what is about types and files that only netCDF-4 has.
ABSENT = re.compile(
    r"nf90_(?:create|redef|enddef|set_fill|delete|def_|put_|rename_|del_att"
    r"|copy_att|insert_|\w*(?:_par|_mp|_par_access)$|(?:set|inq)_base_pe"
    r"|inq_(?:compound|cmp_|vlen|enum|opaque|var_filter))")

# What netcdf-fortran has from 4.6.2 on, most of it about netCDF-4 and Zarr, and
# a number that grows.
LATER = re.compile(
    r"nf90_(?:e(?:empty|filter|inmemory|nczarr|nofilter|noobject|nullpad|object"
    r"|plugin|rcfile|s3)|[sg]et_meta_block_size|inq_var_(?:quantize|zstandard)"
    r"|noquantize|quantize_\w+)|nf904_last_error")

# One name of the module: its number, name, module and what it is.
SYMBOL = re.compile(r"\d+ '(nf90\w+)' 'netcdf' '' 1 \(\((\w+)")
GENERIC = re.compile(r"\( ?'(nf90\w+)' 'netcdf' \d")


def names_of(directory):
    """Constants and functions of the module in a directory."""
    data = gzip.decompress((directory / "netcdf.mod").read_bytes()).decode()
    text = " ".join(data.split())
    symbols = SYMBOL.findall(text)
    generics = set(GENERIC.findall(text))
    # only those that a program can use are in the list at the end
    public = set(re.findall(r"'(nf90\w+)' 0 \d+", text)) | generics
    constants = {name for name, kind in symbols if kind == "PARAMETER"}
    functions = {name for name, kind in symbols if kind == "PROCEDURE"}
    return constants & public, functions & public | generics


def printed(args, directory, names):
    """What a program prints that uses the module of a directory."""
    source = "program names\n  use netcdf\n  implicit none\n" + "".join(
        f"  write (*, *) kind({name}), {name}\n" for name in names) + "end\n"
    with tempfile.TemporaryDirectory() as place:
        program = Path(place) / "names"
        path = program.with_suffix(".f90")
        path.write_text(source, encoding="ascii")
        # nothing is called, so nothing is linked
        subprocess.run([args.fc, "-I", directory, path, "-o", program],
                       check=True)
        return subprocess.run([program], check=True,
                              stdout=subprocess.PIPE).stdout.splitlines()


def main():
    """Compares the modules; prints what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fc", required=True)
    for name in ("--calls", "--ours", "--theirs"):
        parser.add_argument(name, required=True, type=Path)
    args = parser.parse_args()
    constants, functions = names_of(args.ours)
    their_constants, their_functions = (
        {name for name in names if name in constants | functions or
         not LATER.fullmatch(name)} for names in names_of(args.theirs))
    if len(their_constants) < 150 or len(their_functions) < 60:
        sys.exit(f"{args.theirs}/netcdf.mod: {len(their_constants)} constants, "
                 f"{len(their_functions)} functions found")

    wrong = [f"{name}: a constant of one module alone"
             for name in constants ^ their_constants]
    wanted = {name for name in their_functions
              # the members of what is generic
              if not ABSENT.match(name)
              and not re.search(r"byte(?:int|real)$|_(?:text|any)$", name)}
    wrong += [f"{name}: a function of one module alone"
              for name in functions ^ wanted]
    both = sorted(constants & their_constants)
    wrong += [f"{name} is {ours}, not {theirs}" for name, ours, theirs in
              zip(both, printed(args, args.ours, both),
                  printed(args, args.theirs, both), strict=True)
              if ours != theirs and not LATER.fullmatch(name)]
    calls = args.calls.read_text(encoding="utf-8").lower()
    wrong += [f"{name}: not called" for name in functions
              if not re.search(rf"\b{name}\(", calls)]
    print("\n".join(sorted(wrong)
                    + [f"{len(both)} constants, {len(functions)} functions, "
                       f"{len(wrong)} wrong"]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
