# SPDX-License-Identifier: MIT
"""Checks the Python package that is in the search path.

usage: checks.py BIN LAYOUT TESTDATA

For use by check_python.py, in a directory of its own.  In the modules below,
every function whose name begins with "check_" is a check; one with parameters
named like modules runs only where these are installed.
"""

import importlib
import importlib.util
import inspect
import os
import sys
import time
import traceback

import nc3z

MODULES = ("checks_file", "checks_masks", "checks_jobs", "checks_sources",
           "checks_show", "checks_xarray", "checks_dataset", "checks_random",
           "checks_many", "checks_zarr", "checks_zarr3", "checks_combine",
           "checks_exact")
if os.environ.get("NC3Z_INTEROP") == "all":
    MODULES += ("checks_farm",)


def run(check):
    """Runs one; whether it failed, None if it cannot be run here."""
    modules = inspect.signature(check).parameters
    if not all(map(importlib.util.find_spec, modules)):
        return None
    begin = time.monotonic()
    try:
        check(*map(importlib.import_module, modules))
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        print(f"{check.__name__}: {type(error).__name__}: {error} "
              f"({frame.filename}:{frame.lineno})")
        return True
    finally:
        seconds = time.monotonic() - begin
        if seconds > 5:
            print(f"{check.__name__}: {seconds:.0f} s", flush=True)
    return False


def main():
    """Runs all checks."""
    results = []
    for module in map(importlib.import_module, MODULES):
        results += [run(check) for name, check in list(vars(module).items())
                    if name.startswith("check_")]
    print(f"{len(results) - results.count(None)} checks, "
          f"{results.count(True)} failed; {nc3z.__file__}, "
          f"{nc3z.library_path()}")
    sys.exit(1 if True in results else 0)


if __name__ == "__main__":
    main()
