#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that measured figures in documents are those of doc/figures.json.

usage: check_figures.py [--fix]

"./dev bench figures" writes that file.  README.md and doc/*.md take figures
from it in two ways.  In a table after a line with its name, <!--levels-->, the
first cell of a row and the heading of a column tell which figure a cell has;
columns that the file does not have are by hand.  In a text, the figure's place
follows it: 6.07<!--ratio: nc3z: ratio--> is of a row, 92<!--ratio: files-->
a fact.  A measured figure in another place is an error.  Charts name the
figures that they were drawn from.
"""

import json
import pathlib
import re
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHARTS = {"compare": ROOT / "doc/reading.svg", "sizes": ROOT / "doc/sizes.svg"}
TABLE = re.compile(r"(?<=^<!--)(\w+)(-->\n)((?:\|.*\n)+)", re.M)
PLACE = re.compile(r"[\d.,]*\d<!--(\w+): (.+?)-->")
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.M | re.S)
NUMBER = r"\d[\d,]*(?:\.\d+)?"
BY_HAND = re.compile(
    rf"{NUMBER} ?(?:times\b|%|[kMG]?B/s|[kMG]B a second|(?:milli)?seconds?\b"
    r"|minutes?\b|m?s\b)")
CELL_BY_HAND = re.compile(rf"(?<=\|) [*]*{NUMBER}(?: \w+)?[*]* (?=\|)")
# Where tables of other numbers do not stand.
ALL_MEASURED = "README.md", "performance.md"


def load():
    """The file of figures."""
    return json.loads((ROOT / "doc/figures.json").read_text(encoding="utf-8"))


def number(value):
    """Whole numbers are exact, others have two or three digits."""
    if isinstance(value, int):
        return f"{value:,}"
    digits = (value < 100) + (value < 10) + (value < 0.1)
    return f"{value:,.{digits}f}"


def shown(table, row, column):
    """A figure as documents have it, nothing if it was not measured."""
    value = table["rows"][row].get(column)
    if value is None or isinstance(value, str):
        return value or ""
    values = value if isinstance(value, list) else [value]
    return table["columns"][column].format(*map(number, values))


def cells(line):
    """Of a row."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def plain(cell):
    """Without marks of bold text and of code."""
    return re.sub("[*`]", "", cell)


def fill_table(table, text):
    """The table with figures, and its cells that are by hand."""
    head, rule, *lines = text.splitlines()
    headings = [plain(cell) for cell in cells(head)]
    filled, rest = [head, rule], []
    for line in lines:
        row = cells(line)
        label, bold = plain(row[0]), row[0].startswith("**")
        for at, heading in enumerate(headings):
            if heading not in table["columns"]:
                rest.append(row[at])
                continue
            row[at] = shown(table, label, heading)
            if bold and row[at]:
                row[at] = f"**{row[at]}**"
        filled.append("|" + "".join(f" {cell} |" if cell else " |"
                                    for cell in row))
    return "\n".join(filled) + "\n", " | ".join(rest)


def figure_at(tables, name, place):
    """A figure in a text."""
    row, _, column = place.partition(": ")
    if column:
        return number(tables[name]["rows"][row][column])
    return number(tables[name]["facts"][place])


def fill(text, tables):
    """A document with figures, and what of it is by hand."""
    rest = []

    def filled_table(match):
        table, by_hand = fill_table(tables[match[1]], match[3])
        rest.append(f"| {by_hand} |")
        return match[1] + match[2] + table

    text = TABLE.sub(filled_table, text)
    text = PLACE.sub(lambda m: figure_at(tables, m[1], m[2]) + m[0][
        m[0].index("<"):], text)
    return text, "\n".join([PLACE.sub("", TABLE.sub("", text)), *rest])


def stamp(table):
    """What a chart is drawn from."""
    rows = json.dumps(table["rows"], sort_keys=True)
    return f"doc/figures.json, CRC-32 of the rows: {zlib.crc32(rows.encode())}"


def documents():
    """Those for users."""
    return [ROOT / "README.md", *sorted((ROOT / "doc").glob("*.md"))]


def check(path, tables, fix):
    """What is wrong with a document, or was."""
    text = path.read_text(encoding="utf-8")
    try:
        filled, by_hand = fill(text, tables)
    except KeyError as error:
        return [f"{path.name}: no figure {error}"]
    wrong = [f"{path.name}: {old!r}, figures.json has {new!r}" for old, new in
             zip(text.splitlines(), filled.splitlines()) if old != new]
    if fix and wrong:
        path.write_text(filled, encoding="utf-8")
        wrong = []
    by_hand = CODE.sub("", by_hand)
    patterns = [BY_HAND] + [CELL_BY_HAND] * (path.name in ALL_MEASURED)
    return wrong + [f"{path.name}: by hand: {found[0]!r}"
                    for pattern in patterns
                    for found in pattern.finditer(by_hand)]


def main():
    """Checks, or puts figures in."""
    tables, fix = load(), "--fix" in sys.argv
    wrong = [line for path in documents() for line in check(path, tables, fix)]
    wrong += [f"{path.name}: not of the figures in figures.json"
              for name, path in CHARTS.items() if name in tables and
              stamp(tables[name]) not in path.read_text(encoding="utf-8")]
    print(f"{len(tables)} sets of figures, {len(wrong)} wrong")
    if wrong:
        sys.exit("\n".join(wrong) + "\nfigures are put in by check_figures.py"
                 " --fix, charts are drawn by ./dev bench figures --fill")


if __name__ == "__main__":
    main()
