#!/usr/bin/env python3
"""Makes the classic files in testdata/classic and the README about them.

usage: make_testdata.py [--check | --ncdump]

  --check   make all again and compare with what is here
  --ncdump  compare what ncdump does with each file with the README
"""

import functools
import os
import resource
import subprocess
import sys
import tempfile

from broken_cases import BROKEN_SECTIONS
from classic_cases import SECTIONS, Collector

HERE = os.path.dirname(os.path.abspath(__file__))

README_HEAD = """\
# Test data

`classic/` holds small netCDF classic files, each with the one peculiarity
that its name tells. `make_testdata.py` makes them and this file, from the
lists in `classic_cases.py` and `broken_cases.py`; `make_testdata.py --check`
shows that all are up to date.

`archives/` holds archives and a list of their checksums, which every later
version of nc3z must read; `../test/independent/keep_archives.py` made them.

The first column says what must happen when the file is packed:

- *packed*: packed without a word, exit status 0;
- *warned*: packed with a warning, exit status 3: a variable overlaps the
  header or an earlier variable, is out of order, or libnetcdf would refuse it
  for another reason, or the file is shorter than its header says;
- *either*: a number in the header breaks the format, but a parser may make
  sense of it: warned or refused;
- *refused*: there is no parseable classic header: exit status 1, a message
  with the offset and the reason, and no archive.

Whatever was packed is restored bit for bit.

The second column says what `ncdump` 4.9.0 does (`make_testdata.py --ncdump`
verifies it):

- *prints*: also, at times, what it should not, such as cut headers;
- *header*: `-h` prints the header, but the data are wrong or have no end;
- *refuses*: a message;
- *crashes*: or hangs, or asks for gigabytes of memory.
"""


@functools.lru_cache(maxsize=None)
def all_cases():
    add = Collector()
    for collect in SECTIONS + BROKEN_SECTIONS:
        collect(add)
    return add.cases


def readme():
    """The text of README.md, one table line per file."""
    lines = [README_HEAD]
    section = None
    for case in all_cases():
        if case.section != section:
            section = case.section
            lines.append(f"\n## {section}\n\n| file | must be | ncdump "
                         "| what it is |\n|---|---|---|---|\n")
        lines.append(f"| {case.name} | {case.must} | {case.ncdump} "
                     f"| {case.what} |\n")
    return "".join(lines)


def write_all(directory):
    """Writes README.md and classic/ into directory."""
    os.makedirs(os.path.join(directory, "classic"), exist_ok=True)
    with open(os.path.join(directory, "README.md"), "w",
              encoding="utf-8") as out:
        out.write(readme())
    for case in all_cases():
        with open(os.path.join(directory, "classic", case.name), "wb") as out:
            out.write(case.content)


def contents(directory):
    """The bytes of README.md and of each file in classic/, by name."""
    names = ["README.md"]
    names += ["classic/" + name
              for name in os.listdir(os.path.join(directory, "classic"))]
    found = {}
    for name in names:
        with open(os.path.join(directory, name), "rb") as file:
            found[name] = file.read()
    return found


def check():
    """Names the files that are not what write_all makes."""
    with tempfile.TemporaryDirectory() as directory:
        write_all(directory)
        made = contents(directory)
    here = contents(HERE)
    return [name for name in sorted(made.keys() | here.keys())
            if made.get(name) != here.get(name)]


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def ncdump_does(case):
    """Whether ncdump does with the file what the case says."""
    path = os.path.join(HERE, "classic", case.name)
    options = ["-h"] if case.ncdump == "header" else []
    status = subprocess.run(["ncdump", *options, path], timeout=60, check=False,
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL,
                            preexec_fn=limit_memory).returncode
    return {"prints": status == 0, "header": status == 0,
            "refuses": status > 0, "crashes": status != 0}[case.ncdump]


def check_ncdump():
    """Names the files for which the README is wrong about ncdump."""
    return [f"{case.name}: not {case.ncdump}" for case in all_cases()
            if not ncdump_does(case)]


def main(arguments):
    checks = {"--check": check, "--ncdump": check_ncdump}
    if not arguments:
        write_all(HERE)
        return 0
    if len(arguments) > 1 or arguments[0] not in checks:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    wrong = checks[arguments[0]]()
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
