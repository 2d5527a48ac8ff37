# SPDX-License-Identifier: MIT
"""Checks references to several archives in one table; see checks.py."""

import importlib
import json
import pathlib
import re

import numpy

import nc3z
from checks_zarr import open_references
from common import expect, raises

LAT, LON = 45, 90
DAYS = "days since 2001-01-01"


def month(xarray, number, ndays, **changes):
    """A month of days, as a dataset; 'changes' are of its variables."""
    rng = numpy.random.default_rng(number)
    time = number * 31.0 + numpy.arange(ndays)
    field = rng.normal(280, 10, (ndays, LAT, LON)).round(1)
    variables = {
        "time": (("time",), time, {"units": DAYS}),
        "bounds": (("time", "two"), time[:, None] + [-.5, .5]),
        "lat": (("lat",), numpy.linspace(-88, 88, LAT)),
        "lon": (("lon",), numpy.linspace(2, 358, LON)),
        "mask": (("lat", "lon"), (numpy.arange(LAT * LON) % 7 == 0).reshape(
            LAT, LON).astype("i2")),
        "height": ((), 2.0),
        "tas": (("time", "lat", "lon"), field.astype("f4"),
                {"units": "K", "_FillValue": numpy.float32(1e20)}),
        "pr": (("time", "lat", "lon"), (field * 10).astype("i2"),
               {"scale_factor": .1, "_FillValue": numpy.int16(-1)}),
    }
    variables.update(changes)
    return xarray.Dataset({name: value for name, value in variables.items()
                           if value is not None}, attrs={"title": "days"})


def packed(dataset, name, **options):
    """The dataset in an archive; time is its record dimension."""
    importlib.import_module("nc3z.xarray_backend")
    path = pathlib.Path(name).resolve()
    dataset.nc3z.to_archive(path, overwrite=True, unlimited_dims=[
        dim for dim in dataset.dims if dim == "time"], **options)
    return path


def read(xarray, table):
    """What readers of the references see."""
    return open_references(xarray, table, chunks={}).load()


def joined(xarray, paths):
    """What they should see."""
    parts = [xarray.open_dataset(path) for path in paths]
    return xarray.concat(parts, "time", data_vars="minimal",
                         coords="minimal", compat="override",
                         join="override", combine_attrs="override")


def check_combined(xarray, zarr, dask, fsspec):
    """Archives of one series are one array, whatever their order and how
    they are cut."""
    del zarr, dask, fsspec
    lengths = [31, 28, 31, 30]
    for name, ndays, options in (
            ("whole", [16, 16, 16, 7], {}),
            ("short", lengths, {"block_nbytes": 4096}),
            ("cut", [20, 30, 10, 7], {"chunks": {"time": 10, "lat": 20,
                                                 "lon": -1}}),
            ("one", [1, 1, 1, 1], {})):
        paths = [packed(month(xarray, i, n), f"{name}{i}.nc.nc3z", **options)
                 for i, n in enumerate(ndays)]
        wanted = joined(xarray, paths)
        table = nc3z.references([paths[i] for i in (2, 0, 3, 1)])
        got = read(xarray, table)
        expect(wanted.identical(got), name, wanted, got)
        # Blocks are where they were.
        places = {reference[0] for reference in table["refs"].values()
                  if isinstance(reference, list)}
        expect(places == set(map(str, paths)), places)
        expect("time/0" in table["refs"] and "time/1" not in table["refs"])
        far = [f"https://example.org/{path.name}" for path in paths]
        moved = nc3z.references(paths, far, zarr_format=3)["refs"]
        expect({reference[0] for reference in moved.values()
                if isinstance(reference, list)} == set(far))
        shape = json.loads(moved["tas/zarr.json"])["shape"]
        expect(shape == [sum(ndays), LAT, LON], shape)
        expect(nc3z.references(paths[:1]) == nc3z.references(paths[0]))


