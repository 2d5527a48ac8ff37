#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Archives made on other machines are the same, and read the same.

usage: check_portable.py --bin DIRECTORY --work DIRECTORY TARGET

Builds codecs, library and programs for TARGET (see TARGETS below), from source
and in WORK/TARGET, and runs the programs there, if need be by qemu.  All test
data, some files that are made, and small ones of the corpus, are packed by them
and by the programs in --bin: messages, exit statuses and archives must be the
same to the byte.  The archives are restored, listed and printed by both.

For Windows, only the library that reads and nc3dump are built (by mingw-w64,
run by wine); it prints archives and files in several forms, and names of files
are tried that are peculiar to Windows.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "testdata"), str(ROOT / "test" / "independent")]
import sample_files  # pylint: disable=wrong-import-position
DECODERS = ROOT / "tools" / "viewer" / "reader" / "decoders"
SOURCES = ROOT / "tools" / "viewer" / "get_sources.sh"


class Target(NamedTuple):
    """Processor and system as CMake has them."""
    processor: str
    compiler: str
    emulator: str = ""
    system: str = "Linux"


TARGETS = {
    "s390x": Target("s390x", "s390x-linux-gnu-gcc", "qemu-s390x-static"),
    "arm64": Target("aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64-static"),
    # CMake is told the wrong processor: the compiler's counts.
    "i386": Target("x86_64", "i686-linux-gnu-gcc", "qemu-i386-static"),
    "musl": Target(os.uname().machine, "musl-gcc"),
    "windows": Target("x86_64", "x86_64-w64-mingw32-gcc-posix",
                      "/usr/lib/wine/wine64", "Windows"),
}
# What is built, and how.
PROGRAMS = ("nc3compress", "nc3dump"), ("-DNC3Z_FEW_LIBRARIES=ON",)
READER = ("nc3dump",), ("-DNC3Z_READ_ONLY=ON", "-DNC3Z_WERROR=ON")
OPTIONS = (), ("-9",), ("--chunks=auto", "--codec=deflate"), ("-1", "-b", "16K")
FORMS = ("-h",), ("--json", "--blocks"), ("-s", "-t"), ("-bf",)
CORPUS_NBYTES_MAX = 300_000
# Have dimensions longer than a program of 32 bits can count, which it reports.
TOO_LONG = ("odd-cdf5-numrecs-overflow.nc",
            "cdf5-variable-over-4gib-missing.nc")
TEXT_NBYTES_MAX = 1 << 20
WINE_TRIES = 3
WINE_LOST = b"wine client error:"
# Its loader, of a program that then never ran; its own processes say so, too.
WINE_FAILED = re.compile(rb"^wine: (could not|failed to) ", re.MULTILINE)
# Files that are made, in which level 9 fits numbers to what it codes.
MADE = "noisy", "measurements"
# What blocks of these are coded with: each of it is seen, or the test fails.
CODECS = {"bzip2", "context", "deflate", "lzma", "store", "zstd"}


def build(name, work):
    """Gives the command that the name of a program completes."""
    target = TARGETS[name]
    here = work / name
    prefix = here / "codecs"
    is_windows = target.system == "Windows"
    programs, how = READER if is_windows else PROGRAMS
    common = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
              f"-DCMAKE_SYSTEM_NAME={target.system}",
              f"-DCMAKE_SYSTEM_PROCESSOR={target.processor}",
              f"-DCMAKE_C_COMPILER={target.compiler}"]
    if target.emulator:
        common.append(f"-DCMAKE_CROSSCOMPILING_EMULATOR={target.emulator}")
    run("sh", SOURCES, work / "sources")
    run("cmake", "-S", DECODERS, "-B", here / "codecs-build", *common,
        f"-DSOURCES={work / 'sources'}",
        f"-DENCODERS={'OFF' if is_windows else 'ON'}",
        "-DCMAKE_INSTALL_LIBDIR=lib", f"-DCMAKE_INSTALL_PREFIX={prefix}")
    run("cmake", "--build", here / "codecs-build")
    run("cmake", "--install", here / "codecs-build")
    os.environ["PKG_CONFIG_LIBDIR"] = str(prefix / "lib" / "pkgconfig")
    run("cmake", "-S", ROOT, "-B", here / "build", *common, *how,
        f"-DCMAKE_FIND_ROOT_PATH={prefix}",
        "-DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY",
        "-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY", "-DNC3Z_REMOTE=OFF",
        "-DBUILD_TESTING=OFF", "-DNC3Z_FORTRAN=OFF",
        "-DCMAKE_EXE_LINKER_FLAGS=-static")
    run("cmake", "--build", here / "build", "--target", *programs)
    binary = here / "build" / "bin"
    suffix = ".exe" if is_windows else ""
    emulator = [target.emulator] if target.emulator else []
    return lambda name: [*emulator, binary / (name + suffix)]


