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
import traceback

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "testdata"))

from classic_writer import INT, ClassicWriter, Var  # noqa: E402

SEED = int(os.environ.get("NC3Z_SEED", "0")) or random.randrange(1, 10**6)
SKIP = 77
MARK = "NC3Z_FARM_TEST"  # in the environment of all that tests start

# A program that does not end, on however slow a machine; ctest ends it all.
SECONDS_MAX = 1800


class Failed(Exception):
    """A check that did not hold."""


def expect(holds, *what):
    if not holds:
        raise Failed(" ".join(map(str, what)))


def classic_file(path, nbytes, rng):
    """A CDF-1 file with one variable of half smooth, half noisy ints."""
    n = max(1, nbytes // 4)
    head = ClassicWriter(dims=(("x", n),),
                         variables=(Var("v", INT, "x"),)).head()
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
                              check=False, timeout=SECONDS_MAX, **more)
        if status is not None:
            expect(done.returncode == status, "nc3farm", *args, "ended with",
                   done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        return done

    def plan(self, *args, paths=None, options=("-1",)):
        shutil.rmtree(self.work, ignore_errors=True)
        return self.farm("plan", *args, *(paths or [self.tree]), self.work,
                         "--", *options)

    def program(self, *args):
        return subprocess.run([self.bin / args[0], *args[1:]],
                              capture_output=True, check=False)

    def compress(self, *args):
        return self.program("nc3compress", *args)

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


def processes_of(directory):
    """What tests in a directory have started, whoever is its parent now."""
    mark, found = os.fsencode(f"{MARK}={directory}"), []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                environment = file.read().split(b"\0")
            where = os.readlink(f"/proc/{pid}/cwd")
        except OSError:
            continue
        # Some daemons write their titles over their environment.
        if mark in environment or f"{where}/".startswith(f"{directory}/"):
            found.append(int(pid))
    return found


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


class Guard:
    """
    A directory for tests, and a process that outlives them however they end:
    then it ends what they have started, daemons too, and removes that.
    """

    def __init__(self):
        self.directory = os.path.realpath(tempfile.mkdtemp(prefix="nc3zf-"))
        environment = {k: v for k, v in os.environ.items() if k != MARK}
        # Nobody else has the other end: it is closed when this process ends.
        self.process = subprocess.Popen(
            [sys.executable, "-B", os.path.realpath(__file__),
             self.directory], stdin=subprocess.PIPE, cwd="/",
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment, start_new_session=True)
        os.environ[MARK] = os.environ["TMPDIR"] = self.directory
        tempfile.tempdir = self.directory

    def end(self):
        """In order; what tests have left that does not end by itself."""
        os.chdir("/")
        left = processes_of(self.directory)
        begin = time.monotonic()
        while left and time.monotonic() - begin < 60:
            time.sleep(0.1)
            left = processes_of(self.directory)
        commands = [command_of(pid) for pid in left]
        self.process.stdin.close()
        self.process.wait()
        return commands


def tidy_up(directory):
    """Ends all processes of a directory, and removes it."""
    nquiet = 0
    while nquiet < 3:
        pids = processes_of(directory)
        nquiet = 0 if pids else nquiet + 1
        for pid in pids:
            kill(pid)
        time.sleep(0.05)
    with open("/proc/self/mounts", encoding="utf-8",
              errors="surrogateescape") as file:
        mounts = [line.split()[1] for line in file]
    for path in mounts:
        if path.startswith(f"{directory}/"):
            subprocess.run(["umount", "-l", path], check=False)
    if shutil.which("chattr"):
        subprocess.run(["chattr", "-R", "-i", directory], check=False)
    shutil.rmtree(directory, ignore_errors=True)


def run_held(script, *args):
    """
    Starts a script of tests that holds what it has started, and kills it; the
    commands of all that it had started, of which nothing may be left.
    """
    held = subprocess.Popen([sys.executable, "-B", script, *args, "--hold"],
                            stdout=subprocess.PIPE, text=True)
    directory = ""
    for line in held.stdout:
        if line.startswith("holding "):
            directory = line.split()[1]
            break
    expect(directory, "it ended with", held.wait() if not directory else "")
    commands = [command_of(pid) for pid in processes_of(directory)]
    held.kill()
    held.wait()
    begin = time.monotonic()
    while processes_of(directory) or os.path.exists(directory):
        expect(time.monotonic() - begin < SECONDS_MAX, "is left:",
               [command_of(pid) for pid in processes_of(directory)])
        time.sleep(0.1)
    return commands


def hold():
    """Waits to be killed, for run_held()."""
    print(f"holding {os.environ[MARK]}", flush=True)
    while True:
        signal.pause()


def run_one(test):
    try:
        test()
        return "pass"
    except Failed as error:
        return f"FAIL: {error}"
    except subprocess.TimeoutExpired as error:
        return f"FAIL: {error}"
    except Exception as error:  # pylint: disable=broad-except
        traceback.print_exc()
        return f"FAIL: {type(error).__name__}: {error}"


def run_tests(tests):
    """Runs functions; says which of them failed; the status."""
    print(f"seed {SEED} (NC3Z_SEED)", flush=True)
    guard, failed = Guard(), 0
    for test in tests:
        begin = time.monotonic()
        verdict = run_one(test)
        failed += verdict != "pass"
        print(f"{test.__name__}: {verdict} "
              f"({time.monotonic() - begin:.1f} s)", flush=True)
    left = guard.end()
    if left:
        print("FAIL: processes are left:", left, flush=True)
    return 1 if failed or left else 0


if __name__ == "__main__":
    # The guard: its standard input ends when the tests do.
    sys.stdin.buffer.read()
    tidy_up(sys.argv[1])
