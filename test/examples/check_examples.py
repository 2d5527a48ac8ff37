#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the example programs on a file and its archive, and compares.

usage: check_examples.py --bin DIR --examples DIR
"""

import argparse
import math
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "testdata"))

from classic_writer import (  # noqa: E402
    DOUBLE, FLOAT, INT, SHORT, ClassicWriter, Var)

# Of u and v: 24 MB as floats, 20 times the memory that "speed" gets.
TIMES, ROWS, COLUMNS = 120, 50, 500

RECORDS, Y, X = 3, 3, 4


def classic():
    """grid(y, x) is 10 y + x; so is each packed(z, y, x), but for one that is
    missing; a(t) and b(t, x) are of records."""
    return ClassicWriter(
        1, (("t", 0), ("y", Y), ("x", X), ("z", 2)), records=RECORDS,
        variables=(
            Var("grid", FLOAT, "y x",
                [10 * y + x for y in range(Y) for x in range(X)]),
            Var("packed", SHORT, "z y x",
                [20 * y + 2 * x + 1000 * z for z in range(2)
                 for y in range(Y) for x in range(X)],
                (("scale_factor", DOUBLE, [0.5]),
                 ("missing_value", SHORT, [22]))),
            Var("a", INT, "t", range(100, 100 + RECORDS)),
            Var("b", FLOAT, "t x", [r + x / 4 for r in range(RECORDS)
                                    for x in range(X)]))).build()


def currents(value):
    """u and v(time, y, x), shorts: hundredths of value(...), every seventh
    value of u missing."""
    u = [[value(t, i) for i in range(ROWS * COLUMNS)] for t in range(TIMES)]
    values = {"u": [-999 if i % 7 == 0 else n
                    for record in u for i, n in enumerate(record)],
              "v": [n // 2 - 100 for record in u for n in record]}
    atts = ("scale_factor", DOUBLE, [0.01]), ("_FillValue", SHORT, [-999])
    return ClassicWriter(
        2, (("time", 0), ("y", ROWS), ("x", COLUMNS)), records=TIMES,
        variables=[Var(name, SHORT, "time y x", values[name], atts)
                   for name in "uv"]).build()


def check_speed(options, directory):
    """The speed of a current, from files larger than the memory it gets."""
    def value(t, i):
        return (7 * t + i // COLUMNS * 3 + i % 97) % 401 - 200
    plain = pathlib.Path(directory, "currents.nc")
    plain.write_bytes(currents(value))
    speeds = []
    for t in range(TIMES):
        counts = {}
        for i in range(ROWS * COLUMNS):
            if i % 7:
                n = value(t, i)
                counts[n] = counts.get(n, 0) + 1
        speeds += [(math.hypot(n / 100, (n // 2 - 100) / 100), k)
                   for n, k in counts.items()]
    n = sum(k for _, k in speeds)
    text = (f"{n} speeds, mean {sum(s * k for s, k in speeds) / n:.6g}, "
            f"max {max(s for s, _ in speeds):.6g}\n")
    wrong = 0
    for layout in None, "linear", "series", "balanced":
        path = plain
        if layout:
            path = plain.with_suffix(f".{layout}.nc3z")
            chunks = [] if layout == "linear" else ["--chunks", layout]
            subprocess.run([options.bin / "nc3compress", "-qfk", *chunks,
                            "-b", "64K", plain, "-o", path], check=True)
        run = subprocess.run([options.examples / "speed", path, path, "1"],
                             capture_output=True, text=True, check=False)
        plan, _, result = run.stdout.partition("\n")
        boxes, blocks, decoded = (int(word) for word in plan.split()
                                  if word.isdigit())
        if (run.returncode != 0 or result != text or boxes < 20 or
                decoded != blocks):
            wrong += 1
            print(f"speed {layout}: status {run.returncode}\n{run.stdout}"
                  f"{run.stderr}must be\n{text}")
    return wrong


def check_rechunk(options, directory, archive):
    """The output is what packing with these chunks makes, and stays."""
    output = pathlib.Path(directory, "rechunked.nc3z")
    wanted = pathlib.Path(directory, "series.nc3z")
    subprocess.run([options.bin / "nc3compress", "-qk", "--chunks", "series",
                    archive.with_suffix(""), "-o", wanted], check=True)
    command = [options.examples / "rechunk", archive, output]
    first = subprocess.run(command, capture_output=True, text=True, check=False)
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    if (first.returncode != 0 or again.returncode != 1 or
            output.read_bytes() != wanted.read_bytes()):
        print(f"rechunk: {first}\nthen {again}")
        return 1
    return 0


def check_header_example(options, directory):
    """The program in nc3z.h: a box of sst(1, 15, 25), which is 100 y + x."""
    plain = pathlib.Path(directory, "sst.nc")
    plain.write_bytes(ClassicWriter(
        1, (("time", 1), ("lat", 15), ("lon", 25)), variables=[
            Var("sst", FLOAT, "time lat lon",
                [100 * y + x for y in range(15) for x in range(25)])]).build())
    wrong = 0
    for text in "", "1020 to 1424\n":
        run = subprocess.run([options.examples / "header_example"],
                             capture_output=True, text=True, check=False,
                             cwd=directory)
        if run.stdout != text or bool(run.stderr) == bool(text):
            wrong += 1
            print(f"header_example: {run}\nmust be {text}")
        # The first run has no file to read.
        subprocess.run([options.bin / "nc3compress", "-qkf", plain],
                       check=True)
    return wrong


def expected():
    """What each example prints, by its arguments."""
    loop = "".join(f"a({r}): {100 + r}\nb({r}): {4 * r + 1.5:g}\n"
                   for r in range(RECORDS))
    return [
        (("read_slab", "grid"), "10 11 12\n20 21 22\n0 2\n"),
        (("read_slab", "packed"), "10 nan 12\n20 21 22\n0 2\n"),
        (("loop_records",), loop),
        (("many_threads", "a"), "3 values, sum 303\n"),
    ]


def check_refusals(examples, path):
    """Arguments that do not fit are refused with a reason."""
    wrong = 0
    for program, arguments, status, reason in (
            ("read_slab", [path, "no"], 1, "no variable no"),
            ("read_slab", [path, "b"], 0, ""),
            ("read_slab", [path, "a"], 1, "a has 1 dimensions, not 2 to 8"),
            ("many_threads", [path, "grid"], 1, "grid has 2 dimensions, not 1"),
            *((program, [], 2, f"usage: {program} ") for program in
              ("read_slab", "loop_records", "many_threads", "rechunk",
               "speed"))):
        run = subprocess.run([examples / program, *arguments], text=True,
                             capture_output=True, check=False)
        if run.returncode != status or reason not in run.stderr:
            wrong += 1
            print(f"{program} {arguments}: {run}\nmust say: {reason}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--examples", type=pathlib.Path, required=True)
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as directory:
        plain = pathlib.Path(directory, "example.nc")
        plain.write_bytes(classic())
        subprocess.run([options.bin / "nc3compress", "-qk", plain], check=True)
        for path in plain, plain.with_name("example.nc.nc3z"):
            for (program, *rest), text in expected():
                run = subprocess.run([options.examples / program, path, *rest],
                                     capture_output=True, text=True,
                                     check=False)
                if run.returncode != 0 or run.stdout != text:
                    wrong += 1
                    print(f"{program} {path.name}: status {run.returncode}\n"
                          f"{run.stdout}{run.stderr}must be\n{text}")
            wrong += check_refusals(options.examples, path)
        wrong += check_rechunk(options, directory,
                               plain.with_name("example.nc.nc3z"))
        wrong += check_header_example(options, directory)
        wrong += check_speed(options, directory)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