def run(*command):
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    if done.returncode != 0:
        sys.stdout.buffer.write(done.stdout)
        raise SystemExit(f"failed: {' '.join(map(str, command))}")


def without_wine(messages):
    """Wine's own processes, which run beside the programs, may have some."""
    return b"".join(line for line in messages.splitlines(keepends=True)
                    if not line.startswith(b"wine: "))


def with_wine(run_once):
    """What a run gives, status and messages last.  If wine has lost its server,
    or could not load what each program needs, that says nothing of the program:
    it runs again."""
    for _ in range(WINE_TRIES):
        *given, status, messages = run_once()
        if WINE_LOST not in messages and not (
                status and WINE_FAILED.search(messages)):
            break
        print("again:", messages.decode(errors="replace").strip())
    return *given, status, without_wine(messages)


class Comparison:
    """The programs here, and those of the target."""

    def __init__(self, here, there, directory, is_small):
        self.here, self.there, self.directory = here, there, directory
        self.is_small = is_small  # of 32 bits
        self.count, self.failures = 0, []
        self.codecs = set()
        self.last_messages = b""  # also those of wine

    def run_one(self, program, arguments, data):
        def once():
            done = subprocess.run([*map(str, program), *map(str, arguments)],
                                  input=data, capture_output=True, check=False,
                                  cwd=self.directory)
            self.last_messages = done.stderr
            return done.stdout, done.returncode, done.stderr

        out, status, messages = with_wine(once)
        return status, out, messages

    def same(self, name, tool, *arguments, data=None):
        """What both print; it has to be the same."""
        here, there = (self.run_one(programs(tool), arguments, data)
                       for programs in (self.here, self.there))
        self.count += 1
        if here != there:
            self.failures.append((name, arguments))
            print("DIFFERENT:", name, tool, *arguments)
            for which, (status, out, err) in ("here", here), ("there", there):
                print(f"  {which}: status {status}, {len(out)} bytes,",
                      hashlib.sha256(out).hexdigest()[:16],
                      err.decode(errors="replace").strip())
            print("  all messages there:", self.last_messages)
        return here[:2]

    def same_text(self, name, tool, *arguments):
        """The beginning of it: some headers claim two billion records."""
        here, there = (with_wine(lambda program=programs(tool):
                                 self.beginning(program, arguments))
                       for programs in (self.here, self.there))
        self.count += 1
        if here != there:
            self.failures.append((name, arguments))
            print("DIFFERENT:", name, tool, *arguments)
            for which, found in ("here", here), ("there", there):
                print(f"  {which}: {len(found[0])} bytes,", *found[1:])
            print("  all messages there:", self.last_messages)

    def beginning(self, program, arguments):
        """With status and messages if that is all."""
        self.last_messages = b""
        with tempfile.TemporaryFile() as messages, subprocess.Popen(
                [*map(str, program), *map(str, arguments)],
                stdout=subprocess.PIPE, cwd=self.directory,
                stdin=subprocess.DEVNULL, stderr=messages) as child:
            text = child.stdout.read(TEXT_NBYTES_MAX)
            if len(text) == TEXT_NBYTES_MAX:
                child.kill()
                return text, None, b""
            child.wait()
            messages.seek(0)
            self.last_messages = messages.read()
            return text, child.returncode, self.last_messages

    def note_codecs(self, archive):
        """Of all blocks."""
        _, out, _ = self.run_one(self.here("nc3dump"),
                                 ("--json", "--blocks", archive), None)
        for variable in json.loads(out)["variables"]:
            for block in variable["storage"].get("block_list", ()):
                self.codecs.update(block["coding"].split())

    def compare_file(self, path, options):
        local, packed = self.directory / "x.nc", self.directory / "x.nc.nc3z"
        shutil.copy(path, local)
        packed.unlink(missing_ok=True)
        for how in options:
            status, archive = self.same(path.name, "nc3compress", *how, "-c",
                                        "x.nc")
            if status not in (0, 3):
                continue
            packed.write_bytes(archive)
            if path.stem in MADE:
                self.note_codecs(packed)
            status, original = self.same(path.name, "nc3compress", "-d", "-c",
                                         "x.nc.nc3z")
            if status != 0 or original != local.read_bytes():
                self.failures.append((path.name, "restored"))
        if packed.exists():
            self.same(path.name, "nc3compress", "-l", "-v", "x.nc.nc3z")
            self.same(path.name, "nc3dump", "-h", "x.nc.nc3z")
            if path.name in TOO_LONG and self.is_small:
                status, _, err = self.run_one(self.there("nc3dump"),
                                              ("x.nc.nc3z",), None)
                self.expect(path.name, status == 1 and
                            b"x.nc.nc3z: " in err and
                            b": Value too large" in err, err)
            else:
                self.same_text(path.name, "nc3dump", "x.nc.nc3z")

    def compare_reader(self, path, options):
        """Only nc3dump is there: the original, archives, and one in a form."""
        local, packed = self.directory / "x.nc", self.directory / "x.nc.nc3z"
        shutil.copy(path, local)
        self.same_text(path.name, "nc3dump", "x.nc")
        for how in options:
            status, archive, _ = self.run_one(
                self.here("nc3compress"), (*how, "-c", "x.nc"), None)
            if status not in (0, 3):
                continue
            packed.write_bytes(archive)
            if path.stem in MADE:
                self.note_codecs(packed)
            self.same_text(path.name, "nc3dump", "x.nc.nc3z")
        if packed.exists():
            form = FORMS[self.count % len(FORMS)]
            self.same_text(path.name, "nc3dump", *form, "x.nc.nc3z")
            packed.unlink()

    def compare_kept(self, path):
        """An archive with what no version writes any more."""
        packed = self.directory / "x.nc.nc3z"
        shutil.copy(path, packed)
        self.note_codecs(packed)
        self.same_text(path.name, "nc3dump", "x.nc.nc3z")
        packed.unlink()

    def compare_names(self, path):
        """Names of files as Windows has them, and what is no file."""
        inside = self.directory / "gr\u00f6\u00dfe"
        inside.mkdir()
        shutil.copy(path, inside / "\u6c17\u6e29.nc")
        expected = (b"netcdf \xe6\xb0\x97\xe6\xb8\xa9 {", b"")
        for name in "gr\u00f6\u00dfe\\\u6c17\u6e29.nc", \
                "gr\u00f6\u00dfe/\u6c17\u6e29.nc":
            status, out, err = self.run_one(self.there("nc3dump"),
                                            ("-h", name), None)
            self.expect(name, status == 0 and
                        (out.split(b"\n")[0], err) == expected, err)
        self.same("a directory", "nc3dump", "gr\u00f6\u00dfe")
        self.same("no file", "nc3dump", "none.nc")
        status, _, err = self.run_one(self.there("nc3dump"),
                                      ("http://127.0.0.1/x.nc",), None)
        self.expect("a URL", status == 1 and
                    b"built without reading URLs" in err, err)

    def expect(self, name, is_true, what):
        self.count += 1
        if not is_true:
            self.failures.append((name,))
            print("WRONG:", name, what.decode(errors="replace"))


