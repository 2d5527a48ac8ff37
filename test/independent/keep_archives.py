#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps archives that later versions must read, in testdata/archives.

usage: keep_archives.py [--bin DIR] DIRECTORY

With --bin, packs the files of sample_files.py, and keeps few archives that
together use all of the format, and an exact netCDF-4 file, with the list of
nc3manifest.  Once for each version of the format: archives of earlier ones stay
as they are.

Without, shows that decode.py restores the archives, and that together they use
all of the format.
"""

import argparse
import io
import subprocess
import sys
from pathlib import Path

import check_decoder
import features
import sample_files
from archive import SeekingReader
from one_pass import OnePassReader


def pack_all(programs, directory):
    """The features of each archive, by its path."""
    found = {}
    for name, (make, option_lists) in sample_files.FILES.items():
        original = directory / f"{name}.nc"
        original.write_bytes(make())
        for number, options in enumerate(option_lists):
            path = directory / f"{name}-{number}.nc.nc3z"
            subprocess.run([programs / "nc3compress", "-qfT1", *options, "-o",
                            path, original], check=True)
            found[path] = features.of_archive(
                SeekingReader(io.BytesIO(path.read_bytes())))
        original.unlink()
    return found


def keep(found):
    """Removes what the others make up for, the largest first."""
    for path in sorted(found, key=lambda p: -p.stat().st_size):
        others = set().union(*(f for p, f in found.items() if p != path))
        if check_decoder.REQUIRED <= others:
            del found[path]
            path.unlink()


def make(programs, directory):
    """Fills the directory."""
    found = pack_all(programs, directory)
    keep(found)
    exact = directory / "exact.nc4"
    subprocess.run([programs / "nc3convert", "-q", "--to=netcdf4", "-o", exact,
                    directory / "stations-3.nc.nc3z"], check=True)
    listed = subprocess.run(
        [programs / "nc3manifest", *sorted(path.name for path in found),
         exact.name], cwd=directory, check=True, stdout=subprocess.PIPE)
    (directory / "SHA256SUMS").write_bytes(listed.stdout)


def check(directory):
    """What of the format nothing in the directory uses."""
    missing = check_decoder.REQUIRED | {"codec context"}    # of nc3z 1.0.0
    for path in directory.glob("*.nc3z"):
        data = path.read_bytes()
        for reader in SeekingReader, OnePassReader:
            check_decoder.restored(reader, data)    # with its SHA-256
        missing -= features.of_archive(SeekingReader(io.BytesIO(data)))
    return missing


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", type=Path)
    parser.add_argument("directory", type=Path)
    options = parser.parse_args()
    if options.bin:
        make(options.bin.resolve(), options.directory)
    missing = check(options.directory)
    if missing:
        sys.exit("used by no archive: " + "; ".join(sorted(missing)))


if __name__ == "__main__":
    main()
