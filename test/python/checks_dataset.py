# SPDX-License-Identifier: MIT
"""Checks datasets of xarray that become archives; see checks.py."""

import hashlib
import io
import itertools
import os
import pathlib
import warnings

import numpy

import nc3z
from common import GRID, SAMPLE, expect, noted, pack, raises, run_python

FORMATS = {"NETCDF3_CLASSIC": 1, "NETCDF3_64BIT": 2}


def written(dataset, **options):
    """SHA-256 of what to_netcdf() writes.

    There are two, for a dataset as it is and for one of dask: the bytes that
    pad values differ with the order in which libnetcdf gets them.  One of dask
    may be refused alone: newer versions of xarray make nanoseconds of times."""
    found = set()
    for each in dataset.chunk(), dataset:
        try:
            each.to_netcdf("written.nc", engine="netcdf4", **options)
        except ValueError:
            if each is dataset:
                raise
            continue
        data = pathlib.Path("written.nc").read_bytes()
        found.add(hashlib.sha256(data).hexdigest())
    return found


def check_dataset_bytes(xarray, netCDF4, dask):
    """Archives restore to what to_netcdf() writes, byte for byte."""
    del netCDF4, dask
    ncompared = 0
    warnings.simplefilter("ignore")
    for name, (form, version) in itertools.product(SAMPLE[::2],
                                                   FORMATS.items()):
        dataset = xarray.open_dataset(pack(name), decode_times=False)
        # libnetcdf gives a file without values a length of its own
        if not sum(dataset[name].size for name in dataset.variables):
            continue
        try:
            wanted = written(dataset, format=form)
        except Exception as error:
            print(f"{name}, {form}: to_netcdf(): {type(error).__name__}")
            continue
        for each in dataset, dataset.load(), dataset.chunk(7):
            target = io.BytesIO()
            summary = each.nc3z.to_archive(target, format=form)
            expect(summary.sha256 in wanted, name, form)
            expect(nc3z.File(target.getvalue()).version == version)
            ncompared += 1
        if form == "NETCDF3_64BIT":
            again = io.BytesIO()
            nc3z.pack(dataset, again)
            expect(again.getvalue() == target.getvalue(), name)
    expect(ncompared > 30, ncompared)


