#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that programs which know nothing of nc3z read archives.

usage: check_programs.py --bin DIR --lib DIR --headers DIR --cache DIR PROGRAM

Fetches the source of a program from Debian, builds it twice, with libnetcdf and
with nc3z, and lets both do the same.  Nothing in the source is changed: the
compiler is told another directory for netcdf.h and another library.  What they
print, from a classic file and from its archive, must be the same.

PROGRAM is gri, a plotting language in C++ that uses the calls of netCDF-2, or
fes2004, tide prediction in C with those of netCDF-3.  Exits with 77 if the
source or what it needs cannot be had.
"""

import argparse
import math
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tarfile

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "testdata"))
from classic_writer import CHAR, FLOAT, ClassicWriter, Var  # noqa: E402
from limits import limited  # noqa: E402

APT_CONF = """\
Dir::Etc::SourceList "{0}/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "{0}/lists";
Dir::Cache "{0}/cache";
APT::Sandbox::User "";
Acquire::Retries "1";
Acquire::http::Timeout "20";
"""

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def skip(why):
    """Ends the test as skipped."""
    print(f"skipped: {why}")
    sys.exit(77)


def debian_address():
    """Where this machine gets Debian from, None if it does not."""
    files = [Path("/etc/apt/sources.list"),
             *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    for file in files:
        if not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        match = re.search(r"^(?:deb .*?|URIs:\s*)(https?://\S*/debian/?)\s",
                          text, re.M)
        if match:
            return match[1]
    return None


def fetch(package, cache):
    """Unpacks the original source of a Debian package; its directory."""
    directory = cache / package
    if (directory / "whole").exists():
        return directory
    address = debian_address()
    if not address:
        skip("this machine gets no packages from Debian")
    for name in ("lists/partial", "cache/archives/partial"):
        (cache / name).mkdir(parents=True, exist_ok=True)
    (cache / "sources.list").write_text(
        f"deb-src [signed-by={KEYRING}] {address} bookworm main\n",
        encoding="utf-8")
    (cache / "apt.conf").write_text(APT_CONF.format(cache), encoding="utf-8")
    environment = {**os.environ, "APT_CONFIG": str(cache / "apt.conf")}
    directory.mkdir(parents=True, exist_ok=True)
    for command in (["apt-get", "-q", "update"],
                    ["apt-get", "-q", "source", "--tar-only",
                     "--download-only", package]):
        try:
            done = subprocess.run(command, cwd=directory, env=environment,
                                  capture_output=True, text=True, timeout=300,
                                  check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            skip(f"no source of {package}: {error}")
        if done.returncode:
            skip(f"no source of {package}: {done.stderr.strip()[-300:]}")
    for archive in directory.glob("*.orig.tar.*"):
        with tarfile.open(archive) as tar:
            tar.extractall(directory)
    (directory / "whole").touch()
    return directory


def classic(dims, atts, variables):
    """A CDF-1 file of floats: (name, dimension numbers, values)."""
    return ClassicWriter(
        1, dims, [(name, CHAR, text) for name, text in atts],
        [Var(name, FLOAT, list(dimids), values)
         for name, dimids, values in variables]).build()


class Build:
    """One of the two ways to build a program."""

    def __init__(self, args, directory, with_nc3z):
        self.directory = directory / ("nc3z" if with_nc3z else "netcdf")
        self.directory.mkdir(parents=True, exist_ok=True)
        self.header = args.headers / "nc3z_compat.h"
        self.compile_options, self.link_options = [], ["-lnetcdf"]
        if with_nc3z:
            self.compile_options = [f"-I{self.install(args.headers)}"]
            self.link_options = [f"-L{args.lib}", "-lnc3z",
                                 f"-Wl,-rpath,{args.lib}"]

    def install(self, headers):
        """The directory of <netcdf.h>, with the headers as installed."""
        include = self.directory / "include"
        place = include / "nc3z"
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy2(headers / "compat/include/netcdf.h", place)
        for name in ("nc3z.h", "nc3z_compat.h"):
            shutil.copy2(headers / name, include)
        return place

    def is_new(self, target, source):
        """Whether a file was compiled after all that it is made of."""
        return target.exists() and target.stat().st_mtime > max(
            source.stat().st_mtime, self.header.stat().st_mtime)

    def build(self, compiler, sources, options, libraries):
        """Compiles and links a program; returns its path."""
        objects, running = [], []
        for source in sources:
            objects.append(self.directory / (source.name + ".o"))
            if self.is_new(objects[-1], source):
                continue
            running.append([*compiler, "-O0", "-w", *self.compile_options,
                            *options, "-c", source, "-o", objects[-1]])
        while running:
            some, running = running[:2], running[2:]
            some = [subprocess.Popen(command, cwd=self.directory)
                    for command in some]
            if any(process.wait() for process in some):
                sys.exit("the program cannot be compiled")
        program = self.directory / "program"
        subprocess.run([*compiler, *objects, *self.link_options, *libraries,
                        "-o", program], check=True)
        return program


def libraries_of(program):
    """What a program is linked with."""
    return subprocess.run(["ldd", program], capture_output=True, text=True,
                          check=True).stdout


class Gri:
    """A whole program; its result is a picture."""

    package = "gri"
    is_large = True
    script = """\
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

    def __init__(self, directory):
        self.source = directory / "gri-2.12.27/src"
        if not self.source.is_dir():
            skip("another version of gri than 2.12.27")

    def data(self):
        """A file that the script reads."""
        x = [float(i) for i in range(30)]
        y = [float(i) for i in range(20)]
        height = [math.sin(a / 5) * math.cos(b / 4) for b in y for a in x]
        return classic([("x", 30), ("y", 20)],
                       [("title", "waves"), ("history", "none")],
                       [("x", [0], x), ("y", [1], y),
                        ("height", [1, 0], height),
                        ("line", [0], [math.sqrt(a) for a in x])])

    def build(self, build):
        """Builds all of it."""
        names = subprocess.run(
            ["sed", "-n", "/^gri_SOURCES/,/[^\\]$/p", "Makefile.am"],
            cwd=self.source, capture_output=True, text=True, check=True)
        sources = [self.source / name
                   for name in re.findall(r"\S+\.cc\b", names.stdout)]
        return build.build(
            ["g++", "-std=gnu++98"], sources,
            [f"-I{self.source}", "-DHAVE_LIBNETCDF", "-DCPLUSPLUSNEW",
             "-DHAVE_STRERROR", "-DGRI_IS_BIG_ENDIAN=0", "-DHAVE_ACOSH",
             "-DHAVE_ISNAN", "-DHAVE_MKSTEMP", "-DHAVE_TMPNAM",
             "-DHAVE_POPEN", "-DHAVE_GETCWD", "-DHAVE_GETHOSTNAME",
             "-DHAVE_DRAND48", "-DHAVE_STAT", "-DHAVE_UNISTD_H",
             f'-DDEFAULT_GRI_DIR="{self.source}/"',
             '-DPACKAGE_VERSION="2.12.27"'], [])

    def run(self, program, directory):
        """Draws; the file is data.nc in the directory."""
        (directory / "plot.gri").write_text(self.script, encoding="utf-8")
        (directory / "plot.ps").unlink(missing_ok=True)
        done = subprocess.run(
            [*limited(120), program, "-directory", self.source, "-batch",
             "plot.gri"], cwd=directory, capture_output=True, check=False)
        picture = (directory / "plot.ps").read_bytes()
        if done.returncode or b"waves" not in done.stdout or \
                picture.count(b"\n") < 500:
            sys.exit(f"gri fails: {done}")
        # lines that tell the time
        return done.stdout, re.sub(rb"%.*\n", b"", picture)


