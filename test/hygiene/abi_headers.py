#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what tests of the binary interface make from nc3z.h.

usage: abi_headers.py rows|older|newer HEADER OUTPUT

"rows" are lines of C, one for each struct, field and constant.  "older" is the
header as it could have been before its structs of options got their last
field, "newer" as it could be once each has got one more.
"""

import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.S)
STRUCT = re.compile(r"^struct (nc3z_\w+) \{\n(.*?)^\};", re.M | re.S)
ENUM = re.compile(r"^enum nc3z_\w+ \{\n(.*?)^\};", re.M | re.S)
NUMBER = re.compile(r"^#define (NC3Z_(?!VERSION|API)\w+) \S", re.M)
# What begins with its size.
OPTIONS = re.compile(r"nc3z_(\w+_options|callbacks)$")


def fields(body):
    """The names of the fields of a struct."""
    for declaration in COMMENT.sub("", body).split(";"):
        declaration = " ".join(declaration.split())
        pointer = re.search(r"\(\*(\w+)\)\(", declaration)
        if pointer:
            yield pointer[1]
        elif declaration:
            yield re.search(r"(\w+)(\[\w+\])?$", declaration)[1]


def rows(text):
    """A line of C for whatever is to stay as it is."""
    for name, body in STRUCT.findall(text):
        yield f"STRUCT({name})"
        for field in fields(body):
            yield f"FIELD({name}, {field})"
    for body in ENUM.findall(text):
        for name in re.findall(r"\bNC3Z_\w+", COMMENT.sub("", body)):
            yield f"NUMBER({name})"
    for name in NUMBER.findall(text):
        yield f"NUMBER({name})"


def older(match):
    """A struct of options without its last fields."""
    name, body = match.groups()
    if not OPTIONS.match(name):
        return match[0]
    kept = [text for text in COMMENT.sub("", body).split(";") if text.strip()]
    return f"struct {name} {{\n{';'.join(kept[:-1])};\n}};"


def newer(match):
    """A struct of options with one more field."""
    name, body = match.groups()
    if not OPTIONS.match(name):
        return match[0]
    return f"struct {name} {{\n{body}\tuint64_t added;\n}};"


def main():
    """Writes one of the three."""
    if len(sys.argv) != 4 or sys.argv[1] not in ("rows", "older", "newer"):
        sys.exit(__doc__)
    with open(sys.argv[2], encoding="utf-8") as file:
        text = file.read()
    if sys.argv[1] == "rows":
        text = "\n".join(rows(text)) + "\n"
    else:
        text = STRUCT.sub(globals()[sys.argv[1]], text)
        text += f"#define ABI_{sys.argv[1].upper()}\n"
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write(text)


main()
