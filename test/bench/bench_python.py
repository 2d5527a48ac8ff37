# SPDX-License-Identifier: MIT
"""xarray on archives, beside its other engines; see bench.py python.

  bench_python.py WAY DIRECTORY one|many

measures one way once, for the process that makes the table, and prints the
seconds of each task.  "many" opens 1000 files, "all" is a mean over their
values, "peak" the most memory of the process that did these two.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import sheet

HERE = pathlib.Path(__file__).resolve()
SHAPE = (240, 180, 360)
CHUNKS = {"time": 48}
NFILES, FILE_SHAPE = 1000, (12, 45, 90)
NPOINTS = 10
TASKS = ("open", "map", "series", "mean", "many", "all")
# What the tasks of archives are compared with, beside netCDF-4.
ORIGINALS = "netcdf4, classic"

# The engine of xarray, the suffix of its files, the packages that it needs.
WAYS = {
    "nc3z": ("nc3z", "linear.nc3z", ()),
    "nc3z, chunks": ("nc3z", "chunked.nc3z", ()),
    "netcdf4, classic": ("netcdf4", "nc", ("netCDF4",)),
    "netcdf4": ("netcdf4", "nc4", ("netCDF4",)),
    "h5netcdf": ("h5netcdf", "nc4", ("netCDF4", "h5netcdf")),
    "zarr": ("zarr", "zarr", ("zarr",)),
}


def make_values(shape):
    """A field that changes slowly, with noise, in steps of 1/128 K."""
    import numpy
    rng = numpy.random.default_rng(5)
    time_axis, rows, columns = (numpy.arange(n) for n in shape)
    smooth = 280 + 20 * numpy.cos(rows / shape[1] * 3)[:, None] + \
        4 * numpy.sin(columns / shape[2] * 12)
    season = 8 * numpy.sin(time_axis / 12 * 2 * numpy.pi)
    values = smooth + season[:, None, None] + rng.normal(0, .5, shape)
    return (numpy.round(values * 128) / 128).astype("f4")


def make_dataset(shape):
    """The dataset of a file."""
    import numpy
    import xarray
    return xarray.Dataset(
        {"tas": (("time", "lat", "lon"), make_values(shape))},
        {"time": numpy.arange(shape[0], dtype="f8"),
         "lat": numpy.linspace(-89, 89, shape[1]),
         "lon": numpy.linspace(0, 359, shape[2])})


def make(dataset, stem):
    """One file for each way, all with the same chunks; their sizes."""
    import nc3z
    dataset.to_netcdf(f"{stem}.nc", format="NETCDF3_64BIT", engine="netcdf4")
    nc3z.pack(f"{stem}.nc", f"{stem}.linear.nc3z")
    nc3z.pack(f"{stem}.nc", f"{stem}.chunked.nc3z", chunks="balanced")
    with nc3z.File(f"{stem}.chunked.nc3z") as file:
        lengths = file["tas"].chunks or file["tas"].shape
    encoding = {"zlib": True, "shuffle": True, "complevel": 5,
                "chunksizes": lengths}
    if installed("netCDF4"):
        dataset.to_netcdf(f"{stem}.nc4", engine="netcdf4",
                          encoding={"tas": encoding})
    if installed("zarr"):
        dataset.to_zarr(f"{stem}.zarr", mode="w", consolidated=True,
                        encoding={"tas": {"chunks": lengths}})
    return lengths


def installed(*modules):
    """Whether all are there."""
    import importlib.util
    return all(map(importlib.util.find_spec, modules))


def nbytes_of(path):
    """Of a file, or of all in a directory."""
    if path.is_dir():
        return sum(each.stat().st_size for each in path.rglob("*")
                   if each.is_file())
    return path.stat().st_size


def timed(function):
    """Seconds of a call, and its result."""
    begin = time.perf_counter()
    result = function()
    return time.perf_counter() - begin, result


def measure(way, directory):
    """Seconds of each task, in this process."""
    import dask
    import xarray
    engine, suffix, _ = WAYS[way]
    path = f"{directory}/large.{suffix}"
    points = [((37 * i) % SHAPE[1], (91 * i) % SHAPE[2])
              for i in range(NPOINTS)]
    # What is imported late is no part of the first file.
    first = f"{directory}/part000.{suffix}"
    xarray.open_dataset(first, engine=engine).close()
    found = {}
    found["open"], dataset = timed(
        lambda: xarray.open_dataset(path, engine=engine, cache=False))
    found["map"], _ = timed(lambda: dataset["tas"][SHAPE[0] // 2].values)
    found["series"], _ = timed(lambda: [dataset["tas"][:, j, i].values
                                        for j, i in points])
    dataset.close()
    with dask.config.set(scheduler="threads", num_workers=2):
        with xarray.open_dataset(path, engine=engine,
                                 chunks=CHUNKS) as chunked:
            found["mean"], _ = timed(
                lambda: chunked["tas"].mean("time").values)
    return found


def measure_many(way, directory):
    """Seconds of opening many files and of a mean over all their values, and
    the most memory of this process, in MB."""
    import dask
    import xarray
    engine, suffix, _ = WAYS[way]
    paths = [f"{directory}/part{i:03}.{suffix}" for i in range(NFILES)]
    xarray.open_dataset(paths[0], engine=engine).close()
    found = {}
    found["many"], many = timed(lambda: xarray.open_mfdataset(
        paths, engine=engine, combine="nested", concat_dim="time",
        compat="override", coords="minimal", data_vars="minimal"))
    with dask.config.set(scheduler="threads", num_workers=2):
        found["all"], _ = timed(lambda: float(many["tas"].mean()))
    many.close()
    found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return found


MEASURES = {"one": measure, "many": measure_many}


def run_child(way, directory):
    """Both, each in a process of its own."""
    found = {}
    for what in MEASURES:
        done = subprocess.run([sys.executable, "-W", "ignore", "-B", HERE,
                               way, directory, what], check=True,
                              stdout=subprocess.PIPE, text=True)
        found.update(json.loads(done.stdout))
    return found


def bench(options):
    """Makes the files, measures in turns, prints the table."""
    directory = pathlib.Path(tempfile.mkdtemp(dir=options.directory,
                                           prefix="nc3z-python-"))
    try:
        print("chunks of", *make(make_dataset(SHAPE), directory / "large"))
        part = make_dataset(FILE_SHAPE)
        make(part, directory / "part000")
        ways = [way for way, (_, _, modules) in WAYS.items()
                if installed(*modules) and
                (not options.ways or way in options.ways.split(";"))]
        for suffix in {WAYS[way][1] for way in ways}:
            for i in range(1, NFILES):
                copy = shutil.copytree if suffix == "zarr" else shutil.copy
                copy(directory / f"part000.{suffix}",
                     directory / f"part{i:03}.{suffix}")
        rows = {way: [] for way in ways}
        for _ in range(options.runs):
            for way in ways:
                rows[way].append(run_child(way, directory))
        return show(rows, directory, options)
    finally:
        shutil.rmtree(directory)


def ratio_of(rows, way, task):
    """To the originals, run by run: the median, and the range."""
    found = sorted(a[task] / b[task] for a, b in
                   zip(rows[way], rows[ORIGINALS]))
    return f"{statistics.median(found):.2f} ({found[0]:.2f}-{found[-1]:.2f})"


def show(rows, directory, options):
    """Medians in ms, and beside netCDF-4 through netCDF4."""
    table = []
    print(f"{'':18}{'MB':>7}" + "".join(f"{task + ' ms':>12}{'':8}"
                                        for task in TASKS) + f"{'peak MB':>9}")
    medians = {way: {task: statistics.median(row[task] for row in found)
                     for task in TASKS + ("peak",)}
               for way, found in rows.items()}
    for way, found in medians.items():
        nbytes = nbytes_of(directory / f"large.{WAYS[way][1]}")
        cells = ""
        for task in TASKS:
            ratio = found[task] / medians.get("netcdf4", found)[task]
            cells += f"{found[task] * 1e3:12.1f}{f'({ratio:.2f})':>8}"
        print(f"{way:18}{nbytes / 1e6:7.1f}{cells}{found['peak']:9.0f}")
        table.append({"way": way, "bytes": nbytes, **found})
    for way in medians:
        if way.startswith("nc3z") and ORIGINALS in medians:
            ratios = [f"{task} " + ratio_of(rows, way, task)
                      for task in TASKS + ("peak",)]
            print(f"{way} / {ORIGINALS}:", ", ".join(ratios))
    sheet.write(options, table)
    return 0


def with_package(options):
    """Runs this file with the package of this build in the search path."""
    root = HERE.parents[2]
    site = tempfile.mkdtemp(prefix="nc3z-site-")
    try:
        meta = pathlib.Path(site, "nc3z-0.dist-info")
        meta.mkdir()
        shutil.copy(root / "lib/python/entry_points.txt", meta)
        (meta / "METADATA").write_text("Name: nc3z\nVersion: 0\n", "utf-8")
        library = next((root / "build").rglob("libnc3z.so"), None)
        paths = [str(root / "lib/python"), site]
        env = dict(os.environ, PYTHONPATH=os.pathsep.join(paths))
        if library:
            env.setdefault("NC3Z_LIBRARY", str(library))
        # That one has the packages of the distribution.
        python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") \
            else sys.executable
        command = [python, "-W", "ignore", "-B", HERE, "--runs",
                   str(options.runs)]
        if options.directory:
            command += ["--dir", options.directory]
        if options.csv:
            command += ["--csv", options.csv]
        if options.ways:
            command += ["--ways", options.ways]
        return subprocess.run(command, env=env, check=False).returncode
    finally:
        shutil.rmtree(site)


def add_options(parser, run=with_package):
    """For bench.py, and for this file."""
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dir", dest="directory",
                        help="for the files; on a real disk")
    sheet.add_option(parser)
    parser.add_argument("--ways", help="some of " + "; ".join(WAYS) +
                        ", separated by semicolons")
    parser.set_defaults(run=run)


def main():
    """As with_package() calls it, or run_child()."""
    if len(sys.argv) == 4 and sys.argv[1] in WAYS:
        print(json.dumps(MEASURES[sys.argv[3]](*sys.argv[1:3])))
        return 0
    parser = argparse.ArgumentParser()
    add_options(parser, bench)
    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