def check_combined_along(xarray, zarr, dask, fsspec):
    """Another dimension by name; without a coordinate as listed; long
    coordinates of several lengths are in the table."""
    del zarr, dask, fsspec
    paths = []
    for i, n in enumerate((1400, 1500)):
        values = i * 1400.0 + numpy.arange(n)
        paths.append(packed(xarray.Dataset({
            "t": (("t",), values), "v": (("t", "x"), values[:, None] +
                                         numpy.zeros(3))}), f"long{i}.nc3z"))
    error = raises(nc3z.UnsupportedError, nc3z.references, paths)
    expect("no record dimension" in str(error), error)
    got = read(xarray, nc3z.references(paths[::-1], dim="t"))
    expect((got.t == numpy.arange(2900)).all() and (got.v[:, 2] == got.t).all())
    error = raises(nc3z.UnsupportedError, nc3z.references, paths, dim="t",
                   max_inline_nbytes=9000)
    expect("t (1400 records of" in str(error), error)
    expect("nc3convert --chunks t/1" in str(error), error)
    for i, path in enumerate(paths):
        packed(xarray.Dataset({"v": (("t",), numpy.arange(5) * 2 ** i)}), path)
    got = read(xarray, nc3z.references(paths[::-1], dim="t"))
    expect(got.v.values.tolist() == [0, 2, 4, 6, 8, 0, 1, 2, 3, 4])


def check_combined_refuse(xarray):
    """What does not belong together is refused, by name and with the reason."""
    first = packed(month(xarray, 0, 20), "first.nc3z",
                           chunks={"time": 8, "lat": -1, "lon": -1})
    whole = packed(month(xarray, 0, 24), "whole.nc3z",
                           chunks={"time": 8, "lat": -1, "lon": -1})
    lat = (("lat",), numpy.linspace(88, -88, LAT))
    time = 31.0 + numpy.arange(20)
    field = (("time", "lat", "lon"), numpy.zeros((20, LAT, LON), "i2"))

    def refer(paths):
        nc3z.references(paths, max_inline_nbytes=100000)
    for changes, reason in (
            ({"time": (("time",), time, {"units": "days since 2000-01-01"})},
             "the attribute units of time is 'days since 2000-01-01', and "
             f"'{DAYS}'"),
            ({"pr": (*field, {"scale_factor": .2,
                              "_FillValue": numpy.int16(-1)})},
             "the attribute scale_factor of pr is 0.2, and 0.1"),
            ({"pr": (*field, {"scale_factor": .1})},
             "the attribute _FillValue of pr is None, and -1"),
            ({"pr": None}, "the variable pr is not both here and"),
            ({"tas": field}, "tas has the type int16, and float32 in"),
            ({"tas": (("time", "lon", "lat"), field[1].astype("f4").reshape(
                (20, LON, LAT)))}, "tas has the dimensions (time, lon, lat), "
             "and (time, lat, lon) in"),
            ({"lat": lat}, "lat has no dimension time and other values than"),
            ({"height": ((), 10.0)}, "height has no dimension time and other"),
            ({"time": (("time",), time - 15, {"units": DAYS})},
             "time goes from 16.0 to 35.0, and in "),
            ({}, "20 records of .*first.nc3z are not whole chunks of 8")):
        second = packed(month(xarray, 1, 20, **changes),
                                "second.nc3z", chunks={
                                    "time": 8, "lat": -1, "lon": -1})
        error = raises(nc3z.UnsupportedError, refer, [first, second])
        expect(re.search(reason if not changes else re.escape(reason),
                         str(error)) and "first.nc3z" in str(error), error)
        if changes and "time" not in changes:
            names = ["time"] + ["tas"] * ("tas" not in changes)
            nc3z.references([whole, second], variables=names)
    short = packed(month(xarray, 1, 20).isel(lat=slice(1, None)), "short.nc3z")
    error = raises(nc3z.UnsupportedError, refer, [first, short])
    expect(str(error).startswith(f"{short}: the dimension lat of lat has the "
                                 f"length {LAT - 1}, and {LAT} in {first}: "),
           error)
    nc3z.references([whole, second])
    nc3z.references([whole, second], ["a", "b"])
    raises(TypeError, nc3z.references, [whole, second], "a")
    error = raises(ValueError, nc3z.references, [whole, second], ["a"])
    expect(str(error) == "1 URL for 2 archives", error)
    raises(ValueError, nc3z.references, [])
    error = raises(nc3z.UnsupportedError, nc3z.references, [whole, second],
                   dim="lat")
    expect("lat" in str(error), error)
