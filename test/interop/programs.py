# SPDX-License-Identifier: MIT
"""The programs of the interop test: how to find and run them.

A program has a name, the command that shows its version, what doc/programs.md
tells its users to do, and cases. A case is a command in which {in} stands for
the file, original or archive, {orig} for the original, {all} for all files,
and {out} for a file that it writes; what it prints and writes must be the same
for both.  The scripts and sources are in programs/.
"""

import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from limits import limited  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent / "programs"
PYTHON = "/usr/bin/python3"
if not pathlib.Path(PYTHON).exists():
    PYTHON = sys.executable

# Files that a program gets, by the name of the set.
FILES = {
    "all": [
        "cdf1-all-types.nc", "cdf2-all-types.nc", "cdf5-all-types.nc",
        "cdf1-two-record-variables.nc", "cdf1-attribute-types.nc",
        "cdf1-lone-record-variable-unpadded-short3.nc",
        "cdf1-char-table.nc", "cdf1-truncated-inside-record.nc",
        "cdf1-float-grid-with-holes.nc", "cdf1-utf8-names.nc",
        "cdf2-float-records.nc", "cdf5-int64-times.nc",
        "cdf1-packed-short.nc", "cdf1-zero-records.nc",
        "cdf1-no-variables.nc", "cdf1-fixed-variables-out-of-order.nc",
    ],
    # that libnetcdf opens: what it refuses, the library reads all the same
    "opened": ["cdf5-all-types.nc", "cdf1-attribute-types.nc",
               "cdf1-char-table.nc", "cdf1-packed-short.nc",
               "cdf1-utf8-names.nc", "cdf1-zero-records.nc",
               "cdf2-float-records.nc"],
    "grids": ["cdf1-float-grid-with-holes.nc", "cdf2-float-records.nc",
              "cdf1-packed-short.nc"],
    "one variable": ["cdf1-float-grid-with-holes.nc", "cdf1-packed-short.nc"],
    # of the package ferret-datasets
    "maps": ["coads_climatology.cdf"],
}


@dataclasses.dataclass
class Program:
    """A program, or a module of Python, or a library."""
    name: str
    version: list
    cases: list
    # None: as the first case has it
    todo: str = None
    # the version is asked for in vain where it is not installed
    fails_if_missing: bool = False
    needs: tuple = ()
    files: str = "all"
    # runs only in the test of all programs
    is_heavy: bool = False
    # "nc3run"; "package": as it is, with the Python package of nc3z; "mounted":
    # it has a reader of its own and gets what nc3mount shows
    runner: str = "nc3run"
    # the file is given so, with its path, if not as it is
    spelling: str = "{}"
    original_spelling: str = "{}"
    # the archive must have the original's name, which is shown in some way
    has_same_name: bool = False
    # what {program} in the cases is made by, from programs/
    compile: list = None

    def find_version(self):
        """The version, None if the program is not installed."""
        if not all(map(shutil.which, (self.version[0], *self.needs))):
            return None
        shown = subprocess.run([*limited(120), *self.version],
                               capture_output=True, text=True,
                               stdin=subprocess.DEVNULL, errors="replace",
                               check=False)
        if self.fails_if_missing and shown.returncode:
            return None
        match = re.search(r"\d+\.\d+(\.\d+)*", shown.stdout + shown.stderr)
        return match[0] if match else "?"

    def what_to_do(self):
        """The line of doc/programs.md."""
        if self.todo:
            return self.todo
        words = " ".join(self.cases[0])
        for a, b in ("{in}", self.spelling.format("x.nc.nc3z")), \
                ("{orig}", "x.nc"), ("{out}", "y.nc"):
            words = words.replace(a, b)
        return f"`nc3run {words}`"


def python_program(name, module, script, *arguments, **fields):
    """A program that is a script of the system's Python."""
    # Debian's xarray takes itself for version 999.
    show = (f"import {module}, importlib.metadata as m, subprocess as s\n"
            f"v = m.version('{module}')\n"
            "print(v if '.' in v else s.run(['dpkg-query', '-W', '-f', "
            f"'${{Version}}', 'python3-{module}'], capture_output=True, "
            "text=True).stdout)")
    return Program(name, [PYTHON, "-c", show],
                   [[PYTHON, "-B", str(HERE / script), *arguments, "{all}"]],
                   fails_if_missing=True, **fields)


def script(name, version, command, file, todo, **fields):
    """A program whose script reads a file and writes the values."""
    return Program(name, version,
                   [[*command, str(HERE / file), "{in}", "{out}"]], todo,
                   fails_if_missing=True, is_heavy=True, **fields)


def compiled(name, module, command, todo):
    """A program that is linked with a library."""
    return Program(name, ["pkg-config", "--modversion", module],
                   [["{program}", "{in}", "{out}"]], todo,
                   fails_if_missing=True, needs=(command[0],), is_heavy=True,
                   compile=[module, *command])


RUN_SCRIPT = "`nc3run python3 script.py`"