def check_dataset_features(xarray, netCDF4, dask):
    """Encodings, text, records, chunks, arrays: as to_netcdf() has them."""
    del netCDF4
    import dask.array
    rng = numpy.random.default_rng(3)
    dataset = xarray.Dataset(
        {"a": (("time", "y", "x"), rng.random((30, 5, 7))),
         "b": (("time", "x"), rng.integers(0, 99, (30, 7)).astype("i2")),
         "c": (("time",), rng.integers(0, 99, 30).astype("i1")),
         "flag": (("x",), rng.random(7) < 0.5),
         "many": (("time", "y", "x"),
                  dask.array.ones((30, 5, 7), chunks=(4, 2, 7))),
         "word": (("x",), ["ä", "bc", "", "def", "g", "h", "ij"]),
         "one": ((), 2.5)},
        {"time": numpy.arange("2001-01", "2003-07",
                              dtype="M8[M]").astype("M8[ns]"),
         "y": numpy.arange(5)}, {"title": "ä", "n": 5, "list": [1.5, 2.5]})
    dataset["a"].attrs["units"] = "K"
    dataset["a"].values[3, 2, 1] = numpy.nan
    packed = {"a": {"dtype": "i2", "scale_factor": 1e-3, "_FillValue": -1}}
    for options in {}, {"encoding": packed}, {"unlimited_dims": ["time"]}, \
            {"unlimited_dims": "time", "encoding": packed}:
        wanted = written(dataset, format="NETCDF3_64BIT", **options)
        target = io.BytesIO()
        summary = dataset.nc3z.to_archive(target, chunks="series", **options)
        expect(summary.sha256 in wanted, options)
        back = xarray.open_dataset(io.BytesIO(target.getvalue()))
        expect(back.identical(xarray.open_dataset("written.nc")), options)
    # The unlimited dimension of its file, which no variable has any more.
    first = dataset.isel(time=0)
    first.encoding["unlimited_dims"] = {"time"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = written(first, format="NETCDF3_64BIT")
    expect(first.nc3z.to_archive(io.BytesIO()).sha256 in wanted)
    only = io.BytesIO()
    dataset["a"].nc3z.to_archive(only)
    expect(xarray.open_dataset(only)["a"].shape == (30, 5, 7))
    big = dataset.assign(big=("x", numpy.full(7, 2 ** 40)))
    error = raises(ValueError, big.nc3z.to_archive, "big.nc3z")
    expect("big" in str(error) and not os.path.exists("big.nc3z"), error)
    five = io.BytesIO()
    big.nc3z.to_archive(five, format="NETCDF3_64BIT_DATA")
    expect((xarray.open_dataset(five)["big"] == 2 ** 40).all()
           and nc3z.File(five).version == 5)
    raises(ValueError, dataset.nc3z.to_archive, io.BytesIO(), format="NETCDF4")
    raises(ValueError, dataset.transpose("x", ...).nc3z.to_archive,
           io.BytesIO(), unlimited_dims="time")


def check_encodings(xarray):
    """Each key of an encoding is taken, named in one warning, or refused."""
    one = xarray.Dataset({"tas": ("x", [281.25, 280.5]), "n": ("x", [1, 2]),
                          "word": ("x", ["a", "b"])})

    def pack_with(**encoding):
        one.nc3z.to_archive(io.BytesIO(), encoding=encoding)
    for encoding, text in (
            ({"scale_facter": 0.01, "dtype": "i2"},
             "'scale_facter' is not known; did you mean 'scale_factor'?"),
            ({"chunksize": 1}, "did you mean 'chunksizes'?"),
            ({"q": 1}, "'q' is not known"), ({5: 1}, "5 is not known"),
            ({"units": "K"}, "'units' has no effect on values of type float"),
            ({"char_dim_name": "n"}, "'char_dim_name' has no effect"),
            ({"significant_digits": 3}, "'significant_digits' rounds"),
            ({"quantize_mode": "BitRound"}, "'quantize_mode' rounds"),
            ({"least_significant_digit": "2"}, "must be a number")):
        error = raises(ValueError, pack_with, tas=encoding)
        expect("encoding of tas: " in str(error) and text in str(error),
               error)
    error = raises(ValueError, pack_with, word={"least_significant_digit": 1})
    expect("has no effect on values of type |S1" in str(error), error)
    error = raises(ValueError, pack_with, tsa={"dtype": "i2"})
    expect("no variable 'tsa'; did you mean 'tas'?" in str(error), error)
    with noted() as found:
        pack_with(tas={"zlib": True, "chunksizes": (1,), "source": "x",
                       "shuffle": False}, n={"zlib": True}, word={
                           "dtype": "S1", "preferred_chunks": {"x": 1}})
    expect(len(found) == 1 and found[0].category is nc3z.InputWarning and
           found[0].filename == __file__ and
           "zlib of tas, n; chunksizes of tas." in str(found[0].message),
           *(w.message for w in found))
    # What comes with a dataset does not matter, but for what rounds.
    with noted() as found:
        one["tas"].encoding = {"zlib": True, "units": "K", "odd": 5}
        one.nc3z.to_archive(io.BytesIO())
    expect(not found, found)
    one["tas"].encoding = {"significant_digits": 3}
    raises(ValueError, one.nc3z.to_archive, io.BytesIO())


def check_rounding(xarray, netCDF4):
    """Values are rounded as netCDF4 does it, but for the largest."""
    del netCDF4
    rng = numpy.random.default_rng(4)
    for kind, digit in itertools.product(("f4", "f8", "i2"),
                                         (-2, -0.5, 0, 1, 2.5, 6)):
        values = (rng.random(500) * 2000 - 1000).astype(kind)
        dataset = xarray.Dataset({"v": ("x", values, {"units": "m"})})
        encoding = {"v": {"least_significant_digit": digit}}
        wanted = written(dataset, format="NETCDF3_64BIT", encoding=encoding)
        target = io.BytesIO()
        summary = dataset.nc3z.to_archive(target, encoding=encoding)
        expect(summary.sha256 in wanted, kind, digit)
        # The encoding comes back with the file.
        again = nc3z.pack(xarray.open_dataset(target), io.BytesIO())
        expect(again.sha256 == summary.sha256, kind, digit)
    for value, kind, digit in (9.969209968386869e+36, "f4", 2), \
            (127, "i1", -1), (2 ** 53 + 1, "i8", 1), \
            (281.25, "f8", numpy.uint8(2)):
        target = io.BytesIO()
        xarray.Dataset({"v": ("x", numpy.array([value], kind))}
                       ).nc3z.to_archive(
            target, format="NETCDF3_64BIT_DATA",
            encoding={"v": {"least_significant_digit": digit}})
        expect(nc3z.File(target)["v"].raw()[0] == numpy.array(value, kind),
               kind)


def check_dataset_memory(xarray, dask):
    """A dataset of 512 MB goes into an archive through little memory."""
    del xarray, dask
    script = (
        "import dask.array, resource, sys, xarray, nc3z.xarray_backend, os\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF)"
        ".ru_maxrss >> 10\n"
        "small = dask.array.zeros((8, 1000, 1000), chunks=(4, 500, 1000))\n"
        "large = dask.array.zeros((64, 1000, 1000), chunks=(4, 500, 1000))\n"
        "def go(a): xarray.Dataset({'v': (('t', 'y', 'x'), a)}).nc3z."
        "to_archive('m.nc3z', level=1, overwrite=True, nthreads=1,"
        " unlimited_dims='t')\n"
        "go(small); before = peak(); go(large); print(peak() - before)\n"
        "print(sum(os.path.getsize(f) for f in os.listdir('.')))\n")
    os.mkdir("memory")
    text = run_python(script, cwd="memory")
    grown, nbytes = map(int, text.split())
    expect(grown < 100 and nbytes < 1 << 20, text)


def check_traps(xarray, netCDF4):
    """Nothing is left under the name of an archive that is none; xarray's own
    functions stay as they are."""
    import nc3z.netcdf4
    try:
        from xarray.backends.writers import WRITEABLE_STORES
    except ImportError:  # xarray of 2025 and before
        from xarray.backends.api import WRITEABLE_STORES
    expect(not [function for function in WRITEABLE_STORES.values()
                if function.__module__.startswith("nc3z")])
    dataset = xarray.Dataset({"v": ("x", numpy.arange(3.0))})
    for write in (lambda path: nc3z.netcdf4.Dataset(path, "w"),
                  lambda path: nc3z.netcdf4.Dataset(path, "x")):
        error = raises(ValueError, write, "trap.nc.nc3z")
        expect("nc3z.pack" in str(error), error)
        expect(not os.path.exists("trap.nc.nc3z"))
    expect("to_archive" in repr(dataset.nc3z))
    target = io.BytesIO()
    nc3z.pack(dataset["v"], target)
    expect(xarray.open_dataarray(target.getvalue()).equals(dataset["v"]))
    dataset.to_netcdf("fine.nc")
    netCDF4.Dataset("fine2.nc", "w").close()
    nc3z.netcdf4.Dataset("fine3.nc", "w").close()
    archive = pack(GRID)
    for mode in "a", "r+":
        raises(ValueError, nc3z.netcdf4.Dataset, archive, mode)


def check_dataset_refusals(xarray, netCDF4):
    """What the header cannot say is refused before anything is written."""
    del netCDF4
    texts = {"long": xarray.Variable("n", numpy.array(["long one", "z"]),
                                     encoding={"char_dim_name": "L"}),
             "short": xarray.Variable("n", numpy.array(["x", "yy"]),
                                      encoding={"char_dim_name": "L"})}
    one = xarray.Dataset({"a": ("x", [1.0, 2.0])})
    for dataset, options, text in (
            (xarray.Dataset(texts), {}, "long: its dimension L has 8"),
            (xarray.Dataset({"a": ("string4", numpy.arange(10.)),
                             "s": ("n", ["abcd", "x"])}), {}, "string4 has"),
            (one.rename(a="a/b"), {}, "variable 'a/b': netCDF names"),
            (one.rename(x="x "), {}, "dimension 'x ': netCDF names"),
            (one.assign_attrs({"e\u0301": 1, "\u00e9": 2}), {},
             "has this name"),
            (one.assign_attrs({"n" * 300: 1}), {}, "at most 256 bytes"),
            (one.assign_attrs(big=2 ** 40), {}, "attribute 'big'"),
            (one.assign(b=("x", [1, 2], {"big": 2 ** 40})), {},
             "b: attribute 'big': [1099511627776] does not fit int32"),
            (one.assign(b=("x", [1, 2], {"_FillValue": 2 ** 40})), {},
             "b: attribute '_FillValue': [1099511627776] does not fit"),
            (one.assign(b=("x", [1, 2], {"a/b": 1})), {},
             "b: attribute 'a/b': netCDF names"),
            (one.assign(b=("x", [1, 2 ** 40])), {},
             'b: values of int64 do not fit int32; ds.nc3z.to_archive(..., '
             'format="NETCDF3_64BIT_DATA")'),
            (one.assign(b=(("y", "z"), numpy.ones((0, 0)))), {},
             "one unlimited dimension"),
            (one, {"unlimited_dims": "t"}, "no dimension 't'"),
            (one.assign(b=(("y", "x"), numpy.ones((3, 2)))),
             {"unlimited_dims": "x"}, "must be its first")):
        error = raises(ValueError, dataset.nc3z.to_archive, "no.nc3z",
                       **options)
        expect(text in str(error) and not os.path.exists("no.nc3z"), error)
    for attrs in {"n": None}, {"n": ["b", "c"]}, {5: 1}, \
            {"n": numpy.ones((2, 2))}, {"n": numpy.array(["NaT"], "M8[s]")}:
        raises(TypeError, one.assign_attrs(attrs).nc3z.to_archive, "no.nc3z")
        error = raises(TypeError, one.assign(b=("x", [1, 2], attrs))
                       .nc3z.to_archive, "no.nc3z")
        expect("b: attribute" in str(error) or 5 in attrs, error)
    named = io.BytesIO()
    one.rename(a="e\u0301").nc3z.to_archive(named)
    expect(list(nc3z.File(named)) == ["\u00e9"])
