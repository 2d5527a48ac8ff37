#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each directory of lib/ includes only what its floor may see.

Includes are written from lib/, such as "classic/layout.h", so the line itself
tells which room it reaches.  A room may always see itself and the interfaces
(INTERFACES); compat/ and fortran/ see nc3z_compat.h too; a room of tools/ sees
the interfaces, itself and common/; the installed headers see the standard
headers of C.  No unit, a .c and its .h, includes itself by way of others.

In Python, a module of a package imports those of lower floors only
(PYTHON_FLOORS), wherever in the module that stands and also for types alone;
and no module of the tree imports itself by way of others.

A tag of a header is that of no other struct, and in an installed one begins
with nc3z_.  Threads are started in few places.
"""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
import re
import sys

ROOT = Path(__file__).resolve().parents[2]

# room of lib/ -> the rooms below it that it may include
ALLOWED = {
    "base": set(),
    "io": {"base"},
    "classic": {"base"},
    "filter": {"base"},
    "codec": {"base"},
    "parallel": {"base"},
    "plan": {"base", "classic"},
    "hyperslab": {"base", "classic", "plan"},
    "context": {"base", "filter", "codec"},
    "block": {"base", "filter", "codec", "context"},
    "choose": {"base", "filter", "codec", "block"},
    "archive": {"base", "io", "codec"},
    "tar": {"base", "io", "archive"},
    "write": {"base", "io", "classic", "codec", "parallel", "plan", "block",
              "choose", "archive"},
    "restore": {"base", "io", "classic", "parallel", "plan", "block",
                "archive"},
    "read": {"base", "io", "classic", "parallel", "plan", "hyperslab",
             "block", "archive"},
    "convert": {"base", "io", "classic", "parallel", "plan", "hyperslab",
                "block", "choose", "archive", "write", "restore", "read"},
    "salvage": {"base", "io", "classic", "parallel", "plan", "block",
                "archive", "write"},
    "exact": {"base", "io", "classic", "filter", "codec", "parallel", "plan",
              "hyperslab", "archive", "write", "restore", "read"},
    "hdf5": {"base", "classic", "exact"},
    "compat": set(),
    "fortran": set(),
    "netcdf-plugin": set(),
    "remote": {"base", "io"},
}

# room of tools/ -> the rooms that it may include
TOOL_ROOMS = {
    "common": set(),
    "batch": {"common"},
    "compress": {"common", "batch"},
    "convert": {"common", "batch"},
    "manifest": {"common", "batch"},
    "salvage": {"common", "batch"},
    "dump": {"common"},
    "mount": {"common"},
    "run": {"common"},
    "viewer": {"common", "dump"},
}

# package -> its modules, floor by floor, the lowest first
PYTHON_FLOORS = {
    "lib/python/nc3z": (
        "_calls _indexing _masks _names _structs", "_errors",
        "_encodings _library", "_boxes _codec _fsspec", "_sources",
        "_classic _open _sinks", "_dataset _numcodecs _values _zarr3_codec",
        "_jobs _picture _zarr_metadata", "_accessor _info", "_show",
        "_blocks _file", "_exact _zarr_keys", "_plain", "_combine",
        "_references", "_zarr2_store _zarr3_store netcdf4 xarray_backend",
        "zarr", "__init__", "__main__"),
    "tools/farm/nc3farm": (
        "__init__", "farm", "check", "bundle plan", "work", "run", "main"),
}

INSTALLED = ("lib/nc3z.h", "lib/nc3z_compat.h")

# What all programs call, and what only the project's own do.
INTERFACES = ("nc3z.h", "nc3z_tools.h")

STANDARD = {
    "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h",
    "inttypes.h", "iso646.h", "limits.h", "locale.h", "math.h", "setjmp.h",
    "signal.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h",
    "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "stdnoreturn.h",
    "string.h", "tgmath.h", "threads.h", "time.h", "uchar.h", "wchar.h",
    "wctype.h",
}

INCLUDE = re.compile(r'\s*#\s*include\b\s*(?:"([^"]*)"|<([^>]*)>|(.*))')


def sources(directory):
    """The C and C++ files under a directory."""
    return sorted(path for path in (ROOT / directory).rglob("*")
                  if path.suffix in (".c", ".h", ".cc"))


def includes(path):
    """Yields line number, "quoted" name and <system> name of each include."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] or match[3], match[2]


