# SPDX-License-Identifier: MIT
"""Times programs with an archive, through the plug-in, beside the original.

Original and archive take turns, in one run, each read once before, so that both
are in the page cache; medians count.  The ratio is the archive's time by the
original's; beside it that of processor time, which says more than the clock
where other programs run; with --realtime they get no processor meanwhile, if
the system allows that.  Files are made by make_large.py: one variable of many
records, and a hundred variables.
"""

import csv
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"
if not pathlib.Path(PYTHON).exists():
    PYTHON = sys.executable

# What the ratio of times must not pass.
MUST = 1.3
# A program that takes longer than this runs but once with each file.
LONG_SECONDS = 20

READ_ALL = ("import netCDF4, sys; d = netCDF4.Dataset(sys.argv[1]); "
            "d.set_auto_maskandscale(False); "
            "[v[...] for v in d.variables.values()]")
READ_STRIDED = READ_ALL.replace("v[...]", "v[..., ::2]")
MEAN = ("import sys, xarray; "
        "d = xarray.open_dataset(sys.argv[1], engine='netcdf4'); "
        "[v.mean('time').values for v in d.values()]")
# The package opens archives and originals alike.
PACKAGE_MEAN = MEAN.replace("xarray; ", "xarray, nc3z.xarray_backend as n; ") \
    .replace("'netcdf4'", "n.Nc3zBackendEntrypoint")

# The programs: what must hold is asked of those of the first group.
PROGRAMS = {
    "ncdump": ["ncdump", "{in}"],
    "ncra": ["ncra", "-hO", "{in}", "{out}"],
    "cdo timmean": ["cdo", "-s", "timmean", "{in}", "{out}"],
    "xarray mean": [PYTHON, "-c", MEAN, "{in}"],
}
MORE_PROGRAMS = {
    "xarray mean by the package": [PYTHON, "-c", PACKAGE_MEAN, "{in}"],
    "ncks -m": ["ncks", "-m", "{in}"],
    "ncks copy": ["ncks", "-hO", "{in}", "{out}"],
    "Python all": [PYTHON, "-c", READ_ALL, "{in}"],
    "Python stride 2": [PYTHON, "-c", READ_STRIDED, "{in}"],
}
FILES = {
    "one": ["3876", "--vars", "1", "--rows", "90", "--columns", "180"],
    "many": ["80", "--vars", "100"],
}


def seconds(command, out):
    """How long a command takes: by the clock, and of the processors."""
    out.unlink(missing_ok=True)
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=dict(os.environ,
                            PYTHONPATH=str(HERE.parents[1] / "lib/python")))
    clock, after = time.perf_counter() - start, os.times()
    return clock, (after.children_user - before.children_user +
                   after.children_system - before.children_system)


def measure(program, files, out, runs):
    """The median times for original and archive."""
    times = [[], []]
    for _ in range(runs):
        for which, file in enumerate(files):
            command = [word.replace("{in}", str(file))
                       .replace("{out}", str(out)) for word in program]
            if which == 1 and PACKAGE_MEAN not in command:
                command.insert(0, "nc3run")
            times[which].append(seconds(command, out))
        if times[0][0][0] > LONG_SECONDS:
            break
    return [[statistics.median(column) for column in zip(*rows)]
            for rows in times]


def bench_file(options, original, directory):
    """Packs, measures, prints a table; yields its rows."""
    archive = directory / (original.name + ".nc3z")
    subprocess.run(["nc3compress", "-kfq", "-o", archive, original],
                   check=True)
    for file in (original, archive):
        file.read_bytes()
    print(f"\n{original.name}: {original.stat().st_size} bytes, "
          f"archive {archive.stat().st_size}")
    print(f"{'':26} {'original':>9} {'archive':>9} {'ratio':>6} "
          f"{'processors':>11}")
    for label, program in {**PROGRAMS, **MORE_PROGRAMS}.items():
        if options.programs and label not in options.programs.split(","):
            continue
        if not shutil.which(program[0]):
            print(f"{label:26} not installed")
            continue
        (a, a_cpu), (b, b_cpu) = measure(program, (original, archive),
                                         directory / "out.nc", options.runs)
        note = ""
        if label in PROGRAMS:
            note = "holds" if b / a <= MUST else "DOES NOT HOLD"
        print(f"{label:26} {a:8.2f}s {b:8.2f}s {b / a:6.2f} "
              f"{b_cpu / max(a_cpu, 0.01):11.2f}  {note}", flush=True)
        yield [original.name, label, a, b, b / a, a_cpu, b_cpu]
    archive.unlink()


def bench_plugin(options):
    """The command."""
    if options.realtime:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    rows = []
    with tempfile.TemporaryDirectory(dir=options.dir,
                                     prefix="bench_plugin_") as name:
        directory = pathlib.Path(name)
        for file in options.files or FILES:
            original = file
            if not options.files:
                original = directory / f"{file}.nc"
                subprocess.run([sys.executable, HERE / "make_large.py",
                                original, *FILES[file]], check=True)
            rows += bench_file(options, original.resolve(), directory)
    print(f"\nratio: the archive's time by the original's, must be at most "
          f"{MUST}; medians of {options.runs}, page cache warm")
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["file", "program", "original", "archive",
                             "ratio", "original_cpu", "archive_cpu"])
            writer.writerows(rows)
    return 0


def add_options(parser):
    """The options of the command."""
    parser.add_argument("--runs", type=int, default=5,
                        help="medians of so many (5)")
    parser.add_argument("--programs", help="labels, separated by commas")
    parser.add_argument("--dir", default=os.environ.get("TMPDIR", "/tmp"))
    parser.add_argument("--realtime", action="store_true",
                        help="before all other programs; for root")
    parser.add_argument("--csv")
    parser.add_argument("files", nargs="*", type=pathlib.Path,
                        help="with a record dimension named time")
    parser.set_defaults(run=bench_plugin)
