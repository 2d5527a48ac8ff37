# SPDX-License-Identifier: MIT
"""Runs programs with originals and with archives, and compares.

The ways to an archive: nc3run, which makes programs read it; the Python package
of nc3z; a mount, for what reads netCDF files by itself; or, for all programs
alike, a directory that shows the originals of archives.
"""

import contextlib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

import programs

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "mount"))
from check_mount import obstacle  # noqa: E402
from limits import limited  # noqa: E402

# Where doc/programs.md has the table.
TABLE_HEAD = ["| your program | version | what to do | result |",
              "|---|---|---|---|"]
LEFT_OUT = "left out"
MISSING = "not installed"


def run(command, directory, **env):
    """A command's exit status and what it printed."""
    done = subprocess.run([*limited(300), *command], cwd=directory,
                          capture_output=True, stdin=subprocess.DEVNULL,
                          check=False,
                          env=dict(os.environ, PYTHONHASHSEED="0", **env))
    return done.returncode, done.stdout, done.stderr


def first_difference(wanted, got):
    """The first line in which two results differ."""
    if wanted[0] != got[0]:
        return f"exit {wanted[0]} and {got[0]}"
    for a, b in zip(wanted[1].splitlines(), got[1].splitlines()):
        if a == b:
            continue
        at = len(os.path.commonprefix([a, b]))
        at = max(0, at - 40)
        return f"{a[at:at + 120]} and {b[at:at + 120]}"
    return f"{len(wanted[1])} and {len(got[1])} bytes, or what was written"


def find_map(name):
    """A file of the package ferret-datasets, None if that is not installed."""
    if not shutil.which("dpkg"):
        return None
    listed = subprocess.run(["dpkg", "-L", "ferret-datasets"], check=False,
                            capture_output=True, text=True).stdout.split("\n")
    return next((line for line in listed if line.endswith("/" + name)), None)


def can_mount(args):
    """Whether nc3mount is there and may mount."""
    return (args.bin / "nc3mount").exists() and not obstacle()


@contextlib.contextmanager
def mounted(args, archives, shown):
    """A directory of archives is shown in an empty one."""
    subprocess.run([args.bin / "nc3mount", archives, shown], check=True)
    try:
        yield
    finally:
        subprocess.run(["fusermount3", "-u", shown], check=True)


class Files:
    """Originals and their archives, made when they are asked for."""

    def __init__(self, args, directory):
        self.args = args
        for part in "originals", "archives", "renamed", "restored", "mounted":
            (directory / part).mkdir()
        self.directory = directory

    def original(self, name):
        """A copy of an original; None if there is none."""
        path = self.directory / "originals" / name
        if not path.exists():
            source = self.args.directories[0] / name
            if name in programs.FILES["maps"]:
                source = find_map(name)
            if not source:
                return None
            shutil.copy(source, path)
        return path

    def archive(self, name):
        """The archive of an original."""
        path = self.directory / "archives" / (name + ".nc3z")
        if not path.exists():
            done = subprocess.run([self.args.bin / "nc3compress", "-kq", "-o",
                                   path, self.original(name)], check=False,
                                  stderr=subprocess.DEVNULL)
            assert done.returncode in (0, 3)
        return path

    def given(self, program, name):
        """What a program gets in place of an original."""
        if self.args.shown:
            return self.args.shown / name
        if program.runner == "mounted":
            return self.without_library(name)
        if not program.has_same_name:
            return self.archive(name)
        renamed = self.directory / "renamed" / name
        if not renamed.exists():
            os.link(self.archive(name), renamed)
        return renamed

    def without_library(self, name):
        """What an archive is on the mount; restored where there is none."""
        archive = self.archive(name)
        if can_mount(self.args):
            return self.directory / "mounted" / name
        path = self.directory / "restored" / name
        subprocess.run([self.args.bin / "nc3compress", "-dkfq", "-o", path,
                        archive], check=True)
        return path

    def mount(self):
        """For a while, archives are shown in the directory "mounted"."""
        if self.args.shown or not can_mount(self.args):
            return contextlib.nullcontext()
        return mounted(self.args, self.directory / "archives",
                       self.directory / "mounted")

    def pairs(self, program):
        """Original and what stands for it, for each file of a program."""
        names = [name for name in programs.FILES[program.files]
                 if self.original(name)]
        return [(self.original(name), self.given(program, name))
                for name in names]


