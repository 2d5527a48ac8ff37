#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the manual page nc3z(3) of the header.

usage: make_nc3z_3.py nc3z.h nc3z.7 > nc3z.3

Each section of the header is one of the page; declarations are printed as they
are, and after them the comment that stands before them.  The getters, which a
macro declares, are in the comment before that.  The date is that of nc3z(7).
"""

import re
import sys

NAME = "netCDF classic files as compressed, directly readable archives"
SEE_ALSO = ("nc3compress (1)", "nc3dump (1)", "nc3z (5)", "nc3z (7)")


def escaped(line):
    """A line of text for troff."""
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line[:1] in (".", "'") else line


def comment_lines(block):
    """The text of a comment, without its marks."""
    text = block.strip()[2:-2]
    return [re.sub(r"^\s*\* ?", "", line).rstrip()
            for line in text.split("\n")]


def code(lines):
    """Lines as they are."""
    return ([".PP", ".RS 4", ".nf"]
            + [escaped(line.expandtabs(8)) for line in lines] + [".fi", ".RE"])


def is_code(line):
    """Whether a line of a comment is an example or a table."""
    return line.startswith(("\t", "  "))


def paragraphs(lines):
    """The text of a comment."""
    out, i = [], 0
    while i < len(lines):
        end = i + 1
        while lines[i] and end < len(lines) and (
                is_code(lines[end]) == is_code(lines[i]) and lines[end]
                or is_code(lines[i]) and not lines[end]
                and end + 1 < len(lines) and is_code(lines[end + 1])):
            end += 1
        if is_code(lines[i]):
            out += code(re.sub(r"^(\t|  )", "", line) for line in lines[i:end])
        elif lines[i]:
            text = re.sub(r"\*(\w[\w\s]*)\*(?!\w)", r"\1",
                          "\n".join(lines[i:end]))
            out += [".PP"] + [escaped(line) for line in text.split("\n")]
        i = end
    return out


def declaration(lines):
    """A declaration without what is for compilers; [] if nothing is left."""
    kept, i = [], 0
    if any("#define NC3Z_GETTERS" in line for line in lines):
        return []
    while i < len(lines):
        line = lines[i].replace("NC3Z_API ", "")
        if line.startswith("static inline"):
            # a function with a body
            while not lines[i].startswith("{"):
                kept.append(lines[i].replace("static inline ", ""))
                i += 1
            kept[-1] += ";"
            while not lines[i].startswith("}"):
                i += 1
        elif not re.match(r"#(if|endif|else|ifdef|ifndef|undef|include)|NC3Z_GE"
                          r"|extern|}$|\s.*NC3Z_GE|#define NC3Z_(H|API)\b",
                          line):
            kept.append(line)
        i += 1
    while kept and not kept[-1]:
        kept.pop()
    return kept if any(kept) else []


def items(text):
    """Pairs of a comment and the declarations after it, both as lines."""
    parts = re.split(r"^(/\*.*?\*/)$", text, flags=re.M | re.S)
    for comment, rest in zip(parts[1::2], parts[2::2]):
        # what a blank line separates has no comment of its own
        yield comment_lines(comment), rest.strip("\n").split("\n")


def page(header, date):
    """The lines of the page."""
    version = re.search(r'NC3Z_VERSION "([^"]+)"', header)[1]
    pairs = [pair for pair in items(header) if "SPDX" not in pair[0][0]]
    yield f'.TH NC3Z 3 "{date}" "nc3z {version}" "Library calls"'
    yield from (".\\\" Made of nc3z.h by make_nc3z_3.py.", ".SH NAME",
                f"nc3z \\- {NAME}", ".SH SYNOPSIS", ".nf",
                ".B #include <nc3z.h>", ".PP",
                "cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs nc3z)",
                ".fi", ".SH DESCRIPTION")
    yield from paragraphs(pairs[0][0][1:])
    for lines, rest in pairs[1:]:
        while lines and not lines[0]:
            lines.pop(0)
        if len(lines) > 1 and set(lines[1]) == {"="}:
            yield f".SH {lines[0].upper()}"
            lines = lines[2:]
        declared = declaration(rest)
        if declared:
            yield from code(declared)
        yield from paragraphs([line.strip() if len(lines) == 1 else line
                               for line in lines])
    yield ".SH SEE ALSO"
    yield from (f".BR {name}," for name in SEE_ALSO[:-1])
    yield f".BR {SEE_ALSO[-1]}"


def without_needless(lines):
    """A section begins a paragraph by itself."""
    before = ""
    for line in lines:
        if line != ".PP" or not before.startswith(".SH"):
            yield line
        before = line


def main():
    """Prints the page."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        header = file.read()
    with open(sys.argv[2], encoding="utf-8") as file:
        date = re.search(r'^\.TH NC3Z 7 "([^"]+)"', file.read(), re.M)[1]
    print("\n".join(without_needless(page(header, date))))


if __name__ == "__main__":
    main()
