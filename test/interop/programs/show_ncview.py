# SPDX-License-Identifier: MIT
"""Opens a file in ncview on a screen that nobody sees; keeps the picture.

usage: show_ncview.py FILE PICTURE

A file with one variable, which ncview shows without being asked to.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

# The picture is there when it has not changed for that long.
STILL_SECONDS = 1.5
ALL_SECONDS = 30
NCOLOURS_MIN = 100


def take_picture(screen):
    """What is on the screen: three bytes for each pixel.

    There are four, of which the last may be anything."""
    pixels = bytearray(screen.read_bytes())
    del pixels[3::4]
    return bytes(pixels)


def count_colours(picture):
    """How many different pixels a picture has."""
    return len({picture[at:at + 3] for at in range(0, len(picture), 3)})


def wait_for_picture(screen, program):
    """What is on the screen when it stands still; ends if that is not all."""
    last, since, start = b"", time.monotonic(), time.monotonic()
    while time.monotonic() < start + ALL_SECONDS:
        time.sleep(0.25)
        if program.poll() is not None:
            sys.exit("ncview has ended")
        picture = take_picture(screen)
        if picture != last:
            last, since = picture, time.monotonic()
        elif time.monotonic() > since + STILL_SECONDS and \
                count_colours(picture) >= NCOLOURS_MIN:
            return picture
    sys.exit("ncview shows nothing")


def main():
    """Runs both."""
    with tempfile.TemporaryDirectory(prefix="ncview-") as name:
        directory = pathlib.Path(name)
        reader, writer = os.pipe()
        server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1000x800x24",
             "-nolisten", "tcp", "-fbdir", name], pass_fds=[writer],
            stderr=subprocess.DEVNULL)
        os.close(writer)
        with open(reader, encoding="ascii") as shown:
            display = shown.readline().strip()
        where, file = os.path.split(sys.argv[1])
        if "://" in sys.argv[1]:
            where, file = None, sys.argv[1]
        program = subprocess.Popen(
            ["ncview", file], cwd=where, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(os.environ, DISPLAY=f":{display}", HOME=name))
        try:
            picture = wait_for_picture(directory / "Xvfb_screen0", program)
        finally:
            program.kill()
            program.wait()
            server.terminate()
            server.wait()
    pathlib.Path(sys.argv[2]).write_bytes(picture)


if __name__ == "__main__":
    main()