def wrong_in_header(_, quoted, system):
    """Why an installed header may not have this include, or None."""
    if quoted or system not in STANDARD:
        return "an installed header includes only standard headers"
    return None


def wrong_in_room(path, quoted, system):
    """Why a file of lib/ may not have this include, or None."""
    room = path.relative_to(ROOT / "lib").parts[0]
    if quoted is None:
        if system in INTERFACES or system.split("/")[0] in ALLOWED:
            return 'headers of ours are included with "", not <>'
        return None
    if quoted in INTERFACES:
        return None
    # Installed beside the directory of <netcdf.h>.
    if quoted.endswith("nc3z_compat.h") and room in ("compat", "fortran"):
        return None
    if "/" not in quoted or quoted.startswith("."):
        return 'includes are written from lib/: "room/header.h"'
    target = quoted.split("/")[0]
    if target not in ALLOWED:
        return f"there is no room {target}/ in lib/"
    if not (ROOT / "lib" / quoted).is_file():
        return f"there is no lib/{quoted}"
    if target != room and target not in ALLOWED[room]:
        return f"{room}/ may not include {target}/"
    return None


def wrong_in_tools(path, quoted, system):
    """Why a file of tools/ may not have this include, or None."""
    room = path.relative_to(ROOT / "tools").parts[0]
    if quoted is None:
        if system.split("/")[0] in ALLOWED:
            return "tools/ may not include headers of the library's inside"
        return None
    if quoted in INTERFACES:
        return None
    target = quoted.split("/")[0]
    if not (ROOT / "tools" / quoted).is_file() or target not in TOOL_ROOMS:
        return 'includes are an interface or written from tools/: ' \
            '"room/header.h"'
    if target != room and target not in TOOL_ROOMS[room]:
        return f"tools/{room}/ may not include tools/{target}/"
    return None


# Where threads are started: all others use these, or only locks.
THREADS = {
    "lib/parallel/threads.c", "lib/remote/loop.c", "tools/batch/batch.c",
    "tools/batch/signals.c", "tools/mount/archives.c",
}

TAG = re.compile(r"^(?:struct|union|enum) (\w+) \{", re.MULTILINE)


def wrong_tags():
    """Says which tags of headers stand in two files of lib/ or of tools/, and
    which of installed headers have not our prefix."""
    wrong = []
    for name in INSTALLED:
        for tag in TAG.findall((ROOT / name).read_text(encoding="utf-8")):
            if not tag.startswith("nc3z_"):
                wrong.append(f"{name}: {tag} does not begin with nc3z_")
    for directory in ("lib", "tools"):
        places = {}
        for path in sources(directory):
            text = path.read_text(encoding="utf-8", errors="replace")
            for tag in TAG.findall(text):
                places.setdefault(tag, []).append(path)
        for tag, paths in sorted(places.items()):
            if len(paths) > 1 and any(p.suffix == ".h" for p in paths):
                names = ", ".join(str(p.relative_to(ROOT)) for p in paths)
                wrong.append(f"{names}: {tag} is two things")
    return wrong


def wrong_threads():
    """Says where threads are started that should not be."""
    starting = {path.relative_to(ROOT).as_posix()
                for path in sources("lib") + sources("tools")
                if "pthread_create(" in path.read_text(encoding="utf-8")}
    return [f"{name}: starts a thread" for name in sorted(starting - THREADS)] \
        + [f"{name}: starts no thread" for name in sorted(THREADS - starting)]


