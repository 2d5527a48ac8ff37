#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what options of the build leave out, and how kernels are compiled.

usage: check_options.py --cmake CMAKE --source DIR

Configures nc3z several times, and builds nothing.  Without its parts only the
library is left; by default the tests are; in a build of every type the loops
over arrays are compiled with -O3, after whatever else is said.  Kernels for
AVX2 are there if the compiler is one for x86-64, whatever processor CMake is
told.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# Objects of each part, by a piece of their names.
PARTS = {
    "TOOLS": "tools/compress/", "PLUGIN": "lib/netcdf-plugin/",
    "FORTRAN": "lib/fortran/", "REMOTE": "lib/remote/",
    "MOUNT": "tools/mount/nc3mount.c",
}
KERNELS = "filter/kernels.c", "classic/converters.c", "filter/planes.c"


class Configured:
    """What would be compiled in WORK with some options and its earlier ones."""

    def __init__(self, args, work, *options):
        done = subprocess.run(
            [args.cmake, "-S", args.source, "-B", work,
             "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options],
            capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{options}: {done.stderr}")
        commands = json.loads(
            (pathlib.Path(work) / "compile_commands.json").read_text())
        self.installs = "".join(
            path.read_text() for path in
            pathlib.Path(work).rglob("cmake_install.cmake"))
        self.commands = {
            str(pathlib.Path(entry["file"]).relative_to(args.source)):
            entry["command"].split() for entry in commands
            if entry["file"].startswith(str(args.source))}

    def has(self, piece):
        """Whether a source with this in its name is compiled."""
        return any(piece in name for name in self.commands)

    def with_avx2(self):
        """The sources that are compiled for it, and the one that calls them."""
        return sorted(name for name, words in self.commands.items()
                      if "-mavx2" in words or "-DNC3Z_HAVE_AVX2" in words)

    def optimisation(self, name):
        """The last -O of a source, which counts."""
        words = [word for word in self.commands[name] if word[:2] == "-O"]
        return words[-1] if words else "-O0"


def check_parts(default, bare):
    """Yields what is wrong with options."""
    for name, piece in PARTS.items():
        if name in ("TOOLS", "PLUGIN", "FORTRAN") and not default.has(piece):
            yield f"{name} is not built"
        if bare.has(piece):
            yield f"{name}=OFF: {piece} is built"
    if default.has("test/"):
        yield "tests are built without BUILD_TESTING"
    if "nc3z/__init__.py" in bare.installs or "python3" in bare.installs:
        yield "PYTHON=OFF: it is installed"
    if default.optimisation("lib/read/open.c") not in ("-O2", "-O3"):
        yield "without a build type the library is not optimised"


def check_kernels(configured, kind):
    """Yields where kernels are not compiled as they should be."""
    for name in KERNELS:
        found = configured.optimisation(f"lib/{name}")
        if found != "-O3":
            yield f"{kind}: {name} is compiled with {found}"


def check_processor(default, renamed):
    """Yields what is wrong with kernels for AVX2."""
    if renamed.with_avx2() != default.with_avx2():
        yield f"named i686: for AVX2 are {renamed.with_avx2()}"
    is_x86_64 = os.uname().machine == "x86_64" and sys.maxsize > 1 << 32
    if bool(default.with_avx2()) != is_x86_64:
        yield f"for AVX2 are {default.with_avx2()}"


def main():
    """Checks all."""
    parser = argparse.ArgumentParser(
        description="Checks what options of the build do.")
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    args = parser.parse_args()
    off = ["-DNC3Z_PYTHON=OFF", *(f"-DNC3Z_{name}=OFF" for name in PARTS)]
    with tempfile.TemporaryDirectory() as work:
        default = Configured(args, f"{work}/default")
        debug = Configured(args, f"{work}/bare", "-DCMAKE_BUILD_TYPE=Debug",
                           *off)
        plain = Configured(args, f"{work}/bare", "-DCMAKE_BUILD_TYPE=None",
                           "-DCMAKE_C_FLAGS=-O1")
        renamed = Configured(args, f"{work}/renamed",
                             "-DCMAKE_SYSTEM_NAME=Linux",
                             "-DCMAKE_SYSTEM_PROCESSOR=i686", *off)
    wrong = [*check_parts(default, debug), *check_processor(default, renamed),
             *check_kernels(default, "default"),
             *check_kernels(debug, "Debug"), *check_kernels(plain, "None")]
    print(f"{len(wrong)} wrong")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