PROGRAMS = [
    # -n: otherwise the name in the output is that of the file
    Program("ncdump", ["ncdump"],
            [["ncdump", "-n", "x", "{in}"], ["ncdump", "-k", "{in}"],
             ["ncdump", "-K", "{in}"], ["ncdump", "-hs", "-n", "x", "{in}"],
             ["ncdump", "-c", "-n", "x", "{in}"]],
            "`nc3run ncdump x.nc.nc3z`"),
    Program("nccopy", ["nccopy"],
            [["nccopy", "{in}", "{out}"],
             ["nccopy", "-k", "cdf5", "{in}", "{out}"]]),
    Program("NCO: ncks", ["ncks", "--version"],
            [["ncks", "-hO", "{in}", "{out}"], ["ncks", "-m", "{in}"],
             ["ncks", "--cdl", "-C", "-H", "{in}"]], has_same_name=True),
    Program("NCO: ncra", ["ncra", "--version"],
            [["ncra", "-hO", "{in}", "{out}"],
             ["ncra", "-hO", "-d", "time,,,2", "{in}", "{out}"]]),
    Program("NCO: ncwa", ["ncwa", "--version"],
            [["ncwa", "-hO", "{in}", "{out}"]]),
    Program("NCO: ncap2", ["ncap2", "--version"],
            [["ncap2", "-hO", "-s", "new=1", "{in}", "{out}"]]),
    Program("CDO", ["cdo", "--version"],
            [["cdo", "-s", "sinfon", "{in}"],
             ["cdo", "-s", "--no_history", "timmean", "{in}", "{out}"],
             ["cdo", "-s", "--no_history", "sellonlatbox,10,40,5,20", "{in}",
              "{out}"],
             ["cdo", "-s", "diffn", "{orig}", "{in}"]],
            files="grids"),
    Program("CDO, in scripts", ["cdo", "--version"],
            [["cdo", "-s", "infon", "{in}"]],
            "`LD_PRELOAD=$(nc3run --plugin)` and `cdo infon "
            "nc3z:///path/x.nc.nc3z`",
            files="grids", spelling="nc3z://{}"),
    Program("GDAL: gdalinfo", ["gdalinfo", "--version"],
            [["gdalinfo", "-checksum", "-nofl", "{in}"]],
            files="grids", original_spelling="NETCDF:{}"),
    Program("GDAL: gdal_translate", ["gdal_translate", "--version"],
            [["gdal_translate", "-q", "NETCDF:{in}:SST", "{out}"]],
            "`nc3run gdal_translate NETCDF:x.nc.nc3z:SST y.tif`",
            files="maps", is_heavy=True),
    python_program("Python: xarray", "xarray", "read_xarray.py", "any", "0",
                   todo="`xarray.open_dataset(\"x.nc.nc3z\")`, with the "
                   "[Python package](python.md)", runner="package",
                   files="opened"),
    python_program("Python: xarray with dask", "dask",
                   "read_xarray.py", "any", "5", todo="the same, with "
                   "`chunks=`", runner="package", files="opened",
                   is_heavy=True),
    python_program("Python: xarray through netCDF4", "xarray",
                   "read_xarray.py", "netcdf4", "0",
                   todo=RUN_SCRIPT + " with `engine=\"netcdf4\"`"),
    python_program("Python: netCDF4", "netCDF4", "read_netcdf4.py",
                   todo=RUN_SCRIPT + ", or `nc3z.netcdf4.Dataset"
                   "(\"x.nc.nc3z\")` of the package"),
    script("R: ncdf4",
           ["Rscript", "-e", "cat(as.character(packageVersion('ncdf4')))"],
           ["Rscript"], "read_all.R", "`nc3run Rscript script.R`"),
    script("Octave",
           ["octave-cli", "--eval",
            "printf('%s', pkg('list', 'netcdf'){1}.version)"],
           ["octave-cli"], "read_all.m", "`nc3run octave-cli script.m`"),
    compiled("Fortran: nf90", "netcdf-fortran",
             ["gfortran", "read_all.f90"], "`nc3run ./program`"),
    compiled("C++: netcdf-c++4", "netcdf-cxx4", ["g++", "read_all.cc"],
             "`nc3run ./program`"),
    script("Perl: PDL::NetCDF",
           ["perl", "-MPDL::NetCDF", "-e", "print $PDL::NetCDF::VERSION"],
           ["perl"], "read_all.pl", "`nc3run perl script.pl`"),
    Program("GMT", ["gmt", "--version"],
            [["gmt", "grdinfo", "-L2", "{in}?SST[6]"],
             ["gmt", "grd2xyz", "{in}?SST[6]"]],
            "`nc3run gmt grdinfo 'x.nc.nc3z?SST[6]'`",
            files="maps", is_heavy=True),
    Program("GrADS", ["grads", "-blc", "quit"],
            [["grads", "-blcx", f"run {HERE}/grads.gs sst {{in}} {{out}}"]],
            "`nc3run grads`, then `sdfopen x.nc.nc3z`",
            files="maps", is_heavy=True),
    Program("ncview", ["ncview"],
            [[PYTHON, "-B", str(HERE / "show_ncview.py"), "{in}", "{out}"]],
            "`nc3run ncview x.nc.nc3z`", needs=("Xvfb",),
            files="one variable", is_heavy=True, has_same_name=True),
    python_program("Python: scipy", "scipy", "read_scipy.py",
                   todo="`nc3mount DIRECTORY MNT` (below), then `MNT/x.nc`; or "
                   "`nc3compress -d`", runner="mounted"),
]