def wrong_circles():
    """Names the units of a circle of includes, if there is one."""
    sees = {}
    for directory in ("lib", "tools"):
        for path in sources(directory):
            seen = sees.setdefault(path.with_suffix(""), set())
            for _, quoted, _ in includes(path):
                target = ROOT / directory / (quoted or "")
                if target.with_suffix("") != path.with_suffix(""):
                    seen.add(target.with_suffix(""))
    try:
        TopologicalSorter(sees).prepare()
    except CycleError as error:
        return [" includes ".join(unit.relative_to(ROOT).as_posix()
                                  for unit in reversed(error.args[1]))]
    return []


def python_imports(path):
    """Yields line number and names of each import, wherever it stands, and of
    modules that are named by a text: the first that is a module is meant."""
    own = path.parent.name
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, [alias.name]
        elif isinstance(node, ast.ImportFrom):
            name = ".".join([own] * (node.level > 0) +
                            [node.module] * bool(node.module))
            for alias in node.names:
                yield node.lineno, [f"{name}.{alias.name}", name]
        elif isinstance(node, ast.Call) and \
                ast.unparse(node.func).endswith("import_module"):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant):
                    yield node.lineno, [str(part.value)]


def module_file(path, name):
    """The file of ours that a name of an import means, or None: one of a
    package that has floors, or one beside it."""
    package, _, rest = name.partition(".")
    found = path.with_name(f"{name}.py")
    for directory in PYTHON_FLOORS:
        if Path(directory).name == package:
            found = ROOT / directory / f"{rest or '__init__'}.py"
    return found if found.is_file() else None


def wrong_floors(sees):
    """Says which modules see one that is not below them."""
    wrong = []
    for directory, floors in PYTHON_FLOORS.items():
        height = {ROOT / directory / f"{name}.py": floor
                  for floor, names in enumerate(floors)
                  for name in names.split()}
        there = set((ROOT / directory).glob("*.py"))
        wrong += [f"{path.relative_to(ROOT)}:1: is on no floor, or not there"
                  for path in sorted(there ^ height.keys())]
        for path in sorted(there & height.keys()):
            wrong += [f"{path.relative_to(ROOT)}:{line}: imports "
                      f"{target.stem}, which is not below it"
                      for target, line in sorted(sees[path].items())
                      if height.get(target, -1) >= height[path]]
    return wrong


def wrong_in_python():
    """Says which imports of Python go up or in a circle."""
    sees = {}
    for directory in ("lib", "test", "testdata", "tools"):
        for path in (ROOT / directory).rglob("*.py"):
            seen = sees[path] = {}
            for line, names in python_imports(path):
                files = filter(None, (module_file(path, n) for n in names))
                seen[next(files, path)] = line
            seen.pop(path, None)
    try:
        TopologicalSorter(sees).prepare()
    except CycleError as error:
        return [" imports ".join(path.relative_to(ROOT).as_posix()
                                 for path in reversed(error.args[1]))]
    return wrong_floors(sees)


def main():
    """Reads all includes; prints what is wrong."""
    wrong = wrong_tags() + wrong_threads() + wrong_circles() + \
        wrong_in_python()
    checked = 0
    for path in sources("lib") + sources("tools"):
        name = path.relative_to(ROOT)
        if name.parts[0] == "tools":
            if len(name.parts) < 3 or name.parts[1] not in TOOL_ROOMS:
                wrong.append(f"{name}:1: lies in no room of the table")
                continue
            rule = wrong_in_tools
        elif name.as_posix() in INSTALLED:
            rule = wrong_in_header
        elif name.as_posix() == "lib/nc3z_tools.h":
            continue
        elif len(name.parts) < 3 or name.parts[1] not in ALLOWED:
            wrong.append(f"{name}:1: lies in no room of the table")
            continue
        else:
            rule = wrong_in_room
        for line, quoted, system in includes(path):
            checked += 1
            why = rule(path, quoted, system)
            if why:
                wrong.append(f"{name}:{line}: {why}")
    if not checked:
        wrong.append("lib:1: no includes found")
    print("\n".join(wrong + [f"{checked} includes, {len(wrong)} wrong"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
