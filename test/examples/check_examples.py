#!/usr/bin/env python3
"""Runs the example programs on a file and its archive, and compares.

usage: check_examples.py --bin DIR --examples DIR
"""

import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile

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
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder, "example.nc")
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
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
