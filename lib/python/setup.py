# SPDX-License-Identifier: MIT
"""For pip: writes down where libnc3z is while that can be found.

A notebook or a nightly job has no PATH of the shell that installed it.
"""

import os
import pathlib
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py


def library_directory():
    """From NC3Z_LIBRARY, a file or a directory, or from nc3run; or None."""
    named = os.environ.get("NC3Z_LIBRARY")
    if named:
        return named if os.path.isdir(named) else os.path.dirname(
            os.path.abspath(named))
    program = shutil.which("nc3run")
    if not program:
        return None
    done = subprocess.run([program, "--plugin"], stdout=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, check=False)
    # The plug-in is beside the library or, installed, in a directory there.
    above = pathlib.Path(done.stdout.rstrip("\n")).parents
    return next((str(place) for place in list(above)[:2]
                 if any(place.glob("libnc3z.so.*"))), None)


class Build(build_py):
    """Adds the module that "cmake --install" adds, too."""

    def run(self):
        super().run()
        directory = library_directory()
        if directory:
            place = pathlib.Path(self.build_lib, "nc3z", "_place.py")
            place.write_text('"""Written when this was installed."""\n\n'
                             f"LIBRARY_DIR = {directory!r}\n", "utf-8")


setup(cmdclass={"build_py": Build})
