#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a CDF-2 file of daily sea temperatures from Debian's ferret-datasets.

  make_access.py OUT --dims 3|4 [--times N]

sst(time = 2000, lat = 180, lon = 360), or temp(time = 160, level = 20,
lat = 90, lon = 180), floats, nothing else.  A value is that of Levitus's
climatology, plus the season of COADS's air temperatures, plus weather: the
Navy's monthly winds, one every five days, each field blending into the next.
Both are brought to the grid by linear interpolation and get weaker with depth.
Land has the fill value.  sst is as it comes out; temp is rounded to 0.001, as
the climatology is.
"""

import argparse
import pathlib
import subprocess
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "testdata"))

from classic_writer import FLOAT, ClassicWriter, Var  # noqa: E402

FILL = numpy.float32(-1e10)


def dataset(name):
    """The path of a data set."""
    listed = subprocess.run(["dpkg", "-L", "ferret-datasets"], check=True,
                            capture_output=True, text=True).stdout
    return next(p for p in listed.splitlines()
                if pathlib.Path(p).name == name)


def field(name, variable, shape):
    """A variable as float64, missing values NaN."""
    data = subprocess.run(["nc3dump", "--binary", "-v", variable,
                           dataset(name)], check=True,
                          capture_output=True).stdout
    values = numpy.frombuffer(data, "=f4").reshape(shape).astype("f8")
    return numpy.where(numpy.abs(values) < 99, values, numpy.nan)


def to_grid(fields, rows, columns):
    """Fields brought to another grid, without their mean over time."""
    there = numpy.maximum(numpy.isfinite(fields).sum(axis=0), 1)
    fields = numpy.nan_to_num(fields - numpy.nansum(fields, axis=0) / there)
    for axis, n in (1, rows), (2, columns):
        at = numpy.linspace(0, fields.shape[axis] - 1, n)
        low = numpy.minimum(at.astype(int), fields.shape[axis] - 2)
        share = (at - low).reshape([-1 if i == axis else 1 for i in range(3)])
        fields = (fields.take(low, axis) * (1 - share) +
                  fields.take(low + 1, axis) * share)
    return fields


def between(fields, at):
    """A field between two fields of a cycle."""
    low, share = int(at), at - int(at)
    return (fields[low % len(fields)] * (1 - share) +
            fields[(low + 1) % len(fields)] * share)


def header(dims, name):
    """The header of one record variable of floats that follows it."""
    lengths = [(dim.decode(), n if i else 0) for i, (dim, n) in enumerate(dims)]
    return ClassicWriter(
        2, lengths, records=dims[0][1], variables=[
            Var(name.decode(), FLOAT, list(range(len(dims))),
                atts=(("_FillValue", FLOAT, [float(FILL)]),))]).head()


class Ocean:
    """Temperatures by time, on all levels of a grid."""

    def __init__(self, levels, rows):
        step = 180 // rows
        base = field("levitus_climatology.cdf", "TEMP", (20, 180, 360))
        self.base = base[:levels, ::step, ::step]
        self.rounds = levels > 1
        grid = rows, 2 * rows
        self.season = to_grid(field("coads_climatology.cdf", "AIRT",
                                    (12, 90, 180)), *grid)
        self.weather = to_grid(field("monthly_navy_winds.cdf", "UWND",
                                     (132, 73, 144)), *grid)

    def at(self, day):
        """All levels on a day, as they are stored."""
        change = (between(self.season, day / 30.4) * 0.5 +
                  between(self.weather, day / 5) * 0.2)
        depth = numpy.arange(len(self.base)).reshape(-1, 1, 1)
        values = self.base + change * numpy.exp(-depth / 4)
        if self.rounds:
            values = numpy.round(values, 3)
        return numpy.where(numpy.isnan(values), FILL, values).astype(">f4")


def make(path, ndims, times):
    """The file."""
    if ndims == 3:
        ocean, name = Ocean(1, 180), b"sst"
        dims = [(b"time", times), (b"lat", 180), (b"lon", 360)]
    else:
        ocean, name = Ocean(20, 90), b"temp"
        dims = [(b"time", times), (b"level", 20), (b"lat", 90), (b"lon", 180)]
    with open(path, "wb") as out:
        out.write(header(dims, name))
        for day in range(times):
            out.write(ocean.at(day).tobytes())


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--dims", type=int, choices=[3, 4], default=3)
    parser.add_argument("--times", type=int)
    options = parser.parse_args()
    make(options.out, options.dims,
         options.times or (2000 if options.dims == 3 else 160))


if __name__ == "__main__":
    main()
