#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that a program which knows nothing of nc3z reads archives.

usage: check_gri.py --bin DIR --lib DIR --headers DIR --cache DIR

Fetches the source of gri from Debian, a plotting language in C++ that uses the
calls of netCDF-2, builds it twice, with libnetcdf and with nc3z, and lets both
do the same.  Nothing in the source is changed: the compiler is told another
directory for netcdf.h and another library.  What they print and draw, from a
classic file and from its archive, must be the same.  Exits with 77 if the
source cannot be had.
"""

import argparse
import concurrent.futures
import math
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test"))
sys.path.append(str(ROOT / "testdata"))
from classic_writer import CHAR, FLOAT, ClassicWriter, Var  # noqa: E402
from limits import limited  # noqa: E402

SCRIPT = """\
open data.nc netCDF
read \\title
show "\\title"
read grid x = "x"
read grid y = "y"
read grid data = "height"
set x axis 0 30 5
set y axis 0 20 5
draw contour
show grid
close
open data.nc netCDF
read columns x="x" y="line"
draw curve
show columns
"""

DEFINED = [f"-DHAVE_{name}" for name in (
    "LIBNETCDF", "STRERROR", "ACOSH", "ISNAN", "MKSTEMP", "TMPNAM", "POPEN",
    "GETCWD", "GETHOSTNAME", "DRAND48", "STAT", "UNISTD_H")] + [
    "-DCPLUSPLUSNEW", "-DGRI_IS_BIG_ENDIAN=0", '-DPACKAGE_VERSION="2.12.27"']


def skip(why):
    """Ends the test as skipped."""
    print(f"skipped: {why}")
    sys.exit(77)


def fetch(cache):
    """Where the source of gri is."""
    done = subprocess.run(
        [ROOT / "tools/viewer/get_sources.sh", cache / "sources", "gri"],
        capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        skip(f"no source of gri: {done.stderr.strip()[-300:]}")
    return cache / "sources/gri/src"


def data():
    """A file that the script reads."""
    x = [float(i) for i in range(30)]
    y = [float(i) for i in range(20)]
    height = [math.sin(a / 5) * math.cos(b / 4) for b in y for a in x]
    return ClassicWriter(
        1, [("x", 30), ("y", 20)],
        [("title", CHAR, "waves"), ("history", CHAR, "none")],
        [Var(name, FLOAT, dimids, values) for name, dimids, values in (
            ("x", [0], x), ("y", [1], y), ("height", [1, 0], height),
            ("line", [0], [math.sqrt(a) for a in x]))]).build()


def build(source, directory, options, libraries):
    """Compiles all of it; the program."""
    directory.mkdir(parents=True)
    names = re.search(r"^gri_SOURCES((.*\\\n)*.*)", (
        source / "Makefile.am").read_text(encoding="utf-8"), re.M)[1]
    compiler = ["g++", "-std=gnu++98", "-O0", "-w", *options, f"-I{source}",
                f'-DDEFAULT_GRI_DIR="{source}/"', *DEFINED]

    def compiled(name):
        subprocess.run([*compiler, "-c", source / name, "-o",
                        directory / f"{name}.o"], check=True)
        return directory / f"{name}.o"
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compiled, re.findall(r"\S+\.cc\b", names)))
    subprocess.run(["g++", *objects, *libraries, "-o", directory / "gri"],
                   check=True)
    return directory / "gri"


def install(headers, include):
    """The directory of <netcdf.h>, with the headers as installed."""
    (include / "nc3z").mkdir(parents=True)
    shutil.copy2(headers / "compat/include/netcdf.h", include / "nc3z")
    for name in ("nc3z.h", "nc3z_compat.h"):
        shutil.copy2(headers / name, include)
    return include / "nc3z"


def draw(program, source, directory):
    """What it prints and draws of data.nc in the directory."""
    (directory / "plot.gri").write_text(SCRIPT, encoding="utf-8")
    (directory / "plot.ps").unlink(missing_ok=True)
    done = subprocess.run(
        [*limited(120), program, "-directory", source, "-batch", "plot.gri"],
        cwd=directory, capture_output=True, check=False)
    picture = (directory / "plot.ps").read_bytes()
    if done.returncode or b"waves" not in done.stdout or \
            picture.count(b"\n") < 500:
        sys.exit(f"gri fails: {done}")
    # lines that tell the time
    return done.stdout, re.sub(rb"%.*\n", b"", picture)


def main():
    """Builds twice, runs three times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("bin", "lib", "headers", "cache"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    args = argparse.Namespace(**{name: path.resolve() for name, path in
                                 vars(parser.parse_args()).items()})
    if os.environ.get("NC3Z_INTEROP") != "all":
        skip('gri takes minutes; run "./dev test interop"')
    source, work = fetch(args.cache), args.cache / "gri"
    shutil.rmtree(work, ignore_errors=True)
    include = install(args.headers, work / "include")
    theirs = build(source, work / "netcdf", [], ["-lnetcdf"])
    ours = build(source, work / "nc3z", [f"-I{include}"], [
        f"-L{args.lib}", "-lnc3z", f"-Wl,-rpath,{args.lib}"])
    linked = subprocess.run(["ldd", ours], capture_output=True, text=True,
                            check=True).stdout
    if "libnc3z" not in linked or "libnetcdf" in linked:
        sys.exit("gri is linked with something else")

    file = work / "data.nc"
    file.write_bytes(data())
    wanted = draw(theirs, source, work)
    if draw(ours, source, work) != wanted:
        sys.exit("gri reads something else from the file")
    subprocess.run([args.bin / "nc3compress", "-q", "-f", file], check=True)
    (work / "data.nc.nc3z").replace(file)
    if draw(ours, source, work) != wanted:
        sys.exit("gri reads something else from the archive")
    print(f"gri: {sum(map(len, wanted))} bytes, the same with libnetcdf, with "
          "nc3z, and from the archive")


if __name__ == "__main__":
    main()
