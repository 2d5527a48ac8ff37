#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the program in the comment at the top of a header into a file.

usage: header_example.py HEADER OUTPUT
"""

import sys

header, output = sys.argv[1:]
with open(header, encoding="utf-8") as file:
    # The line about its licence is a comment, too.
    comment = next(text for text in file.read().split("*/")
                   if "#include <nc3z.h>" in text)
lines = [line[3:] for line in comment.splitlines()
         if line[:3] in (" *\t", " *")]
first = lines.index("#include <nc3z.h>")
last = lines.index("}", first)
with open(output, "w", encoding="utf-8") as file:
    file.write("\n".join(lines[first:last + 1]) + "\n")
