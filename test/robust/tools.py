# SPDX-License-Identifier: MIT
"""What the robustness tests share: inputs, running the program, checking."""

import argparse
import hashlib
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "testdata"))

from classic_writer import INT, ClassicWriter, Var  # noqa: E402


def classic_file(path, records, length=20000, seed=1):
    """A CDF-2 file with two record variables, of noisy and of smooth ints."""
    head = ClassicWriter(
        2, (("time", 0), ("x", length)), records=records,
        variables=[Var(name, INT, "time x") for name in "ab"]).head()
    rng = random.Random(seed)
    noise = rng.randbytes(4 * length)
    with open(path, "wb") as f:
        f.write(head)
        for r in range(records):
            f.write(noise[r % 64:] + noise[:r % 64])
            f.write(struct.pack(f">{length}i", *range(r, r + length)))


def digest(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


class Bench:
    """A directory to work in, and the program."""

    def __init__(self, program):
        self.program = str(program)
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="nc3z-test-"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.directory)

    def run(self, *args, **more):
        return subprocess.run([self.program, *map(str, args)],
                              cwd=self.directory, capture_output=True, **more)

    def start(self, *args):
        return subprocess.Popen([self.program, *map(str, args)],
                                cwd=self.directory, stderr=subprocess.PIPE,
                                stdin=subprocess.DEVNULL)

    def path(self, name):
        return self.directory / name

    def names(self):
        return sorted(os.listdir(self.directory))


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def run_tests(*tests):
    """Runs each test with a bench of its own; the exit status of a test."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    options, _ = parser.parse_known_args()
    failed = 0
    for test in tests:
        with Bench((options.bin / "nc3compress").resolve()) as bench:
            try:
                print(f"{test.__name__}: {test(bench) or 'ok'}", flush=True)
            except (AssertionError, subprocess.SubprocessError, OSError):
                traceback.print_exc(file=sys.stdout)
                failed += 1
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0