class ProgramRuns:
    """What is run, and what came of it."""

    def __init__(self, args, directory):
        self.args = args
        self.directory = directory
        self.files = Files(args, directory)
        self.package = None
        self.runs_all = os.environ.get("NC3Z_INTEROP") == "all"
        self.wrong = []
        self.rows = []

    def install_package(self):
        """The directory of the Python package; the first call installs it."""
        if not self.package:
            prefix = self.directory / "prefix"
            subprocess.run([self.args.cmake, "--install", self.args.build,
                            "--prefix", prefix], check=True,
                           stdout=subprocess.DEVNULL)
            self.package = str(prefix / self.args.package)
        return self.package

    def compile(self, program):
        """Makes what a program is compiled from; where it is then."""
        module, compiler, source = program.compile
        compiled = self.directory / source.replace(".", "_")
        flags = []
        for option in "--variable=includedir", "--libs":
            text = subprocess.run(["pkg-config", option, module], check=True,
                                  capture_output=True, text=True).stdout
            flags += shlex.split(text) if option == "--libs" else \
                ["-I" + text.strip()]
        subprocess.run([compiler, "-O1", "-o", compiled,
                        programs.HERE / source, *flags], check=True)
        return str(compiled)

    def run_words(self, program, words, pairs, is_archive):
        """Runs a command for some files: what it did, without their names."""
        out = self.directory / "out"
        out.unlink(missing_ok=True)
        command, env, spelling = [], {}, program.original_spelling
        files = [pair[is_archive] for pair in pairs]
        if is_archive and not self.args.shown:
            spelling = program.spelling
            if program.runner == "nc3run":
                command.append(str(self.args.bin / "nc3run"))
            elif program.runner == "package":
                env["PYTHONPATH"] = self.install_package()
        spelled = [spelling.format(file) for file in files]
        for word in words:
            if word == "{all}":
                command += spelled
                continue
            for a, b in ("{in}", spelled[0]), ("{orig}", str(pairs[0][0])), \
                    ("{out}", str(out)):
                word = word.replace(a, b)
            command.append(word)
        status, text, _ = run(command, self.directory, **env)
        return (status, self.hide_names(text, files),
                out.read_bytes() if out.exists() else b"")

    def hide_names(self, text, files):
        """What was printed, without the names of the files."""
        for file in files:
            text = text.replace(bytes(file), b"FILE")
        return text

    def run_case(self, words, program, pairs):
        """One command for originals and archives.

        Whether it works for the original, and what differs, or None."""
        wanted = self.run_words(program, words, pairs, False)
        got = self.run_words(program, words, pairs, True)
        if wanted == got:
            return wanted[0] == 0, None
        return wanted[0] == 0, \
            f"{program.name}: {pairs[0][0].name}: {' '.join(words[:4])}: " \
            + first_difference(wanted, got)

    def run_cases(self, program):
        """All cases of a program: what differs, and how many there are."""
        found, ncases, nworking = [], 0, 0
        pairs = self.files.pairs(program)
        made = self.compile(program) if program.compile else ""
        for words in program.cases:
            words = [word.replace("{program}", made) for word in words]
            # all at once, or one by one
            for some in [pairs] if "{all}" in words else zip(pairs):
                ncases += 1
                works, difference = self.run_case(words, program, list(some))
                nworking += works
                if difference:
                    found.append(difference)
        if 3 * nworking < ncases or not ncases:
            found.append(f"{program.name}: only {nworking} of {ncases} "
                         "commands work with the originals")
        return found, ncases

    def verdict(self, program, version):
        """The last column of the table."""
        if program.is_heavy and not self.runs_all:
            print(f"left out: {program.name}: runs in ./dev test interop")
            return LEFT_OUT
        if version is None:
            print(f"skipped: {program.name} is not installed")
            if self.runs_all:
                self.wrong.append(f"{program.name} is not installed")
            return MISSING
        found, ncases = self.run_cases(program)
        self.wrong += found
        return f"{len(found)} of {ncases} differ" if found else "identical"

    def run_all(self):
        """Runs all programs; makes the table."""
        for program in programs.PROGRAMS:
            version = None
            if self.runs_all or not program.is_heavy:
                version = program.find_version()
            with self.files.mount() if program.runner == "mounted" \
                    else contextlib.nullcontext():
                verdict = self.verdict(program, version)
            todo = "as the original" if self.args.shown \
                else program.what_to_do()
            self.rows.append((program.name, version or "", todo, verdict))

    def table(self):
        """The table as lines."""
        return TABLE_HEAD + [f"| {' | '.join(row)} |" for row in self.rows]

    def check_document(self, path):
        """doc/programs.md has the table, but for what was not run here.

        Versions, of Debian 12 and 13 there, count for nothing."""
        lines = path.read_text(encoding="utf-8").splitlines()
        if TABLE_HEAD[0] not in lines:
            self.wrong.append(f"{path.name}: no table of programs")
            return
        at = lines.index(TABLE_HEAD[0]) + len(TABLE_HEAD)
        for i, row in enumerate(self.rows):
            cells = [cell.strip() for cell in lines[at + i].split("|")[1:-1]]
            if len(cells) != len(row) or \
                    (cells[0], cells[2]) != (row[0], row[2]) or \
                    row[3] not in (cells[3], LEFT_OUT, MISSING):
                self.wrong.append(f"{path.name}:{at + i + 1}: should be "
                                  f"| {' | '.join(row)} |")
            elif row[1] and row[1] not in cells[1].split(", "):
                print(f"{path.name}:{at + i + 1}: {row[0]}: here {row[1]}")
        if lines[at + len(self.rows)].startswith("|"):
            self.wrong.append(f"{path.name}:{at + len(self.rows) + 1}: this "
                              "line is not tested")

    def write_document(self, path):
        """Puts the table in the place of the one that is there, whose versions
        stay beside those that are here."""
        lines = path.read_text(encoding="utf-8").splitlines()
        at = end = lines.index(TABLE_HEAD[0])
        there = {}
        while lines[end].startswith("|"):
            cells = [cell.strip() for cell in lines[end].split("|")]
            there[cells[1]] = cells[2].split(", ")
            end += 1
        self.rows = [(row[0], ", ".join(dict.fromkeys(
            [*there.get(row[0], ()), row[1]])), *row[2:]) for row in self.rows]
        lines[at:end] = self.table()
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
