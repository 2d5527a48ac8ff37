# SPDX-License-Identifier: MIT
"""How good choices are: './dev bench chooser'.

How far the chooser is from the best recipes (bench_chooser.c).  What the price
of the time to read does: for ten prices, bytes that are spent to save 2^20
instructions, sizes and instructions of all files beside those at a price of 0,
geometric means and sums; the default price is where sizes begin to grow faster
than time falls.  Last, the files of 16 KiB and more that are larger at a level
than at a lower one by more than 0.2 %, and by how much.
"""

import subprocess

import ratio
import without

LEVELS = range(1, 10)
LEAST_NBYTES = 16384
TOLERANCE = 1.002
NBYTES, INSTRUCTIONS = 0, 2


def compare(rows, base, column):
    """The mean of the files, and all together."""
    mean = ratio.geometric_mean(row[column] / base[name][column]
                                for name, row in rows.items())
    return mean, without.total(rows, column) / without.total(base, column)


def print_prices(paths, level):
    found = without.measure(paths, "-p", str(level))
    print("| price | size | sum of sizes | time to read | sum of times |")
    print("|---|---|---|---|---|")
    for price, rows in found.items():
        cells = (*compare(rows, found["0"], NBYTES),
                 *compare(rows, found["0"], INSTRUCTIONS))
        print(f"| {price} | " + " | ".join(f"{c:.4f}" for c in cells) + " |")


def packed_nbytes(path, level):
    """None if a file cannot be packed."""
    done = subprocess.run(["nc3compress", "-qkc", f"-{level}", path],
                          check=False, capture_output=True)
    return len(done.stdout) if done.returncode == 0 else None


def print_larger(paths):
    """The files that a higher level makes larger."""
    count = 0
    for path in paths:
        if path.stat().st_size < LEAST_NBYTES:
            continue
        sizes = [packed_nbytes(path, level) for level in LEVELS]
        if None in sizes:
            continue
        worse = [f"-{level} {100 * sizes[i] / min(sizes[:i]) - 100:.2f} %"
                 for i, level in enumerate(LEVELS)
                 if i and sizes[i] > TOLERANCE * min(sizes[:i])]
        count += bool(worse)
        if worse:
            print(path.name, *worse)
    print(f"{count} files are larger at a level than at a lower one")


def bench(options, find_datasets):
    """The three tables."""
    # Not those that would have to be unpacked for each table.
    names = options.files or [name for name in
                              ratio.default_names(find_datasets)
                              if name.name != "large"]
    paths = list(ratio.inputs(names, None))
    subprocess.run(["bench_chooser", "-l", str(options.level), *paths],
                   check=True)
    print()
    print_prices(paths, options.level)
    print()
    print_larger(paths)
    return 0
