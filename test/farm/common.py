# SPDX-License-Identifier: MIT
"""What the tests of nc3farm share: trees of files, killing, checking."""

import hashlib
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SEED = int(os.environ.get("NC3Z_SEED", "0")) or random.randrange(1, 10**6)
SKIP = 77


class Failed(Exception):
    """A check that did not hold."""


def expect(holds, *what):
    if not holds:
        raise Failed(" ".join(map(str, what)))


def classic_file(path, nbytes, rng):
    """A CDF-1 file with one variable of half smooth, half noisy ints."""
    name = lambda s: struct.pack(">i", len(s)) + s + bytes(-len(s) % 4)
    n = max(1, nbytes // 4)
    head = b"CDF\1" + struct.pack(">iii", 0, 10, 1) + name(b"x")
    head += struct.pack(">i", n) + bytes(8) + struct.pack(">ii", 11, 1)
    head += name(b"v") + struct.pack(">ii", 1, 0) + bytes(8)
    head += struct.pack(">iii", 4, 4 * n, len(head) + 12)
    first = rng.randrange(1000)
    path.write_bytes(head + struct.pack(f">{n // 2}i",
                                        *range(first, first + n // 2)) +
                     rng.randbytes(4 * (n - n // 2)))


def make_tree(tree, nfiles, nbytes, rng):
    """Files of all kinds of names; their SHA-256 by name."""
    sums = {}
    for i in range(nfiles):
        stem = (f"file {i}", f"f{i}", f"ü{i}",
                os.fsdecode(b"\xff%d" % i))[i % 4]
        path = tree / f"d{i % 7}" / f"{stem}.nc"
        path.parent.mkdir(parents=True, exist_ok=True)
        classic_file(path, rng.randrange(nbytes // 2, nbytes), rng)
        sums[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return sums


class Place:
    """A directory to work in, and the programs."""

    def __init__(self, binaries, where=None):
        self.bin = pathlib.Path(binaries).resolve()
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="nc3z-farm-",
                                                  dir=where))
        self.tree, self.work = self.path / "tree", self.path / "work"
        self.rng = random.Random(SEED)
        self.sums = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def fill(self, nfiles, nbytes):
        """A new tree without a plan."""
        for path in (self.tree, self.work):
            shutil.rmtree(path, ignore_errors=True)
        self.sums = make_tree(self.tree, nfiles, nbytes, self.rng)

    def command(self, *args):
        return [sys.executable, "-B", str(self.bin / "nc3farm"),
                *map(str, args)]

    def farm(self, *args, status=0, **more):
        """Runs nc3farm; what it printed."""
        done = subprocess.run(self.command(*args), capture_output=True,
                              check=False, timeout=600, **more)
        if status is not None:
            expect(done.returncode == status, "nc3farm", *args, "ended with",
                   done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        return done

    def plan(self, *args, paths=None, options=("-1",)):
        self.farm("plan", "--heartbeat=0.5", *args, *(paths or [self.tree]),
                  self.work, "--", *options)

    def compress(self, *args):
        return subprocess.run([self.bin / "nc3compress", *args],
                              capture_output=True, check=False)

    def left(self):
        return self.farm("left", self.work).stdout.split()

    def manifest(self):
        """SHA-256 by name, of what is collected; checked by sha256sum."""
        text = self.farm("collect", self.work).stdout
        (self.path / "sums").write_bytes(text)
        checked = subprocess.run(["sha256sum", "--quiet", "-c",
                                  self.path / "sums"], capture_output=True,
                                 check=False)
        expect(checked.returncode == 0, checked.stdout[-2000:],
               checked.stderr[-2000:])
        return {os.fsdecode(line[66:]): line[:64].decode()
                for line in text.split(b"\n") if line}

    def check_packed(self):
        """
        Each file has an archive that restores it, and is in the manifest;
        there are no temporaries.
        """
        sums = self.manifest()
        expect(len(sums) == 2 * len(self.sums), len(sums), "lines")
        restored = self.path / "restored"
        for name, sha256 in self.sums.items():
            expect(sums.get(name) == sha256, "manifest of", repr(name))
            expect(name + ".nc3z" in sums, "manifest of the archive of",
                   repr(name))
            done = self.compress("-df", "-o", restored, name + ".nc3z")
            expect(done.returncode == 0, done.stderr)
            expect(hashlib.sha256(restored.read_bytes()).hexdigest() ==
                   sha256, repr(name), "is restored wrong")
        self.check_clean()

    def check_clean(self):
        """Nothing is left of those that were killed."""
        for path in [*self.tree.rglob("*"), *self.work.rglob("*")]:
            expect("tmp" not in path.name, "temporary file", path)
        expect(not any((self.work / "claims").iterdir()), "claims are left")


def descendants(pid):
    """Processes below one, with their commands."""
    children = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:
                parent = int(file.read().rsplit(b")", 1)[1].split()[1])
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                command = file.read().replace(b"\0", b" ")
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append((int(entry), command))
    found, todo = [], [pid]
    while todo:
        for child in children.get(todo.pop(), []):
            found.append(child)
            todo.append(child[0])
    return found


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def run_tests(tests):
    """Runs functions; says which of them failed; the status."""
    print(f"seed {SEED} (NC3Z_SEED)", flush=True)
    failed = 0
    for test in tests:
        begin = time.monotonic()
        try:
            test()
            verdict = "pass"
        except Failed as error:
            verdict, failed = f"FAIL: {error}", failed + 1
        except subprocess.TimeoutExpired as error:
            verdict, failed = f"FAIL: {error}", failed + 1
        print(f"{test.__name__}: {verdict} "
              f"({time.monotonic() - begin:.1f} s)", flush=True)
    return 1 if failed else 0
