#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Archives made on other machines are the same, and read the same.

usage: check_portable.py --bin DIRECTORY --work DIRECTORY TARGET

Builds codecs, library and programs for TARGET (see TARGETS below), from source
and in WORK/TARGET, and runs the programs there, if need be by qemu.  All test
data, and small files of the corpus, are packed by them and by the programs in
--bin: messages, exit statuses and archives must be the same to the byte.  The
archives are restored, listed and printed by both.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECODERS = ROOT / "tools" / "viewer" / "reader" / "decoders"
SOURCES = ROOT / "tools" / "viewer" / "get_sources.sh"

# Processor as CMake has it, compiler, and what runs the programs.
TARGETS = {
    "s390x": ("s390x", "s390x-linux-gnu-gcc", "qemu-s390x-static"),
    "arm64": ("aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64-static"),
    "i386": ("i686", "i686-linux-gnu-gcc", "qemu-i386-static"),
    "musl": (os.uname().machine, "musl-gcc", None),
}
OPTIONS = (), ("-9",), ("--chunks=auto", "--portable"), ("-1", "-b", "16K")
CORPUS_NBYTES_MAX = 300_000
TEXT_NBYTES_MAX = 1 << 20


def build(target, work):
    """Gives the command that the name of a program completes."""
    processor, compiler, emulator = TARGETS[target]
    here = work / target
    prefix = here / "codecs"
    common = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
              "-DCMAKE_SYSTEM_NAME=Linux",
              f"-DCMAKE_SYSTEM_PROCESSOR={processor}",
              f"-DCMAKE_C_COMPILER={compiler}"]
    if emulator:
        common.append(f"-DCMAKE_CROSSCOMPILING_EMULATOR={emulator}")
    run("sh", SOURCES, work / "sources")
    run("cmake", "-S", DECODERS, "-B", here / "codecs-build", *common,
        f"-DSOURCES={work / 'sources'}", "-DENCODERS=ON",
        "-DCMAKE_INSTALL_LIBDIR=lib", f"-DCMAKE_INSTALL_PREFIX={prefix}")
    run("cmake", "--build", here / "codecs-build")
    run("cmake", "--install", here / "codecs-build")
    os.environ["PKG_CONFIG_LIBDIR"] = str(prefix / "lib" / "pkgconfig")
    run("cmake", "-S", ROOT, "-B", here / "build", *common,
        f"-DCMAKE_FIND_ROOT_PATH={prefix}",
        "-DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY",
        "-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY",
        "-DNC3Z_FEW_LIBRARIES=ON", "-DNC3Z_REMOTE=OFF", "-DBUILD_TESTING=OFF",
        "-DCMAKE_Fortran_COMPILER=", "-DCMAKE_EXE_LINKER_FLAGS=-static")
    run("cmake", "--build", here / "build", "--target", "nc3compress",
        "nc3dump")
    binary = here / "build" / "bin"
    return lambda name: [*([emulator] if emulator else []), binary / name]


def run(*command):
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    if done.returncode != 0:
        sys.stdout.buffer.write(done.stdout)
        raise SystemExit(f"failed: {' '.join(map(str, command))}")


class Comparison:
    """The programs here, and those of the target."""

    def __init__(self, here, there, directory):
        self.here, self.there, self.directory = here, there, directory
        self.count, self.failures = 0, []

    def run_one(self, program, arguments, data):
        done = subprocess.run([*map(str, program), *map(str, arguments)],
                              input=data, capture_output=True, check=False,
                              cwd=self.directory)
        return done.returncode, done.stdout, done.stderr

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
        return here[:2]

    def same_text(self, name, tool, *arguments):
        """The beginning of it: some headers claim two billion records."""
        here, there = (self.beginning(programs(tool), arguments)
                       for programs in (self.here, self.there))
        self.count += 1
        if here != there:
            self.failures.append((name, arguments))
            print("DIFFERENT:", name, tool, *arguments)

    def beginning(self, program, arguments):
        with subprocess.Popen([*map(str, program), *map(str, arguments)],
                              stdout=subprocess.PIPE, cwd=self.directory,
                              stderr=subprocess.DEVNULL) as child:
            text = child.stdout.read(TEXT_NBYTES_MAX)
            child.kill()
        return text

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
            status, original = self.same(path.name, "nc3compress", "-d", "-c",
                                         "x.nc.nc3z")
            if status != 0 or original != local.read_bytes():
                self.failures.append((path.name, "restored"))
        if packed.exists():
            self.same(path.name, "nc3compress", "-l", "-v", "x.nc.nc3z")
            self.same(path.name, "nc3dump", "-h", "x.nc.nc3z")
            self.same_text(path.name, "nc3dump", "x.nc.nc3z")


def files():
    """With the options for each: small ones, and those of the corpus, one."""
    for path in sorted((ROOT / "testdata" / "classic").glob("*.nc")):
        yield path, OPTIONS[:None if path.stat().st_size > 4096 else 1]
    corpus = os.environ.get("NC3Z_CORPUS")
    for path in sorted(Path(corpus).rglob("*")) if corpus else ():
        if path.is_file() and path.stat().st_size <= CORPUS_NBYTES_MAX:
            yield path, OPTIONS[:1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("target", choices=TARGETS)
    options = parser.parse_args()
    needed = [name for name in TARGETS[options.target][1:] if name]
    missing = [name for name in needed if not shutil.which(name)]
    if missing:
        print("skipped, not installed:", *missing)
        return 77
    work, binary = options.work.resolve(), options.bin.resolve()
    work.mkdir(parents=True, exist_ok=True)
    there = build(options.target, work)
    with tempfile.TemporaryDirectory() as directory:
        comparison = Comparison(lambda name: [binary / name], there,
                                Path(directory))
        for path, how in files():
            comparison.compare_file(path, how)
    print(f"{options.target}: {comparison.count} runs compared,",
          f"{len(comparison.failures)} failures")
    return 1 if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main())
