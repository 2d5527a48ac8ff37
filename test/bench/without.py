# SPDX-License-Identifier: MIT
"""bench.py without [-l LEVEL] [FILE|DIR...]: what each part is worth.

Every file is packed as it is, and without one filter, splitting step, codec or
search after the other.  For each: lines of its source, by how much archives
grow (geometric mean of all files), by how much the sum grows, the most on one
file, how many files grow by 2 % and more, and the time of packing beside that
with all of them.
"""

import collections
import pathlib
import subprocess
import tempfile

import ratio

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/bin/bench_without"
# The files that would go, below lib/.
SOURCES = {
    "order": ["filter/filter_order.c"],
    "delta": ["filter/filter_delta.c"],
    "shuffle": ["filter/filter_shuffle.c"],
    "bitshuffle": ["filter/filter_bitshuffle.c"],
    "extrapolate": ["filter/filter_extrapolate.c",
                    "filter/extrapolate_template.h"],
    "repeat": ["filter/repeat.c", "filter/repeat.h"],
    "drop": ["filter/drop.c", "filter/drop.h", "filter/holes.c",
             "filter/holes_template.h", "filter/masks.c",
             "block/last_mask.c"],
    "fraction, all": ["filter/decimal.c", "filter/decimal.h",
                     "filter/decimal_kernels.c", "filter/divisor.c",
                     "filter/multiple.c"],
    "fraction": ["filter/divisor.c", "filter/divisor.h"],
    "multiple": ["filter/multiple.c", "filter/multiple.h"],
    "palette": ["filter/palette.c", "filter/palette.h"],
    "lzma beside": ["codec/codec_lzma.c"],
}


def count_lines(thing):
    files = [file for pattern in SOURCES.get(thing, ())
             for file in (ROOT / "lib").glob(pattern)]
    return sum(len(file.read_bytes().splitlines()) for file in files)


def measure(paths, level):
    """thing -> file -> bytes, seconds."""
    found = collections.defaultdict(dict)
    for path in paths:
        done = subprocess.run([PROGRAM, str(level), path], check=True,
                              capture_output=True, text=True)
        for line in done.stdout.splitlines():
            thing, name, nbytes, seconds = line.split("\t")
            found[thing][name] = int(nbytes), float(seconds)
    return found


def total(rows, column):
    return sum(row[column] for row in rows.values())


def bench(options, find_datasets):
    """The table."""
    with tempfile.TemporaryDirectory() as directory:
        found = measure(ratio.inputs(
            options.files or ratio.default_names(find_datasets),
            pathlib.Path(directory)), options.level)
    whole = found.pop("nothing")
    print(f"{len(whole)} files, level {options.level}\n")
    print("| without | lines | mean % | sum % | most % | of | files >= 2 % | "
          "time |")
    print("|---|---|---|---|---|---|---|---|")
    for thing, rows in found.items():
        times = {name: rows[name][0] / whole[name][0] for name in whole}
        name = max(times, key=times.get)
        mean = ratio.geometric_mean(times.values())
        print(f"| {thing} | {count_lines(thing) or ''} "
              f"| {100 * mean - 100:.2f} "
              f"| {100 * total(rows, 0) / total(whole, 0) - 100:.2f} "
              f"| {100 * times[name] - 100:.1f} "
              f"| {pathlib.Path(name).name} "
              f"| {sum(t >= 1.02 for t in times.values())} "
              f"| {total(rows, 1) / total(whole, 1):.2f} |")

    return 0