class Fes2004:
    """A library with a program of ours that calls it."""

    package = "gerris"
    is_large = False
    main = """\
#include <stdio.h>
#include "fes.h"

int main(void)
{
	double lat[200], lon[200], time[200], height[200];
	double *amplitude[200], *phase[200];
	static double memory[2][200][14];

	for (int i = 0; i < 200; i++) {
		lat[i] = -89.9 + i * 0.03;
		lon[i] = 0.05 + i * 0.02;
		time[i] = i * 3600.0;
		amplitude[i] = memory[0][i];
		phase[i] = memory[1][i];
	}
	fes2004_prediction("data.nc", 0, 200, lat, lon, time, height, 1);
	fes2004_extraction("data.nc", 200, lat, lon, amplitude, phase, 1);
	for (int i = 0; i < 200; i++) {
		printf("%.17g", height[i]);
		for (int j = 0; j < 14; j++)
			printf(" %.17g %.17g", amplitude[i][j], phase[i][j]);
		printf("\\n");
	}
	return 0;
}
"""

    def __init__(self, directory):
        found = sorted(directory.glob("*/modules/fes2004"))
        if not found:
            skip("no fes2004 in the source of gerris")
        if not Path("/usr/include/gsl/gsl_linalg.h").exists():
            skip("no libgsl-dev")
        self.source = found[0]

    def data(self):
        """A corner of the grid it expects, 1/8 degree wide."""
        nwaves, nlat, nlon = 14, 60, 50
        points = [(w, y, x) for w in range(nwaves) for y in range(nlat)
                  for x in range(nlon)]
        return classic(
            [("lon", nlon), ("lat", nlat), ("spectrum", nwaves)], [],
            [("lon", [0], [x / 8 for x in range(nlon)]),
             ("lat", [1], [y / 8 - 90 for y in range(nlat)]),
             ("spectrum", [2], list(range(nwaves))),
             ("Ha", [2, 1, 0], [w + math.sin(y / 9) + x / 50
                                for w, y, x in points]),
             ("Hg", [2, 1, 0], [(17 * w + 3 * y + x) % 360
                                for w, y, x in points])])

    def build(self, build):
        """Builds the library with our program."""
        main = build.directory / "main.c"
        main.write_text(self.main, encoding="utf-8")
        return build.build(
            ["gcc", "-std=gnu11"],
            [main, *sorted(self.source.glob("fes2004_*.c"))],
            [f"-I{self.source}"], ["-lgsl", "-lgslcblas", "-lm"])

    def run(self, program, directory):
        """Computes; the file is data.nc in the directory."""
        done = subprocess.run([*limited(120), program], cwd=directory,
                              capture_output=True, check=False)
        if done.returncode or done.stdout.count(b"\n") < 200:
            sys.exit(f"fes2004 fails: {done}")
        return done.stdout, b""


