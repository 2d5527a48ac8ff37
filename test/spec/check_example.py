#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the worked examples of the specification against the programs.

The bytes printed in format-spec/worked-examples.md are put together again.
They must restore to their originals and be annotated as annotate.py annotates
them.  The first must be what nc3compress makes of testdata/classic/
cdf1-worked-example.nc, if the libraries are those of Debian 12, the second what
forge.py makes.  The stored bytes of a block of context coding are those of
context_example.py, those of LZMA2 those of lzma_example.py, and the programs
read them.  With --update the examples are written there.
"""

import argparse
import pathlib
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(ROOT / "test/independent"), str(ROOT / "testdata"),
                 str(ROOT / "test")]
import forge  # noqa: E402
import context_example  # noqa: E402
import lzma_example  # noqa: E402
from annotate import INFLATED, annotate  # noqa: E402
from classic_writer import SHORT, ClassicWriter, Var  # noqa: E402
from libraries import pack_as_shown  # noqa: E402

SPEC = ROOT / "format-spec/worked-examples.md"
ORIGINAL = ROOT / "testdata/classic/cdf1-worked-example.nc"
OWN_OFFSETS = tuple(f"{title}, {how}" for title in ("Plan", "Catalogue")
                    for how in INFLATED.values())


def marks(name):
    return f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"


def split(text, name):
    begin, end = marks(name)
    before, rest = text.split(begin)
    example, after = rest.split(end)
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


def linear(program):
    """The linear archive, None if it is made elsewhere, and its original."""
    if not pack_as_shown():
        return ORIGINAL.read_bytes(), None
    packed = subprocess.run(
        [program, "--codec", "deflate", "-c", ORIGINAL], check=True,
        capture_output=True).stdout
    return ORIGINAL.read_bytes(), packed


def chunked(_):
    """The chunked archive and its original."""
    original = ClassicWriter(1, (("y", 3), ("x", 5)), variables=(
        Var("v", SHORT, "y x", [100 * i for i in range(15)]),)).build()
    begin = len(original) - 32
    assert original[begin:-2] == struct.pack(
        ">15h", *(100 * i for i in range(15)))
    made = forge.Forge(original, (
        ("header_length", "Q", begin), ("record_begin", "Q", 0),
        ("record_length", "Q", 0), ("records", "Q", 0)), [
            forge.Linear(0, 1, 4096, 0, [
                (forge.NO_VARIABLE, 0, begin),
                (forge.NO_VARIABLE, begin + 30, forge.END - begin - 30)]),
            forge.Chunked(0, 2, [(3, 2), (5, 2)], (0, begin, 30))])
    made.cut_blocks()
    return original, made.build()


EXAMPLES = {"example": linear, "chunked": chunked}
OF_BLOCKS = {"context": context_example, "lzma": lzma_example}


def replace(name, text):
    begin, end = marks(name)
    before, _, after = split(SPEC.read_text(), name)
    SPEC.write_text(before + begin + text + end + after)


def check_blocks(program, name, update):
    """An example of blocks; whether it is right."""
    example = OF_BLOCKS[name]
    text = "```\n" + example.text() + "\n```\n"
    if update:
        replace(name, text)
        return True
    _, shown, _ = split(SPEC.read_text(), name)
    if shown != text:
        print(f"{SPEC.name}: {name}: not as it must be")
    blocks = list(example.make())
    made = forge.example(blocks, len(blocks[0][0]))
    done = subprocess.run([program, "-d"], input=made.build(), check=False,
                          capture_output=True)
    if done.stdout != made.original:
        print(f"{SPEC.name}: {name}: is not read", done.stderr.decode())
    return shown == text and done.stdout == made.original


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    program, status = options.bin / "nc3compress", 0
    for name, make in EXAMPLES.items():
        original, archive = make(program)
        _, example, _ = split(SPEC.read_text(), name)
        shown = bytes_of(example)
        archive = archive or shown
        text = "```\n" + "\n".join(annotate(archive)).strip() + "\n```\n"
        if options.update:
            replace(name, text)
            continue
        restored = subprocess.run([program, "-d"], input=shown, check=True,
                                  capture_output=True).stdout
        for what, right in (
                ("does not restore", restored == original),
                ("is not what it must be", shown == archive),
                ("is not annotated as annotate.py does", example == text)):
            if not right:
                print(f"{SPEC.name}: {name}: the archive {what}")
                status = 1
    for name in OF_BLOCKS:
        if not check_blocks(program, name, options.update):
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
