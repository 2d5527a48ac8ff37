#!/usr/bin/env python3
"""Checks the worked example of the specification against the programs.

The bytes printed in format-spec/nc3z-format.md are put together again.  They
must restore to testdata/classic/cdf1-worked-example.nc, be what nc3compress
makes of it, and be annotated as annotate.py annotates them.  With --update the
example is written into the specification.
"""

import argparse
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from annotate import annotate  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = ROOT / "format-spec/nc3z-format.md"
ORIGINAL = ROOT / "testdata/classic/cdf1-worked-example.nc"
BEGIN = "<!-- example: begin -->\n"
END = "<!-- example: end -->\n"
OWN_OFFSETS = ("Plan, as it is", "Catalogue, inflated")


def split(text):
    before, rest = text.split(BEGIN)
    example, after = rest.split(END)
    return before, example, after


def bytes_of(example):
    """The archive, from the lines whose offsets are the archive's."""
    data = bytearray()
    inner = False
    for line in example.splitlines():
        found = re.match(r" *(\d+)  ((?:[0-9a-f]{2} ?)+)(?:  |$)", line)
        if found and not inner:
            assert int(found[1]) == len(data), line
            data += bytes.fromhex(found[2])
        elif line and not found:
            inner = line.startswith(OWN_OFFSETS)
    return bytes(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    program = options.bin / "nc3compress"
    packed = subprocess.run(
        [program, "--codec", "deflate", "-c", ORIGINAL], check=True,
        capture_output=True).stdout
    text = "```\n" + "\n".join(annotate(packed)).strip() + "\n```\n"
    before, example, after = split(SPEC.read_text())
    if options.update:
        SPEC.write_text(before + BEGIN + text + END + after)
        return 0
    shown = bytes_of(example)
    restored = subprocess.run([program, "-d"], input=shown, check=True,
                              capture_output=True).stdout
    wrong = [what for what, right in (
        ("does not restore", restored == ORIGINAL.read_bytes()),
        ("is not what nc3compress makes", shown == packed),
        ("is not annotated as annotate.py does", example == text),
    ) if not right]
    for what in wrong:
        print(f"{SPEC.name}: the example {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
