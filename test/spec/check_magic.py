#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""file(1) and shared-mime-info know archives by the entries in tools/, and
these say what format-spec/registration.md says.

usage: check_magic.py --bin DIR; exit status 77: there is no file(1)
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAGIC, MIME = ROOT / "tools/nc3z.magic", ROOT / "tools/nc3z-mime.xml"
FACTS = (ROOT / "format-spec/registration.md").read_text()
ORIGINAL = ROOT / "testdata/classic/cdf1-worked-example.nc"


def says(path, *options):
    return subprocess.run(["file", "-b", "-m", MAGIC, *options, path],
                          check=True, capture_output=True,
                          text=True).stdout.strip()


def fact(name):
    return re.search(rf"\| {name}[^|]*\| `([^`]*)`", FACTS)[1]


def main():
    """Compares what both say with what the files are."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    options = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "x.nc3z"
        subprocess.run([options.bin / "nc3compress", "-o", path, ORIGINAL],
                       check=True)
        begin = bytes.fromhex(fact("signature, beginning of file"))
        if not path.read_bytes().startswith(begin):
            wrong.append("registration.md: signature")
        mime = tree.parse(MIME).getroot()[0]
        space = "{http://www.freedesktop.org/standards/shared-mime-info}"
        value = mime.find(f"{space}magic/{space}match").get("value")
        if value.encode().decode("unicode_escape").encode("latin-1") != begin:
            wrong.append("nc3z-mime.xml: signature")
        if mime.get("type") != fact("media type"):
            wrong.append("nc3z-mime.xml: media type")
        if mime.find(f"{space}glob").get("pattern") != "*" + fact("extension"):
            wrong.append("nc3z-mime.xml: extension")
        if not shutil.which("file"):
            print("skipped: no file(1)", *wrong)
            return 1 if wrong else 77
        if says(path) != \
                "nc3z archive of a netCDF classic file, version 1.0":
            wrong.append(says(path))
        if says(path, "--mime-type") != mime.get("type"):
            wrong.append(says(path, "--mime-type"))
        if says(ORIGINAL, "--mime-type") == mime.get("type"):
            wrong.append("a classic file is no archive")
    print("\n".join(wrong) or "right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
