#!/usr/bin/env python3
"""Times programs with an archive through the plug-in against the original.

  bench_plugin.py BIN FILE [ROUNDS]

BIN has nc3compress and nc3run, FILE is a classic file with a record dimension
named time; make_large.py makes one.  Original and archive take turns, each
read once before; the best of ROUNDS (3) counts, and the ratio is the archive's
time by the original's.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

READ_ALL = ("import netCDF4, sys; d = netCDF4.Dataset(sys.argv[1]); "
            "d.set_auto_maskandscale(False); "
            "[v[...] for v in d.variables.values()]")
READ_STRIDED = READ_ALL.replace("v[...]", "v[..., ::2]")

PROGRAMS = {
    "ncks -m": ["ncks", "-m", "{in}"],
    "ncra": ["ncra", "-hO", "{in}", "{out}"],
    "ncks copy": ["ncks", "-hO", "{in}", "{out}"],
    "cdo timmean": ["cdo", "-s", "timmean", "{in}", "{out}"],
    "Python, all": ["/usr/bin/python3", "-c", READ_ALL, "{in}"],
    "Python, stride 2": ["/usr/bin/python3", "-c", READ_STRIDED, "{in}"],
    "ncdump": ["ncdump", "{in}"],
}


def seconds(command, out):
    """How long a command takes."""
    out.unlink(missing_ok=True)
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def measure(program, files, launcher, out, rounds):
    """The best times for original and archive."""
    best = [float("inf")] * 2
    for i in range(rounds):
        for which, file in enumerate(files):
            command = [word.replace("{in}", str(file))
                       .replace("{out}", str(out)) for word in program]
            if which == 1:
                command.insert(0, str(launcher))
            best[which] = min(best[which], seconds(command, out))
            # the long ones need no second look
            if i == 0 and best[which] > 20:
                rounds = 1
        if rounds == 1:
            break
    return best


def main():
    """Packs, measures, prints a table."""
    bindir, original = (pathlib.Path(arg).resolve() for arg in sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        archive = pathlib.Path(name) / (original.name + ".nc3z")
        subprocess.run([bindir / "nc3compress", "-kfq", "-o", archive,
                        original], check=True)
        for file in (original, archive):
            file.read_bytes()
        print(f"{original.stat().st_size} bytes, "
              f"archive {archive.stat().st_size}")
        print(f"{'':18} {'original':>9} {'archive':>9} {'ratio':>6}")
        for label, program in PROGRAMS.items():
            if not shutil.which(program[0]):
                print(f"{label:18} not installed")
                continue
            a, b = measure(program, (original, archive), bindir / "nc3run",
                           pathlib.Path(name) / "out.nc", rounds)
            print(f"{label:18} {a:8.2f}s {b:8.2f}s {b / a:6.2f}", flush=True)


if __name__ == "__main__":
    main()
