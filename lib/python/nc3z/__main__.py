# SPDX-License-Identifier: MIT
"""python3 -m nc3z: what is used, from where, and whether it works.

usage: python3 -m nc3z

Prints versions and places, one on a line, and the results of a check: a small
classic file is made in memory, packed, read back by each way that is installed,
and restored.  Exit status 0 if all that is installed works, otherwise 1.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
import tempfile
from typing import Any, Callable, List, Tuple

import numpy

import nc3z

from . import _classic, _library

PACKAGES = ("numpy", "xarray", "netCDF4", "dask", "distributed", "fsspec",
            "zarr", "tqdm")


def _line(name: str, text: str) -> None:
    print(f"{name + ':':14} {text}", flush=True)


def _show_library() -> None:
    _line("nc3z", f"{nc3z.__version__}, {os.path.dirname(nc3z.__file__)}")
    _line("libnc3z", f"{_library.version()}, {nc3z.library_path()}")
    try:
        _line("plug-in", _library.plugin_path())
    except ImportError as error:
        _line("plug-in", str(error))


def _show_packages() -> None:
    _line("python", f"{sys.version.split()[0]}, {sys.executable}")
    for name in PACKAGES:
        try:
            module = importlib.import_module(name)
            _line(name, str(getattr(module, "__version__", "?")))
        except ImportError:
            _line(name, "not installed")


def _make() -> Tuple[bytes, Any]:
    """A classic file and the values in it."""
    values: Any = numpy.arange(6 * 20 * 30, dtype="f4").reshape(6, 20, 30) / 8
    dims = {"time": 6, "y": 20, "x": 30}
    file = _classic.ClassicBytes(
        dims, [_classic.Array("v", list(dims), values.shape, "f4",
                              lambda key: values[key], {"units": "m"})],
        {"title": "self-check"}, "time")
    return file.read(0, file.size), values


def _check_library(path: str) -> str:
    original, values = _make()
    nc3z.pack(original, path)
    back = io.BytesIO()
    nc3z.restore(path, back)
    assert back.getvalue() == original, "restored bytes differ"
    nc3z.verify(path)
    with nc3z.File(path) as file:
        assert numpy.array_equal(file["v"][...], values), "values differ"
        assert file["v"].attrs == {"units": "m"}, "attributes differ"
    return f"packed, read and restored {len(original)} bytes"


def _check_xarray(path: str) -> str:
    import xarray
    with xarray.open_dataset(path) as dataset:
        assert numpy.array_equal(dataset["v"].values, _make()[1]), \
            "values differ"
    return "opened without an engine being named"


def _check_netcdf4(path: str) -> str:
    from . import netcdf4
    with netcdf4.Dataset(path) as dataset:
        assert numpy.array_equal(dataset["v"][...], _make()[1]), \
            "values differ"
    return "opened with the plug-in"


def _check(name: str, function: Callable[[str], str], path: str) -> bool:
    """Prints the result of a check; whether it is good."""
    try:
        _line("check " + name, function(path))
    except Exception as error:
        missing = getattr(error, "name", None)
        if isinstance(error, ImportError) and missing in PACKAGES:
            return True
        _line("check " + name, f"FAILED: {type(error).__name__}: {error}")
        return False
    return True


def main(arguments: List[str]) -> int:
    """Prints all; the exit status."""
    if arguments:
        print((__doc__ or "").strip())
        return 0 if arguments[0] in ("-h", "--help") else 2
    _show_packages()
    try:
        _show_library()
    except ImportError as error:
        _line("libnc3z", str(error))
        return 1
    with tempfile.TemporaryDirectory(prefix="nc3z-check-") as directory:
        path = os.path.join(directory, "check.nc.nc3z")
        good = [_check("nc3z", _check_library, path),
                _check("xarray", _check_xarray, path),
                _check("netCDF4", _check_netcdf4, path)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
