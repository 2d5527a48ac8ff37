#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the library that only reads, natively, and compares its nc3dump.

CMake finds what is installed of it, the static library, and builds with that.

usage: check_read_only.py --bin DIR --build DIR TESTDATA
"""

import argparse
from pathlib import Path
import subprocess
import sys
import tempfile

ROOT = Path(__file__).resolve().parents[2]
# What packs, converts or salvages is not in it; what reads is.
ABSENT = ("nc3z_pack", "nc3z_convert", "nc3z_salvage", "codec_encode",
          "SHA256_Update", "lzma_raw_buffer_encode")
PRESENT = ("nc3z_open_source", "nc3z_get", "nc3z_verify", "sha256_plain_update",
           "lzma_raw_buffer_decode")
# How the files are packed, by turns.
WAYS = (), ("-9",), ("--codec=lzma",)


def cmake(*words):
    """Runs it, without its output."""
    subprocess.run(["cmake", *words], check=True, stdout=subprocess.DEVNULL)


def build(source, directory, *options):
    """Configures and builds it."""
    cmake("-S", source, "-B", directory, "-G", "Ninja",
          "-DCMAKE_BUILD_TYPE=Release", *options)
    cmake("--build", directory)


def symbols(library):
    """Names that a library defines or needs."""
    listed = subprocess.run(["nm", library], check=True, capture_output=True,
                            text=True).stdout
    return {line.split()[-1] for line in listed.splitlines() if " " in line}


# Headers that claim billions of values have as much printed.
OUTPUT_NBYTES_MAX = 1 << 20


def dump(program, *arguments):
    """Status and output of an nc3dump, or the first bytes of much of it."""
    with tempfile.TemporaryFile() as errors, subprocess.Popen(
            [program, *arguments], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=errors) as process:
        output = process.stdout.read(OUTPUT_NBYTES_MAX)
        if len(output) == OUTPUT_NBYTES_MAX:
            process.kill()
            return output
        status = process.wait()
        errors.seek(0)
        return status, output, errors.read()


def main():
    """Compares on all files of the project, as archives and as they are."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("testdata", type=Path)
    args = parser.parse_args()
    build(ROOT, args.build, "-DNC3Z_READ_ONLY=ON", "-DNC3Z_WERROR=ON",
          f"-DCMAKE_RUNTIME_OUTPUT_DIRECTORY={args.build}/bin")
    wrong = []
    names = symbols(args.build / "lib/libnc3z_inside.a")
    wrong += [f"{name} is in it" for name in ABSENT if name in names]
    wrong += [f"{name} is not in it" for name in PRESENT if name not in names]
    count = 0
    with tempfile.TemporaryDirectory(prefix="nc3z-read-only-") as place:
        cmake("--install", args.build, "--prefix", f"{place}/prefix")
        build(ROOT / "test/install/project", f"{place}/project",
              f"-DCMAKE_PREFIX_PATH={place}/prefix")
        if not Path(f"{place}/project/static").is_file():
            wrong.append("no program is built with what is installed")
        archive = Path(place) / "x.nc.nc3z"
        for i, path in enumerate(sorted(args.testdata.glob("*.nc"))):
            status = subprocess.run(
                [args.bin / "nc3compress", "-qkf", *WAYS[i % len(WAYS)], path,
                 "-o", archive],
                check=False, stderr=subprocess.DEVNULL).returncode
            for file in (path, archive) if status in (0, 3) else (path,):
                count += 1
                if (dump(args.bin / "nc3dump", file) !=
                        dump(args.build / "bin/nc3dump", file)):
                    wrong.append(f"{path.name}: nc3dump differs")
    print("\n".join(wrong + [f"{count} files, {len(wrong)} wrong"]))
    sys.exit(1 if wrong or count < 100 else 0)


if __name__ == "__main__":
    main()
