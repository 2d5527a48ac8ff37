# SPDX-License-Identifier: MIT
"""Starts the programs of the wheel, which it has beside the library."""

import os
import sys


def _start(name):
    path = os.path.join(os.path.dirname(__file__), "_files", "bin", name)
    os.execv(path, [name] + sys.argv[1:])


def nc3compress():
    """Compresses, restores, verifies."""
    _start("nc3compress")


def nc3dump():
    """Prints."""
    _start("nc3dump")


def nc3run():
    """Runs a program with the plug-in."""
    _start("nc3run")