def files(work):
    """With the options for each: small ones, and those of the corpus, one."""
    for name in MADE:
        make, options = sample_files.FILES[name]
        path = work / (name + ".nc")
        path.write_bytes(make())
        yield path, options
    for path in sorted((ROOT / "testdata" / "classic").glob("*.nc")):
        yield path, OPTIONS[:None if path.stat().st_size > 4096 else 1]
    corpus = os.environ.get("NC3Z_CORPUS")
    for path in sorted(Path(corpus).rglob("*")) if corpus else ():
        if path.is_file() and path.stat().st_size <= CORPUS_NBYTES_MAX:
            yield path, OPTIONS[:1]


def serve_wine(work, *arguments):
    """Wine's server, with a registry of its own; the locale has UTF-8."""
    os.environ.update(WINEPREFIX=str(work / "windows" / "wine"),
                      WINEDEBUG="-all", LC_ALL="C.UTF-8")
    server = Path(TARGETS["windows"].emulator).parent / "wineserver"
    subprocess.run([server, *arguments], check=False)


def main():
    """Compares all programs of one target with those made here."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("target", choices=TARGETS)
    options = parser.parse_args()
    target = TARGETS[options.target]
    missing = [name for name in (target.compiler, target.emulator)
               if name and not shutil.which(name)]
    if missing:
        print("skipped, not installed:", *missing)
        return 77
    work, binary = options.work.resolve(), options.bin.resolve()
    work.mkdir(parents=True, exist_ok=True)
    there = build(options.target, work)
    is_windows = target.system == "Windows"
    if is_windows:
        # It would start anew for each program; alone, it ends in a minute.
        # Of a run that was ended there may be one that ends sooner.
        (work / "windows" / "wine").mkdir(exist_ok=True)
        serve_wine(work, "--kill")
        serve_wine(work, "--persistent=60")
        run(*there("nc3dump"), "--version")
    with tempfile.TemporaryDirectory() as directory:
        comparison = Comparison(lambda name: [binary / name], there,
                                Path(directory), options.target == "i386")
        for path, how in files(work / options.target):
            if is_windows:
                comparison.compare_reader(path, how)
            else:
                comparison.compare_file(path, how)
        for path in sorted((ROOT / "testdata" / "archives").glob("*.nc3z")):
            comparison.compare_kept(path)
        unseen = CODECS - comparison.codecs
        comparison.expect("codecs of no block:", not unseen,
                          " ".join(sorted(unseen)).encode())
        if is_windows:
            comparison.compare_names(ROOT / "testdata" / "classic" /
                                     "cdf1-200-record-variables.nc")
            serve_wine(work, "--kill")
    print(f"{options.target}: {comparison.count} runs compared,",
          f"{len(comparison.failures)} failures")
    return 1 if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main())
