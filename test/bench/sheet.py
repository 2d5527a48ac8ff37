# SPDX-License-Identifier: MIT
"""What was measured, as CSV: for figures.py, and for other programs."""

import csv


def add_option(parser):
    """To a command."""
    parser.add_argument("--csv", metavar="FILE", help="write rows to FILE, too")


def write(options, rows):
    """Rows with the same keys, if they are wanted."""
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=dict.fromkeys(
                key for row in rows for key in row))
            writer.writeheader()
            writer.writerows(rows)
