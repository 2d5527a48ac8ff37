#!/usr/bin/env python3
"""Runs the example programs on a file and its archive, and compares.

usage: check_examples.py --bin DIR --examples DIR
"""

import argparse
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

# Of u and v: 24 MB as floats, 20 times the memory that "speed" gets.
TIMES, ROWS, COLUMNS = 120, 50, 500

RECORDS, Y, X = 3, 3, 4


def name(text):
    return struct.pack(">i", len(text)) + text + bytes(-len(text) % 4)


def var(text, dimids, nctype, vsize, begin):
    return (name(text) + struct.pack(f">i{len(dimids)}i", len(dimids), *dimids)
            + bytes(8) + struct.pack(">iii", nctype, vsize, begin))


def classic():
    """grid(y, x) is 10 y + x; a(t) and b(t, x) are of records."""
    head = b"CDF\1" + struct.pack(">iii", RECORDS, 10, 3)
    for text, n in (b"t", 0), (b"y", Y), (b"x", X):
        head += name(text) + struct.pack(">i", n)
    head += bytes(8) + struct.pack(">ii", 11, 3)
    def variables(begin):
        fixed = 4 * Y * X
        return (var(b"grid", (1, 2), 5, fixed, begin) +
                var(b"a", (0,), 4, 4, begin + fixed) +
                var(b"b", (0, 2), 5, 4 * X, begin + fixed + 4))
    begin = len(head) + len(variables(0))
    out = head + variables(begin)
    out += b"".join(struct.pack(">f", 10 * y + x)
                    for y in range(Y) for x in range(X))
    for r in range(RECORDS):
        out += struct.pack(">i", 100 + r)
        out += b"".join(struct.pack(">f", r + x / 4) for x in range(X))
    return out


def currents(value):
    """u and v(time, y, x), shorts: hundredths of value(...), every seventh
    value of u missing."""
    head = b"CDF\2" + struct.pack(">iii", TIMES, 10, 3)
    for text, n in (b"time", 0), (b"y", ROWS), (b"x", COLUMNS):
        head += name(text) + struct.pack(">i", n)
    slot = 2 * ROWS * COLUMNS
    def variables(begin):
        out = bytes(8) + struct.pack(">ii", 11, 2)
        for v, text in enumerate((b"u", b"v")):
            out += name(text) + struct.pack(">iiii", 3, 0, 1, 2)
            out += struct.pack(">ii", 12, 2) + name(b"scale_factor")
            out += struct.pack(">iid", 6, 1, 0.01) + name(b"_FillValue")
            out += struct.pack(">iihxx", 3, 1, -999)
            out += struct.pack(">iiq", 3, slot, begin + v * slot)
        return out
    out = [head + variables(len(head) + len(variables(0)))]
    for t in range(TIMES):
        u = [value(t, i) for i in range(ROWS * COLUMNS)]
        out.append(struct.pack(f">{len(u)}h", *(
            -999 if i % 7 == 0 else n for i, n in enumerate(u))))
        out.append(struct.pack(f">{len(u)}h", *(n // 2 - 100 for n in u)))
    return b"".join(out)


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


def check_header_example(options, directory):
    """The program in nc3z.h: a box of sst(1, 15, 25), which is 100 y + x."""
    head = b"CDF\1" + struct.pack(">iii", 0, 10, 3)
    for text, n in (b"time", 1), (b"lat", 15), (b"lon", 25):
        head += name(text) + struct.pack(">i", n)
    head += bytes(8) + struct.pack(">ii", 11, 1)
    values = [100 * y + x for y in range(15) for x in range(25)]
    begin = len(head) + len(var(b"sst", (0, 1, 2), 5, 4 * len(values), 0))
    head += var(b"sst", (0, 1, 2), 5, 4 * len(values), begin)
    plain = pathlib.Path(directory, "sst.nc")
    plain.write_bytes(head + struct.pack(f">{len(values)}f", *values))
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
        (("loop_records",), loop),
        (("many_threads", "a"), "3 values, sum 303\n"),
    ]


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
            run = subprocess.run([options.examples / "read_slab", path, "no"],
                                 capture_output=True, text=True, check=False)
            if run.returncode != 1 or "no variable no" not in run.stderr:
                wrong += 1
                print(f"read_slab {path.name} no: {run}")
        wrong += check_header_example(options, directory)
        wrong += check_speed(options, directory)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
