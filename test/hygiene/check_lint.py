#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs one tool that looks for mistakes over the tree; skipped without it.

usage: check_lint.py TOOL DIRECTORY

TOOL: pylint, on all Python (.pylintrc); mypy, on its packages; shellcheck, on
all scripts of sh and bash; tsc or oxlint, on the viewer, whose packages
./dev viewer installs.  What pylint was content with is written down in the
directory: it looks at that again when it has changed.
"""

import concurrent.futures
import hashlib
import os
from pathlib import Path
import shutil
import subprocess
import sys

ROOT = Path(__file__).resolve().parents[2]
VIEWER = ROOT / "tools" / "viewer"
SKIPPED = 77
PYTHON = b"#!/usr/bin/env python3"
SHELLS = (b"#!/bin/sh", b"#!/usr/bin/env bash", b"#!/bin/bash")
PYLINT = b"pylint 2.16."


def find(tool):
    """The program; for Python that of the system, with its packages."""
    place = f"/usr/bin:{os.environ['PATH']}"
    if tool in ("tsc", "oxlint"):
        place = str(VIEWER / "node_modules" / ".bin")
    found = shutil.which(tool, path=place)
    if not found:
        print(f"skipped: {tool} is not installed")
        sys.exit(SKIPPED)
    return found


def run(command, directory=ROOT):
    """Runs a command; what it printed, if it was not content."""
    done = subprocess.run(command, cwd=directory, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.stdout if done.returncode else ""


def sources():
    """All files but those that are built, by their first lines and names."""
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if not path.is_file() or parts[0].startswith("build") or \
                ".git" in parts or "node_modules" in parts:
            continue
        with open(path, "rb") as file:
            yield path, file.readline().rstrip()


def changed_since(work, law):
    """Directories of Python and their files, each with the name of what says
    that pylint was content with it; those that have one are left out."""
    found = {}
    for path, first in sources():
        if path.suffix == ".py" or first == PYTHON:
            found.setdefault(path.parent, []).append(path)
    for files in found.values():
        digest = hashlib.sha256(law)
        for path in files:
            digest.update(b"\0".join([os.fsencode(path), path.read_bytes()]))
        seen = work / digest.hexdigest()
        if not seen.exists():
            yield seen, files


def pylint(program, work):
    """Runs it on directories together, in several processes: all modules that
    one sees have names of their own."""
    version = subprocess.run([program, "--version"], check=True,
                             stdout=subprocess.PIPE).stdout
    if not version.startswith(PYLINT):
        print(f"skipped: not {PYLINT.decode()}, and others ask for more")
        sys.exit(SKIPPED)
    groups = [([], [], set()) for _ in range(os.cpu_count())]
    for seen, files in sorted(
            changed_since(work, version + (ROOT / ".pylintrc").read_bytes()),
            key=lambda both: -len(both[1])):
        names = {path.stem for path in files}
        group = min((group for group in groups if not group[2] & names),
                    key=lambda group: len(group[1]), default=None)
        if group is None:
            groups.append(group := ([], [], set()))
        group[0].append(seen)
        group[1].extend(files)
        group[2].update(names)

    def look(group):
        found = run([program, "--rcfile", ROOT / ".pylintrc", "--score=n",
                     "--msg-template={path}:{line}: {symbol}: {msg}",
                     *group[1]])
        for seen in group[0] if not found else ():
            work.mkdir(parents=True, exist_ok=True)
            seen.touch()
        return found
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return "".join(pool.map(look, filter(lambda group: group[1],
                                             groups)))


def mypy(program, work):
    """Strict on the library's package, which says its types."""
    python = "/usr/bin/python3" if Path("/usr/bin/python3").exists() \
        else sys.executable
    common = ["--cache-dir", work, "--python-executable", python,
              "--no-error-summary"]
    return run([program, *common, "--config-file",
                "lib/python/pyproject.toml", "lib/python/nc3z"]) + \
        run([program, *common, "--check-untyped-defs", "tools/farm/nc3farm"])


def shellcheck(program, _):
    """Runs it on all scripts at once."""
    return run([program, "--external-sources", "--source-path=SCRIPTDIR",
                "--severity=warning",
                *(path for path, first in sources() if first in SHELLS)])


def tsc(program, _):
    """Runs it as building the viewer does."""
    return run([program, "--noEmit"], VIEWER)


def oxlint(program, _):
    """Runs it on all that is ours."""
    return run([program, "--deny-warnings"], VIEWER)


TOOLS = {tool.__name__: tool for tool in (pylint, mypy, shellcheck, tsc,
                                          oxlint)}


def main():
    """Runs the tool that is named."""
    tool, work = sys.argv[1], Path(sys.argv[2]) / sys.argv[1]
    found = TOOLS[tool](find(tool), work)
    print(found or f"{tool} is content")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
