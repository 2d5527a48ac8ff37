#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Messages name only options that the program has which says them.

All strings of the sources are looked at.  Those of a program's own directory
may name what its --help lists; those that nc3compress and nc3convert share,
what both list; those of the library, no option at all.  After the name of a
program, options are those of that program.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Which programs say what the sources in a directory have.
SPEAKERS = {
    "tools/batch": ["nc3compress", "nc3convert"],
    "tools/common": ["nc3compress", "nc3convert", "nc3dump"],
    "tools/compress": ["nc3compress"], "tools/convert": ["nc3convert"],
    "tools/manifest": ["nc3manifest"], "tools/salvage": ["nc3salvage"],
    "tools/dump": ["nc3dump"], "tools/mount": ["nc3mount"],
    "tools/run": ["nc3run"], "lib": []}

# What shared code says to users of one program only.
SAID_BY = {
    "name does not have the suffix of an archive: use -o, -c or -S":
        "nc3compress",
    "is a pipe: use -o or -c": "nc3compress",
    "fewer threads (-T1) need less memory, as do lower levels and smaller "
    "blocks (-b)": "nc3compress",
    "--exclude": "nc3compress", "--include": "nc3compress",
    "not on disk; --offline recalls and packs it": "nc3compress",
    "offline and left alone: --offline packs such files, too": "nc3compress",
    # Options of a command that nc3run runs.
    "-f": "cdo", "--format": "cdo",
    # From the environment, which has a table of its own.
    " takes levels, -T, -q, -v, --codec, --chunks and --max-memory":
        "nc3compress"}

STRING = r'"(?:[^"\\\n]|\\.)*"'
JOINT = r'"\s*(?:PRI[a-z]\d+\s*)?"'
STRINGS = re.compile(rf'{STRING}(?:\s*(?:PRI[a-z]\d+\s*)?{STRING})*')
COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
WORDS = re.compile(r"(?<![\w/.%*\\='-])"
                   r"(?:(nc3[a-z]+|fusermount3|xz|mount|tar|aws|head|tail|dd|"
                   r"objcopy)\b|"
                   r"(--[a-z][a-z0-9-]*|-[A-Za-z](?![\w-])))")


def options_of(bin_directory, program):
    """What --help lists."""
    text = subprocess.run([bin_directory / program, "--help"], check=True,
                          capture_output=True, text=True).stdout
    return set(re.findall(r"(?<![\w-])(--[a-z][a-z0-9-]*|-[A-Za-z0-9])"
                          r"(?![\w-])", text))


def code_of(path):
    """A C source without comments and directives."""
    text = COMMENTS.sub(" ", path.read_text(encoding="utf-8"))
    for line in text.split("\n#")[1:]:
        text = text.replace("#" + line.split("\n")[0], "")
    return text


def strings_in(code):
    """Each string as one, however it is broken."""
    for found in STRINGS.findall(code):
        yield re.sub(JOINT, "", found)[1:-1]


def faults(string, speakers, options):
    """Options in a string that a program which says it does not have."""
    said_by = SAID_BY.get(string)
    programs = speakers if not said_by else \
        [said_by] if said_by in options else None
    for program, option in WORDS.findall(string):
        if program:
            programs = [program] if program in options else None
        elif programs is not None:
            missing = [name for name in programs if option not in options[name]]
            if missing or not programs:
                yield f"{option}: not one of {', '.join(missing) or 'all'}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    bin_directory = parser.parse_args().bin
    options = {name: options_of(bin_directory, name)
               for names in SPEAKERS.values() for name in names
               if (bin_directory / name).exists()}
    nstrings, wrong, unused = 0, [], set(SAID_BY)
    for directory, speakers in SPEAKERS.items():
        if not all(name in options for name in speakers):
            continue
        for path in sorted((ROOT / directory).rglob("*.c")):
            if path.name == "completion.c":  # writes scripts of shells
                continue
            for string in strings_in(code_of(path)):
                nstrings += 1
                unused.discard(string)
                wrong += [f"{path.relative_to(ROOT)}: \"{string}\": {fault}"
                          for fault in faults(string, speakers, options)]
    wrong += [f"no such string: {string}" for string in sorted(unused)]
    print(*wrong, f"{nstrings} strings, {len(wrong)} wrong", sep="\n")
    # The scan sees what it is to see.
    expected = {"-c", "-S"}
    found = {fault.split(":")[0] for fault in faults(
        "use -o, -c or -S; nc3compress -c", ["nc3convert"], options)}
    return 1 if wrong or found != expected or nstrings < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
