# SPDX-License-Identifier: MIT
"""What the robustness tests share: inputs, running the program, checking."""

import argparse
import hashlib
import json
import os
import pathlib
import random
import re
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
    with open(path, "wb") as f:
        f.write(head)
        for r in range(records):
            f.write(rng.randbytes(4 * length))
            f.write(struct.pack(f">{length}i", *range(r, r + length)))


TEMPORARY = ".nc3z-tmp", ".tmp.tar"

# When files were modified: all at the same time, or a day from each other.
SECONDS, DAY = 1_000_000_000, 86400


def fill(directory, files, are_apart=False, directories=()):
    """The directory has these files and no others."""
    directory.mkdir(exist_ok=True)
    for entry in directory.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    for name in directories:
        (directory / name).mkdir(parents=True)
    for i, (name, data) in enumerate(sorted(
            files.items(), key=lambda file: (".removing-" in file[0], file))):
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # A file that was about to be removed may have both names.
        found = re.fullmatch(r"\.removing-[0-9a-f]{8}-(.+)\.nc3z-tmp",
                             path.name)
        other = path.with_name(found[1]) if found else path
        if other.exists() and other.read_bytes() == data:
            os.link(other, path)
            continue
        path.write_bytes(data)
        seconds = SECONDS + DAY * i * are_apart
        os.utime(path, (seconds, seconds))


def json_lines(data):
    """Those that are whole; a power cut may have torn some."""
    lines = []
    for line in data.split(b"\n"):
        try:
            lines.append(json.loads(line))
        except ValueError:
            pass
    return [line for line in lines if isinstance(line, dict)]


class Journal:
    """A promise of --journal: each input that is gone has a line, and all
    lines that there were stay."""

    def __init__(self, path, inputs, before=b""):
        self.path, self.inputs, self.before = path, inputs, before

    def check(self, files):
        """What is wrong in name -> bytes, or None."""
        data = files.get(self.path, b"")
        if not data.startswith(self.before):
            return f"{self.path} has lost lines"
        said = {line["name"] for line in json_lines(data)
                if line.get("status") == 0 and
                line.get("result") in ("packed", "restored", "found")}
        gone = set(self.inputs) - set(files) - said
        return f"{self.path} has no line for {sorted(gone)}" if gone else None


class Bundle:
    """The journal of a task of nc3farm names its tar only once it is whole."""

    def __init__(self, tar):
        self.tar = tar

    def check(self, files):
        """As above."""
        done = json_lines(files.get(FARM_JOURNAL, b""))
        if done and self.tar not in files:
            return f"the task is done and there is no {self.tar}"
        return None


FARM_JOURNAL = "w/journal/000000"
FARM_DIRECTORIES = "w/journal", "out"


def plan_bundle(farm, directory, archives):
    """What is there before nc3farm makes a tar of two archives, and the
    name of that."""
    fill(directory, archives)
    done = subprocess.run(
        [sys.executable, "-B", farm, "plan", "--bundle=1M",
         "--output-dir=out", *archives, "w"], cwd=directory, check=False,
        capture_output=True)
    expect(done.returncode == 0, done.stderr)
    plan = json.loads((directory / "w/plan.json").read_bytes())
    before = {str(path.relative_to(directory)): path.read_bytes()
              for path in directory.rglob("*") if path.is_file()}
    return before, os.path.relpath(plan["tasks"][0]["output"], directory)


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
                              cwd=self.directory, capture_output=True,
                              check=False, **more)

    def run_other(self, name, *args):
        """A program beside that one."""
        return subprocess.run([pathlib.Path(self.program).with_name(name),
                               *map(str, args)], check=False,
                              cwd=self.directory, capture_output=True)

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
