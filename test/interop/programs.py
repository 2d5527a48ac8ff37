"""The programs of the interop test: how to find and run them.

A program has a name, the command that shows its version, and cases.  A case is
a command in which {in} stands for the file, original or archive, {all} for all
files, and {out} for a file that it writes; what it prints and writes must be the
same for both.
"""

import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys

PYTHON_NETCDF4 = r"""
import sys, warnings, netCDF4, numpy
warnings.simplefilter("ignore")
def show(d):
    d.set_auto_maskandscale(False)
    print(d.data_model, d.disk_format, d.file_format)
    print({k: len(v) for k, v in d.dimensions.items()})
    print({k: str(d.getncattr(k)) for k in d.ncattrs()})
    for name, v in d.variables.items():
        print(name, v.dtype, v.shape, v.chunking(), v.filters(), v.endian(),
              {k: str(v.getncattr(k)) for k in v.ncattrs()})
        if v.size > 5000000:
            continue
        for step in None, 2, -1:
            part = tuple(slice(None, None, step) for _ in v.shape)
            print(hash(numpy.asarray(v[part]).tobytes()))
for path in sys.argv[1:]:
    try:
        show(netCDF4.Dataset(path))
    except Exception as e:
        print(type(e), str(e).split(":")[0])
"""

PYTHON_XARRAY = r"""
import sys, xarray
def show(d):
    print({k: (str(v.dtype), v.dims, v.shape) for k, v in d.variables.items()})
    print({k: hash(v.values.tobytes()) for k, v in d.variables.items()
           if v.size < 5000000})
for path in sys.argv[1:]:
    try:
        show(xarray.open_dataset(path, engine="netcdf4", decode_times=False))
    except Exception as e:
        print(type(e), str(e).split(":")[0])
"""


@dataclasses.dataclass
class Program:
    """A program, or a module of Python."""
    name: str
    version: list
    cases: list
    module: str = ""
    reads_grids: bool = False  # and nothing else
    # the archive is given so, with its path, if not as it is
    spelling: str = "{}"

    def find_version(self):
        """The version, None if the program is not installed."""
        if not shutil.which(self.version[0]):
            return None
        shown = subprocess.run(self.version, capture_output=True, text=True,
                               stdin=subprocess.DEVNULL, errors="replace",
                               check=False)
        if self.module and shown.returncode:
            return None
        match = re.search(r"\d+\.\d+(\.\d+)*", shown.stdout + shown.stderr)
        return match[0] if match else "?"


def python_program(name, module, script):
    """A program that is a script of the system's Python."""
    python = "/usr/bin/python3"
    if not pathlib.Path(python).exists():
        python = sys.executable
    # Debian's xarray does not know its own
    show = (f"import {module}, importlib.metadata as m; "
            f"print(m.version('{module}'))")
    return Program(name, [python, "-c", show], [[python, "-c", script, "{all}"]],
                   module=module)


PROGRAMS = [
    # -n: otherwise the name in the output is that of the file
    Program("ncdump", ["ncdump"],
            [["ncdump", "-n", "x", "{in}"], ["ncdump", "-k", "{in}"],
             ["ncdump", "-K", "{in}"], ["ncdump", "-hs", "-n", "x", "{in}"],
             ["ncdump", "-c", "-n", "x", "{in}"]]),
    Program("nccopy", ["nccopy"],
            [["nccopy", "{in}", "{out}"],
             ["nccopy", "-k", "cdf5", "{in}", "{out}"]]),
    Program("ncks", ["ncks", "--version"],
            [["ncks", "-hO", "{in}", "{out}"], ["ncks", "-m", "{in}"],
             ["ncks", "--cdl", "-C", "-H", "{in}"]]),
    Program("ncra", ["ncra", "--version"],
            [["ncra", "-hO", "{in}", "{out}"],
             ["ncra", "-hO", "-d", "time,,,2", "{in}", "{out}"]]),
    Program("ncwa", ["ncwa", "--version"], [["ncwa", "-hO", "{in}", "{out}"]]),
    Program("ncap2", ["ncap2", "--version"],
            [["ncap2", "-hO", "-s", "new_variable=1", "{in}", "{out}"]]),
    python_program("Python netCDF4", "netCDF4", PYTHON_NETCDF4),
    python_program("xarray", "xarray", PYTHON_XARRAY),
    Program("cdo", ["cdo", "--version"],
            [["cdo", "-s", "sinfon", "{in}"],
             ["cdo", "-s", "--no_history", "timmean", "{in}", "{out}"],
             ["cdo", "-s", "--no_history", "sellonlatbox,10,40,5,20", "{in}",
              "{out}"]],
            reads_grids=True),
    Program("cdo nc3z://", ["cdo", "--version"],
            [["cdo", "-s", "infon", "{in}"]], reads_grids=True,
            spelling="nc3z://{}"),
    Program("gdalinfo", ["gdalinfo", "--version"],
            [["gdalinfo", "-checksum", "-nofl", "{in}"]],
            reads_grids=True),
]
