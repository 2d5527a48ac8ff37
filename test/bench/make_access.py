#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a CDF-2 file of daily sea temperatures from Debian's ferret-datasets.

  make_access.py OUT [--times N]

sst(time = 2000, lat = 180, lon = 360), floats, nothing else.  A value is that
of Levitus's climatology, plus the season of COADS's air temperatures, plus
weather: the Navy's monthly winds, one every five days, each field blending into
the next.  Both are brought to the grid by linear interpolation.  Land has the
fill value.
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


def header(times):
    """The header of one record variable of floats that follows it."""
    return ClassicWriter(
        2, [("time", 0), ("lat", 180), ("lon", 360)], records=times,
        variables=[Var("sst", FLOAT, [0, 1, 2],
                       atts=(("_FillValue", FLOAT, [float(FILL)]),))]).head()


class Ocean:
    """Temperatures of the surface by time."""

    def __init__(self):
        self.base = field("levitus_climatology.cdf", "TEMP",
                          (20, 180, 360))[0]
        self.season = to_grid(field("coads_climatology.cdf", "AIRT",
                                    (12, 90, 180)), 180, 360)
        self.weather = to_grid(field("monthly_navy_winds.cdf", "UWND",
                                     (132, 73, 144)), 180, 360)

    def at(self, day):
        """All of it on a day, as it is stored."""
        values = self.base + (between(self.season, day / 30.4) * 0.5 +
                              between(self.weather, day / 5) * 0.2)
        return numpy.where(numpy.isnan(values), FILL, values).astype(">f4")


def make(path, times):
    """The file."""
    ocean = Ocean()
    with open(path, "wb") as out:
        out.write(header(times))
        for day in range(times):
            out.write(ocean.at(day).tobytes())


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--times", type=int, default=2000)
    options = parser.parse_args()
    make(options.out, options.times)


if __name__ == "__main__":
    main()
