# SPDX-License-Identifier: MIT
"""Instructions that decoding takes for each value, by filter or splitting step.

valgrind counts them within block_decode(), but not within the codec, for a
block with one step (bench_steps.c); what a block takes without a step is
subtracted.  Kernels are those for the processor, with AVX2 where it has that.
"""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/bin/bench_steps"
WIDTHS = 2, 4, 8


def count(step, width):
    """Instructions for one value; None if the step is not for the width."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         "--toggle-collect=block_decode", "--toggle-collect=codec_decode",
         PROGRAM, step, str(width)],
        check=True, capture_output=True, text=True)
    if not done.stdout:
        return None
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found[1]) / int(done.stdout)


def bench(_options, _find_datasets):
    """The table."""
    steps = subprocess.run([PROGRAM], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    without = {width: count("none", width) for width in WIDTHS}
    print("| step | " + " | ".join(f"{w} bytes" for w in WIDTHS) + " |")
    print("|---|" + "---|" * len(WIDTHS))
    for step in steps:
        cells = []
        for width in WIDTHS:
            n = count(step, width)
            less = 0 if step == "none" else without[width]
            cells.append("" if n is None else f"{n - less:.2f}")
        print(f"| {step} | " + " | ".join(cells) + " |")
    return 0
