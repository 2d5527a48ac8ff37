#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the chart in doc/performance.md has the figures of its table.

usage: check_charts.py

Both come from "./dev bench compare --picture doc/reading.svg"; the chart
has no date and nothing random, so that the same figures give the same file.
"""

import pathlib
import re
import sys
from xml.etree import ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = "smaller by", "read all", "one map", "one point's series"


def table():
    """Rows of the first table, by heading."""
    text = (ROOT / "doc/performance.md").read_text(encoding="utf-8")
    lines = re.search(r"^\| \| smaller by.*?\n\n", text, re.M | re.S)[0]
    rows = [[cell.strip(" *") for cell in line.strip("| ").split("|")]
            for line in lines.strip().split("\n")]
    # the first heading is empty
    headings = ["", *rows[0]]
    return [dict(zip(headings, row)) for row in rows[2:]]


def main():
    """Prints what is missing."""
    chart = ElementTree.parse(ROOT / "doc/reading.svg")
    texts = ["".join(element.itertext()).strip() for element in chart.iter()
             if element.tag.endswith("}text")]
    wrong = []
    rows = table()
    for row in rows:
        for wanted in (row[""], *(row[column] for column in COLUMNS)):
            if wanted in texts:
                texts.remove(wanted)
            else:
                wrong.append(f"doc/reading.svg: no {wanted!r}")
    if re.search(r"dc:date", (ROOT / "doc/reading.svg").read_text()):
        wrong.append("doc/reading.svg: has a date")
    print(f"{len(rows)} rows, {len(wrong)} wrong")
    if wrong or len(rows) < 5:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
