#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the Python package, as it is installed.

usage: check_python.py --cmake PROGRAM --build DIR --bin DIR --layout PROGRAM
                       --testdata DIR --package DIR

What is installed is nc3z as it was built, into a temporary directory.  Then
checks.py runs in a process of its own, with the package in its search path.
Without numpy nothing can be checked; parts that need packages which are not
installed are skipped by name.  With NC3Z_INTEROP=all that is a failure; the
package is installed by pip, too, and the tour is run.
"""

import argparse
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
# Modules, and what Debian calls them.
MODULES = {"numpy": "python3-numpy", "xarray": "python3-xarray",
           "netCDF4": "python3-netcdf4", "dask": "python3-dask",
           "distributed": "python3-distributed", "tqdm": "python3-tqdm",
           "zarr": "python3-zarr", "numcodecs": "python3-numcodecs",
           "fsspec": "python3-fsspec", "aiohttp": "python3-aiohttp",
           "matplotlib": "python3-matplotlib", "scipy": "python3-scipy",
           "nbclient": "python3-nbclient", "nbformat": "python3-nbformat",
           "ipykernel": "python3-ipykernel"}


def install_by_pip(directory):
    """Installs the package offline from its sources; where it then is.

    nc3run is in the path then, and not when the package is used."""
    sources, target = directory / "sources", directory / "by-pip"
    shutil.copytree(HERE.parents[1] / "lib" / "python", sources,
                    ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet",
                    "--no-index", "--no-build-isolation", "--no-deps",
                    "--root-user-action=ignore", "--target", target, sources],
                   check=True, stdin=subprocess.DEVNULL, env=dict(
                       os.environ, PATH=f"{directory}/prefix/bin:"
                       f"{os.environ['PATH']}"))
    return target


def run_notebook(package, directory):
    """The tour; 0 if it went well."""
    return subprocess.run(
        [sys.executable, "-B", HERE / "run_notebook.py",
         HERE.parents[1] / "lib" / "python" / "tour.ipynb"], check=False,
        env=dict(os.environ, PYTHONPATH=str(package), HOME=str(directory)),
        cwd=tempfile.mkdtemp(dir=directory), stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL).returncode


def main():
    """Installs and checks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in "cmake", "layout", "package":
        parser.add_argument("--" + name, required=True)
    for name in "build", "bin", "testdata":
        parser.add_argument("--" + name, required=True, type=pathlib.Path)
    args = parser.parse_args()

    everything = os.environ.get("NC3Z_INTEROP") == "all"
    missing = [package for module, package in MODULES.items()
               if not importlib.util.find_spec(module)]
    for package in missing:
        print(f"skipped: {package} is not installed")
    if everything and missing:
        sys.exit(1)
    if MODULES["numpy"] in missing:
        sys.exit(SKIPPED)

    with tempfile.TemporaryDirectory(prefix="nc3z-python-") as name:
        directory = pathlib.Path(name).resolve()
        subprocess.run([args.cmake, "--install", args.build, "--prefix",
                        directory / "prefix"], check=True,
                       stdout=subprocess.DEVNULL)
        ways = [directory / "prefix" / args.package]
        if everything:
            ways.append(install_by_pip(directory))
        status = 0
        for package in ways:
            env = dict(os.environ, PYTHONPATH=str(package))
            env.pop("NC3Z_LIBRARY", None)
            work = pathlib.Path(tempfile.mkdtemp(dir=directory))
            status |= subprocess.run(
                [sys.executable, "-B", HERE / "checks.py", args.bin,
                 args.layout, args.testdata], env=env, check=False,
                cwd=work, stdin=subprocess.DEVNULL).returncode
        if everything:
            status |= run_notebook(ways[0], directory)
    sys.exit(1 if status else 0)


if __name__ == "__main__":
    main()