def main():
    """Builds twice, runs three times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--lib", required=True, type=Path)
    parser.add_argument("--headers", required=True, type=Path)
    parser.add_argument("--cache", required=True, type=Path)
    programs = {"gri": Gri, "fes2004": Fes2004}
    parser.add_argument("program", choices=programs)
    args = parser.parse_args()
    for name in ("bin", "lib", "headers", "cache"):
        setattr(args, name, getattr(args, name).resolve())
    cache = args.cache

    chosen = programs[args.program]
    if chosen.is_large and os.environ.get("NC3Z_INTEROP") != "all":
        print(f"skipped: {args.program} takes minutes; run "
              '"./dev test interop"')
        sys.exit(77)
    program = chosen(fetch(chosen.package, cache))
    directory = cache / f"{args.program}-run"
    builds = [program.build(Build(args, directory, with_nc3z))
              for with_nc3z in (False, True)]
    if "libnc3z" not in libraries_of(builds[1]) or \
            "libnetcdf" in libraries_of(builds[1]):
        sys.exit("the program is linked with something else")

    file, archive = directory / "data.nc", directory / "data.nc.nc3z"
    file.write_bytes(program.data())
    wanted = program.run(builds[0], directory)
    if program.run(builds[1], directory) != wanted:
        sys.exit(f"{args.program} reads something else from the file")
    subprocess.run([args.bin / "nc3compress", "-q", "-f", file], check=True)
    archive.replace(file)
    if program.run(builds[1], directory) != wanted:
        sys.exit(f"{args.program} reads something else from the archive")
    print(f"{args.program}: {len(wanted[0]) + len(wanted[1])} bytes, the same "
          "with libnetcdf, with nc3z, and from the archive")


if __name__ == "__main__":
    main()
