# SPDX-License-Identifier: MIT
"""Starts the programs of the wheel, which it has beside the library."""

import os
import sys


def start():
    """Becomes the program by whose name this was called."""
    name = os.path.basename(sys.argv[0])
    path = os.path.join(os.path.dirname(__file__), "_files", "bin", name)
    os.execv(path, [name] + sys.argv[1:])
