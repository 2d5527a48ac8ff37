#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each function of nc3z.h has a caller that is not ours alone.

A function of the interface stays for ever.  So each has a caller in an
example, the Python package, the plug-in for netcdf-c, the calls of netCDF, the
viewer, or inline in the header itself; what only the programs call is in
nc3z_tools.h.  And checks that the numbers of nc3z.h that the viewer's reader
repeats are those of abi.txt, which hygiene_abi compares with the compiler's.
"""

from pathlib import Path
import re
import sys

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("test/examples", "lib/python/nc3z", "lib/netcdf-plugin", "lib/compat",
          "tools/viewer/reader", "lib/nc3z.h")
READER = "tools/viewer/reader/src/core.ts"
# Of version 1.0.0, for programs that pack into memory: ours pack into files.
KEPT = ("nc3z_sink_open_memory",)
# Python and the plug-in look functions up by their names without the prefix.
BY_NAME = r'\b{0}\b|["(]{1}[")]|"{2}"'


def sources():
    """The text of each file that may call, but declarations and comments."""
    for place in PLACES:
        path = ROOT / place
        for file in [path] if path.is_file() else sorted(path.rglob("*.*")):
            if file.suffix in (".c", ".h", ".py", ".ts"):
                text = file.read_text(encoding="utf-8", errors="replace")
                text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
                # The table of prototypes in Python.
                text = re.sub(r'^    "\w+": \[', "", text, flags=re.M)
                yield re.sub(r"\bNC3Z_API\b[^;{]*;", "", text)


def wrong_numbers(text, wanted):
    """Those of the reader that are not those of the header."""
    block = re.search(r"^/\*\* Numbers of nc3z\.h;.*?\n(.*?)^$", text,
                      re.M | re.S)[1]
    return [f"{READER}:1: {line} is not in nc3z.h"
            for line in block.splitlines()
            if (found := re.fullmatch(r"const (\w+) = (\w+);", line)) is None
            or wanted.get("NC3Z_" + found[1]) != int(found[2], 0)]


def main():
    text = "\n".join(sources())
    names = re.findall(r"\b(nc3z_\w+);",
                       (ROOT / "lib/nc3z.map").read_text(encoding="utf-8"))
    names = [name for name in names if not name.startswith("nc3z_compat_")]
    rows = (ROOT / "test/hygiene/abi.txt").read_text(encoding="utf-8")
    wrong = wrong_numbers(
        (ROOT / READER).read_text(encoding="utf-8"),
        {name: int(number) for name, number in
         re.findall(r"^(NC3Z_\w+) (-?\d+)$", rows, re.M)})
    for name in names:
        short = name.removeprefix("nc3z_")
        pattern = BY_NAME.format(name, short,
                                 re.sub("^(source|sink)_", "", short))
        if name not in KEPT and not re.search(pattern, text):
            wrong.append(f"lib/nc3z.map:1: {name} has no caller but our own "
                         "programs: see nc3z_tools.h")
    print("\n".join(wrong + [f"{len(names)} functions, {len(wrong)} wrong"]))
    sys.exit(1 if wrong or not names else 0)


if __name__ == "__main__":
    main()
